"""Server-sent events (HTML 9.2.6): a stream is reopened after the last event that the caller received."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

import httpx

from .errors import ApiError, ConnectionFailed

#: The service sends something at least every 20 seconds: a connection that is silent for longer than this is dead.
SILENT = 60.0
PAUSE_FIRST = 0.5
PAUSE_MAX = 30.0


class Place:
    """The position from which to resume."""

    def __init__(self) -> None:
        self.last: str | None = None

    def headers(self) -> dict[str, str]:
        behind = {} if self.last is None else {"last-event-id": self.last}
        return {"accept": "text/event-stream", **behind}


class Lines:
    """Splits a stream only at its own line ends: events may contain characters that end a line in Python, such as U+2028."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def take(self, data: bytes) -> list[str]:
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + self._decoder.decode(data))
        return lines


class Reader:
    """Reads the lines of one stream. An id without data only advances the position."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._id: str | None = None
        self._data: list[str] = []
        #: Whether this stream has delivered anything.
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
    """Whether retrying may help."""
    if isinstance(error, ApiError):
        return error.status_code >= 500 or error.status_code == 429
    return isinstance(error, (ConnectionFailed, httpx.HTTPError))
