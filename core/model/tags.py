"""The permission tags that there are. A new one is a line in the table, with all that is special
about it; what a tag allows is in core/rules/approving/tags.py."""

from core.model.light_dataclass import light_dataclass

NETWORK = "@network"
WORKSPACE = "@workspace"
READ = "@read:"
WRITE = "@write:"
SHELL = "@shell"
NOTIFY = "@notify"
MEMORY = "@memory"
HEARTBEAT = "@heartbeat"
# What the model read may leave the machine: core/agent/taint.py.
SEND_AFTER_READING = "@send-after-reading"


@light_dataclass(frozen=True, slots=True)
class Tag:
    name: str
    names_a_folder: bool  # the folder is written after the name
    gate_may_ask: bool  # False: only the person writes it, as a grant
    model_has_it: bool  # where the person's settings say nothing else

    @property
    def listed(self) -> str:
        """As a person is shown it."""
        return f"{self.name}DIR" if self.names_a_folder else self.name


TAGS = (
    Tag(NETWORK, names_a_folder=False, gate_may_ask=True, model_has_it=False),
    Tag(WORKSPACE, names_a_folder=False, gate_may_ask=True, model_has_it=True),
    Tag(READ, names_a_folder=True, gate_may_ask=True, model_has_it=False),
    Tag(WRITE, names_a_folder=True, gate_may_ask=True, model_has_it=False),
    Tag(SHELL, names_a_folder=False, gate_may_ask=True, model_has_it=False),
    Tag(NOTIFY, names_a_folder=False, gate_may_ask=True, model_has_it=True),
    Tag(MEMORY, names_a_folder=False, gate_may_ask=True, model_has_it=True),
    Tag(HEARTBEAT, names_a_folder=False, gate_may_ask=True, model_has_it=False),
    # It is about what a model has read, and a gate runs before the model reads anything.
    Tag(SEND_AFTER_READING, names_a_folder=False, gate_may_ask=False, model_has_it=False),
)
GIVEN_TO_THE_MODEL = tuple(tag.name for tag in TAGS if tag.model_has_it)
