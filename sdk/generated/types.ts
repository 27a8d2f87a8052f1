/** Written by `npm run generate` from operations/ and schemas/: change those. */

export type Error = {
  /** Always false. */
  readonly success: false
  /** What went wrong, in plain English. */
  readonly error: string
  /** Stable code; branch on this. */
  readonly code: string
  /** What to change before retrying. */
  readonly fix: string
  /** The code's entry in the error reference. */
  readonly docs: string
  /** The HTTP status again. */
  readonly statusCode: number
  /** The field at fault; only on validation_error. */
  readonly param?: string
  /** The missing scope; only on insufficient_scope. */
  readonly requiredScope?: string
  /** Seconds to wait before the next attempt. */
  readonly retryAfter?: number
  /** Template variables that were not passed. */
  readonly missing?: readonly string[]
}

export type Address = {
  /** Empty if there is none. */
  readonly name: string
  readonly address: string
}

export type AttachmentSummary = {
  readonly id: string
  readonly name: string
  readonly content_type: string
  /** Bytes, decoded. */
  readonly size: number
  readonly inline: boolean
  readonly content_id: string | null
}

export type MessageSummary = {
  readonly message_id: string
  readonly mailbox: string
  readonly thread_id: string
  readonly folder: string
  /** The first author, with an empty address if From has only a name; null if From has neither. */
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  /** Bytes of the raw message. */
  readonly size: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly labels: readonly string[]
  readonly attachments: readonly AttachmentSummary[]
}

export type FullMessage = {
  readonly message_id: string
  readonly mailbox: string
  readonly thread_id: string
  readonly folder: string
  /** The first author, with an empty address if From has only a name; null if From has neither. */
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  /** Bytes of the raw message. */
  readonly size: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly labels: readonly string[]
  readonly attachments: readonly AttachmentSummary[]
  readonly bcc: readonly Address[]
  readonly reply_to: readonly Address[]
  readonly in_reply_to: string | null
  readonly references: readonly string[]
  /** The whole body as plain text, as a person sees it. */
  readonly text?: string
  /** In the view markdown: the whole body as a person sees it, with headings, emphasis, links, lists, data tables and the text of images. Plain text is unchanged. */
  readonly markdown?: string
  /** The body without quoted history and signature. */
  readonly reply?: string
  /** The whole body as sanitised HTML; null without one. It runs and loads nothing: images of the message (cid:) have the address of their attachment; remote images are kept in data-remote-src, because loading one tells the sender that the mail was read. Text that a person does not see is left out. */
  readonly html?: string | null
  /** In the views headers and full: all, in order, [name, value]. */
  readonly headers?: readonly (readonly string[])[]
  /** null for mail that did not arrive by SMTP. */
  readonly trust: Trust | null
  /** null if there is no code or link. */
  readonly verification: Verification | null
  /** In the views reply, text, markdown and full: text that a person does not see and that is left out of the bodies. kind: display_none, transparent, zero_size, off_screen, same_colour, covered, comment, zero_width, tag_characters; bidi_override: letters displayed in another order, given as they were written (the bodies have them as displayed); terminal_escape: sequences that a terminal obeys; lookalike_domain: a domain whose letters look like those of another; alternative: sentences of a plain text part that the HTML shows nowhere (text, reply and snippet are then those of the HTML). */
  readonly hidden?: readonly Hidden[]
  /** How the body is encrypted; null if it can be read. A body that is only signed is read, and its signature is not verified. */
  readonly encrypted: 'pgp' | 'smime' | null
  /** Whether a body is incomplete: cut by max_chars, or beyond the limits for reading. */
  readonly truncated: boolean
  /** Pass as cursor to continue where a body was cut. */
  readonly next: string | null
}

export type SendResult = {
  /** Id of the send (em_...). */
  readonly id: string
  readonly message_id: string | null
  readonly thread_id: string | null
  /** waiting_for_approval: sent once a person approves it; get the send by its id to check. */
  readonly status: 'queued' | 'scheduled' | 'waiting_for_approval'
  /** When it will be sent; only while it is scheduled. */
  readonly sendAt?: string
  /** The approval that is requested; changing the draft voids it. */
  readonly approval?: {
    readonly id: string
    readonly hash: string
    readonly draft_id: string | null
    readonly expiresAt: string
  }
  readonly recipients: readonly ({
    readonly email: string
    readonly status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  })[]
  /** Recipients left out because they are on the suppression list. */
  readonly suppressed: readonly string[]
}

export type Mailbox = {
  readonly address: string
  readonly displayName: string | null
  readonly kind: 'agent' | 'person'
  readonly domain: string
  readonly createdAt: string
  /** Id of the key that created it (key_...); null if an administrator or the service created it. */
  readonly createdBy: string | null
  readonly signature: string | null
  readonly autoReply: {
    readonly enabled: boolean
    readonly subject: string
    readonly text: string
    readonly until?: string | null
  } | null
  readonly storage: {
    /** Bytes. */
    readonly used: number
    /** Bytes. */
    readonly limit: number
  }
  /** What is missing, such as a display name. */
  readonly hint?: string
}

export type SignupResult = {
  readonly address: string
  /** Shown once. */
  readonly api_key: string
  readonly claim_url: string
  readonly expires_at: string
  /** Base URL of the mailbox in the REST API. */
  readonly base_url: string
  readonly mcp_url: string
}

export type ClaimLink = {
  readonly claim_url: string
  readonly expires_at: string
}

export type Account = {
  readonly id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'paused' | 'suspended'
  readonly plan: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  readonly agentsPlan: 'free' | 'developer' | 'scale' | null
  readonly claimExpiresAt?: string
  readonly owner?: string
  /** required: sends by agent keys of the account wait until a person approves them. */
  readonly approval: 'none' | 'required'
  readonly sandbox: boolean
  readonly createdAt: string
}

export type Usage = {
  readonly plan: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  readonly agentsPlan: 'free' | 'developer' | 'scale' | null
  /** The current calendar month (UTC). */
  readonly period: {
    readonly from: string
    readonly to: string
  }
  readonly sends: {
    /** Recipients written to. */
    readonly used: number
    readonly limit: number
    readonly remaining: number
  }
  readonly emails: {
    /** Recipients written to. */
    readonly sent: number
    /** Messages received, per mailbox. */
    readonly received: number
    readonly limit: number | null
    readonly grace: number | null
  }
  readonly inboxes: {
    /** Mailboxes. */
    readonly used: number
    readonly limit: number
  }
  readonly storage: {
    /** Bytes of all mailboxes, and of Drive. */
    readonly used: number
    readonly limit: number
  }
  readonly requestsPerMinute: number
  readonly batch: {
    readonly recipientsPerCall: number
    readonly recipientsPerMinute: number
  }
  readonly webhooks: {
    /** Endpoints. */
    readonly used: number
    readonly limit: number
  }
  /** Marketing sends in a month, which have a budget of their own. */
  readonly marketing: {
    readonly limit: number
  }
  readonly lens: {
    /** Mails that Lens read. */
    readonly used: number
    readonly limit: number
    /** How many of them are beyond the limit, as extra usage. */
    readonly extra: number
  }
  /** Message events dropped at 2,000 an hour. */
  readonly eventsDropped: number
}

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly scope: {
    readonly domains: readonly string[]
    readonly mailboxes: readonly string[]
  }
  readonly enabled: boolean
  /** "mailbox" keeps the order of events within a mailbox. */
  readonly ordering: 'none' | 'mailbox'
  readonly description: string | null
  readonly createdAt: string
  /** When the first failure since the last success occurred; null if the last delivery succeeded. */
  readonly failingSince: string | null
  /** When and why the service turned it off: all deliveries failed for 5 days, or the agent key that created it ended. null otherwise. */
  readonly turnedOff: {
    readonly at: string
    readonly reason: 'failures' | 'key'
  } | null
  /** Until when the secret before the last rotation also signs. */
  readonly previousSecretUntil: string | null
}

export type NewWebhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly scope: {
    readonly domains: readonly string[]
    readonly mailboxes: readonly string[]
  }
  readonly enabled: boolean
  /** "mailbox" keeps the order of events within a mailbox. */
  readonly ordering: 'none' | 'mailbox'
  readonly description: string | null
  readonly createdAt: string
  /** When the first failure since the last success occurred; null if the last delivery succeeded. */
  readonly failingSince: string | null
  /** When and why the service turned it off: all deliveries failed for 5 days, or the agent key that created it ended. null otherwise. */
  readonly turnedOff: {
    readonly at: string
    readonly reason: 'failures' | 'key'
  } | null
  /** Until when the secret before the last rotation also signs. */
  readonly previousSecretUntil: string | null
  /** Signs every delivery. Shown once. */
  readonly secret: string
}

export type EventEnvelope = {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly cursor?: string
  readonly test?: boolean
  readonly sandbox?: boolean
  readonly customer_id?: string
  readonly data: { readonly [name: string]: unknown }
}

export type Customer = {
  readonly id: string
  readonly name: string
  readonly email: string | null
  /** The mail plan; null: none. */
  readonly plan: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  /** The Agents plan; null: none. */
  readonly agentsPlan: 'free' | 'developer' | 'scale' | null
  readonly status: 'active' | 'paused' | 'suspended'
  /** Whether it was created with a test key: no mail of it leaves the machine. */
  readonly sandbox: boolean
  readonly createdAt: string
}

export type AccountDetails = {
  readonly id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'paused' | 'suspended'
  readonly plan: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  readonly agentsPlan: 'free' | 'developer' | 'scale' | null
  readonly claimExpiresAt?: string
  readonly owner?: string
  /** required: sends by agent keys of the account wait until a person approves them. */
  readonly approval: 'none' | 'required'
  readonly sandbox: boolean
  readonly createdAt: string
  readonly suspended: {
    readonly reason: string
    readonly at: string
  } | null
  readonly sendingPaused: {
    readonly reason: string
    readonly at: string
  } | null
  /** Figures that were raised above those of the plans. */
  readonly raised: { readonly [name: string]: number }
  readonly people: readonly ({
    readonly email: string
    readonly role: string
    readonly status: 'active' | 'invited'
  })[]
  readonly usage: {
    readonly sent: number
    readonly received: number
    readonly inboxes: number
    readonly webhooks: number
    /** Bytes. */
    readonly storage: number
  }
  /** Each day from the first to today, including days without mail. */
  readonly days: readonly DayUsage[]
}

export type AccountExport = {
  readonly id: string
  /** failed: it was tried several times, and the log of the service says what went wrong. Ask for another. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly progress: {
    /** Records written so far. */
    readonly written: number
    /** Records to write, counted at the beginning; 0 until they are counted. */
    readonly total: number
  }
  readonly createdAt: string
  readonly url: string | null
  readonly size: number | null
  readonly expiresAt: string | null
}

export type AccountRequest = {
  readonly id: string
  readonly kind: 'limit' | 'phone'
  readonly text: string
  readonly phone: string | null
  readonly status: 'open' | 'granted' | 'refused'
  readonly answer: string | null
  readonly createdAt: string
  readonly answeredAt: string | null
}

export type AdministeredAccount = {
  readonly id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'paused' | 'suspended'
  readonly plan: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  readonly agentsPlan: 'free' | 'developer' | 'scale' | null
  readonly claimExpiresAt?: string
  readonly owner?: string
  /** required: sends by agent keys of the account wait until a person approves them. */
  readonly approval: 'none' | 'required'
  readonly sandbox: boolean
  readonly createdAt: string
  readonly suspended: {
    readonly reason: string
    readonly at: string
  } | null
  readonly sendingPaused: {
    readonly reason: string
    readonly at: string
  } | null
  /** Figures that were raised above those of the plans. */
  readonly raised: { readonly [name: string]: number }
}

export type Alias = {
  readonly alias: string
  readonly targets: readonly string[]
  readonly createdAt: string
}

export type AppPassword = {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedFrom: string | null
}

