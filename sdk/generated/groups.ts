/** Written by `npm run generate` from operations/ and schemas/: change those. */
import { type Download, type DownloadOptions, Group, type PageList, type RequestOptions, segment, type Transport } from '../transport.ts'
import type * as t from './types.ts'

export class Signup extends Group {
  /** Get a free address, an inbox on it and a key bound to that inbox, without an account. */
  create(params: t.SignupCreateParams = {}, options?: RequestOptions): Promise<t.SignupCreateResult> {
    return this.call({ method: 'POST', path: '/signup', body: params }, options)
  }
}

export class People extends Group {
  /** Sign up as a person. The answer is the same whether or not the address is known; the next step comes by mail. */
  create(params: t.PeopleCreateParams, options?: RequestOptions): Promise<t.PeopleCreateResult> {
    return this.call({ method: 'POST', path: '/people', body: params }, options)
  }

  /** Complete a sign-up with the token of the mailed link; the person can then sign in. */
  verify(params: t.PeopleVerifyParams, options?: RequestOptions): Promise<t.PeopleVerifyResult> {
    return this.call({ method: 'POST', path: '/people/verify', body: params }, options)
  }

  /** With "email": ask for a link to choose a new password, mailed if the address is known. With "token" and "password": set it, which ends every session of the person. */
  reset(params: t.PeopleResetParams = {}, options?: RequestOptions): Promise<t.PeopleResetResult> {
    return this.call({ method: 'POST', path: '/people/reset', body: params }, options)
  }

  /** Change the name or password of the signed-in person. A new password needs the current one, and ends all other sessions. For people who are signed in, not for keys. */
  update(params: t.PeopleUpdateParams = {}, options?: RequestOptions): Promise<t.PeopleUpdateResult> {
    return this.call({ method: 'PATCH', path: '/people/me', body: params }, options)
  }

  /** Accept an invitation to an account; the session then acts on it. For people who are signed in, not for keys. */
  join(params: t.PeopleJoinParams, options?: RequestOptions): Promise<t.PeopleJoinResult> {
    return this.call({ method: 'POST', path: '/people/invitation', body: params }, options)
  }

  /** Leave an account, whatever your role. Your app passwords for it stop working, and programs that act in it for you are disconnected. The last owner cannot leave. For people who are signed in, not for keys. */
  leave(account: string, options?: RequestOptions): Promise<t.PeopleLeaveResult> {
    return this.call({ method: 'DELETE', path: `/people/me/accounts/${segment(account)}` }, options)
  }

  /** Erase the signed-in person permanently. The person has to leave or erase all their accounts first. For people who are signed in, not for keys. */
  erase(params: t.PeopleEraseParams, options?: RequestOptions): Promise<t.PeopleEraseResult> {
    return this.call({ method: 'POST', path: '/people/me/erase', body: params }, options)
  }
}

export class Session extends Group {
  /** Sign in, which sets the session cookie. Give "email" and "password", and "code" if the person has an authenticator app; or "passkey" alone. */
  begin(params: t.SessionBeginParams = {}, options?: RequestOptions): Promise<t.SessionBeginResult> {
    return this.call({ method: 'POST', path: '/session', body: params }, options)
  }

  /** Begin to sign in with a passkey: options for navigator.credentials.get, to be answered within ten minutes. */
  passkey(options?: RequestOptions): Promise<t.SessionPasskeyResult> {
    return this.call({ method: 'POST', path: '/session/passkey' }, options)
  }

  /** Who is signed in, in which account, and the X-CSRF-Token of the session. For people who are signed in, not for keys. */
  get(options?: RequestOptions): Promise<t.SessionGetResult> {
    return this.call({ method: 'GET', path: '/session' }, options)
  }

  /** Let the session act on another account of the person. For people who are signed in, not for keys. */
  switch(params: t.SessionSwitchParams, options?: RequestOptions): Promise<t.SessionSwitchResult> {
    return this.call({ method: 'PATCH', path: '/session', body: params }, options)
  }

  /** Sign out: the session ends at once. For people who are signed in, not for keys. */
  end(options?: RequestOptions): Promise<t.SessionEndResult> {
    return this.call({ method: 'DELETE', path: '/session' }, options)
  }
}

export class Sessions extends Group {
  /** The sessions of the signed-in person, newest first. For people who are signed in, not for keys. */
  list(params: t.SessionsListParams = {}, options?: RequestOptions): PageList<t.SessionsListResult, t.SessionsListResult['sessions'][number]> {
    return this.pages<t.SessionsListResult, t.SessionsListResult['sessions'][number]>('sessions', { method: 'GET', path: '/sessions', query: params }, options)
  }

  /** End a session of the signed-in person at once. For people who are signed in, not for keys. */
  end(sessionId: string, options?: RequestOptions): Promise<t.SessionsEndResult> {
    return this.call({ method: 'DELETE', path: `/sessions/${segment(sessionId)}` }, options)
  }
}

export class Totp extends Group {
  /** Whether signing in needs a code of an authenticator app, and how many recovery codes are left. For people who are signed in, not for keys. */
  get(options?: RequestOptions): Promise<t.TotpGetResult> {
    return this.call({ method: 'GET', path: '/people/me/totp' }, options)
  }

  /** Without a code: returns a secret for an authenticator app. With a code of the app: signing in needs a code from then on, and ten recovery codes are returned. For people who are signed in, not for keys. */
  set(params: t.TotpSetParams = {}, options?: RequestOptions): Promise<t.TotpSetResult> {
    return this.call({ method: 'POST', path: '/people/me/totp', body: params }, options)
  }

  /** Remove the authenticator app, so that signing in needs no code. Needs a code of the app, or a recovery code; either is used up. For people who are signed in, not for keys. */
  remove(params: t.TotpRemoveParams, options?: RequestOptions): Promise<t.TotpRemoveResult> {
    return this.call({ method: 'DELETE', path: '/people/me/totp', query: params }, options)
  }
}

export class Passkeys extends Group {
  /** The passkeys of the person. For people who are signed in, not for keys. */
  list(options?: RequestOptions): Promise<t.PasskeysListResult> {
    return this.call({ method: 'GET', path: '/people/me/passkeys' }, options)
  }

  /** Without a credential: returns the options for navigator.credentials.create. With its result, from the same session within ten minutes: stores the passkey. For people who are signed in, not for keys. */
  create(params: t.PasskeysCreateParams = {}, options?: RequestOptions): Promise<t.PasskeysCreateResult> {
    return this.call({ method: 'POST', path: '/people/me/passkeys', body: params }, options)
  }

  /** Remove a passkey. For people who are signed in, not for keys. */
  remove(passkeyId: string, options?: RequestOptions): Promise<t.PasskeysRemoveResult> {
    return this.call({ method: 'DELETE', path: `/people/me/passkeys/${segment(passkeyId)}` }, options)
  }
}

export class Claims extends Group {
  /** Claim the account of a claim link, as a separate account or merged into "account". Address, inboxes, keys and webhooks move along, and keys keep working. The session then acts on the resulting account. For people who are signed in, not for keys. */
  create(params: t.ClaimsCreateParams, options?: RequestOptions): Promise<t.ClaimsCreateResult> {
    return this.call({ method: 'POST', path: '/claims', body: params }, options)
  }
}

export class Account extends Group {
  /** Create a new single-use claim link for the person who will own the account, which voids the previous link. For keys of its inboxes, until the account is claimed. */
  claim(options?: RequestOptions): Promise<t.AccountClaimResult> {
    return this.call({ method: 'POST', path: '/account/claim', isIdempotent: true }, options)
  }

  /** The account of the key: name, status, plans. */
  get(options?: RequestOptions): Promise<t.AccountGetResult> {
    return this.call({ method: 'GET', path: '/account' }, options)
  }

  /** Set whether sends of agents wait for the approval of a person. Sends that already wait keep waiting. For people who are signed in, not for keys. */
  update(params: t.AccountUpdateParams, options?: RequestOptions): Promise<t.AccountUpdateResult> {
    return this.call({ method: 'PATCH', path: '/account', body: params }, options)
  }

  /** The setup steps that are left (claim, name, domain, DNS, first mail, webhook), each with what this caller has to do. */
  setup(options?: RequestOptions): Promise<t.AccountSetupResult> {
    return this.call({ method: 'GET', path: '/account/setup' }, options)
  }

  /** Request a copy of everything in the account: mail as mbox, the rest as JSON, in one zip file. For account keys and owners. Scope: mail:read, mail:send, mailboxes:read, domains:read, aliases:read. */
  export(options?: RequestOptions): Promise<t.AccountExportResult> {
    return this.call({ method: 'POST', path: '/account/export' }, options)
  }

  /** The progress of the newest export, and the link to its file once it is done. For account keys and owners. Scope: mail:read, mail:send, mailboxes:read, domains:read, aliases:read. */
  getExport(options?: RequestOptions): Promise<t.AccountGetExportResult> {
    return this.call({ method: 'GET', path: '/account/export' }, options)
  }

