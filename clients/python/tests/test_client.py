"""What the client promises, on a server: PARLEY_URL, PARLEY_TOKEN of a bot, PARLEY_OTHER of a person, PARLEY_CHANNEL of both."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import tempfile
import threading
import unittest
import unittest.mock
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

from parley import AsyncParley, Event, Parley, ParleyError, Positions
from parley.events import OWN, Rota

URL = os.environ["PARLEY_URL"]
TOKEN = os.environ["PARLEY_TOKEN"]
CHANNEL = os.environ["PARLEY_CHANNEL"]
WAIT = 60
HAS_SOCKETS = all(importlib.util.find_spec(name) for name in ("socketio", "aiohttp"))

person = Parley(URL, os.environ["PARLEY_OTHER"])


def say(content: str) -> Any:
    return person.send(CHANNEL, content)


class Listening:
    """A client that notes what it hears, in a thread."""

    def __init__(self, positions: Positions) -> None:
        self.client = Parley(URL, TOKEN, positions=positions)
        self.heard: list[Event] = []
        self.changed = threading.Condition()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        events: Iterator[Event] = self.client.events()
        for event in events:
            with self.changed:
                self.heard.append(event)
                self.changed.notify_all()
            if self._ends.is_set():
                events.close()  # type: ignore[attr-defined]
                return

    def contents(self) -> list[str]:
        return [event.data["content"] for event in self.heard if event.name == "message:new" and event.room == CHANNEL]

    def wait_for(self, content: str) -> None:
        with self.changed:
            if not self.changed.wait_for(lambda: content in self.contents(), WAIT):
                raise AssertionError(f"{content!r} was not heard, but {self.contents()}")

    def stop(self, content: str) -> None:
        """Ends it at what is said then, which it does not deal with to the end."""
        self._ends.set()
        say(content)
        self._thread.join(WAIT)


def begin(listening: Listening, content: str) -> None:
    """Says something until it is heard: nobody knows when a client is there."""
    for number in range(WAIT * 5):
        said = f"{content} {number}"
        say(said)
        with listening.changed:
            if listening.changed.wait_for(lambda: said in listening.contents(), 0.5):
                return
    raise AssertionError("It hears nothing.")


def before(message: Any) -> Positions:
    """Of a program that has dealt with all but this message in the channel."""
    positions = Positions()
    positions.set(CHANNEL, message["seq"] - 1)
    return positions


def replies_to(asked: Any) -> list[str]:
    query = {"limit": 100}
    messages = person.rest("GET /api/channels/:channelId/messages", channelId=CHANNEL, query=query)["messages"]
    return [message["content"] for message in messages if message["replyToId"] == asked["id"]][::-1]


class Calls(unittest.TestCase):
    def test_gives_answers_and_refusals(self) -> None:
        bot = Parley(URL, TOKEN)
        self.assertIsNotNone(bot.me().get("agentId"))
        channel = bot.rest("GET /api/channels/:id", id=CHANNEL)
        self.assertEqual(channel["id"], CHANNEL)
        page = bot.rest("GET /api/channels/:channelId/messages", channelId=CHANNEL, query={"limit": 2})
        self.assertLessEqual(len(page["messages"]), 2)
        with self.assertRaises(ParleyError) as refused:
            Parley(URL, "wrong").rest("GET /api/auth/me")
        self.assertEqual((refused.exception.status, refused.exception.is_passing), (401, False))

    def test_says_that_nobody_is_there(self) -> None:
        with self.assertRaises(ParleyError) as failed:
            Parley("http://127.0.0.1:9").rest("GET /api/auth/me")
        self.assertEqual((failed.exception.code, failed.exception.is_passing), ("NETWORK", True))

    def test_replies_once_to_the_same_message_though_it_is_asked_again(self) -> None:
        asked = say("answer me")
        for _ in range(2):
            bot = Parley(URL, TOKEN)  # As a program that was started again: it has no memory.
            first, second = bot.reply(asked, "one"), bot.reply(asked, "two")
            self.assertEqual((first["replyToId"], second["replyToId"]), (asked["id"], asked["id"]))
        self.assertEqual(replies_to(asked), ["one", "two"])

    def test_replies_once_though_its_handler_fails_and_the_same_program_asks_again(self) -> None:
        asked = say("answer me, and fail")
        bot = Parley(URL, TOKEN, positions=before(asked))
        for _ in range(2):
            with self.assertRaises(ZeroDivisionError):
                for message in bot.messages([CHANNEL]):
                    self.assertEqual(message["id"], asked["id"])
                    bot.reply(message, "one")
                    bot.reply(message, "two")
                    raise ZeroDivisionError
        self.assertEqual(replies_to(asked), ["one", "two"])


class KeptPositions(Positions):
    """Notes what is kept, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, int]] = []

    def set(self, room: str, seq: int) -> None:
        self.kept.append((room, seq))
        super().set(room, seq)