export type Approval = {
  readonly id: string
  /** Id of the send (em_...). */
  readonly email_id: string
  readonly status: 'waiting' | 'approved' | 'refused' | 'expired' | 'void'
  /** Hash of the message, its sender, recipients and time: repeat it in the decision. */
  readonly hash: string
  readonly mailbox: string | null
  readonly draft_id: string | null
  /** The key that sends (key_...). */
  readonly keyId: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  /** Everybody who receives it, whatever the header of the message says. */
  readonly recipients: readonly string[]
  readonly subject: string | null
  readonly sendAt: string | null
  readonly createdAt: string
  /** When it expires without a decision. */
  readonly expiresAt: string
  readonly decidedAt: string | null
  readonly decidedBy: string | null
  readonly reason: string | null
}

export type ApprovalState = {
  /** Id of the approval (apr_...). */
  readonly id: string
  /** void: its draft was changed or removed meanwhile; send it again to request a new approval. */
  readonly status: 'waiting' | 'approved' | 'refused' | 'expired' | 'void'
  readonly reason: string | null
}

export type AuditEntry = {
  readonly id: string
  readonly at: string
  /** A key (key_...), a program connected by OAuth (gnt_...), a person (usr_...), or a partner by its own key (key_...); without id: an administrator, or the service itself. */
  readonly who: {
    readonly kind: 'key' | 'program' | 'person' | 'partner' | 'administrator' | 'service'
    readonly id: string | null
    readonly name: string | null
  }
  /** The operation, such as messages.send. */
  readonly action: string
  readonly target: string | null
  /** done, or the code of the refusal. */
  readonly outcome: string
  readonly address: string | null
  /** For a change of a DNS record: the record before and after it. */
  readonly change?: {
    readonly before: { readonly [name: string]: unknown } | null
    readonly after: { readonly [name: string]: unknown } | null
  }
  /** X-Request-Id of the request; empty without one. */
  readonly requestId: string
}

export type BatchResult = {
  readonly id: string
  readonly recipients: readonly ({
    readonly email: string
    readonly status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  })[]
  /** Tokens for which a recipient has no field; they render empty. */
  readonly missingFields: readonly {
    readonly email: string
    readonly fields: readonly string[]
  }[]
  /** Whether an earlier call with the same key made this batch. */
  readonly replayed: boolean
}

export type BatchStatus = {
  readonly id: string
  readonly recipients: readonly ({
    readonly email: string
    readonly status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
    /** For a bounce, the reply of the remote server, word for word. */
    readonly reason: string | null
    readonly email_id: string | null
  })[]
}

export type BatchSummary = {
  readonly id: string
  /** The address that sends it. */
  readonly mailbox: string
  readonly subject: string
  readonly createdAt: string
  /** Recipients whose mail was created or refused. */
  readonly handled: number
  /** All recipients. */
  readonly total: number
  /** Whether it is finished: all recipients were handled, or its mailbox is gone. */
  readonly ended: boolean
}

export type Contact = {
  /** The name last used; empty without one. */
  readonly name: string
  readonly address: string
  readonly last_seen_at: string
  /** Sends to this address. */
  readonly sent: number
  /** Messages from this address. */
  readonly received: number
}

export type DailyUsage = {
  /** Each day from the first to today, including days without mail. */
  readonly days: readonly DayUsage[]
}

export type DayUsage = {
  /** A UTC day, such as 2026-07-15. */
  readonly day: string
  /** Recipients written to, by the day of the request, or of the send for batches. */
  readonly sent: number
  /** Messages received, per mailbox. */
  readonly received: number
  /** Recipients whose server accepted the mail. */
  readonly delivered: number
  /** Recipients who could not be reached. */
  readonly bounced: number
  /** Recipients who reported spam. */
  readonly complained: number
  /** Bytes of the messages received. */
  readonly bytes: number
}

export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: string
  /** Resends and test events have a single attempt. */
  readonly origin: 'event' | 'resend' | 'test'
  /** "skipped": the endpoint was turned off or removed. */
  readonly state: 'waiting' | 'delivered' | 'failed' | 'skipped'
  readonly createdAt: string
  /** null if there is none. */
  readonly nextAttemptAt: string | null
  /** The exact body of every attempt. */
  readonly body: string
  readonly attempts: readonly ({
    readonly at: string
    /** Where the request went. */
    readonly url: string
    /** Headers of the request. */
    readonly headers: { readonly [name: string]: string }
    readonly status: number | null
    /** Headers of the answer that help to trace it. */
    readonly responseHeaders: { readonly [name: string]: string }
    /** The first 4 KB of the answer; null without one. */
    readonly response: string | null
    readonly error: string | null
    readonly durationMs: number
  })[]
}

export type DeliveryReport = {
  readonly id: string
  /** The copy in Sent; null if none is kept. */
  readonly message_id: string | null
  readonly mailbox: string | null
  readonly subject: string | null
  /** The status of the recipient who is furthest behind; once all are final, the worst outcome. */
  readonly status: 'scheduled' | 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  readonly recipients: readonly RecipientStatus[]
}

export type Destination = {
  readonly domain: string
  /** Recipients whose mail has not gone out. */
  readonly waiting: number
  /** How many of them were attempted before. */
  readonly attempted: number
  /** When the oldest of them began to wait. */
  readonly oldestAt: string
  /** When the next attempt is due. */
  readonly nextAt: string
  /** The latest answers of the domain. */
  readonly answers: readonly {
    readonly at: string
    readonly answer: string
  }[]
}

export type DnsRecord = {
  readonly id: string
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'SRV' | 'CAA' | 'NS'
  /** The full name. */
  readonly name: string
  readonly value: string
  readonly ttl: number
  readonly priority: number | null
  /** Whether mail depends on it: changing or deleting it needs force. */
  readonly mailCritical: boolean
  /** Whether the service keeps it up to date; it stops once somebody changes the record. */
  readonly managed: boolean
}

export type Domain = {
  readonly domain: string
  /** A broken domain still sends and receives; a pending one does not yet. */
  readonly status: 'pending' | 'verified' | 'broken'
  readonly verifiedAt: string | null
  /** What to publish in the DNS; none for a free domain. */
  readonly records: readonly DomainDnsRecord[]
  readonly defaultDisplayName: string | null
  /** Whether it is a free domain of the service, which nobody can change. */
  readonly shared: boolean
  readonly createdAt?: string
  readonly checkedAt?: string | null
  /** Who maintains the DNS records: this service, another server that it updates, or the owner by hand. */
  readonly dns?: 'built-in' | 'dynamic-update' | 'by-hand'
  /** When its registration ends, if that is known. */
  readonly expiresAt?: string
}

export type DomainDnsRecord = {
  readonly type: string
  /** The full name. */
  readonly name: string
  /** The value to publish, in zone file format. */
  readonly value: string
  /** The values that the last check of the DNS found. */
  readonly found: readonly string[]
  readonly ok: boolean
  /** Whether mail depends on the record. */
  readonly mailCritical: boolean
  /** Whether the domain cannot be verified without it. */
  readonly required?: boolean
  readonly fix?: string | null
}

export type DomainReports = {
  readonly domain: string
  readonly since: string
  readonly until: string
  /** False if there are more reports in that time than are read; the latest were read. Ask for a shorter time. */
  readonly complete: boolean
  /** Recipients of mail sent on these days by the mailboxes on the domain, and the outcomes, including bounces and spam reports that came later. Kept for 90 days; sends without a mailbox are not included. */
  readonly delivery: {
    readonly sent: number
    readonly delivered: number
    readonly bounced: number
    readonly complained: number
  }
  readonly dmarc: {
    readonly reports: number
    /** Mails in the reports of receivers. */
    readonly messages: number
    /** Mails that passed DMARC: SPF or DKIM passed and was aligned with From. */
    readonly passed: number
    /** passed / messages; null without mail. */
    readonly passRate: number | null
    /** Mails for which SPF passed and was aligned. */
    readonly spfAligned: number
    /** Mails for which DKIM passed and was aligned. */
    readonly dkimAligned: number
    readonly dispositions: {
      readonly none: number
      readonly quarantine: number
      readonly reject: number
    }
    /** Mails in reports with more rows than are kept; not in the other figures. */
    readonly omitted: number
    readonly reporters: readonly {
      readonly organisation: string
      /** The authenticated domain of its reports. */
      readonly domain: string
      readonly reports: number
    }[]
    /** The days (UTC) with mail, the earliest first; a report counts for the day on which it begins. */
    readonly days: readonly {
      readonly day: string
      /** Mails in the reports of receivers. */
      readonly messages: number
      /** Mails that passed DMARC: SPF or DKIM passed and was aligned with From. */
      readonly passed: number
    }[]
  }
  readonly tls: {
    readonly reports: number
    /** Sessions with TLS as the policy requires. */
    readonly successful: number
    /** Sessions without it. */
    readonly failed: number
    readonly failures: readonly ({
      /** RFC 8460 4.3. */
      readonly type: string
      /** sts, tlsa or no-policy-found. */
      readonly policy: string
      readonly mx: string | null
      readonly sessions: number
      readonly details: readonly string[]
      /** What it means. */
      readonly explanation: string
      /** What to change; null if nothing. */
      readonly fix: string | null
    })[]
    readonly reporters: readonly {
      readonly organisation: string
      /** The authenticated domain of its reports. */
      readonly domain: string
      readonly reports: number
    }[]
  }
  /** A page of the addresses that mail came from, those with the most mail first. */
  readonly sources: readonly ReportSource[]
  /** Cursor of the next page of sources; null at the end. */
  readonly next: string | null
}

export type DriveEntry = {
  readonly id: string
  readonly name: string
  readonly kind: 'file' | 'folder'
  /** The folder that contains it; null at the top. */
  readonly parentId: string | null
  /** Bytes; 0 for a folder. */
  readonly size: number
  readonly contentType: string | null
  readonly createdAt: string
  readonly modifiedAt: string
}

export type DryRun = {
  readonly dryRun: true
  /** Bytes of the message as it would be sent. */
  readonly size: number
  /** Its header fields in order, [name, value]. */
  readonly headers: readonly (readonly string[])[]
  readonly recipients: readonly ({
    readonly email: string
    readonly decision: 'send' | 'suppressed' | 'blocked_by_list' | 'claim_required' | 'over_limit' | 'waits_for_approval'
    readonly reason: string | null
  })[]
}

export type Email = {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string | null
  readonly mailbox: string | null
  readonly message_id: string | null
  readonly tags: readonly string[]
  /** The time for which it was requested. */
  readonly sendAt?: string
  readonly approval?: ApprovalState
  readonly createdAt: string
  readonly recipients: readonly RecipientStatus[]
}

export type Folder = {
  /** Levels are separated by "/". */
  readonly path: string
  /** null for a folder that you created. */
  readonly role: 'inbox' | 'sent' | 'drafts' | 'trash' | 'spam' | 'archive' | null
  /** Messages in it. */
  readonly total: number
  readonly unread: number
}

export type FoundMessage = {
  readonly message_id: string
  readonly mailbox: string
  readonly thread_id: string
  readonly folder: string
  /** The first author, with an empty address if From has only a name; null if From has neither. */
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  /** Bytes of the raw message. */
  readonly size: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly labels: readonly string[]
  readonly attachments: readonly AttachmentSummary[]
  /** Where the words of the query were found; empty if it has none. */
  readonly highlights: readonly ({
    readonly field: 'subject' | 'from' | 'to' | 'cc' | 'filename' | 'body'
    /** A line with a match, at most 200 characters. */
    readonly text: string
    /** The matches in text: from start up to but not including end, in code points. They are kept apart from the text, so that no mail can forge them. */
    readonly marks: readonly {
      readonly start: number
      readonly end: number
    }[]
  })[]
}

export type Grant = {
  readonly id: string
  /** What the program calls itself. */
  readonly name: string
  /** Of the program: an id (oac_...), or the URL of its metadata document. */
  readonly clientId: string
  /** Where the program received its access: a host, or the URL scheme of a program on the computer of the person. */
  readonly redirectsTo: string
  readonly person: Person | null
  readonly scopes: readonly ('mail:read' | 'mail:send' | 'mail:write' | 'mailboxes:read' | 'mailboxes:write' | 'dns:read' | 'dns:write' | 'domains:read' | 'domains:write' | 'aliases:read' | 'aliases:write' | 'drive:read')[]
  readonly mailboxes: readonly string[] | null
  readonly createdAt: string
  /** When it ends unless the program renews it. */
  readonly endsAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedFrom: string | null
}

export type Hidden = {
  readonly kind: string
  readonly excerpt: string
}

