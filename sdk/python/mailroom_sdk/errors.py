"""Errors of requests."""

from __future__ import annotations

from typing import Any

import httpx


class ApiError(Exception):
    """The service answered with an error: branch on `code`; `fix` says what to change."""

    def __init__(self, status_code: int, body: Any, headers: httpx.Headers) -> None:
        told = body if isinstance(body, dict) else {}
        super().__init__(told.get("error") or f"The service answered with status {status_code}.")
        self.status_code = status_code
        self.body = body
        self.code: str = told.get("code") or "unknown"
        self.fix: str | None = told.get("fix")
        self.docs: str | None = told.get("docs")
        self.param: str | None = told.get("param")
        self.required_scope: str | None = told.get("requiredScope")
        self.request_id: str | None = headers.get("x-request-id")
        seconds = headers.get("retry-after", "")
        self.retry_after: int | None = int(seconds) if seconds.isdigit() else None


class ConnectionFailed(Exception):
    """There was no answer: the service could not be reached, the connection was cut, or it took too long."""
