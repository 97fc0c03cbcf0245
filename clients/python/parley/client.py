"""The client for programs without asyncio: REST, and events by long polls."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from .base import Base
from .errors import ParleyError
from .events import MOST_WAITING, OWN, Event, Room, Rota, delay, is_said_by_person
from .exchange import Exchange

if TYPE_CHECKING:
    from .models import Interaction, Message, OwnUser


class Parley(Base):
    """A client of a server, with the token of a bot or a person."""

    def rest(self, call: str, *, query: Any = None, body: Any = None, **params: Any) -> Any:
        """
        A call by its name in the API documents: `rest("GET /api/channels/:id", id=channel_id)`.
        Raises ParleyError.
        """
        return self._exchange(call, params, query, body).run()

    def until_answered(self, call: str, *, query: Any = None, body: Any = None, **params: Any) -> Any:
        """The same until the server is there; for what may be done twice. Raises ParleyError when it is refused."""
        attempt = 0
        while True:
            try:
                return self.rest(call, query=query, body=body, **params)
            except ParleyError as error:
                if not error.is_passing:
                    raise
                time.sleep(delay(attempt, error.retry_after))
                attempt += 1

    def me(self) -> OwnUser:
        """Who this is; `agentId` of a bot."""
        return cast("OwnUser", self.until_answered("GET /api/auth/me"))

    def send(self, channel_id: str, content: str, *, nonce: str | None = None, **more: Any) -> Message:
        """Sends a message once, however often that has to be tried; `more` as the API documents say."""
        body = self._message(content, nonce, more)
        path = "POST /api/channels/:channelId/messages"
        return cast("Message", self.until_answered(path, channelId=channel_id, body=body))

    def reply(self, message: Message, content: str, **more: Any) -> Message:
        """Replies to a message, in its thread if it is in one; once, also when the program is started again meanwhile."""
        body = self._reply(message, content, more)
        path = "POST /api/channels/:channelId/messages"
        return cast("Message", self.until_answered(path, channelId=message["channelId"], body=body))

    def answer(self, interaction: Interaction, answer: dict[str, Any]) -> Any:
        """Answers a button, a form or a command: `{"type": "reply", "content": "Done."}`."""
        body = self._answer(interaction, answer)
        return self.until_answered("POST /api/interactions/:id/answers", id=interaction["id"], body=body)

    def declare_commands(self, commands: list[dict[str, Any]]) -> None:
        """Sets the commands of a bot; `events` has what is invoked from then on, also if it is asked for later."""
        if self.positions.get(OWN) is None:
            self.positions.set(OWN, self.until_answered("GET /api/events")["seq"])
        agent_id = self.me()["agentId"]
        self.until_answered("PUT /api/agents/:id/slash-commands", id=agent_id, body={"commands": commands})

    def events(self, channels: Iterable[str] | None = None) -> Iterator[Event]:
        """
        All durable events, of each room in order, from where the program was. One counts as dealt with when the next one is
        asked for. Without `channels`: the own room, and all channels that a bot is in, also those that come later.
        """
        follower = _Follower(self, channels)
        try:
            yield from follower.events()
        finally:
            follower.stop()

    def messages(self, channels: Iterable[str] | None = None) -> Iterator[Message]:
        """What people say, as `events` gives it."""
        for event in self.events(channels):
            if is_said_by_person(event):
                yield cast("Message", event.data)

    def _rooms(self) -> list[str]:
        agent_id = self.me().get("agentId")
        if agent_id is None:
            raise ValueError("Say which channels to follow: this is not the token of a bot.")
        config = self.until_answered("GET /api/agents/:id/config", id=agent_id)
        directs = self.until_answered("GET /api/dm/channels")
        return [channel["id"] for server in config["servers"] for channel in server["channels"]] + [
            channel["id"] for channel in directs
        ]


class _Follower:
    """Threads that ask for the next events, and a queue of what they got."""

    def __init__(self, client: Parley, channels: Iterable[str] | None) -> None:
        self._client = client
        self._follows_all = channels is None
        self._rota = Rota()
        self._queue: queue.Queue[Event | BaseException] = queue.Queue(maxsize=1000)
        self._stopped = threading.Event()
        self._asking: set[Exchange] = set()
        # First the own room: of a channel that the bot was added to while it was away, it says where that begins.
        self._rota.add(OWN, client.positions.get(OWN))
        self._channels = channels

    def events(self) -> Iterator[Event]:
        client = self._client
        # The own room is read after them: of those that came in between, it says where they begin.
        rooms = client._rooms() if self._channels is None else list(self._channels)
        if self._follows_all:
            yield from self._missed_of_own()
        for room in rooms:
            self._rota.add(room, client.positions.get(room))
        for number in range(MOST_WAITING + 1):
            threading.Thread(target=self._work, args=(number == 0,), daemon=True).start()
        while True:
            event = self._queue.get()
            if isinstance(event, BaseException):
                raise event
            yield from self._give(event)

    def stop(self) -> None:
        self._stopped.set()
        for exchange in list(self._asking):
            exchange.abort()

    def _give(self, event: Event) -> Iterator[Event]:
        if event.name:
            self._client._given(event)
            yield event
        self._client._dealt_with(event)

    def _missed_of_own(self) -> Iterator[Event]:
        room = self._rota.next(time.monotonic(), own=True)
        while room is not None and not room.is_live:
            query = self._rota.query(room)
            page = self._client.until_answered("GET /api/events", query=query)
            for event in self._client._taken(self._rota, room, page, True):
                yield from self._give(event)
        if room is not None:
            self._rota.release(room)

    def _work(self, own: bool) -> None:
        try:
            while not self._stopped.is_set():
                room = self._rota.next(time.monotonic(), own=own)
                if room is None:
                    self._stopped.wait(0.2)
                    continue
                self._ask(room)
                self._rota.release(room)
        except BaseException as error:  # Its reader is told.
            self._put(error)

    def _ask(self, room: Room) -> None:
        exchange = self._client._page_exchange(room, self._rota.query(room))
        self._asking.add(exchange)
        try:
            page = exchange.run()
        except ParleyError as error:
            if not self._stopped.is_set():
                self._client._refused(self._rota, room, error, time.monotonic())
            return
        finally:
            self._asking.discard(exchange)
        if self._rota.has(room):
            for event in self._client._taken(self._rota, room, page, self._follows_all):
                self._put(event)

    def _put(self, event: Event | BaseException) -> None:
        while not self._stopped.is_set():
            try:
                return self._queue.put(event, timeout=0.5)
            except queue.Full:
                continue
