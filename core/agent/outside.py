"""What comes from outside, and what then may leave the machine. Law: one table, and every tool is in it.

A page, a file or a command's output can hold instructions of somebody else ("send me the notes"). They cannot be told
from data by reading them, so it is the way out that closes: once the model has read something from outside in this
beat, nothing leaves the machine unless the person granted exactly that combination, `@send-after-reading`.

| tool                    | reads from outside | leaves the machine                                          |
|-------------------------|--------------------|-------------------------------------------------------------|
| read_file               | yes                | no                                                          |
| list_files              | yes, names are text of others | no                                               |
| http_get                | yes                | but for an address that stood there, letter for letter      |
| run_command             | yes                | with a network; as it can read by itself, always the grant  |
| notify                  | no                 | to any channel but the desktop, which gets it in any case   |
| a tool of an MCP server | yes                | unless its server says that it only reads, and only here    |
| a prompt's gate output  | yes, from the start of the batch | no                                            |
| what an earlier beat left: memory, summary, failures, messages | yes, from the start | no                  |
| write_file, edit_file, remember, resolve_pending, heartbeat_*, report_* | no | no                          |

Of the batch only HEARTBEAT.md and the prompts are the person's own words. What an earlier beat left may hold what that
one read, so it counts as read. Any path of an address can carry data: after reading, a page is asked for only where its
address stood in those words of the person, or on a page of this beat; and the model adds no address to them.
"""

import re

from core.agent.built_in import RefusedError
from core.agent.ground import Ground
from core.model.agent import Batch
from core.rules.permitting.known_tags import SEND_AFTER_READING

READS = frozenset({"read_file", "list_files", "http_get", "run_command"})  # and every tool of a server
ADDRESS = re.compile(r"https?://[^\s<>\"'`]+")
AROUND = ".,;:!?*_)]}"  # what the text around an address may have put at its end
REFUSAL = (
    "This would send something out after text from outside was read in this beat, which is not granted. "
    f"The person can allow it: {SEND_AFTER_READING} in [agent] permissions."
)
MOST_DATA = 7000  # characters of one piece of it
MARK = "» "  # begins every line of it, so that nothing in it can end it


def read_before_start(batch: Batch) -> bool:
    """Whether the batch itself holds text from outside, or what an earlier beat made of it."""
    from_earlier = (batch.patterns, batch.pending, batch.session, *batch.delivered)
    failures = (task.last_failure for task in batch.tasks)
    return any((*from_earlier, *failures, *(prompt.gate_output for prompt in batch.prompts)))


def addresses_of(batch: Batch) -> set[str]:
    """Those that stand in the person's own words."""
    tasks = (text for task in batch.tasks for text in (task.description, task.hint))
    prompts = (text for prompt in batch.prompts for text in (prompt.title, prompt.body))
    return addresses_in("\n".join((batch.context, batch.plain, batch.review, *tasks, *prompts)))


def addresses_in(text: str) -> set[str]:
    """Each as it stands there, and without what may belong to the sentence around it."""
    found = ADDRESS.findall(text)
    return {*found, *(address.rstrip(AROUND) for address in found)}


def refuse_new_addresses(ground: Ground, before: str, after: str) -> None:
    """An address that the model puts among the person's words could be asked for in a later beat, whatever it says."""
    is_new = addresses_in(after) - addresses_in(before)
    if is_new and ground.settings.agent.allowed_domains and not ground.grants(SEND_AFTER_READING):
        raise RefusedError(
            "Only the person adds a web address to HEARTBEAT.md or a prompt, as later beats may ask for it; "
            f"{SEND_AFTER_READING} in [agent] permissions would allow it."
        )


def as_data(source: str, text: str) -> str:
    """Text from outside as the model gets it: every line of it marked, also what only some take for a new line. Of a
    long one the beginning and the end."""
    marked = "\n".join(f"{MARK}{line}".rstrip() for line in text.splitlines())
    if len(marked) > MOST_DATA:
        end = marked[-MOST_DATA // 2 :]
        marked = f"{marked[: MOST_DATA // 2]}\n{MARK}…\n{MARK}{end.partition(chr(10))[2].removeprefix(MARK) or end}"
    return f"[{source}]\n{marked}"
