"""The frontmatter of a prompt file as a model: docs/schemas/prompt-frontmatter.json is made of it,
for editors. The reader in prompts.py reports more than a schema can say, and a test compares both.

Law: nothing that reads a file imports this; pydantic takes too long.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from core.model.document import RunIf
from core.model.tags import TAGS
from core.rules.settings.tables import setting
from core.rules.settings.values import ANY_CHARACTER, DURATION, SOMETHING_VISIBLE

Text = Annotated[str, Field(pattern=SOMETHING_VISIBLE)]
Scalar = str | int | float | bool | None


def _tag_pattern() -> str:
    names = (
        f"{tag.name}{ANY_CHARACTER}*" if tag.names_a_folder else tag.name
        for tag in TAGS
        if tag.gate_may_ask
    )
    return f"^({'|'.join(names)})$"


Tag = Annotated[str, Field(pattern=_tag_pattern())]


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GateKeys(_Keys):
    """A command that runs first, in a sandbox, and decides whether the prompt is asked."""

    command: Text = Field(description="What a shell runs.")
    cwd: str | None = Field(None, description="The folder to run in. Without it: the workspace.")
    timeout: (
        Annotated[float, Field(ge=0.1, le=300)]
        | Annotated[str, Field(pattern=f"^{DURATION}$")]
        | None
    ) = Field(30, description="Seconds, or a duration such as `30s`; from 0.1 s to 300 s.")
    env: dict[str, Scalar] | None = Field(None, description="Variables for the command.")
    permissions: Tag | list[Tag] | None = Field(None, description="The tags that it needs.")
    allowedDomains: str | list[str] | None = Field(  # noqa: N815 - as it is written in the file
        None, description="The hosts that it may reach."
    )


class PromptFrontmatter(_Keys):
    """The frontmatter of `heartbeat/ID.md`; the prompt is the text below it."""

    title: Text = Field(description="What it is, for people.")
    gate: GateKeys = setting(None, "Without it, the prompt is always asked.")
    schedule: Scalar = Field(None, description="When it is due. Without it: at every tick.")
    run_if: RunIf = Field(RunIf.SUCCESS, description="Which ends of the gate let the prompt in.")
