"""Every diagnostic code: how bad it is, what it means, a file that shows it, and what to write instead.

`heartbeat check --explain HB###` prints a row; the tests read each example and find its code. A code keeps its meaning
for ever; a new meaning gets a new number.
"""

from typing import NamedTuple

from core.model.diagnostic import Severity

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


class Code(NamedTuple):
    severity: Severity
    title: str
    meaning: str
    example: str  # a HEARTBEAT.md (HB5##: a prompt file) that shows it; empty: no text can
    mend: str


CODES: dict[str, Code] = {
    # -- the file as a whole
    "HB001": Code(_ERROR, "file too large", "A file over 1 MiB is not read; nothing of it runs.", "", "Move old parts to another file."),
    "HB002": Code(_ERROR, "not UTF-8", "The bytes are no UTF-8 text; nothing of the file runs.", "", "Save it as UTF-8 in your editor."),
    "HB003": Code(_ERROR, "NUL character", "A NUL mostly means a damaged or binary file; nothing of it runs.", "# Heartbeat\0\n", "Remove it, or restore the file."),
    "HB004": Code(_ERROR, "not a regular file", "It is a folder, a pipe or a device; it is not opened.", "", "Put a text file in its place."),
    "HB005": Code(_ERROR, "link leaves the workspace", "The file is a link to a place outside the workspace.", "", "Put the file itself into the workspace."),
    "HB006": Code(_ERROR, "cannot be read", "The system refuses to open the file.", "", "Give yourself the right to read it."),
    "HB007": Code(_INFO, "no file", "There is no HEARTBEAT.md, so nothing runs from it.", "", "`heartbeat init` writes one."),
    "HB008": Code(_WARNING, "two files", "Two names that differ only in letter case; only the first is read.", "", "Keep one of the two."),
    # -- frontmatter
    "HB101": Code(_ERROR, "frontmatter never closed", "The block that `---` opens needs a `---` that ends it. Until then nothing starts by itself, as its hours or zone could be in it.", "---\nversion: 1\n# Heartbeat\n", "End it with a line `---`."),
    "HB102": Code(_ERROR, "frontmatter line cannot be read", "This line is no `key: value`; the other lines still count.", "---\nversion: 1\nstatus: [idle\n---\n", "Write `key: value`, one a line."),
    "HB103": Code(_ERROR, "key twice", "The same key stands twice; the first holds.", "---\nstatus: idle\nstatus: error\n---\n", "Keep one of the two lines."),
    "HB104": Code(_ERROR, "YAML trick", "Anchors, aliases, merge keys and tags are not read.", "---\nversion: &a 1\n---\n", "Write the value itself."),
    "HB105": Code(_ERROR, "frontmatter too large", "Over 64 KiB, 2000 values or 8 levels; nothing of it is used.", "---\na: [[[[[[[[[1]]]]]]]]]\n---\n", "Move the text below the frontmatter."),
    "HB106": Code(_INFO, "unknown key", "The key is kept as it is and not used.", "---\ntimezon: Europe/Berlin\n---\n", "Check its spelling."),
    "HB107": Code(_WARNING, "value not understood", "The value is not one that this key takes.", "---\nstatus: sleepy\n---\n", "Write one of the values that the message names."),
    "HB108": Code(_ERROR, "zone or hours not understood", "Without the zone and the active hours nobody knows when to start, so nothing starts by itself.", "---\nactive: mornings\n---\n", "Write `active: 09:00-18:00 mon-fri` or `timezone: Europe/Berlin`."),
    # -- tasks
    "HB201": Code(_ERROR, "empty task", "There is nothing after the box, so there is nothing to do.", "## Tasks\n- [ ]  \n", "Write what is to be done, or remove the line."),
    "HB202": Code(_WARNING, "task without an id", "No id can be made from its text.", "## Tasks\n- [ ] …\n", "Start with a short word and a pipe: `mail | Check the mail`."),
    "HB203": Code(_WARNING, "task id twice", "The second task with this id gets `_2`.", "## Tasks\n- [ ] mail | Read | run: true\n- [ ] mail | Write | run: true\n", "Give each task its own id."),
    "HB204": Code(_WARNING, "field twice", "The same field stands twice; the first holds.", "## Tasks\n- [ ] mail | Read | required | optional\n", "Keep one. A pipe inside a command is written `\\|`."),
    "HB205": Code(_WARNING, "field not understood", "The field is not one that a task has; it is not used.", "## Tasks\n- [ ] mail | Read | max_attemps: 5\n", "Use required, optional, verify:, max_attempts:, run: or schedule:."),
    "HB206": Code(_WARNING, "number of attempts", "`max_attempts` is a whole number from 1 to 100; 3 is used until then.", "## Tasks\n- [ ] mail | Read | max_attempts: many\n", "Write `max_attempts: 3`."),
    "HB207": Code(_WARNING, "description missing", "The second field is the description, and here it is a word of the third.", "## Tasks\n- [ ] mail | required\n", "Write `mail | Check the mail | required`."),
    "HB208": Code(_INFO, "cannot be measured", "The hint is a label. Without a judge the verdict will be `unclear`.", "## Tasks\n- [ ] mail | Read | verify: mail_read\n", "Write a check: `cmd:…`, `file:…`, `http:…`, `json:…`, or an expression over probes."),
    "HB209": Code(_INFO, "item without a box", "Under `## Tasks` only items with `[ ]` or `[x]` are tasks; this one is context.", "## Tasks\n- Check the mail\n", "Write `- [ ] Check the mail`."),
    "HB210": Code(_INFO, "many tasks", "More than 7 tasks in one beat are done less reliably.", "## Tasks\n" + "".join(f"- [ ] t{n} | Do | run: true\n" for n in range(8)), "Join small ones, or give some a schedule."),
    "HB211": Code(_WARNING, "task id not as written", "An id has at most 64 characters, all of them visible; the rest of it is left out.", "## Tasks\n- [ ] ma\u200bil | Read | run: true\n", "Write a short id, with no invisible characters."),
    "HB212": Code(_WARNING, "check not understood", "The hint looks like a check and cannot be read as one. The task runs, but nothing is measured.", "## Tasks\n- [ ] mail | Read | verify: mails = 0\n## Probes\n- mails: ls mail | wc -l\n", "Write what the message names."),
    "HB213": Code(_ERROR, "variable not known", "`{{name}}` in `run:` is none of the variables, so the task does not run.", "## Tasks\n- [ ] mail | Read | run: echo {{dat}}\n", "Write one of date, time, timestamp, weekday, last_error, failure_count, completed_count, next_wake or secret:NAME."),
    # -- actions
    "HB301": Code(_WARNING, "action without an id", "The name is used as its id; a new name would make it a new action.", "## Pending Actions\n### [LOW] Say hello\n- **command**: echo hello\n", "Write `- **id**: say-hello`."),
    "HB302": Code(_ERROR, "action id twice", "The second action with this id does not run.", "## Pending Actions\n### A\n- **id**: one\n- **command**: true\n### B\n- **id**: one\n- **command**: true\n", "Give each action its own id."),
    "HB303": Code(_ERROR, "type not understood", "It does not say which of shell, http, file and notify it is.", "## Pending Actions\n### A\n- **id**: a\n- **type**: shel\n", "Write `- **type**: shell`."),
    "HB304": Code(_ERROR, "key missing", "This type of action cannot run without that key.", "## Pending Actions\n### A\n- **id**: a\n- **type**: http\n", "Add the key that the message names."),
    "HB305": Code(_WARNING, "priority not understood", "It is run as MEDIUM.", "## Pending Actions\n### [HIHG] A\n- **id**: a\n- **command**: true\n", "Write CRITICAL, HIGH, MEDIUM, LOW or BG."),
    "HB306": Code(_WARNING, "key not understood", "An action has no such key, or has it already; the line is not used.", "## Pending Actions\n### A\n- **id**: a\n- **comand**: true\n- **command**: true\n", "Check its spelling."),
    "HB307": Code(_WARNING, "value not understood", "The key takes another kind of value.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **retry**: often\n", "Write what the message names."),
    "HB308": Code(_INFO, "key of another type", "This type of action does nothing with that key.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **method**: GET\n", "Remove it, or change the type."),
    "HB309": Code(_ERROR, "operation not understood", "It is none of the operations on a file.", "## Pending Actions\n### A\n- **id**: a\n- **type**: file\n- **operation**: wirte\n- **path**: a.txt\n", "Write read, write, append, delete, move, copy or mkdir."),
    "HB310": Code(_ERROR, "status not understood", "It is none of the statuses, so the action does not run.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **status**: DONE\n", "Write PENDING to run it, COMPLETED to leave it."),
    "HB311": Code(_WARNING, "dependency not there", "No action has this id, so the one that depends on it is skipped.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **depends_on**: b\n", "Check the id, or remove the dependency."),
    "HB312": Code(_INFO, "line not read", "A line inside an action that is no `- **key**: value`.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\nThis is only a remark.\n", "Write it as a key, or above the first action."),
    "HB313": Code(_ERROR, "action without a name", "It has neither a name nor an id, so it cannot be told from others.", "## Pending Actions\n### [HIGH]\n- **command**: true\n", "Write `### [HIGH] Name` and `- **id**: name`."),
    "HB314": Code(_ERROR, "circle of dependencies", "These actions wait for each other; none of them runs.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **depends_on**: a\n", "Remove one of the dependencies."),
    "HB315": Code(_WARNING, "action id not as written", "An id has at most 64 characters, all of them visible; the rest of it is left out.", "## Pending Actions\n### A\n- **id**: a\u200bb\n- **command**: true\n", "Write a short id, with no invisible characters."),
    "HB316": Code(_ERROR, "table not understood", "`env` and `headers` take lines of names and values; the action waits instead of running without them.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **env**: LANG=C\n", "Write each one on a line below the key: `  - LANG: C`."),
    "HB317": Code(_ERROR, "variable not known", "`{{name}}` is none of the variables, so the action does not run.", "## Pending Actions\n### A\n- **id**: a\n- **command**: echo {{dat}}\n", "Write one of date, time, timestamp, weekday, last_error, failure_count, completed_count, next_wake or secret:NAME."),
    "HB318": Code(_ERROR, "condition not understood", "Nobody knows when it is true, so the action does not run.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **condition**: any_faild\n", "Write for example `any_failed`, `file_exists:report.md`, `weekday:mon,tue` or `failures > 0`."),
    "HB319": Code(_WARNING, "address or status not understood", "An http action asks an `http://` or `https://` address, and expects one status; as it is written it fails every time.", "## Pending Actions\n### A\n- **id**: a\n- **target**: ftp://example.org/\n", "Write `https://…`, and `expect_status: 200` or none."),
    # -- schedules
    "HB401": Code(_ERROR, "schedule not understood", "Nobody knows when this is due, so it does not run.", "## Tasks\n- [ ] mail | Read | run: true | schedule: daily:25:00\n", "Write for example `every:30m`, `daily:09:00` or `weekdays:09:00`."),
    "HB402": Code(_INFO, "day that is not always there", "There is no run in a month or year without that day.", "## Tasks\n- [ ] rent | Pay | run: true | schedule: monthly:31:09:00\n", "Write `monthly:last:09:00` for the last day."),
    "HB403": Code(_ERROR, "duration not understood", "The time cannot be read, so the action waits for you.", "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **timeout**: soon\n", "Write `30s`, `5m`, `2h`, `1d` or a sum of them."),
    "HB404": Code(_WARNING, "moment is past", "An `at:` that was past when it was first seen never runs; one that was missed is made up for within 24 hours.", "", "Write a later moment, or start it by its id: `heartbeat run ID`."),
    # -- prompt files
    "HB501": Code(_ERROR, "prompt without a title", "A prompt file needs `title` in its frontmatter; it does not run.", "Check the internet.\n", "Write `---`, `title: …`, `---` at the top."),
    "HB502": Code(_WARNING, "unknown key", "A prompt or a gate has no such key; it is not used.", "---\ntitle: A\ntitel: B\n---\nDo it.\n", "Check its spelling."),
    "HB503": Code(_INFO, "permissions ignored", "A prompt cannot grant itself anything.", "---\ntitle: A\npermissions: ['@shell']\n---\nDo it.\n", "Grant them in config.toml, under [agent]."),
    "HB505": Code(_WARNING, "network without domains", "Without `allowedDomains` the gate reaches no host.", "---\ntitle: A\ngate:\n  command: 'true'\n  permissions: ['@network']\n---\nDo it.\n", "List the hosts below `allowedDomains:`."),
    "HB506": Code(_ERROR, "empty prompt", "There is no text for the model, so it does not run.", "---\ntitle: A\n---\n", "Write the prompt below the frontmatter."),
    "HB507": Code(_ERROR, "value not understood", "The prompt waits for you, instead of running otherwise than meant.", "---\ntitle: A\nrun_if: sometimes\n---\nDo it.\n", "Write what the message names."),
    "HB508": Code(_ERROR, "file name cannot be an id", "The name has other characters than letters, digits, `_` and `-`, or over 64.", "", "Rename the file."),
    # -- structure
    "HB601": Code(_WARNING, "code fence never closed", "All that follows is code and not read.", "## Tasks\n```\n- [ ] a | b\n", "Close it with a line of the same marks."),
    "HB602": Code(_WARNING, "comment never closed", "All that follows is a comment and not read.", "## Tasks\n<!-- later\n- [ ] a | b\n", "Close it with `-->`."),
    "HB603": Code(_WARNING, "underlined heading", "Only headings that start with `#` make a section.", "Tasks\n-----\n", "Write `## Tasks`."),
    "HB604": Code(_WARNING, "heading is no section", "A section starts with exactly two `#` and its name.", "# Tasks\n", "Write `## Tasks`."),
    "HB605": Code(_WARNING, "heading perhaps misspelt", "Its lines are context, and no task or action.", "## Taks\n", "Write the heading as the message says."),
    "HB606": Code(_WARNING, "item outside its section", "A task counts under `## Tasks` only, an action under `## Pending Actions` only.", "## Tasks\n## Later\n- [ ] a | b\n", "Move it there."),
    "HB607": Code(_WARNING, "nothing active", "In a file without `## Tasks`, unchecked boxes and headings alone wake nobody.", "- [ ] Check the mail\n", "Write `## Tasks` above the boxes."),
    "HB608": Code(_WARNING, "section not read", "`format` in the frontmatter says that this file has no such section.", "---\nformat: contract\n---\n## Tasks\n## Pending Actions\n", "Remove `format`, or the section."),
    # -- probes
    "HB701": Code(_WARNING, "no probe", "Under `## Probes` a line is `- name: command`.", "## Tasks\n## Probes\n- mails\n", "Write `- mails: ls mail | wc -l`."),
    "HB702": Code(_WARNING, "probe twice", "The first of the two is measured.", "## Tasks\n## Probes\n- a: true\n- a: false\n", "Give it another name."),
}  # fmt: skip