  /** Erase the account and everything in it permanently, including people who are in no other account. Its keys, sessions, addresses and webhooks stop working at once; the rest is erased within minutes. For people who are signed in, not for keys. */
  erase(params: t.AccountEraseParams, options?: RequestOptions): Promise<t.AccountEraseResult> {
    return this.call({ method: 'POST', path: '/account/erase', body: params }, options)
  }
}

export class Usage extends Group {
  /** What the account has used in the current period, and its limits. */
  get(options?: RequestOptions): Promise<t.UsageGetResult> {
    return this.call({ method: 'GET', path: '/usage' }, options)
  }

  /** Mail sent and received per day, by all mailboxes that the key reaches or by one of them. Scope: mail:read. */
  daily(params: t.UsageDailyParams = {}, options?: RequestOptions): Promise<t.UsageDailyResult> {
    return this.call({ method: 'GET', path: '/usage/daily', query: params }, options)
  }
}

export class Plans extends Group {
  /** The plans that an account may have, with their figures, smallest first. */
  list(options?: RequestOptions): Promise<t.PlansListResult> {
    return this.call({ method: 'GET', path: '/plans' }, options)
  }
}

export class Audit extends Group {
  /** The audit trail of the account, newest first: sends, refusals, sign-ins, changes of keys and settings. */
  list(params: t.AuditListParams = {}, options?: RequestOptions): PageList<t.AuditListResult, t.AuditListResult['entries'][number]> {
    return this.pages<t.AuditListResult, t.AuditListResult['entries'][number]>('entries', { method: 'GET', path: '/audit', query: params }, options)
  }
}

export class Members extends Group {
  /** The members of the account, and its open invitations. For people who are signed in, not for keys. */
  list(options?: RequestOptions): Promise<t.MembersListResult> {
    return this.call({ method: 'GET', path: '/account/members' }, options)
  }

  /** Invite somebody by mail, with a role. This voids an earlier invitation to the same address. For people who are signed in, not for keys. */
  invite(params: t.MembersInviteParams, options?: RequestOptions): Promise<t.MembersInviteResult> {
    return this.call({ method: 'POST', path: '/account/members', body: params, isIdempotent: true }, options)
  }

  /** Change the role of a member, effective at once. The last owner cannot get another role. For people who are signed in, not for keys. */
  update(memberId: string, params: t.MembersUpdateParams, options?: RequestOptions): Promise<t.MembersUpdateResult> {
    return this.call({ method: 'PATCH', path: `/account/members/${segment(memberId)}`, body: params }, options)
  }

  /** Remove a member from the account at once, or withdraw an invitation. The last owner cannot be removed. For people who are signed in, not for keys. */
  remove(memberId: string, options?: RequestOptions): Promise<t.MembersRemoveResult> {
    return this.call({ method: 'DELETE', path: `/account/members/${segment(memberId)}` }, options)
  }
}

export class Requests extends Group {
  /** Requests of the account to the administrators, with their answers, newest first. For people who are signed in, not for keys. */
  list(params: t.RequestsListParams = {}, options?: RequestOptions): PageList<t.RequestsListResult, t.RequestsListResult['requests'][number]> {
    return this.pages<t.RequestsListResult, t.RequestsListResult['requests'][number]>('requests', { method: 'GET', path: '/account/requests', query: params }, options)
  }

  /** Ask the administrator for a higher limit, or to confirm a phone number. The answer comes by mail. For people who are signed in, not for keys. */
  create(params: t.RequestsCreateParams, options?: RequestOptions): Promise<t.RequestsCreateResult> {
    return this.call({ method: 'POST', path: '/account/requests', body: params, isIdempotent: true }, options)
  }
}

export class Administration extends Group {
  /** The accounts of the service, newest first, or with "q" only those that match. For people who are signed in, not for keys. */
  accounts(params: t.AdministrationAccountsParams = {}, options?: RequestOptions): PageList<t.AdministrationAccountsResult, t.AdministrationAccountsResult['accounts'][number]> {
    return this.pages<t.AdministrationAccountsResult, t.AdministrationAccountsResult['accounts'][number]>('accounts', { method: 'GET', path: '/administration/accounts', query: params }, options)
  }

  /** One account, with its people, what it used this month, and what it sent and received on each of the last 30 days. For people who are signed in, not for keys. */
  account(accountId: string, options?: RequestOptions): Promise<t.AdministrationAccountResult> {
    return this.call({ method: 'GET', path: `/administration/accounts/${segment(accountId)}` }, options)
  }

  /** Change the plans or a limit of an account, suspend it, pause its sending, or lift either hold. Takes effect at once. For people who are signed in, not for keys. */
  change(accountId: string, params: t.AdministrationChangeParams = {}, options?: RequestOptions): Promise<t.AdministrationChangeResult> {
    return this.call({ method: 'PATCH', path: `/administration/accounts/${segment(accountId)}`, body: params }, options)
  }

  /** Requests that accounts made to the administrators: open ones, oldest first, or answered ones, newest first. For people who are signed in, not for keys. */
  requests(params: t.AdministrationRequestsParams = {}, options?: RequestOptions): Promise<t.AdministrationRequestsResult> {
    return this.call({ method: 'GET', path: '/administration/requests', query: params }, options)
  }

  /** Answer a request; it can be answered only once, and the person is notified by mail. Granting a phone number confirms it. Granting a higher limit does not raise it: change the account for that. For people who are signed in, not for keys. */
  answer(requestId: string, params: t.AdministrationAnswerParams, options?: RequestOptions): Promise<t.AdministrationAnswerResult> {
    return this.call({ method: 'POST', path: `/administration/requests/${segment(requestId)}`, body: params }, options)
  }

  /** Mail that waits for delivery, by destination domain: how much, since when, and what the domain answered. For people who are signed in, not for keys. */
  outbox(options?: RequestOptions): Promise<t.AdministrationOutboxResult> {
    return this.call({ method: 'GET', path: '/administration/outbox' }, options)
  }

  /** Refusals by the SMTP servers per hour, by reply code. For people who are signed in, not for keys. */
  refusals(params: t.AdministrationRefusalsParams = {}, options?: RequestOptions): Promise<t.AdministrationRefusalsResult> {
    return this.call({ method: 'GET', path: '/administration/refusals', query: params }, options)
  }

  /** The processes of the service, with memory use, event loop delay and database latency over time. For people who are signed in, not for keys. */
  processes(params: t.AdministrationProcessesParams = {}, options?: RequestOptions): Promise<t.AdministrationProcessesResult> {
    return this.call({ method: 'GET', path: '/administration/processes', query: params }, options)
  }
}

export class Keys extends Group {
  /** The API keys of the account, newest first, revoked ones for 90 days. Their secrets are never shown again. For people who are signed in, not for keys. */
  list(params: t.KeysListParams = {}, options?: RequestOptions): PageList<t.KeysListResult, t.KeysListResult['keys'][number]> {
    return this.pages<t.KeysListResult, t.KeysListResult['keys'][number]>('keys', { method: 'GET', path: '/keys', query: params }, options)
  }

  /** Create an API key. "apiKey" is shown in this answer only. For people who are signed in, not for keys. */
  create(params: t.KeysCreateParams, options?: RequestOptions): Promise<t.KeysCreateResult> {
    return this.call({ method: 'POST', path: '/keys', body: params, isIdempotent: true }, options)
  }

  /** Revoke a key at once, in every process; webhook endpoints that an agent key created are turned off. For people who are signed in, not for keys. */
  revoke(keyId: string, options?: RequestOptions): Promise<t.KeysRevokeResult> {
    return this.call({ method: 'DELETE', path: `/keys/${segment(keyId)}` }, options)
  }
}

export class Grants extends Group {
  /** The programs that the person connected to the account by OAuth, oldest first; an owner sees those of all members. For people who are signed in, not for keys. */
  list(options?: RequestOptions): Promise<t.GrantsListResult> {
    return this.call({ method: 'GET', path: '/grants' }, options)
  }

  /** Disconnect a program: its tokens stop working at once, in every process. For people who are signed in, not for keys. */
  revoke(grantId: string, options?: RequestOptions): Promise<t.GrantsRevokeResult> {
    return this.call({ method: 'DELETE', path: `/grants/${segment(grantId)}` }, options)
  }
}

