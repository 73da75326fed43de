"""Attacks on files outside of the workspace, directly and through links."""

import os
from collections.abc import Iterator
from pathlib import Path

from core.adapters.files import inspector
from core.adapters.files import operations as file_operations
from core.adapters.files.operations import FileOperations
from tests.agent.hostile.stage import Attack, Stage, always, heard, put, read


def no_walls_for_writing(stage: Stage) -> None:
    stage.monkeypatch.setattr(
        FileOperations, "_inside", lambda self, name: (self._workspace / name).resolve()
    )
    stage.monkeypatch.setattr("core.adapters.files.undo.UndoFolder.keep", lambda *_: None)
    stage.monkeypatch.setattr("core.adapters.files.undo.UndoFolder.changed", lambda *_: None)


def no_walls_for_reading(stage: Stage) -> None:
    stage.monkeypatch.setattr(
        inspector, "open_inside", lambda path, _root: os.open(path, os.O_RDONLY)
    )


def private_file(stage: Stage) -> None:
    (stage.bench.home / "out.md").write_text("private\n")
    (stage.bench.root / "folder").symlink_to(stage.bench.home)
    (stage.bench.root / "file").symlink_to(stage.bench.home / "out.md")


def hard_link(stage: Stage) -> None:
    private_file(stage)
    os.link(stage.bench.home / "out.md", stage.bench.root / "twin.md")


def written_in_place(stage: Stage) -> None:
    def in_place(content: bytes | Path, path: Path) -> None:
        assert isinstance(content, bytes)
        path.write_bytes(content)

    stage.monkeypatch.setattr(file_operations, "put", in_place)


def outside_changed(stage: Stage) -> bool:
    return (stage.bench.home / "out.md").read_text() != "private\n"


def attacks_on_files() -> Iterator[Attack]:
    for name, path in (
        ("writes outside by dots", "../out.md"),
        ("writes outside by dots in the middle", "sub/../../out.md"),
        ("writes outside through a linked folder", "folder/out.md"),
        ("writes outside through a linked file", "file"),
    ):
        yield Attack(
            name,
            always(put(path)),
            outside_changed,
            no_walls_for_writing,
            private_file,
        )
    yield Attack(
        "writes outside by an absolute path",
        lambda s: [put(str(s.bench.home / "out.md"))],
        outside_changed,
        no_walls_for_writing,
        private_file,
    )
    yield Attack(
        "writes into a hard link's twin",
        lambda _: [put("twin.md")],
        outside_changed,
        written_in_place,
        hard_link,
    )
    for name, path in (("dots", "../.ssh/id_ed25519"), ("a link", "folder/.ssh/id_ed25519")):
        yield Attack(
            f"reads a private key by {name}",
            always(read(path)),
            heard("PRIVATE KEY"),
            no_walls_for_reading,
            private_file,
        )
    yield Attack(
        "reads a private key by its absolute path",
        lambda s: [read(str(s.bench.home / ".ssh" / "id_ed25519"))],
        heard("PRIVATE KEY"),
        no_walls_for_reading,
    )
