"""All that a process starts, as Windows keeps account of it: a job object."""

import ctypes
import sys
from typing import Any

PROCESS_TERMINATE = 0x0001
PROCESS_SET_QUOTA = 0x0100


class Job:
    """Begins with the process: what that starts belongs to the job too, also when its parent has gone."""

    def __init__(self, pid: int) -> None:
        self._kernel = kernel = load_kernel()
        self._job = kernel.CreateJobObjectW(None, None)
        process = kernel.OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, False, pid)
        if process:  # else it has ended already
            kernel.AssignProcessToJobObject(self._job, process)
            kernel.CloseHandle(process)

    def kill(self) -> None:
        self._kernel.TerminateJobObject(self._job, 1)

    def close(self) -> None:
        """Those in it go on."""
        self._kernel.CloseHandle(self._job)


def load_kernel() -> Any:
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        handle, number = ctypes.c_void_p, ctypes.c_uint
        kernel.CreateJobObjectW.restype = handle
        kernel.CreateJobObjectW.argtypes = [handle, handle]
        kernel.OpenProcess.restype = handle
        kernel.OpenProcess.argtypes = [number, number, number]
        kernel.AssignProcessToJobObject.argtypes = [handle, handle]
        kernel.TerminateJobObject.argtypes = [handle, number]
        kernel.CloseHandle.argtypes = [handle]
        return kernel
    raise OSError("only Windows has job objects")  # asked for on Windows alone; elsewhere process groups do it