export class MailboxesLists extends Group {
  /** Whom a mailbox may send to, and whose mail it accepts. Scope: mailboxes:read. */
  get(address: string, options?: RequestOptions): Promise<t.ListsGetResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/lists` }, options)
  }

  /** Replace the lists of a mailbox; omitted lists stay unchanged. Not for agent keys. Scope: mailboxes:write. */
  set(address: string, params: t.ListsSetParams = {}, options?: RequestOptions): Promise<t.ListsSetResult> {
    return this.call({ method: 'PUT', path: `/mailboxes/${segment(address)}/lists`, body: params }, options)
  }
}

export class MailboxesAppPasswords extends Group {
  /** The app passwords of a mailbox, which mail programs log in with. For people who are signed in, not for keys. Scope: mailboxes:read. */
  list(address: string, options?: RequestOptions): Promise<t.AppPasswordsListResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/app-passwords` }, options)
  }

  /** Create a password for a mail program: it works for SMTP and IMAP of this mailbox, not for the API. It is shown in this answer only. For people who are signed in, not for keys. Scope: mail:read, mail:send, mail:write. */
  create(address: string, params: t.AppPasswordsCreateParams, options?: RequestOptions): Promise<t.AppPasswordsCreateResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/app-passwords`, body: params, isIdempotent: true }, options)
  }

  /** Revoke an app password at once, even where a mail program is logged in. For people who are signed in, not for keys. Scope: mail:read, mail:send, mail:write. */
  revoke(address: string, keyId: string, options?: RequestOptions): Promise<t.AppPasswordsRevokeResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}/app-passwords/${segment(keyId)}` }, options)
  }
}

export class MailboxesMessages extends Group {
  /** Messages of a mailbox, newest first. Scope: mail:read. */
  list(address: string, params: t.MessagesListParams = {}, options?: RequestOptions): PageList<t.MessagesListResult, t.MessagesListResult['messages'][number]> {
    return this.pages<t.MessagesListResult, t.MessagesListResult['messages'][number]>('messages', { method: 'GET', path: `/mailboxes/${segment(address)}/messages`, query: params }, options)
  }

  /** Wait for a message that passes all filters; the answer comes at once if there is one. Spam and Trash count only if named as folder. Scope: mail:read. */
  wait(address: string, params: t.MessagesWaitParams = {}, options?: RequestOptions): Promise<t.MessagesWaitResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/wait`, query: params, waits: true }, options)
  }

  /** Wait for a message and lease it: with claim, the lease in seconds, parallel waits receive distinct messages. Scope: mail:read, mail:write. */
  waitAndClaim(address: string, params: t.MessagesWaitAndClaimParams = {}, options?: RequestOptions): Promise<t.MessagesWaitAndClaimResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/wait`, body: params, waits: true }, options)
  }

  /** Wait for a mail with a verification code or link, and return only the code or link. Without since, only mail stored from now on counts. Scope: mail:read. */
  verification(address: string, params: t.MessagesVerificationParams = {}, options?: RequestOptions): Promise<t.MessagesVerificationResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/verification`, query: params, waits: true }, options)
  }

  /** Search the mail of a mailbox, newest first. A page may be short: go on until next is null. Scope: mail:read. */
  search(address: string, params: t.MessagesSearchParams, options?: RequestOptions): PageList<t.MessagesSearchResult, t.MessagesSearchResult['messages'][number]> {
    return this.pages<t.MessagesSearchResult, t.MessagesSearchResult['messages'][number]>('messages', { method: 'GET', path: `/mailboxes/${segment(address)}/search`, query: params }, options)
  }

  /** One message in full: headers, body, attachments. Reading it changes no flag. Scope: mail:read. */
  get(address: string, messageId: string, params: t.MessagesGetParams = {}, options?: RequestOptions): Promise<t.MessagesGetResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}`, query: params }, options)
  }

  /** The message byte for byte as received; with trace=true our trace headers in front. Scope: mail:read. */
  raw(address: string, messageId: string, params: t.MessagesRawParams = {}, options?: DownloadOptions): Promise<Download> {
    return this.download({ method: 'GET', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/raw`, query: params }, options)
  }

  /** The body as an HTML document to frame in a page of this service, with a content security policy under which nothing runs and nothing loads from elsewhere. Scope: mail:read. */
  html(address: string, messageId: string, params: t.MessagesHtmlParams = {}, options?: DownloadOptions): Promise<Download> {
    return this.download({ method: 'GET', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/html`, query: params }, options)
  }

  /** The bytes of one attachment. Scope: mail:read. */
  attachment(address: string, messageId: string, attachmentId: string, options?: DownloadOptions): Promise<Download> {
    return this.download({ method: 'GET', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/attachments/${segment(attachmentId)}` }, options)
  }

  /** Flag, label or move one message, or mark it as spam or not spam. Scope: mail:write. */
  update(address: string, messageId: string, params: t.MessagesUpdateParams = {}, options?: RequestOptions): Promise<t.MessagesUpdateResult> {
    return this.call({ method: 'PATCH', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}`, body: params }, options)
  }

  /** Move a message to Trash; with permanent=true, or if it is already in Trash, delete it permanently. Scope: mail:write. */
  delete(address: string, messageId: string, params: t.MessagesDeleteParams = {}, options?: RequestOptions): Promise<t.MessagesDeleteResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}`, query: params }, options)
  }

  /** Restore a message from Trash to the folder it was deleted from, or to INBOX if that folder is gone. Scope: mail:write. */
  restore(address: string, messageId: string, options?: RequestOptions): Promise<t.MessagesRestoreResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/restore` }, options)
  }

  /** Lease a message, so that no other worker answers it; the same key may renew its lease. Scope: mail:write. */
  claim(address: string, messageId: string, params: t.MessagesClaimParams, options?: RequestOptions): Promise<t.MessagesClaimResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/claim`, body: params }, options)
  }

  /** Release the lease of a message. Scope: mail:write. */
  release(address: string, messageId: string, options?: RequestOptions): Promise<t.MessagesReleaseResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/claim` }, options)
  }

  /** Mark every message of a folder as seen. Scope: mail:write. */
  readAll(address: string, params: t.MessagesReadAllParams, options?: RequestOptions): Promise<t.MessagesReadAllResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/messages/read-all`, body: params }, options)
  }

  /** Send one mail from a mailbox, to at most 50 recipients, now or at a given time. Scope: mail:send. */
  send(address: string, params: t.MessagesSendParams & { readonly dryRun: true }, options?: RequestOptions): Promise<Extract<t.MessagesSendResult, { readonly dryRun: true }>>
  send(address: string, params: t.MessagesSendParams & { readonly dryRun?: false }, options?: RequestOptions): Promise<Exclude<t.MessagesSendResult, { readonly dryRun: true }>>
  send(address: string, params?: t.MessagesSendParams, options?: RequestOptions): Promise<t.MessagesSendResult>
  send(address: string, params: t.MessagesSendParams = {}, options?: RequestOptions): Promise<t.MessagesSendResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/send`, body: params, isIdempotent: true }, options)
  }

  /** Reply to a message: to its sender, or with all: true to everybody it was sent to. Scope: mail:send. */
  reply(address: string, messageId: string, params: t.MessagesReplyParams & { readonly dryRun: true }, options?: RequestOptions): Promise<Extract<t.MessagesReplyResult, { readonly dryRun: true }>>
  reply(address: string, messageId: string, params: t.MessagesReplyParams & { readonly dryRun?: false }, options?: RequestOptions): Promise<Exclude<t.MessagesReplyResult, { readonly dryRun: true }>>
  reply(address: string, messageId: string, params?: t.MessagesReplyParams, options?: RequestOptions): Promise<t.MessagesReplyResult>
  reply(address: string, messageId: string, params: t.MessagesReplyParams = {}, options?: RequestOptions): Promise<t.MessagesReplyResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/reply`, body: params, isIdempotent: true }, options)
  }

  /** Forward a message, below your own text, with its files unless includeAttachments is false. Scope: mail:send. */
  forward(address: string, messageId: string, params: t.MessagesForwardParams & { readonly dryRun: true }, options?: RequestOptions): Promise<Extract<t.MessagesForwardResult, { readonly dryRun: true }>>
  forward(address: string, messageId: string, params: t.MessagesForwardParams & { readonly dryRun?: false }, options?: RequestOptions): Promise<Exclude<t.MessagesForwardResult, { readonly dryRun: true }>>
  forward(address: string, messageId: string, params: t.MessagesForwardParams, options?: RequestOptions): Promise<t.MessagesForwardResult>
  forward(address: string, messageId: string, params: t.MessagesForwardParams, options?: RequestOptions): Promise<t.MessagesForwardResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/messages/${segment(messageId)}/forward`, body: params, isIdempotent: true }, options)
  }
}

export class MailboxesTrash extends Group {
  /** Permanently delete everything in Trash. Scope: mail:write. */
  empty(address: string, options?: RequestOptions): Promise<t.TrashEmptyResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/trash/empty` }, options)
  }
}

export class MailboxesFolders extends Group {
  /** All folders of a mailbox. Scope: mail:read. */
  list(address: string, options?: RequestOptions): Promise<t.FoldersListResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/folders` }, options)
  }

  /** Create a folder, and the missing folders above it. Scope: mail:write. */
  create(address: string, params: t.FoldersCreateParams, options?: RequestOptions): Promise<t.FoldersCreateResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/folders`, body: params, isIdempotent: true }, options)
  }

  /** Rename or move a folder with everything below it. Scope: mail:write. */
  update(address: string, path: string, params: t.FoldersUpdateParams, options?: RequestOptions): Promise<t.FoldersUpdateResult> {
    return this.call({ method: 'PATCH', path: `/mailboxes/${segment(address)}/folders/${segment(path)}`, body: params }, options)
  }

  /** Delete a folder and all folders below it; their mail moves to Trash. Scope: mail:write. */
  delete(address: string, path: string, options?: RequestOptions): Promise<t.FoldersDeleteResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}/folders/${segment(path)}` }, options)
  }
}

