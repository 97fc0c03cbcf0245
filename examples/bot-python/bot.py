"""A bot in Python: answers who names it, and shows a message with a button for /order."""

import os
import sys

from parley import Parley, ParleyError, Positions

# The token is shown when the bot is made: POST /api/agents { name }.
# The file remembers how far the bot got in each channel: what happens while it is stopped, it hears when it is back.
parley = Parley(
    os.environ.get("PARLEY_URL", "http://localhost:3000"),
    os.environ["PARLEY_TOKEN"],
    positions=Positions(os.environ.get("PARLEY_STORE", "positions.json")),
)
me = parley.me()
what = {"type": "text", "name": "what", "description": "What to order", "required": True}
parley.declare_commands([{"name": "order", "description": "Order something for everyone", "options": [what]}])


def on_message(message):
    """Someone says something."""
    if any(mention["targetId"] == me["id"] for mention in message["mentions"]):
        parley.reply(message, f"Hello, {message['author']['displayName']}! Try /order.")


def on_interaction(interaction):
    """Someone invokes the command, or presses the button."""
    name = interaction["user"]["displayName"]
    if interaction["kind"] == "command":
        button = {"type": "button", "id": "confirm", "label": "Confirm", "style": "primary", "uses": "once"}
        content = f"{name} orders {interaction['values']['what']}."
        answer = {"type": "reply", "content": content, "components": {"items": [button]}}
    else:
        answer = {"type": "update", "content": f"{name} has confirmed it.", "components": None}
    parley.answer(interaction, answer)


print("The bot is there.", flush=True)
for event in parley.events():
    try:
        if event.name == "message:new" and not event.data["author"]["isBot"]:
            on_message(event.data)
        elif event.name == "interaction:created":
            on_interaction(event.data)
    except ParleyError as error:
        print(error.code, error, file=sys.stderr)
