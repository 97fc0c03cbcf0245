"""The client for asyncio: REST, and events by long polls, or by sockets where python-socketio is there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from .base import Base
from .errors import ParleyError
from .events import MOST_WAITING, OWN, Event, Room, Rota, delay, is_said_by_person
from .exchange import Exchange
from .positions import Positions

if TYPE_CHECKING:
    from .models import Interaction, Message, OwnUser


class AsyncParley(Base):
    """A client of a server, with the token of a bot or a person."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        positions: Positions | None = None,
        sockets: bool = False,
    ) -> None:
        """With `sockets`, events come by python-socketio (`pip install parley-client[sockets]`), and a bot shows as online."""
        super().__init__(url, token, positions=positions)
        self._sockets = sockets

    async def rest(self, call: str, *, query: Any = None, body: Any = None, **params: Any) -> Any:
        """
        A call by its name in the API documents: `await rest("GET /api/channels/:id", id=channel_id)`.
        Raises ParleyError.
        """
        return await run(self._exchange(call, params, query, body))

    async def until_answered(self, call: str, *, query: Any = None, body: Any = None, **params: Any) -> Any:
        """The same until the server is there; for what may be done twice. Raises ParleyError when it is refused."""
        attempt = 0
        while True:
            try:
                return await self.rest(call, query=query, body=body, **params)
            except ParleyError as error:
                if not error.is_passing:
                    raise
                await asyncio.sleep(delay(attempt, error.retry_after))
                attempt += 1

    async def me(self) -> OwnUser:
        """Who this is; `agentId` of a bot."""
        return cast("OwnUser", await self.until_answered("GET /api/auth/me"))

    async def send(self, channel_id: str, content: str, *, nonce: str | None = None, **more: Any) -> Message:
        """Sends a message once, however often that has to be tried; `more` as the API documents say."""
        body = self._message(content, nonce, more)
        path = "POST /api/channels/:channelId/messages"
        return cast("Message", await self.until_answered(path, channelId=channel_id, body=body))

    async def reply(self, message: Message, content: str, **more: Any) -> Message:
        """Replies to a message, in its thread if it is in one; once, also when the program is started again meanwhile."""
        body = self._reply(message, content, more)
        path = "POST /api/channels/:channelId/messages"
        return cast("Message", await self.until_answered(path, channelId=message["channelId"], body=body))

    async def answer(self, interaction: Interaction, answer: dict[str, Any]) -> Any:
        """Answers a button, a form or a command: `{"type": "reply", "content": "Done."}`."""
        body = self._answer(interaction, answer)
        return await self.until_answered("POST /api/interactions/:id/answers", id=interaction["id"], body=body)

    async def declare_commands(self, commands: list[dict[str, Any]]) -> None:
        """Sets the commands of a bot; `events` has what is invoked from then on, also if it is asked for later."""
        if self.positions.get(OWN) is None:
            self.positions.set(OWN, (await self.until_answered("GET /api/events"))["seq"])
        agent_id = (await self.me())["agentId"]
        await self.until_answered("PUT /api/agents/:id/slash-commands", id=agent_id, body={"commands": commands})

    async def events(self, channels: Iterable[str] | None = None) -> AsyncGenerator[Event, None]:
        """
        All durable events, of each room in order, from where the program was. One counts as dealt with when the next one is
        asked for. Without `channels`: the own room, and all channels that a bot is in, also those that come later.
        """
        arriving: asyncio.Queue[Event | BaseException] = asyncio.Queue(maxsize=0 if self._sockets else 1000)
        work = asyncio.ensure_future(self._feed(arriving, None if channels is None else list(channels)))
        try:
            while True:
                event = await arriving.get()
                if isinstance(event, BaseException):
                    raise event
                if event.name:
                    self._given(event)
                    yield event
                self._dealt_with(event)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def messages(self, channels: Iterable[str] | None = None) -> AsyncGenerator[Message, None]:
        """What people say, as `events` gives it."""
        async with aclosing(self.events(channels)) as events:
            async for event in events:
                if is_said_by_person(event):
                    yield cast("Message", event.data)

    async def _feed(self, arriving: asyncio.Queue[Event | BaseException], channels: list[str] | None) -> None:
        """Puts what comes into the queue, and at last why nothing comes any more."""
        try:
            if self._sockets:
                from .sockets import follow  # Only who wants sockets needs the package.

                await follow(self, arriving, channels)
            else:
                await self._poll(arriving, channels)
        except BaseExceptionGroup as group:
            await arriving.put(group.exceptions[0])
        except Exception as error:
            await arriving.put(error)

    async def _poll(self, arriving: asyncio.Queue[Event | BaseException], channels: list[str] | None) -> None:
        rota = Rota()
        # The own room is read after them: of those that came in between, it says where they begin.
        rooms = channels if channels is not None else await self._rooms()
        # First the own room: of a channel that the bot was added to while it was away, it says where that begins.
        rota.add(OWN, self.positions.get(OWN))
        own = rota.next(time.monotonic(), own=True)
        while channels is None and own is not None and not own.is_live:
            page = await self.until_answered("GET /api/events", query=rota.query(own))
            for event in self._taken(rota, own, page, True):
                await arriving.put(event)
        if own is not None:
            rota.release(own)
        for room in rooms:
            rota.add(room, self.positions.get(room))
        async with asyncio.TaskGroup() as group:
            for number in range(MOST_WAITING + 1):
                group.create_task(self._work(rota, arriving, channels is None, number == 0))

    async def _work(
        self, rota: Rota, arriving: asyncio.Queue[Event | BaseException], follows_all: bool, own: bool
    ) -> None:
        while True:
            room = rota.next(time.monotonic(), own=own)
            if room is None:
                await asyncio.sleep(0.2)
                continue
            await self._ask(rota, room, arriving, follows_all)
            rota.release(room)

    async def _ask(
        self, rota: Rota, room: Room, arriving: asyncio.Queue[Event | BaseException], follows_all: bool
    ) -> None:
        try:
            page = await run(self._page_exchange(room, rota.query(room)))
        except ParleyError as error:
            return self._refused(rota, room, error, time.monotonic())
        if rota.has(room):
            for event in self._taken(rota, room, page, follows_all):
                await arriving.put(event)

    async def _rooms(self) -> list[str]:
        agent_id = (await self.me()).get("agentId")
        if agent_id is None:
            raise ValueError("Say which channels to follow: this is not the token of a bot.")
        config = await self.until_answered("GET /api/agents/:id/config", id=agent_id)
        directs = await self.until_answered("GET /api/dm/channels")
        return [channel["id"] for server in config["servers"] for channel in server["channels"]] + [
            channel["id"] for channel in directs
        ]


async def run(exchange: Exchange) -> Any:
    """Makes a call in a thread of its own; who stops waiting for it ends it."""
    try:
        return await asyncio.to_thread(exchange.run)
    except asyncio.CancelledError:
        exchange.abort()
        raise

