"""Events by python-socketio: they come at once, and what was missed comes with joining again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import socketio

from .errors import ParleyError
from .events import OWN, Event, Room, change_of_rooms, delay
from .models import OWN_EVENTS

if TYPE_CHECKING:
    from .aio import AsyncParley

#: Seconds in which the server lets a connection in.
_PATIENCE = 15
#: Seconds after which an answer does not count as under way any more.
_LONGEST_ANSWER = 15


class _Feed:
    """One client of Socket.IO, over any number of connections."""

    def __init__(
        self, client: AsyncParley, arriving: asyncio.Queue[Event | BaseException], channels: list[str] | None
    ) -> None:
        self._client = client
        self._arriving = arriving
        self._follows_all = channels is None
        self._own = Room(OWN, client.positions.get(OWN))
        self._rooms = {name: Room(name, client.positions.get(name)) for name in channels or []}
        self._socket = socketio.AsyncClient(reconnection=False)
        # No handler waits for anything: so events are taken in the order in which they come.
        self._socket.on("*", self._take)
        self._ready = asyncio.Event()

    async def run(self) -> None:
        attempt = 0
        while True:
            self._ready.clear()
            for room in self._rooms.values():
                room.is_live = room.is_asked = False
            try:
                await self._socket.connect(
                    self._client.url, auth=self._auth(), transports=["websocket"], wait_timeout=_PATIENCE
                )
                await asyncio.wait_for(self._ready.wait(), _PATIENCE)
                attempt = 0
                await self._hold()
            except (socketio.exceptions.ConnectionError, TimeoutError):
                # That tells nothing of the reason; a call does, and raises what lasts.
                await self._client.me()
            finally:
                await self._socket.disconnect()
            await asyncio.sleep(delay(attempt, None))
            attempt += 1

    async def _hold(self) -> None:
        if self._follows_all:
            # Bots are told of their channels when they connect, but not of their direct messages.
            for name in await self._client._rooms():
                self._rooms.setdefault(name, Room(name, self._client.positions.get(name)))
        await asyncio.gather(*[self._join(room) for room in list(self._rooms.values())])
        await self._socket.wait()

    def _auth(self) -> dict[str, Any]:
        resume = {} if self._own.position is None else {"resume": {"user": self._own.position}}
        # Its handlers take one argument, not also the position for a recovery of which it knows nothing.
        return {"token": self._client.token, "recover": False, **resume}

    async def _join(self, room: Room) -> None:
        is_wanted = self._rooms.get(room.name) is room and not room.is_live
        # The next connection begins with all of them.
        if room.is_asked or not is_wanted or not self._socket.connected:
            return
        payload: dict[str, Any] = {"channelId": room.name}
        if room.position is not None:
            payload["after"] = room.position
        room.is_asked = True
        room.turn += 1
        asyncio.get_running_loop().call_later(_LONGEST_ANSWER, self._unanswered, room, room.turn)
        # A callback is called in the place of the answer among the events; who waits for `call` goes on later.
        await self._socket.emit("channel:join", payload, callback=lambda answer: self._joined(room, answer))

    def _joined(self, room: Room, answer: dict[str, Any]) -> None:
        room.is_asked = False
        if self._rooms.get(room.name) is not room:
            return
        if answer.get("ok") is False:
            error = ParleyError(answer)
            if error.is_passing:
                asyncio.get_running_loop().call_later(error.retry_after or 1, self._join_soon, room)
            else:
                self._rooms.pop(room.name)
            return
        for event in room.take(answer):
            self._arriving.put_nowait(event)
        if not room.is_live:
            self._join_soon(room)

    def _unanswered(self, room: Room, turn: int) -> None:
        """It is asked again. An answer that comes all the same is as good."""
        if room.is_asked and room.turn == turn:
            room.is_asked = False
            self._join_soon(room)

    def _join_soon(self, room: Room) -> None:
        asyncio.ensure_future(self._join(room))

    def _take(self, name: str, data: Any = None) -> None:
        if not isinstance(data, dict):
            return
        if name == "ready":
            self._own.position = data["seq"]
            self._arriving.put_nowait(Event(OWN, data["seq"], ""))
            self._ready.set()
        elif name == "resumed":
            self._note_loss(data.get("user"))
        elif name in OWN_EVENTS:
            self._take_own(name, data)
        elif isinstance(data.get("eventSeq"), int) and _channel_id(data) is not None:
            self._take_of_channel(name, data)

    def _note_loss(self, user: Any) -> None:
        if isinstance(user, dict) and user.get("recovered") is False:
            seq = self._own.position or 0
            self._arriving.put_nowait(Event(OWN, seq, "events:lost", {"seq": seq}))

    def _take_own(self, name: str, data: dict[str, Any]) -> None:
        seq = data.get("eventSeq")
        change = change_of_rooms(Event(OWN, 0, name, data)) if self._follows_all else None
        if change is not None and change.is_in:
            known = self._client.positions.get(change.channel_id)
            position = change.position if known is None else known
            room = self._rooms.setdefault(change.channel_id, Room(change.channel_id, position))
            if self._ready.is_set():
                self._join_soon(room)
        elif change is not None:
            self._rooms.pop(change.channel_id, None)
        if isinstance(seq, int) and seq > (self._own.position or 0):
            self._own.position = seq
            self._arriving.put_nowait(Event(OWN, seq, name, data))

    def _take_of_channel(self, name: str, data: dict[str, Any]) -> None:
        room = self._rooms.get(_channel_id(data) or "")
        # What comes before the answer to the join is in that answer too, in the right place.
        if room is None or not room.is_live or data["eventSeq"] <= (room.position or 0):
            return
        room.position = data["eventSeq"]
        self._arriving.put_nowait(Event(room.name, data["eventSeq"], name, data))


def _channel_id(data: dict[str, Any]) -> str | None:
    """The channel that an event of a channel's room is about."""
    about = data if "channelId" in data else data.get("channel", data)
    found = about.get("channelId", about.get("id")) if isinstance(about, dict) else None
    return found if isinstance(found, str) else None


async def follow(
    client: AsyncParley, arriving: asyncio.Queue[Event | BaseException], channels: list[str] | None
) -> None:
    """Puts the events of the rooms into a queue until it is cancelled. Raises ParleyError when the server refuses."""
    await _Feed(client, arriving, channels).run()
