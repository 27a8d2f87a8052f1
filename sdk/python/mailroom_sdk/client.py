"""The clients, each with a group for each resource of the API."""

from __future__ import annotations

import base64
import math
import mimetypes
import time
from collections.abc import Callable
from typing import Any, BinaryIO, TextIO, TypeVar

import httpx

from .async_transport import AsyncTransport
from .generated.async_groups import AsyncGroups
from .generated.groups import Groups
from .generated.types import AttachmentsInputFormItem1
from .request import settings_of
from .transport import Transport

T = TypeVar("T")

DEFAULT_WAIT = 60.0
#: The longest wait of one request.
REQUEST_WAIT = 55
#: Short, so that there is soon a cursor: a request that is cut and repeated without one would miss earlier messages.
FIRST_WAIT = 1


class WaitTimeoutError(Exception):
    """No matching message arrived in time. `near_misses` are messages that arrived but failed a filter."""

    def __init__(self, address: str, timeout: float, near_misses: list[Any]) -> None:
        super().__init__(f"No matching message arrived at {address} within {timeout} seconds.")
        self.near_misses = near_misses


class Mailroom(Groups):
    """`Mailroom(api_key, base_url)`; both default to the environment, MAILROOM_API_KEY and MAILROOM_BASE_URL."""

    def __init__(
        self, api_key: str | None = None, base_url: str | None = None, *, client: httpx.Client | None = None, **more: Any
    ) -> None:
        self._transport = Transport(settings_of(api_key, base_url, **more), client)
        super().__init__(self._transport)

    def close(self) -> None:
        self._transport.client.close()

    def __enter__(self) -> Mailroom:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_for_message(
        self, address: str, *, timeout: float = DEFAULT_WAIT, claim: int | None = None, **filters: Any
    ) -> dict[str, Any]:
        """
        Waits for the first message that passes all filters; without `since`, for one that is stored from now on. Note the
        time or a cursor before you trigger the mail. With `claim`, the message is leased to the caller for that many seconds:
        parallel waits receive distinct messages. Raises WaitTimeoutError.
        """
        return self._wait(address, timeout, claim, filters, lambda message: message)

    def wait_for_code(
        self, address: str, *, timeout: float = DEFAULT_WAIT, claim: int | None = None, **filters: Any
    ) -> str:
        """Like `wait_for_message`, for a verification code."""
        return self._wait(address, timeout, claim, {"has_code": True, **filters}, code_in)

    def wait_for_link(
        self, address: str, *, timeout: float = DEFAULT_WAIT, claim: int | None = None, **filters: Any
    ) -> str:
        """Like `wait_for_message`, for a verification link, preferably one to the domain that vouches for the author."""
        return self._wait(address, timeout, claim, {"has_link": True, **filters}, link_in)

    def _wait(
        self,
        address: str,
        timeout: float,
        claim: int | None,
        filters: dict[str, Any],
        find: Callable[[dict[str, Any]], T | None],
    ) -> T:
        wait = Waiting(timeout, filters)
        messages = self.mailboxes.messages
        while (query := wait.next()) is not None:
            if claim is None:
                answer: Any = messages.wait(address, **query)
            else:
                answer = messages.wait_and_claim(address, claim=claim, **query)
            found = wait.read(answer, find)
            if found is not None:
                return found
            if claim is not None and answer["message"] is not None:
                messages.release(address, answer["message"]["message_id"])
        raise WaitTimeoutError(address, timeout, wait.near_misses)


class AsyncMailroom(AsyncGroups):
    """Like Mailroom, for asyncio."""

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        client: httpx.AsyncClient | None = None,
        **more: Any,
    ) -> None:
        self._transport = AsyncTransport(settings_of(api_key, base_url, **more), client)
        super().__init__(self._transport)

    async def close(self) -> None:
        await self._transport.client.aclose()

    async def __aenter__(self) -> AsyncMailroom:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def wait_for_message(
        self, address: str, *, timeout: float = DEFAULT_WAIT, claim: int | None = None, **filters: Any
    ) -> dict[str, Any]:
        """Like the method of Mailroom."""
        return await self._wait(address, timeout, claim, filters, lambda message: message)

    async def wait_for_code(
        self, address: str, *, timeout: float = DEFAULT_WAIT, claim: int | None = None, **filters: Any
    ) -> str:
        """Like the method of Mailroom."""
        return await self._wait(address, timeout, claim, {"has_code": True, **filters}, code_in)

    async def wait_for_link(
        self, address: str, *, timeout: float = DEFAULT_WAIT, claim: int | None = None, **filters: Any
    ) -> str:
        """Like the method of Mailroom."""
        return await self._wait(address, timeout, claim, {"has_link": True, **filters}, link_in)

    async def _wait(
        self,
        address: str,
        timeout: float,
        claim: int | None,
        filters: dict[str, Any],
        find: Callable[[dict[str, Any]], T | None],
    ) -> T:
        wait = Waiting(timeout, filters)
        messages = self.mailboxes.messages
        while (query := wait.next()) is not None:
            if claim is None:
                answer: Any = await messages.wait(address, **query)
            else:
                answer = await messages.wait_and_claim(address, claim=claim, **query)
            found = wait.read(answer, find)
            if found is not None:
                return found
            if claim is not None and answer["message"] is not None:
                await messages.release(address, answer["message"]["message_id"])
        raise WaitTimeoutError(address, timeout, wait.near_misses)


class Waiting:
    """A wait that uses as many requests as it takes."""

    def __init__(self, timeout: float, filters: dict[str, Any]) -> None:
        self._ends_at = time.monotonic() + timeout
        self._filters = filters
        self._has_asked = False
        self.near_misses: list[Any] = []

    def next(self) -> dict[str, Any] | None:
        """The query of the next request; None once at least one was made and the time is over."""
        left = self._ends_at - time.monotonic()
        if self._has_asked and left <= 0:
            return None
        most = REQUEST_WAIT if "since" in self._filters else FIRST_WAIT
        return {**self._filters, "timeout": max(1, min(math.ceil(left), most))}

    def read(self, answer: Any, find: Callable[[dict[str, Any]], T | None]) -> T | None:
        self._has_asked = True
        found = None if answer["message"] is None else find(answer["message"])
        self.near_misses = answer["near_misses"]
        self._filters = {**self._filters, "since": answer["cursor"]}
        return found


def code_in(message: dict[str, Any]) -> str | None:
    codes = (message.get("verification") or {}).get("codes") or []
    return codes[0]["value"] if codes else None


def link_in(message: dict[str, Any]) -> str | None:
    links = (message.get("verification") or {}).get("links") or []
    own = [link for link in links if link["same_org"]]
    return (own or links)[0]["url"] if links else None


def attachment(
    name: str, content: str | bytes | bytearray | memoryview | BinaryIO | TextIO, content_type: str | None = None
) -> AttachmentsInputFormItem1:
    """Makes an attachment for a send from text, bytes or an open file, which is read to its end."""
    read = content if isinstance(content, (str, bytes, bytearray, memoryview)) else content.read()
    data = read.encode() if isinstance(read, str) else read
    known = content_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return {"name": name, "contentType": known, "content": base64.b64encode(data).decode()}