class Polls(unittest.TestCase):
    def test_keep_where_a_channel_begins_before_that_the_bot_knows_of_it(self) -> None:
        bot, positions = Parley(URL, TOKEN), KeptPositions()
        positions.set(OWN, bot.rest("GET /api/events")["seq"])
        direct = person.rest("POST /api/dm/channels", body={"userId": bot.me()["id"]})
        person.send(direct["id"], "psst")
        told = 0
        for event in Parley(URL, TOKEN, positions=positions).events():
            if event.name == "dm:created":
                told = event.seq
            if event.room == direct["id"] and event.name == "message:new":
                break
        rooms = [room for room, _ in positions.kept]
        self.assertIn(direct["id"], rooms)
        self.assertLess(rooms.index(direct["id"]), positions.kept.index((OWN, told)))

    def test_of_the_own_room_do_not_wait_for_those_of_channels(self) -> None:
        rota, names = Rota(), [f"channel {number}" for number in range(50)]
        for name in [OWN, *names]:
            rota.add(name, 0)
        own = rota.next(0, own=True)
        assert own is not None
        own.is_live = True
        self.assertEqual((own.name, rota.query(own)["wait"]), (OWN, 20))
        turns = [rota.next(0) for _ in names]
        self.assertEqual([room.name for room in turns if room is not None], names)
        self.assertEqual((rota.next(0), rota.next(0, own=True)), (None, None))

    def test_hear_what_was_said_while_the_program_was_stopped(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "positions.json"
            first = Listening(Positions(file))
            begin(first, "polled")
            first.stop("the last one")
            say("away")
            second = Listening(Positions(file))
            second.wait_for("away")
            say("back")
            second.wait_for("back")
            second.stop("done")
            heard = [content for content in second.contents() if not content.startswith("polled")]
            # What it was at when it ended comes once more.
            self.assertEqual(heard[:3], ["the last one", "away", "back"])


@asynccontextmanager
async def troubled(answers: list[dict[str, Any] | None]) -> AsyncIterator[str]:
    """A server that answers joins with these, one after the other; with None not at all."""
    import socketio
    from aiohttp import web

    server = socketio.AsyncServer(async_mode="aiohttp", always_connect=True)

    async def connect(sid: str, _environ: Any, _auth: Any) -> None:
        await server.emit("ready", {"seq": 0}, to=sid)

    async def join(_sid: str, _payload: Any) -> dict[str, Any]:
        answer = answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        return answer or {}

    server.on("connect", connect)
    server.on("channel:join", join)
    application = web.Application()
    server.attach(application)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


class AsyncClient(unittest.IsolatedAsyncioTestCase):
    async def hears(self, client: AsyncParley, words: list[str], until: str) -> list[str]:
        """Says these words until they are heard. Gives what was."""
        heard: list[str] = []

        async def listen() -> None:
            async with aclosing(client.messages()) as messages:
                async for message in messages:
                    if message["channelId"] == CHANNEL:
                        heard.append(message["content"])
                    if message["content"] == until:
                        return

        listening = asyncio.create_task(listen())
        while not listening.done():
            for word in words:
                await asyncio.to_thread(say, word)
            await asyncio.wait([listening], timeout=0.5)
        await listening
        return heard

    async def recovers(self, sockets: bool) -> None:
        positions = Positions()
        client = AsyncParley(URL, TOKEN, positions=positions, sockets=sockets)
        await asyncio.wait_for(self.hears(client, ["are you there?"], "are you there?"), WAIT)
        missed = [f"missed {number}" for number in range(5)]
        for content in missed:
            await asyncio.to_thread(say, content)
        again = AsyncParley(URL, TOKEN, positions=positions, sockets=sockets)
        heard = await asyncio.wait_for(self.hears(again, ["now"], "now"), WAIT)
        self.assertEqual([content for content in heard if content.startswith("missed")], missed)

    async def test_recovers_by_polls(self) -> None:
        await self.recovers(sockets=False)

    @unittest.skipUnless(HAS_SOCKETS, "python-socketio is not there")
    async def test_recovers_by_sockets(self) -> None:
        await self.recovers(sockets=True)

    async def test_replies_once_though_its_handler_fails_and_the_same_program_asks_again(self) -> None:
        asked = await asyncio.to_thread(say, "answer me, and fail")
        client = AsyncParley(URL, TOKEN, positions=before(asked))
        for _ in range(2):
            with self.assertRaises(ZeroDivisionError):
                async with aclosing(client.messages([CHANNEL])) as messages:
                    async for message in messages:
                        await client.reply(message, "one")
                        raise ZeroDivisionError
        self.assertEqual(await asyncio.to_thread(replies_to, asked), ["one"])

    @unittest.skipUnless(HAS_SOCKETS, "python-socketio is not there")
    async def test_joins_again_after_a_passing_refusal_and_without_an_answer(self) -> None:
        page = {"events": [{"seq": 1, "event": "message:new", "data": {"id": "m"}}], "seq": 1, "recovered": True, "hasMore": False}
        refused = {"ok": False, "code": "INTERNAL_ERROR", "error": "The server failed."}
        async with troubled([refused, None, page]) as url:
            client = AsyncParley(url, "any", sockets=True)
            with unittest.mock.patch("parley.sockets._LONGEST_ANSWER", 0.5):
                async with aclosing(client.events(["c"])) as events:
                    event = await asyncio.wait_for(anext(events), WAIT)
        self.assertEqual((event.room, event.seq), ("c", 1))

    async def test_calls_end_when_nobody_waits_for_them_any_more(self) -> None:
        client = AsyncParley(URL, TOKEN)
        seq = (await client.rest("GET /api/events"))["seq"]
        query = {"after": seq, "wait": 25}
        with self.assertRaises(TimeoutError):
            await asyncio.wait_for(client.rest("GET /api/events", query=query), 0.2)

    async def test_sends_and_replies(self) -> None:
        client = AsyncParley(URL, TOKEN)
        sent = await client.send(CHANNEL, "by asyncio", nonce="the same")
        self.assertEqual((await client.send(CHANNEL, "again", nonce="the same"))["id"], sent["id"])
        self.assertEqual((await client.reply(sent, "to myself"))["replyToId"], sent["id"])


if __name__ == "__main__":
    unittest.main()
