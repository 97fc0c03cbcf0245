"""Events, and which room is asked for its next ones."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import Any

#: The room of the one who is signed in; the others are the ids of channels.
OWN = "own"
#: The same room twice at once would lose the order; more channels at once would be many connections.
MOST_WAITING = 3
_LONGEST_WAIT = 20


def delay(attempt: int, retry_after: float | None) -> float:
    """Seconds until the next attempt: growing, with jitter, so that many clients do not return at the same moment."""
    return min(10.0, 0.5 * 2 ** min(attempt, 16)) * random.uniform(0.5, 1) + (retry_after or 0)


@dataclass(frozen=True)
class Event:
    """An event of a room's log. `events:lost`: the log does not reach back to where the program was; read the lists anew."""

    room: str
    seq: int
    name: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Room:
    """A log that is followed."""

    name: str
    #: Number of the last event that came; None: it begins where the log is now.
    position: int | None
    is_live: bool = False
    is_asked: bool = False
    turn: int = 0
    failures: int = 0
    #: Not before then, by the clock of `time.monotonic`.
    rests_until: float = 0.0

    def take(self, page: dict[str, Any]) -> list[Event]:
        """What a page of the log brings; at its end comes an entry without a name, for where the log is then."""
        known = self.position
        events = []
        if not page["recovered"] and known is not None:
            events.append(Event(self.name, known, "events:lost", {"after": known, "seq": page["seq"]}))
        for entry in page["events"]:
            if known is None or entry["seq"] > known or not page["recovered"]:
                events.append(Event(self.name, entry["seq"], entry["event"], entry["data"]))
        self.position = page["seq"] if not page["recovered"] else max(page["seq"], known or 0)
        self.is_live = not page["hasMore"]
        return [*events, Event(self.name, self.position, "")]


class Rota:
    """
    The rooms that are followed by long polls: each channel is asked in turn, with shorter waits where there are many. The own
    room has no part in that: who presses a button must not wait for it.
    """

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}
        self._turn = 0
        self._lock = threading.Lock()

    def add(self, name: str, position: int | None) -> None:
        with self._lock:
            self._rooms.setdefault(name, Room(name, position))

    def drop(self, name: str) -> None:
        with self._lock:
            self._rooms.pop(name, None)

    def has(self, room: Room) -> bool:
        """Whether a room is still followed: what was asked for before it was dropped is for nobody."""
        with self._lock:
            return self._rooms.get(room.name) is room

    def next(self, now: float, *, own: bool = False) -> Room | None:
        """The own room, or the channel that has waited longest; nobody else asks it until `release`."""
        with self._lock:
            asked = [room for room in self._rooms.values() if (room.name == OWN) == own]
            free = [room for room in asked if not room.is_asked and room.rests_until <= now]
            chosen = min(free, key=lambda room: room.turn, default=None)
            if chosen is not None:
                self._turn += 1
                chosen.turn, chosen.is_asked = self._turn, True
            return chosen

    def query(self, room: Room) -> dict[str, Any]:
        """What is asked for."""
        with self._lock:
            channels = sum(name != OWN for name in self._rooms)
        share = 1.0 if room.name == OWN else min(1.0, MOST_WAITING / max(1, channels))
        wait = max(1, int(_LONGEST_WAIT * share)) if room.is_live else 0
        return {"after": room.position, "wait": wait, "limit": 500}

    def release(self, room: Room) -> None:
        with self._lock:
            room.is_asked = False

    def rest(self, room: Room, now: float, retry_after: float | None) -> None:
        """It is asked again later, after each failure in a row still later."""
        room.failures += 1
        room.rests_until = now + delay(room.failures, retry_after)


@dataclass(frozen=True)
class Change:
    """A channel that a bot is in from now on, or is not in any more."""

    channel_id: str
    is_in: bool
    #: Where its log was then.
    position: int | None = None


def change_of_rooms(event: Event) -> Change | None:
    """What an event of the own room says of the channels that a bot is in."""
    data = event.data
    if event.name == "channel:member-added":
        return Change(data["channelId"], True, data["channel"]["lastSeq"])
    if event.name == "channel:member-removed":
        return Change(data["channelId"], False)
    if event.name == "dm:created":
        return Change(data["id"], True, data["since"])
    return None


def is_said_by_person(event: Event) -> bool:
    """Whether it is a message that a bot may want to answer."""
    data = event.data
    return event.name == "message:new" and not data["author"]["isBot"] and not data.get("isDeleted")
