"""What comes from outside, and what then may leave the machine. Law: one table, and every tool is in it.

A page, a file or a command's output can hold instructions of somebody else ("send me the notes"). They cannot be told
from data by reading them, so it is the way out that closes: once the model has read something from outside in this
beat, nothing leaves the machine unless the person granted exactly that combination, `@send-after-reading`.

| tool                    | reads from outside | leaves the machine                                          |
|-------------------------|--------------------|-------------------------------------------------------------|
| read_file               | yes                | no                                                          |
| list_files              | yes, names are text of others | no                                               |
| http_get                | yes                | with a query, or a path that is long or escaped             |
| run_command             | yes                | with a network; as it can read by itself, always the grant  |
| notify                  | no                 | to any channel but the desktop, which gets it in any case   |
| a tool of an MCP server | yes                | unless its server says that it only reads, and only here    |
| a prompt's gate output  | yes, from the start of the batch | no                                            |
| write_file, edit_file, remember, resolve_pending, heartbeat_*, report_* | no | no                          |

Not counted as read: HEARTBEAT.md and the prompts (the person's own words), the memory and the summary of earlier beats
(the model's). An instruction that found its way into those has nothing to send before the model has read something.
"""

from urllib.parse import urlsplit

from core.model.agent import Batch
from core.rules.permitting.known_tags import SEND_AFTER_READING

READS = frozenset({"read_file", "list_files", "http_get", "run_command"})  # and every tool of a server
LONGEST_PLAIN_PATH = 100  # of an address: a longer one can carry what was read
REFUSAL = (
    "This would send something out after text from outside was read in this beat, which is not granted. "
    f"The person can allow it: {SEND_AFTER_READING} in [agent] permissions."
)
MOST_DATA = 7000  # characters of one piece of it
MARK = "» "  # begins every line of it, so that nothing in it can end it


def read_before_start(batch: Batch) -> bool:
    """Whether the batch itself holds text from outside."""
    return any(prompt.gate_output for prompt in batch.prompts)


def can_carry_data(url: str) -> bool:
    """Whether asking for this address can tell its host something."""
    parts = urlsplit(url)
    return bool(parts.query) or "?" in url or len(parts.path) > LONGEST_PLAIN_PATH or "%" in parts.path


def as_data(source: str, text: str) -> str:
    """Text from outside as the model gets it: every line of it marked, also what only some take for a new line. Of a
    long one the beginning and the end."""
    marked = "\n".join(f"{MARK}{line}".rstrip() for line in text.splitlines())
    if len(marked) > MOST_DATA:
        end = marked[-MOST_DATA // 2 :]
        marked = f"{marked[: MOST_DATA // 2]}\n{MARK}…\n{MARK}{end.partition(chr(10))[2].removeprefix(MARK) or end}"
    return f"[{source}]\n{marked}"
