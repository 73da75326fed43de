"""The hostile corpus: one row per case, with a function that writes it into an empty folder and the
codes it must give.

A row without codes is clean: however odd it looks, nothing is wrong with it.
"""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

MEBIBYTE = 1 << 20
TASKS = "## Tasks\n"
ACTIONS = "## Pending Actions\n"
GOOD = TASKS + "- [ ] a | b | run: true\n"
ESCAPES = "\x1b[31m\x1b]0;title\x07\x9b1m\x08\x7f\u202e\u2066\u200b"

Maker = Callable[[Path], Path]  # an empty folder -> what `check` is pointed at


class Case(NamedTuple):
    name: str
    make: Maker
    codes: frozenset[str] = frozenset()
    as_root_without_rights: bool = False  # root may read everything; this case is about who may not


def holding(content: str | bytes, name: str = "HEARTBEAT.md") -> Maker:
    """A file with this content."""

    def make(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def case(name: str, content: str | bytes, *codes: str) -> Case:
    return Case(name, holding(content), frozenset(codes))


def prompt_case(name: str, content: str, *codes: str, file: str = "odd.md") -> Case:
    return Case(name, holding(content, f"heartbeat/{file}"), frozenset(codes))


def filled(unit: str, head: str = "", size: int = MEBIBYTE) -> str:
    """The head, then the unit again and again, up to the size in bytes."""
    return head + unit * ((size - len(head.encode())) // len(unit.encode()))


def numbered(unit: Callable[[int], str], head: str = "", size: int = MEBIBYTE) -> str:
    """The head, then unit(0), unit(1) … up to the size in bytes."""
    pieces, left, number = [head], size - len(head.encode()), 0
    while (left := left - len(unit(number).encode())) >= 0:
        pieces.append(unit(number))
        number += 1
    return "".join(pieces)


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", GOOD])


# -- odd files -------------------------------------------------------------------------------------


def make_fifo(folder: Path) -> Path:
    os.mkfifo(folder / "HEARTBEAT.md")
    return folder / "HEARTBEAT.md"


def make_socket(folder: Path) -> Path:
    here = Path.cwd()
    os.chdir(folder)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("HEARTBEAT.md")
    finally:
        os.chdir(here)
    return folder / "HEARTBEAT.md"


def make_folder(folder: Path) -> Path:
    (folder / "HEARTBEAT.md").mkdir()
    return folder


def make_sparse(folder: Path) -> Path:
    with open(folder / "HEARTBEAT.md", "wb") as file:
        file.truncate(2 << 30)
    return folder / "HEARTBEAT.md"


def make_unreadable(folder: Path) -> Path:
    path = holding(GOOD)(folder)
    path.chmod(0)
    return path


def link_to(target: str) -> Maker:
    def make(folder: Path) -> Path:
        (folder / "HEARTBEAT.md").symlink_to(target)
        return folder / "HEARTBEAT.md"

    return make


def make_link_out(folder: Path) -> Path:
    (folder / "workspace").mkdir()
    (folder / "outside.md").write_text(GOOD)
    (folder / "workspace" / "HEARTBEAT.md").symlink_to("../outside.md")
    return folder / "workspace" / "HEARTBEAT.md"


def make_link_through_folder(folder: Path) -> Path:
    (folder / "workspace").mkdir()
    (folder / "outside").mkdir()
    (folder / "outside" / "odd.md").write_text("---\ntitle: A\n---\nDo it.\n")
    (folder / "workspace" / "heartbeat").symlink_to("../outside")
    return folder / "workspace"


def make_link_inside(folder: Path) -> Path:
    (folder / "real.md").write_text(GOOD)
    (folder / "HEARTBEAT.md").symlink_to("real.md")
    return folder / "HEARTBEAT.md"


def make_long_chain_of_links(folder: Path) -> Path:
    (folder / "link0").write_text(GOOD)
    for number in range(100):
        (folder / f"link{number + 1}").symlink_to(f"link{number}")
    (folder / "HEARTBEAT.md").symlink_to("link100")
    return folder / "HEARTBEAT.md"


def make_two_files(folder: Path) -> Path:
    for name in ("HEARTBEAT.md", "heartbeat.md", "Heartbeat.md"):
        (folder / name).write_text(GOOD)
    return folder


def make_fifo_prompt(folder: Path) -> Path:
    (folder / "heartbeat").mkdir()
    os.mkfifo(folder / "heartbeat" / "odd.md")
    return folder


def make_prompt_names(folder: Path) -> Path:
    (folder / "heartbeat").mkdir()
    for name in (
        b"a b",
        b"\x1b[31mred",
        b"\xff\xfe",
        b"new\nline",
        b"x" * 100,
        b"...",
        "tûrn\u202e".encode(),
        b"<b>",
    ):
        Path(os.fsdecode(os.fsencode(folder / "heartbeat") + b"/" + name + b".md")).write_text(
            "---\ntitle: A\n---\nx\n"
        )
    return folder


def make_file_with_odd_name(folder: Path) -> Path:
    path = Path(os.fsdecode(os.fsencode(folder) + b"/\xff\x1b[31m\n\xe2\x80\xae.md"))
    path.write_text(GOOD)
    return path


def make_folder_in_folder(folder: Path) -> Path:
    deep = folder
    for _ in range(40):
        deep = deep / ("d" * 50)
    deep.mkdir(parents=True)
    return holding(GOOD)(deep)


FILES = [
    Case("a FIFO", make_fifo, frozenset({"HB004"})),
    Case("a socket", make_socket, frozenset({"HB004"})),
    Case("a folder", make_folder, frozenset({"HB004"})),
    Case("2 GB, sparse", make_sparse, frozenset({"HB001"})),
    Case("mode 000", make_unreadable, frozenset({"HB006"}), as_root_without_rights=True),
    Case("a link to a device", link_to("/dev/zero"), frozenset({"HB005"})),
    Case("a link to a terminal", link_to("/dev/tty"), frozenset({"HB005"})),
    Case("a link to the process itself", link_to("/proc/self/mem"), frozenset({"HB005"})),
    Case("a link to itself", link_to("HEARTBEAT.md"), frozenset({"HB006"})),
    Case("a link to nothing", link_to("nowhere.md"), frozenset({"HB007"})),
    Case("a link to its own folder", link_to("."), frozenset({"HB004"})),
    Case("a link out of the workspace", make_link_out, frozenset({"HB005"})),
    Case(
        "a folder of prompts that is a link out",
        make_link_through_folder,
        frozenset({"HB005", "HB007"}),
    ),
    Case("a link inside the workspace", make_link_inside),
    Case("a chain of a hundred links", make_long_chain_of_links),
    Case("three files that differ in letter case", make_two_files, frozenset({"HB008"})),
    Case("a FIFO among the prompts", make_fifo_prompt, frozenset({"HB004", "HB007"})),
    Case("prompts with hostile names", make_prompt_names, frozenset({"HB007", "HB508"})),
    Case("a hostile file name", make_file_with_odd_name),
    Case("a path of 2000 characters", make_folder_in_folder),
]

# -- bytes and sizes -------------------------------------------------------------------------------

HIDDEN_CHARACTERS = {
    "U+2028": "\u2028",
    "U+2029": "\u2029",
    "NEL": "\x85",
    "VT": "\x0b",
    "FF": "\x0c",
    "FS": "\x1c",
    "CSI": "\x9b",
}
EVERYWHERE = (
    "---\nlast_error: 'a{0}b'\n---\n# T{0}itle\n\nWords{0}## Tasks{0}- [ ] evil | x\n\n## Tasks\n"
    "- [ ] id{0}x | de{0}scr | run: echo{0}a | verify: cmd:te{0}st\n- [ ] a{0}- [ ] b\n\n"
    "## Probes\n- p: a{0}b\n\n"
    "## Pending Actions\n### [LOW] Na{0}me\n- **id**: a{0}b\n- **command**: a{0}- **id**: evil\n"
    "- **status**: PENDING\n"
)

BYTES = [
    case("0 bytes", b""),
    case("one byte", b"x"),
    case("one line end", b"\n"),
    case("exactly 1 MiB", (GOOD + filled("x" * 63 + "\n")).encode()[:MEBIBYTE], "HB220"),
    case("1 MiB and a byte", "x" * (MEBIBYTE + 1), "HB001"),
    case("3 MiB", "- [ ] a\n" * 400_000, "HB001"),
    case("UTF-16 with BOM", GOOD.encode("utf-16"), "HB002"),
    case("UTF-16 without BOM", GOOD.encode("utf-16-le"), "HB003"),
    case("UTF-32", GOOD.encode("utf-32"), "HB002"),
    case("latin-1", "# Café\n".encode("latin-1"), "HB002"),
    case("half a character at the end", GOOD.encode() + "€".encode()[:2], "HB002"),
    case("a byte cut out of a character", GOOD.encode() + b"\xe2\xac" + b"words\n", "HB002"),
    case("a surrogate in UTF-8", b"\xed\xa0\x80\n", "HB002"),
    case("an overlong slash", b"\xc0\xaf\n", "HB002"),
    case("a NUL", GOOD + "\0", "HB003"),
    case("a million NULs", b"\0" * 1_000_000, "HB003"),
    case("random bytes", bytes((n * 7919 + n // 3) % 256 for n in range(5000)), "HB002"),
    case("gzip", b"\x1f\x8b\x08" + bytes(range(256)), "HB002"),
    case("a BOM twice", "\ufeff\ufeff" + GOOD),
    case("a BOM alone", "\ufeff"),
    case("lone CR", GOOD.replace("\n", "\r")),
    case("mixed line ends", "## Tasks\r- [ ] a | b | run: true\r\n\r- [ ] c | d | run: true\n\r"),
    case("CR CR LF", GOOD.replace("\n", "\r\r\n")),
    *[
        case(f"{name} in every place", EVERYWHERE.format(character), "HB208")
        for name, character in HIDDEN_CHARACTERS.items()
    ],
    case("escape sequences in every place", EVERYWHERE.format(ESCAPES), "HB211", "HB315"),
    case(
        "a heading of escape sequences",
        f"## Taks{ESCAPES}\n### [HIHG{ESCAPES}] a\n- [ ] {ESCAPES} | b\n",
        "HB606",
    ),
    case(
        "keys of escape sequences",
        f"{ACTIONS}### [HI{ESCAPES}] A\n- **i{ESCAPES}d**: a\n- **type**: sh{ESCAPES}\n",
        "HB305",
        "HB303",
    ),
    case(
        "frontmatter of escape sequences",
        f"---\n'a{ESCAPES}': 1\nstatus: i{ESCAPES}\n---\n{GOOD}",
        "HB102",
    ),
]

# -- structure -------------------------------------------------------------------------------------


def blocks(needs: Callable[[int], str], count: int) -> str:
    return ACTIONS + "".join(
        f"### A\n- id: a{n}\n- command: x\n- depends_on: {needs(n)}\n" for n in range(count)
    )


STRUCTURE = [
    case("a fence never closed", TASKS + "```\n- [ ] a | b\n", "HB601"),
    case("a comment never closed", TASKS + "<!-- \n- [ ] a | b\n", "HB602"),
    case("a fence closed by the wrong marks", TASKS + "````\n```\n- [ ] a | b\n~~~~\n", "HB601"),
    case("10,000 nested list marks in a line", "- " * 10_000 + "a\n"),
    case("half a million nested list marks", "- " * (MEBIBYTE // 2)),
    case("lines of 70 nested list marks", filled("- " * 70 + "a\n")),
    case("lines of 70 nested list marks with tabs", filled("-\t" * 70 + "a\n")),
    case("100,000 opening brackets", "[" * 100_000 + "\n"),
    case(
        "a task of 100,000 brackets",
        TASKS + "- [ ] " + "[" * 100_000 + " | b | run: true\n",
        "HB211",
    ),
    case(
        "a fence in a list",
        TASKS + "- a\n\n  ```\n  - [ ] b | c\n  ```\n\n- [ ] d | e | run: true\n",
        "HB208",
    ),
    case("headings in lists", "- ## Tasks\n- # x\n  ## Pending Actions\n", "HB607"),
    case("headings in quotations", "> ## Tasks\n> - [ ] a | b\n"),
    case("1 MiB in one line", "x" * MEBIBYTE),
    case("a task of 1 MiB", TASKS + "- [ ] " + "x" * (MEBIBYTE - 20), "HB208"),
    case("a key of 1 MiB", ACTIONS + "### A\n- " + "x" * (MEBIBYTE - 60) + ": b\n", "HB306"),
    case("a heading of 1 MiB", "## " + "x" * (MEBIBYTE - 10), "HB607"),
    case("a million number signs", "#" * MEBIBYTE),
    case("a million quotation marks", ">" * MEBIBYTE),
    case("a million backticks", "`" * MEBIBYTE, "HB601"),
    case("a million comments opened", filled("<!--"), "HB602"),
    case("a million comments closed", filled("<!---->"), "HB607"),
    case("1 MiB of pipes", TASKS + "- [ ] a" + "|" * (MEBIBYTE - 20), "HB208"),
    case("1 MiB of pipes and words", numbered(lambda n: f"req{n}|", TASKS + "- [ ] "), "HB204"),
    case("1 MiB of escaped pipes", filled("\\|", TASKS + "- [ ] "), "HB202"),
    case("1 MiB of boxes", filled("- [ ] a\n", TASKS), "HB203", "HB208", "HB210"),
    case("1 MiB of boxes without a section", filled("- [ ] a\n"), "HB607"),
    case("1 MiB of tasks with equal ids", filled("- [ ] a | b | run: true\n", TASKS), "HB203"),
    case(
        "1 MiB of misspelt fields",
        numbered(lambda n: f"- [ ] a{n} | b | requird{n}\n", TASKS),
        "HB205",
    ),
    case(
        "1 MiB of actions with equal ids",
        filled("### A\n- id: a\n- command: x\n", ACTIONS),
        "HB302",
    ),
    case(
        "1 MiB of actions without anything",
        numbered(lambda n: f"### Action number {n}\n", ACTIONS),
        "HB301",
        "HB303",
    ),
    case(
        "1 MiB of unknown priorities",
        numbered(lambda n: f"### [HIGG{n}] A\n- id: a{n}\n", ACTIONS),
        "HB305",
    ),
    case(
        "1 MiB of unknown keys",
        numbered(lambda n: f"- statu{n}: x\n", ACTIONS + "### A\n- id: a\n"),
        "HB306",
    ),
    case("1 MiB of one key", filled("- id: a\n", ACTIONS + "### A\n- command: x\n"), "HB306"),
    case(
        "1 MiB of params",
        numbered(lambda n: f"  - p{n}: x\n", ACTIONS + "### A\n- id: a\n- command: x\n- params:\n"),
        "HB308",
    ),
    case("1 MiB of probes", numbered(lambda n: f"- p{n}: x\n", TASKS + "## Probes\n")),
    case("1 MiB of equal probes", filled("- p: x\n", TASKS + "## Probes\n"), "HB702"),
    case("1 MiB of no probes", filled("word\n", TASKS + "## Probes\n"), "HB701"),
    case("1 MiB of headings", numbered(lambda n: f"## Taks{n}\n"), "HB605"),
    case("1 MiB of underlined headings", filled("Tasks\n---\n"), "HB603"),
    case("1 MiB of reviews", filled("## Proactive Review\nLook.\n")),
    case("1 MiB of fences", filled("```\n")),
    case("1 MiB of done lines", filled("- [x] a: OK (10:00:00)\n", TASKS + "## Completed Today\n")),
    case(
        "1 MiB of keys in ever deeper lists",
        numbered(lambda n: " " * (n + 1) + "- a: b\n", ACTIONS + "### A\n- id: a\n- command: x\n"),
        "HB312",
    ),
    case("1 MiB of names to measure", filled("a ", TASKS + "- [ ] a | b | "), "HB208"),
    case("a chain of 10,000 dependencies", blocks(lambda n: f"a{n - 1}" if n else "", 10_000)),
    case(
        "a chain of 10,000 dependencies, backwards",
        blocks(lambda n: f"a{n + 1}" if n < 9_999 else "", 10_000),
    ),
    case(
        "a circle of 10,000 dependencies", blocks(lambda n: f"a{(n + 1) % 10_000}", 10_000), "HB314"
    ),
    case("10,000 actions that depend on themselves", blocks(lambda n: f"a{n}", 10_000), "HB314"),
    case("10,000 dependencies on nothing", blocks(lambda n: f"b{n}", 10_000), "HB311"),
    case(
        "one action with 100,000 dependencies",
        blocks(lambda _: ",".join(f"b{n}" for n in range(100_000)), 1),
        "HB311",
    ),
    case(
        "300 actions that all depend on each other",
        blocks(lambda _: ",".join(f"a{n}" for n in range(300)), 300),
        "HB314",
    ),
    case(
        "a mega-regex bait",
        TASKS
        + "- [ ] a | b | verify: "
        + "a" * 50_000
        + "! | max_attempts: "
        + "9" * 50_000
        + "\n",
        "HB206",
    ),
]

# -- YAML ------------------------------------------------------------------------------------------

ALIAS_BOMB = [
    "a0: &a0 [x]",
    *[f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)],
]
MERGE_BOMB = [
    "a0: &a0 {k: v}",
    *[f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 10)],
]

YAML = [
    case("25 kB of brackets", front("a: " + "[" * 25_000), "HB105"),
    case("25 kB of braces", front("a: " + "{a: " * 6_000), "HB105"),
    case("25 kB of brackets and no key", front("[" * 25_000), "HB102"),
    case("a bomb of aliases", front(*ALIAS_BOMB), "HB104"),
    case("a bomb of merge keys", front(*MERGE_BOMB), "HB104"),
    case("a key twice", front("status: idle", "status: error"), "HB103"),
    case("a Python object", front("a: !!python/object/apply:os.system ['touch evil']"), "HB104"),
    case("a binary tag", front("a: !!binary aGVsbG8="), "HB104"),
    case("an anchor that is not used", front("version: &v 1"), "HB104"),
    case("nine levels", front("a:", *[" " * n + "a:" for n in range(1, 10)]), "HB105"),
    case("3,000 values", front("a: [" + "1, " * 3_000 + "]"), "HB105"),
    case(
        "60 kB of keys", numbered(lambda n: f"k{n}: v\n", "---\n", 60_000) + "---\n" + GOOD, "HB105"
    ),
    case(
        "1 MiB of frontmatter", filled("a: b\n", "---\n", MEBIBYTE - 200) + "---\n" + GOOD, "HB105"
    ),
    case(
        "1 MiB of broken frontmatter",
        filled("a: [\n", "---\n", MEBIBYTE - 200) + "---\n" + GOOD,
        "HB105",
    ),
    case("2,000 broken lines", front(*[f"a{n}: b: c" for n in range(1_900)]), "HB102"),
    case("a time that is not a number", front("active: 22:00"), "HB108"),
    case(
        "words that other readers take for booleans", front("on: no", "yes: off", "y: n"), "HB106"
    ),
    case("huge numbers", front("error_count: " + "9" * 30, "version: 1e400"), "HB107"),
    case("a number of 50,000 digits", front("error_count: " + "9" * 50_000), "HB107"),
    case("two documents", "---\nstatus: idle\n---\na: 1\n---\nb: 2\n"),
    case("a document end inside", front("status: idle", "...", "error_count: 1"), "HB102"),
    case("a directive", front("%YAML 1.1", "status: idle"), "HB102"),
    case("tabs", front("status: idle", "\terror_count: 1"), "HB102"),
    case("a list", front("- a", "- b"), "HB102"),
    case("a key that is a list", front("? [a, b]", ": c"), "HB102"),
    case("a bell as a key", front("\x07: 1"), "HB102"),
    case("never closed", "---\nstatus: idle\n" + GOOD, "HB101"),
    case("a thousand dashes", "---\n" * 1_000),
    case("a zone that climbs", front("timezone: ../../../etc/passwd"), "HB108"),
    case("a zone of 10 kB", front("timezone: " + "A" * 10_000), "HB108"),
    prompt_case(
        "a prompt with two gates",
        "---\ntitle: A\ngate: {command: a}\ngate: {command: b}\n---\nx\n",
        "HB103",
    ),
    prompt_case(
        "a prompt with a gate that never closes",
        "---\ntitle: A\ngate: {command: [\n---\nx\n",
        "HB102",
    ),
    prompt_case(
        "a prompt with a bomb", "\n".join(["---", "title: A", *ALIAS_BOMB, "---", "x"]), "HB104"
    ),
    prompt_case(
        "a prompt with a gate for ever",
        "---\ntitle: A\ngate: {command: a, timeout: 999999999999999}\n---\nx\n",
        "HB507",
    ),
    prompt_case(
        "a prompt with a thousand unknown tags",
        "---\ntitle: A\ngate:\n  command: a\n  permissions: [" + "'@x', " * 1_000 + "]\n---\nx\n",
        "HB507",
    ),
    prompt_case("a prompt with an escaping title", '---\ntitle: "a\\x1b[31mb\\u202ec"\n---\nx\n'),
    prompt_case("a prompt of 1 MiB", filled("x\n", "---\ntitle: A\n---\n")),
]

# -- ids and values --------------------------------------------------------------------------------


def task(identifier: str) -> str:
    return f"{TASKS}- [ ] {identifier} | Do it | run: true\n"


IDS = [
    case("an empty id", task(""), "HB202"),
    case("an id of 10 kB", task("x" * 10_000), "HB211"),
    case("an id that climbs", task("../../etc/passwd")),
    case("an id of control characters", task("\x01\x02\x1f\x7f"), "HB202"),
    case("an id that turns the direction", task("a\u202e\u2066b"), "HB211"),
    case("an id with zero width", task("a\u200b\u200d\ufeffb"), "HB211"),
    case(
        "an id of tag characters",
        task("a" + "".join(chr(0xE0000 + ord(character)) for character in "evil")),
        "HB211",
    ),
    case("an id of private characters", task("\ue000\U0010fffd"), "HB202"),
    case("an emoji as an id", task("🎉")),
    case("emoji alone", TASKS + "- [ ] 🎉🎉 🎉\n", "HB202"),
    case("SQL as an id", task("'; DROP TABLE occurrence; --")),
    case("HTML as an id", task("<script>alert(1)</script>")),
    case("an escape sequence as an id", task("\x1b]0;owned\x07\x1b[2J"), "HB211"),
    case("shell as an id", task("$(touch evil)`touch evil`")),
    case("a template as an id", task("{{secret}} %s {0}")),
    case("combining marks", task("a" + "\u0301" * 5_000), "HB211"),
    case("an id that grows in lower case", task("İ" * 64), "HB211"),
    case("equal ids in two scripts", TASKS + "- [ ] а | x | run: true\n- [ ] a | y | run: true\n"),
    case("an action id of 10 kB", f"{ACTIONS}### A\n- id: {'x' * 10_000}\n- command: x\n", "HB315"),
    case(
        "an action that depends on its own shadow",
        f"{ACTIONS}### A\n- id: a\n- command: x\n- depends_on: A, a ,[a]\n",
        "HB314",
    ),
    case(
        "a schedule of 10 kB",
        f"{TASKS}- [ ] a | b | run: true | schedule: {'daily:' * 2_000}\n",
        "HB401",
    ),
    case(
        "a cron that never comes",
        f"{TASKS}- [ ] a | b | run: true | schedule: cron:'0 0 30 2 *'\n",
        "HB401",
    ),
    case(
        "a duration of 10,000 digits",
        f"{ACTIONS}### A\n- id: a\n- command: x\n- timeout: {'9' * 10_000}s\n",
        "HB403",
    ),
    case(
        "retries without end",
        f"{ACTIONS}### A\n- id: a\n- command: x\n- retry: {'9' * 10_000}\n",
        "HB307",
    ),
]

CASES = [*FILES, *BYTES, *STRUCTURE, *YAML, *IDS]