export class MailboxesThreads extends Group {
  /** Conversations of an agent's mailbox, ordered by their newest message; one matches if each filter matches one of its messages. Those wholly in Trash, Spam or Drafts are left out unless folder is given. Scope: mail:read. */
  list(address: string, params: t.ThreadsListParams = {}, options?: RequestOptions): PageList<t.ThreadsListResult, t.ThreadsListResult['threads'][number]> {
    return this.pages<t.ThreadsListResult, t.ThreadsListResult['threads'][number]>('threads', { method: 'GET', path: `/mailboxes/${segment(address)}/threads`, query: params }, options)
  }

  /** One conversation with its messages, oldest first; a long one is paged from its end. Scope: mail:read. */
  get(address: string, threadId: string, params: t.ThreadsGetParams = {}, options?: RequestOptions): PageList<t.ThreadsGetResult, t.ThreadsGetResult['messages'][number]> {
    return this.pages<t.ThreadsGetResult, t.ThreadsGetResult['messages'][number]>('messages', { method: 'GET', path: `/mailboxes/${segment(address)}/threads/${segment(threadId)}`, query: params }, options)
  }
}

export class MailboxesLabels extends Group {
  /** The labels of an agent's mailbox and how many messages have each. Scope: mail:read. */
  list(address: string, options?: RequestOptions): Promise<t.LabelsListResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/labels` }, options)
  }
}

export class MailboxesContacts extends Group {
  /** The people that a mailbox corresponded with, last seen first. Scope: mail:read. */
  list(address: string, params: t.ContactsListParams = {}, options?: RequestOptions): PageList<t.ContactsListResult, t.ContactsListResult['contacts'][number]> {
    return this.pages<t.ContactsListResult, t.ContactsListResult['contacts'][number]>('contacts', { method: 'GET', path: `/mailboxes/${segment(address)}/contacts`, query: params }, options)
  }
}

export class MailboxesDrafts extends Group {
  /** Drafts of a mailbox, newest first. Scope: mail:read. */
  list(address: string, params: t.DraftsListParams = {}, options?: RequestOptions): PageList<t.DraftsListResult, t.DraftsListResult['drafts'][number]> {
    return this.pages<t.DraftsListResult, t.DraftsListResult['drafts'][number]>('drafts', { method: 'GET', path: `/mailboxes/${segment(address)}/drafts`, query: params }, options)
  }

  /** Save a draft: a message in Drafts, which may be incomplete until it is sent. Scope: mail:send. */
  create(address: string, params: t.DraftsCreateParams = {}, options?: RequestOptions): Promise<t.DraftsCreateResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/drafts`, body: params, isIdempotent: true }, options)
  }

  /** One draft in full. Scope: mail:send. */
  get(address: string, draftId: string, options?: RequestOptions): Promise<t.DraftsGetResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/drafts/${segment(draftId)}` }, options)
  }

  /** Change the fields that are given; the others and the id stay. Text or HTML given alone replaces the whole body. Scope: mail:send. */
  update(address: string, draftId: string, params: t.DraftsUpdateParams = {}, options?: RequestOptions): Promise<t.DraftsUpdateResult> {
    return this.call({ method: 'PATCH', path: `/mailboxes/${segment(address)}/drafts/${segment(draftId)}`, body: params }, options)
  }

  /** Delete a draft permanently. Scope: mail:send. */
  delete(address: string, draftId: string, options?: RequestOptions): Promise<t.DraftsDeleteResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}/drafts/${segment(draftId)}` }, options)
  }

  /** Send a draft, now or at a given time, and remove it. Scope: mail:send. */
  send(address: string, draftId: string, params: t.DraftsSendParams = {}, options?: RequestOptions): Promise<t.DraftsSendResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/drafts/${segment(draftId)}/send`, body: params, isIdempotent: true }, options)
  }
}

export class MailboxesScheduled extends Group {
  /** Scheduled sends of a mailbox, newest first. Scope: mail:send. */
  list(address: string, params: t.ScheduledListParams = {}, options?: RequestOptions): PageList<t.ScheduledListResult, t.ScheduledListResult['scheduled'][number]> {
    return this.pages<t.ScheduledListResult, t.ScheduledListResult['scheduled'][number]>('scheduled', { method: 'GET', path: `/mailboxes/${segment(address)}/scheduled`, query: params }, options)
  }

  /** Change the time of a scheduled send, until it is claimed for sending. Scope: mail:send. */
  update(address: string, id: string, params: t.ScheduledUpdateParams, options?: RequestOptions): Promise<t.ScheduledUpdateResult> {
    return this.call({ method: 'PATCH', path: `/mailboxes/${segment(address)}/scheduled/${segment(id)}`, body: params }, options)
  }

  /** Cancel a send, until it is claimed for sending. Its allowance is returned, and a send that was a draft becomes a draft again. Scope: mail:send. */
  cancel(address: string, id: string, options?: RequestOptions): Promise<t.ScheduledCancelResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}/scheduled/${segment(id)}` }, options)
  }
}

export class MailboxesBatches extends Group {
  /** Send one text to many recipients, filling its {{tokens}} from the fields of each. The batch is accepted or refused as a whole. Scope: mail:send. */
  send(address: string, params: t.BatchesSendParams, options?: RequestOptions): Promise<t.BatchesSendResult> {
    return this.call({ method: 'POST', path: `/mailboxes/${segment(address)}/send-batch`, body: params }, options)
  }

