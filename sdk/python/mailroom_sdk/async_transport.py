"""The transport of requests for asyncio programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
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


class AsyncDownload:
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

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        with reading_file():
            async for chunk in self._response.aiter_bytes():
                yield chunk

    async def read(self) -> bytes:
        with reading_file():
            return await self._response.aread()

    async def close(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncPageList(Generic[Page, Item]):
    """A list: iterating it gives all items, page by page; `await first()` gives the first page."""

    def __init__(self, items: str, transport: AsyncTransport, request: ApiRequest) -> None:
        self._items = items
        self._transport = transport
        self._request = request

    async def first(self) -> Page:
        return await anext(self.pages())

    async def pages(self) -> AsyncIterator[Page]:
        query = dict(self._request.query)
        while True:
            request = ApiRequest(**{**vars(self._request), "query": query})
            page = await self._transport.json(request)
            yield page
            if page.get("next") is None:
                return
            query[place_name(query)] = page["next"]

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page[self._items]:  # type: ignore[index]
                yield item


class AsyncGroup:
    """Methods on one resource."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _call(self, method: str, path: str, **more: Any) -> Any:
        return await self._transport.json(request_of(method, path, **more))

    def _pages(self, items: str, method: str, path: str, **more: Any) -> AsyncPageList[Any, Any]:
        return AsyncPageList(items, self._transport, request_of(method, path, **more))

    async def _download(self, method: str, path: str, **more: Any) -> AsyncDownload:
        return AsyncDownload(await self._transport.send(request_of(method, path, **more), stream=True))

    def _events(self, method: str, path: str, **more: Any) -> AsyncIterator[dict[str, Any]]:
        return self._transport.events(request_of(method, path, **more))


class AsyncTransport:
    def __init__(self, settings: Settings, client: httpx.AsyncClient | None = None) -> None:
        self.settings = settings
        self.client = client or httpx.AsyncClient(limits=LIMITS)

    async def json(self, request: ApiRequest) -> Any:
        return result_of(await self.send(request), self.settings)

    async def send(self, request: ApiRequest, *, stream: bool = False) -> httpx.Response:
        """Makes a request, and retries it until it succeeds."""
        retries = request.options.retries if request.options.retries is not None else self.settings.retries
        made = http_request(self.client, self.settings, request)
        tried = 0
        while True:
            try:
                return await self._attempt(made, tried, stream)
            except Exception as error:
                pause = pause_before(error, request, tried) if tried < retries else None
                if pause is None:
                    raise
                await asyncio.sleep(pause)
                tried += 1

    async def _attempt(self, made: httpx.Request, tried: int, stream: bool) -> httpx.Response:
        try:
            response = await self.client.send(made, stream=stream)
            note(self.settings, response, tried)
            if response.is_success or (stream and response.status_code == NOT_MODIFIED):
                return response
            await response.aread()
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"No answer from {made.url.host}: {error}") from error
        raise error_of(response)

    async def events(self, request: ApiRequest) -> AsyncIterator[dict[str, Any]]:
        """Events until the caller leaves the loop, over streams that are reopened when they are cut."""
        place = Place()
        pause = PAUSE_FIRST
        while True:
            try:
                headers = {**lower_cased(request.options.headers), **place.headers()}
                opened = ApiRequest(**{**vars(request), "options": RequestOptions(SILENT, 0, None, headers)})
                response = await self.send(opened, stream=True)
                try:
                    reader = Reader(place)
                    lines = Lines()
                    async for line in (line async for data in response.aiter_bytes() for line in lines.take(data)):
                        event = reader.take(line)
                        if reader.moved:
                            pause = PAUSE_FIRST
                        if event is not None:
                            yield event
                finally:
                    await response.aclose()
            except Exception as error:
                if not may_go_on(error):
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, PAUSE_MAX)
