"""A client of Parley: calls, and every event once dealt with, in order, also what happened while the program was away."""

from .aio import AsyncParley
from .client import Parley
from .errors import ParleyError
from .events import Event
from .positions import Positions

__all__ = ["AsyncParley", "Event", "Parley", "ParleyError", "Positions"]
