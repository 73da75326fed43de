"""Checks that look at a file of the workspace: `file:`, `cmd:` and `json:` over it, and `http:`
over the page that it is.

Each row says what makes its check true, what leaves it false, and in which world it is true or
false from the start.
"""

from dataclasses import dataclass

from tests.bench.verdict_cases.case import HERE, SITE

LONG = "The quarter closed with 14 invoices, of which 12 are paid and 2 are reminders.\n" * 4


@dataclass(frozen=True)
class PathCheck:
    label: str
    check: str
    path: str
    good: str  # writing this makes the check true
    bad: str | None = None  # writing this leaves it false
    wrong: str | None = None  # what the file holds where the check is false; None: there is none
    right: str | None = None  # what it holds where it is true beforehand; None: cannot be
    own_work: bool | None = None  # what the receipt says of it where the agent wrote the file
    names_path: bool = True  # by the check; the task names it in each case


Text = str | None


def _file(
    label: str, conditions: str, good: str, bad: Text = None, wrong: Text = None, right: Text = None
) -> PathCheck:
    path = f"{HERE}/report.txt"
    check = f"file:{path} {conditions}".strip()
    return PathCheck(f"file {label}", check, path, good, bad, wrong, right)


def _command(
    label: str, command: str, good: str, bad: Text = None, wrong: Text = None, right: Text = None
) -> PathCheck:
    path = f"{HERE}/out.txt"
    return PathCheck(f"cmd {label}", f"cmd:{command}", path, good, bad, wrong, right, own_work=True)


def _json(label: str, condition: str, good: str, wrong: str) -> PathCheck:
    path = f"{HERE}/data.json"
    check = f"json:{path}#{condition}"
    return PathCheck(f"json {label}", check, path, good, wrong, wrong, good, own_work=True)


def _page(
    label: str, conditions: str, good: str, bad: Text = None, wrong: Text = None, right: Text = None
) -> PathCheck:
    path = f"{HERE}/index.html"
    check = f"http:{SITE}/{path} {conditions}"
    return PathCheck(f"http {label}", check, path, good, bad, wrong, right, names_path=False)


FILE_CHECKS = (
    _file("exists", "", "Seven letters came.\n", right="It was here.\n"),
    _file("size>0", "size>0", "Two calls.\n", bad="", wrong="", right="Words.\n"),
    _file("size>20", "size>20", LONG, bad="Too short.\n", wrong="Short.\n", right=LONG),
    _file("size>200", "size>200", LONG, bad="Half a page.\n", right=LONG),
    _file(
        "contains a word",
        'contains "total"',
        "The total is 12 euros.\n",
        bad="The sum is 12 euros.\n",
        wrong="Nothing is added up.\n",
        right="total: 7\n",
    ),
    _file(
        "contains a sentence",
        'contains "Anna was called"',
        "Today Anna was called at noon.\n",
        bad="Today Anna was not reached.\n",
        right="Anna was called.\n",
    ),
    _file(
        "contains and size",
        'contains "end" size>30',
        f"{LONG}end\n",
        bad="The end.\n",
        wrong=LONG,
        right=f"{LONG}end\n",
    ),
    _file(
        "size and contains",
        'size>5 contains "14 invoices"',
        LONG,
        bad="Fourteen invoices are there.\n",
        wrong="14\n",
        right=LONG,
    ),
    _file("fresh<1h", "fresh<1h", "News of today.\n", wrong="Old news.\n"),
    _file("fresh<1d", "fresh<1d", "Rain in the evening.\n", wrong="Sun, three days ago.\n"),
    _file("fresh and size", "fresh<2h size>10", LONG, bad="Short.\n", wrong=f"{LONG}old\n"),
    _file("changed", "changed", "Another text.\n", wrong="The text before.\n"),
    _file(
        "changed and contains",
        'changed contains "paid"',
        "Now it is paid.\n",
        bad="Now it is open.\n",
        wrong="It was paid before.\n",
    ),
    _file(
        "fresh, size and contains",
        'fresh<1h size>3 contains "sun"',
        "There will be sun.\n",
        bad="There will be rain.\n",
        wrong="There was sun.\n",
    ),
)
COMMAND_CHECKS = (
    _command("test -e", f"test -e {HERE}/out.txt", "made\n", right="there\n"),
    _command("test -s", f"test -s {HERE}/out.txt", "text\n", bad="", wrong="", right="more\n"),
    _command(
        "grep",
        f"grep -q ready {HERE}/out.txt",
        "It is ready.\n",
        bad="It is nearly there.\n",
        wrong="Not yet.\n",
        right="ready\n",
    ),
    _command(
        "grep a whole line",
        f"grep -qx 'state: closed' {HERE}/out.txt",
        "state: closed\n",
        bad="state: closed soon\n",
        wrong="state: open\n",
        right="name: x\nstate: closed\n",
    ),
    _command(
        "count of lines",
        f"test $(wc -l < {HERE}/out.txt) -ge 3",
        "a\nb\nc\n",
        bad="a b c\n",
        wrong="a\n",
        right="1\n2\n3\n4\n",
    ),
    _command(
        "brackets",
        f"[ -f {HERE}/out.txt ]",
        "made by hand\n",
        right="was made\n",
    ),
    _command(
        "no line left open",
        f"sh -c '! grep -q open {HERE}/out.txt'",
        "paid\npaid\n",
        bad="paid\nopen\n",
        wrong="open\nopen\n",
        right="paid\n",
    ),
)
JSON_CHECKS = (
    _json("at least", "/count >= 3", '{"count": 5}', '{"count": 2}'),
    _json("more than", "/sent/mails > 0", '{"sent": {"mails": 1}}', '{"sent": {"mails": 0}}'),
    _json("is zero", "/errors == 0", '{"errors": 0}', '{"errors": 4}'),
    _json("a word", '/state == "ready"', '{"state": "ready"}', '{"state": "waiting"}'),
    _json("not a word", '/state != "broken"', '{"state": "fine"}', '{"state": "broken"}'),
    _json("a boolean", "/finished == true", '{"finished": true}', '{"finished": false}'),
    _json("in a list", "/rooms/1 == true", '{"rooms": [false, true]}', '{"rooms": [true, false]}'),
    _json("less than", "/load < 0.5", '{"load": 0.25}', '{"load": 0.75}'),
)
PAGE_CHECKS = (
    _page("status", "status=200", "<p>Hello</p>", right="<p>Good day</p>"),
    _page(
        "contains a word",
        'status=200 contains "open"',
        "<p>We are open.</p>",
        bad="<p>We are closed.</p>",
        wrong="<p>Closed.</p>",
        right="<b>open</b>",
    ),
    _page(
        "contains a sentence",
        'contains "sold 12 tickets" status=200',
        "<p>We sold 12 tickets.</p>",
        bad="<p>We sold 13 tickets.</p>",
        wrong="<p>No tickets.</p>",
        right="<p>Today: sold 12 tickets</p>",
    ),
)
PATH_CHECKS = FILE_CHECKS + COMMAND_CHECKS + JSON_CHECKS + PAGE_CHECKS