  /** The delivery status of each recipient of a batch. Scope: mail:send. */
  get(address: string, batchId: string, options?: RequestOptions): Promise<t.BatchesGetResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}/send-batch/${segment(batchId)}` }, options)
  }
}

export class Mailboxes extends Group {
  readonly lists: MailboxesLists
  readonly appPasswords: MailboxesAppPasswords
  readonly messages: MailboxesMessages
  readonly trash: MailboxesTrash
  readonly folders: MailboxesFolders
  readonly threads: MailboxesThreads
  readonly labels: MailboxesLabels
  readonly contacts: MailboxesContacts
  readonly drafts: MailboxesDrafts
  readonly scheduled: MailboxesScheduled
  readonly batches: MailboxesBatches

  constructor(transport: Transport) {
    super(transport)
    this.lists = new MailboxesLists(transport)
    this.appPasswords = new MailboxesAppPasswords(transport)
    this.messages = new MailboxesMessages(transport)
    this.trash = new MailboxesTrash(transport)
    this.folders = new MailboxesFolders(transport)
    this.threads = new MailboxesThreads(transport)
    this.labels = new MailboxesLabels(transport)
    this.contacts = new MailboxesContacts(transport)
    this.drafts = new MailboxesDrafts(transport)
    this.scheduled = new MailboxesScheduled(transport)
    this.batches = new MailboxesBatches(transport)
  }

  /** The mailboxes this key can reach, newest first. Scope: mailboxes:read. */
  list(params: t.MailboxesListParams = {}, options?: RequestOptions): PageList<t.MailboxesListResult, t.MailboxesListResult['mailboxes'][number]> {
    return this.pages<t.MailboxesListResult, t.MailboxesListResult['mailboxes'][number]>('mailboxes', { method: 'GET', path: '/mailboxes', query: params }, options)
  }

  /** Create a mailbox on one of the domains of the account. Scope: mailboxes:write. */
  create(params: t.MailboxesCreateParams, options?: RequestOptions): Promise<t.MailboxesCreateResult> {
    return this.call({ method: 'POST', path: '/mailboxes', body: params, isIdempotent: true }, options)
  }

  /** One mailbox. Scope: mailboxes:read. */
  get(address: string, options?: RequestOptions): Promise<t.MailboxesGetResult> {
    return this.call({ method: 'GET', path: `/mailboxes/${segment(address)}` }, options)
  }

  /** Set the display name, signature or automatic reply of a mailbox; null clears a field. Scope: mailboxes:write. */
  update(address: string, params: t.MailboxesUpdateParams = {}, options?: RequestOptions): Promise<t.MailboxesUpdateResult> {
    return this.call({ method: 'PATCH', path: `/mailboxes/${segment(address)}`, body: params }, options)
  }

  /** Delete a mailbox. It stops receiving at once; its mail is purged after 30 days, and its address stays reserved until then. Scope: mailboxes:write. */
  delete(address: string, options?: RequestOptions): Promise<t.MailboxesDeleteResult> {
    return this.call({ method: 'DELETE', path: `/mailboxes/${segment(address)}` }, options)
  }
}

export class Search extends Group {
  /** Search the mail of every mailbox the key reaches, newest first. A page may be short: go on until next is null. Scope: mail:read. */
  all(params: t.SearchAllParams, options?: RequestOptions): PageList<t.SearchAllResult, t.SearchAllResult['messages'][number]> {
    return this.pages<t.SearchAllResult, t.SearchAllResult['messages'][number]>('messages', { method: 'GET', path: '/search', query: params }, options)
  }
}

export class Files extends Group {
  /** The file that a signed link leads to. No key is needed; the link expires. */
  get(token: string, options?: DownloadOptions): Promise<Download> {
    return this.download({ method: 'GET', path: `/files/${segment(token)}` }, options)
  }
}

export class Drive extends Group {
  /** The files and folders in a folder of Drive, or at its top, newest first. Scope: drive:read. */
  list(params: t.DriveListParams = {}, options?: RequestOptions): PageList<t.DriveListResult, t.DriveListResult['entries'][number]> {
    return this.pages<t.DriveListResult, t.DriveListResult['entries'][number]>('entries', { method: 'GET', path: '/drive', query: params }, options)
  }

  /** A link to a file of Drive that needs no key and works for 15 minutes. Scope: drive:read. */
  downloadUrl(fileId: string, options?: RequestOptions): Promise<t.DriveDownloadUrlResult> {
    return this.call({ method: 'GET', path: `/drive/${segment(fileId)}/download-url` }, options)
  }
}

export class Batches extends Group {
  /** The batches of the last 90 days, newest first, with the progress of each. Scope: mail:send. */
  list(params: t.BatchesListParams = {}, options?: RequestOptions): PageList<t.BatchesListResult, t.BatchesListResult['batches'][number]> {
    return this.pages<t.BatchesListResult, t.BatchesListResult['batches'][number]>('batches', { method: 'GET', path: '/batches', query: params }, options)
  }
}

export class Emails extends Group {
  /** Send one mail from any address on a verified domain, with its own content or from a template. Scope: mail:send. */
  send(params: t.EmailsSendParams, options?: RequestOptions): Promise<t.EmailsSendResult> {
    return this.call({ method: 'POST', path: '/emails', body: params, isIdempotent: true }, options)
  }

  /** Sends of the account, newest first, including those that wait for approval. An agent key sees its own. Scope: mail:send. */
  list(params: t.EmailsListParams = {}, options?: RequestOptions): PageList<t.EmailsListResult, t.EmailsListResult['emails'][number]> {
    return this.pages<t.EmailsListResult, t.EmailsListResult['emails'][number]>('emails', { method: 'GET', path: '/emails', query: params }, options)
  }

  /** One send, with the status of each recipient and the reply of its mail server. Scope: mail:send. */
  get(id: string, options?: RequestOptions): Promise<t.EmailsGetResult> {
    return this.call({ method: 'GET', path: `/emails/${segment(id)}` }, options)
  }

  /** Change the time of a scheduled send, until it is claimed for sending. Scope: mail:send. */
  update(id: string, params: t.EmailsUpdateParams, options?: RequestOptions): Promise<t.EmailsUpdateResult> {
    return this.call({ method: 'PATCH', path: `/emails/${segment(id)}`, body: params }, options)
  }

  /** Cancel a send, until it is claimed for sending. Its allowance is returned, and a send that was a draft becomes a draft again. Scope: mail:send. */
  cancel(id: string, options?: RequestOptions): Promise<t.EmailsCancelResult> {
    return this.call({ method: 'POST', path: `/emails/${segment(id)}/cancel` }, options)
  }
}

export class Approvals extends Group {
  /** Sends by agents that wait or waited for a person's approval, newest first. Scope: mail:send. */
  list(params: t.ApprovalsListParams = {}, options?: RequestOptions): PageList<t.ApprovalsListResult, t.ApprovalsListResult['approvals'][number]> {
    return this.pages<t.ApprovalsListResult, t.ApprovalsListResult['approvals'][number]>('approvals', { method: 'GET', path: '/approvals', query: params }, options)
  }

  /** One approval, with the mail as its recipients will see it. Scope: mail:send. */
  get(id: string, options?: RequestOptions): Promise<t.ApprovalsGetResult> {
    return this.call({ method: 'GET', path: `/approvals/${segment(id)}` }, options)
  }

  /** Send exactly the mail that was reviewed, or refuse it. The sending rules and limits apply as of now; a mail that they refuse keeps waiting. Scope: mail:send. */
  decide(id: string, params: t.ApprovalsDecideParams, options?: RequestOptions): Promise<t.ApprovalsDecideResult> {
    return this.call({ method: 'POST', path: `/approvals/${segment(id)}`, body: params, isIdempotent: true }, options)
  }
}

export class Templates extends Group {
  /** Templates of transactional mail, by alias. Scope: mail:send. */
  list(params: t.TemplatesListParams = {}, options?: RequestOptions): PageList<t.TemplatesListResult, t.TemplatesListResult['templates'][number]> {
    return this.pages<t.TemplatesListResult, t.TemplatesListResult['templates'][number]>('templates', { method: 'GET', path: '/templates', query: params }, options)
  }

  /** One template and the variables in it. Scope: mail:send. */
  get(alias: string, options?: RequestOptions): Promise<t.TemplatesGetResult> {
    return this.call({ method: 'GET', path: `/templates/${segment(alias)}` }, options)
  }

  /** Create a template. Account keys only. Scope: mail:send. */
  create(params: t.TemplatesCreateParams, options?: RequestOptions): Promise<t.TemplatesCreateResult> {
    return this.call({ method: 'POST', path: '/templates', body: params, isIdempotent: true }, options)
  }

  /** Change a template, or pause it. Account keys only. Scope: mail:send. */
  update(alias: string, params: t.TemplatesUpdateParams = {}, options?: RequestOptions): Promise<t.TemplatesUpdateResult> {
    return this.call({ method: 'PATCH', path: `/templates/${segment(alias)}`, body: params }, options)
  }

  /** Delete a template. Account keys only. Scope: mail:send. */
  delete(alias: string, options?: RequestOptions): Promise<t.TemplatesDeleteResult> {
    return this.call({ method: 'DELETE', path: `/templates/${segment(alias)}` }, options)
  }

  /** The rendered template as an HTML document to frame in a page of this service, with a content security policy under which nothing runs and nothing loads. Scope: mail:send. */
  html(alias: string, params: t.TemplatesHtmlParams = {}, options?: DownloadOptions): Promise<Download> {
    return this.download({ method: 'GET', path: `/templates/${segment(alias)}/html`, query: params }, options)
  }

  /** Render a template with these variables; nothing is sent. Scope: mail:send. */
  preview(alias: string, params: t.TemplatesPreviewParams = {}, options?: RequestOptions): Promise<t.TemplatesPreviewResult> {
    return this.call({ method: 'POST', path: `/templates/${segment(alias)}/preview`, body: params }, options)
  }
}

export class Suppressions extends Group {
  /** Suppressed addresses, to which no mail is sent, newest first: they bounced, complained or were added. An agent key sees those that apply to its mail. Scope: mail:send. */
  list(params: t.SuppressionsListParams = {}, options?: RequestOptions): PageList<t.SuppressionsListResult, t.SuppressionsListResult['suppressions'][number]> {
    return this.pages<t.SuppressionsListResult, t.SuppressionsListResult['suppressions'][number]>('suppressions', { method: 'GET', path: '/suppressions', query: params }, options)
  }

  /** Whether and why an address is suppressed. Scope: mail:send. */
  get(email: string, options?: RequestOptions): Promise<t.SuppressionsGetResult> {
    return this.call({ method: 'GET', path: `/suppressions/${segment(email)}` }, options)
  }

  /** Suppress an address: for the whole account, or with an agent key for its own mailboxes. Scope: mail:send. */
  add(params: t.SuppressionsAddParams, options?: RequestOptions): Promise<t.SuppressionsAddResult> {
    return this.call({ method: 'POST', path: '/suppressions', body: params, isIdempotent: true }, options)
  }

  /** Remove an address from the suppressions. Account keys only. Scope: mail:send. */
  remove(email: string, options?: RequestOptions): Promise<t.SuppressionsRemoveResult> {
    return this.call({ method: 'DELETE', path: `/suppressions/${segment(email)}` }, options)
  }
}

export class Deliveries extends Group {
  /** The delivery status of a send: for each recipient its status and the reply of its mail server. Scope: mail:read. */
  status(params: t.DeliveriesStatusParams = {}, options?: RequestOptions): Promise<t.DeliveriesStatusResult> {
    return this.call({ method: 'GET', path: '/delivery-status', query: params }, options)
  }

  /** The delivery log of an endpoint, newest first: every attempt with its request and response. */
  list(id: string, params: t.DeliveriesListParams = {}, options?: RequestOptions): PageList<t.DeliveriesListResult, t.DeliveriesListResult['deliveries'][number]> {
    return this.pages<t.DeliveriesListResult, t.DeliveriesListResult['deliveries'][number]>('deliveries', { method: 'GET', path: `/webhooks/${segment(id)}/deliveries`, query: params }, options)
  }

  /** One delivery, with its attempts. */
  get(id: string, options?: RequestOptions): Promise<t.DeliveriesGetResult> {
    return this.call({ method: 'GET', path: `/deliveries/${segment(id)}` }, options)
  }

  /** Send a delivery again: the same body, in a single attempt, as a new delivery, which is the answer. An account may make 20 resends and tests in 10 minutes. */
  resend(id: string, options?: RequestOptions): Promise<t.DeliveriesResendResult> {
    return this.call({ method: 'POST', path: `/deliveries/${segment(id)}/resend`, isIdempotent: true }, options)
  }
}

export class Domains extends Group {
  /** The domains of the account, including its free one, with the DNS records to publish, newest first. Account keys only. Scope: domains:read. */
  list(params: t.DomainsListParams = {}, options?: RequestOptions): PageList<t.DomainsListResult, t.DomainsListResult['domains'][number]> {
    return this.pages<t.DomainsListResult, t.DomainsListResult['domains'][number]>('domains', { method: 'GET', path: '/domains', query: params }, options)
  }

  /** Add your own domain. The answer lists every DNS record to publish; verify the domain after that. Account keys only. Scope: domains:write. */
  create(params: t.DomainsCreateParams, options?: RequestOptions): Promise<t.DomainsCreateResult> {
    return this.call({ method: 'POST', path: '/domains', body: params, isIdempotent: true }, options)
  }

  /** One domain, with the DNS records to publish and what the last check found. Account keys only. Scope: domains:read. */
  get(domain: string, options?: RequestOptions): Promise<t.DomainsGetResult> {
    return this.call({ method: 'GET', path: `/domains/${segment(domain)}` }, options)
  }

  /** Check the DNS now: for each record the answer says what was found and what to change. The domain belongs to the first account whose records are all published. Account keys only. Scope: domains:write. */
  verify(domain: string, options?: RequestOptions): Promise<t.DomainsVerifyResult> {
    return this.call({ method: 'POST', path: `/domains/${segment(domain)}/verify` }, options)
  }

  /** Set the display name of mailboxes on a domain that have none of their own. Account keys only. Scope: domains:write. */
  update(domain: string, params: t.DomainsUpdateParams, options?: RequestOptions): Promise<t.DomainsUpdateResult> {
    return this.call({ method: 'PATCH', path: `/domains/${segment(domain)}`, body: params }, options)
  }

  /** Remove a domain from the account, with its keys and DNS records. Delete its mailboxes and aliases first. Account keys only. Scope: domains:write. */
  delete(domain: string, options?: RequestOptions): Promise<t.DomainsDeleteResult> {
    return this.call({ method: 'DELETE', path: `/domains/${segment(domain)}` }, options)
  }

  /** What receivers report about mail from a domain (DMARC) and about TLS with its servers: pass rates by sending address, and failures with what to change. Scope: domains:read. */
  reports(domain: string, params: t.DomainsReportsParams = {}, options?: RequestOptions): PageList<t.DomainsReportsResult, t.DomainsReportsResult['sources'][number]> {
    return this.pages<t.DomainsReportsResult, t.DomainsReportsResult['sources'][number]>('sources', { method: 'GET', path: `/domains/${segment(domain)}/reports`, query: params }, options)
  }
}

export class Dns extends Group {
  /** The DNS records of a domain, newest first. Scope: dns:read. */
  list(domain: string, params: t.DnsListParams = {}, options?: RequestOptions): PageList<t.DnsListResult, t.DnsListResult['records'][number]> {
    return this.pages<t.DnsListResult, t.DnsListResult['records'][number]>('records', { method: 'GET', path: `/domains/${segment(domain)}/dns`, query: params }, options)
  }

  /** Add a DNS record. One that would interfere with mail needs force. Scope: dns:write. */
  create(domain: string, params: t.DnsCreateParams, options?: RequestOptions): Promise<t.DnsCreateResult> {
    return this.call({ method: 'POST', path: `/domains/${segment(domain)}/dns`, body: params, isIdempotent: true }, options)
  }

  /** Change a DNS record. One that mail depends on needs force. Scope: dns:write. */
  update(domain: string, recordId: string, params: t.DnsUpdateParams = {}, options?: RequestOptions): Promise<t.DnsUpdateResult> {
    return this.call({ method: 'PATCH', path: `/domains/${segment(domain)}/dns/${segment(recordId)}`, body: params }, options)
  }

  /** Delete a DNS record. One that mail depends on needs force=true. Scope: dns:write. */
  delete(domain: string, recordId: string, params: t.DnsDeleteParams = {}, options?: RequestOptions): Promise<t.DnsDeleteResult> {
    return this.call({ method: 'DELETE', path: `/domains/${segment(domain)}/dns/${segment(recordId)}`, query: params }, options)
  }
}

export class Aliases extends Group {
  /** The aliases of the account, newest first. Account keys only. Scope: aliases:read. */
  list(params: t.AliasesListParams = {}, options?: RequestOptions): PageList<t.AliasesListResult, t.AliasesListResult['aliases'][number]> {
    return this.pages<t.AliasesListResult, t.AliasesListResult['aliases'][number]>('aliases', { method: 'GET', path: '/aliases', query: params }, options)
  }

  /** Deliver mail for an address to mailboxes of the account; *@domain catches every address without a mailbox or alias. Account keys only. Scope: aliases:write. */
  create(params: t.AliasesCreateParams, options?: RequestOptions): Promise<t.AliasesCreateResult> {
    return this.call({ method: 'POST', path: '/aliases', body: params, isIdempotent: true }, options)
  }

  /** Delete an alias; its address can be reused at once. Account keys only. Scope: aliases:write. */
  delete(alias: string, options?: RequestOptions): Promise<t.AliasesDeleteResult> {
    return this.call({ method: 'DELETE', path: `/aliases/${segment(alias)}` }, options)
  }
}

export class Intake extends Group {
  /** The Intake configurations of the mailboxes that this key reaches, newest mailbox first. Scope: mail:read. */
  list(params: t.IntakeListParams = {}, options?: RequestOptions): PageList<t.IntakeListResult, t.IntakeListResult['intakes'][number]> {
    return this.pages<t.IntakeListResult, t.IntakeListResult['intakes'][number]>('intakes', { method: 'GET', path: '/intake', query: params }, options)
  }

  /** Watch a mailbox: each mail that arrives from now on becomes a record. If an endpoint is created for it, its secret is shown only in this answer. Scope: mailboxes:write, mail:read. */
  create(params: t.IntakeCreateParams, options?: RequestOptions): Promise<t.IntakeCreateResult> {
    return this.call({ method: 'POST', path: '/intake', body: params, isIdempotent: true }, options)
  }

  /** Templates for Lens: lists of fields to start from. Scope: mail:read. */
  templates(options?: RequestOptions): Promise<t.IntakeTemplatesResult> {
    return this.call({ method: 'GET', path: '/intake/templates' }, options)
  }

  /** The Intake configuration of a mailbox. Scope: mail:read. */
  get(mailbox: string, options?: RequestOptions): Promise<t.IntakeGetResult> {
    return this.call({ method: 'GET', path: `/intake/${segment(mailbox)}` }, options)
  }

  /** Change the Intake configuration of a mailbox; omitted fields stay. A new retention applies to existing records too. The secret of a new endpoint is shown only in this answer. Scope: mailboxes:write, mail:read. */
  update(mailbox: string, params: t.IntakeUpdateParams = {}, options?: RequestOptions): Promise<t.IntakeUpdateResult> {
    return this.call({ method: 'PATCH', path: `/intake/${segment(mailbox)}`, body: params }, options)
  }

  /** Stop watching a mailbox. Its records, their copies and links, and the endpoint that was created for it are deleted. Its mail stays. Scope: mailboxes:write, mail:read. */
  delete(mailbox: string, options?: RequestOptions): Promise<t.IntakeDeleteResult> {
    return this.call({ method: 'DELETE', path: `/intake/${segment(mailbox)}` }, options)
  }

  /** Send a test mail to a watched mailbox through the mail servers of the service. Its record has `test: true`. Scope: mailboxes:write, mail:read. */
  test(mailbox: string, options?: RequestOptions): Promise<t.IntakeTestResult> {
    return this.call({ method: 'POST', path: `/intake/${segment(mailbox)}/test`, isIdempotent: true }, options)
  }

  /** Try Lens on a sample or on a mail of the mailbox, with the fields of the mailbox or with others. Nothing is stored or counted. Scope: mailboxes:write, mail:read. */
  lensTest(mailbox: string, params: t.IntakeLensTestParams = {}, options?: RequestOptions): Promise<t.IntakeLensTestResult> {
    return this.call({ method: 'POST', path: `/intake/${segment(mailbox)}/lens/test`, body: params }, options)
  }

  /** Run Lens on existing records that it has not yet read for these fields. Each counts as a run; no event is sent. Scope: mailboxes:write, mail:read. */
  lensBackfill(mailbox: string, options?: RequestOptions): Promise<t.IntakeLensBackfillResult> {
    return this.call({ method: 'POST', path: `/intake/${segment(mailbox)}/lens/backfill`, isIdempotent: true }, options)
  }
}

export class IntakeMessages extends Group {
  /** Mail as Intake parsed it, newest first, of all mailboxes that the key reaches or of one. Only the single record has `text`, `html` and links. Scope: mail:read. */
  list(params: t.IntakeMessagesListParams = {}, options?: RequestOptions): PageList<t.IntakeMessagesListResult, t.IntakeMessagesListResult['messages'][number]> {
    return this.pages<t.IntakeMessagesListResult, t.IntakeMessagesListResult['messages'][number]>('messages', { method: 'GET', path: '/intake/messages', query: params }, options)
  }

  /** One mail as Intake parsed it, with links to its files that work for 24 hours from now. Scope: mail:read. */
  get(id: string, options?: RequestOptions): Promise<t.IntakeMessagesGetResult> {
    return this.call({ method: 'GET', path: `/intake/messages/${segment(id)}` }, options)
  }

  /** Revoke all links to the files of a record, such as those in its webhook. The answer has new ones. Scope: mail:write. */
  revokeLinks(id: string, options?: RequestOptions): Promise<t.IntakeMessagesRevokeLinksResult> {
    return this.call({ method: 'POST', path: `/intake/messages/${segment(id)}/revoke-links` }, options)
  }

  /** Delete a record with its copy of the mail and its links. The mailbox keeps the mail. Scope: mail:write. */
  delete(id: string, options?: RequestOptions): Promise<t.IntakeMessagesDeleteResult> {
    return this.call({ method: 'DELETE', path: `/intake/messages/${segment(id)}` }, options)
  }
}

export class Events extends Group {
  /** Events of the last 30 days that the key may read: newest first, or with "after" or "wait" forwards from a cursor, oldest first. */
  list(params: t.EventsListParams = {}, options?: RequestOptions): PageList<t.EventsListResult, t.EventsListResult['events'][number]> {
    return this.pages<t.EventsListResult, t.EventsListResult['events'][number]>('events', { method: 'GET', path: '/events', query: params, waits: true }, options)
  }

  /** Read one event. */
  get(id: string, options?: RequestOptions): Promise<t.EventsGetResult> {
    return this.call({ method: 'GET', path: `/events/${segment(id)}` }, options)
  }

  /** Events as they are recorded, as an endless stream of server-sent events. A reader that lost the connection resumes with Last-Event-ID. */
  stream(params: t.EventsStreamParams = {}, options?: RequestOptions): AsyncIterable<t.MailroomEvent> {
    return this.eventStream({ method: 'GET', path: '/events/stream', query: params }, options)
  }
}

export class Test extends Group {
  /** Deliver a message to a mailbox of the sandbox as if from outside, with chosen verdicts about its sender. Scope: mail:write. */
  inbound(params: t.TestInboundParams, options?: RequestOptions): Promise<t.TestInboundResult> {
    return this.call({ method: 'POST', path: '/test/inbound', body: params, isIdempotent: true }, options)
  }

  /** Advance the clock of the sandbox. The answer comes once everything that became due is done. */
  clock(params: t.TestClockParams = {}, options?: RequestOptions): Promise<t.TestClockResult> {
    return this.call({ method: 'POST', path: '/test/clock', body: params }, options)
  }
}

export class Webhooks extends Group {
  /** Webhook endpoints: all of the account, or those that the agent key created. */
  list(params: t.WebhooksListParams = {}, options?: RequestOptions): PageList<t.WebhooksListResult, t.WebhooksListResult['webhooks'][number]> {
    return this.pages<t.WebhooksListResult, t.WebhooksListResult['webhooks'][number]>('webhooks', { method: 'GET', path: '/webhooks', query: params }, options)
  }

  /** Deliver events to a URL, signed. The signing secret is shown only in this answer. */
  create(params: t.WebhooksCreateParams, options?: RequestOptions): Promise<t.WebhooksCreateResult> {
    return this.call({ method: 'POST', path: '/webhooks', body: params, isIdempotent: true }, options)
  }

  /** One endpoint. */
  get(id: string, options?: RequestOptions): Promise<t.WebhooksGetResult> {
    return this.call({ method: 'GET', path: `/webhooks/${segment(id)}` }, options)
  }

  /** Change an endpoint. Turning it on again clears its failures; it receives events from then on. */
  update(id: string, params: t.WebhooksUpdateParams = {}, options?: RequestOptions): Promise<t.WebhooksUpdateResult> {
    return this.call({ method: 'PATCH', path: `/webhooks/${segment(id)}`, body: params }, options)
  }

  /** Give an endpoint a new signing secret, shown only in this answer. For 24 hours the previous one also signs: every delivery has a signature by each, the new one last. */
  rotateSecret(id: string, options?: RequestOptions): Promise<t.WebhooksRotateSecretResult> {
    return this.call({ method: 'POST', path: `/webhooks/${segment(id)}/rotate-secret`, isIdempotent: true }, options)
  }

  /** Send a sample event, marked "test": true, to an endpoint in a single attempt. The answer is the delivery. An account may make 20 resends and tests in 10 minutes. */
  test(id: string, params: t.WebhooksTestParams, options?: RequestOptions): Promise<t.WebhooksTestResult> {
    return this.call({ method: 'POST', path: `/webhooks/${segment(id)}/test`, body: params, isIdempotent: true }, options)
  }

  /** Deliver the events of a time span to an endpoint again, oldest first, each as a resend of its own, at a rate of 20 in 10 minutes. */
  redeliver(id: string, params: t.WebhooksRedeliverParams, options?: RequestOptions): Promise<t.WebhooksRedeliverResult> {
    return this.call({ method: 'POST', path: `/webhooks/${segment(id)}/redeliver`, body: params, isIdempotent: true }, options)
  }

  /** Delete an endpoint; its pending deliveries are dropped. */
  delete(id: string, options?: RequestOptions): Promise<t.WebhooksDeleteResult> {
    return this.call({ method: 'DELETE', path: `/webhooks/${segment(id)}` }, options)
  }

  /** How many attempts succeeded and failed at an endpoint, for each hour of the last two days or each of the last 30 days. */
  attempts(id: string, params: t.WebhooksAttemptsParams = {}, options?: RequestOptions): Promise<t.WebhooksAttemptsResult> {
    return this.call({ method: 'GET', path: `/webhooks/${segment(id)}/attempts`, query: params }, options)
  }
}

export class PartnerCustomersKeys extends Group {
  /** The keys of a customer that the partner holds, newest first, revoked ones for 90 days. */
  list(id: string, params: t.PartnerCustomersKeysListParams = {}, options?: RequestOptions): PageList<t.PartnerCustomersKeysListResult, t.PartnerCustomersKeysListResult['keys'][number]> {
    return this.pages<t.PartnerCustomersKeysListResult, t.PartnerCustomersKeysListResult['keys'][number]>('keys', { method: 'GET', path: `/api/partner/customers/${segment(id)}/keys`, query: params }, options)
  }

  /** Create a key for a customer, to call /api/v1 with. "apiKey" is shown in this answer only. Every request with the key is recorded in the customer's audit. */
  create(id: string, params: t.PartnerCustomersKeysCreateParams, options?: RequestOptions): Promise<t.PartnerCustomersKeysCreateResult> {
    return this.call({ method: 'POST', path: `/api/partner/customers/${segment(id)}/keys`, body: params, isIdempotent: true }, options)
  }

  /** Revoke at once a key of a customer that the partner holds. */
  revoke(id: string, keyId: string, options?: RequestOptions): Promise<t.PartnerCustomersKeysRevokeResult> {
    return this.call({ method: 'DELETE', path: `/api/partner/customers/${segment(id)}/keys/${segment(keyId)}` }, options)
  }
}

export class PartnerCustomers extends Group {
  readonly keys: PartnerCustomersKeys

  constructor(transport: Transport) {
    super(transport)
    this.keys = new PartnerCustomersKeys(transport)
  }

  /** The customers of the partner, newest first. A test key lists test customers, and only those. */
  list(params: t.PartnerCustomersListParams = {}, options?: RequestOptions): PageList<t.PartnerCustomersListResult, t.PartnerCustomersListResult['customers'][number]> {
    return this.pages<t.PartnerCustomersListResult, t.PartnerCustomersListResult['customers'][number]>('customers', { method: 'GET', path: '/api/partner/customers', query: params }, options)
  }

  /** Create a customer: a separate account with a domain for free addresses; with a test key, a sandbox. Create a key for it next. */
  create(params: t.PartnerCustomersCreateParams, options?: RequestOptions): Promise<t.PartnerCustomersCreateResult> {
    return this.call({ method: 'POST', path: '/api/partner/customers', body: params, isIdempotent: true }, options)
  }

  /** One customer. */
  get(id: string, options?: RequestOptions): Promise<t.PartnerCustomersGetResult> {
    return this.call({ method: 'GET', path: `/api/partner/customers/${segment(id)}` }, options)
  }

  /** Change the plans of a customer, effective at once. What exceeds a smaller plan stays, but the customer cannot add more of it. */
  update(id: string, params: t.PartnerCustomersUpdateParams = {}, options?: RequestOptions): Promise<t.PartnerCustomersUpdateResult> {
    return this.call({ method: 'PATCH', path: `/api/partner/customers/${segment(id)}`, body: params }, options)
  }

  /** Erase a customer and everything in it permanently. Its keys, addresses and endpoints stop working at once; the rest is erased within minutes. */
  delete(id: string, options?: RequestOptions): Promise<t.PartnerCustomersDeleteResult> {
    return this.call({ method: 'DELETE', path: `/api/partner/customers/${segment(id)}` }, options)
  }

  /** Refuse everything a customer sends, through every door, until it is resumed. It can still receive and read mail. */
  pause(id: string, params: t.PartnerCustomersPauseParams = {}, options?: RequestOptions): Promise<t.PartnerCustomersPauseResult> {
    return this.call({ method: 'POST', path: `/api/partner/customers/${segment(id)}/pause`, body: params }, options)
  }

  /** Let a customer that the partner paused send again. */
  resume(id: string, options?: RequestOptions): Promise<t.PartnerCustomersResumeResult> {
    return this.call({ method: 'POST', path: `/api/partner/customers/${segment(id)}/resume` }, options)
  }

  /** What a customer used this month, and its limits. */
  usage(id: string, options?: RequestOptions): Promise<t.PartnerCustomersUsageResult> {
    return this.call({ method: 'GET', path: `/api/partner/customers/${segment(id)}/usage` }, options)
  }
}

export class PartnerWebhooks extends Group {
  /** The partner's endpoints. A test key lists those that test keys created, and only those. */
  list(params: t.PartnerWebhooksListParams = {}, options?: RequestOptions): PageList<t.PartnerWebhooksListResult, t.PartnerWebhooksListResult['webhooks'][number]> {
    return this.pages<t.PartnerWebhooksListResult, t.PartnerWebhooksListResult['webhooks'][number]>('webhooks', { method: 'GET', path: '/api/partner/webhooks', query: params }, options)
  }

  /** Deliver events of every customer to a URL, signed, each with its customer_id. An endpoint that a test key created receives only events of test customers. The signing secret is shown only in this answer. */
  create(params: t.PartnerWebhooksCreateParams, options?: RequestOptions): Promise<t.PartnerWebhooksCreateResult> {
    return this.call({ method: 'POST', path: '/api/partner/webhooks', body: params, isIdempotent: true }, options)
  }

  /** One endpoint. */
  get(id: string, options?: RequestOptions): Promise<t.PartnerWebhooksGetResult> {
    return this.call({ method: 'GET', path: `/api/partner/webhooks/${segment(id)}` }, options)
  }

  /** Change an endpoint. Turning it on again clears its failures; it receives events from then on. */
  update(id: string, params: t.PartnerWebhooksUpdateParams = {}, options?: RequestOptions): Promise<t.PartnerWebhooksUpdateResult> {
    return this.call({ method: 'PATCH', path: `/api/partner/webhooks/${segment(id)}`, body: params }, options)
  }

  /** Give an endpoint a new signing secret, shown only in this answer. For 24 hours the previous one also signs. */
  rotateSecret(id: string, options?: RequestOptions): Promise<t.PartnerWebhooksRotateSecretResult> {
    return this.call({ method: 'POST', path: `/api/partner/webhooks/${segment(id)}/rotate-secret`, isIdempotent: true }, options)
  }

  /** Send a sample event, marked "test": true, to an endpoint in a single attempt. The answer is the delivery. */
  test(id: string, params: t.PartnerWebhooksTestParams, options?: RequestOptions): Promise<t.PartnerWebhooksTestResult> {
    return this.call({ method: 'POST', path: `/api/partner/webhooks/${segment(id)}/test`, body: params, isIdempotent: true }, options)
  }

  /** The delivery log of an endpoint, newest first: every attempt with its request and response. */
  deliveries(id: string, params: t.PartnerWebhooksDeliveriesParams = {}, options?: RequestOptions): PageList<t.PartnerWebhooksDeliveriesResult, t.PartnerWebhooksDeliveriesResult['deliveries'][number]> {
    return this.pages<t.PartnerWebhooksDeliveriesResult, t.PartnerWebhooksDeliveriesResult['deliveries'][number]>('deliveries', { method: 'GET', path: `/api/partner/webhooks/${segment(id)}/deliveries`, query: params }, options)
  }

  /** Delete an endpoint; its pending deliveries are dropped. */
  delete(id: string, options?: RequestOptions): Promise<t.PartnerWebhooksDeleteResult> {
    return this.call({ method: 'DELETE', path: `/api/partner/webhooks/${segment(id)}` }, options)
  }
}

export class PartnerEvents extends Group {
  /** Events of the last 30 days of all customers, in one sequence: newest first, or with "after" or "wait" forwards from a cursor, oldest first. A test key lists those of test customers. */
  list(params: t.PartnerEventsListParams = {}, options?: RequestOptions): PageList<t.PartnerEventsListResult, t.PartnerEventsListResult['events'][number]> {
    return this.pages<t.PartnerEventsListResult, t.PartnerEventsListResult['events'][number]>('events', { method: 'GET', path: '/api/partner/events', query: params, waits: true }, options)
  }

  /** Read one event. */
  get(id: string, options?: RequestOptions): Promise<t.PartnerEventsGetResult> {
    return this.call({ method: 'GET', path: `/api/partner/events/${segment(id)}` }, options)
  }
}

export class Partner extends Group {
  readonly customers: PartnerCustomers
  readonly webhooks: PartnerWebhooks
  readonly events: PartnerEvents

  constructor(transport: Transport) {
    super(transport)
    this.customers = new PartnerCustomers(transport)
    this.webhooks = new PartnerWebhooks(transport)
    this.events = new PartnerEvents(transport)
  }
}

/** Every group of the API. */
export class Groups {
  readonly signup: Signup
  readonly people: People
  readonly session: Session
  readonly sessions: Sessions
  readonly totp: Totp
  readonly passkeys: Passkeys
  readonly claims: Claims
  readonly account: Account
  readonly usage: Usage
  readonly plans: Plans
  readonly audit: Audit
  readonly members: Members
  readonly requests: Requests
  readonly administration: Administration
  readonly keys: Keys
  readonly grants: Grants
  readonly mailboxes: Mailboxes
  readonly search: Search
  readonly files: Files
  readonly drive: Drive
  readonly batches: Batches
  readonly emails: Emails
  readonly approvals: Approvals
  readonly templates: Templates
  readonly suppressions: Suppressions
  readonly deliveries: Deliveries
  readonly domains: Domains
  readonly dns: Dns
  readonly aliases: Aliases
  readonly intake: Intake
  readonly intakeMessages: IntakeMessages
  readonly events: Events
  readonly test: Test
  readonly webhooks: Webhooks
  readonly partner: Partner

  constructor(transport: Transport) {
    this.signup = new Signup(transport)
    this.people = new People(transport)
    this.session = new Session(transport)
    this.sessions = new Sessions(transport)
    this.totp = new Totp(transport)
    this.passkeys = new Passkeys(transport)
    this.claims = new Claims(transport)
    this.account = new Account(transport)
    this.usage = new Usage(transport)
    this.plans = new Plans(transport)
    this.audit = new Audit(transport)
    this.members = new Members(transport)
    this.requests = new Requests(transport)
    this.administration = new Administration(transport)
    this.keys = new Keys(transport)
    this.grants = new Grants(transport)
    this.mailboxes = new Mailboxes(transport)
    this.search = new Search(transport)
    this.files = new Files(transport)
    this.drive = new Drive(transport)
    this.batches = new Batches(transport)
    this.emails = new Emails(transport)
    this.approvals = new Approvals(transport)
    this.templates = new Templates(transport)
    this.suppressions = new Suppressions(transport)
    this.deliveries = new Deliveries(transport)
    this.domains = new Domains(transport)
    this.dns = new Dns(transport)
    this.aliases = new Aliases(transport)
    this.intake = new Intake(transport)
    this.intakeMessages = new IntakeMessages(transport)
    this.events = new Events(transport)
    this.test = new Test(transport)
    this.webhooks = new Webhooks(transport)
    this.partner = new Partner(transport)
  }
}
