"""How the workspace is doing, without reading its files."""

from core.engine.running import running_now
from core.engine.status import status_now
from core.model.errors import HeartbeatError
from core.model.holder import OWNER_FILE
from core.model.light_dataclass import replace
from core.model.settings import AUTO
from core.model.status import ModelInUse, Need, Status
from core.model.trouble import TroubleKind
from core.services import Services
from core.usecases.workspaces import local_now, settings_trouble, shows_level

KEY_ENDING = "_API_KEY"  # of every variable with a provider's key


def current_status(services: Services) -> Status:
    is_watched = services.resident_lock.holder() is not None
    found = status_now(
        services.root,
        services.ledger,
        running_now(services),
        local_now(services),
        resident=is_watched,
    )

    found = replace(
        found,
        model=_with_key(services, found.model),
        moved_from=services.identity.untold_move(),
    )
    if not is_watched:  # else the resident has seen every change of the file
        found = replace(found, needs=_without_what_is_mended(services, found.needs))
    if not shows_level(services):
        found = replace(found, score=replace(found.score, level=None))

    other = run_by(services)
    return replace(found, run_by=other, next_beat=None) if other is not None else found


def _with_key(services: Services, model: ModelInUse) -> ModelInUse:
    """The model with where its key comes from. The keyring is not asked: the names of its keys are
    listed. Before the first question it is the provider that a variable sets up."""
    if settings_trouble(services):  # which provider is wanted is not known
        return model

    stored = services.key_names.all()
    wanted = services.settings.agent.provider
    if wanted not in (AUTO, model.provider):  # another one is asked next
        model = replace(model, problem=None)

    if not any(name.endswith(KEY_ENDING) for name in services.environment):
        return replace(model, key_from="keyring") if model.provider in stored else model

    from core.rules.providers import key_variables  # imported here: it brings every provider

    named = {
        name: variable
        for name, variable in key_variables().items()
        if name in (model.provider, wanted) or (model.provider is None and wanted == AUTO)
    }
    if any(name in stored for name in named):
        return replace(model, key_from="keyring" if model.provider in stored else None)

    for name, variable in named.items():
        if services.environment.get(variable):
            return replace(model, provider=model.provider or name, key_from=variable)

    return model


def _without_what_is_mended(services: Services, needs: tuple[Need, ...]) -> tuple[Need, ...]:
    """The needs without those about a file that can be read by now. It is read only where there is
    one."""
    kinds = {need.trouble.kind for need in needs}
    if kinds.isdisjoint((TroubleKind.REFUSED, TroubleKind.FILE_ERRORS)):
        return needs

    from core.usecases import reading  # imported here: it brings all that reads the file

    is_mended = TroubleKind.REFUSED in kinds and reading.refusal(services) is None
    has_no_errors = (
        TroubleKind.FILE_ERRORS in kinds and not reading.read_workspace(services).has_errors
    )
    mended = {TroubleKind.REFUSED} if is_mended else set()
    mended |= {TroubleKind.FILE_ERRORS} if has_no_errors else set()

    return tuple(need for need in needs if need.trouble.kind not in mended)


def run_by(services: Services) -> str | None:
    """The name of the other machine that runs this shared workspace; None if it is this one,
    or none."""
    if not (services.root / OWNER_FILE).exists():
        return None

    try:
        owner = services.owner_file.read()
    except HeartbeatError:  # the resident says so when it starts here
        return None

    is_other = owner and owner.machine.id != services.machine_id
    return owner.machine.name if owner and is_other else None


def approvals_noted(services: Services) -> int:
    """How many wait for the person, due or not, as the last plan noted it."""
    note = services.ledger.plan.note()
    return note.approvals_waiting if note else 0
