"""
Requests, and when they may be retried: never if that could do something twice. A wait that claims may claim one message more; a claim
that nobody knows of ends by itself.
"""

from __future__ import annotations

import json
import os
import random
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote

import httpx

from .errors import ApiError, ConnectionFailed

DEFAULT_BASE_URL = "http://127.0.0.1:8080"
DEFAULT_TIMEOUT = 60.0
DEFAULT_RETRIES = 2
FIRST_PAUSE = 0.25
#: Longer pauses than this are left to the caller.
PAUSE_MAX = 30.0
#: How long a request may wait if it does not say how long.
LONGEST_WAIT = 55
NOT_MODIFIED = 304
#: Without a limit: a wait or stream keeps its connection, so with one, requests besides many waits would be blocked until they end.
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


class Unset:
    """The value of a field that is left out; None is null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


@dataclass(frozen=True)
class RequestOptions:
    timeout: float | None = None
    retries: int | None = None
    #: A repeat with the same key gets the first answer. Default: a new key for each call that sends or creates.
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: For a file: the `etag` of the copy that you already have. If the file has not changed, it is not sent, and `is_unchanged` is true.
    if_none_match: str | None = None


@dataclass(frozen=True)
class AnswerInfo:
    method: str
    url: str
    status: int
    request_id: str | None
    #: Whether the answer is that of an earlier request with the same idempotency key.
    is_replayed: bool
    #: How often the request was retried.
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
    """Raises ValueError if the base URL or the key is malformed; the error does not contain the key."""
    url = base_url or os.environ.get("MAILROOM_BASE_URL") or DEFAULT_BASE_URL
    if not re.match(r"https?://[^/]", url, re.IGNORECASE):
        raise ValueError(f'"{url}" is not the address of a service: write it like https://mail.example.com.')
    within = re.match(r"(.+?)/+api/(?:v1|mcp)(?![^/])", url)
    if within is not None:
        raise ValueError(f'"{url}" is an address within the API: write {within[1]}.')
    key = (api_key or os.environ.get("MAILROOM_API_KEY") or "").strip()
    if re.search(r"[^\x21-\x7e]", key):
        raise ValueError("The API key contains characters that no key has: pass it exactly as it was shown.")
    return Settings(key or None, url.rstrip("/"), timeout, retries, headers or {}, on_answer)


@dataclass(frozen=True)
class ApiRequest:
    method: str
    path: str
    query: Mapping[str, Any]
    body: Mapping[str, Any] | None
    #: Whether the service honours an idempotency key here.
    is_idempotent: bool
    #: Whether it waits for something to happen, for up to `timeout` or `wait` seconds.
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
    """Returns the fields without those that are left out."""
    return {name: value for name, value in fields.items() if not isinstance(value, Unset)}


def segment(text: str) -> str:
    """A part of a path: one percent-encoded segment."""
    if text in ("", ".", ".."):
        raise ValueError(f'"{text}" is not an id, name or address.')
    return quote(text, safe="")


def http_request(client: httpx.Client | httpx.AsyncClient, settings: Settings, request: ApiRequest) -> httpx.Request:
    options = request.options
    key = options.idempotency_key
    if key is None and request.is_idempotent:
        key = str(uuid.uuid4())
    if key is not None and re.search(r"[^\t\x20-\x7e\x80-\xff]", key):
        raise ValueError(
            "The idempotency key contains a character that a header cannot carry: write it in ASCII, or use a hash of it."
        )
    headers = {
        "accept": "application/json",
        **({"authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}),
        **({} if request.body is None else {"content-type": "application/json"}),
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
        content=None if request.body is None else json_of(request.body),
        # As browsers and Node write them.
        headers=httpx.Headers(headers, encoding="latin-1"),
        timeout=timeout_of(settings, request),
    )


def lower_cased(headers: Mapping[str, str]) -> dict[str, str]:
    """Lower-cases names, so that each counts once: two spellings would both be sent, and be joined into a third value."""
    return {name.lower(): value for name, value in headers.items()}


def place_name(query: Mapping[str, Any]) -> str:
    """The parameter for `next` of a page; it depends on the direction, because events can also be read forwards."""
    return "after" if query.get("after") is not None or query.get("wait") else "before"


def timeout_of(settings: Settings, request: ApiRequest) -> float:
    own = request.options.timeout if request.options.timeout is not None else settings.timeout
    if not request.waits:
        return own
    told = {**request.query, **(request.body or {})}
    longest = next((told[name] for name in ("timeout", "wait") if told.get(name) is not None), LONGEST_WAIT)
    return own + float(longest)


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return time_of(value) if isinstance(value, datetime) else str(value)


def json_of(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=time_in).encode()


def time_in(value: object) -> str:
    """A value that JSON has no form for: only a datetime can be sent, as text."""
    if isinstance(value, datetime):
        return time_of(value)
    raise TypeError(f"{value!r} cannot be sent: JSON has no {type(value).__name__}.")


def time_of(value: datetime) -> str:
    """In UTC. Raises ValueError without a zone: the one of this machine would be a guess."""
    if value.utcoffset() is None:
        raise ValueError(f"The time {value} names no zone: make it with one, such as datetime.now(UTC).")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


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
            f"{response.request.url.host} redirects elsewhere, and the key is not sent there, to"
            f" {response.headers['location']}: write the base URL of the service."
        )
    try:
        body = response.json()
    except ValueError:
        body = None
    return ApiError(response.status_code, body, response.headers)


def pause_before(error: Exception, request: ApiRequest, tried: int) -> float | None:
    """How many seconds to wait before a retry; None if the request may not be retried."""
    is_safe = request.method in ("GET", "PUT") or request.is_idempotent or request.waits
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
    """RFC 6266: the extended form takes precedence over the plain one."""
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
        raise ConnectionFailed("No more of the file arrived in time.") from error
    except httpx.TransportError as error:
        raise ConnectionFailed("The connection was cut within the file.") from error