export type Intake = {
  readonly mailbox: string
  /** false while the plan does not include Intake: only set-up tests are parsed. */
  readonly active: boolean
  readonly delivery: {
    readonly type: 'api' | 'webhook'
    /** null if the endpoint was deleted. */
    readonly url?: string | null
    readonly webhookId?: string
  }
  readonly lens: {
    readonly enabled: boolean
    readonly fields: readonly LensField[]
    readonly quoted: boolean
  }
  /** Days after which a record and the copy of its mail are deleted. The mail stays in the mailbox. */
  readonly retention: 7 | 30 | 90 | 'forever'
  readonly createdAt: string
}

export type IntakeMessage = {
  readonly intake_id: string
  readonly mailbox: string
  readonly message_id: string
  readonly thread_id: string
  readonly from: Address
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly reply_to: Address | null
  readonly subject: string
  readonly received_at: string
  /** The body without quoted history and signature. */
  readonly reply: string
  /** message_id, date, in_reply_to, references, list_id, auto_submitted. */
  readonly headers: { readonly [name: string]: string | null }
  readonly lens: { readonly [name: string]: string | number | boolean | readonly string[] | null } | null
  readonly lens_evidence: { readonly [name: string]: LensEvidence | null } | null
  readonly lens_engine: 'rules' | 'model' | null
  /** null for mail whose origin was not checked. */
  readonly trust: Trust | null
  /** Whether the mail was delivered to Spam. */
  readonly spam: boolean
  /** true for the mail of the set-up test. */
  readonly test: boolean
  /** At most 100 KB. */
  readonly text: string
  /** Sanitised; at most 200 KB. */
  readonly html: string
  readonly attachments: readonly ({
    readonly name: string
    readonly content_type: string
    /** Bytes. */
    readonly size: number
    /** Opens the file without a key, for 24 hours. */
    readonly url: string
    readonly expires_at: string
    /** The text of the file (PDF, document, spreadsheet or text), up to 20,000 characters, for the first three files; null for others. */
    readonly text: string | null
    /** Text that a reader of the file does not see. */
    readonly hidden: readonly Hidden[]
  })[]
}

export type IntakeSummary = {
  readonly intake_id: string
  readonly mailbox: string
  readonly message_id: string
  readonly thread_id: string
  readonly from: Address
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly reply_to: Address | null
  readonly subject: string
  readonly received_at: string
  /** The body without quoted history and signature. */
  readonly reply: string
  /** message_id, date, in_reply_to, references, list_id, auto_submitted. */
  readonly headers: { readonly [name: string]: string | null }
  readonly lens: { readonly [name: string]: string | number | boolean | readonly string[] | null } | null
  readonly lens_evidence: { readonly [name: string]: LensEvidence | null } | null
  readonly lens_engine: 'rules' | 'model' | null
  /** null for mail whose origin was not checked. */
  readonly trust: Trust | null
  /** Whether the mail was delivered to Spam. */
  readonly spam: boolean
  /** true for the mail of the set-up test. */
  readonly test: boolean
  readonly attachments: readonly {
    readonly name: string
    readonly content_type: string
    /** Bytes. */
    readonly size: number
  }[]
}

export type Key = {
  readonly id: string
  readonly name: string
  readonly kind: 'account' | 'agent'
  readonly scopes: readonly ('mail:read' | 'mail:send' | 'mail:write' | 'mailboxes:read' | 'mailboxes:write' | 'dns:read' | 'dns:write' | 'domains:read' | 'domains:write' | 'aliases:read' | 'aliases:write' | 'drive:read')[]
  readonly mailboxes: readonly string[] | null
  /** required: sends by an agent key wait until a person approves them. */
  readonly approval: 'none' | 'required'
  /** Set if the partner created and holds the key; absent for other keys. */
  readonly heldBy?: 'partner'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  readonly lastUsedFrom: string | null
}

export type LensEvidence = {
  /** "subject", "text" or "attachments[n]". */
  readonly source: string
  /** In code points. */
  readonly start: number
  /** Not included. */
  readonly end: number
  /** For a list: where each item is. */
  readonly items?: readonly {
    /** In code points. */
    readonly start: number
    /** Not included. */
    readonly end: number
  }[]
}

export type LensField = {
  /** Name of the value in the record; its words are also searched for in the mail. */
  readonly key: string
  /** Values are strings for text and email address, numbers without currency, dates as YYYY-MM-DD, booleans, and lists of strings. */
  readonly type: 'text' | 'number' | 'date' | 'yes/no' | 'email address' | 'list'
  /** What the value is, in one line. */
  readonly description: string
}

export type MailboxLists = {
  /** Whom the mailbox may send to; empty: everybody. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly sendAllow: readonly string[]
  /** Whom it may not send to; overrides sendAllow. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly sendBlock: readonly string[]
  /** Whose mail it accepts, if their domain is authenticated; empty: everybody's. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly receiveAllow: readonly string[]
  /** Whose mail it rejects, authenticated or not; overrides receiveAllow. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly receiveBlock: readonly string[]
}

export type Member = {
  /** Of the person (usr_...) or the invitation (inv_...). */
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: 'owner' | 'member' | 'reader'
  readonly status: 'active' | 'invited'
  readonly since: string
}

export type MessageEvent = {
  readonly mailbox: string
  readonly message_id: string | null
  readonly thread_id: string | null
  readonly folder: string | null
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  readonly attachments: readonly {
    readonly name: string
    readonly content_type: string
    readonly size: number
  }[]
}

export type MessageReceived = {
  readonly mailbox: string
  readonly message_id: string | null
  readonly thread_id: string | null
  readonly folder: string | null
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  readonly attachments: readonly {
    readonly name: string
    readonly content_type: string
    readonly size: number
  }[]
  /** null for mail whose origin was not checked. */
  readonly trust: Trust | null
  /** null if there is no code or link. */
  readonly verification: Verification | null
}

export type NewIntake = {
  readonly mailbox: string
  /** false while the plan does not include Intake: only set-up tests are parsed. */
  readonly active: boolean
  readonly delivery: {
    readonly type: 'api' | 'webhook'
    /** null if the endpoint was deleted. */
    readonly url?: string | null
    readonly webhookId?: string
  }
  readonly lens: {
    readonly enabled: boolean
    readonly fields: readonly LensField[]
    readonly quoted: boolean
  }
  /** Days after which a record and the copy of its mail are deleted. The mail stays in the mailbox. */
  readonly retention: 7 | 30 | 90 | 'forever'
  readonly createdAt: string
  /** Signs every delivery to the endpoint that was created for it. Shown once. */
  readonly secret?: string
}

export type NewKey = {
  readonly id: string
  readonly name: string
  readonly kind: 'account' | 'agent'
  readonly scopes: readonly ('mail:read' | 'mail:send' | 'mail:write' | 'mailboxes:read' | 'mailboxes:write' | 'dns:read' | 'dns:write' | 'domains:read' | 'domains:write' | 'aliases:read' | 'aliases:write' | 'drive:read')[]
  readonly mailboxes: readonly string[] | null
  /** required: sends by an agent key wait until a person approves them. */
  readonly approval: 'none' | 'required'
  /** Set if the partner created and holds the key; absent for other keys. */
  readonly heldBy?: 'partner'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  readonly lastUsedFrom: string | null
  /** Shown once. */
  readonly apiKey: string
}

export type OpenRequest = {
  readonly id: string
  readonly kind: 'limit' | 'phone'
  readonly text: string
  readonly phone: string | null
  readonly status: 'open' | 'granted' | 'refused'
  readonly answer: string | null
  readonly createdAt: string
  readonly answeredAt: string | null
  readonly account: {
    readonly id: string
    readonly name: string
  }
  readonly email: string | null
}

