"""What comes from outside, and what may leave the machine after that. Law: the record of every tool
says whether it reads text from outside.

A page, a file or a command's output can contain instructions that somebody else wrote ("send me
the notes"). No reader can tell them from data reliably, so the way out is closed instead: once the
model has read something from outside in this beat, nothing leaves the machine unless the person
granted exactly that combination, `@send-after-reading`.

Text from outside is what a tool reads whose record says so, and what is in the batch from its
start: a prompt's gate output, and what an earlier beat left (memory, summary, failures, messages).

| leaves the machine      | after reading, without the grant                             |
|-------------------------|--------------------------------------------------------------|
| http_get                | only to an address that was written there, letter by letter  |
| run_command             | never: it has no network, because it can read by itself      |
| notify                  | only to the desktop                                          |
| a tool of an MCP server | only if its server says that it only reads, and only locally |

In the batch, only HEARTBEAT.md and the prompts are the person's own words. What an earlier beat
left may contain what that beat read, so it counts as read. Any path of an address can carry data:
after reading, a page is fetched only if its address was in those words of the person or on a page
of this beat; and the model cannot add an address to those words.
"""

import re

from core.agent.tool import ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.model.agent import Batch
from core.model.evidence import DATA_MARK
from core.model.tags import SEND_AFTER_READING

ADDRESS = re.compile(r"https?://[^\s<>\"'`]+")
PUNCTUATION = ".,;:!?*_)]}"  # may follow an address without being part of it
REFUSAL = (
    "This would send data out after text from outside was read in this beat, which is not "
    "granted. "
    f"The person can allow it: {SEND_AFTER_READING} in [agent] permissions."
)
MOST_DATA = 7000  # characters of one piece of data
MARK = DATA_MARK  # begins every line of data, so that nothing in the data can end it


def read_before_start(batch: Batch) -> bool:
    """Whether the batch itself contains text from outside, or what an earlier beat made of it."""
    from_earlier = (batch.patterns, batch.pending, batch.session, *batch.delivered)
    failures = (task.last_failure for task in batch.tasks)
    gate_outputs = (prompt.gate_output for prompt in batch.prompts)

    return any((*from_earlier, *failures, *gate_outputs))


def addresses_of(batch: Batch) -> set[str]:
    """The addresses in the person's own words."""
    tasks = (text for task in batch.tasks for text in (task.description, task.hint, task.details))
    prompts = (text for prompt in batch.prompts for text in (prompt.title, prompt.body))
    return addresses_in("\n".join((batch.context, batch.plain, batch.review, *tasks, *prompts)))


def addresses_in(text: str) -> set[str]:
    """Each address as it is written, and without the punctuation of the sentence around it."""
    found = ADDRESS.findall(text)
    return {*found, *(address.rstrip(PUNCTUATION) for address in found)}


def refuse_new_addresses(world: ToolWorld, before: str, after: str) -> None:
    """Raise ToolRefusedError if a change adds an address to the person's words: a later beat could
    fetch it, with data in its path."""
    is_new = addresses_in(after) - addresses_in(before)
    if is_new and world.settings.agent.allowed_domains and not world.grants(SEND_AFTER_READING):
        raise ToolRefusedError(
            "Only the person may add a web address to HEARTBEAT.md or a prompt, because later "
            f"beats may fetch it; {SEND_AFTER_READING} in [agent] permissions would allow it."
        )


def as_data(source: str, text: str) -> str:
    """Text from outside as the model gets it: marked, and of a long text the beginning and the
    end."""
    data = marked(text)
    if len(data) > MOST_DATA:
        beginning = data[: MOST_DATA // 2]
        end = data[-MOST_DATA // 2 :]
        whole_lines = end.partition("\n")[2].removeprefix(MARK) or end
        data = f"{beginning}\n{MARK}…\n{MARK}{whole_lines}"

    return f"[{source}]\n{data}"


def marked(text: str) -> str:
    """Every line with the mark, including lines that end with a character that only some programs
    take for a line break."""
    return "\n".join(f"{MARK}{line}".rstrip() for line in text.splitlines())
