# Written by `npm run generate` from operations/ and schemas/: change those.
from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, overload

from ..request import UNSET, RequestOptions, Unset, given, segment
from ..transport import Download, Group, PageList, Transport
from . import types as t


class Signup(Group):
    def create(
        self,
        *,
        name: str | Unset = UNSET,
        inbox: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.SignupCreateResult:
        """Get a free address, an inbox on it and a key bound to that inbox, without an account."""
        return self._call('POST', '/signup', body=given({'name': name, 'inbox': inbox}), options=options)


class People(Group):
    def create(
        self,
        *,
        email: str,
        password: str,
        name: str,
        invitation: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PeopleCreateResult:
        """Sign up as a person. The answer is the same whether or not the address is known; the next step comes by mail."""
        return self._call('POST', '/people', body=given({'email': email, 'password': password, 'name': name, 'invitation': invitation}), options=options)

    def verify(
        self,
        *,
        token: str,
        options: RequestOptions | None = None,
    ) -> t.PeopleVerifyResult:
        """Complete a sign-up with the token of the mailed link; the person can then sign in."""
        return self._call('POST', '/people/verify', body=given({'token': token}), options=options)

    def reset(
        self,
        *,
        email: str | Unset = UNSET,
        token: str | Unset = UNSET,
        password: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PeopleResetResult:
        """With "email": ask for a link to choose a new password, mailed if the address is known. With "token" and "password": set it, which ends every session of the person."""
        return self._call('POST', '/people/reset', body=given({'email': email, 'token': token, 'password': password}), options=options)

    def update(
        self,
        *,
        name: str | Unset = UNSET,
        password: str | Unset = UNSET,
        current_password: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PeopleUpdateResult:
        """Change the name or password of the signed-in person. A new password needs the current one, and ends all other sessions. For people who are signed in, not for keys."""
        return self._call('PATCH', '/people/me', body=given({'name': name, 'password': password, 'currentPassword': current_password}), options=options)

    def join(
        self,
        *,
        token: str,
        options: RequestOptions | None = None,
    ) -> t.PeopleJoinResult:
        """Accept an invitation to an account; the session then acts on it. For people who are signed in, not for keys."""
        return self._call('POST', '/people/invitation', body=given({'token': token}), options=options)

    def leave(
        self,
        account: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PeopleLeaveResult:
        """Leave an account, whatever your role. Your app passwords for it stop working, and programs that act in it for you are disconnected. The last owner cannot leave. For people who are signed in, not for keys."""
        return self._call('DELETE', f'/people/me/accounts/{segment(account)}', options=options)

    def erase(
        self,
        *,
        password: str,
        options: RequestOptions | None = None,
    ) -> t.PeopleEraseResult:
        """Erase the signed-in person permanently. The person has to leave or erase all their accounts first. For people who are signed in, not for keys."""
        return self._call('POST', '/people/me/erase', body=given({'password': password}), options=options)


class Session(Group):
    def begin(
        self,
        *,
        email: str | Unset = UNSET,
        password: str | Unset = UNSET,
        code: str | Unset = UNSET,
        passkey: t.SessionBeginPasskey | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.SessionBeginResult:
        """Sign in, which sets the session cookie. Give "email" and "password", and "code" if the person has an authenticator app; or "passkey" alone."""
        return self._call('POST', '/session', body=given({'email': email, 'password': password, 'code': code, 'passkey': passkey}), options=options)

    def passkey(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.SessionPasskeyResult:
        """Begin to sign in with a passkey: options for navigator.credentials.get, to be answered within ten minutes."""
        return self._call('POST', '/session/passkey', options=options)

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.SessionGetResult:
        """Who is signed in, in which account, and the X-CSRF-Token of the session. For people who are signed in, not for keys."""
        return self._call('GET', '/session', options=options)

    def switch(
        self,
        *,
        account: str,
        options: RequestOptions | None = None,
    ) -> t.SessionSwitchResult:
        """Let the session act on another account of the person. For people who are signed in, not for keys."""
        return self._call('PATCH', '/session', body=given({'account': account}), options=options)

    def end(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.SessionEndResult:
        """Sign out: the session ends at once. For people who are signed in, not for keys."""
        return self._call('DELETE', '/session', options=options)


class Sessions(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.SessionsListResult, t.SessionsListResultSessionsItem]:
        """The sessions of the signed-in person, newest first. For people who are signed in, not for keys."""
        return self._pages('sessions', 'GET', '/sessions', query=given({'limit': limit, 'before': before}), options=options)

    def end(
        self,
        session_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.SessionsEndResult:
        """End a session of the signed-in person at once. For people who are signed in, not for keys."""
        return self._call('DELETE', f'/sessions/{segment(session_id)}', options=options)


class Totp(Group):
    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.TotpGetResult:
        """Whether signing in needs a code of an authenticator app, and how many recovery codes are left. For people who are signed in, not for keys."""
        return self._call('GET', '/people/me/totp', options=options)

    def set(
        self,
        *,
        code: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.TotpSetResult:
        """Without a code: returns a secret for an authenticator app. With a code of the app: signing in needs a code from then on, and ten recovery codes are returned. For people who are signed in, not for keys."""
        return self._call('POST', '/people/me/totp', body=given({'code': code}), options=options)

    def remove(
        self,
        *,
        code: str,
        options: RequestOptions | None = None,
    ) -> t.TotpRemoveResult:
        """Remove the authenticator app, so that signing in needs no code. Needs a code of the app, or a recovery code; either is used up. For people who are signed in, not for keys."""
        return self._call('DELETE', '/people/me/totp', query=given({'code': code}), options=options)


class Passkeys(Group):
    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.PasskeysListResult:
        """The passkeys of the person. For people who are signed in, not for keys."""
        return self._call('GET', '/people/me/passkeys', options=options)

    def create(
        self,
        *,
        credential: dict[str, Any] | Unset = UNSET,
        name: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PasskeysCreateResult:
        """Without a credential: returns the options for navigator.credentials.create. With its result, from the same session within ten minutes: stores the passkey. For people who are signed in, not for keys."""
        return self._call('POST', '/people/me/passkeys', body=given({'credential': credential, 'name': name}), options=options)

    def remove(
        self,
        passkey_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PasskeysRemoveResult:
        """Remove a passkey. For people who are signed in, not for keys."""
        return self._call('DELETE', f'/people/me/passkeys/{segment(passkey_id)}', options=options)


class Claims(Group):
    def create(
        self,
        *,
        token: str,
        account: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.ClaimsCreateResult:
        """Claim the account of a claim link, as a separate account or merged into "account". Address, inboxes, keys and webhooks move along, and keys keep working. The session then acts on the resulting account. For people who are signed in, not for keys."""
        return self._call('POST', '/claims', body=given({'token': token, 'account': account}), options=options)


class Account(Group):
    def claim(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.AccountClaimResult:
        """Create a new single-use claim link for the person who will own the account, which voids the previous link. For keys of its inboxes, until the account is claimed."""
        return self._call('POST', '/account/claim', is_idempotent=True, options=options)

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.AccountGetResult:
        """The account of the key: name, status, plans."""
        return self._call('GET', '/account', options=options)

    def update(
        self,
        *,
        approval: Literal['none', 'required'],
        options: RequestOptions | None = None,
    ) -> t.AccountUpdateResult:
        """Set whether sends of agents wait for the approval of a person. Sends that already wait keep waiting. For people who are signed in, not for keys."""
        return self._call('PATCH', '/account', body=given({'approval': approval}), options=options)

    def setup(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.AccountSetupResult:
        """The setup steps that are left (claim, name, domain, DNS, first mail, webhook), each with what this caller has to do."""
        return self._call('GET', '/account/setup', options=options)

    def export(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.AccountExportResult:
        """Request a copy of everything in the account: mail as mbox, the rest as JSON, in one zip file. For account keys and owners. Scope: mail:read, mail:send, mailboxes:read, domains:read, aliases:read."""
        return self._call('POST', '/account/export', options=options)

    def get_export(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.AccountGetExportResult:
        """The progress of the newest export, and the link to its file once it is done. For account keys and owners. Scope: mail:read, mail:send, mailboxes:read, domains:read, aliases:read."""
        return self._call('GET', '/account/export', options=options)

    def erase(
        self,
        *,
        confirm: str,
        password: str,
        options: RequestOptions | None = None,
    ) -> t.AccountEraseResult:
        """Erase the account and everything in it permanently, including people who are in no other account. Its keys, sessions, addresses and webhooks stop working at once; the rest is erased within minutes. For people who are signed in, not for keys."""
        return self._call('POST', '/account/erase', body=given({'confirm': confirm, 'password': password}), options=options)


class Usage(Group):
    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.UsageGetResult:
        """What the account has used in the current period, and its limits."""
        return self._call('GET', '/usage', options=options)

    def daily(
        self,
        *,
        since: str | datetime | None | Unset = UNSET,
        mailbox: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.UsageDailyResult:
        """Mail sent and received per day, by all mailboxes that the key reaches or by one of them. Scope: mail:read."""
        return self._call('GET', '/usage/daily', query=given({'since': since, 'mailbox': mailbox}), options=options)


class Plans(Group):
    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.PlansListResult:
        """The plans that an account may have, with their figures, smallest first."""
        return self._call('GET', '/plans', options=options)


class Audit(Group):
    def list(
        self,
        *,
        action: str | None | Unset = UNSET,
        outcome: str | None | Unset = UNSET,
        key_id: str | None | Unset = UNSET,
        user_id: str | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.AuditListResult, t.AuditEntry]:
        """The audit trail of the account, newest first: sends, refusals, sign-ins, changes of keys and settings."""
        return self._pages('entries', 'GET', '/audit', query=given({'action': action, 'outcome': outcome, 'key_id': key_id, 'user_id': user_id, 'since': since, 'until': until, 'limit': limit, 'before': before}), options=options)


class Members(Group):
    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.MembersListResult:
        """The members of the account, and its open invitations. For people who are signed in, not for keys."""
        return self._call('GET', '/account/members', options=options)

    def invite(
        self,
        *,
        email: str,
        role: Literal['owner', 'member', 'reader'],
        options: RequestOptions | None = None,
    ) -> t.MembersInviteResult:
        """Invite somebody by mail, with a role. This voids an earlier invitation to the same address. For people who are signed in, not for keys."""
        return self._call('POST', '/account/members', body=given({'email': email, 'role': role}), is_idempotent=True, options=options)

    def update(
        self,
        member_id: str,
        *,
        role: Literal['owner', 'member', 'reader'],
        options: RequestOptions | None = None,
    ) -> t.MembersUpdateResult:
        """Change the role of a member, effective at once. The last owner cannot get another role. For people who are signed in, not for keys."""
        return self._call('PATCH', f'/account/members/{segment(member_id)}', body=given({'role': role}), options=options)

    def remove(
        self,
        member_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.MembersRemoveResult:
        """Remove a member from the account at once, or withdraw an invitation. The last owner cannot be removed. For people who are signed in, not for keys."""
        return self._call('DELETE', f'/account/members/{segment(member_id)}', options=options)


class Requests(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.RequestsListResult, t.AccountRequest]:
        """Requests of the account to the administrators, with their answers, newest first. For people who are signed in, not for keys."""
        return self._pages('requests', 'GET', '/account/requests', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        kind: Literal['limit', 'phone'],
        text: str | Unset = UNSET,
        phone: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.RequestsCreateResult:
        """Ask the administrator for a higher limit, or to confirm a phone number. The answer comes by mail. For people who are signed in, not for keys."""
        return self._call('POST', '/account/requests', body=given({'kind': kind, 'text': text, 'phone': phone}), is_idempotent=True, options=options)


class Administration(Group):
    def accounts(
        self,
        *,
        q: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.AdministrationAccountsResult, t.AdministeredAccount]:
        """The accounts of the service, newest first, or with "q" only those that match. For people who are signed in, not for keys."""
        return self._pages('accounts', 'GET', '/administration/accounts', query=given({'q': q, 'limit': limit, 'before': before}), options=options)

    def account(
        self,
        account_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.AdministrationAccountResult:
        """One account, with its people, what it used this month, and what it sent and received on each of the last 30 days. For people who are signed in, not for keys."""
        return self._call('GET', f'/administration/accounts/{segment(account_id)}', options=options)

    def change(
        self,
        account_id: str,
        *,
        plan: Literal['trial', 'starter', 'growth', 'pro', 'business', 'none'] | Unset = UNSET,
        agents_plan: Literal['free', 'developer', 'scale', 'none'] | Unset = UNSET,
        raise_: t.AdministrationChangeRaise | Unset = UNSET,
        suspended: t.AdministrationChangeSuspended | None | Unset = UNSET,
        sending_paused: t.AdministrationChangeSendingPaused | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.AdministrationChangeResult:
        """Change the plans or a limit of an account, suspend it, pause its sending, or lift either hold. Takes effect at once. For people who are signed in, not for keys."""
        return self._call('PATCH', f'/administration/accounts/{segment(account_id)}', body=given({'plan': plan, 'agentsPlan': agents_plan, 'raise': raise_, 'suspended': suspended, 'sendingPaused': sending_paused}), options=options)

    def requests(
        self,
        *,
        status: Literal['open', 'granted', 'refused'] | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.AdministrationRequestsResult:
        """Requests that accounts made to the administrators: open ones, oldest first, or answered ones, newest first. For people who are signed in, not for keys."""
        return self._call('GET', '/administration/requests', query=given({'status': status}), options=options)

    def answer(
        self,
        request_id: str,
        *,
        granted: bool,
        answer: str,
        options: RequestOptions | None = None,
    ) -> t.AdministrationAnswerResult:
        """Answer a request; it can be answered only once, and the person is notified by mail. Granting a phone number confirms it. Granting a higher limit does not raise it: change the account for that. For people who are signed in, not for keys."""
        return self._call('POST', f'/administration/requests/{segment(request_id)}', body=given({'granted': granted, 'answer': answer}), options=options)

    def outbox(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.AdministrationOutboxResult:
        """Mail that waits for delivery, by destination domain: how much, since when, and what the domain answered. For people who are signed in, not for keys."""
        return self._call('GET', '/administration/outbox', options=options)

    def refusals(
        self,
        *,
        days: int | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.AdministrationRefusalsResult:
        """Refusals by the SMTP servers per hour, by reply code. For people who are signed in, not for keys."""
        return self._call('GET', '/administration/refusals', query=given({'days': days}), options=options)

    def processes(
        self,
        *,
        hours: int | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.AdministrationProcessesResult:
        """The processes of the service, with memory use, event loop delay and database latency over time. For people who are signed in, not for keys."""
        return self._call('GET', '/administration/processes', query=given({'hours': hours}), options=options)


class Keys(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.KeysListResult, t.Key]:
        """The API keys of the account, newest first, revoked ones for 90 days. Their secrets are never shown again. For people who are signed in, not for keys."""
        return self._pages('keys', 'GET', '/keys', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
        kind: Literal['account', 'agent'] | Unset = UNSET,
        mailboxes: Sequence[str] | Unset = UNSET,
        expires_at: str | datetime | None | Unset = UNSET,
        approval: Literal['none', 'required'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.KeysCreateResult:
        """Create an API key. "apiKey" is shown in this answer only. For people who are signed in, not for keys."""
        return self._call('POST', '/keys', body=given({'name': name, 'kind': kind, 'scopes': scopes, 'mailboxes': mailboxes, 'expiresAt': expires_at, 'approval': approval}), is_idempotent=True, options=options)

    def revoke(
        self,
        key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.KeysRevokeResult:
        """Revoke a key at once, in every process; webhook endpoints that an agent key created are turned off. For people who are signed in, not for keys."""
        return self._call('DELETE', f'/keys/{segment(key_id)}', options=options)


class Grants(Group):
    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.GrantsListResult:
        """The programs that the person connected to the account by OAuth, oldest first; an owner sees those of all members. For people who are signed in, not for keys."""
        return self._call('GET', '/grants', options=options)

    def revoke(
        self,
        grant_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.GrantsRevokeResult:
        """Disconnect a program: its tokens stop working at once, in every process. For people who are signed in, not for keys."""
        return self._call('DELETE', f'/grants/{segment(grant_id)}', options=options)


class MailboxesLists(Group):
    def get(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.ListsGetResult:
        """Whom a mailbox may send to, and whose mail it accepts. Scope: mailboxes:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/lists', options=options)

    def set(
        self,
        address: str,
        *,
        send_allow: Sequence[str] | Unset = UNSET,
        send_block: Sequence[str] | Unset = UNSET,
        receive_allow: Sequence[str] | Unset = UNSET,
        receive_block: Sequence[str] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.ListsSetResult:
        """Replace the lists of a mailbox; omitted lists stay unchanged. Not for agent keys. Scope: mailboxes:write."""
        return self._call('PUT', f'/mailboxes/{segment(address)}/lists', body=given({'sendAllow': send_allow, 'sendBlock': send_block, 'receiveAllow': receive_allow, 'receiveBlock': receive_block}), options=options)


class MailboxesAppPasswords(Group):
    def list(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.AppPasswordsListResult:
        """The app passwords of a mailbox, which mail programs log in with. For people who are signed in, not for keys. Scope: mailboxes:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/app-passwords', options=options)

    def create(
        self,
        address: str,
        *,
        name: str,
        options: RequestOptions | None = None,
    ) -> t.AppPasswordsCreateResult:
        """Create a password for a mail program: it works for SMTP and IMAP of this mailbox, not for the API. It is shown in this answer only. For people who are signed in, not for keys. Scope: mail:read, mail:send, mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/app-passwords', body=given({'name': name}), is_idempotent=True, options=options)

    def revoke(
        self,
        address: str,
        key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.AppPasswordsRevokeResult:
        """Revoke an app password at once, even where a mail program is logged in. For people who are signed in, not for keys. Scope: mail:read, mail:send, mail:write."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}/app-passwords/{segment(key_id)}', options=options)


class MailboxesMessages(Group):
    def list(
        self,
        address: str,
        *,
        folder: str | None | Unset = UNSET,
        label: str | None | Unset = UNSET,
        thread_id: str | None | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        flagged: bool | None | Unset = UNSET,
        from_: str | None | Unset = UNSET,
        to: str | None | Unset = UNSET,
        subject: str | None | Unset = UNSET,
        has_attachment: bool | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.MessagesListResult, t.MessageSummary]:
        """Messages of a mailbox, newest first. Scope: mail:read."""
        return self._pages('messages', 'GET', f'/mailboxes/{segment(address)}/messages', query=given({'folder': folder, 'label': label, 'thread_id': thread_id, 'unread': unread, 'flagged': flagged, 'from': from_, 'to': to, 'subject': subject, 'has_attachment': has_attachment, 'until': until, 'since': since, 'limit': limit, 'before': before}), options=options)

    def wait(
        self,
        address: str,
        *,
        folder: str | None | Unset = UNSET,
        label: str | None | Unset = UNSET,
        thread_id: str | None | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        flagged: bool | None | Unset = UNSET,
        from_: str | None | Unset = UNSET,
        to: str | None | Unset = UNSET,
        subject: str | None | Unset = UNSET,
        has_attachment: bool | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        regex: str | None | Unset = UNSET,
        has_code: bool | None | Unset = UNSET,
        has_link: bool | None | Unset = UNSET,
        from_domain: str | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        timeout: int | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesWaitResult:
        """Wait for a message that passes all filters; the answer comes at once if there is one. Spam and Trash count only if named as folder. Scope: mail:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/wait', query=given({'folder': folder, 'label': label, 'thread_id': thread_id, 'unread': unread, 'flagged': flagged, 'from': from_, 'to': to, 'subject': subject, 'has_attachment': has_attachment, 'until': until, 'regex': regex, 'has_code': has_code, 'has_link': has_link, 'from_domain': from_domain, 'since': since, 'timeout': timeout}), waits=True, options=options)

    def wait_and_claim(
        self,
        address: str,
        *,
        folder: str | Unset = UNSET,
        label: str | Unset = UNSET,
        thread_id: str | Unset = UNSET,
        unread: bool | Unset = UNSET,
        flagged: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        to: str | Unset = UNSET,
        subject: str | Unset = UNSET,
        has_attachment: bool | Unset = UNSET,
        until: str | datetime | Unset = UNSET,
        regex: str | Unset = UNSET,
        has_code: bool | Unset = UNSET,
        has_link: bool | Unset = UNSET,
        from_domain: str | Unset = UNSET,
        since: str | datetime | Unset = UNSET,
        timeout: int | Unset = UNSET,
        claim: int | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesWaitAndClaimResult:
        """Wait for a message and lease it: with claim, the lease in seconds, parallel waits receive distinct messages. Scope: mail:read, mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/wait', body=given({'folder': folder, 'label': label, 'thread_id': thread_id, 'unread': unread, 'flagged': flagged, 'from': from_, 'to': to, 'subject': subject, 'has_attachment': has_attachment, 'until': until, 'regex': regex, 'has_code': has_code, 'has_link': has_link, 'from_domain': from_domain, 'since': since, 'timeout': timeout, 'claim': claim}), waits=True, options=options)

    def verification(
        self,
        address: str,
        *,
        kind: Literal['code', 'link', 'any'] | None | Unset = UNSET,
        from_domain: str | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        timeout: int | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesVerificationResult:
        """Wait for a mail with a verification code or link, and return only the code or link. Without since, only mail stored from now on counts. Scope: mail:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/verification', query=given({'kind': kind, 'from_domain': from_domain, 'since': since, 'timeout': timeout}), waits=True, options=options)

    def search(
        self,
        address: str,
        *,
        q: str,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.MessagesSearchResult, t.FoundMessage]:
        """Search the mail of a mailbox, newest first. A page may be short: go on until next is null. Scope: mail:read."""
        return self._pages('messages', 'GET', f'/mailboxes/{segment(address)}/search', query=given({'q': q, 'limit': limit, 'before': before}), options=options)

    def get(
        self,
        address: str,
        message_id: str,
        *,
        view: Literal['headers', 'reply', 'text', 'markdown', 'full'] | None | Unset = UNSET,
        max_chars: int | None | Unset = UNSET,
        cursor: str | None | Unset = UNSET,
        attachment_id: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesGetResult:
        """One message in full: headers, body, attachments. Reading it changes no flag. Scope: mail:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}', query=given({'view': view, 'max_chars': max_chars, 'cursor': cursor, 'attachment_id': attachment_id}), options=options)

    def raw(
        self,
        address: str,
        message_id: str,
        *,
        trace: bool | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Download:
        """The message byte for byte as received; with trace=true our trace headers in front. Scope: mail:read."""
        return self._download('GET', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/raw', query=given({'trace': trace}), options=options)

    def html(
        self,
        address: str,
        message_id: str,
        *,
        attachment_id: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Download:
        """The body as an HTML document to frame in a page of this service, with a content security policy under which nothing runs and nothing loads from elsewhere. Scope: mail:read."""
        return self._download('GET', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/html', query=given({'attachment_id': attachment_id}), options=options)

    def attachment(
        self,
        address: str,
        message_id: str,
        attachment_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> Download:
        """The bytes of one attachment. Scope: mail:read."""
        return self._download('GET', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/attachments/{segment(attachment_id)}', options=options)

    def update(
        self,
        address: str,
        message_id: str,
        *,
        seen: bool | Unset = UNSET,
        flagged: bool | Unset = UNSET,
        answered: bool | Unset = UNSET,
        folder: str | Unset = UNSET,
        add_labels: Sequence[str] | Unset = UNSET,
        remove_labels: Sequence[str] | Unset = UNSET,
        spam: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesUpdateResult:
        """Flag, label or move one message, or mark it as spam or not spam. Scope: mail:write."""
        return self._call('PATCH', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}', body=given({'seen': seen, 'flagged': flagged, 'answered': answered, 'folder': folder, 'addLabels': add_labels, 'removeLabels': remove_labels, 'spam': spam}), options=options)

    def delete(
        self,
        address: str,
        message_id: str,
        *,
        permanent: bool | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesDeleteResult:
        """Move a message to Trash; with permanent=true, or if it is already in Trash, delete it permanently. Scope: mail:write."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}', query=given({'permanent': permanent}), options=options)

    def restore(
        self,
        address: str,
        message_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.MessagesRestoreResult:
        """Restore a message from Trash to the folder it was deleted from, or to INBOX if that folder is gone. Scope: mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/restore', options=options)

    def claim(
        self,
        address: str,
        message_id: str,
        *,
        ttl: int,
        options: RequestOptions | None = None,
    ) -> t.MessagesClaimResult:
        """Lease a message, so that no other worker answers it; the same key may renew its lease. Scope: mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/claim', body=given({'ttl': ttl}), options=options)

    def release(
        self,
        address: str,
        message_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.MessagesReleaseResult:
        """Release the lease of a message. Scope: mail:write."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/claim', options=options)

    def read_all(
        self,
        address: str,
        *,
        folder: str,
        options: RequestOptions | None = None,
    ) -> t.MessagesReadAllResult:
        """Mark every message of a folder as seen. Scope: mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/messages/read-all', body=given({'folder': folder}), options=options)

    @overload
    def send(
        self,
        address: str,
        *,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        reply_all: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: Literal[False] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.SendResult: ...

    @overload
    def send(
        self,
        address: str,
        *,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        reply_all: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: Literal[True],
        options: RequestOptions | None = None,
    ) -> t.DryRun: ...

    @overload
    def send(
        self,
        address: str,
        *,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        reply_all: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: bool,
        options: RequestOptions | None = None,
    ) -> t.SendResult | t.DryRun: ...

    def send(
        self,
        address: str,
        *,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        reply_all: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesSendResult:
        """Send one mail from a mailbox, to at most 50 recipients, now or at a given time. Scope: mail:send."""
        return self._call('POST', f'/mailboxes/{segment(address)}/send', body=given({'to': to, 'cc': cc, 'bcc': bcc, 'inReplyTo': in_reply_to, 'replyAll': reply_all, 'from': from_, 'fromName': from_name, 'replyTo': reply_to, 'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'attachments': attachments, 'headers': headers, 'sendAt': send_at, 'dryRun': dry_run}), is_idempotent=True, options=options)

    @overload
    def reply(
        self,
        address: str,
        message_id: str,
        *,
        all: bool | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: Literal[False] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.SendResult: ...

    @overload
    def reply(
        self,
        address: str,
        message_id: str,
        *,
        all: bool | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: Literal[True],
        options: RequestOptions | None = None,
    ) -> t.DryRun: ...

    @overload
    def reply(
        self,
        address: str,
        message_id: str,
        *,
        all: bool | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: bool,
        options: RequestOptions | None = None,
    ) -> t.SendResult | t.DryRun: ...

    def reply(
        self,
        address: str,
        message_id: str,
        *,
        all: bool | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesReplyResult:
        """Reply to a message: to its sender, or with all: true to everybody it was sent to. Scope: mail:send."""
        return self._call('POST', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/reply', body=given({'all': all, 'cc': cc, 'bcc': bcc, 'from': from_, 'fromName': from_name, 'replyTo': reply_to, 'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'attachments': attachments, 'headers': headers, 'sendAt': send_at, 'dryRun': dry_run}), is_idempotent=True, options=options)

    @overload
    def forward(
        self,
        address: str,
        message_id: str,
        *,
        to: t.AddressesInput,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        include_attachments: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: Literal[False] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.SendResult: ...

    @overload
    def forward(
        self,
        address: str,
        message_id: str,
        *,
        to: t.AddressesInput,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        include_attachments: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: Literal[True],
        options: RequestOptions | None = None,
    ) -> t.DryRun: ...

    @overload
    def forward(
        self,
        address: str,
        message_id: str,
        *,
        to: t.AddressesInput,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        include_attachments: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: bool,
        options: RequestOptions | None = None,
    ) -> t.SendResult | t.DryRun: ...

    def forward(
        self,
        address: str,
        message_id: str,
        *,
        to: t.AddressesInput,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        include_attachments: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MessagesForwardResult:
        """Forward a message, below your own text, with its files unless includeAttachments is false. Scope: mail:send."""
        return self._call('POST', f'/mailboxes/{segment(address)}/messages/{segment(message_id)}/forward', body=given({'to': to, 'cc': cc, 'bcc': bcc, 'includeAttachments': include_attachments, 'from': from_, 'fromName': from_name, 'replyTo': reply_to, 'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'attachments': attachments, 'headers': headers, 'sendAt': send_at, 'dryRun': dry_run}), is_idempotent=True, options=options)


class MailboxesTrash(Group):
    def empty(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.TrashEmptyResult:
        """Permanently delete everything in Trash. Scope: mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/trash/empty', options=options)


class MailboxesFolders(Group):
    def list(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.FoldersListResult:
        """All folders of a mailbox. Scope: mail:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/folders', options=options)

    def create(
        self,
        address: str,
        *,
        name: str,
        options: RequestOptions | None = None,
    ) -> t.FoldersCreateResult:
        """Create a folder, and the missing folders above it. Scope: mail:write."""
        return self._call('POST', f'/mailboxes/{segment(address)}/folders', body=given({'name': name}), is_idempotent=True, options=options)

    def update(
        self,
        address: str,
        path: str,
        *,
        name: str,
        options: RequestOptions | None = None,
    ) -> t.FoldersUpdateResult:
        """Rename or move a folder with everything below it. Scope: mail:write."""
        return self._call('PATCH', f'/mailboxes/{segment(address)}/folders/{segment(path)}', body=given({'name': name}), options=options)

    def delete(
        self,
        address: str,
        path: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.FoldersDeleteResult:
        """Delete a folder and all folders below it; their mail moves to Trash. Scope: mail:write."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}/folders/{segment(path)}', options=options)


class MailboxesThreads(Group):
    def list(
        self,
        address: str,
        *,
        folder: str | None | Unset = UNSET,
        label: str | None | Unset = UNSET,
        unread: bool | None | Unset = UNSET,
        flagged: bool | None | Unset = UNSET,
        from_: str | None | Unset = UNSET,
        to: str | None | Unset = UNSET,
        subject: str | None | Unset = UNSET,
        has_attachment: bool | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.ThreadsListResult, t.Thread]:
        """Conversations of an agent's mailbox, ordered by their newest message; one matches if each filter matches one of its messages. Those wholly in Trash, Spam or Drafts are left out unless folder is given. Scope: mail:read."""
        return self._pages('threads', 'GET', f'/mailboxes/{segment(address)}/threads', query=given({'folder': folder, 'label': label, 'unread': unread, 'flagged': flagged, 'from': from_, 'to': to, 'subject': subject, 'has_attachment': has_attachment, 'until': until, 'since': since, 'limit': limit, 'before': before}), options=options)

    def get(
        self,
        address: str,
        thread_id: str,
        *,
        view: Literal['reply', 'text', 'markdown'] | None | Unset = UNSET,
        max_chars: int | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.ThreadsGetResult, t.ThreadMessage]:
        """One conversation with its messages, oldest first; a long one is paged from its end. Scope: mail:read."""
        return self._pages('messages', 'GET', f'/mailboxes/{segment(address)}/threads/{segment(thread_id)}', query=given({'view': view, 'max_chars': max_chars, 'limit': limit, 'before': before}), options=options)


class MailboxesLabels(Group):
    def list(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.LabelsListResult:
        """The labels of an agent's mailbox and how many messages have each. Scope: mail:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}/labels', options=options)


class MailboxesContacts(Group):
    def list(
        self,
        address: str,
        *,
        q: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.ContactsListResult, t.Contact]:
        """The people that a mailbox corresponded with, last seen first. Scope: mail:read."""
        return self._pages('contacts', 'GET', f'/mailboxes/{segment(address)}/contacts', query=given({'q': q, 'limit': limit, 'before': before}), options=options)


class MailboxesDrafts(Group):
    def list(
        self,
        address: str,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.DraftsListResult, t.MessageSummary]:
        """Drafts of a mailbox, newest first. Scope: mail:read."""
        return self._pages('drafts', 'GET', f'/mailboxes/{segment(address)}/drafts', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        address: str,
        *,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        reply_all: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DraftsCreateResult:
        """Save a draft: a message in Drafts, which may be incomplete until it is sent. Scope: mail:send."""
        return self._call('POST', f'/mailboxes/{segment(address)}/drafts', body=given({'to': to, 'cc': cc, 'bcc': bcc, 'inReplyTo': in_reply_to, 'replyAll': reply_all, 'from': from_, 'fromName': from_name, 'replyTo': reply_to, 'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'attachments': attachments, 'headers': headers}), is_idempotent=True, options=options)

    def get(
        self,
        address: str,
        draft_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DraftsGetResult:
        """One draft in full. Scope: mail:send."""
        return self._call('GET', f'/mailboxes/{segment(address)}/drafts/{segment(draft_id)}', options=options)

    def update(
        self,
        address: str,
        draft_id: str,
        *,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        in_reply_to: str | Unset = UNSET,
        reply_all: bool | Unset = UNSET,
        from_: str | Unset = UNSET,
        from_name: str | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DraftsUpdateResult:
        """Change the fields that are given; the others and the id stay. Text or HTML given alone replaces the whole body. Scope: mail:send."""
        return self._call('PATCH', f'/mailboxes/{segment(address)}/drafts/{segment(draft_id)}', body=given({'to': to, 'cc': cc, 'bcc': bcc, 'inReplyTo': in_reply_to, 'replyAll': reply_all, 'from': from_, 'fromName': from_name, 'replyTo': reply_to, 'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'attachments': attachments, 'headers': headers}), options=options)

    def delete(
        self,
        address: str,
        draft_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DraftsDeleteResult:
        """Delete a draft permanently. Scope: mail:send."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}/drafts/{segment(draft_id)}', options=options)

    def send(
        self,
        address: str,
        draft_id: str,
        *,
        send_at: str | datetime | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DraftsSendResult:
        """Send a draft, now or at a given time, and remove it. Scope: mail:send."""
        return self._call('POST', f'/mailboxes/{segment(address)}/drafts/{segment(draft_id)}/send', body=given({'sendAt': send_at}), is_idempotent=True, options=options)


class MailboxesScheduled(Group):
    def list(
        self,
        address: str,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.ScheduledListResult, t.Scheduled]:
        """Scheduled sends of a mailbox, newest first. Scope: mail:send."""
        return self._pages('scheduled', 'GET', f'/mailboxes/{segment(address)}/scheduled', query=given({'limit': limit, 'before': before}), options=options)

    def update(
        self,
        address: str,
        id: str,
        *,
        send_at: str | datetime,
        options: RequestOptions | None = None,
    ) -> t.ScheduledUpdateResult:
        """Change the time of a scheduled send, until it is claimed for sending. Scope: mail:send."""
        return self._call('PATCH', f'/mailboxes/{segment(address)}/scheduled/{segment(id)}', body=given({'sendAt': send_at}), options=options)

    def cancel(
        self,
        address: str,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.ScheduledCancelResult:
        """Cancel a send, until it is claimed for sending. Its allowance is returned, and a send that was a draft becomes a draft again. Scope: mail:send."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}/scheduled/{segment(id)}', options=options)


class MailboxesBatches(Group):
    def send(
        self,
        address: str,
        *,
        subject: str,
        recipients: Sequence[t.BatchesSendRecipientsItem],
        idempotency_key: str,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.BatchesSendResult:
        """Send one text to many recipients, filling its {{tokens}} from the fields of each. The batch is accepted or refused as a whole. Scope: mail:send."""
        return self._call('POST', f'/mailboxes/{segment(address)}/send-batch', body=given({'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'recipients': recipients, 'idempotencyKey': idempotency_key}), options=options)

    def get(
        self,
        address: str,
        batch_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.BatchesGetResult:
        """The delivery status of each recipient of a batch. Scope: mail:send."""
        return self._call('GET', f'/mailboxes/{segment(address)}/send-batch/{segment(batch_id)}', options=options)


class Mailboxes(Group):
    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.lists = MailboxesLists(transport)
        self.app_passwords = MailboxesAppPasswords(transport)
        self.messages = MailboxesMessages(transport)
        self.trash = MailboxesTrash(transport)
        self.folders = MailboxesFolders(transport)
        self.threads = MailboxesThreads(transport)
        self.labels = MailboxesLabels(transport)
        self.contacts = MailboxesContacts(transport)
        self.drafts = MailboxesDrafts(transport)
        self.scheduled = MailboxesScheduled(transport)
        self.batches = MailboxesBatches(transport)

    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.MailboxesListResult, t.Mailbox]:
        """The mailboxes this key can reach, newest first. Scope: mailboxes:read."""
        return self._pages('mailboxes', 'GET', '/mailboxes', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        address: str,
        display_name: str | None | Unset = UNSET,
        kind: Literal['agent', 'person'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MailboxesCreateResult:
        """Create a mailbox on one of the domains of the account. Scope: mailboxes:write."""
        return self._call('POST', '/mailboxes', body=given({'address': address, 'displayName': display_name, 'kind': kind}), is_idempotent=True, options=options)

    def get(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.MailboxesGetResult:
        """One mailbox. Scope: mailboxes:read."""
        return self._call('GET', f'/mailboxes/{segment(address)}', options=options)

    def update(
        self,
        address: str,
        *,
        display_name: str | None | Unset = UNSET,
        signature: str | None | Unset = UNSET,
        auto_reply: t.MailboxesUpdateAutoReply | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.MailboxesUpdateResult:
        """Set the display name, signature or automatic reply of a mailbox; null clears a field. Scope: mailboxes:write."""
        return self._call('PATCH', f'/mailboxes/{segment(address)}', body=given({'displayName': display_name, 'signature': signature, 'autoReply': auto_reply}), options=options)

    def delete(
        self,
        address: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.MailboxesDeleteResult:
        """Delete a mailbox. It stops receiving at once; its mail is purged after 30 days, and its address stays reserved until then. Scope: mailboxes:write."""
        return self._call('DELETE', f'/mailboxes/{segment(address)}', options=options)


class Search(Group):
    def all(
        self,
        *,
        q: str,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.SearchAllResult, t.FoundMessage]:
        """Search the mail of every mailbox the key reaches, newest first. A page may be short: go on until next is null. Scope: mail:read."""
        return self._pages('messages', 'GET', '/search', query=given({'q': q, 'limit': limit, 'before': before}), options=options)


class Files(Group):
    def get(
        self,
        token: str,
        *,
        options: RequestOptions | None = None,
    ) -> Download:
        """The file that a signed link leads to. No key is needed; the link expires."""
        return self._download('GET', f'/files/{segment(token)}', options=options)


class Drive(Group):
    def list(
        self,
        *,
        parent_id: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.DriveListResult, t.DriveEntry]:
        """The files and folders in a folder of Drive, or at its top, newest first. Scope: drive:read."""
        return self._pages('entries', 'GET', '/drive', query=given({'parentId': parent_id, 'limit': limit, 'before': before}), options=options)

    def download_url(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DriveDownloadUrlResult:
        """A link to a file of Drive that needs no key and works for 15 minutes. Scope: drive:read."""
        return self._call('GET', f'/drive/{segment(file_id)}/download-url', options=options)


class Batches(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.BatchesListResult, t.BatchSummary]:
        """The batches of the last 90 days, newest first, with the progress of each. Scope: mail:send."""
        return self._pages('batches', 'GET', '/batches', query=given({'limit': limit, 'before': before}), options=options)


class Emails(Group):
    def send(
        self,
        *,
        from_: str,
        to: t.AddressesInput | Unset = UNSET,
        cc: t.AddressesInput | Unset = UNSET,
        bcc: t.AddressesInput | Unset = UNSET,
        reply_to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        markdown: str | Unset = UNSET,
        template: str | Unset = UNSET,
        variables: dict[str, str] | Unset = UNSET,
        headers: t.HeadersInput | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        send_at: str | datetime | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.EmailsSendResult:
        """Send one mail from any address on a verified domain, with its own content or from a template. Scope: mail:send."""
        return self._call('POST', '/emails', body=given({'from': from_, 'to': to, 'cc': cc, 'bcc': bcc, 'replyTo': reply_to, 'subject': subject, 'text': text, 'html': html, 'markdown': markdown, 'template': template, 'variables': variables, 'headers': headers, 'attachments': attachments, 'tags': tags, 'sendAt': send_at}), is_idempotent=True, options=options)

    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.EmailsListResult, t.Email]:
        """Sends of the account, newest first, including those that wait for approval. An agent key sees its own. Scope: mail:send."""
        return self._pages('emails', 'GET', '/emails', query=given({'limit': limit, 'before': before}), options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.EmailsGetResult:
        """One send, with the status of each recipient and the reply of its mail server. Scope: mail:send."""
        return self._call('GET', f'/emails/{segment(id)}', options=options)

    def update(
        self,
        id: str,
        *,
        send_at: str | datetime,
        options: RequestOptions | None = None,
    ) -> t.EmailsUpdateResult:
        """Change the time of a scheduled send, until it is claimed for sending. Scope: mail:send."""
        return self._call('PATCH', f'/emails/{segment(id)}', body=given({'sendAt': send_at}), options=options)

    def cancel(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.EmailsCancelResult:
        """Cancel a send, until it is claimed for sending. Its allowance is returned, and a send that was a draft becomes a draft again. Scope: mail:send."""
        return self._call('POST', f'/emails/{segment(id)}/cancel', options=options)


class Approvals(Group):
    def list(
        self,
        *,
        status: Literal['waiting', 'approved', 'refused', 'expired', 'void'] | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.ApprovalsListResult, t.Approval]:
        """Sends by agents that wait or waited for a person's approval, newest first. Scope: mail:send."""
        return self._pages('approvals', 'GET', '/approvals', query=given({'status': status, 'limit': limit, 'before': before}), options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.ApprovalsGetResult:
        """One approval, with the mail as its recipients will see it. Scope: mail:send."""
        return self._call('GET', f'/approvals/{segment(id)}', options=options)

    def decide(
        self,
        id: str,
        *,
        decision: Literal['approve', 'refuse'],
        hash: str,
        reason: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.ApprovalsDecideResult:
        """Send exactly the mail that was reviewed, or refuse it. The sending rules and limits apply as of now; a mail that they refuse keeps waiting. Scope: mail:send."""
        return self._call('POST', f'/approvals/{segment(id)}', body=given({'decision': decision, 'hash': hash, 'reason': reason}), is_idempotent=True, options=options)


class Templates(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.TemplatesListResult, t.Template]:
        """Templates of transactional mail, by alias. Scope: mail:send."""
        return self._pages('templates', 'GET', '/templates', query=given({'limit': limit, 'before': before}), options=options)

    def get(
        self,
        alias: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.TemplatesGetResult:
        """One template and the variables in it. Scope: mail:send."""
        return self._call('GET', f'/templates/{segment(alias)}', options=options)

    def create(
        self,
        *,
        alias: str,
        subject: str,
        html: str | None | Unset = UNSET,
        text: str | None | Unset = UNSET,
        status: Literal['active', 'paused'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.TemplatesCreateResult:
        """Create a template. Account keys only. Scope: mail:send."""
        return self._call('POST', '/templates', body=given({'alias': alias, 'subject': subject, 'html': html, 'text': text, 'status': status}), is_idempotent=True, options=options)

    def update(
        self,
        alias: str,
        *,
        subject: str | Unset = UNSET,
        html: str | None | Unset = UNSET,
        text: str | None | Unset = UNSET,
        status: Literal['active', 'paused'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.TemplatesUpdateResult:
        """Change a template, or pause it. Account keys only. Scope: mail:send."""
        return self._call('PATCH', f'/templates/{segment(alias)}', body=given({'subject': subject, 'html': html, 'text': text, 'status': status}), options=options)

    def delete(
        self,
        alias: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.TemplatesDeleteResult:
        """Delete a template. Account keys only. Scope: mail:send."""
        return self._call('DELETE', f'/templates/{segment(alias)}', options=options)

    def html(
        self,
        alias: str,
        *,
        variables: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Download:
        """The rendered template as an HTML document to frame in a page of this service, with a content security policy under which nothing runs and nothing loads. Scope: mail:send."""
        return self._download('GET', f'/templates/{segment(alias)}/html', query=given({'variables': variables}), options=options)

    def preview(
        self,
        alias: str,
        *,
        variables: dict[str, str] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.TemplatesPreviewResult:
        """Render a template with these variables; nothing is sent. Scope: mail:send."""
        return self._call('POST', f'/templates/{segment(alias)}/preview', body=given({'variables': variables}), options=options)


class Suppressions(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.SuppressionsListResult, t.Suppression]:
        """Suppressed addresses, to which no mail is sent, newest first: they bounced, complained or were added. An agent key sees those that apply to its mail. Scope: mail:send."""
        return self._pages('suppressions', 'GET', '/suppressions', query=given({'limit': limit, 'before': before}), options=options)

    def get(
        self,
        email: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.SuppressionsGetResult:
        """Whether and why an address is suppressed. Scope: mail:send."""
        return self._call('GET', f'/suppressions/{segment(email)}', options=options)

    def add(
        self,
        *,
        email: str,
        options: RequestOptions | None = None,
    ) -> t.SuppressionsAddResult:
        """Suppress an address: for the whole account, or with an agent key for its own mailboxes. Scope: mail:send."""
        return self._call('POST', '/suppressions', body=given({'email': email}), is_idempotent=True, options=options)

    def remove(
        self,
        email: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.SuppressionsRemoveResult:
        """Remove an address from the suppressions. Account keys only. Scope: mail:send."""
        return self._call('DELETE', f'/suppressions/{segment(email)}', options=options)


class Deliveries(Group):
    def status(
        self,
        *,
        message_id: str | None | Unset = UNSET,
        id: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DeliveriesStatusResult:
        """The delivery status of a send: for each recipient its status and the reply of its mail server. Scope: mail:read."""
        return self._call('GET', '/delivery-status', query=given({'message_id': message_id, 'id': id}), options=options)

    def list(
        self,
        id: str,
        *,
        state: Literal['waiting', 'delivered', 'failed', 'skipped'] | None | Unset = UNSET,
        type: Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message'] | None | Unset = UNSET,
        event: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.DeliveriesListResult, t.Delivery]:
        """The delivery log of an endpoint, newest first: every attempt with its request and response."""
        return self._pages('deliveries', 'GET', f'/webhooks/{segment(id)}/deliveries', query=given({'state': state, 'type': type, 'event': event, 'limit': limit, 'before': before}), options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DeliveriesGetResult:
        """One delivery, with its attempts."""
        return self._call('GET', f'/deliveries/{segment(id)}', options=options)

    def resend(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DeliveriesResendResult:
        """Send a delivery again: the same body, in a single attempt, as a new delivery, which is the answer. An account may make 20 resends and tests in 10 minutes."""
        return self._call('POST', f'/deliveries/{segment(id)}/resend', is_idempotent=True, options=options)


class Domains(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.DomainsListResult, t.Domain]:
        """The domains of the account, including its free one, with the DNS records to publish, newest first. Account keys only. Scope: domains:read."""
        return self._pages('domains', 'GET', '/domains', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        domain: str,
        options: RequestOptions | None = None,
    ) -> t.DomainsCreateResult:
        """Add your own domain. The answer lists every DNS record to publish; verify the domain after that. Account keys only. Scope: domains:write."""
        return self._call('POST', '/domains', body=given({'domain': domain}), is_idempotent=True, options=options)

    def get(
        self,
        domain: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DomainsGetResult:
        """One domain, with the DNS records to publish and what the last check found. Account keys only. Scope: domains:read."""
        return self._call('GET', f'/domains/{segment(domain)}', options=options)

    def verify(
        self,
        domain: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DomainsVerifyResult:
        """Check the DNS now: for each record the answer says what was found and what to change. The domain belongs to the first account whose records are all published. Account keys only. Scope: domains:write."""
        return self._call('POST', f'/domains/{segment(domain)}/verify', options=options)

    def update(
        self,
        domain: str,
        *,
        default_display_name: str | None,
        options: RequestOptions | None = None,
    ) -> t.DomainsUpdateResult:
        """Set the display name of mailboxes on a domain that have none of their own. Account keys only. Scope: domains:write."""
        return self._call('PATCH', f'/domains/{segment(domain)}', body=given({'defaultDisplayName': default_display_name}), options=options)

    def delete(
        self,
        domain: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.DomainsDeleteResult:
        """Remove a domain from the account, with its keys and DNS records. Delete its mailboxes and aliases first. Account keys only. Scope: domains:write."""
        return self._call('DELETE', f'/domains/{segment(domain)}', options=options)

    def reports(
        self,
        domain: str,
        *,
        since: str | datetime | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.DomainsReportsResult, t.ReportSource]:
        """What receivers report about mail from a domain (DMARC) and about TLS with its servers: pass rates by sending address, and failures with what to change. Scope: domains:read."""
        return self._pages('sources', 'GET', f'/domains/{segment(domain)}/reports', query=given({'since': since, 'until': until, 'limit': limit, 'before': before}), options=options)


class Dns(Group):
    def list(
        self,
        domain: str,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.DnsListResult, t.DnsRecord]:
        """The DNS records of a domain, newest first. Scope: dns:read."""
        return self._pages('records', 'GET', f'/domains/{segment(domain)}/dns', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        domain: str,
        *,
        type: Literal['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'],
        name: str,
        value: str,
        ttl: int | Unset = UNSET,
        priority: int | None | Unset = UNSET,
        force: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DnsCreateResult:
        """Add a DNS record. One that would interfere with mail needs force. Scope: dns:write."""
        return self._call('POST', f'/domains/{segment(domain)}/dns', body=given({'type': type, 'name': name, 'value': value, 'ttl': ttl, 'priority': priority, 'force': force}), is_idempotent=True, options=options)

    def update(
        self,
        domain: str,
        record_id: str,
        *,
        name: str | Unset = UNSET,
        value: str | Unset = UNSET,
        ttl: int | Unset = UNSET,
        priority: int | None | Unset = UNSET,
        force: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DnsUpdateResult:
        """Change a DNS record. One that mail depends on needs force. Scope: dns:write."""
        return self._call('PATCH', f'/domains/{segment(domain)}/dns/{segment(record_id)}', body=given({'name': name, 'value': value, 'ttl': ttl, 'priority': priority, 'force': force}), options=options)

    def delete(
        self,
        domain: str,
        record_id: str,
        *,
        force: bool | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.DnsDeleteResult:
        """Delete a DNS record. One that mail depends on needs force=true. Scope: dns:write."""
        return self._call('DELETE', f'/domains/{segment(domain)}/dns/{segment(record_id)}', query=given({'force': force}), options=options)


class Aliases(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.AliasesListResult, t.Alias]:
        """The aliases of the account, newest first. Account keys only. Scope: aliases:read."""
        return self._pages('aliases', 'GET', '/aliases', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        alias: str,
        targets: Sequence[str],
        options: RequestOptions | None = None,
    ) -> t.AliasesCreateResult:
        """Deliver mail for an address to mailboxes of the account; *@domain catches every address without a mailbox or alias. Account keys only. Scope: aliases:write."""
        return self._call('POST', '/aliases', body=given({'alias': alias, 'targets': targets}), is_idempotent=True, options=options)

    def delete(
        self,
        alias: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.AliasesDeleteResult:
        """Delete an alias; its address can be reused at once. Account keys only. Scope: aliases:write."""
        return self._call('DELETE', f'/aliases/{segment(alias)}', options=options)


class Intake(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.IntakeListResult, t.Intake]:
        """The Intake configurations of the mailboxes that this key reaches, newest mailbox first. Scope: mail:read."""
        return self._pages('intakes', 'GET', '/intake', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        mailbox: str,
        create: bool | Unset = UNSET,
        delivery: t.IntakeDeliveryInput | Unset = UNSET,
        lens: t.IntakeLensInput | Unset = UNSET,
        retention: Literal[7, 30, 90, 'forever'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.IntakeCreateResult:
        """Watch a mailbox: each mail that arrives from now on becomes a record. If an endpoint is created for it, its secret is shown only in this answer. Scope: mailboxes:write, mail:read."""
        return self._call('POST', '/intake', body=given({'mailbox': mailbox, 'create': create, 'delivery': delivery, 'lens': lens, 'retention': retention}), is_idempotent=True, options=options)

    def templates(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeTemplatesResult:
        """Templates for Lens: lists of fields to start from. Scope: mail:read."""
        return self._call('GET', '/intake/templates', options=options)

    def get(
        self,
        mailbox: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeGetResult:
        """The Intake configuration of a mailbox. Scope: mail:read."""
        return self._call('GET', f'/intake/{segment(mailbox)}', options=options)

    def update(
        self,
        mailbox: str,
        *,
        delivery: t.IntakeDeliveryInput | Unset = UNSET,
        lens: t.IntakeLensInput | Unset = UNSET,
        retention: Literal[7, 30, 90, 'forever'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.IntakeUpdateResult:
        """Change the Intake configuration of a mailbox; omitted fields stay. A new retention applies to existing records too. The secret of a new endpoint is shown only in this answer. Scope: mailboxes:write, mail:read."""
        return self._call('PATCH', f'/intake/{segment(mailbox)}', body=given({'delivery': delivery, 'lens': lens, 'retention': retention}), options=options)

    def delete(
        self,
        mailbox: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeDeleteResult:
        """Stop watching a mailbox. Its records, their copies and links, and the endpoint that was created for it are deleted. Its mail stays. Scope: mailboxes:write, mail:read."""
        return self._call('DELETE', f'/intake/{segment(mailbox)}', options=options)

    def test(
        self,
        mailbox: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeTestResult:
        """Send a test mail to a watched mailbox through the mail servers of the service. Its record has `test: true`. Scope: mailboxes:write, mail:read."""
        return self._call('POST', f'/intake/{segment(mailbox)}/test', is_idempotent=True, options=options)

    def lens_test(
        self,
        mailbox: str,
        *,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        date: str | datetime | Unset = UNSET,
        message_id: str | Unset = UNSET,
        fields: Sequence[t.LensField] | Unset = UNSET,
        quoted: bool | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.IntakeLensTestResult:
        """Try Lens on a sample or on a mail of the mailbox, with the fields of the mailbox or with others. Nothing is stored or counted. Scope: mailboxes:write, mail:read."""
        return self._call('POST', f'/intake/{segment(mailbox)}/lens/test', body=given({'subject': subject, 'text': text, 'html': html, 'date': date, 'messageId': message_id, 'fields': fields, 'quoted': quoted}), options=options)

    def lens_backfill(
        self,
        mailbox: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeLensBackfillResult:
        """Run Lens on existing records that it has not yet read for these fields. Each counts as a run; no event is sent. Scope: mailboxes:write, mail:read."""
        return self._call('POST', f'/intake/{segment(mailbox)}/lens/backfill', is_idempotent=True, options=options)


class IntakeMessages(Group):
    def list(
        self,
        *,
        mailbox: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.IntakeMessagesListResult, t.IntakeSummary]:
        """Mail as Intake parsed it, newest first, of all mailboxes that the key reaches or of one. Only the single record has `text`, `html` and links. Scope: mail:read."""
        return self._pages('messages', 'GET', '/intake/messages', query=given({'mailbox': mailbox, 'limit': limit, 'before': before}), options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeMessagesGetResult:
        """One mail as Intake parsed it, with links to its files that work for 24 hours from now. Scope: mail:read."""
        return self._call('GET', f'/intake/messages/{segment(id)}', options=options)

    def revoke_links(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeMessagesRevokeLinksResult:
        """Revoke all links to the files of a record, such as those in its webhook. The answer has new ones. Scope: mail:write."""
        return self._call('POST', f'/intake/messages/{segment(id)}/revoke-links', options=options)

    def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.IntakeMessagesDeleteResult:
        """Delete a record with its copy of the mail and its links. The mailbox keeps the mail. Scope: mail:write."""
        return self._call('DELETE', f'/intake/messages/{segment(id)}', options=options)


class Events(Group):
    def list(
        self,
        *,
        type: str | None | Unset = UNSET,
        mailbox: str | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        after: str | None | Unset = UNSET,
        wait: int | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.EventsListResult, t.EventEnvelope]:
        """Events of the last 30 days that the key may read: newest first, or with "after" or "wait" forwards from a cursor, oldest first."""
        return self._pages('events', 'GET', '/events', query=given({'type': type, 'mailbox': mailbox, 'since': since, 'until': until, 'limit': limit, 'before': before, 'after': after, 'wait': wait}), waits=True, options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.EventsGetResult:
        """Read one event."""
        return self._call('GET', f'/events/{segment(id)}', options=options)

    def stream(
        self,
        *,
        type: str | None | Unset = UNSET,
        mailbox: str | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        after: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Events as they are recorded, as an endless stream of server-sent events. A reader that lost the connection resumes with Last-Event-ID."""
        return self._events('GET', '/events/stream', query=given({'type': type, 'mailbox': mailbox, 'since': since, 'until': until, 'after': after}), options=options)


class Test(Group):
    def inbound(
        self,
        *,
        mailbox: str,
        raw: str | Unset = UNSET,
        from_: t.AddressInput | Unset = UNSET,
        to: t.AddressesInput | Unset = UNSET,
        subject: str | Unset = UNSET,
        text: str | Unset = UNSET,
        html: str | Unset = UNSET,
        headers: dict[str, str] | Unset = UNSET,
        attachments: t.AttachmentsInput | Unset = UNSET,
        verdicts: t.TestInboundVerdicts | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.TestInboundResult:
        """Deliver a message to a mailbox of the sandbox as if from outside, with chosen verdicts about its sender. Scope: mail:write."""
        return self._call('POST', '/test/inbound', body=given({'mailbox': mailbox, 'raw': raw, 'from': from_, 'to': to, 'subject': subject, 'text': text, 'html': html, 'headers': headers, 'attachments': attachments, 'verdicts': verdicts}), is_idempotent=True, options=options)

    def clock(
        self,
        *,
        advance: int | Unset = UNSET,
        now: str | datetime | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.TestClockResult:
        """Advance the clock of the sandbox. The answer comes once everything that became due is done."""
        return self._call('POST', '/test/clock', body=given({'advance': advance, 'now': now}), options=options)


class Webhooks(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.WebhooksListResult, t.Webhook]:
        """Webhook endpoints: all of the account, or those that the agent key created."""
        return self._pages('webhooks', 'GET', '/webhooks', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        url: str,
        events: Sequence[Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message']],
        scope: t.WebhooksCreateScope | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        ordering: Literal['none', 'mailbox'] | Unset = UNSET,
        description: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.WebhooksCreateResult:
        """Deliver events to a URL, signed. The signing secret is shown only in this answer."""
        return self._call('POST', '/webhooks', body=given({'url': url, 'events': events, 'scope': scope, 'enabled': enabled, 'ordering': ordering, 'description': description}), is_idempotent=True, options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.WebhooksGetResult:
        """One endpoint."""
        return self._call('GET', f'/webhooks/{segment(id)}', options=options)

    def update(
        self,
        id: str,
        *,
        url: str | Unset = UNSET,
        events: Sequence[Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message']] | Unset = UNSET,
        scope: t.WebhooksUpdateScope | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        ordering: Literal['none', 'mailbox'] | Unset = UNSET,
        description: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.WebhooksUpdateResult:
        """Change an endpoint. Turning it on again clears its failures; it receives events from then on."""
        return self._call('PATCH', f'/webhooks/{segment(id)}', body=given({'url': url, 'events': events, 'scope': scope, 'enabled': enabled, 'ordering': ordering, 'description': description}), options=options)

    def rotate_secret(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.WebhooksRotateSecretResult:
        """Give an endpoint a new signing secret, shown only in this answer. For 24 hours the previous one also signs: every delivery has a signature by each, the new one last."""
        return self._call('POST', f'/webhooks/{segment(id)}/rotate-secret', is_idempotent=True, options=options)

    def test(
        self,
        id: str,
        *,
        type: Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message'],
        options: RequestOptions | None = None,
    ) -> t.WebhooksTestResult:
        """Send a sample event, marked "test": true, to an endpoint in a single attempt. The answer is the delivery. An account may make 20 resends and tests in 10 minutes."""
        return self._call('POST', f'/webhooks/{segment(id)}/test', body=given({'type': type}), is_idempotent=True, options=options)

    def redeliver(
        self,
        id: str,
        *,
        since: str | datetime,
        until: str | datetime | Unset = UNSET,
        types: Sequence[Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message']] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.WebhooksRedeliverResult:
        """Deliver the events of a time span to an endpoint again, oldest first, each as a resend of its own, at a rate of 20 in 10 minutes."""
        return self._call('POST', f'/webhooks/{segment(id)}/redeliver', body=given({'since': since, 'until': until, 'types': types}), is_idempotent=True, options=options)

    def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.WebhooksDeleteResult:
        """Delete an endpoint; its pending deliveries are dropped."""
        return self._call('DELETE', f'/webhooks/{segment(id)}', options=options)

    def attempts(
        self,
        id: str,
        *,
        by: Literal['hour', 'day'] | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.WebhooksAttemptsResult:
        """How many attempts succeeded and failed at an endpoint, for each hour of the last two days or each of the last 30 days."""
        return self._call('GET', f'/webhooks/{segment(id)}/attempts', query=given({'by': by}), options=options)


class PartnerCustomersKeys(Group):
    def list(
        self,
        id: str,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.PartnerCustomersKeysListResult, t.Key]:
        """The keys of a customer that the partner holds, newest first, revoked ones for 90 days."""
        return self._pages('keys', 'GET', f'/api/partner/customers/{segment(id)}/keys', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        id: str,
        *,
        name: str,
        scopes: Sequence[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
        kind: Literal['account', 'agent'] | Unset = UNSET,
        mailboxes: Sequence[str] | Unset = UNSET,
        expires_at: str | datetime | None | Unset = UNSET,
        approval: Literal['none', 'required'] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersKeysCreateResult:
        """Create a key for a customer, to call /api/v1 with. "apiKey" is shown in this answer only. Every request with the key is recorded in the customer's audit."""
        return self._call('POST', f'/api/partner/customers/{segment(id)}/keys', body=given({'name': name, 'kind': kind, 'scopes': scopes, 'mailboxes': mailboxes, 'expiresAt': expires_at, 'approval': approval}), is_idempotent=True, options=options)

    def revoke(
        self,
        id: str,
        key_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersKeysRevokeResult:
        """Revoke at once a key of a customer that the partner holds."""
        return self._call('DELETE', f'/api/partner/customers/{segment(id)}/keys/{segment(key_id)}', options=options)


class PartnerCustomers(Group):
    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.keys = PartnerCustomersKeys(transport)

    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.PartnerCustomersListResult, t.Customer]:
        """The customers of the partner, newest first. A test key lists test customers, and only those."""
        return self._pages('customers', 'GET', '/api/partner/customers', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        name: str,
        email: str | None | Unset = UNSET,
        plan: Literal['trial', 'starter', 'growth', 'pro', 'business', None] | Unset = UNSET,
        agents_plan: Literal['free', 'developer', 'scale', None] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersCreateResult:
        """Create a customer: a separate account with a domain for free addresses; with a test key, a sandbox. Create a key for it next."""
        return self._call('POST', '/api/partner/customers', body=given({'name': name, 'email': email, 'plan': plan, 'agentsPlan': agents_plan}), is_idempotent=True, options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersGetResult:
        """One customer."""
        return self._call('GET', f'/api/partner/customers/{segment(id)}', options=options)

    def update(
        self,
        id: str,
        *,
        plan: Literal['trial', 'starter', 'growth', 'pro', 'business', None] | Unset = UNSET,
        agents_plan: Literal['free', 'developer', 'scale', None] | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersUpdateResult:
        """Change the plans of a customer, effective at once. What exceeds a smaller plan stays, but the customer cannot add more of it."""
        return self._call('PATCH', f'/api/partner/customers/{segment(id)}', body=given({'plan': plan, 'agentsPlan': agents_plan}), options=options)

    def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersDeleteResult:
        """Erase a customer and everything in it permanently. Its keys, addresses and endpoints stop working at once; the rest is erased within minutes."""
        return self._call('DELETE', f'/api/partner/customers/{segment(id)}', options=options)

    def pause(
        self,
        id: str,
        *,
        reason: str | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersPauseResult:
        """Refuse everything a customer sends, through every door, until it is resumed. It can still receive and read mail."""
        return self._call('POST', f'/api/partner/customers/{segment(id)}/pause', body=given({'reason': reason}), options=options)

    def resume(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersResumeResult:
        """Let a customer that the partner paused send again."""
        return self._call('POST', f'/api/partner/customers/{segment(id)}/resume', options=options)

    def usage(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerCustomersUsageResult:
        """What a customer used this month, and its limits."""
        return self._call('GET', f'/api/partner/customers/{segment(id)}/usage', options=options)


class PartnerWebhooks(Group):
    def list(
        self,
        *,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.PartnerWebhooksListResult, t.Webhook]:
        """The partner's endpoints. A test key lists those that test keys created, and only those."""
        return self._pages('webhooks', 'GET', '/api/partner/webhooks', query=given({'limit': limit, 'before': before}), options=options)

    def create(
        self,
        *,
        url: str,
        events: Sequence[Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'customer.created', 'customer.plan_changed', 'customer.paused', 'customer.resumed']],
        enabled: bool | Unset = UNSET,
        ordering: Literal['none', 'mailbox'] | Unset = UNSET,
        description: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PartnerWebhooksCreateResult:
        """Deliver events of every customer to a URL, signed, each with its customer_id. An endpoint that a test key created receives only events of test customers. The signing secret is shown only in this answer."""
        return self._call('POST', '/api/partner/webhooks', body=given({'url': url, 'events': events, 'enabled': enabled, 'ordering': ordering, 'description': description}), is_idempotent=True, options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerWebhooksGetResult:
        """One endpoint."""
        return self._call('GET', f'/api/partner/webhooks/{segment(id)}', options=options)

    def update(
        self,
        id: str,
        *,
        url: str | Unset = UNSET,
        events: Sequence[Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'customer.created', 'customer.plan_changed', 'customer.paused', 'customer.resumed']] | Unset = UNSET,
        enabled: bool | Unset = UNSET,
        ordering: Literal['none', 'mailbox'] | Unset = UNSET,
        description: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> t.PartnerWebhooksUpdateResult:
        """Change an endpoint. Turning it on again clears its failures; it receives events from then on."""
        return self._call('PATCH', f'/api/partner/webhooks/{segment(id)}', body=given({'url': url, 'events': events, 'enabled': enabled, 'ordering': ordering, 'description': description}), options=options)

    def rotate_secret(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerWebhooksRotateSecretResult:
        """Give an endpoint a new signing secret, shown only in this answer. For 24 hours the previous one also signs."""
        return self._call('POST', f'/api/partner/webhooks/{segment(id)}/rotate-secret', is_idempotent=True, options=options)

    def test(
        self,
        id: str,
        *,
        type: Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'customer.created', 'customer.plan_changed', 'customer.paused', 'customer.resumed'],
        options: RequestOptions | None = None,
    ) -> t.PartnerWebhooksTestResult:
        """Send a sample event, marked "test": true, to an endpoint in a single attempt. The answer is the delivery."""
        return self._call('POST', f'/api/partner/webhooks/{segment(id)}/test', body=given({'type': type}), is_idempotent=True, options=options)

    def deliveries(
        self,
        id: str,
        *,
        state: Literal['waiting', 'delivered', 'failed', 'skipped'] | None | Unset = UNSET,
        type: Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'customer.created', 'customer.plan_changed', 'customer.paused', 'customer.resumed'] | None | Unset = UNSET,
        event: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.PartnerWebhooksDeliveriesResult, t.Delivery]:
        """The delivery log of an endpoint, newest first: every attempt with its request and response."""
        return self._pages('deliveries', 'GET', f'/api/partner/webhooks/{segment(id)}/deliveries', query=given({'state': state, 'type': type, 'event': event, 'limit': limit, 'before': before}), options=options)

    def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerWebhooksDeleteResult:
        """Delete an endpoint; its pending deliveries are dropped."""
        return self._call('DELETE', f'/api/partner/webhooks/{segment(id)}', options=options)


class PartnerEvents(Group):
    def list(
        self,
        *,
        customer_id: str | None | Unset = UNSET,
        type: str | None | Unset = UNSET,
        mailbox: str | None | Unset = UNSET,
        since: str | datetime | None | Unset = UNSET,
        until: str | datetime | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        before: str | None | Unset = UNSET,
        after: str | None | Unset = UNSET,
        wait: int | None | Unset = UNSET,
        options: RequestOptions | None = None,
    ) -> PageList[t.PartnerEventsListResult, t.EventEnvelope]:
        """Events of the last 30 days of all customers, in one sequence: newest first, or with "after" or "wait" forwards from a cursor, oldest first. A test key lists those of test customers."""
        return self._pages('events', 'GET', '/api/partner/events', query=given({'customer_id': customer_id, 'type': type, 'mailbox': mailbox, 'since': since, 'until': until, 'limit': limit, 'before': before, 'after': after, 'wait': wait}), waits=True, options=options)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> t.PartnerEventsGetResult:
        """Read one event."""
        return self._call('GET', f'/api/partner/events/{segment(id)}', options=options)


class Partner(Group):
    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.customers = PartnerCustomers(transport)
        self.webhooks = PartnerWebhooks(transport)
        self.events = PartnerEvents(transport)


class Groups:
    """Every group of the API."""

    def __init__(self, transport: Transport) -> None:
        self.signup = Signup(transport)
        self.people = People(transport)
        self.session = Session(transport)
        self.sessions = Sessions(transport)
        self.totp = Totp(transport)
        self.passkeys = Passkeys(transport)
        self.claims = Claims(transport)
        self.account = Account(transport)
        self.usage = Usage(transport)
        self.plans = Plans(transport)
        self.audit = Audit(transport)
        self.members = Members(transport)
        self.requests = Requests(transport)
        self.administration = Administration(transport)
        self.keys = Keys(transport)
        self.grants = Grants(transport)
        self.mailboxes = Mailboxes(transport)
        self.search = Search(transport)
        self.files = Files(transport)
        self.drive = Drive(transport)
        self.batches = Batches(transport)
        self.emails = Emails(transport)
        self.approvals = Approvals(transport)
        self.templates = Templates(transport)
        self.suppressions = Suppressions(transport)
        self.deliveries = Deliveries(transport)
        self.domains = Domains(transport)
        self.dns = Dns(transport)
        self.aliases = Aliases(transport)
        self.intake = Intake(transport)
        self.intake_messages = IntakeMessages(transport)
        self.events = Events(transport)
        self.test = Test(transport)
        self.webhooks = Webhooks(transport)
        self.partner = Partner(transport)
