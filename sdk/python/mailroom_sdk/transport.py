"""The transport of requests, one at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Generic, TypeVar

import httpx

from .errors import ConnectionFailed
from .events import PAUSE_FIRST, PAUSE_MAX, SILENT, Lines, Place, Reader, may_go_on
from .request import (
    LIMITS,
    NOT_MODIFIED,
    ApiRequest,
    RequestOptions,
    Settings,
    error_of,
    file_name,
    http_request,
    lower_cased,
    note,
    pause_before,
    place_name,
    reading_file,
    request_of,
    result_of,
)

Page = TypeVar("Page")
Item = TypeVar("Item")


class Download:
    """A file that is being received. Read it to its end, or close it."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        headers = response.headers
        self.content_type: str = headers.get("content-type", "application/octet-stream")
        #: The name to save it under, if it has one.
        self.name: str | None = file_name(headers.get("content-disposition", ""))
        self.size: int | None = int(headers["content-length"]) if "content-length" in headers else None
        self.etag: str | None = headers.get("etag")
        #: Whether it is unchanged since `if_none_match`; if so, it was not sent.
        self.is_unchanged: bool = response.status_code == NOT_MODIFIED

    def iter_bytes(self) -> Iterator[bytes]:
        with reading_file():
            yield from self._response.iter_bytes()

    def read(self) -> bytes:
        with reading_file():
            return self._response.read()

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PageList(Generic[Page, Item]):
    """A list: iterating it gives all items, page by page; `first()` gives the first page."""

    def __init__(self, items: str, transport: Transport, request: ApiRequest) -> None:
        self._items = items
        self._transport = transport
        self._request = request

    def first(self) -> Page:
        return next(self.pages())

    def pages(self) -> Iterator[Page]:
        query = dict(self._request.query)
        while True:
            request = ApiRequest(**{**vars(self._request), "query": query})
            page = self._transport.json(request)
            yield page
            if page.get("next") is None:
                return
            query[place_name(query)] = page["next"]

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page[self._items]  # type: ignore[index]


class Group:
    """Methods on one resource."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _call(self, method: str, path: str, **more: Any) -> Any:
        return self._transport.json(request_of(method, path, **more))

    def _pages(self, items: str, method: str, path: str, **more: Any) -> PageList[Any, Any]:
        return PageList(items, self._transport, request_of(method, path, **more))

    def _download(self, method: str, path: str, **more: Any) -> Download:
        return Download(self._transport.send(request_of(method, path, **more), stream=True))

    def _events(self, method: str, path: str, **more: Any) -> Iterator[dict[str, Any]]:
        return self._transport.events(request_of(method, path, **more))


class Transport:
    def __init__(self, settings: Settings, client: httpx.Client | None = None) -> None:
        self.settings = settings
        self.client = client or httpx.Client(limits=LIMITS)

    def json(self, request: ApiRequest) -> Any:
        return result_of(self.send(request), self.settings)

    def send(self, request: ApiRequest, *, stream: bool = False) -> httpx.Response:
        """Makes a request, and retries it until it succeeds."""
        retries = request.options.retries if request.options.retries is not None else self.settings.retries
        made = http_request(self.client, self.settings, request)
        tried = 0
        while True:
            try:
                return self._attempt(made, tried, stream)
            except Exception as error:
                pause = pause_before(error, request, tried) if tried < retries else None
                if pause is None:
                    raise
                time.sleep(pause)
                tried += 1

    def _attempt(self, made: httpx.Request, tried: int, stream: bool) -> httpx.Response:
        try:
            response = self.client.send(made, stream=stream)
            note(self.settings, response, tried)
            if response.is_success or (stream and response.status_code == NOT_MODIFIED):
                return response
            response.read()
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"No answer from {made.url.host}: {error}") from error
        raise error_of(response)

    def events(self, request: ApiRequest) -> Iterator[dict[str, Any]]:
        """Events until the caller leaves the loop, over streams that are reopened when they are cut."""
        place = Place()
        pause = PAUSE_FIRST
        while True:
            try:
                headers = {**lower_cased(request.options.headers), **place.headers()}
                opened = ApiRequest(**{**vars(request), "options": RequestOptions(SILENT, 0, None, headers)})
                with closing(self.send(opened, stream=True)) as response:
                    reader = Reader(place)
                    lines = Lines()
                    for line in (line for data in response.iter_bytes() for line in lines.take(data)):
                        event = reader.take(line)
                        if reader.moved:
                            pause = PAUSE_FIRST
                        if event is not None:
                            yield event
            except Exception as error:
                if not may_go_on(error):
                    raise
            time.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX)
