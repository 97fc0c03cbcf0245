"""One request and its response, over the standard library alone."""

from __future__ import annotations

import http.client
import json
import re
import socket
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from .errors import ParleyError, network_error


class Exchange:
    """A call by its name in the API documents. It is made once; another thread may end it."""

    def __init__(
        self,
        url: str,
        token: str | None,
        call: str,
        *,
        params: dict[str, Any],
        query: dict[str, Any] | None = None,
        body: Any = None,
        timeout: float = 15,
    ) -> None:
        self._method, path = call.split(" ", 1)
        place = urlsplit(url)
        filled = re.sub(r":(\w+)", lambda found: quote(str(params[found[1]]), safe=""), path)
        given = {key: _text(value) for key, value in (query or {}).items() if value is not None}
        self._path = place.path.rstrip("/") + filled + (f"?{urlencode(given)}" if given else "")
        self._headers = {"Accept": "application/json", "Connection": "close"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._body = None if body is None else json.dumps(body).encode()
        if self._body is not None:
            self._headers["Content-Type"] = "application/json"
        connects = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        self._connection = connects(place.hostname or "", place.port, timeout=timeout)
        self._is_aborted = False

    def run(self) -> Any:
        """Makes the call. Raises ParleyError when the server refuses it, or does not answer."""
        try:
            self._connection.request(self._method, self._path, self._body, self._headers)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise network_error("ended here" if self._is_aborted else error) from error
        finally:
            self._connection.close()
        return _answer(response.status, content)

    def abort(self) -> None:
        """Ends it: `run` raises in its own thread."""
        self._is_aborted = True
        wire = self._connection.sock
        if wire is None:
            return
        try:
            wire.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It has ended by itself.


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _answer(status: int, content: bytes) -> Any:
    try:
        answer = json.loads(content) if content else None
    except ValueError as error:
        # An error page that is not the server's own is from a proxy in between: it counts as no answer.
        raise network_error(f"HTTP {status}") from error
    refused = isinstance(answer, dict) and answer.get("ok") is False and "code" in answer
    if refused:
        raise ParleyError(answer, status)
    if status >= 400:
        raise network_error(f"HTTP {status}")
    return answer
