"""Where the key of the model comes from, without asking the keyring."""

from core.rules.providers import key_variables
from core.usecases.status import KEY_ENDING


def test_every_variable_with_a_key_is_looked_for() -> None:
    """Without one of this ending in the environment, no provider is loaded to ask for its own."""
    assert key_variables()
    assert all(variable.endswith(KEY_ENDING) for variable in key_variables().values())
