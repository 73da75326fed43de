"""Hypothesis strategies: HEARTBEAT.md files as people and accidents write them."""

from hypothesis import strategies as st

WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz äöü0123456789|:-_[]()`*#<>!\\\"'", max_size=25)
IDENTIFIERS = st.sampled_from(
    ["mail", "backup", "api-check", "Weather Brief", "x", "mail", "ünïcode", ""]
)
FIELDS = st.sampled_from(
    [
        "required",
        "optional",
        "OPTIONAL",
        "verify: file:a fresh<1d",
        "max_attempts: 5",
        "max_attempts: 0",
        "run: true",
    ]
    + [
        "schedule: every:5m",
        "schedule: sometimes",
        "email_count > 0",
        "max_attemps: 3",
        "",
        "a \\| b",
    ]
)
TASK_LINES = st.builds(
    lambda marker, box, name, words, fields: (
        f"{marker} [{box}] " + " | ".join([name, words, *fields])
    ),
    st.sampled_from(["-", "*", "+", "  -", "    -"]),
    st.sampled_from([" ", "x", "X", "y", ""]),
    IDENTIFIERS,
    WORDS,
    st.lists(FIELDS, max_size=4),
)
KEYS = st.sampled_from(
    [
        "id",
        "type",
        "status",
        "schedule",
        "retry",
        "timeout",
        "depends_on",
        "condition",
        "params",
        "command",
        "url",
    ]
    + [
        "path",
        "operation",
        "message",
        "result",
        "completed_at",
        "error",
        "headers",
        "comand",
        "sandbox",
    ]
)
VALUES = st.one_of(
    st.sampled_from(
        [
            "PENDING",
            "FAILED",
            "shell",
            "http",
            "file",
            "notify",
            "every:5m",
            "5m",
            "3",
            "mail",
            "",
            "true",
        ]
    ),
    WORDS,
)
FIELD_LINES = st.builds(
    lambda form, key, value: form.format(key=key, value=value),
    st.sampled_from(
        [
            "- **{key}**: {value}",
            "- {key}: {value}",
            "- **{key}:** {value}",
            "  - {key}: {value}",
            "* {key}:",
        ]
    ),
    KEYS,
    VALUES,
)
HEADINGS = st.sampled_from(
    [
        "# Heartbeat",
        "## Tasks",
        "## tasks ##",
        "## Pending Actions",
        "## Completed Today",
        "## Probes",
        "## Notes",
    ]
    + [
        "## Proactive Review",
        "### [HIGH] Check",
        "### [CRITICAL] Backup",
        "### Plain name",
        "### [NOPE] x",
        "#### deep",
    ]
)
OTHER_LINES = st.one_of(
    st.sampled_from(
        [
            "",
            "",
            "```",
            "~~~",
            "<!-- note -->",
            "<!--",
            "-->",
            "---",
            "> quoted",
            "- count: ls | wc -l",
            "Some words.",
        ]
        + ["- [x] mail: OK (10:00:00)", "    code", "\tcode", "===", "\u2028", "\x0b", "\ufeff"]
    ),
    WORDS,
)
FRONT_LINES = st.sampled_from(
    [
        "version: 1",
        "status: idle",
        "status: idle  # now",
        "last_wake: 2024-01-15T10:30:00Z",
        "last_error: null",
        "mine: 'x'",
    ]
    + [
        "timezone: Europe/Berlin",
        "error_count: 0",
        "active: 09:00-18:00",
        "# remark",
        "last_error:",
        "tags: [a, b]",
        "bad: [",
    ]
)
FRONT: st.SearchStrategy[list[str]] = st.one_of(
    st.just([]),
    st.lists(FRONT_LINES, max_size=6, unique=True).map(lambda lines: ["---", *lines, "---"]),
    st.just(["---"]),
)
BODY_LINES = st.one_of(TASK_LINES, FIELD_LINES, FIELD_LINES, HEADINGS, OTHER_LINES)
BLOCKS = st.builds(
    lambda name, lines: [f"### [HIGH] {name}", f"- **id**: {name}", *lines],
    st.sampled_from("abcd"),
    st.lists(FIELD_LINES, max_size=4),
)
SECTIONS = st.one_of(
    st.lists(BODY_LINES, max_size=6),
    st.lists(TASK_LINES, max_size=4).map(lambda lines: ["## Tasks", "", *lines, ""]),
    st.lists(BLOCKS, max_size=3).map(
        lambda blocks: ["## Pending Actions", "", *[line for block in blocks for line in block]]
    ),
)
TEXTS = st.builds(
    lambda bom, front, sections, end, last: (
        bom
        + end.join([*front, *[line for section in sections for line in section]])
        + (end if last else "")
    ),
    st.sampled_from(["", "", "\ufeff"]),
    FRONT,
    st.lists(SECTIONS, max_size=5),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
    st.booleans(),
)
FILES_WITH_ACTIONS = st.builds(
    lambda front, before, blocks, after, end: (
        end.join(
            [
                *front,
                *before,
                "## Pending Actions",
                "",
                *[line for block in blocks for line in block],
                *after,
                "",
            ]
        )
    ).encode("utf-8"),
    FRONT,
    SECTIONS.filter(
        lambda lines: not any(mark in line for line in lines for mark in ("```", "~~~", "<!--"))
    ),
    st.lists(BLOCKS, min_size=1, max_size=3),
    SECTIONS,
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
)
FILES_WITH_FRONTMATTER = st.builds(
    lambda bom, front, body, end: (bom + end.join(["---", *front, "---", *body, ""])).encode(
        "utf-8"
    ),
    st.sampled_from(["", "\ufeff"]),
    st.lists(
        FRONT_LINES.filter(lambda line: line != "bad: ["),
        max_size=6,
        unique_by=lambda line: line.split(":")[0],
    ),
    SECTIONS,
    st.sampled_from(["\n", "\r\n", "\r"]),
)
FILES = TEXTS.map(lambda text: text.encode("utf-8"))
