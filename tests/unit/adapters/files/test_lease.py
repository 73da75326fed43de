"""Where no lease can be had: on file systems of other machines."""

import os

from core.adapters.files.lease import is_remote


def test_network_file_systems_are_recognized_by_their_mounts() -> None:
    mounts = (
        "36 25 0:31 / /home rw - nfs4 server:/home rw\n37 25 8:1 / / rw shared:1 - ext4 "
        "/dev/sda1 rw\n"
    )
    assert is_remote(os.makedev(0, 31), mounts)
    assert not is_remote(os.makedev(8, 1), mounts)
    assert not is_remote(os.makedev(9, 9), mounts)