export type Passkey = {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export type Person = {
  readonly id: string
  readonly email: string
  readonly name: string
}

export type Processes = {
  readonly processes: readonly {
    readonly host: string
    /** service, smtp, imap or dns. */
    readonly process: string
    readonly pid: number
    readonly startedAt: string
    /** Whether its newest sample is at most three minutes old. */
    readonly alive: boolean
    /** The oldest first; over a long time, one sample with the worst values for several minutes each. */
    readonly samples: readonly {
      readonly at: string
      /** Resident memory in bytes. */
      readonly memory: number
      /** Delay of the event loop, 99th percentile. */
      readonly eventLoopMs: number
      /** How long the database took to answer. */
      readonly databaseMs: number
    }[]
  }[]
}

export type RecipientStatus = {
  readonly email: string
  readonly status: 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
  readonly reason: string | null
  /** Time of the last change. */
  readonly at: string
  /** The server that answered, by the name it gives itself. */
  readonly mx: string | null
  /** The reply of the remote server, word for word. */
  readonly response: string | null
  readonly attempts: number
}

export type RecoveryCodes = {
  /** Ten single-use codes, shown once; older ones are void. */
  readonly recoveryCodes: readonly string[]
}

export type ReportSource = {
  /** IP address from which receivers got the mail. */
  readonly source: string
  /** Its host name, if forward and reverse DNS agree. */
  readonly name: string | null
  readonly organisation: string | null
  /** Whether it is a sending address of this service. */
  readonly own: boolean
  /** Mails in the reports of receivers. */
  readonly messages: number
  /** Mails that passed DMARC: SPF or DKIM passed and was aligned with From. */
  readonly passed: number
  /** passed / messages; null without mail. */
  readonly passRate: number | null
  /** Mails for which SPF passed and was aligned. */
  readonly spfAligned: number
  /** Mails for which DKIM passed and was aligned. */
  readonly dkimAligned: number
  readonly dispositions: {
    readonly none: number
    readonly quarantine: number
    readonly reject: number
  }
  readonly firstDay: string
  readonly lastDay: string
  /** How its mail fared, the most frequent outcome first. */
  readonly findings: readonly ({
    readonly kind: 'passes' | 'own_server' | 'forwarder' | 'provider' | 'stranger'
    readonly messages: number
    /** What it means. */
    readonly explanation: string
    /** What to change; null if nothing. */
    readonly fix: string | null
  })[]
}

export type Scheduled = {
  readonly id: string
  readonly message_id: string | null
  readonly thread_id: string | null
  readonly sendAt: string | null
  readonly status: 'scheduled' | 'cancelled'
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string | null
  readonly createdAt: string
}

export type SecondFactor = {
  /** Whether signing in with the password also needs a code. */
  readonly enabled: boolean
  readonly confirmedAt?: string
  readonly recoveryCodesLeft: number
}

export type Session = {
  readonly person: Person
  readonly account: {
    readonly id: string
    readonly name: string
    readonly role: 'owner' | 'member' | 'reader'
  } | null
  /** All accounts that the person is a member of. */
  readonly accounts: readonly ({
    readonly id: string
    readonly name: string
    readonly role: 'owner' | 'member' | 'reader'
  })[]
  /** Whether the person administers the service: /api/v1/administration. */
  readonly administrator: boolean
  /** For the header X-CSRF-Token of each request that changes something. */
  readonly csrfToken: string
}

export type Setup = {
  readonly steps: readonly ({
    readonly id: 'claim' | 'name' | 'domain' | 'dns' | 'first_mail' | 'webhook'
    readonly done: boolean
    /** The state of the step. */
    readonly detail: string
    readonly fix: string | null
  })[]
}

export type Suppression = {
  readonly email: string
  readonly reason: 'bounce' | 'complaint' | 'unsubscribe' | 'manual'
  /** The reply of the remote server, or the report; null if it was added by hand. */
  readonly detail: string | null
  /** For an address that an agent key added: the mailboxes whose mail it applies to, besides mail by that key. null: all mail of the account. */
  readonly mailboxes: readonly string[] | null
  readonly createdAt: string
}

export type Template = {
  readonly alias: string
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly status: 'active' | 'paused'
  /** Names of the {{tokens}} in it. */
  readonly variables: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
}

export type Thread = {
  readonly thread_id: string
  readonly subject: string | null
  /** Senders and recipients, at most 50. */
  readonly participants: readonly Address[]
  /** Messages outside Trash, Spam and Drafts, or all messages if there are no others. At most 1,000. */
  readonly message_count: number
  readonly last_message_at: string
  readonly labels: readonly string[]
  /** Whose turn it is: us after mail from somebody else, them after ours, none after automatic mail and once the last message was put away. */
  readonly awaiting: 'us' | 'them' | 'none'
}

export type ThreadMessage = {
  readonly message_id: string
  readonly mailbox: string
  readonly thread_id: string
  readonly folder: string
  /** The first author, with an empty address if From has only a name; null if From has neither. */
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  /** Bytes of the raw message. */
  readonly size: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly labels: readonly string[]
  readonly attachments: readonly AttachmentSummary[]
  /** The whole body as plain text, as a person sees it. */
  readonly text?: string
  /** In the view markdown: the whole body as a person sees it, with headings, emphasis, links, lists, data tables and the text of images. Plain text is unchanged. */
  readonly markdown?: string
  /** The body without quoted history and signature. */
  readonly reply?: string
  /** Whether a body is incomplete: cut by max_chars, or beyond the limits for reading. */
  readonly truncated?: boolean
  /** Pass as cursor to read_message, with the same view, to continue. */
  readonly next?: string | null
}

export type Trust = {
  readonly spf: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
  readonly dkim: readonly ({
    readonly domain: string
    readonly result: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
  })[]
  readonly dmarc: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
  readonly arc: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
  /** The domain of From, if it is authenticated; else null. */
  readonly aligned_from: string | null
  /** Whether this address never wrote to the mailbox before. */
  readonly first_contact: boolean
  /** Whether a reply would go to a domain other than that of From. */
  readonly reply_to_mismatch: boolean
  /** Whether the sender uses the name of somebody else. */
  readonly display_name_spoof: boolean
  /** Whether a program sent it automatically (RFC 3834). */
  readonly auto_submitted: boolean
  /** true if the plain text says something that the HTML shows nowhere (`hidden`, kind alternative); else absent. */
  readonly alternatives_differ?: boolean
}

export type Verification = {
  readonly codes: readonly ({
    readonly value: string
    readonly label: string | null
    readonly confidence: number
  })[]
  readonly links: readonly {
    readonly url: string
    readonly host: string
    /** Whether the host belongs to the authenticated domain. */
    readonly same_org: boolean
  }[]
}

export type WaitedMessage = {
  readonly message_id: string
  readonly mailbox: string
  readonly thread_id: string
  readonly folder: string
  /** The first author, with an empty address if From has only a name; null if From has neither. */
  readonly from: Address | null
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly received_at: string
  /** Bytes of the raw message. */
  readonly size: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly labels: readonly string[]
  readonly attachments: readonly AttachmentSummary[]
  /** null for mail that did not arrive by SMTP. */
  readonly trust: Trust | null
  /** null if there is no code or link. */
  readonly verification: Verification | null
}

export type WholeApproval = {
  readonly id: string
  /** Id of the send (em_...). */
  readonly email_id: string
  readonly status: 'waiting' | 'approved' | 'refused' | 'expired' | 'void'
  /** Hash of the message, its sender, recipients and time: repeat it in the decision. */
  readonly hash: string
  readonly mailbox: string | null
  readonly draft_id: string | null
  /** The key that sends (key_...). */
  readonly keyId: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  /** Everybody who receives it, whatever the header of the message says. */
  readonly recipients: readonly string[]
  readonly subject: string | null
  readonly sendAt: string | null
  readonly createdAt: string
  /** When it expires without a decision. */
  readonly expiresAt: string
  readonly decidedAt: string | null
  readonly decidedBy: string | null
  readonly reason: string | null
  /** null after a decision: approved mail is in Sent, other mail in Drafts. */
  readonly content: {
    /** The body as a person sees it. */
    readonly text: string
    readonly html: string | null
    /** Text that a person reading it does not see. */
    readonly hidden: readonly Hidden[]
    readonly attachments: readonly {
      readonly name: string
      readonly content_type: string
      readonly size: number
    }[]
    /** Whether a body exceeds the limits for reading. */
    readonly truncated: boolean
  } | null
}

export type WholeThread = {
  readonly thread_id: string
  readonly subject: string | null
  /** Senders and recipients, at most 50. */
  readonly participants: readonly Address[]
  /** Messages outside Trash, Spam and Drafts, or all messages if there are no others. At most 1,000. */
  readonly message_count: number
  readonly last_message_at: string
  readonly labels: readonly string[]
  /** Whose turn it is: us after mail from somebody else, them after ours, none after automatic mail and once the last message was put away. */
  readonly awaiting: 'us' | 'them' | 'none'
  /** A page of its messages, oldest first. */
  readonly messages: readonly ThreadMessage[]
  /** Pass as "before" to get earlier messages; null at the beginning. */
  readonly next: string | null
}

export type AddressObject = {
  readonly name?: string
  /** "user@domain" or "Name <user@domain>". */
  readonly address: string
}

export type AddressInput = string | AddressObject

/** One address or several, as text or as {name, address}. */
export type AddressesInput = string | AddressObject | readonly AddressInput[]

/** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
export type AttachmentsInput = readonly ({
  readonly name: string
  readonly contentType: string
  /** The file in base64. */
  readonly content: string
  readonly contentId?: string
} | {
  /** Id of the message (msg_...). */
  readonly messageId: string
  /** Id of the attachment (att_...). */
  readonly attachmentId: string
})[]

/** Extra X- and List- headers. */
export type HeadersInput = { readonly [name: string]: string }

/** Where the records go. */
export type IntakeDeliveryInput = {
  /** "api": records are read through the API. "webhook": they are also posted. */
  readonly type: 'api' | 'webhook'
  /** Where to post records: an endpoint is created for this mailbox alone. */
  readonly url?: string
  /** An existing endpoint (whk_...), instead of "url". */
  readonly webhookId?: string
}

/** What Lens reads in each mail. Omitted fields stay unchanged. */
export type IntakeLensInput = {
  readonly enabled: boolean
  /** Keys are unique. */
  readonly fields?: readonly LensField[]
  /** Whether values are also read from quoted history; default false. */
  readonly quoted?: boolean
}

/** The type of `data` for each event type. */
export type EventData = {
  /** A new message landed in a mailbox, Spam included. */
  readonly 'message.received': MessageReceived
  /** A message left a mailbox for the outside world, about 20 seconds ago. */
  readonly 'message.sent': MessageEvent
  /** The recipient's server accepted an email. */
  readonly 'email.delivered': {
    readonly email_id: string
    readonly from: string
    /** The one recipient the event is about. */
    readonly to: readonly string[]
    readonly subject: string | null
    readonly mailbox: string | null
    readonly batch_id?: string
    readonly delivery: {
      readonly at: string
      readonly mx: string | null
      readonly response: string | null
      readonly tls: boolean | null
    }
  }
  /** An email could not be delivered. */
  readonly 'email.bounced': {
    readonly email_id: string
    readonly from: string
    /** The one recipient the event is about. */
    readonly to: readonly string[]
    readonly subject: string | null
    readonly mailbox: string | null
    readonly batch_id?: string
    readonly bounce: {
      readonly type: 'permanent' | 'transient'
      readonly reason: string
    }
  }
  /** The recipient marked an email as spam. */
  readonly 'email.complained': {
    readonly email_id: string
    readonly from: string
    /** The one recipient the event is about. */
    readonly to: readonly string[]
    readonly subject: string | null
    readonly mailbox: string | null
    readonly batch_id?: string
    readonly complaint: {
      readonly type: string
      readonly at: string
    }
  }
  /** A mailbox was created. */
  readonly 'mailbox.created': Mailbox
  /** A mailbox was deleted. */
  readonly 'mailbox.deleted': Mailbox
  /** Sending was paused for the whole account. */
  readonly 'account.sending_paused': {
    readonly reason: string
    readonly at: string
  }
  /** Sending was restored after a pause. */
  readonly 'account.sending_resumed': {
    readonly reason: string
    readonly at: string
  }
  /** Storage passed 80 % or 95 %; repeats daily while it stays there. */
  readonly 'account.storage_warning': {
    readonly mailbox: string | null
    readonly used: number
    readonly limit: number
    readonly percent: number
  }
  /** A domain passed verification. */
  readonly 'domain.verified': Domain
  /** A required DNS record of a verified domain went missing or changed. */
  readonly 'domain.dns_broken': {
    readonly domain: string
    /** A broken domain still sends and receives; a pending one does not yet. */
    readonly status: 'pending' | 'verified' | 'broken'
    readonly verifiedAt: string | null
    /** What to publish in the DNS; none for a free domain. */
    readonly records: readonly DomainDnsRecord[]
    readonly defaultDisplayName: string | null
    /** Whether it is a free domain of the service, which nobody can change. */
    readonly shared: boolean
    readonly createdAt?: string
    readonly checkedAt?: string | null
    /** Who maintains the DNS records: this service, another server that it updates, or the owner by hand. */
    readonly dns?: 'built-in' | 'dynamic-update' | 'by-hand'
    /** When its registration ends, if that is known. */
    readonly expiresAt?: string
    readonly record: DomainDnsRecord
  }
  /** A domain expires in 30 days, and again at 7 days. */
  readonly 'domain.expiring': Domain
  /** Intake parsed an arriving email. */
  readonly 'intake.message': IntakeMessage
  /** A partner customer was created. */
  readonly 'customer.created': Customer
  /** A partner customer's plan changed. */
  readonly 'customer.plan_changed': Customer
  /** The partner paused a customer. */
  readonly 'customer.paused': Customer
  /** The partner resumed a customer. */
  readonly 'customer.resumed': Customer
}

export type EventType = keyof EventData

/** An event of one type; without a type, of any. */
export type MailroomEvent<T extends EventType = EventType> = {
  [K in T]: Omit<EventEnvelope, 'type' | 'data'> & { readonly type: K; readonly data: EventData[K] }
}[T]

export type SignupCreateParams = {
  /** Account name and DNS label, 3 to 40 of a-z 0-9 -. */
  readonly name?: string
  /** Local part of the inbox. Default: agent. */
  readonly inbox?: string
}

export type SignupCreateResult = SignupResult

export type PeopleCreateParams = {
  /** E-mail address of the person. */
  readonly email: string
  /** 8 to 200 characters. */
  readonly password: string
  /** The name that others see. */
  readonly name: string
  /** Token of an invitation, which verifies its address and joins its account. */
  readonly invitation?: string
}

export type PeopleCreateResult = {
  /** Open the link in the mail, or sign in. */
  readonly next: 'verify' | 'sign_in'
}

export type PeopleVerifyParams = {
  /** The part after the last "/" of the mailed link. */
  readonly token: string
}

export type PeopleVerifyResult = {
  readonly verified: true
  readonly email: string
}

export type PeopleResetParams = {
  /** E-mail address of the person. */
  readonly email?: string
  /** The part after the last "/" of the mailed link. */
  readonly token?: string
  /** 8 to 200 characters. */
  readonly password?: string
}

export type PeopleResetResult = {
  readonly status: 'requested' | 'changed'
}

export type PeopleUpdateParams = {
  /** The name that others see. */
  readonly name?: string
  /** 8 to 200 characters. */
  readonly password?: string
  /** 8 to 200 characters. */
  readonly currentPassword?: string
}

export type PeopleUpdateResult = Session

export type PeopleJoinParams = {
  /** The part after the last "/" of the mailed link. */
  readonly token: string
}

export type PeopleJoinResult = Session

export type PeopleLeaveResult = {
  readonly deleted: true
}

export type PeopleEraseParams = {
  /** Password of the person who makes the request. */
  readonly password: string
}

export type PeopleEraseResult = {
  readonly deleted: true
}

export type SessionBeginParams = {
  /** E-mail address of the person. */
  readonly email?: string
  /** 8 to 200 characters. */
  readonly password?: string
  /** Six digits that the authenticator app shows, or a recovery code. */
  readonly code?: string
  /** What a passkey answered: {attempt, credential}. */
  readonly passkey?: {
    /** As returned by POST /api/v1/session/passkey. */
    readonly attempt: string
    /** The result of navigator.credentials, in the form of PublicKeyCredential.toJSON(). */
    readonly credential: { readonly [name: string]: unknown }
  }
}

export type SessionBeginResult = Session

export type SessionPasskeyResult = {
  /** Send it back with the credential. */
  readonly attempt: string
  /** For navigator.credentials.get, as JSON. */
  readonly options: { readonly [name: string]: unknown }
}

export type SessionGetResult = Session

