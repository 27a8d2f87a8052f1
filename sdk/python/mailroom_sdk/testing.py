"""Inboxes for tests of programs that send mail. For pytest there is the fixture `mailroom_inbox`, with a new inbox for each test."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .client import Mailroom

#: Before any mail of the inbox, so that all of it counts.
BEGINNING = "1970-01-01T00:00:00.000Z"


class Inbox:
    def __init__(self, mail: Mailroom, address: str) -> None:
        self._mail = mail
        self.address = address

    def wait_for_message(self, **filters: Any) -> dict[str, Any]:
        return self._mail.wait_for_message(self.address, **{"since": BEGINNING, **filters})

    def wait_for_code(self, **filters: Any) -> str:
        return self._mail.wait_for_code(self.address, **{"since": BEGINNING, **filters})

    def wait_for_link(self, **filters: Any) -> str:
        return self._mail.wait_for_link(self.address, **{"since": BEGINNING, **filters})


@contextmanager
def fresh_inbox(mail: Mailroom, *, domain: str | None = None, prefix: str = "test") -> Iterator[Inbox]:
    """Creates an inbox with an address that was never used before, and deletes it at the end."""
    at = domain or _own_domain(mail)
    made = mail.mailboxes.create(address=f"{prefix}-{secrets.token_hex(5)}@{at}", display_name="Test")
    try:
        yield Inbox(mail, made["address"])
    finally:
        mail.mailboxes.delete(made["address"])


def _own_domain(mail: Mailroom) -> str:
    page = mail.mailboxes.list(limit=1).first()
    if not page["mailboxes"]:
        raise ValueError('Name the "domain": the key reaches no mailbox whose domain could be used.')
    return page["mailboxes"][0]["domain"]


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture
    def mailroom_inbox() -> Iterator[Inbox]:
        """A new inbox of the service that MAILROOM_BASE_URL and MAILROOM_API_KEY select."""
        with Mailroom() as mail, fresh_inbox(mail) as inbox:
            yield inbox
