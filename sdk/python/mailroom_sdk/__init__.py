"""Mailroom for Python: see README.md."""

from .client import AsyncMailroom, Mailroom, WaitTimeoutError, attachment
from .errors import ApiError, ConnectionFailed
from .request import UNSET, AnswerInfo, RequestOptions
from .webhooks import WebhookError, verify_webhook

__all__ = [
    "UNSET",
    "AnswerInfo",
    "ApiError",
    "AsyncMailroom",
    "ConnectionFailed",
    "Mailroom",
    "RequestOptions",
    "WaitTimeoutError",
    "WebhookError",
    "attachment",
    "verify_webhook",
]
