"""Verifies that a webhook request came from Mailroom, by either family of signature headers."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

#: Most signatures that are checked: more than any request of ours has, and each costs a digest.
SIGNATURES_MAX = 10


class WebhookError(Exception):
    """The request cannot be trusted: answer it with `status_code`."""

    status_code = 400


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """
    Verifies a webhook request and returns its event. `body` is the raw body, before anything parsed it. Raises WebhookError for a
    missing or wrong signature, one that is too old or in the future, or a body that is not an event.
    """
    if not isinstance(body, (bytes, str)):
        raise TypeError("Pass the raw body, as bytes or text, not a parsed one.")
    raw = body.encode() if isinstance(body, str) else body
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(secrets):
        raise TypeError('Pass the signing secret of the endpoint, which begins with "whsec_".')
    named = {name.lower(): value for name, value in headers.items()}
    at = time.time() if now is None else now
    own = _is_signed(named.get("x-service-signature"), raw, secrets, at, tolerance)
    if not own and not _is_signed_standard(named, raw, secrets, at, tolerance):
        raise WebhookError("The request has no valid and recent signature.")
    try:
        event = json.loads(raw)
    except ValueError as error:
        raise WebhookError("The body is not JSON.") from error
    if not isinstance(event, dict) or not all(name in event for name in ("id", "type", "created_at", "data")):
        raise WebhookError("The body is not an event.")
    return event


def _is_signed(header: str | None, raw: bytes, secrets: list[str], now: float, tolerance: float) -> bool:
    fields = [part.strip().partition("=") for part in (header or "").split(",")]
    times = [value for name, _, value in fields if name == "t"]
    if len(times) != 1 or not _is_fresh(times[0], now, tolerance):
        return False
    signed = times[0].encode() + b"." + raw
    given = [value for name, _, value in fields if name == "v1"][:SIGNATURES_MAX]
    made = [hmac.new(each.encode(), signed, hashlib.sha256).hexdigest() for each in secrets]
    return any(hmac.compare_digest(one.encode(), other.encode()) for one in made for other in given)


def _is_fresh(seconds: str, now: float, tolerance: float) -> bool:
    """Uses a pattern: `str.isdigit` accepts digits that `int` does not, such as superscripts, and `int` fails on very long numbers."""
    return re.fullmatch(r"[0-9]{1,12}", seconds) is not None and abs(now - int(seconds)) <= tolerance


def _is_signed_standard(
    headers: Mapping[str, str], raw: bytes, secrets: list[str], now: float, tolerance: float
) -> bool:
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not name or not _is_fresh(at, now, tolerance):
        return False
    signed = f"{name}.{at}.".encode() + raw
    given = [each[3:] for each in headers.get("webhook-signature", "").split(" ") if each.startswith("v1,")]
    for secret in secrets:
        try:
            key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except ValueError:
            continue
        made = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(made, each.encode()) for each in given[:SIGNATURES_MAX]):
            return True
    return False
