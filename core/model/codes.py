"""Every diagnostic code: its severity, what it means, a file that shows it, what to write instead.

`heartbeat check --explain HB###` prints a row; the tests read each example and find its code. A
code keeps its meaning for ever; a new meaning gets a new number.
"""

from typing import NamedTuple

from core.model.diagnostic import Severity


class Code(NamedTuple):
    severity: Severity
    title: str
    meaning: str
    example: str  # a HEARTBEAT.md (HB5##: a prompt file) that shows it; empty: no text can
    fix: str


CODES: dict[str, Code] = {
    # -- the file as a whole
    "HB001": Code(
        Severity.ERROR,
        title="file too large",
        meaning="A file over 1 MiB is not read; nothing of it runs.",
        example="",
        fix="Move old parts to another file.",
    ),
    "HB002": Code(
        Severity.ERROR,
        title="not UTF-8",
        meaning="The bytes are not UTF-8 text; nothing of the file runs.",
        example="",
        fix="Save it as UTF-8 in your editor.",
    ),
    "HB003": Code(
        Severity.ERROR,
        title="NUL character",
        meaning="A NUL usually means a damaged or binary file; nothing of it runs.",
        example="# Heartbeat\0\n",
        fix="Remove it, or restore the file.",
    ),
    "HB004": Code(
        Severity.ERROR,
        title="not a regular file",
        meaning="It is a folder, a pipe or a device; it is not opened.",
        example="",
        fix="Put a text file in its place.",
    ),
    "HB005": Code(
        Severity.ERROR,
        title="link leaves the workspace",
        meaning="The file is a link to a place outside the workspace.",
        example="",
        fix="Put the file itself into the workspace.",
    ),
    "HB006": Code(
        Severity.ERROR,
        title="cannot be read",
        meaning="The system refuses to open the file.",
        example="",
        fix="Give yourself the right to read it.",
    ),
    "HB007": Code(
        Severity.INFO,
        title="no file",
        meaning="There is no HEARTBEAT.md, so nothing runs from it.",
        example="",
        fix="`heartbeat init` writes one.",
    ),
    "HB008": Code(
        Severity.WARNING,
        title="two files",
        meaning="Two names that differ only in letter case; only the first is read.",
        example="",
        fix="Keep one of the two.",
    ),
    "HB009": Code(
        Severity.WARNING,
        title="hidden character",
        meaning=(
            "A character that cannot be seen, or that changes the order in which others are seen, "
            "is in something that runs: a command, an address or a path. What you read there may "
            "not be what runs."
        ),
        example=("## Tasks\n- [ ] mail | Read | run: ls\u200b mail\n"),
        fix="Delete the character; in many editors it helps to write the line again.",
    ),
    # -- frontmatter
    "HB101": Code(
        Severity.ERROR,
        title="frontmatter never closed",
        meaning=(
            "The block that `---` opens needs a `---` that ends it. Until then nothing starts on "
            "its own, as its hours or zone could be in it."
        ),
        example=("---\nversion: 1\n# Heartbeat\n"),
        fix="End it with a line `---`.",
    ),
    "HB102": Code(
        Severity.ERROR,
        title="frontmatter line cannot be read",
        meaning="This line is not `key: value`; the other lines still count.",
        example=("---\nversion: 1\nstatus: [idle\n---\n"),
        fix="Write `key: value`, one per line.",
    ),
    "HB103": Code(
        Severity.ERROR,
        title="key twice",
        meaning="The same key appears twice; the first one is used.",
        example=("---\nstatus: idle\nstatus: error\n---\n"),
        fix="Keep one of the two lines.",
    ),
    "HB104": Code(
        Severity.ERROR,
        title="YAML feature not allowed",
        meaning="Anchors, aliases, merge keys and tags are not read.",
        example=("---\nversion: &a 1\n---\n"),
        fix="Write the value itself.",
    ),
    "HB105": Code(
        Severity.ERROR,
        title="frontmatter too large",
        meaning="Over 64 KiB, 2000 values or 8 levels; nothing of it is used.",
        example=("---\na: [[[[[[[[[1]]]]]]]]]\n---\n"),
        fix="Move the text below the frontmatter.",
    ),
    "HB106": Code(
        Severity.INFO,
        title="unknown key",
        meaning="The key is kept as it is and not used.",
        example=("---\ntimezon: Europe/Berlin\n---\n"),
        fix="Check its spelling.",
    ),
    "HB107": Code(
        Severity.WARNING,
        title="value not understood",
        meaning="The value is not one that this key takes.",
        example=("---\nstatus: sleepy\n---\n"),
        fix="Write one of the values that the message names.",
    ),
    "HB108": Code(
        Severity.ERROR,
        title="zone or hours not understood",
        meaning=(
            "Without the zone and the active hours Heartbeat cannot tell when something may "
            "start, so nothing starts on its own."
        ),
        example=("---\nactive: mornings\n---\n"),
        fix="Write `active: 09:00-18:00 mon-fri` or `timezone: Europe/Berlin`.",
    ),
    # -- tasks
    "HB201": Code(
        Severity.WARNING,
        title="empty task",
        meaning="There is nothing after the box, so there is nothing to do.",
        example=("## Tasks\n- [ ]  \n"),
        fix="Write what is to be done, or remove the line.",
    ),
    "HB202": Code(
        Severity.WARNING,
        title="task without an id",
        meaning="No id can be made from its text.",
        example=("## Tasks\n- [ ] …\n"),
        fix="Start with a short word and a pipe: `mail | Check the mail`.",
    ),
    "HB203": Code(
        Severity.WARNING,
        title="task id twice",
        meaning="The second task with this id gets `_2`.",
        example=("## Tasks\n- [ ] mail | Read | run: true\n- [ ] mail | Write | run: true\n"),
        fix="Give each task its own id.",
    ),
    "HB204": Code(
        Severity.WARNING,
        title="field twice",
        meaning="The same field appears twice; the first one is used.",
        example=("## Tasks\n- [ ] mail | Read | required | optional\n"),
        fix="Keep one. A pipe inside a command is written `\\|`.",
    ),
    "HB205": Code(
        Severity.WARNING,
        title="field not understood",
        meaning="The field has no value or no colon, or is a misspelt word; it is not used.",
        example=("## Tasks\n- [ ] mail | Read | optinal\n"),
        fix="Use required, optional, verify:, max_attempts:, run:, timeout: or schedule:.",
    ),
    "HB206": Code(
        Severity.WARNING,
        title="number of attempts",
        meaning="`max_attempts` is a whole number from 1 to 100; for now 3 is used.",
        example=("## Tasks\n- [ ] mail | Read | max_attempts: many\n"),
        fix="Write `max_attempts: 3`.",
    ),
    "HB207": Code(
        Severity.WARNING,
        title="description missing",
        meaning=(
            "The second field must be the description, but here it is a word that belongs in a "
            "later field. Where it clearly is a field it is read as one, and the first field is "
            "what to do."
        ),
        example=("## Tasks\n- [ ] mail | required\n"),
        fix="Write `mail | Check the mail | required`.",
    ),
    "HB208": Code(
        Severity.INFO,
        title="cannot be measured",
        meaning="The hint is a label. Without a judge the verdict will be `unclear`.",
        example=("## Tasks\n- [ ] mail | Read | verify: mail_read\n"),
        fix=(
            "Write a check such as `cmd:…`, `file:…`, `http:…` or `json:…`, or an expression over"
            " probes."
        ),
    ),
    "HB210": Code(
        Severity.INFO,
        title="many tasks",
        meaning="More than 7 tasks in one beat are done less reliably.",
        example="## Tasks\n" + "".join(f"- [ ] t{n} | Do | run: true\n" for n in range(8)),
        fix="Combine small ones, or give some a schedule.",
    ),
    "HB211": Code(
        Severity.WARNING,
        title="task id not as written",
        meaning="An id has at most 64 characters, all of them visible; the rest of it is left out.",
        example=("## Tasks\n- [ ] ma\u200bil | Read | run: true\n"),
        fix="Write a short id, with no invisible characters.",
    ),
    "HB212": Code(
        Severity.WARNING,
        title="check not understood",
        meaning=(
            "The hint looks like a check and cannot be read as one. The task runs, but nothing is"
            " measured."
        ),
        example=(
            "## Tasks\n- [ ] mail | Read | verify: mails = 0\n## Probes\n- mails: ls mail | wc -l\n"
        ),
        fix="Write what the message names.",
    ),
    "HB213": Code(
        Severity.ERROR,
        title="variable not known",
        meaning="`{{name}}` in `run:` is not one of the variables, so the task does not run.",
        example=("## Tasks\n- [ ] mail | Read | run: echo {{dat}}\n"),
        fix=(
            "Write one of date, time, timestamp, weekday, last_error, failure_count, "
            "completed_count, next_wake or secret:NAME."
        ),
    ),
    "HB214": Code(
        Severity.WARNING,
        title="box not as it should be",
        meaning="A box has one character: a space or an `x`. This one is read as it looks.",
        example=("## Tasks\n- [] Check the mail\n"),
        fix="Write `- [ ] Check the mail`.",
    ),
    "HB215": Code(
        Severity.ERROR,
        title="field not known",
        meaning="A task has no field of this name, so it does not run: it would not do as meant.",
        example=("## Tasks\n- [ ] mail | Read | max_attemps: 5\n"),
        fix="Use verify:, max_attempts:, run:, timeout: or schedule:, or a check such as `cmd:…`.",
    ),
    "HB216": Code(
        Severity.ERROR,
        title="field not supported yet",
        meaning="The field comes with a later version. Until then the item does not run.",
        example=("## Tasks\n- [ ] mail | Read | model: fast\n"),
        fix="Remove the field for now.",
    ),
    "HB217": Code(
        Severity.WARNING,
        title="wide bar",
        meaning="The wide bar of a Chinese or Japanese keyboard does not separate fields.",
        example=("## Tasks\n- [ ] mail \uff5c Read\n"),
        fix="Write `|`.",
    ),
    "HB218": Code(
        Severity.WARNING,
        title="tasks that read as text",
        meaning="There is text under `## Tasks` and not one list item, so nothing of it runs.",
        example=("## Tasks\nCheck the mail every morning.\n"),
        fix="Write `- [ ] Check the mail`, one line for each task.",
    ),
    "HB219": Code(
        Severity.WARNING,
        title="not a task",
        meaning="It looks like a task, but its box or the mark before it cannot be read.",
        example=("## Tasks\n- [?] Check the mail\n"),
        fix="Write `- [ ] Check the mail`.",
    ),
    "HB220": Code(
        Severity.WARNING,
        title="text among the tasks",
        meaning="A table or a sentence under `## Tasks` is context for the model; it does not run.",
        example=("## Tasks\nBe brief.\n- [ ] mail | Read\n"),
        fix="Write it as a list item, or indent it under the task that it belongs to.",
    ),
    "HB221": Code(
        Severity.WARNING,
        title="check written as a sentence",
        meaning="The hint names a file and reads like a check, but only a judge could decide it.",
        example=("## Tasks\n- [ ] report | Write it | verify: report.txt exists\n"),
        fix="Write `verify: file:report.txt`.",
    ),
    "HB222": Code(
        Severity.INFO,
        title="timeout without a command",
        meaning="`timeout:` is for a task with `run:`; what the model does has limits of its own.",
        example=("## Tasks\n- [ ] mail | Read | timeout: 1h\n"),
        fix="Remove it, or add `run:`.",
    ),
    "HB223": Code(
        Severity.ERROR,
        title="command cut by a pipe",
        meaning=(
            "A pipe ends a field, so what follows the command is no longer part of it. Half of a "
            "command would do something else, so the task does not run."
        ),
        example=("## Tasks\n- [ ] count | Count the mail | run: ls mail | wc -l\n"),
        fix="Write `\\|` for a pipe inside a command, and `verify:` before a check in words.",
    ),
    "HB224": Code(
        Severity.WARNING,
        title="code span cut by a pipe",
        meaning="A pipe ends a field, also between backticks; what follows it is not part of it.",
        example=("## Tasks\n- [ ] fix | Fix the `a | b` in the script\n"),
        fix="Write `\\|` for a pipe that does not end a field.",
    ),
    # -- actions
    "HB301": Code(
        Severity.WARNING,
        title="action without an id",
        meaning="The name is used as its id; a new name would make it a new action.",
        example=("## Pending Actions\n### [LOW] Say hello\n- **command**: echo hello\n"),
        fix="Write `- **id**: say-hello`.",
    ),
    "HB302": Code(
        Severity.ERROR,
        title="action id twice",
        meaning="The second action with this id does not run.",
        example=(
            "## Pending Actions\n"
            "### A\n"
            "- **id**: one\n"
            "- **command**: true\n"
            "### B\n"
            "- **id**: one\n"
            "- **command**: true\n"
        ),
        fix="Give each action its own id.",
    ),
    "HB303": Code(
        Severity.ERROR,
        title="type not understood",
        meaning="It does not say what type of action it is, or names one that does not exist.",
        example=("## Pending Actions\n### A\n- **id**: a\n- **type**: shel\n"),
        fix="Write `- **type**: shell`.",
    ),
    "HB304": Code(
        Severity.ERROR,
        title="key missing",
        meaning="This type of action cannot run without that key.",
        example=("## Pending Actions\n### A\n- **id**: a\n- **type**: http\n"),
        fix="Add the key that the message names.",
    ),
    "HB305": Code(
        Severity.WARNING,
        title="priority not understood",
        meaning="It is run as MEDIUM.",
        example=("## Pending Actions\n### [HIHG] A\n- **id**: a\n- **command**: true\n"),
        fix="Write CRITICAL, HIGH, MEDIUM, LOW or BG.",
    ),
    "HB306": Code(
        Severity.WARNING,
        title="key not understood",
        meaning="An action has no such key, or has it already; the line is not used.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **comand**: true\n- **command**: true\n"
        ),
        fix="Check its spelling.",
    ),
    "HB307": Code(
        Severity.WARNING,
        title="value not understood",
        meaning="The key takes another kind of value.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **retry**: often\n"
        ),
        fix="Write what the message names.",
    ),
    "HB308": Code(
        Severity.INFO,
        title="key of another type",
        meaning="This type of action does nothing with that key.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **method**: GET\n"
        ),
        fix="Remove it, or change the type.",
    ),
    "HB309": Code(
        Severity.ERROR,
        title="operation not understood",
        meaning="It is not one of the operations on a file.",
        example=(
            "## Pending Actions\n"
            "### A\n"
            "- **id**: a\n"
            "- **type**: file\n"
            "- **operation**: wirte\n"
            "- **path**: a.txt\n"
        ),
        fix="Write read, write, append, delete, move, copy or mkdir.",
    ),
    "HB310": Code(
        Severity.ERROR,
        title="status not understood",
        meaning="It is not one of the statuses, so the action does not run.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **status**: DONE\n"
        ),
        fix="Write PENDING to run it, COMPLETED to leave it.",
    ),
    "HB311": Code(
        Severity.WARNING,
        title="unknown dependency",
        meaning="No action has this id, so the one that depends on it is skipped.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **depends_on**: b\n"
        ),
        fix="Check the id, or remove the dependency.",
    ),
    "HB312": Code(
        Severity.INFO,
        title="line not read",
        meaning="A line inside an action that is not `- **key**: value`.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\nThis is only a remark.\n"
        ),
        fix="Write it as a key, or above the first action.",
    ),
    "HB313": Code(
        Severity.ERROR,
        title="action without a name",
        meaning="It has neither a name nor an id, so nothing distinguishes it from others.",
        example=("## Pending Actions\n### [HIGH]\n- **command**: true\n"),
        fix="Write `### [HIGH] Name` and `- **id**: name`.",
    ),
    "HB314": Code(
        Severity.ERROR,
        title="circle of dependencies",
        meaning="These actions wait for each other; none of them runs.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **depends_on**: a\n"
        ),
        fix="Remove one of the dependencies.",
    ),
    "HB315": Code(
        Severity.WARNING,
        title="action id not as written",
        meaning="An id has at most 64 characters, all of them visible; the rest of it is left out.",
        example=("## Pending Actions\n### A\n- **id**: a\u200bb\n- **command**: true\n"),
        fix="Write a short id, with no invisible characters.",
    ),
    "HB316": Code(
        Severity.ERROR,
        title="table not understood",
        meaning=(
            "A key such as `env` or `headers` takes lines of names and values; the action waits "
            "instead of running without them."
        ),
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **env**: LANG=C\n"
        ),
        fix="Write each one on a line below the key: `  - LANG: C`.",
    ),
    "HB317": Code(
        Severity.ERROR,
        title="variable not known",
        meaning="`{{name}}` is not one of the variables, so the action does not run.",
        example=("## Pending Actions\n### A\n- **id**: a\n- **command**: echo {{dat}}\n"),
        fix=(
            "Write one of date, time, timestamp, weekday, last_error, failure_count, "
            "completed_count, next_wake or secret:NAME."
        ),
    ),
    "HB318": Code(
        Severity.ERROR,
        title="condition not understood",
        meaning="Heartbeat cannot tell when it is true, so the action does not run.",
        example=(
            "## Pending Actions\n"
            "### A\n"
            "- **id**: a\n"
            "- **command**: true\n"
            "- **condition**: any_faild\n"
        ),
        fix=(
            "Write for example `any_failed`, `file_exists:report.md`, `weekday:mon,tue` or "
            "`failures > 0`."
        ),
    ),
    "HB319": Code(
        Severity.WARNING,
        title="address or status not understood",
        meaning=(
            "An http action sends its request to an `http://` or `https://` address, and expects "
            "one status; as it is written it fails every time."
        ),
        example=("## Pending Actions\n### A\n- **id**: a\n- **target**: ftp://example.org/\n"),
        fix="Write `https://…`, and `expect_status: 200` or none.",
    ),
    "HB320": Code(
        Severity.ERROR,
        title="age not understood",
        meaning="Heartbeat cannot tell how old a file has to be, so the action does not run.",
        example=(
            "## Pending Actions\n"
            "### A\n"
            "- **id**: a\n"
            "- **type**: file\n"
            "- **operation**: delete\n"
            "- **pattern**: *.log\n"
            "- **older_than**: soon\n"
        ),
        fix="Write a duration such as `older_than: 7d`.",
    ),
    "HB321": Code(
        Severity.WARNING,
        title="action below Completed Today",
        meaning="What is under `## Completed Today` counts as done, so this action never runs.",
        example=(
            "## Pending Actions\n"
            "## Completed Today\n"
            "### [LOW] A\n"
            "- **id**: a\n"
            "- **command**: true\n"
        ),
        fix="Move it up, under `## Pending Actions`.",
    ),
    "HB322": Code(
        Severity.ERROR,
        title="path leaves the workspace",
        meaning="A file action works inside the workspace only, so this one does not run.",
        example=(
            "## Pending Actions\n"
            "### A\n"
            "- **id**: a\n"
            "- **type**: file\n"
            "- **operation**: read\n"
            "- **path**: ../notes.txt\n"
        ),
        fix="Write a path inside the workspace, or use a shell action.",
    ),
    # -- schedules
    "HB401": Code(
        Severity.ERROR,
        title="schedule not understood",
        meaning="Heartbeat cannot tell when this is due, so it does not run.",
        example=("## Tasks\n- [ ] mail | Read | run: true | schedule: daily:25:00\n"),
        fix="Write for example `every:30m`, `daily:09:00` or `weekdays:09:00`.",
    ),
    "HB402": Code(
        Severity.INFO,
        title="day that some months or years lack",
        meaning="There is no run in a month or year without that day.",
        example=("## Tasks\n- [ ] rent | Pay | run: true | schedule: monthly:31:09:00\n"),
        fix="Write `monthly:last:09:00` for the last day.",
    ),
    "HB403": Code(
        Severity.ERROR,
        title="duration not understood",
        meaning="The duration cannot be read, so the action waits for you.",
        example=(
            "## Pending Actions\n### A\n- **id**: a\n- **command**: true\n- **timeout**: soon\n"
        ),
        fix="Write `30s`, `5m`, `2h`, `1d` or a sum of them.",
    ),
    "HB404": Code(
        Severity.WARNING,
        title="time is past",
        meaning=(
            "An `at:` whose time had already passed when it was first seen never runs; one that "
            "was missed is caught up within 24 hours."
        ),
        example="",
        fix="Write a later time, or start it by its id: `heartbeat run ID`.",
    ),
    # -- prompt files
    "HB501": Code(
        Severity.ERROR,
        title="prompt without a title",
        meaning="A prompt file needs `title` in its frontmatter; it does not run.",
        example="Check the internet.\n",
        fix="Write `---`, `title: …`, `---` at the top.",
    ),
    "HB502": Code(
        Severity.WARNING,
        title="unknown key",
        meaning="A prompt or a gate has no such key; it is not used.",
        example=("---\ntitle: A\ntitel: B\n---\nDo it.\n"),
        fix="Check its spelling.",
    ),
    "HB503": Code(
        Severity.INFO,
        title="permissions ignored",
        meaning="A prompt cannot grant itself anything.",
        example=("---\ntitle: A\npermissions: ['@shell']\n---\nDo it.\n"),
        fix="Grant them in config.toml, under [agent].",
    ),
    "HB505": Code(
        Severity.WARNING,
        title="network without domains",
        meaning="Without `allowedDomains` the gate reaches no host.",
        example=(
            "---\ntitle: A\ngate:\n  command: 'true'\n  permissions: ['@network']\n---\nDo it.\n"
        ),
        fix="List the hosts below `allowedDomains:`.",
    ),
    "HB506": Code(
        Severity.ERROR,
        title="empty prompt",
        meaning="There is no text for the model, so it does not run.",
        example=("---\ntitle: A\n---\n"),
        fix="Write the prompt below the frontmatter.",
    ),
    "HB507": Code(
        Severity.ERROR,
        title="value not understood",
        meaning="The prompt waits for you, because it would not run as intended.",
        example=("---\ntitle: A\nrun_if: sometimes\n---\nDo it.\n"),
        fix="Write what the message names.",
    ),
    "HB508": Code(
        Severity.ERROR,
        title="file name cannot be an id",
        meaning=(
            "The name contains characters other than letters, digits, `_` and `-`, or is longer "
            "than 64 characters."
        ),
        example="",
        fix="Rename the file.",
    ),
    "HB509": Code(
        Severity.ERROR,
        title="allowed domain that cannot work",
        meaning=(
            "A line of `allowedDomains` is not a host: a name or an address, with a port if only "
            "that one is meant. The prompt waits for you."
        ),
        example=(
            "---\ntitle: A\ngate:\n  command: 'true'\n  allowedDomains: ['https://example.com/']\n"
            "---\nDo it.\n"
        ),
        fix="Write the host alone, such as `example.com`, `localhost:8080` or `192.168.1.5`.",
    ),
    # -- structure
    "HB601": Code(
        Severity.WARNING,
        title="code fence never closed",
        meaning="Everything after it is code and is not read.",
        example=("## Tasks\n```\n- [ ] a | b\n"),
        fix="Close it with a line of the same marks.",
    ),
    "HB602": Code(
        Severity.WARNING,
        title="comment never closed",
        meaning="Everything after it is a comment and is not read.",
        example=("## Tasks\n<!-- later\n- [ ] a | b\n"),
        fix="Close it with `-->`.",
    ),
    "HB603": Code(
        Severity.WARNING,
        title="underlined heading",
        meaning="Only headings that start with `#` make a section.",
        example=("Tasks\n-----\n"),
        fix="Write `## Tasks`.",
    ),
    "HB604": Code(
        Severity.WARNING,
        title="heading is not a section",
        meaning="A section starts with exactly two `#` and its name.",
        example="# Tasks\n",
        fix="Write `## Tasks`.",
    ),
    "HB605": Code(
        Severity.WARNING,
        title="heading possibly misspelt",
        meaning="Its lines are context, not tasks or actions.",
        example="## Taks\n",
        fix="Write the heading as the message says.",
    ),
    "HB606": Code(
        Severity.WARNING,
        title="item outside its section",
        meaning="A task runs under `## Tasks` only, an action under `## Pending Actions` only.",
        example=("## Tasks\n## Later\n- [ ] a | b\n"),
        fix="Move it there.",
    ),
    "HB607": Code(
        Severity.WARNING,
        title="nothing active",
        meaning="In a file without `## Tasks`, empty boxes and headings alone start nothing.",
        example="- [ ] Check the mail\n",
        fix="Write `## Tasks` above the boxes.",
    ),
    "HB608": Code(
        Severity.WARNING,
        title="section not read",
        meaning="`format` in the frontmatter says that this file has no such section.",
        example=("---\nformat: contract\n---\n## Tasks\n## Pending Actions\n"),
        fix="Remove `format`, or the section.",
    ),
    "HB609": Code(
        Severity.WARNING,
        title="box in a plain file",
        meaning=(
            "A file without `## Tasks` goes to the model as text, also its boxes. None of them is "
            "a task: it has no schedule, no attempts and no check."
        ),
        example=("Look at the mail.\n- [ ] Call Anna\n"),
        fix="Write `## Tasks` above the boxes.",
    ),
    # -- probes
    "HB701": Code(
        Severity.WARNING,
        title="not a probe",
        meaning="Under `## Probes` a line is `- name: command`.",
        example=("## Tasks\n## Probes\n- mails\n"),
        fix="Write `- mails: ls mail | wc -l`.",
    ),
    "HB702": Code(
        Severity.WARNING,
        title="probe twice",
        meaning="The first of the two is measured.",
        example=("## Tasks\n## Probes\n- a: true\n- a: false\n"),
        fix="Give it another name.",
    ),
    # -- settings
    "HB801": Code(
        Severity.WARNING,
        title="tool server not found",
        meaning="The program of a tool server is not on this machine, so a model gets none of its "
        "tools.",
        example="",
        fix="Install the program, or correct `command` in its table of config.toml.",
    ),
}
