"""What in the documentation is made from the source: `python -m tests.made_pages` writes it, and a
test says where it is no longer what the source says.

These are the table of the settings in docs/spec.md, and the JSON Schemas in docs/schemas.
"""

import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel

from core.rules.reading.prompt_frontmatter import PromptFrontmatter
from core.rules.reporting.progress_file import ProgressFile
from core.rules.settings.tables import ConfigFile, WorkspaceFile, full_schema_of, plain_settings
from core.rules.timing.durations import duration_text
from tray_app.cli.answers import ANSWERS

ROOT = Path(__file__).parents[1]
SPEC = ROOT / "docs" / "spec.md"
SCHEMAS = ROOT / "docs" / "schemas"
FIRST = "<!-- made by tests/made_pages.py -->\n"
LAST = "<!-- end of what is made -->\n"


def settings_table() -> str:
    lines = ["| key | default | means |", "|---|---|---|"]
    for name, field in plain_settings():
        lines.append(f"| `{name}` | {_default(field.default)} | {field.description} |")

    return "\n".join(lines)


def _default(value: object) -> str:
    """As config.toml would have it; nothing where a key has none."""
    if value is None:
        return ""

    text = duration_text(value) if isinstance(value, timedelta) else value
    return f"`{json.dumps(text)}`"


def spec_with_settings(spec: str) -> str:
    before, _, rest = spec.partition(FIRST)
    _, found, after = rest.partition(LAST)
    assert found, f"{SPEC.name} has no lines {FIRST.strip()} and {LAST.strip()}"
    return f"{before}{FIRST}\n{settings_table()}\n\n{LAST}{after}"


def pages() -> Iterator[tuple[Path, str]]:
    """Every page that is made, with what it should hold."""
    yield SPEC, spec_with_settings(SPEC.read_text(encoding="utf-8"))

    models: dict[Path, type[BaseModel]] = {
        SCHEMAS / "settings.json": ConfigFile,
        SCHEMAS / "workspace-settings.json": WorkspaceFile,
        SCHEMAS / "prompt-frontmatter.json": PromptFrontmatter,
        SCHEMAS / "progress.json": ProgressFile,
        **{schema_file(name): model for name, model in ANSWERS.items()},
    }
    for path, model in models.items():
        yield path, json.dumps(full_schema_of(model), indent=2, ensure_ascii=False) + "\n"


def schema_file(answer: str) -> Path:
    """Of the answer to these words: `check --explain` is in check-explain.json."""
    return SCHEMAS / "answers" / f"{'-'.join(answer.replace('--', '').split())}.json"


def stale() -> list[Path]:
    """The pages that are not what the source says, and schemas of what is no longer there."""
    made = dict(pages())
    differing = [
        path
        for path, text in made.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    left_over = [path for path in SCHEMAS.rglob("*.json") if path not in made]
    return differing + left_over


def main() -> int:
    made = dict(pages())
    for path in stale():
        if path in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()

        print(path.relative_to(ROOT))

    return 0


if __name__ == "__main__":
    sys.exit(main())
