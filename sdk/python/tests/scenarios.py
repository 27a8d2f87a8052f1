"""Drives the package against a service: `scenarios.py NAME URL KEY ADDRESS`. test/sdk/python.test.ts runs them all."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import io
import json
import sys
import time
from datetime import UTC, datetime, timedelta, timezone

import httpx

from mailroom_sdk import (
    AnswerInfo,
    ApiError,
    AsyncMailroom,
    ConnectionFailed,
    Mailroom,
    RequestOptions,
    WaitTimeoutError,
    WebhookError,
    attachment,
    verify_webhook,
)
from mailroom_sdk.testing import fresh_inbox


def refused(call, *given, **named) -> ApiError:
    try:
        call(*given, **named)
    except ApiError as error:
        return error
    raise AssertionError("it was not refused")


def deliver(to: str, subject: str, text: str) -> None:
    """Asks whoever runs this to have a mail arrive."""
    print(json.dumps({"to": to, "subject": subject, "text": text}), flush=True)


def cut() -> None:
    """Asks whoever runs this to cut all connections, and the next one too."""
    print(json.dumps({"cut": True}), flush=True)
    assert sys.stdin.readline() == "cut\n"


def way(url: str, key: str, address: str) -> None:
    with Mailroom(key, url) as mail:
        inbox = mail.mailboxes.create(address="python@tenant.example", display_name="Python")
        own = inbox["address"]
        assert inbox["displayName"] == "Python" and "success" not in inbox
        assert mail.mailboxes.update(own, display_name=None)["displayName"] is None

        since = mail.mailboxes.messages.list(own).first()["cursor"]
        deliver(own, "News", "Nothing")
        deliver(own, "Code", "Your verification code is 482913.")
        assert mail.wait_for_code(own, since=since, timeout=30) == "482913"
        assert mail.wait_for_code(own, since=since, claim=600, timeout=30) == "482913"
        try:
            mail.wait_for_code(own, since=since, claim=600, timeout=0)
            raise AssertionError("it is claimed")
        except WaitTimeoutError:
            pass
        for n in range(4):
            deliver(own, f"Mail {n}", "x")
        mail.wait_for_message(own, since=since, subject="Mail 3", timeout=30)
        listed = mail.mailboxes.messages.list(own, limit=2)
        assert len(listed.first()["messages"]) == 2
        subjects = [message["subject"] for message in listed]
        assert len(subjects) == 6 and subjects[0] == "Mail 3", subjects
        by_hand, place = [], None
        while not by_hand or place is not None:
            page = mail.mailboxes.messages.list(own, limit=4, label=None, before=place).first()
            by_hand += [message["subject"] for message in page["messages"]]
            place = page["next"]
        assert by_hand == subjects, by_hand
        made = [attachment("a", content)["content"] for content in ("é", "é".encode(), bytearray("é".encode()), memoryview("é".encode()), io.StringIO("é"))]
        assert made == ["w6k="] * 5, made
        file = attachment('Ärger "a".bin', io.BytesIO(b"\0\xff" * 1000))
        sent = mail.mailboxes.messages.send(address, to=own, subject="File", text="x", attachments=[file])
        copy = mail.mailboxes.messages.get(address, sent["message_id"])
        with mail.mailboxes.messages.attachment(address, copy["message_id"], copy["attachments"][0]["id"]) as read:
            assert read.name == "Ärger _a_.bin", read.name
            assert read.size == 2000 and b"".join(read.iter_bytes()) == b"\0\xff" * 1000
            assert not read.is_unchanged
        same = RequestOptions(if_none_match=read.etag)
        with mail.mailboxes.messages.attachment(address, copy["message_id"], copy["attachments"][0]["id"], options=same) as read:
            assert read.is_unchanged and read.read() == b""
        try:
            mail.wait_for_message(own, subject="never", timeout=0.5)
            raise AssertionError("it came")
        except WaitTimeoutError as error:
            assert error.near_misses == []
        two = "Confirm your address: https://b.example/verify?token=1a2b3c4d5e6f\n\nVerify it: https://remote.example/verify?token=1a2b3c4d5e6f"
        deliver(own, "Two links", two)
        link = mail.wait_for_link(own, since=since, subject="Two links", timeout=20)
        assert link == "https://remote.example/verify?token=1a2b3c4d5e6f", link
        with fresh_inbox(mail, domain="tenant.example") as fresh:
            deliver(fresh.address, "Link", "Please verify your address: https://a.example/verify?token=abcdef123456")
            assert fresh.wait_for_link(timeout=20) == "https://a.example/verify?token=abcdef123456"
        assert refused(mail.mailboxes.get, fresh.address).code == "mailbox_not_found"


def times(url: str, key: str, address: str) -> None:
    with Mailroom(key, url) as mail:
        own = mail.mailboxes.create(address="times@tenant.example")["address"]
        before = mail.mailboxes.messages.list(own).first()["cursor"]
        deliver(own, "Dated", "Your verification code is 482913.")
        at = datetime.fromisoformat(mail.wait_for_message(own, since=before, timeout=30)["received_at"])
        later = (at + timedelta(minutes=1)).astimezone(timezone(timedelta(hours=5, minutes=30)))
        assert [message["subject"] for message in mail.mailboxes.messages.list(own, since=at, until=later)] == ["Dated"]
        assert list(mail.mailboxes.messages.list(own, since=later)) == []
        assert mail.wait_for_code(own, since=at, timeout=5) == "482913"
        assert mail.wait_for_message(own, since=at, claim=60, timeout=5)["subject"] == "Dated"
        assert len(mail.usage.daily(since=at)["days"]) == 1 and len(mail.usage.daily(since=at.date())["days"]) == 1
        when = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
        sent = mail.mailboxes.messages.send(own, to=own, text="x", send_at=when.astimezone(timezone(timedelta(hours=-8))))
        assert sent["sendAt"] == f"{when:%Y-%m-%dT%H:%M:%S}.000Z", sent["sendAt"]
        nested = mail.mailboxes.update(own, auto_reply={"enabled": True, "subject": "Away", "text": "x", "until": when})
        assert nested["autoReply"]["until"] == sent["sendAt"], nested
        zoneless = datetime(2026, 1, 31, 12)
        for call in (
            lambda: mail.mailboxes.messages.list(own, since=zoneless).first(),
            lambda: mail.mailboxes.messages.send(own, to=own, text="x", send_at=zoneless),
        ):
            try:
                call()
                raise AssertionError("it has no zone")
            except ValueError as error:
                assert "2026-01-31 12:00:00" in str(error) and "datetime.now(UTC)" in str(error), error


def errors(url: str, key: str, address: str) -> None:
    """The gateway redirects the fifth request elsewhere."""
    with Mailroom(key, url) as mail:
        missing = refused(mail.mailboxes.get, "nobody@tenant.example")
        assert (missing.status_code, missing.code) == (404, "mailbox_not_found")
        assert missing.fix and missing.request_id and "#mailbox_not_found" in (missing.docs or "")
        wrong = refused(mail.mailboxes.messages.list(address, limit=0).first)
        assert (wrong.code, wrong.param) == ("validation_error", "limit")
        try:
            mail.mailboxes.get("..")
            raise AssertionError("it is no address")
        except ValueError:
            pass
    for given in ((key, "mail.example.com"), (key, f"{url}/api/v1/mailboxes/{address}"), (f"{key}\u2026", url), (f"{key}\nx", url)):
        try:
            Mailroom(*given)
            raise AssertionError("it was taken")
        except ValueError as error:
            assert key not in str(error)
    with Mailroom(f"{key}\n", url) as mail:
        assert mail.account.get()["id"]
    with Mailroom("svc_live_wrong", url) as mail:
        assert refused(mail.account.get).code == "invalid_api_key"
    with Mailroom(key, url, retries=0) as mail:
        try:
            mail.account.get()
            raise AssertionError("it was redirected")
        except ConnectionFailed as error:
            assert "redirects elsewhere" in str(error) and "https://other.example" in str(error)


def retries(url: str, key: str, address: str) -> None:
    """The gateway answers 503, cuts, and cuts in the middle of the answer."""
    seen: list[int] = []
    with Mailroom(key, url, retries=3, on_answer=lambda answer: seen.append(answer.retries)) as mail:
        sent = mail.mailboxes.messages.send(address, to=address, subject="Once in Python", text="x")
        found = [message["message_id"] for message in mail.mailboxes.messages.list(address, subject="Once in Python", folder="sent")]
        assert found == [sent["message_id"]], (found, seen)


def headers(url: str, key: str, address: str) -> None:
    with Mailroom("svc_live_wrong", url, headers={"Authorization": f"Bearer {key}"}) as mail:
        sent = {
            mail.mailboxes.messages.send(
                address, to=address, subject="By header", text="x", options=RequestOptions(headers={name: "by-header"})
            )["id"]
            for name in ("Idempotency-Key", "idempotency-key", "IDEMPOTENCY-KEY")
        }
        assert len(sent) == 1, sent
        empty = RequestOptions(idempotency_key="")
        error = refused(mail.mailboxes.messages.send, address, to=address, text="x", options=empty)
        assert error.code == "idempotency_key_invalid"
        spelt = RequestOptions(idempotency_key="Größe-66")
        twice = {mail.mailboxes.messages.send(address, to=address, text="x", options=spelt)["id"] for _ in range(2)}
        assert len(twice) == 1, twice
        for key in ("order-€", "order\n66"):
            try:
                mail.mailboxes.messages.send(address, to=address, text="x", options=RequestOptions(idempotency_key=key))
                raise AssertionError(f"{key} was sent")
            except ValueError as error:
                assert "ASCII" in str(error), error


def once(url: str, key: str, address: str) -> None:
    """The gateway cuts a request that must not be repeated, and answers another with a Retry-After of an hour."""
    with Mailroom(key, url) as mail:
        try:
            mail.mailboxes.update(address, display_name="Other")
            raise AssertionError("it was repeated")
        except ConnectionFailed:
            pass
        patient = refused(mail.mailboxes.messages.send, address, to=address, subject="x", text="x")
        assert (patient.status_code, patient.retry_after) == (429, 3600)


def files(url: str, key: str, address: str) -> None:
    """The gateway cuts two files in the middle, stalls one, and answers another request with something that is not the API."""
    found = []
    with Mailroom(key, url) as mail:
        file = attachment("half.bin", bytes(200_000))
        # As many requests as the gateway passes on.
        sent = mail.mailboxes.messages.send(address, to=address, text="x", attachments=[file])
        copy = mail.mailboxes.messages.get(address, sent["message_id"])
        at = (address, copy["message_id"], copy["attachments"][0]["id"])
        for read in (lambda file: file.read(), lambda file: list(file.iter_bytes()), lambda file: file.read()):
            try:
                with mail.mailboxes.messages.attachment(*at, options=RequestOptions(timeout=5)) as half:
                    read(half)
            except ConnectionFailed as error:
                found.append(str(error))
        try:
            mail.account.get()
        except ConnectionFailed as error:
            found.append(str(error))
    assert [text.split()[0] for text in found] == ["The", "The", "No", "What"], found


def cut_wait(url: str, key: str, address: str) -> None:
    """The gateway refuses the wait, and a mail arrives before the retry."""

    def heard(answer: AnswerInfo) -> None:
        if answer.status == 503:
            deliver(address, "Meanwhile", "x")

    with Mailroom(key, url, on_answer=heard) as mail:
        assert mail.wait_for_message(address, timeout=30)["subject"] == "Meanwhile"
        since = mail.mailboxes.messages.list(address).first()["cursor"]
        deliver(address, "Again", "x")
        mail.wait_for_message(address, since=since, timeout=20)
        assert mail.wait_for_message(address, since=since, timeout=0)["subject"] == "Again"


def cut_claim(url: str, key: str, address: str) -> None:
    """The gateway refuses the wait, and a mail arrives before the retry."""

    def heard(answer: AnswerInfo) -> None:
        if answer.status == 503:
            deliver(address, "Meanwhile claimed", "x")

    with Mailroom(key, url, on_answer=heard) as mail:
        assert mail.wait_for_message(address, claim=600, timeout=30)["subject"] == "Meanwhile claimed"


def asyncio_cut_wait(url: str, key: str, address: str) -> None:
    def heard(answer: AnswerInfo) -> None:
        if answer.status == 503:
            deliver(address, "Meanwhile in asyncio", "x")

    async def main() -> None:
        async with AsyncMailroom(key, url, on_answer=heard) as mail:
            assert (await mail.wait_for_message(address, timeout=30))["subject"] == "Meanwhile in asyncio"

    asyncio.run(main())


def stream(url: str, key: str, address: str) -> None:
    """The stream is cut midway, and the next one before it begins. The events contain characters that end a line in Python."""
    odd = "a\u2028b\u2029c"
    with Mailroom(key, url) as mail:
        start = mail.events.list().first()["cursor"]

        def make(*numbers: int) -> None:
            for n in numbers:
                mail.mailboxes.create(address=f"stream{n}@tenant.example", display_name=odd)

        make(0, 1)
        seen = []
        for event in mail.events.stream(type="mailbox.created", after=start):
            seen.append(event["data"]["address"])
            assert event["data"]["displayName"] == odd
            if len(seen) == 2:
                make(2, 3)
                cut()
            if len(seen) == 4:
                break
        assert seen == [f"stream{n}@tenant.example" for n in range(4)], seen
        forward = [event["data"]["address"] for event in mail.events.list(type="mailbox.created", after=start, limit=1)]
        assert forward == seen, forward


def webhook(_url: str, _key: str, _address: str) -> None:
    secret = "whsec_" + "A" * 44
    body = json.dumps({"id": "evt_1", "type": "message.received", "created_at": "now", "data": {}}).encode()
    at = int(time.time())

    def header(given: bytes, when: int) -> dict[str, str]:
        digest = hmac.new(secret.encode(), f"{when}.".encode() + given, hashlib.sha256).hexdigest()
        return {"X-Service-Signature": f"t={when},v1={digest}"}

    assert verify_webhook(body, header(body, at), secret)["id"] == "evt_1"
    forgeries = [
        (body, {}, secret),
        (body + b" ", header(body, at), secret),
        (body, header(body, at - 301), secret),
        (body, header(body, at + 301), secret),
        (body, header(body, at), "whsec_" + "B" * 44),
        (b"no json", header(b"no json", at), secret),
        (b"{}", header(b"{}", at), secret),
        *((body, {"X-Service-Signature": f"t={when},v1=00"}, secret) for when in ("\xb2", "9" * 5_000, "", "\u0661")),
        (body, {"webhook-id": "evt_1", "webhook-timestamp": "\xb2", "webhook-signature": "v1,AA=="}, secret),
    ]
    for given, headers, key in forgeries:
        try:
            verify_webhook(given, headers, key)
            raise AssertionError(f"{given!r} was trusted")
        except WebhookError as error:
            assert error.status_code == 400
    standard = httpx.Headers(json.loads(sys.stdin.read()))
    assert verify_webhook(standard["x-body"].encode(), standard, standard["x-secret"])["id"]


def asyncio_many(url: str, key: str, address: str) -> None:
    """More waits at once than httpx opens connections by default."""

    async def main() -> None:
        async with AsyncMailroom(key, url) as mail:
            since = (await mail.mailboxes.messages.list(address).first())["cursor"]
            waits = [
                asyncio.create_task(mail.wait_for_message(address, since=since, subject="For many", timeout=50))
                for _ in range(110)
            ]
            await asyncio.sleep(0)
            assert (await mail.account.get())["id"]
            assert not any(wait.done() for wait in waits)
            deliver(address, "For many", "x")
            found = {message["message_id"] for message in await asyncio.gather(*waits)}
            assert len(found) == 1, found

    asyncio.run(main())


def asyncio_way(url: str, key: str, address: str) -> None:
    async def main() -> None:
        async with AsyncMailroom(key, url) as mail:
            begin = (await mail.events.list(limit=1).first())["cursor"]
            created = await asyncio.gather(
                *(mail.mailboxes.create(address=f"async{n}@tenant.example") for n in range(3))
            )
            own = created[0]["address"]
            since = (await mail.mailboxes.messages.list(own).first())["cursor"]
            waiting = asyncio.create_task(mail.wait_for_code(own, since=since, timeout=30))
            deliver(own, "Code", "Your verification code is 771204.")
            assert await waiting == "771204"
            addresses = [each["address"] async for each in mail.mailboxes.list(limit=2)]
            assert len(addresses) == len(set(addresses)) >= 4
            try:
                await mail.account.get(options=RequestOptions(headers={"authorization": "Bearer x"}))
                raise AssertionError("the key is wrong")
            except ApiError as error:
                assert error.status_code == 401
            raw = await mail.mailboxes.messages.raw(own, (await mail.mailboxes.messages.list(own).first())["messages"][0]["message_id"])
            assert b"771204" in await raw.read() and not raw.is_unchanged
            same = RequestOptions(if_none_match=raw.etag)
            message_id = (await mail.mailboxes.messages.list(own).first())["messages"][0]["message_id"]
            async with await mail.mailboxes.messages.raw(own, message_id, options=same) as raw:
                assert raw.is_unchanged and await raw.read() == b""
            waits = [mail.wait_for_code(own, since=since, subject="Claimed", claim=600, timeout=30) for _ in range(3)]
            for n in range(3):
                deliver(own, f"Claimed {n}", f"Your verification code is 77120{n}.")
            assert sorted(await asyncio.gather(*waits)) == ["771200", "771201", "771202"]
            start = (await mail.events.list().first())["cursor"]
            await mail.mailboxes.create(address="async-odd@tenant.example", display_name="a\u2028b")
            async for event in mail.events.stream(type="mailbox.created", after=start):
                assert event["data"]["displayName"] == "a\u2028b"
                break
            forward = [each["data"]["address"] async for each in mail.events.list(type="mailbox.created", after=begin, limit=1)]
            assert sorted(forward[:3]) == sorted(each["address"] for each in created), forward

    asyncio.run(main())


if __name__ == "__main__":
    name, *given = sys.argv[1:]
    globals()[name](*given)
    print("passed")
