"""What both clients have in common: how calls are made of arguments, and names of replies."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from typing import Any

from .errors import ParleyError
from .events import OWN, Change, Event, Room, Rota, change_of_rooms
from .exchange import Exchange
from .positions import Positions

_MOST_NAMED = 10_000
#: The events with what `reply` and `answer` are for.
_ANSWERED = ("message:new", "interaction:created")
_SLACK = 10


class ReplyNames:
    """
    Names for the replies to something: the same ones in the same order each time. A bot that is started again, and answers
    what it has answered, sends nothing twice.
    """

    def __init__(self) -> None:
        self._counts: OrderedDict[str, int] = OrderedDict()

    def next(self, answered: str) -> str:
        count = self._counts.pop(answered, 0)
        self._counts[answered] = count + 1
        while len(self._counts) > _MOST_NAMED:
            self._counts.popitem(last=False)
        return f"{answered}:{count}"

    def forget(self, answered: str) -> None:
        self._counts.pop(answered, None)


class Base:
    """The part of a client that waits for nothing."""

    def __init__(self, url: str, token: str | None = None, *, positions: Positions | None = None) -> None:
        self.url = url
        self.token = token
        #: Where the program is in each log.
        self.positions = positions if positions is not None else Positions()
        self._names = ReplyNames()

    def _exchange(self, call: str, params: dict[str, Any], query: Any, body: Any, timeout: float = 15) -> Exchange:
        return Exchange(self.url, self.token, call, params=params, query=query, body=body, timeout=timeout)

    def _page_exchange(self, room: Room, query: dict[str, Any]) -> Exchange:
        timeout = query["wait"] + _SLACK
        if room.name == OWN:
            return self._exchange("GET /api/events", {}, query, None, timeout)
        return self._exchange("GET /api/channels/:id/events", {"id": room.name}, query, None, timeout)

    def _message(self, content: str, nonce: str | None, more: dict[str, Any]) -> dict[str, Any]:
        return {"content": content, "nonce": nonce or uuid.uuid4().hex, **more}

    def _reply(self, message: Any, content: str, more: dict[str, Any]) -> dict[str, Any]:
        place = {"replyToId": message["id"], "threadId": message["threadId"]}
        return {"content": content, "nonce": self._names.next(message["id"]), **place, **more}

    def _answer(self, interaction: Any, answer: dict[str, Any]) -> dict[str, Any]:
        if answer["type"] not in ("reply", "ephemeral"):
            return answer
        return {"nonce": self._names.next(interaction["id"]), **answer}

    def _follow(self, rota: Rota, change: Change) -> None:
        """Keeps the rooms that are followed to those that a bot is in."""
        if change.is_in:
            known = self.positions.get(change.channel_id)
            rota.add(change.channel_id, change.position if known is None else known)
        else:
            rota.drop(change.channel_id)

    def _taken(self, rota: Rota, room: Room, page: dict[str, Any], follows_all: bool) -> list[Event]:
        """The events of a page, once the rooms that they tell of are followed."""
        room.failures = 0
        events = room.take(page)
        for event in events:
            change = change_of_rooms(event) if follows_all and room.name == OWN else None
            if change is not None:
                self._follow(rota, change)
        return events

    def _refused(self, rota: Rota, room: Room, error: ParleyError, now: float) -> None:
        """What becomes of a room after a failure. Raises the error where nothing can be followed any more."""
        if error.is_passing:
            room.is_live = False
            rota.rest(room, now, error.retry_after)
        elif room.name == OWN or error.status == 401:
            raise error
        else:
            rota.drop(room.name)

    def _given(self, event: Event) -> None:
        """Its reader gets it, maybe once more in the same program: then the replies have the same names again."""
        if event.name in _ANSWERED:
            self._names.forget(event.data["id"])

    def _dealt_with(self, event: Event) -> None:
        """Its reader has come back for the next one."""
        change = change_of_rooms(event) if event.room == OWN else None
        if change is not None and not change.is_in:
            self.positions.forget(change.channel_id)
        elif change is not None and change.position is not None and self.positions.get(change.channel_id) is None:
            # Before the own one: where that says nothing any more, a channel begins where its log is then.
            self.positions.set(change.channel_id, change.position)
        self.positions.set(event.room, event.seq)

