"""What a request is, and when it may be made again: never where that could do a thing twice."""

from __future__ import annotations

import os
import random
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

import httpx

from .errors import ApiError, ConnectionFailed

DEFAULT_BASE_URL = "http://127.0.0.1:8080"
DEFAULT_TIMEOUT = 60.0
DEFAULT_RETRIES = 2
FIRST_PAUSE = 0.25
#: A longer wait than this is for the caller to decide on.
PAUSE_MAX = 30.0
#: The longest that a request waits which does not say how long.
LONGEST_WAIT = 55
NOT_MODIFIED = 304
#: A wait or a stream has its connection for as long as it lasts: with a most, what is asked beside many of them would wait for their end.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


class Unset:
    """Stands for what is left out; None is null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


@dataclass(frozen=True)
class RequestOptions:
    timeout: float | None = None
    retries: int | None = None
    #: A repeat with the same key gets the first answer. Default: one of its own for each call that sends or creates.
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Of a file: the `etag` of one that is there already. As long as it is the same, nothing of it is sent, and `is_unchanged` says so.
    if_none_match: str | None = None


@dataclass(frozen=True)
class AnswerInfo:
    method: str
    url: str
    status: int
    request_id: str | None
    #: Whether an earlier request with the same idempotency key had done it.
    is_replayed: bool
    #: How often the request was made before.
    retries: int


@dataclass(frozen=True)
class Settings:
    api_key: str | None
    base_url: str
    timeout: float
    retries: int
    headers: Mapping[str, str]
    on_answer: Callable[[AnswerInfo], None] | None


def settings_of(
    api_key: str | None = None,
    base_url: str | None = None,
    *,
    timeout: float = DEFAULT_TIMEOUT,
    retries: int = DEFAULT_RETRIES,
    headers: Mapping[str, str] | None = None,
    on_answer: Callable[[AnswerInfo], None] | None = None,
) -> Settings:
    """Raises ValueError where the base URL is no address, and where the key cannot be one; the key is not told."""
    url = base_url or os.environ.get("MAILROOM_BASE_URL") or DEFAULT_BASE_URL
    if not re.match(r"https?://[^/]", url, re.IGNORECASE):
        raise ValueError(f'"{url}" is no address of a service: write it like https://mail.example.com.')
    key = (api_key or os.environ.get("MAILROOM_API_KEY") or "").strip()
    if re.search(r"[^\x21-\x7e]", key):
        raise ValueError("The API key has characters that no key has: pass it as it was shown.")
    return Settings(key or None, url.rstrip("/"), timeout, retries, headers or {}, on_answer)


@dataclass(frozen=True)
class ApiRequest:
    method: str
    path: str
    query: Mapping[str, Any]
    body: Mapping[str, Any] | None
    #: Whether the service respects an idempotency key here.
    is_idempotent: bool
    #: Whether it answers when something happens: `timeout` or `wait` seconds later at most.
    waits: bool
    options: RequestOptions


def request_of(
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    is_idempotent: bool = False,
    waits: bool = False,
    options: RequestOptions | None = None,
) -> ApiRequest:
    return ApiRequest(method, path, query or {}, body, is_idempotent, waits, options or RequestOptions())


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those that are left out."""
    return {name: value for name, value in fields.items() if not isinstance(value, Unset)}


def segment(text: str) -> str:
    """A part of a path: one percent-encoded segment."""
    if text in ("", ".", ".."):
        raise ValueError(f'"{text}" is no id, name or address.')
    return quote(text, safe="")


def http_request(client: httpx.Client | httpx.AsyncClient, settings: Settings, request: ApiRequest) -> httpx.Request:
    options = request.options
    key = options.idempotency_key
    if key is None and request.is_idempotent:
        key = str(uuid.uuid4())
    headers = {
        "accept": "application/json",
        **({"authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}),
        **({} if key is None else {"idempotency-key": key}),
        **lower_cased(settings.headers),
        **lower_cased(options.headers),
        **({} if options.if_none_match is None else {"if-none-match": options.if_none_match}),
    }
    path = request.path if request.path.startswith("/api/") else f"/api/v1{request.path}"
    query = {name: text_of(value) for name, value in request.query.items() if value is not None}
    return client.build_request(
        request.method,
        settings.base_url + path,
        params=query or None,
        json=request.body if request.body is not None else None,
        headers=headers,
        timeout=timeout_of(settings, request),
    )


def lower_cased(headers: Mapping[str, str]) -> dict[str, str]:
    """So that a name counts once, however it is written: both would be sent, and make a third value."""
    return {name.lower(): value for name, value in headers.items()}


def place_name(query: Mapping[str, Any]) -> str:
    """What `next` of a page is passed as: events are read forward too."""
    return "after" if query.get("after") is not None or query.get("wait") else "before"


def timeout_of(settings: Settings, request: ApiRequest) -> float:
    own = request.options.timeout if request.options.timeout is not None else settings.timeout
    if not request.waits:
        return own
    told = {**request.query, **(request.body or {})}
    longest = next((told[name] for name in ("timeout", "wait") if told.get(name) is not None), LONGEST_WAIT)
    return own + float(longest)


def text_of(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def note(settings: Settings, response: httpx.Response, retries: int) -> None:
    if settings.on_answer is None:
        return
    headers = response.headers
    settings.on_answer(
        AnswerInfo(
            response.request.method,
            str(response.request.url),
            response.status_code,
            headers.get("x-request-id"),
            headers.get("idempotent-replayed") == "true",
            retries,
        )
    )


def error_of(response: httpx.Response) -> ApiError | ConnectionFailed:
    if response.has_redirect_location:
        return ConnectionFailed(
            f"{response.request.url.host} leads elsewhere, where the key is not sent, to"
            f" {response.headers['location']}: write the base URL of the service."
        )
    try:
        body = response.json()
    except ValueError:
        body = None
    return ApiError(response.status_code, body, response.headers)


def pause_before(error: Exception, request: ApiRequest, tried: int) -> float | None:
    """How many seconds to wait before a request is made again; None when it may not be."""
    is_safe = request.method in ("GET", "PUT") or request.is_idempotent
    growing = FIRST_PAUSE * 2**tried * (0.5 + random.random() / 2)
    if isinstance(error, ConnectionFailed):
        return growing if is_safe else None
    if not isinstance(error, ApiError):
        return None
    is_refused = error.status_code == 429 or error.code == "idempotency_in_progress"
    if not is_refused and not (is_safe and error.status_code >= 500):
        return None
    pause = growing if error.retry_after is None else max(float(error.retry_after), growing)
    return pause if pause <= PAUSE_MAX else None


def file_name(disposition: str) -> str | None:
    """RFC 6266: the extended form goes before the plain one."""
    extended = re.search(r"filename\*=UTF-8''([^;]+)", disposition, re.IGNORECASE)
    if extended is not None:
        return unquote(extended[1])
    plain = re.search(r'filename="((?:[^"\\]|\\.)*)"', disposition, re.IGNORECASE)
    return None if plain is None else re.sub(r"\\(.)", r"\1", plain[1])


def result_of(response: httpx.Response, settings: Settings) -> Any:
    try:
        result = response.json()
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise ConnectionFailed(
            f"What answers at {settings.base_url} is not the API: write the base URL of the service, without a path."
        )
    result.pop("success", None)
    return result


@contextmanager
def reading_file() -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise ConnectionFailed("Nothing more of the file came in time.") from error
    except httpx.TransportError as error:
        raise ConnectionFailed("The file was cut.") from error
