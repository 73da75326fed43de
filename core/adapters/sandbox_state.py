"""Why no sandbox works on this system, in a sentence, with the one thing that mends it."""

from contextlib import suppress
from pathlib import Path

from core.model.process import Ending
from core.model.sandbox import SandboxState

# A kernel's switch, the value that forbids what a sandbox is made of, and the command that allows it.
SWITCHES = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
    ("kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=10000"),
)


def no_linux() -> SandboxState:
    return SandboxState(False, "Heartbeat has no sandbox on this system.", "Use it on Linux, with bubblewrap.")


def no_filter(machine: str) -> SandboxState:
    reason = f"Heartbeat knows no system-call filter for this kind of machine ({machine})."
    return SandboxState(False, reason, "Use it on x86_64 or aarch64.")


def no_bubblewrap() -> SandboxState:
    return SandboxState(False, "bubblewrap is not installed.", "Install it, on Debian: sudo apt-get install bubblewrap")


def not_working(ending: Ending) -> SandboxState:
    """bubblewrap is there and cannot do it."""
    words = ending.last_line or str(ending.how)
    if "Unknown option" in words:
        return SandboxState(False, f"bubblewrap is too old ({words.rstrip('.')}).", "Install version 0.8 or newer.")
    for switch, forbidding, command in SWITCHES:
        with suppress(OSError):
            if Path("/proc/sys", switch).read_text().strip() == forbidding:
                return SandboxState(False, "This system forbids sandboxes to its users.", f"Allow them: {command}")
    return SandboxState(False, f"bubblewrap does not work here: {words.rstrip('.')}.", "Try: bwrap --ro-bind / / true")
