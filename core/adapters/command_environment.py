"""Which variables a command sees: a short list of harmless ones. A new variable is left out until it is listed here.

So no key (ANTHROPIC_API_KEY, …_TOKEN) gets out, and nothing that leads to the keyring or to an agent
(DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, SSH_AUTH_SOCK).
"""

import sys
from collections.abc import Mapping

ON_POSIX = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR"})
ON_WINDOWS = frozenset(
    {"ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)", "COMPUTERNAME", "COMSPEC"}
    | {"HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT"}
    | {"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PUBLIC", "SYSTEMDRIVE"}
    | {"SYSTEMROOT", "TEMP", "TMP", "TZ", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR"}
)
PASSED = ON_WINDOWS if sys.platform == "win32" else ON_POSIX


def command_environment(ours: Mapping[str, str], brought: Mapping[str, str]) -> dict[str, str]:
    passed = {name: value for name, value in ours.items() if name in PASSED or name.startswith("LC_")}
    return passed | dict(brought)
