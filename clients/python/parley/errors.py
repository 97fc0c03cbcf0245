"""Why a call failed."""

from __future__ import annotations

from typing import Any

_PASSING = {"NETWORK", "RATE_LIMITED", "DATABASE_UNAVAILABLE", "FILES_UNAVAILABLE", "SERVER_BUSY", "INTERNAL_ERROR"}


class ParleyError(Exception):
    """The server's own error object, or, with the code NETWORK, that there was no answer."""

    def __init__(self, body: dict[str, Any], status: int = 0) -> None:
        self.code: str = body["code"]
        super().__init__(body.get("error") or self.code)
        #: The HTTP status; 0 when there was no answer.
        self.status = status
        #: The whole error object, with what belongs to its code.
        self.body = body
        #: Seconds.
        self.retry_after: float | None = body.get("retryAfter")

    @property
    def is_passing(self) -> bool:
        """Whether the same call may succeed later: no answer, rate limited, or a server in trouble."""
        return self.code in _PASSING or self.status >= 500


def network_error(reason: object) -> ParleyError:
    """There was no answer, or one that is not the server's own."""
    return ParleyError({"code": "NETWORK", "error": f"The server cannot be reached: {reason}"})
