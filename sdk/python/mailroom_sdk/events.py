"""Server-sent events (HTML 9.2.6): a stream is opened again behind the last event that was given to the caller."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

import httpx

from .errors import ApiError, ConnectionFailed

#: The service sends something at least every 20 seconds: after this time the connection is dead.
SILENT = 60.0
PAUSE_FIRST = 0.5
PAUSE_MAX = 30.0


class Place:
    """Where to go on."""

    def __init__(self) -> None:
        self.last: str | None = None

    def headers(self) -> dict[str, str]:
        behind = {} if self.last is None else {"last-event-id": self.last}
        return {"accept": "text/event-stream", **behind}


class Lines:
    """Cuts a stream at its ends of lines alone: what is in an event may hold further ones of Python, such as U+2028."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def take(self, data: bytes) -> list[str]:
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + self._decoder.decode(data))
        return lines


class Reader:
    """Reads the lines of one stream. An id without data only moves the place."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._id: str | None = None
        self._data: list[str] = []
        #: Whether something has come on this stream.
        self.moved = False

    def take(self, line: str) -> dict[str, Any] | None:
        if line != "":
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                self._id = value
            elif name == "data":
                self._data.append(value)
            return None
        event = json.loads("\n".join(self._data)) if self._data else None
        if self._id is not None:
            self._place.last = self._id
            self.moved = True
        self._id = None
        self._data = []
        return event


def may_go_on(error: Exception) -> bool:
    """Whether trying again may help."""
    if isinstance(error, ApiError):
        return error.status_code >= 500 or error.status_code == 429
    return isinstance(error, (ConnectionFailed, httpx.HTTPError))