export type SessionSwitchParams = {
  /** Id of the account (acc_...). */
  readonly account: string
}

export type SessionSwitchResult = Session

export type SessionEndResult = {
  readonly signedOut: true
}

export type SessionsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type SessionsListResult = {
  readonly sessions: readonly {
    readonly id: string
    readonly createdAt: string
    /** The device that a request came from. */
    readonly createdFrom: {
      /** Network address. */
      readonly address: string
      /** The User-Agent of the browser, cut at 200 characters; empty without one. */
      readonly userAgent: string
    }
    /** Accurate to a few minutes. */
    readonly usedAt: string
    /** The device that a request came from. */
    readonly usedFrom: {
      /** Network address. */
      readonly address: string
      /** The User-Agent of the browser, cut at 200 characters; empty without one. */
      readonly userAgent: string
    }
    /** Whether it is the session of this request. */
    readonly current: boolean
  }[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type SessionsEndResult = {
  readonly deleted: true
}

export type TotpGetResult = SecondFactor

export type TotpSetParams = {
  /** Six digits that the authenticator app shows, or a recovery code. */
  readonly code?: string
}

export type TotpSetResult = {
  /** For the authenticator app, in base32. */
  readonly secret: string
  /** The same as an otpauth:// URI, for a QR code. */
  readonly uri: string
} | RecoveryCodes

export type TotpRemoveParams = {
  /** Six digits that the authenticator app shows, or a recovery code. */
  readonly code: string
}

export type TotpRemoveResult = {
  readonly deleted: true
}

export type PasskeysListResult = {
  readonly passkeys: readonly Passkey[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type PasskeysCreateParams = {
  /** The result of navigator.credentials, in the form of PublicKeyCredential.toJSON(). */
  readonly credential?: { readonly [name: string]: unknown }
  /** Name of the passkey in lists. */
  readonly name?: string
}

export type PasskeysCreateResult = Passkey | {
  /** For navigator.credentials, as JSON. */
  readonly options: { readonly [name: string]: unknown }
}

export type PasskeysRemoveResult = {
  readonly deleted: true
}

export type ClaimsCreateParams = {
  /** The part after the last "/" of the mailed link. */
  readonly token: string
  /** Id of an account that the person owns, to merge into (acc_...). */
  readonly account?: string
}

export type ClaimsCreateResult = Session

export type AccountClaimResult = ClaimLink

export type AccountGetResult = Account

export type AccountUpdateParams = {
  /** required: sends by agent keys of the account wait until a person approves them. */
  readonly approval: 'none' | 'required'
}

export type AccountUpdateResult = Account

export type AccountSetupResult = Setup

export type AccountExportResult = AccountExport

export type AccountGetExportResult = AccountExport

export type AccountEraseParams = {
  /** The name of the account. */
  readonly confirm: string
  /** Password of the person who makes the request. */
  readonly password: string
}

export type AccountEraseResult = {
  readonly erasing: boolean
}

export type UsageGetResult = Usage

export type UsageDailyParams = {
  /** The first day (UTC), at most 90 days ago. Default: 29 days ago. */
  readonly since?: string | Date | null
  /** Address of the mailbox. */
  readonly mailbox?: string | null
}

export type UsageDailyResult = DailyUsage

export type PlansListResult = {
  readonly plans: readonly ({
    readonly kind: 'agents' | 'mail'
    readonly name: string
    /** What it includes, such as inboxes: 50; null: no limit. */
    readonly figures: { readonly [name: string]: number | boolean | null }
  })[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type AuditListParams = {
  /** Only this action, such as messages.send. */
  readonly action?: string | null
  /** Only this outcome: done, or the code of a refusal. */
  readonly outcome?: string | null
  /** Only what this key (key_...) or program (gnt_...) did. */
  readonly key_id?: string | null
  /** Only what this person did (usr_...). */
  readonly user_id?: string | null
  /** From this time on. */
  readonly since?: string | Date | null
  /** Before this time. */
  readonly until?: string | Date | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type AuditListResult = {
  readonly entries: readonly AuditEntry[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type MembersListResult = {
  readonly members: readonly Member[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type MembersInviteParams = {
  /** E-mail address of the person. */
  readonly email: string
  /** owner: everything; member: mail and mailboxes; reader: reading. */
  readonly role: 'owner' | 'member' | 'reader'
}

export type MembersInviteResult = Member

export type MembersUpdateParams = {
  /** owner: everything; member: mail and mailboxes; reader: reading. */
  readonly role: 'owner' | 'member' | 'reader'
}

export type MembersUpdateResult = Member

export type MembersRemoveResult = {
  readonly deleted: true
}

export type RequestsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type RequestsListResult = {
  readonly requests: readonly AccountRequest[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type RequestsCreateParams = {
  /** A higher limit, or a phone number to confirm. */
  readonly kind: 'limit' | 'phone'
  /** What is needed, and why. */
  readonly text?: string
  /** The number to confirm, for kind phone. */
  readonly phone?: string
}

export type RequestsCreateResult = AccountRequest

export type AdministrationAccountsParams = {
  /** An id, the beginning of a name, or the address of a member or a mailbox. */
  readonly q?: string | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type AdministrationAccountsResult = {
  readonly accounts: readonly AdministeredAccount[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type AdministrationAccountResult = AccountDetails

export type AdministrationChangeParams = {
  /** The mail plan. */
  readonly plan?: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | 'none'
  /** The Agents plan. */
  readonly agentsPlan?: 'free' | 'developer' | 'scale' | 'none'
  /** One figure of the plans, raised for this account. */
  readonly raise?: {
    readonly figure: 'requestsPerMinute' | 'inboxes' | 'inboxCreationsPerDay' | 'storagePerInboxBytes' | 'ownDomains' | 'emailsPerMonth' | 'sendsPerMonth' | 'sendsPerDay' | 'sharedDomainSendsPerDay' | 'recipientsPerMinute' | 'marketingSendsPerMonth' | 'batchRecipientsPerCall' | 'webhookEndpoints' | 'deliveryLogDays' | 'lensPerMonth'
    readonly to: number | null
  }
  /** Begins a suspension, or replaces the reason of one; null ends it. */
  readonly suspended?: {
    /** Shown to the account. */
    readonly reason: string
  } | null
  /** Pauses sending, or replaces the reason of a pause; null lets the account send again. */
  readonly sendingPaused?: {
    /** Shown to the account. */
    readonly reason: string
  } | null
}

export type AdministrationChangeResult = AccountDetails

export type AdministrationRequestsParams = {
  /** State of the requests to list. */
  readonly status?: 'open' | 'granted' | 'refused' | null
}

export type AdministrationRequestsResult = {
  readonly requests: readonly OpenRequest[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type AdministrationAnswerParams = {
  /** Whether the request is granted. */
  readonly granted: boolean
  /** The text that the person receives. A refusal has to give the reason. */
  readonly answer: string
}

export type AdministrationAnswerResult = OpenRequest

export type AdministrationOutboxResult = {
  /** At most 200, the largest first. */
  readonly destinations: readonly Destination[]
  /** All waiting recipients, counted up to 10,000. */
  readonly waiting: number
  /** False if 10,000 or more wait: only 10,000 are counted. */
  readonly complete: boolean
}

export type AdministrationRefusalsParams = {
  /** How many days back, at most 30. */
  readonly days?: number | null
}

export type AdministrationRefusalsResult = {
  /** The hours in which anything was refused, the oldest first. */
  readonly refusals: readonly {
    /** The beginning of the hour. */
    readonly from: string
    /** How often each reply refused a command or a mail, by code and enhanced code, such as "550 5.1.1". */
    readonly codes: { readonly [name: string]: number }
  }[]
}

export type AdministrationProcessesParams = {
  /** How many hours back, at most 168. */
  readonly hours?: number | null
}

export type AdministrationProcessesResult = Processes

export type KeysListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type KeysListResult = {
  readonly keys: readonly Key[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type KeysCreateParams = {
  /** What the key is for. */
  readonly name: string
  /** account: reaches the whole account; agent: only mailboxes that it creates or is granted. */
  readonly kind?: 'account' | 'agent'
  /** What the key may do. Scopes cannot be added later. */
  readonly scopes: readonly ('mail:read' | 'mail:send' | 'mail:write' | 'mailboxes:read' | 'mailboxes:write' | 'dns:read' | 'dns:write' | 'domains:read' | 'domains:write' | 'aliases:read' | 'aliases:write' | 'drive:read')[]
  /** Addresses that an agent key is granted. */
  readonly mailboxes?: readonly string[]
  readonly expiresAt?: string | Date | null
  /** required: sends by an agent key wait until a person approves them. */
  readonly approval?: 'none' | 'required'
}

export type KeysCreateResult = NewKey

export type KeysRevokeResult = {
  readonly deleted: true
}

export type GrantsListResult = {
  readonly grants: readonly Grant[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type GrantsRevokeResult = {
  readonly deleted: true
}

export type MailboxesListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type MailboxesListResult = {
  readonly mailboxes: readonly Mailbox[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type MailboxesCreateParams = {
  /** <local>@<domain>. */
  readonly address: string
  readonly displayName?: string | null
  /** Account keys only; "person" needs a mail plan. */
  readonly kind?: 'agent' | 'person'
}

export type MailboxesCreateResult = Mailbox

export type MailboxesGetResult = Mailbox

export type MailboxesUpdateParams = {
  readonly displayName?: string | null
  readonly signature?: string | null
  readonly autoReply?: {
    readonly enabled: boolean
    readonly subject: string
    readonly text: string
    readonly until?: string | Date | null
  } | null
}

export type MailboxesUpdateResult = Mailbox

export type MailboxesDeleteResult = {
  readonly deleted: true
}

export type ListsGetResult = MailboxLists

export type ListsSetParams = {
  /** Whom the mailbox may send to; empty: everybody. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly sendAllow?: readonly string[]
  /** Whom it may not send to; overrides sendAllow. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly sendBlock?: readonly string[]
  /** Whose mail it accepts, if their domain is authenticated; empty: everybody's. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly receiveAllow?: readonly string[]
  /** Whose mail it rejects, authenticated or not; overrides receiveAllow. Addresses, domains, or *.example.com for all domains below example.com. */
  readonly receiveBlock?: readonly string[]
}

export type ListsSetResult = MailboxLists

export type AppPasswordsListResult = {
  readonly appPasswords: readonly AppPassword[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type AppPasswordsCreateParams = {
  /** What the key is for. */
  readonly name: string
}

export type AppPasswordsCreateResult = {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly lastUsedFrom: string | null
  /** Shown once. */
  readonly password: string
}

export type AppPasswordsRevokeResult = {
  readonly deleted: true
}

export type MessagesListParams = {
  /** A path or a role: inbox, sent, drafts, trash, spam, archive. */
  readonly folder?: string | null
  /** A label the message has. */
  readonly label?: string | null
  /** Id of the thread (thr_...). */
  readonly thread_id?: string | null
  /** Whether it is unread. */
  readonly unread?: boolean | null
  /** Whether it is marked as important. */
  readonly flagged?: boolean | null
  /** Address of the sender. */
  readonly from?: string | null
  /** Address of a recipient. */
  readonly to?: string | null
  /** Part of the subject. */
  readonly subject?: string | null
  /** Whether it has attachments. */
  readonly has_attachment?: boolean | null
  /** Stored before this time. */
  readonly until?: string | Date | null
  /** Stored at this time or later. */
  readonly since?: string | Date | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type MessagesListResult = {
  readonly messages: readonly MessageSummary[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
  /** Current position of the mailbox, to pass as "since" of a wait. */
  readonly cursor: string
}

export type MessagesWaitParams = {
  /** A path or a role: inbox, sent, drafts, trash, spam, archive. */
  readonly folder?: string | null
  /** A label the message has. */
  readonly label?: string | null
  /** Id of the thread (thr_...). */
  readonly thread_id?: string | null
  /** Whether it is unread. */
  readonly unread?: boolean | null
  /** Whether it is marked as important. */
  readonly flagged?: boolean | null
  /** Address of the sender. */
  readonly from?: string | null
  /** Address of a recipient. */
  readonly to?: string | null
  /** Part of the subject. */
  readonly subject?: string | null
  /** Whether it has attachments. */
  readonly has_attachment?: boolean | null
  /** Stored before this time. */
  readonly until?: string | Date | null
  /** Matches the subject or text. RE2, such as (?i)code: \d{6}. */
  readonly regex?: string | null
  /** Whether it has a verification code. */
  readonly has_code?: boolean | null
  /** Whether it has a verification link. */
  readonly has_link?: boolean | null
  /** Authenticated domain of the sender, or a parent. */
  readonly from_domain?: string | null
  /** Cursor of a list or wait, or time, from before you trigger the mail. Default: now. */
  readonly since?: string | Date | null
  /** Seconds, at most 55. */
  readonly timeout?: number | null
}

export type MessagesWaitResult = {
  /** The first message that passes the filters; null after the timeout. */
  readonly message: WaitedMessage | null
  /** Messages that arrived meanwhile but failed a filter, newest first. */
  readonly near_misses: readonly {
    readonly message_id: string
    /** The filter that it fails. */
    readonly why: string
  }[]
  /** Pass as since to wait for mail after this answer. */
  readonly cursor: string
}

export type MessagesWaitAndClaimParams = {
  /** A path or a role: inbox, sent, drafts, trash, spam, archive. */
  readonly folder?: string
  /** A label the message has. */
  readonly label?: string
  /** Id of the thread (thr_...). */
  readonly thread_id?: string
  /** Whether it is unread. */
  readonly unread?: boolean
  /** Whether it is marked as important. */
  readonly flagged?: boolean
  /** Address of the sender. */
  readonly from?: string
  /** Address of a recipient. */
  readonly to?: string
  /** Part of the subject. */
  readonly subject?: string
  /** Whether it has attachments. */
  readonly has_attachment?: boolean
  /** Stored before this time. */
  readonly until?: string | Date
  /** Matches the subject or text. RE2, such as (?i)code: \d{6}. */
  readonly regex?: string
  /** Whether it has a verification code. */
  readonly has_code?: boolean
  /** Whether it has a verification link. */
  readonly has_link?: boolean
  /** Authenticated domain of the sender, or a parent. */
  readonly from_domain?: string
  /** Cursor of a list or wait, or time, from before you trigger the mail. Default: now. */
  readonly since?: string | Date
  /** Seconds, at most 55. */
  readonly timeout?: number
  /** Seconds of the lease. */
  readonly claim?: number
}

export type MessagesWaitAndClaimResult = {
  /** The first message that passes the filters; null after the timeout. */
  readonly message: WaitedMessage | null
  /** Messages that arrived meanwhile but failed a filter, newest first. */
  readonly near_misses: readonly {
    readonly message_id: string
    /** The filter that it fails. */
    readonly why: string
  }[]
  /** Pass as since to wait for mail after this answer. */
  readonly cursor: string
  /** When the lease ends; null without one. */
  readonly claimed_until: string | null
}

export type MessagesVerificationParams = {
  /** any: the code, or the link of a mail without one. */
  readonly kind?: 'code' | 'link' | 'any' | null
  /** Authenticated domain of the sender, or a parent. */
  readonly from_domain?: string | null
  /** Cursor of a list or wait, or time, from before you trigger the mail. Default: now. */
  readonly since?: string | Date | null
  /** Seconds, at most 55. */
  readonly timeout?: number | null
}

export type MessagesVerificationResult = {
  /** null after the timeout. */
  readonly found: {
    readonly kind: 'code' | 'link'
    /** The code, or the URL of the link. */
    readonly value: string
    readonly domain: string | null
    readonly same_org: boolean | null
    readonly message_id: string
    readonly received_at: string
  } | null
  /** Messages that arrived meanwhile but failed a filter, newest first. */
  readonly near_misses: readonly {
    readonly message_id: string
    /** The filter that it fails. */
    readonly why: string
  }[]
  /** Pass as since to wait for mail after this answer. */
  readonly cursor: string
}

export type MessagesSearchParams = {
  /** Words and "phrases" over subject, sender, recipients, body (its first 262,144 characters) and attachment names, ignoring case and diacritics; a word may end in * (invoi*). from: to: cc: subject: filename: look in one place, also with a phrase or with (several words); in: takes a folder, label: a label; has:attachment; is:unread, is:read, is:flagged, is:answered; before: and after: a day or a time (UTC); larger: and smaller: a size such as 500K or 5MB. - excludes, OR (in capitals) joins alternatives, ( ) group. All other terms must match. An operator that does not exist is refused; a colon before white space, "/" or another colon, or after a digit, is part of a word (Re:, https://host, 10:30); put other words with a colon in quotes ("localhost:8080"). */
  readonly q: string
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type MessagesSearchResult = {
  readonly messages: readonly FoundMessage[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type MessagesGetParams = {
  /** headers: no body; reply: without quoted history; text: all text; markdown: with links and tables; full: also HTML and headers. */
  readonly view?: 'headers' | 'reply' | 'text' | 'markdown' | 'full' | null
  /** Most characters of each body. */
  readonly max_chars?: number | null
  /** next of the answer whose body was cut. */
  readonly cursor?: string | null
  /** Read this attached message (message/rfc822) instead. */
  readonly attachment_id?: string | null
}

export type MessagesGetResult = FullMessage

export type MessagesRawParams = {
  /** Put our Return-Path, Received and Authentication-Results in front. */
  readonly trace?: boolean | null
}

export type MessagesHtmlParams = {
  /** Show this attached message (message/rfc822) instead. */
  readonly attachment_id?: string | null
}

export type MessagesUpdateParams = {
  /** Whether it counts as read. */
  readonly seen?: boolean
  /** Whether it is marked as important. */
  readonly flagged?: boolean
  /** Whether it was answered. */
  readonly answered?: boolean
  /** A path or a role: inbox, sent, drafts, trash, spam, archive. */
  readonly folder?: string
  /** Labels to put on it. */
  readonly addLabels?: readonly string[]
  /** Labels to take off it. */
  readonly removeLabels?: readonly string[]
  /** Moves the message to Spam or back, and trains the mailbox about the sender. Not together with folder. */
  readonly spam?: boolean
}

export type MessagesUpdateResult = MessageSummary

export type MessagesDeleteParams = {
  /** Skip the Trash. */
  readonly permanent?: boolean | null
}

export type MessagesDeleteResult = {
  readonly deleted: true
  readonly folder: string | null
}

export type MessagesRestoreResult = MessageSummary

export type MessagesClaimParams = {
  /** Seconds until the lease ends by itself. */
  readonly ttl: number
}

export type MessagesClaimResult = {
  readonly message_id: string
  readonly claimed_until: string
}

export type MessagesReleaseResult = {
  readonly released: true
}

export type MessagesReadAllParams = {
  /** A path or a role: inbox, sent, drafts, trash, spam, archive. */
  readonly folder: string
}

export type MessagesReadAllResult = {
  /** How many messages were unseen before. */
  readonly updated: number
}

export type MessagesSendParams = {
  /** Recipients: one address or several. */
  readonly to?: AddressesInput
  /** Who gets a copy. */
  readonly cc?: AddressesInput
  /** Blind copies. */
  readonly bcc?: AddressesInput
  /** message_id that this answers; "to" and "subject" may then be left out. */
  readonly inReplyTo?: string
  /** With inReplyTo: reply to all. */
  readonly replyAll?: boolean
  /** The mailbox, or an alias or plus address of it. */
  readonly from?: string
  /** Sender name of this message only. */
  readonly fromName?: string
  /** Where replies go instead of the sender. */
  readonly replyTo?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Extra X- and List- headers. */
  readonly headers?: HeadersInput
  /** At most 30 days ahead. Default: now. */
  readonly sendAt?: string | Date
  /** Only report what would be sent. */
  readonly dryRun?: boolean
}

export type MessagesSendResult = SendResult | DryRun

export type MessagesReplyParams = {
  /** Reply to the sender and all recipients. */
  readonly all?: boolean
  /** Who gets a copy. */
  readonly cc?: AddressesInput
  /** Blind copies. */
  readonly bcc?: AddressesInput
  /** The mailbox, or an alias or plus address of it. */
  readonly from?: string
  /** Sender name of this message only. */
  readonly fromName?: string
  /** Where replies go instead of the sender. */
  readonly replyTo?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Extra X- and List- headers. */
  readonly headers?: HeadersInput
  /** At most 30 days ahead. Default: now. */
  readonly sendAt?: string | Date
  /** Only report what would be sent. */
  readonly dryRun?: boolean
}

export type MessagesReplyResult = SendResult | DryRun

export type MessagesForwardParams = {
  /** Recipients. */
  readonly to: AddressesInput
  /** Who gets a copy. */
  readonly cc?: AddressesInput
  /** Blind copies. */
  readonly bcc?: AddressesInput
  /** Include its files. Default: true. */
  readonly includeAttachments?: boolean
  /** The mailbox, or an alias or plus address of it. */
  readonly from?: string
  /** Sender name of this message only. */
  readonly fromName?: string
  /** Where replies go instead of the sender. */
  readonly replyTo?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Extra X- and List- headers. */
  readonly headers?: HeadersInput
  /** At most 30 days ahead. Default: now. */
  readonly sendAt?: string | Date
  /** Only report what would be sent. */
  readonly dryRun?: boolean
}

export type MessagesForwardResult = SendResult | DryRun

export type TrashEmptyResult = {
  /** How many messages were deleted. */
  readonly deleted: number
}

export type FoldersListResult = {
  readonly folders: readonly Folder[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type FoldersCreateParams = {
  /** The path; "/" separates levels, and missing levels are created. */
  readonly name: string
}

export type FoldersCreateResult = Folder

export type FoldersUpdateParams = {
  /** The path; "/" separates levels, and missing levels are created. */
  readonly name: string
}

export type FoldersUpdateResult = Folder

export type FoldersDeleteResult = {
  readonly deleted: true
}

export type ThreadsListParams = {
  /** A path or a role: inbox, sent, drafts, trash, spam, archive. */
  readonly folder?: string | null
  /** A label the message has. */
  readonly label?: string | null
  /** Whether it is unread. */
  readonly unread?: boolean | null
  /** Whether it is marked as important. */
  readonly flagged?: boolean | null
  /** Address of the sender. */
  readonly from?: string | null
  /** Address of a recipient. */
  readonly to?: string | null
  /** Part of the subject. */
  readonly subject?: string | null
  /** Whether it has attachments. */
  readonly has_attachment?: boolean | null
  /** Stored before this time. */
  readonly until?: string | Date | null
  /** Only those whose newest message was stored at this time or later. */
  readonly since?: string | Date | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type ThreadsListResult = {
  readonly threads: readonly Thread[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type ThreadsGetParams = {
  /** Include the body of each message, for at most 20 of them. */
  readonly view?: 'reply' | 'text' | 'markdown' | null
  /** Most characters of each body. */
  readonly max_chars?: number | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type ThreadsGetResult = WholeThread

export type LabelsListResult = {
  readonly labels: readonly {
    readonly label: string
    /** Messages that have it. */
    readonly count: number
  }[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type ContactsListParams = {
  /** Beginning of a word of the name, or of the address. */
  readonly q?: string | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type ContactsListResult = {
  readonly contacts: readonly Contact[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DraftsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type DraftsListResult = {
  readonly drafts: readonly MessageSummary[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DraftsCreateParams = {
  /** Recipients: one address or several. */
  readonly to?: AddressesInput
  /** Who gets a copy. */
  readonly cc?: AddressesInput
  /** Blind copies. */
  readonly bcc?: AddressesInput
  /** message_id that this answers; "to" and "subject" may then be left out. */
  readonly inReplyTo?: string
  /** With inReplyTo: reply to all. */
  readonly replyAll?: boolean
  /** The mailbox, or an alias or plus address of it. */
  readonly from?: string
  /** Sender name of this message only. */
  readonly fromName?: string
  /** Where replies go instead of the sender. */
  readonly replyTo?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Extra X- and List- headers. */
  readonly headers?: HeadersInput
}

export type DraftsCreateResult = FullMessage

export type DraftsGetResult = FullMessage

export type DraftsUpdateParams = {
  /** Recipients: one address or several. */
  readonly to?: AddressesInput
  /** Who gets a copy. */
  readonly cc?: AddressesInput
  /** Blind copies. */
  readonly bcc?: AddressesInput
  /** message_id that this answers; "to" and "subject" may then be left out. */
  readonly inReplyTo?: string
  /** With inReplyTo: reply to all. */
  readonly replyAll?: boolean
  /** The mailbox, or an alias or plus address of it. */
  readonly from?: string
  /** Sender name of this message only. */
  readonly fromName?: string
  /** Where replies go instead of the sender. */
  readonly replyTo?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Extra X- and List- headers. */
  readonly headers?: HeadersInput
}

export type DraftsUpdateResult = FullMessage

export type DraftsDeleteResult = {
  readonly deleted: true
}

export type DraftsSendParams = {
  /** At most 30 days ahead. Default: now. */
  readonly sendAt?: string | Date
}

export type DraftsSendResult = SendResult

export type ScheduledListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type ScheduledListResult = {
  readonly scheduled: readonly Scheduled[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type ScheduledUpdateParams = {
  /** When to send, at most 30 days ahead. */
  readonly sendAt: string | Date
}

export type ScheduledUpdateResult = Scheduled

export type ScheduledCancelResult = {
  readonly id: string
  readonly message_id: string | null
  readonly thread_id: string | null
  readonly sendAt: string | null
  readonly status: 'scheduled' | 'cancelled'
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string | null
  readonly createdAt: string
  readonly draft_id: string | null
}

export type BatchesSendParams = {
  /** May contain {{tokens}}. */
  readonly subject: string
  /** The body as plain text; may contain {{tokens}}. */
  readonly text?: string
  /** The body as HTML; may contain {{tokens}}. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Each {email, fields {token: value}}, up to the plan's limit. */
  readonly recipients: readonly {
    /** Address of the recipient. */
    readonly email: string
    /** Values of the {{tokens}}. */
    readonly fields?: { readonly [name: string]: string }
  }[]
  /** Derive it from the event that causes the batch, not from the time. The same key returns the first batch. */
  readonly idempotencyKey: string
}

export type BatchesSendResult = BatchResult

export type BatchesGetResult = BatchStatus

export type SearchAllParams = {
  /** Words and "phrases" over subject, sender, recipients, body (its first 262,144 characters) and attachment names, ignoring case and diacritics; a word may end in * (invoi*). from: to: cc: subject: filename: look in one place, also with a phrase or with (several words); in: takes a folder, label: a label; has:attachment; is:unread, is:read, is:flagged, is:answered; before: and after: a day or a time (UTC); larger: and smaller: a size such as 500K or 5MB. - excludes, OR (in capitals) joins alternatives, ( ) group. All other terms must match. An operator that does not exist is refused; a colon before white space, "/" or another colon, or after a digit, is part of a word (Re:, https://host, 10:30); put other words with a colon in quotes ("localhost:8080"). */
  readonly q: string
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type SearchAllResult = {
  readonly messages: readonly FoundMessage[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DriveListParams = {
  /** Id of a folder (file_...). Default: the top level. */
  readonly parentId?: string | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type DriveListResult = {
  readonly entries: readonly DriveEntry[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DriveDownloadUrlResult = {
  readonly url: string
  readonly expiresAt: string
}

export type BatchesListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type BatchesListResult = {
  readonly batches: readonly BatchSummary[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type EmailsSendParams = {
  /** Any address on a verified domain: "user@domain" or "Name <user@domain>". */
  readonly from: string
  /** One address or several, as text or as {name, address}. */
  readonly to?: AddressesInput
  /** One address or several, as text or as {name, address}. */
  readonly cc?: AddressesInput
  /** One address or several, as text or as {name, address}. */
  readonly bcc?: AddressesInput
  /** One address or several, as text or as {name, address}. */
  readonly replyTo?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Markdown, instead of text and html. */
  readonly markdown?: string
  /** Alias of a template (case-sensitive). */
  readonly template?: string
  /** Values of the {{tokens}} of the template. */
  readonly variables?: { readonly [name: string]: string }
  /** Extra X- and List- headers. */
  readonly headers?: HeadersInput
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Your own words, which the send shows. */
  readonly tags?: readonly string[]
  /** At most 30 days ahead. Default: now. */
  readonly sendAt?: string | Date
}

export type EmailsSendResult = SendResult

export type EmailsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type EmailsListResult = {
  readonly emails: readonly Email[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type EmailsGetResult = Email

export type EmailsUpdateParams = {
  /** When to send, at most 30 days ahead. */
  readonly sendAt: string | Date
}

export type EmailsUpdateResult = Email

export type EmailsCancelResult = {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly subject: string | null
  readonly mailbox: string | null
  readonly message_id: string | null
  readonly tags: readonly string[]
  /** The time for which it was requested. */
  readonly sendAt?: string
  readonly approval?: ApprovalState
  readonly createdAt: string
  readonly recipients: readonly RecipientStatus[]
  readonly draft_id: string | null
}

export type ApprovalsListParams = {
  /** Only approvals with this status. */
  readonly status?: 'waiting' | 'approved' | 'refused' | 'expired' | 'void' | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type ApprovalsListResult = {
  readonly approvals: readonly Approval[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type ApprovalsGetResult = WholeApproval

export type ApprovalsDecideParams = {
  /** Whether it is sent, or stays a draft. */
  readonly decision: 'approve' | 'refuse'
  /** The hash of the approval that was reviewed: `conflict` if the content has changed. */
  readonly hash: string
  /** Message to the agent. */
  readonly reason?: string
}

export type ApprovalsDecideResult = Approval

export type TemplatesListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type TemplatesListResult = {
  readonly templates: readonly Template[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type TemplatesGetResult = Template

export type TemplatesCreateParams = {
  /** Name of the template (case-sensitive). */
  readonly alias: string
  /** May contain {{tokens}}. */
  readonly subject: string
  readonly html?: string | null
  readonly text?: string | null
  /** Sending with a paused template is refused. */
  readonly status?: 'active' | 'paused'
}

export type TemplatesCreateResult = Template

export type TemplatesUpdateParams = {
  /** May contain {{tokens}}. */
  readonly subject?: string
  readonly html?: string | null
  readonly text?: string | null
  /** Sending with a paused template is refused. */
  readonly status?: 'active' | 'paused'
}

export type TemplatesUpdateResult = Template

export type TemplatesDeleteResult = {
  readonly deleted: true
}

export type TemplatesHtmlParams = {
  /** Values of the {{tokens}} as a JSON object. */
  readonly variables?: string | null
}

export type TemplatesPreviewParams = {
  /** Values of the {{tokens}} of the template. */
  readonly variables?: { readonly [name: string]: string }
}

export type TemplatesPreviewResult = {
  readonly subject: string
  readonly html?: string
  readonly text?: string
  /** Variables that were not passed; they are empty here. */
  readonly missing: readonly string[]
}

export type SuppressionsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type SuppressionsListResult = {
  readonly suppressions: readonly Suppression[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type SuppressionsGetResult = Suppression

export type SuppressionsAddParams = {
  /** The suppressed address. */
  readonly email: string
}

export type SuppressionsAddResult = Suppression

export type SuppressionsRemoveResult = {
  readonly deleted: true
}

export type DeliveriesStatusParams = {
  /** Id of the copy in Sent (msg_...). */
  readonly message_id?: string | null
  /** Id of the send (em_...). */
  readonly id?: string | null
}

export type DeliveriesStatusResult = DeliveryReport

export type DeliveriesListParams = {
  /** Only deliveries in this state. */
  readonly state?: 'waiting' | 'delivered' | 'failed' | 'skipped' | null
  /** Only deliveries of this event type. */
  readonly type?: 'message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'intake.message' | null
  /** Only deliveries of this event (evt_...). */
  readonly event?: string | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type DeliveriesListResult = {
  readonly deliveries: readonly Delivery[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DeliveriesGetResult = Delivery

export type DeliveriesResendResult = Delivery

export type DomainsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type DomainsListResult = {
  readonly domains: readonly Domain[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DomainsCreateParams = {
  /** The name of the domain, such as example.org. */
  readonly domain: string
}

export type DomainsCreateResult = Domain

export type DomainsGetResult = Domain

export type DomainsVerifyResult = Domain

export type DomainsUpdateParams = {
  /** null removes it. */
  readonly defaultDisplayName: string | null
}

export type DomainsUpdateResult = Domain

export type DomainsDeleteResult = {
  readonly deleted: true
}

export type DomainsReportsParams = {
  /** Reports that begin at this time or later. Default: 30 days before "until". */
  readonly since?: string | Date | null
  /** Reports that begin before this time. Default: the end of today. */
  readonly until?: string | Date | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type DomainsReportsResult = DomainReports

export type DnsListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type DnsListResult = {
  readonly records: readonly DnsRecord[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type DnsCreateParams = {
  /** Type of the record. */
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'SRV' | 'CAA' | 'NS'
  /** Name within the domain, or the full name: www, *.shop, _sip._tcp; @ is the domain itself. */
  readonly name: string
  /** MX: a host; SRV: weight, port and host; CAA: flags, tag and a text in quotes; TXT: the text, without quotes. */
  readonly value: string
  /** Seconds that resolvers may cache it. */
  readonly ttl?: number
  readonly priority?: number | null
  /** Make the change even if mail of the domain may be affected or stop. */
  readonly force?: boolean
}

export type DnsCreateResult = DnsRecord

export type DnsUpdateParams = {
  /** Name within the domain, or the full name: www, *.shop, _sip._tcp; @ is the domain itself. */
  readonly name?: string
  /** MX: a host; SRV: weight, port and host; CAA: flags, tag and a text in quotes; TXT: the text, without quotes. */
  readonly value?: string
  /** Seconds that resolvers may cache it. */
  readonly ttl?: number
  readonly priority?: number | null
  /** Make the change even if mail of the domain may be affected or stop. */
  readonly force?: boolean
}

export type DnsUpdateResult = DnsRecord

export type DnsDeleteParams = {
  /** Make the change even if mail of the domain may be affected or stop. */
  readonly force?: boolean | null
}

export type DnsDeleteResult = {
  readonly deleted: true
}

export type AliasesListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type AliasesListResult = {
  readonly aliases: readonly Alias[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type AliasesCreateParams = {
  /** An address, or *@domain for every address that has no mailbox or alias. */
  readonly alias: string
  /** Addresses of the mailboxes that receive the mail. */
  readonly targets: readonly string[]
}

export type AliasesCreateResult = Alias

export type AliasesDeleteResult = {
  readonly deleted: true
}

export type IntakeListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type IntakeListResult = {
  readonly intakes: readonly Intake[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type IntakeCreateParams = {
  /** The mailbox to watch. */
  readonly mailbox: string
  /** Create the mailbox if it does not exist. */
  readonly create?: boolean
  /** Where the records go. */
  readonly delivery?: IntakeDeliveryInput
  /** What Lens reads in each mail. Omitted fields stay unchanged. */
  readonly lens?: IntakeLensInput
  /** Days after which a record and the copy of its mail are deleted. The mail stays in the mailbox. */
  readonly retention?: 7 | 30 | 90 | 'forever'
}

export type IntakeCreateResult = NewIntake

export type IntakeTemplatesResult = {
  readonly templates: readonly {
    readonly name: string
    readonly fields: readonly LensField[]
  }[]
}

export type IntakeGetResult = Intake

export type IntakeUpdateParams = {
  /** Where the records go. */
  readonly delivery?: IntakeDeliveryInput
  /** What Lens reads in each mail. Omitted fields stay unchanged. */
  readonly lens?: IntakeLensInput
  /** Days after which a record and the copy of its mail are deleted. The mail stays in the mailbox. */
  readonly retention?: 7 | 30 | 90 | 'forever'
}

export type IntakeUpdateResult = NewIntake

export type IntakeDeleteResult = {
  readonly deleted: true
}

export type IntakeTestResult = {
  /** Id of the send (em_...). */
  readonly id: string
  readonly mailbox: string
}

export type IntakeLensTestParams = {
  /** Subject of the sample. */
  readonly subject?: string
  /** Its body as text. */
  readonly text?: string
  /** Its body as HTML, instead of text. */
  readonly html?: string
  /** Date of the sample; default: now. */
  readonly date?: string | Date
  /** A mail of the mailbox (msg_...) to read with its files, instead of a sample. */
  readonly messageId?: string
  /** Keys are unique. */
  readonly fields?: readonly LensField[]
  /** Whether values are also read from quoted history; default false. */
  readonly quoted?: boolean
}

export type IntakeLensTestResult = {
  /** Values under the keys of the fields; null for values that the mail does not state. */
  readonly lens: { readonly [name: string]: string | number | boolean | readonly string[] | null }
  /** Where each value was found, under the same keys. */
  readonly lens_evidence: { readonly [name: string]: LensEvidence | null }
  readonly lens_engine: 'rules' | 'model'
}

export type IntakeLensBackfillResult = {
  /** How many records Lens will read. */
  readonly count: number
}

export type IntakeMessagesListParams = {
  /** Only of this mailbox. */
  readonly mailbox?: string | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type IntakeMessagesListResult = {
  readonly messages: readonly IntakeSummary[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type IntakeMessagesGetResult = IntakeMessage

export type IntakeMessagesRevokeLinksResult = IntakeMessage

export type IntakeMessagesDeleteResult = {
  readonly deleted: true
}

export type EventsListParams = {
  /** Event types, separated by commas. */
  readonly type?: string | null
  /** Address of the mailbox. */
  readonly mailbox?: string | null
  /** From this time on. */
  readonly since?: string | Date | null
  /** Before this time. */
  readonly until?: string | Date | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
  /** Cursor of an event or of an earlier answer: lists newer events, oldest first. */
  readonly after?: string | null
  /** Seconds to wait while there is nothing after the cursor. Without a cursor, waits for events from now on. */
  readonly wait?: number | null
}

export type EventsListResult = {
  readonly events: readonly EventEnvelope[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
  /** Pass as "after" to continue after this answer, even if it has no events. */
  readonly cursor: string
}

export type EventsGetResult = EventEnvelope

export type EventsStreamParams = {
  /** Event types, separated by commas. */
  readonly type?: string | null
  /** Address of the mailbox. */
  readonly mailbox?: string | null
  /** From this time on. */
  readonly since?: string | Date | null
  /** Before this time. */
  readonly until?: string | Date | null
  /** As in the list. Last-Event-ID, which clients send on their own, takes precedence. */
  readonly after?: string | null
}

export type TestInboundParams = {
  /** Address of the mailbox. */
  readonly mailbox: string
  /** The whole message, instead of its parts. */
  readonly raw?: string
  /** The author: an address, or {name, address}. */
  readonly from?: AddressInput
  /** One address or several, as text or as {name, address}. */
  readonly to?: AddressesInput
  /** One line. */
  readonly subject?: string
  /** The body as plain text. */
  readonly text?: string
  /** The body as HTML, with text or alone. */
  readonly html?: string
  /** Additional header fields. */
  readonly headers?: { readonly [name: string]: string }
  /** Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB. */
  readonly attachments?: AttachmentsInput
  /** Verdicts about the sender. */
  readonly verdicts?: {
    /** Default: pass. */
    readonly spf?: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
    /** Default: pass. */
    readonly dkim?: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
    /** Default: pass if SPF or DKIM passes, else fail. */
    readonly dmarc?: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
    /** Default: none. */
    readonly arc?: 'pass' | 'fail' | 'softfail' | 'neutral' | 'policy' | 'none' | 'temperror' | 'permerror'
    /** What the author's domain requests if DMARC fails. */
    readonly policy?: 'none' | 'quarantine' | 'reject'
    /** Whether a filter classifies it as spam. */
    readonly spam?: boolean
  }
}

export type TestInboundResult = {
  /** Id of the message (msg_...). */
  readonly message_id: string
}

export type TestClockParams = {
  /** Seconds to advance, at most 400 days. */
  readonly advance?: number
  /** The time to advance to. */
  readonly now?: string | Date
}

export type TestClockResult = {
  /** The time of the sandbox. */
  readonly now: string
}

export type WebhooksListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type WebhooksListResult = {
  readonly webhooks: readonly Webhook[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type WebhooksCreateParams = {
  /** Where to post, by https at a public address. */
  readonly url: string
  /** Event types to deliver. */
  readonly events: readonly ('message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'intake.message')[]
  /** Only events about these: {domains, mailboxes}. Empty lists: all events. */
  readonly scope?: {
    readonly domains?: readonly string[]
    readonly mailboxes?: readonly string[]
  }
  /** Whether events are posted. Default for a new endpoint: true. */
  readonly enabled?: boolean
  /** "mailbox" keeps the order of events within a mailbox. Default for a new endpoint: "none". */
  readonly ordering?: 'none' | 'mailbox'
  readonly description?: string | null
}

export type WebhooksCreateResult = NewWebhook

export type WebhooksGetResult = Webhook

export type WebhooksUpdateParams = {
  /** Where to post, by https at a public address. */
  readonly url?: string
  /** Event types to deliver. */
  readonly events?: readonly ('message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'intake.message')[]
  /** Only events about these: {domains, mailboxes}. Empty lists: all events. */
  readonly scope?: {
    readonly domains?: readonly string[]
    readonly mailboxes?: readonly string[]
  }
  /** Whether events are posted. Default for a new endpoint: true. */
  readonly enabled?: boolean
  /** "mailbox" keeps the order of events within a mailbox. Default for a new endpoint: "none". */
  readonly ordering?: 'none' | 'mailbox'
  readonly description?: string | null
}

export type WebhooksUpdateResult = Webhook

export type WebhooksRotateSecretResult = NewWebhook

export type WebhooksTestParams = {
  /** The event type of the sample. */
  readonly type: 'message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'intake.message'
}

export type WebhooksTestResult = Delivery

export type WebhooksRedeliverParams = {
  /** From this time on; events are kept for 30 days. */
  readonly since: string | Date
  /** Before this time; default: now. */
  readonly until?: string | Date
  /** Only these of the types that the endpoint receives. */
  readonly types?: readonly ('message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'intake.message')[]
}

export type WebhooksRedeliverResult = {
  /** How many events will be delivered. */
  readonly count: number
}

export type WebhooksDeleteResult = {
  readonly deleted: true
}

export type WebhooksAttemptsParams = {
  /** Period of one count: hour (the last 48) or day (the last 30). */
  readonly by?: 'hour' | 'day' | null
}

export type WebhooksAttemptsResult = {
  readonly by: 'hour' | 'day'
  /** The last 48 hours or 30 days, the oldest first. */
  readonly attempts: readonly ({
    /** The beginning of the hour or day (UTC). */
    readonly from: string
    readonly delivered: number
    readonly failed: number
    readonly averageMs: number | null
  })[]
}

export type PartnerCustomersListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type PartnerCustomersListResult = {
  readonly customers: readonly Customer[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type PartnerCustomersCreateParams = {
  /** What the customer is called. */
  readonly name: string
  readonly email?: string | null
  /** The mail plan; null: none. */
  readonly plan?: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  /** The Agents plan; null: none. */
  readonly agentsPlan?: 'free' | 'developer' | 'scale' | null
}

export type PartnerCustomersCreateResult = Customer

export type PartnerCustomersGetResult = Customer

export type PartnerCustomersUpdateParams = {
  /** The mail plan; null: none. */
  readonly plan?: 'trial' | 'starter' | 'growth' | 'pro' | 'business' | null
  /** The Agents plan; null: none. */
  readonly agentsPlan?: 'free' | 'developer' | 'scale' | null
}

export type PartnerCustomersUpdateResult = Customer

export type PartnerCustomersDeleteResult = {
  readonly deleted: true
}

export type PartnerCustomersPauseParams = {
  /** Kept for the operator of the service. */
  readonly reason?: string
}

export type PartnerCustomersPauseResult = Customer

export type PartnerCustomersResumeResult = Customer

export type PartnerCustomersUsageResult = Usage

export type PartnerCustomersKeysListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type PartnerCustomersKeysListResult = {
  readonly keys: readonly Key[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type PartnerCustomersKeysCreateParams = {
  /** What the key is for. */
  readonly name: string
  /** account: reaches the whole account; agent: only mailboxes that it creates or is granted. */
  readonly kind?: 'account' | 'agent'
  /** What the key may do. Scopes cannot be added later. */
  readonly scopes: readonly ('mail:read' | 'mail:send' | 'mail:write' | 'mailboxes:read' | 'mailboxes:write' | 'dns:read' | 'dns:write' | 'domains:read' | 'domains:write' | 'aliases:read' | 'aliases:write' | 'drive:read')[]
  /** Addresses that an agent key is granted. */
  readonly mailboxes?: readonly string[]
  readonly expiresAt?: string | Date | null
  /** required: sends by an agent key wait until a person approves them. */
  readonly approval?: 'none' | 'required'
}

export type PartnerCustomersKeysCreateResult = NewKey

export type PartnerCustomersKeysRevokeResult = {
  readonly deleted: true
}

export type PartnerWebhooksListParams = {
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type PartnerWebhooksListResult = {
  readonly webhooks: readonly Webhook[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type PartnerWebhooksCreateParams = {
  /** Where to post, by https at a public address. */
  readonly url: string
  /** Event types to deliver, for every customer. */
  readonly events: readonly ('message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'customer.created' | 'customer.plan_changed' | 'customer.paused' | 'customer.resumed')[]
  /** Whether events are posted. Default for a new endpoint: true. */
  readonly enabled?: boolean
  /** "mailbox" keeps the order of events within a mailbox. Default for a new endpoint: "none". */
  readonly ordering?: 'none' | 'mailbox'
  readonly description?: string | null
}

export type PartnerWebhooksCreateResult = NewWebhook

export type PartnerWebhooksGetResult = Webhook

export type PartnerWebhooksUpdateParams = {
  /** Where to post, by https at a public address. */
  readonly url?: string
  /** Event types to deliver, for every customer. */
  readonly events?: readonly ('message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'customer.created' | 'customer.plan_changed' | 'customer.paused' | 'customer.resumed')[]
  /** Whether events are posted. Default for a new endpoint: true. */
  readonly enabled?: boolean
  /** "mailbox" keeps the order of events within a mailbox. Default for a new endpoint: "none". */
  readonly ordering?: 'none' | 'mailbox'
  readonly description?: string | null
}

export type PartnerWebhooksUpdateResult = Webhook

export type PartnerWebhooksRotateSecretResult = NewWebhook

export type PartnerWebhooksTestParams = {
  /** The event type of the sample. */
  readonly type: 'message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'customer.created' | 'customer.plan_changed' | 'customer.paused' | 'customer.resumed'
}

export type PartnerWebhooksTestResult = Delivery

export type PartnerWebhooksDeliveriesParams = {
  /** Only deliveries in this state. */
  readonly state?: 'waiting' | 'delivered' | 'failed' | 'skipped' | null
  /** Only deliveries of this event type. */
  readonly type?: 'message.received' | 'message.sent' | 'email.delivered' | 'email.bounced' | 'email.complained' | 'mailbox.created' | 'mailbox.deleted' | 'account.sending_paused' | 'account.sending_resumed' | 'account.storage_warning' | 'domain.verified' | 'domain.dns_broken' | 'domain.expiring' | 'customer.created' | 'customer.plan_changed' | 'customer.paused' | 'customer.resumed' | null
  /** Only deliveries of this event (evt_...). */
  readonly event?: string | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
}

export type PartnerWebhooksDeliveriesResult = {
  readonly deliveries: readonly Delivery[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
}

export type PartnerWebhooksDeleteResult = {
  readonly deleted: true
}

export type PartnerEventsListParams = {
  /** Id of the customer (cus_...). */
  readonly customer_id?: string | null
  /** Event types, separated by commas. */
  readonly type?: string | null
  /** Address of the mailbox. */
  readonly mailbox?: string | null
  /** From this time on. */
  readonly since?: string | Date | null
  /** Before this time. */
  readonly until?: string | Date | null
  /** At most 200. */
  readonly limit?: number | null
  /** next of a page. */
  readonly before?: string | null
  /** Cursor of an event or of an earlier answer: lists newer events, oldest first. */
  readonly after?: string | null
  /** Seconds to wait while there is nothing after the cursor. Without a cursor, waits for events from now on. */
  readonly wait?: number | null
}

export type PartnerEventsListResult = {
  readonly events: readonly EventEnvelope[]
  /** Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`. */
  readonly next: string | null
  /** Pass as "after" to continue after this answer, even if it has no events. */
  readonly cursor: string
}

export type PartnerEventsGetResult = EventEnvelope
