"""Where a program is in each log."""

from __future__ import annotations

import json
import os
from pathlib import Path


class Positions:
    """The number of the last event that was dealt with, by room; with a file they are there at the next start."""

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        self._file = None if file is None else Path(file)
        self._by_room: dict[str, int] = {}
        if self._file is not None and self._file.exists():
            self._by_room = json.loads(self._file.read_text())

    def get(self, room: str) -> int | None:
        return self._by_room.get(room)

    def set(self, room: str, seq: int) -> None:
        if self._by_room.get(room) == seq:
            return
        self._by_room[room] = seq
        self._write()

    def forget(self, room: str) -> None:
        """What happens in a channel while a bot is not in it is none of its business afterwards."""
        if self._by_room.pop(room, None) is not None:
            self._write()

    def _write(self) -> None:
        if self._file is None:
            return
        # A program that is killed meanwhile leaves the file as it was.
        following = self._file.with_name(self._file.name + ".next")
        following.write_text(json.dumps(self._by_room))
        following.replace(self._file)
