# Written by `npm run generate` from operations/ and schemas/: change those.
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Error = TypedDict('Error', {
    'success': Literal[False],
    'error': str,
    'code': str,
    'fix': str,
    'docs': str,
    'statusCode': int,
    'param': NotRequired[str],
    'requiredScope': NotRequired[str],
    'retryAfter': NotRequired[int],
    'missing': NotRequired[list[str]],
})

Address = TypedDict('Address', {
    'name': str,
    'address': str,
})

AttachmentSummary = TypedDict('AttachmentSummary', {
    'id': str,
    'name': str,
    'content_type': str,
    'size': int,
    'inline': bool,
    'content_id': "str | None",
})

MessageSummary = TypedDict('MessageSummary', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
})

FullMessage = TypedDict('FullMessage', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'bcc': list["Address"],
    'reply_to': list["Address"],
    'in_reply_to': "str | None",
    'references': list[str],
    'text': NotRequired[str],
    'markdown': NotRequired[str],
    'reply': NotRequired[str],
    'html': NotRequired["str | None"],
    'headers': NotRequired[list[list[str]]],
    'trust': "Trust | None",
    'verification': "Verification | None",
    'hidden': NotRequired[list["Hidden"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

SendResultApproval = TypedDict('SendResultApproval', {
    'id': str,
    'hash': str,
    'draft_id': "str | None",
    'expiresAt': str,
})

SendResultRecipientsItem = TypedDict('SendResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

SendResult = TypedDict('SendResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'status': Literal['queued', 'scheduled', 'waiting_for_approval'],
    'sendAt': NotRequired[str],
    'approval': NotRequired["SendResultApproval"],
    'recipients': list["SendResultRecipientsItem"],
    'suppressed': list[str],
})

MailboxAutoReply = TypedDict('MailboxAutoReply', {
    'enabled': bool,
    'subject': str,
    'text': str,
    'until': NotRequired["str | None"],
})

MailboxStorage = TypedDict('MailboxStorage', {
    'used': int,
    'limit': int,
})

Mailbox = TypedDict('Mailbox', {
    'address': str,
    'displayName': "str | None",
    'kind': Literal['agent', 'person'],
    'domain': str,
    'createdAt': str,
    'createdBy': "str | None",
    'signature': "str | None",
    'autoReply': "MailboxAutoReply | None",
    'storage': "MailboxStorage",
    'hint': NotRequired[str],
})

SignupResult = TypedDict('SignupResult', {
    'address': str,
    'api_key': str,
    'claim_url': str,
    'expires_at': str,
    'base_url': str,
    'mcp_url': str,
})

ClaimLink = TypedDict('ClaimLink', {
    'claim_url': str,
    'expires_at': str,
})

Account = TypedDict('Account', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
})

UsagePeriod = TypedDict('UsagePeriod', {
    'from': str,
    'to': str,
})

UsageSends = TypedDict('UsageSends', {
    'used': int,
    'limit': int,
    'remaining': int,
})

UsageEmails = TypedDict('UsageEmails', {
    'sent': int,
    'received': int,
    'limit': "int | None",
    'grace': "int | None",
})

UsageInboxes = TypedDict('UsageInboxes', {
    'used': int,
    'limit': int,
})

UsageStorage = TypedDict('UsageStorage', {
    'used': int,
    'limit': int,
})

UsageBatch = TypedDict('UsageBatch', {
    'recipientsPerCall': int,
    'recipientsPerMinute': int,
})

UsageWebhooks = TypedDict('UsageWebhooks', {
    'used': int,
    'limit': int,
})

UsageMarketing = TypedDict('UsageMarketing', {
    'limit': int,
})

UsageLens = TypedDict('UsageLens', {
    'used': int,
    'limit': int,
    'extra': int,
})

Usage = TypedDict('Usage', {
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'period': "UsagePeriod",
    'sends': "UsageSends",
    'emails': "UsageEmails",
    'inboxes': "UsageInboxes",
    'storage': "UsageStorage",
    'requestsPerMinute': int,
    'batch': "UsageBatch",
    'webhooks': "UsageWebhooks",
    'marketing': "UsageMarketing",
    'lens': "UsageLens",
    'eventsDropped': int,
})

WebhookScope = TypedDict('WebhookScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

WebhookTurnedOff = TypedDict('WebhookTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

Webhook = TypedDict('Webhook', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "WebhookScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "WebhookTurnedOff | None",
    'previousSecretUntil': "str | None",
})

NewWebhookScope = TypedDict('NewWebhookScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

NewWebhookTurnedOff = TypedDict('NewWebhookTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

NewWebhook = TypedDict('NewWebhook', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "NewWebhookScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "NewWebhookTurnedOff | None",
    'previousSecretUntil': "str | None",
    'secret': str,
})

EventEnvelope = TypedDict('EventEnvelope', {
    'id': str,
    'type': str,
    'created_at': str,
    'cursor': NotRequired[str],
    'test': NotRequired[bool],
    'sandbox': NotRequired[bool],
    'customer_id': NotRequired[str],
    'data': dict[str, Any],
})

Customer = TypedDict('Customer', {
    'id': str,
    'name': str,
    'email': "str | None",
    'plan': Literal['trial', 'starter', 'growth', 'pro', 'business', None],
    'agentsPlan': Literal['free', 'developer', 'scale', None],
    'status': Literal['active', 'paused', 'suspended'],
    'sandbox': bool,
    'createdAt': str,
})

AccountDetailsSuspended = TypedDict('AccountDetailsSuspended', {
    'reason': str,
    'at': str,
})

AccountDetailsSendingPaused = TypedDict('AccountDetailsSendingPaused', {
    'reason': str,
    'at': str,
})

AccountDetailsPeopleItem = TypedDict('AccountDetailsPeopleItem', {
    'email': str,
    'role': str,
    'status': Literal['active', 'invited'],
})

AccountDetailsUsage = TypedDict('AccountDetailsUsage', {
    'sent': int,
    'received': int,
    'inboxes': int,
    'webhooks': int,
    'storage': int,
})

AccountDetails = TypedDict('AccountDetails', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
    'suspended': "AccountDetailsSuspended | None",
    'sendingPaused': "AccountDetailsSendingPaused | None",
    'raised': dict[str, int],
    'people': list["AccountDetailsPeopleItem"],
    'usage': "AccountDetailsUsage",
    'days': list["DayUsage"],
})

AccountExportProgress = TypedDict('AccountExportProgress', {
    'written': int,
    'total': int,
})

AccountExport = TypedDict('AccountExport', {
    'id': str,
    'state': Literal['waiting', 'running', 'done', 'failed'],
    'progress': "AccountExportProgress",
    'createdAt': str,
    'url': "str | None",
    'size': "int | None",
    'expiresAt': "str | None",
})

AccountRequest = TypedDict('AccountRequest', {
    'id': str,
    'kind': Literal['limit', 'phone'],
    'text': str,
    'phone': "str | None",
    'status': Literal['open', 'granted', 'refused'],
    'answer': "str | None",
    'createdAt': str,
    'answeredAt': "str | None",
})

AdministeredAccountSuspended = TypedDict('AdministeredAccountSuspended', {
    'reason': str,
    'at': str,
})

AdministeredAccountSendingPaused = TypedDict('AdministeredAccountSendingPaused', {
    'reason': str,
    'at': str,
})

AdministeredAccount = TypedDict('AdministeredAccount', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
    'suspended': "AdministeredAccountSuspended | None",
    'sendingPaused': "AdministeredAccountSendingPaused | None",
    'raised': dict[str, int],
})

Alias = TypedDict('Alias', {
    'alias': str,
    'targets': list[str],
    'createdAt': str,
})

AppPassword = TypedDict('AppPassword', {
    'id': str,
    'name': str,
    'createdAt': str,
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
})

Approval = TypedDict('Approval', {
    'id': str,
    'email_id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'hash': str,
    'mailbox': "str | None",
    'draft_id': "str | None",
    'keyId': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'recipients': list[str],
    'subject': "str | None",
    'sendAt': "str | None",
    'createdAt': str,
    'expiresAt': str,
    'decidedAt': "str | None",
    'decidedBy': "str | None",
    'reason': "str | None",
})

ApprovalState = TypedDict('ApprovalState', {
    'id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'reason': "str | None",
})

AuditEntryWho = TypedDict('AuditEntryWho', {
    'kind': Literal['key', 'program', 'person', 'partner', 'administrator', 'service'],
    'id': "str | None",
    'name': "str | None",
})

AuditEntryChange = TypedDict('AuditEntryChange', {
    'before': "dict[str, Any] | None",
    'after': "dict[str, Any] | None",
})

AuditEntry = TypedDict('AuditEntry', {
    'id': str,
    'at': str,
    'who': "AuditEntryWho",
    'action': str,
    'target': "str | None",
    'outcome': str,
    'address': "str | None",
    'change': NotRequired["AuditEntryChange"],
    'requestId': str,
})

BatchResultRecipientsItem = TypedDict('BatchResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

BatchResultMissingFieldsItem = TypedDict('BatchResultMissingFieldsItem', {
    'email': str,
    'fields': list[str],
})

BatchResult = TypedDict('BatchResult', {
    'id': str,
    'recipients': list["BatchResultRecipientsItem"],
    'missingFields': list["BatchResultMissingFieldsItem"],
    'replayed': bool,
})

BatchStatusRecipientsItem = TypedDict('BatchStatusRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'reason': "str | None",
    'email_id': "str | None",
})

BatchStatus = TypedDict('BatchStatus', {
    'id': str,
    'recipients': list["BatchStatusRecipientsItem"],
})

BatchSummary = TypedDict('BatchSummary', {
    'id': str,
    'mailbox': str,
    'subject': str,
    'createdAt': str,
    'handled': int,
    'total': int,
    'ended': bool,
})

Contact = TypedDict('Contact', {
    'name': str,
    'address': str,
    'last_seen_at': str,
    'sent': int,
    'received': int,
})

DailyUsage = TypedDict('DailyUsage', {
    'days': list["DayUsage"],
})

DayUsage = TypedDict('DayUsage', {
    'day': str,
    'sent': int,
    'received': int,
    'delivered': int,
    'bounced': int,
    'complained': int,
    'bytes': int,
})

DeliveryAttemptsItem = TypedDict('DeliveryAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

Delivery = TypedDict('Delivery', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["DeliveryAttemptsItem"],
})

DeliveryReport = TypedDict('DeliveryReport', {
    'id': str,
    'message_id': "str | None",
    'mailbox': "str | None",
    'subject': "str | None",
    'status': Literal['scheduled', 'queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'recipients': list["RecipientStatus"],
})

DestinationAnswersItem = TypedDict('DestinationAnswersItem', {
    'at': str,
    'answer': str,
})

Destination = TypedDict('Destination', {
    'domain': str,
    'waiting': int,
    'attempted': int,
    'oldestAt': str,
    'nextAt': str,
    'answers': list["DestinationAnswersItem"],
})

DnsRecord = TypedDict('DnsRecord', {
    'id': str,
    'type': Literal['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'],
    'name': str,
    'value': str,
    'ttl': int,
    'priority': "int | None",
    'mailCritical': bool,
    'managed': bool,
})

Domain = TypedDict('Domain', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainDnsRecord"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainDnsRecord = TypedDict('DomainDnsRecord', {
    'type': str,
    'name': str,
    'value': str,
    'found': list[str],
    'ok': bool,
    'mailCritical': bool,
    'required': NotRequired[bool],
    'fix': NotRequired["str | None"],
})

DomainReportsDelivery = TypedDict('DomainReportsDelivery', {
    'sent': int,
    'delivered': int,
    'bounced': int,
    'complained': int,
})

DomainReportsDmarcDispositions = TypedDict('DomainReportsDmarcDispositions', {
    'none': int,
    'quarantine': int,
    'reject': int,
})

DomainReportsDmarcReportersItem = TypedDict('DomainReportsDmarcReportersItem', {
    'organisation': str,
    'domain': str,
    'reports': int,
})

DomainReportsDmarcDaysItem = TypedDict('DomainReportsDmarcDaysItem', {
    'day': str,
    'messages': int,
    'passed': int,
})

DomainReportsDmarc = TypedDict('DomainReportsDmarc', {
    'reports': int,
    'messages': int,
    'passed': int,
    'passRate': "float | None",
    'spfAligned': int,
    'dkimAligned': int,
    'dispositions': "DomainReportsDmarcDispositions",
    'omitted': int,
    'reporters': list["DomainReportsDmarcReportersItem"],
    'days': list["DomainReportsDmarcDaysItem"],
})

DomainReportsTlsFailuresItem = TypedDict('DomainReportsTlsFailuresItem', {
    'type': str,
    'policy': str,
    'mx': "str | None",
    'sessions': int,
    'details': list[str],
    'explanation': str,
    'fix': "str | None",
})

DomainReportsTlsReportersItem = TypedDict('DomainReportsTlsReportersItem', {
    'organisation': str,
    'domain': str,
    'reports': int,
})

DomainReportsTls = TypedDict('DomainReportsTls', {
    'reports': int,
    'successful': int,
    'failed': int,
    'failures': list["DomainReportsTlsFailuresItem"],
    'reporters': list["DomainReportsTlsReportersItem"],
})

DomainReports = TypedDict('DomainReports', {
    'domain': str,
    'since': str,
    'until': str,
    'complete': bool,
    'delivery': "DomainReportsDelivery",
    'dmarc': "DomainReportsDmarc",
    'tls': "DomainReportsTls",
    'sources': list["ReportSource"],
    'next': "str | None",
})

DriveEntry = TypedDict('DriveEntry', {
    'id': str,
    'name': str,
    'kind': Literal['file', 'folder'],
    'parentId': "str | None",
    'size': int,
    'contentType': "str | None",
    'createdAt': str,
    'modifiedAt': str,
})

DryRunRecipientsItem = TypedDict('DryRunRecipientsItem', {
    'email': str,
    'decision': Literal['send', 'suppressed', 'blocked_by_list', 'claim_required', 'over_limit', 'waits_for_approval'],
    'reason': "str | None",
})

DryRun = TypedDict('DryRun', {
    'dryRun': Literal[True],
    'size': int,
    'headers': list[list[str]],
    'recipients': list["DryRunRecipientsItem"],
})

Email = TypedDict('Email', {
    'id': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'mailbox': "str | None",
    'message_id': "str | None",
    'tags': list[str],
    'sendAt': NotRequired[str],
    'approval': NotRequired["ApprovalState"],
    'createdAt': str,
    'recipients': list["RecipientStatus"],
})

Folder = TypedDict('Folder', {
    'path': str,
    'role': "Literal['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] | None",
    'total': int,
    'unread': int,
})

FoundMessageHighlightsItemMarksItem = TypedDict('FoundMessageHighlightsItemMarksItem', {
    'start': int,
    'end': int,
})

FoundMessageHighlightsItem = TypedDict('FoundMessageHighlightsItem', {
    'field': Literal['subject', 'from', 'to', 'cc', 'filename', 'body'],
    'text': str,
    'marks': list["FoundMessageHighlightsItemMarksItem"],
})

FoundMessage = TypedDict('FoundMessage', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'highlights': list["FoundMessageHighlightsItem"],
})

Grant = TypedDict('Grant', {
    'id': str,
    'name': str,
    'clientId': str,
    'redirectsTo': str,
    'person': "Person | None",
    'scopes': list[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
    'mailboxes': "list[str] | None",
    'createdAt': str,
    'endsAt': str,
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
})

Hidden = TypedDict('Hidden', {
    'kind': str,
    'excerpt': str,
})

IntakeDelivery = TypedDict('IntakeDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeLens = TypedDict('IntakeLens', {
    'enabled': bool,
    'fields': list["LensField"],
    'quoted': bool,
})

Intake = TypedDict('Intake', {
    'mailbox': str,
    'active': bool,
    'delivery': "IntakeDelivery",
    'lens': "IntakeLens",
    'retention': Literal[7, 30, 90, 'forever'],
    'createdAt': str,
})

IntakeMessageAttachmentsItem = TypedDict('IntakeMessageAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
    'url': str,
    'expires_at': str,
    'text': "str | None",
    'hidden': list["Hidden"],
})

IntakeMessage = TypedDict('IntakeMessage', {
    'intake_id': str,
    'mailbox': str,
    'message_id': str,
    'thread_id': str,
    'from': "Address",
    'to': list["Address"],
    'cc': list["Address"],
    'reply_to': "Address | None",
    'subject': str,
    'received_at': str,
    'reply': str,
    'headers': dict[str, "str | None"],
    'lens': "dict[str, str | float | bool | list[str] | None] | None",
    'lens_evidence': "dict[str, LensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "Trust | None",
    'spam': bool,
    'test': bool,
    'text': str,
    'html': str,
    'attachments': list["IntakeMessageAttachmentsItem"],
})

IntakeSummaryAttachmentsItem = TypedDict('IntakeSummaryAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

IntakeSummary = TypedDict('IntakeSummary', {
    'intake_id': str,
    'mailbox': str,
    'message_id': str,
    'thread_id': str,
    'from': "Address",
    'to': list["Address"],
    'cc': list["Address"],
    'reply_to': "Address | None",
    'subject': str,
    'received_at': str,
    'reply': str,
    'headers': dict[str, "str | None"],
    'lens': "dict[str, str | float | bool | list[str] | None] | None",
    'lens_evidence': "dict[str, LensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "Trust | None",
    'spam': bool,
    'test': bool,
    'attachments': list["IntakeSummaryAttachmentsItem"],
})

Key = TypedDict('Key', {
    'id': str,
    'name': str,
    'kind': Literal['account', 'agent'],
    'scopes': list[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
    'mailboxes': "list[str] | None",
    'approval': Literal['none', 'required'],
    'heldBy': NotRequired[Literal['partner']],
    'createdAt': str,
    'expiresAt': "str | None",
    'revokedAt': "str | None",
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
})

LensEvidenceItemsItem = TypedDict('LensEvidenceItemsItem', {
    'start': int,
    'end': int,
})

LensEvidence = TypedDict('LensEvidence', {
    'source': str,
    'start': int,
    'end': int,
    'items': NotRequired[list["LensEvidenceItemsItem"]],
})

LensField = TypedDict('LensField', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

MailboxLists = TypedDict('MailboxLists', {
    'sendAllow': list[str],
    'sendBlock': list[str],
    'receiveAllow': list[str],
    'receiveBlock': list[str],
})

Member = TypedDict('Member', {
    'id': str,
    'email': str,
    'name': "str | None",
    'role': Literal['owner', 'member', 'reader'],
    'status': Literal['active', 'invited'],
    'since': str,
})

MessageEventAttachmentsItem = TypedDict('MessageEventAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

MessageEvent = TypedDict('MessageEvent', {
    'mailbox': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'folder': "str | None",
    'from': "Address | None",
    'to': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'attachments': list["MessageEventAttachmentsItem"],
})

MessageReceivedAttachmentsItem = TypedDict('MessageReceivedAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

MessageReceived = TypedDict('MessageReceived', {
    'mailbox': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'folder': "str | None",
    'from': "Address | None",
    'to': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'attachments': list["MessageReceivedAttachmentsItem"],
    'trust': "Trust | None",
    'verification': "Verification | None",
})

NewIntakeDelivery = TypedDict('NewIntakeDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

NewIntakeLens = TypedDict('NewIntakeLens', {
    'enabled': bool,
    'fields': list["LensField"],
    'quoted': bool,
})

NewIntake = TypedDict('NewIntake', {
    'mailbox': str,
    'active': bool,
    'delivery': "NewIntakeDelivery",
    'lens': "NewIntakeLens",
    'retention': Literal[7, 30, 90, 'forever'],
    'createdAt': str,
    'secret': NotRequired[str],
})

NewKey = TypedDict('NewKey', {
    'id': str,
    'name': str,
    'kind': Literal['account', 'agent'],
    'scopes': list[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
    'mailboxes': "list[str] | None",
    'approval': Literal['none', 'required'],
    'heldBy': NotRequired[Literal['partner']],
    'createdAt': str,
    'expiresAt': "str | None",
    'revokedAt': "str | None",
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
    'apiKey': str,
})

OpenRequestAccount = TypedDict('OpenRequestAccount', {
    'id': str,
    'name': str,
})

OpenRequest = TypedDict('OpenRequest', {
    'id': str,
    'kind': Literal['limit', 'phone'],
    'text': str,
    'phone': "str | None",
    'status': Literal['open', 'granted', 'refused'],
    'answer': "str | None",
    'createdAt': str,
    'answeredAt': "str | None",
    'account': "OpenRequestAccount",
    'email': "str | None",
})

Passkey = TypedDict('Passkey', {
    'id': str,
    'name': str,
    'createdAt': str,
    'lastUsedAt': "str | None",
})

Person = TypedDict('Person', {
    'id': str,
    'email': str,
    'name': str,
})

ProcessesProcessesItemSamplesItem = TypedDict('ProcessesProcessesItemSamplesItem', {
    'at': str,
    'memory': int,
    'eventLoopMs': float,
    'databaseMs': float,
})

ProcessesProcessesItem = TypedDict('ProcessesProcessesItem', {
    'host': str,
    'process': str,
    'pid': int,
    'startedAt': str,
    'alive': bool,
    'samples': list["ProcessesProcessesItemSamplesItem"],
})

Processes = TypedDict('Processes', {
    'processes': list["ProcessesProcessesItem"],
})

RecipientStatus = TypedDict('RecipientStatus', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'reason': "str | None",
    'at': str,
    'mx': "str | None",
    'response': "str | None",
    'attempts': int,
})

RecoveryCodes = TypedDict('RecoveryCodes', {
    'recoveryCodes': list[str],
})

ReportSourceDispositions = TypedDict('ReportSourceDispositions', {
    'none': int,
    'quarantine': int,
    'reject': int,
})

ReportSourceFindingsItem = TypedDict('ReportSourceFindingsItem', {
    'kind': Literal['passes', 'own_server', 'forwarder', 'provider', 'stranger'],
    'messages': int,
    'explanation': str,
    'fix': "str | None",
})

ReportSource = TypedDict('ReportSource', {
    'source': str,
    'name': "str | None",
    'organisation': "str | None",
    'own': bool,
    'messages': int,
    'passed': int,
    'passRate': "float | None",
    'spfAligned': int,
    'dkimAligned': int,
    'dispositions': "ReportSourceDispositions",
    'firstDay': str,
    'lastDay': str,
    'findings': list["ReportSourceFindingsItem"],
})

Scheduled = TypedDict('Scheduled', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'sendAt': "str | None",
    'status': Literal['scheduled', 'cancelled'],
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'createdAt': str,
})

SecondFactor = TypedDict('SecondFactor', {
    'enabled': bool,
    'confirmedAt': NotRequired[str],
    'recoveryCodesLeft': int,
})

SessionAccount = TypedDict('SessionAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionAccountsItem = TypedDict('SessionAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

Session = TypedDict('Session', {
    'person': "Person",
    'account': "SessionAccount | None",
    'accounts': list["SessionAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SetupStepsItem = TypedDict('SetupStepsItem', {
    'id': Literal['claim', 'name', 'domain', 'dns', 'first_mail', 'webhook'],
    'done': bool,
    'detail': str,
    'fix': "str | None",
})

Setup = TypedDict('Setup', {
    'steps': list["SetupStepsItem"],
})

Suppression = TypedDict('Suppression', {
    'email': str,
    'reason': Literal['bounce', 'complaint', 'unsubscribe', 'manual'],
    'detail': "str | None",
    'mailboxes': "list[str] | None",
    'createdAt': str,
})

Template = TypedDict('Template', {
    'alias': str,
    'subject': str,
    'html': "str | None",
    'text': "str | None",
    'status': Literal['active', 'paused'],
    'variables': list[str],
    'createdAt': str,
    'updatedAt': str,
})

Thread = TypedDict('Thread', {
    'thread_id': str,
    'subject': "str | None",
    'participants': list["Address"],
    'message_count': int,
    'last_message_at': str,
    'labels': list[str],
    'awaiting': Literal['us', 'them', 'none'],
})

ThreadMessage = TypedDict('ThreadMessage', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'text': NotRequired[str],
    'markdown': NotRequired[str],
    'reply': NotRequired[str],
    'truncated': NotRequired[bool],
    'next': NotRequired["str | None"],
})

TrustDkimItem = TypedDict('TrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

Trust = TypedDict('Trust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["TrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

VerificationCodesItem = TypedDict('VerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

VerificationLinksItem = TypedDict('VerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

Verification = TypedDict('Verification', {
    'codes': list["VerificationCodesItem"],
    'links': list["VerificationLinksItem"],
})

WaitedMessage = TypedDict('WaitedMessage', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'trust': "Trust | None",
    'verification': "Verification | None",
})

WholeApprovalContentAttachmentsItem = TypedDict('WholeApprovalContentAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

WholeApprovalContent = TypedDict('WholeApprovalContent', {
    'text': str,
    'html': "str | None",
    'hidden': list["Hidden"],
    'attachments': list["WholeApprovalContentAttachmentsItem"],
    'truncated': bool,
})

WholeApproval = TypedDict('WholeApproval', {
    'id': str,
    'email_id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'hash': str,
    'mailbox': "str | None",
    'draft_id': "str | None",
    'keyId': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'recipients': list[str],
    'subject': "str | None",
    'sendAt': "str | None",
    'createdAt': str,
    'expiresAt': str,
    'decidedAt': "str | None",
    'decidedBy': "str | None",
    'reason': "str | None",
    'content': "WholeApprovalContent | None",
})

WholeThread = TypedDict('WholeThread', {
    'thread_id': str,
    'subject': "str | None",
    'participants': list["Address"],
    'message_count': int,
    'last_message_at': str,
    'labels': list[str],
    'awaiting': Literal['us', 'them', 'none'],
    'messages': list["ThreadMessage"],
    'next': "str | None",
})

AddressObject = TypedDict('AddressObject', {
    'name': NotRequired[str],
    'address': str,
})

AddressInput: TypeAlias = str | AddressObject

AddressesInput: TypeAlias = str | AddressObject | Sequence[AddressInput]

AttachmentsInputFormItem1 = TypedDict('AttachmentsInputFormItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

AttachmentsInputFormItem2 = TypedDict('AttachmentsInputFormItem2', {
    'messageId': str,
    'attachmentId': str,
})

AttachmentsInput: TypeAlias = Sequence[AttachmentsInputFormItem1 | AttachmentsInputFormItem2]

HeadersInput: TypeAlias = dict[str, str]

IntakeDeliveryInput = TypedDict('IntakeDeliveryInput', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired[str],
    'webhookId': NotRequired[str],
})

IntakeLensInput = TypedDict('IntakeLensInput', {
    'enabled': bool,
    'fields': NotRequired[Sequence["LensField"]],
    'quoted': NotRequired[bool],
})

SignupCreateResult = TypedDict('SignupCreateResult', {
    'address': str,
    'api_key': str,
    'claim_url': str,
    'expires_at': str,
    'base_url': str,
    'mcp_url': str,
})

PeopleCreateResult = TypedDict('PeopleCreateResult', {
    'next': Literal['verify', 'sign_in'],
})

PeopleVerifyResult = TypedDict('PeopleVerifyResult', {
    'verified': Literal[True],
    'email': str,
})

PeopleResetResult = TypedDict('PeopleResetResult', {
    'status': Literal['requested', 'changed'],
})

PeopleUpdateResultAccount = TypedDict('PeopleUpdateResultAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

PeopleUpdateResultAccountsItem = TypedDict('PeopleUpdateResultAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

PeopleUpdateResult = TypedDict('PeopleUpdateResult', {
    'person': "Person",
    'account': "PeopleUpdateResultAccount | None",
    'accounts': list["PeopleUpdateResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

PeopleJoinResultAccount = TypedDict('PeopleJoinResultAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

PeopleJoinResultAccountsItem = TypedDict('PeopleJoinResultAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

PeopleJoinResult = TypedDict('PeopleJoinResult', {
    'person': "Person",
    'account': "PeopleJoinResultAccount | None",
    'accounts': list["PeopleJoinResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

PeopleLeaveResult = TypedDict('PeopleLeaveResult', {
    'deleted': Literal[True],
})

PeopleEraseResult = TypedDict('PeopleEraseResult', {
    'deleted': Literal[True],
})

SessionBeginPasskey = TypedDict('SessionBeginPasskey', {
    'attempt': str,
    'credential': dict[str, Any],
})

SessionBeginResultAccount = TypedDict('SessionBeginResultAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionBeginResultAccountsItem = TypedDict('SessionBeginResultAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionBeginResult = TypedDict('SessionBeginResult', {
    'person': "Person",
    'account': "SessionBeginResultAccount | None",
    'accounts': list["SessionBeginResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SessionPasskeyResult = TypedDict('SessionPasskeyResult', {
    'attempt': str,
    'options': dict[str, Any],
})

SessionGetResultAccount = TypedDict('SessionGetResultAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionGetResultAccountsItem = TypedDict('SessionGetResultAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionGetResult = TypedDict('SessionGetResult', {
    'person': "Person",
    'account': "SessionGetResultAccount | None",
    'accounts': list["SessionGetResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SessionSwitchResultAccount = TypedDict('SessionSwitchResultAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionSwitchResultAccountsItem = TypedDict('SessionSwitchResultAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

SessionSwitchResult = TypedDict('SessionSwitchResult', {
    'person': "Person",
    'account': "SessionSwitchResultAccount | None",
    'accounts': list["SessionSwitchResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SessionEndResult = TypedDict('SessionEndResult', {
    'signedOut': Literal[True],
})

SessionsListResultSessionsItemCreatedFrom = TypedDict('SessionsListResultSessionsItemCreatedFrom', {
    'address': str,
    'userAgent': str,
})

SessionsListResultSessionsItemUsedFrom = TypedDict('SessionsListResultSessionsItemUsedFrom', {
    'address': str,
    'userAgent': str,
})

SessionsListResultSessionsItem = TypedDict('SessionsListResultSessionsItem', {
    'id': str,
    'createdAt': str,
    'createdFrom': "SessionsListResultSessionsItemCreatedFrom",
    'usedAt': str,
    'usedFrom': "SessionsListResultSessionsItemUsedFrom",
    'current': bool,
})

SessionsListResult = TypedDict('SessionsListResult', {
    'sessions': list["SessionsListResultSessionsItem"],
    'next': "str | None",
})

SessionsEndResult = TypedDict('SessionsEndResult', {
    'deleted': Literal[True],
})

TotpGetResult = TypedDict('TotpGetResult', {
    'enabled': bool,
    'confirmedAt': NotRequired[str],
    'recoveryCodesLeft': int,
})

TotpSetResult1 = TypedDict('TotpSetResult1', {
    'secret': str,
    'uri': str,
})

TotpSetResult: TypeAlias = TotpSetResult1 | RecoveryCodes

TotpRemoveResult = TypedDict('TotpRemoveResult', {
    'deleted': Literal[True],
})

PasskeysListResult = TypedDict('PasskeysListResult', {
    'passkeys': list["Passkey"],
    'next': "str | None",
})

PasskeysCreateResult2 = TypedDict('PasskeysCreateResult2', {
    'options': dict[str, Any],
})

PasskeysCreateResult: TypeAlias = Passkey | PasskeysCreateResult2

PasskeysRemoveResult = TypedDict('PasskeysRemoveResult', {
    'deleted': Literal[True],
})

ClaimsCreateResultAccount = TypedDict('ClaimsCreateResultAccount', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

ClaimsCreateResultAccountsItem = TypedDict('ClaimsCreateResultAccountsItem', {
    'id': str,
    'name': str,
    'role': Literal['owner', 'member', 'reader'],
})

ClaimsCreateResult = TypedDict('ClaimsCreateResult', {
    'person': "Person",
    'account': "ClaimsCreateResultAccount | None",
    'accounts': list["ClaimsCreateResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

AccountClaimResult = TypedDict('AccountClaimResult', {
    'claim_url': str,
    'expires_at': str,
})

AccountGetResult = TypedDict('AccountGetResult', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
})

AccountUpdateResult = TypedDict('AccountUpdateResult', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
})

AccountSetupResultStepsItem = TypedDict('AccountSetupResultStepsItem', {
    'id': Literal['claim', 'name', 'domain', 'dns', 'first_mail', 'webhook'],
    'done': bool,
    'detail': str,
    'fix': "str | None",
})

AccountSetupResult = TypedDict('AccountSetupResult', {
    'steps': list["AccountSetupResultStepsItem"],
})

AccountExportResultProgress = TypedDict('AccountExportResultProgress', {
    'written': int,
    'total': int,
})

AccountExportResult = TypedDict('AccountExportResult', {
    'id': str,
    'state': Literal['waiting', 'running', 'done', 'failed'],
    'progress': "AccountExportResultProgress",
    'createdAt': str,
    'url': "str | None",
    'size': "int | None",
    'expiresAt': "str | None",
})

AccountGetExportResultProgress = TypedDict('AccountGetExportResultProgress', {
    'written': int,
    'total': int,
})

AccountGetExportResult = TypedDict('AccountGetExportResult', {
    'id': str,
    'state': Literal['waiting', 'running', 'done', 'failed'],
    'progress': "AccountGetExportResultProgress",
    'createdAt': str,
    'url': "str | None",
    'size': "int | None",
    'expiresAt': "str | None",
})

AccountEraseResult = TypedDict('AccountEraseResult', {
    'erasing': bool,
})

UsageGetResultPeriod = TypedDict('UsageGetResultPeriod', {
    'from': str,
    'to': str,
})

UsageGetResultSends = TypedDict('UsageGetResultSends', {
    'used': int,
    'limit': int,
    'remaining': int,
})

UsageGetResultEmails = TypedDict('UsageGetResultEmails', {
    'sent': int,
    'received': int,
    'limit': "int | None",
    'grace': "int | None",
})

UsageGetResultInboxes = TypedDict('UsageGetResultInboxes', {
    'used': int,
    'limit': int,
})

UsageGetResultStorage = TypedDict('UsageGetResultStorage', {
    'used': int,
    'limit': int,
})

UsageGetResultBatch = TypedDict('UsageGetResultBatch', {
    'recipientsPerCall': int,
    'recipientsPerMinute': int,
})

UsageGetResultWebhooks = TypedDict('UsageGetResultWebhooks', {
    'used': int,
    'limit': int,
})

UsageGetResultMarketing = TypedDict('UsageGetResultMarketing', {
    'limit': int,
})

UsageGetResultLens = TypedDict('UsageGetResultLens', {
    'used': int,
    'limit': int,
    'extra': int,
})

UsageGetResult = TypedDict('UsageGetResult', {
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'period': "UsageGetResultPeriod",
    'sends': "UsageGetResultSends",
    'emails': "UsageGetResultEmails",
    'inboxes': "UsageGetResultInboxes",
    'storage': "UsageGetResultStorage",
    'requestsPerMinute': int,
    'batch': "UsageGetResultBatch",
    'webhooks': "UsageGetResultWebhooks",
    'marketing': "UsageGetResultMarketing",
    'lens': "UsageGetResultLens",
    'eventsDropped': int,
})

UsageDailyResult = TypedDict('UsageDailyResult', {
    'days': list["DayUsage"],
})

PlansListResultPlansItem = TypedDict('PlansListResultPlansItem', {
    'kind': Literal['agents', 'mail'],
    'name': str,
    'figures': dict[str, "float | bool | None"],
})

PlansListResult = TypedDict('PlansListResult', {
    'plans': list["PlansListResultPlansItem"],
    'next': "str | None",
})

AuditListResult = TypedDict('AuditListResult', {
    'entries': list["AuditEntry"],
    'next': "str | None",
})

MembersListResult = TypedDict('MembersListResult', {
    'members': list["Member"],
    'next': "str | None",
})

MembersInviteResult = TypedDict('MembersInviteResult', {
    'id': str,
    'email': str,
    'name': "str | None",
    'role': Literal['owner', 'member', 'reader'],
    'status': Literal['active', 'invited'],
    'since': str,
})

MembersUpdateResult = TypedDict('MembersUpdateResult', {
    'id': str,
    'email': str,
    'name': "str | None",
    'role': Literal['owner', 'member', 'reader'],
    'status': Literal['active', 'invited'],
    'since': str,
})

MembersRemoveResult = TypedDict('MembersRemoveResult', {
    'deleted': Literal[True],
})

RequestsListResult = TypedDict('RequestsListResult', {
    'requests': list["AccountRequest"],
    'next': "str | None",
})

RequestsCreateResult = TypedDict('RequestsCreateResult', {
    'id': str,
    'kind': Literal['limit', 'phone'],
    'text': str,
    'phone': "str | None",
    'status': Literal['open', 'granted', 'refused'],
    'answer': "str | None",
    'createdAt': str,
    'answeredAt': "str | None",
})

AdministrationAccountsResult = TypedDict('AdministrationAccountsResult', {
    'accounts': list["AdministeredAccount"],
    'next': "str | None",
})

AdministrationAccountResultSuspended = TypedDict('AdministrationAccountResultSuspended', {
    'reason': str,
    'at': str,
})

AdministrationAccountResultSendingPaused = TypedDict('AdministrationAccountResultSendingPaused', {
    'reason': str,
    'at': str,
})

AdministrationAccountResultPeopleItem = TypedDict('AdministrationAccountResultPeopleItem', {
    'email': str,
    'role': str,
    'status': Literal['active', 'invited'],
})

AdministrationAccountResultUsage = TypedDict('AdministrationAccountResultUsage', {
    'sent': int,
    'received': int,
    'inboxes': int,
    'webhooks': int,
    'storage': int,
})

AdministrationAccountResult = TypedDict('AdministrationAccountResult', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
    'suspended': "AdministrationAccountResultSuspended | None",
    'sendingPaused': "AdministrationAccountResultSendingPaused | None",
    'raised': dict[str, int],
    'people': list["AdministrationAccountResultPeopleItem"],
    'usage': "AdministrationAccountResultUsage",
    'days': list["DayUsage"],
})

AdministrationChangeRaise = TypedDict('AdministrationChangeRaise', {
    'figure': Literal['requestsPerMinute', 'inboxes', 'inboxCreationsPerDay', 'storagePerInboxBytes', 'ownDomains', 'emailsPerMonth', 'sendsPerMonth', 'sendsPerDay', 'sharedDomainSendsPerDay', 'recipientsPerMinute', 'marketingSendsPerMonth', 'batchRecipientsPerCall', 'webhookEndpoints', 'deliveryLogDays', 'lensPerMonth'],
    'to': "int | None",
})

AdministrationChangeSuspended = TypedDict('AdministrationChangeSuspended', {
    'reason': str,
})

AdministrationChangeSendingPaused = TypedDict('AdministrationChangeSendingPaused', {
    'reason': str,
})

AdministrationChangeResultSuspended = TypedDict('AdministrationChangeResultSuspended', {
    'reason': str,
    'at': str,
})

AdministrationChangeResultSendingPaused = TypedDict('AdministrationChangeResultSendingPaused', {
    'reason': str,
    'at': str,
})

AdministrationChangeResultPeopleItem = TypedDict('AdministrationChangeResultPeopleItem', {
    'email': str,
    'role': str,
    'status': Literal['active', 'invited'],
})

AdministrationChangeResultUsage = TypedDict('AdministrationChangeResultUsage', {
    'sent': int,
    'received': int,
    'inboxes': int,
    'webhooks': int,
    'storage': int,
})

AdministrationChangeResult = TypedDict('AdministrationChangeResult', {
    'id': str,
    'name': str,
    'status': Literal['unclaimed', 'active', 'paused', 'suspended'],
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'claimExpiresAt': NotRequired[str],
    'owner': NotRequired[str],
    'approval': Literal['none', 'required'],
    'sandbox': bool,
    'createdAt': str,
    'suspended': "AdministrationChangeResultSuspended | None",
    'sendingPaused': "AdministrationChangeResultSendingPaused | None",
    'raised': dict[str, int],
    'people': list["AdministrationChangeResultPeopleItem"],
    'usage': "AdministrationChangeResultUsage",
    'days': list["DayUsage"],
})

AdministrationRequestsResult = TypedDict('AdministrationRequestsResult', {
    'requests': list["OpenRequest"],
    'next': "str | None",
})

AdministrationAnswerResultAccount = TypedDict('AdministrationAnswerResultAccount', {
    'id': str,
    'name': str,
})

AdministrationAnswerResult = TypedDict('AdministrationAnswerResult', {
    'id': str,
    'kind': Literal['limit', 'phone'],
    'text': str,
    'phone': "str | None",
    'status': Literal['open', 'granted', 'refused'],
    'answer': "str | None",
    'createdAt': str,
    'answeredAt': "str | None",
    'account': "AdministrationAnswerResultAccount",
    'email': "str | None",
})

AdministrationOutboxResult = TypedDict('AdministrationOutboxResult', {
    'destinations': list["Destination"],
    'waiting': int,
    'complete': bool,
})

AdministrationRefusalsResultRefusalsItem = TypedDict('AdministrationRefusalsResultRefusalsItem', {
    'from': str,
    'codes': dict[str, int],
})

AdministrationRefusalsResult = TypedDict('AdministrationRefusalsResult', {
    'refusals': list["AdministrationRefusalsResultRefusalsItem"],
})

AdministrationProcessesResultProcessesItemSamplesItem = TypedDict('AdministrationProcessesResultProcessesItemSamplesItem', {
    'at': str,
    'memory': int,
    'eventLoopMs': float,
    'databaseMs': float,
})

AdministrationProcessesResultProcessesItem = TypedDict('AdministrationProcessesResultProcessesItem', {
    'host': str,
    'process': str,
    'pid': int,
    'startedAt': str,
    'alive': bool,
    'samples': list["AdministrationProcessesResultProcessesItemSamplesItem"],
})

AdministrationProcessesResult = TypedDict('AdministrationProcessesResult', {
    'processes': list["AdministrationProcessesResultProcessesItem"],
})

KeysListResult = TypedDict('KeysListResult', {
    'keys': list["Key"],
    'next': "str | None",
})

KeysCreateResult = TypedDict('KeysCreateResult', {
    'id': str,
    'name': str,
    'kind': Literal['account', 'agent'],
    'scopes': list[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
    'mailboxes': "list[str] | None",
    'approval': Literal['none', 'required'],
    'heldBy': NotRequired[Literal['partner']],
    'createdAt': str,
    'expiresAt': "str | None",
    'revokedAt': "str | None",
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
    'apiKey': str,
})

KeysRevokeResult = TypedDict('KeysRevokeResult', {
    'deleted': Literal[True],
})

GrantsListResult = TypedDict('GrantsListResult', {
    'grants': list["Grant"],
    'next': "str | None",
})

GrantsRevokeResult = TypedDict('GrantsRevokeResult', {
    'deleted': Literal[True],
})

MailboxesListResult = TypedDict('MailboxesListResult', {
    'mailboxes': list["Mailbox"],
    'next': "str | None",
})

MailboxesCreateResultAutoReply = TypedDict('MailboxesCreateResultAutoReply', {
    'enabled': bool,
    'subject': str,
    'text': str,
    'until': NotRequired["str | None"],
})

MailboxesCreateResultStorage = TypedDict('MailboxesCreateResultStorage', {
    'used': int,
    'limit': int,
})

MailboxesCreateResult = TypedDict('MailboxesCreateResult', {
    'address': str,
    'displayName': "str | None",
    'kind': Literal['agent', 'person'],
    'domain': str,
    'createdAt': str,
    'createdBy': "str | None",
    'signature': "str | None",
    'autoReply': "MailboxesCreateResultAutoReply | None",
    'storage': "MailboxesCreateResultStorage",
    'hint': NotRequired[str],
})

MailboxesGetResultAutoReply = TypedDict('MailboxesGetResultAutoReply', {
    'enabled': bool,
    'subject': str,
    'text': str,
    'until': NotRequired["str | None"],
})

MailboxesGetResultStorage = TypedDict('MailboxesGetResultStorage', {
    'used': int,
    'limit': int,
})

MailboxesGetResult = TypedDict('MailboxesGetResult', {
    'address': str,
    'displayName': "str | None",
    'kind': Literal['agent', 'person'],
    'domain': str,
    'createdAt': str,
    'createdBy': "str | None",
    'signature': "str | None",
    'autoReply': "MailboxesGetResultAutoReply | None",
    'storage': "MailboxesGetResultStorage",
    'hint': NotRequired[str],
})

MailboxesUpdateAutoReply = TypedDict('MailboxesUpdateAutoReply', {
    'enabled': bool,
    'subject': str,
    'text': str,
    'until': NotRequired["str | datetime | None"],
})

MailboxesUpdateResultAutoReply = TypedDict('MailboxesUpdateResultAutoReply', {
    'enabled': bool,
    'subject': str,
    'text': str,
    'until': NotRequired["str | None"],
})

MailboxesUpdateResultStorage = TypedDict('MailboxesUpdateResultStorage', {
    'used': int,
    'limit': int,
})

MailboxesUpdateResult = TypedDict('MailboxesUpdateResult', {
    'address': str,
    'displayName': "str | None",
    'kind': Literal['agent', 'person'],
    'domain': str,
    'createdAt': str,
    'createdBy': "str | None",
    'signature': "str | None",
    'autoReply': "MailboxesUpdateResultAutoReply | None",
    'storage': "MailboxesUpdateResultStorage",
    'hint': NotRequired[str],
})

MailboxesDeleteResult = TypedDict('MailboxesDeleteResult', {
    'deleted': Literal[True],
})

ListsGetResult = TypedDict('ListsGetResult', {
    'sendAllow': list[str],
    'sendBlock': list[str],
    'receiveAllow': list[str],
    'receiveBlock': list[str],
})

ListsSetResult = TypedDict('ListsSetResult', {
    'sendAllow': list[str],
    'sendBlock': list[str],
    'receiveAllow': list[str],
    'receiveBlock': list[str],
})

AppPasswordsListResult = TypedDict('AppPasswordsListResult', {
    'appPasswords': list["AppPassword"],
    'next': "str | None",
})

AppPasswordsCreateResult = TypedDict('AppPasswordsCreateResult', {
    'id': str,
    'name': str,
    'createdAt': str,
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
    'password': str,
})

AppPasswordsRevokeResult = TypedDict('AppPasswordsRevokeResult', {
    'deleted': Literal[True],
})

MessagesListResult = TypedDict('MessagesListResult', {
    'messages': list["MessageSummary"],
    'next': "str | None",
    'cursor': str,
})

MessagesWaitResultNearMissesItem = TypedDict('MessagesWaitResultNearMissesItem', {
    'message_id': str,
    'why': str,
})

MessagesWaitResult = TypedDict('MessagesWaitResult', {
    'message': "WaitedMessage | None",
    'near_misses': list["MessagesWaitResultNearMissesItem"],
    'cursor': str,
})

MessagesWaitAndClaimResultNearMissesItem = TypedDict('MessagesWaitAndClaimResultNearMissesItem', {
    'message_id': str,
    'why': str,
})

MessagesWaitAndClaimResult = TypedDict('MessagesWaitAndClaimResult', {
    'message': "WaitedMessage | None",
    'near_misses': list["MessagesWaitAndClaimResultNearMissesItem"],
    'cursor': str,
    'claimed_until': "str | None",
})

MessagesVerificationResultFound = TypedDict('MessagesVerificationResultFound', {
    'kind': Literal['code', 'link'],
    'value': str,
    'domain': "str | None",
    'same_org': "bool | None",
    'message_id': str,
    'received_at': str,
})

MessagesVerificationResultNearMissesItem = TypedDict('MessagesVerificationResultNearMissesItem', {
    'message_id': str,
    'why': str,
})

MessagesVerificationResult = TypedDict('MessagesVerificationResult', {
    'found': "MessagesVerificationResultFound | None",
    'near_misses': list["MessagesVerificationResultNearMissesItem"],
    'cursor': str,
})

MessagesSearchResult = TypedDict('MessagesSearchResult', {
    'messages': list["FoundMessage"],
    'next': "str | None",
})

MessagesGetResult = TypedDict('MessagesGetResult', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'bcc': list["Address"],
    'reply_to': list["Address"],
    'in_reply_to': "str | None",
    'references': list[str],
    'text': NotRequired[str],
    'markdown': NotRequired[str],
    'reply': NotRequired[str],
    'html': NotRequired["str | None"],
    'headers': NotRequired[list[list[str]]],
    'trust': "Trust | None",
    'verification': "Verification | None",
    'hidden': NotRequired[list["Hidden"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

MessagesUpdateResult = TypedDict('MessagesUpdateResult', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
})

MessagesDeleteResult = TypedDict('MessagesDeleteResult', {
    'deleted': Literal[True],
    'folder': "str | None",
})

MessagesRestoreResult = TypedDict('MessagesRestoreResult', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
})

MessagesClaimResult = TypedDict('MessagesClaimResult', {
    'message_id': str,
    'claimed_until': str,
})

MessagesReleaseResult = TypedDict('MessagesReleaseResult', {
    'released': Literal[True],
})

MessagesReadAllResult = TypedDict('MessagesReadAllResult', {
    'updated': int,
})

MessagesSendResult: TypeAlias = SendResult | DryRun

MessagesReplyResult: TypeAlias = SendResult | DryRun

MessagesForwardResult: TypeAlias = SendResult | DryRun

TrashEmptyResult = TypedDict('TrashEmptyResult', {
    'deleted': int,
})

FoldersListResult = TypedDict('FoldersListResult', {
    'folders': list["Folder"],
    'next': "str | None",
})

FoldersCreateResult = TypedDict('FoldersCreateResult', {
    'path': str,
    'role': "Literal['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] | None",
    'total': int,
    'unread': int,
})

FoldersUpdateResult = TypedDict('FoldersUpdateResult', {
    'path': str,
    'role': "Literal['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] | None",
    'total': int,
    'unread': int,
})

FoldersDeleteResult = TypedDict('FoldersDeleteResult', {
    'deleted': Literal[True],
})

ThreadsListResult = TypedDict('ThreadsListResult', {
    'threads': list["Thread"],
    'next': "str | None",
})

ThreadsGetResult = TypedDict('ThreadsGetResult', {
    'thread_id': str,
    'subject': "str | None",
    'participants': list["Address"],
    'message_count': int,
    'last_message_at': str,
    'labels': list[str],
    'awaiting': Literal['us', 'them', 'none'],
    'messages': list["ThreadMessage"],
    'next': "str | None",
})

LabelsListResultLabelsItem = TypedDict('LabelsListResultLabelsItem', {
    'label': str,
    'count': int,
})

LabelsListResult = TypedDict('LabelsListResult', {
    'labels': list["LabelsListResultLabelsItem"],
    'next': "str | None",
})

ContactsListResult = TypedDict('ContactsListResult', {
    'contacts': list["Contact"],
    'next': "str | None",
})

DraftsListResult = TypedDict('DraftsListResult', {
    'drafts': list["MessageSummary"],
    'next': "str | None",
})

DraftsCreateResult = TypedDict('DraftsCreateResult', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'bcc': list["Address"],
    'reply_to': list["Address"],
    'in_reply_to': "str | None",
    'references': list[str],
    'text': NotRequired[str],
    'markdown': NotRequired[str],
    'reply': NotRequired[str],
    'html': NotRequired["str | None"],
    'headers': NotRequired[list[list[str]]],
    'trust': "Trust | None",
    'verification': "Verification | None",
    'hidden': NotRequired[list["Hidden"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

DraftsGetResult = TypedDict('DraftsGetResult', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'bcc': list["Address"],
    'reply_to': list["Address"],
    'in_reply_to': "str | None",
    'references': list[str],
    'text': NotRequired[str],
    'markdown': NotRequired[str],
    'reply': NotRequired[str],
    'html': NotRequired["str | None"],
    'headers': NotRequired[list[list[str]]],
    'trust': "Trust | None",
    'verification': "Verification | None",
    'hidden': NotRequired[list["Hidden"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

DraftsUpdateResult = TypedDict('DraftsUpdateResult', {
    'message_id': str,
    'mailbox': str,
    'thread_id': str,
    'folder': str,
    'from': "Address | None",
    'to': list["Address"],
    'cc': list["Address"],
    'subject': "str | None",
    'snippet': "str | None",
    'received_at': str,
    'size': int,
    'seen': bool,
    'flagged': bool,
    'answered': bool,
    'labels': list[str],
    'attachments': list["AttachmentSummary"],
    'bcc': list["Address"],
    'reply_to': list["Address"],
    'in_reply_to': "str | None",
    'references': list[str],
    'text': NotRequired[str],
    'markdown': NotRequired[str],
    'reply': NotRequired[str],
    'html': NotRequired["str | None"],
    'headers': NotRequired[list[list[str]]],
    'trust': "Trust | None",
    'verification': "Verification | None",
    'hidden': NotRequired[list["Hidden"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

DraftsDeleteResult = TypedDict('DraftsDeleteResult', {
    'deleted': Literal[True],
})

DraftsSendResultApproval = TypedDict('DraftsSendResultApproval', {
    'id': str,
    'hash': str,
    'draft_id': "str | None",
    'expiresAt': str,
})

DraftsSendResultRecipientsItem = TypedDict('DraftsSendResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

DraftsSendResult = TypedDict('DraftsSendResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'status': Literal['queued', 'scheduled', 'waiting_for_approval'],
    'sendAt': NotRequired[str],
    'approval': NotRequired["DraftsSendResultApproval"],
    'recipients': list["DraftsSendResultRecipientsItem"],
    'suppressed': list[str],
})

ScheduledListResult = TypedDict('ScheduledListResult', {
    'scheduled': list["Scheduled"],
    'next': "str | None",
})

ScheduledUpdateResult = TypedDict('ScheduledUpdateResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'sendAt': "str | None",
    'status': Literal['scheduled', 'cancelled'],
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'createdAt': str,
})

ScheduledCancelResult = TypedDict('ScheduledCancelResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'sendAt': "str | None",
    'status': Literal['scheduled', 'cancelled'],
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'createdAt': str,
    'draft_id': "str | None",
})

BatchesSendRecipientsItem = TypedDict('BatchesSendRecipientsItem', {
    'email': str,
    'fields': NotRequired[dict[str, str]],
})

BatchesSendResultRecipientsItem = TypedDict('BatchesSendResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

BatchesSendResultMissingFieldsItem = TypedDict('BatchesSendResultMissingFieldsItem', {
    'email': str,
    'fields': list[str],
})

BatchesSendResult = TypedDict('BatchesSendResult', {
    'id': str,
    'recipients': list["BatchesSendResultRecipientsItem"],
    'missingFields': list["BatchesSendResultMissingFieldsItem"],
    'replayed': bool,
})

BatchesGetResultRecipientsItem = TypedDict('BatchesGetResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'reason': "str | None",
    'email_id': "str | None",
})

BatchesGetResult = TypedDict('BatchesGetResult', {
    'id': str,
    'recipients': list["BatchesGetResultRecipientsItem"],
})

SearchAllResult = TypedDict('SearchAllResult', {
    'messages': list["FoundMessage"],
    'next': "str | None",
})

DriveListResult = TypedDict('DriveListResult', {
    'entries': list["DriveEntry"],
    'next': "str | None",
})

DriveDownloadUrlResult = TypedDict('DriveDownloadUrlResult', {
    'url': str,
    'expiresAt': str,
})

BatchesListResult = TypedDict('BatchesListResult', {
    'batches': list["BatchSummary"],
    'next': "str | None",
})

EmailsSendResultApproval = TypedDict('EmailsSendResultApproval', {
    'id': str,
    'hash': str,
    'draft_id': "str | None",
    'expiresAt': str,
})

EmailsSendResultRecipientsItem = TypedDict('EmailsSendResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

EmailsSendResult = TypedDict('EmailsSendResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'status': Literal['queued', 'scheduled', 'waiting_for_approval'],
    'sendAt': NotRequired[str],
    'approval': NotRequired["EmailsSendResultApproval"],
    'recipients': list["EmailsSendResultRecipientsItem"],
    'suppressed': list[str],
})

EmailsListResult = TypedDict('EmailsListResult', {
    'emails': list["Email"],
    'next': "str | None",
})

EmailsGetResult = TypedDict('EmailsGetResult', {
    'id': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'mailbox': "str | None",
    'message_id': "str | None",
    'tags': list[str],
    'sendAt': NotRequired[str],
    'approval': NotRequired["ApprovalState"],
    'createdAt': str,
    'recipients': list["RecipientStatus"],
})

EmailsUpdateResult = TypedDict('EmailsUpdateResult', {
    'id': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'mailbox': "str | None",
    'message_id': "str | None",
    'tags': list[str],
    'sendAt': NotRequired[str],
    'approval': NotRequired["ApprovalState"],
    'createdAt': str,
    'recipients': list["RecipientStatus"],
})

EmailsCancelResult = TypedDict('EmailsCancelResult', {
    'id': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'subject': "str | None",
    'mailbox': "str | None",
    'message_id': "str | None",
    'tags': list[str],
    'sendAt': NotRequired[str],
    'approval': NotRequired["ApprovalState"],
    'createdAt': str,
    'recipients': list["RecipientStatus"],
    'draft_id': "str | None",
})

ApprovalsListResult = TypedDict('ApprovalsListResult', {
    'approvals': list["Approval"],
    'next': "str | None",
})

ApprovalsGetResultContentAttachmentsItem = TypedDict('ApprovalsGetResultContentAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

ApprovalsGetResultContent = TypedDict('ApprovalsGetResultContent', {
    'text': str,
    'html': "str | None",
    'hidden': list["Hidden"],
    'attachments': list["ApprovalsGetResultContentAttachmentsItem"],
    'truncated': bool,
})

ApprovalsGetResult = TypedDict('ApprovalsGetResult', {
    'id': str,
    'email_id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'hash': str,
    'mailbox': "str | None",
    'draft_id': "str | None",
    'keyId': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'recipients': list[str],
    'subject': "str | None",
    'sendAt': "str | None",
    'createdAt': str,
    'expiresAt': str,
    'decidedAt': "str | None",
    'decidedBy': "str | None",
    'reason': "str | None",
    'content': "ApprovalsGetResultContent | None",
})

ApprovalsDecideResult = TypedDict('ApprovalsDecideResult', {
    'id': str,
    'email_id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'hash': str,
    'mailbox': "str | None",
    'draft_id': "str | None",
    'keyId': str,
    'from': str,
    'to': list[str],
    'cc': list[str],
    'bcc': list[str],
    'recipients': list[str],
    'subject': "str | None",
    'sendAt': "str | None",
    'createdAt': str,
    'expiresAt': str,
    'decidedAt': "str | None",
    'decidedBy': "str | None",
    'reason': "str | None",
})

TemplatesListResult = TypedDict('TemplatesListResult', {
    'templates': list["Template"],
    'next': "str | None",
})

TemplatesGetResult = TypedDict('TemplatesGetResult', {
    'alias': str,
    'subject': str,
    'html': "str | None",
    'text': "str | None",
    'status': Literal['active', 'paused'],
    'variables': list[str],
    'createdAt': str,
    'updatedAt': str,
})

TemplatesCreateResult = TypedDict('TemplatesCreateResult', {
    'alias': str,
    'subject': str,
    'html': "str | None",
    'text': "str | None",
    'status': Literal['active', 'paused'],
    'variables': list[str],
    'createdAt': str,
    'updatedAt': str,
})

TemplatesUpdateResult = TypedDict('TemplatesUpdateResult', {
    'alias': str,
    'subject': str,
    'html': "str | None",
    'text': "str | None",
    'status': Literal['active', 'paused'],
    'variables': list[str],
    'createdAt': str,
    'updatedAt': str,
})

TemplatesDeleteResult = TypedDict('TemplatesDeleteResult', {
    'deleted': Literal[True],
})

TemplatesPreviewResult = TypedDict('TemplatesPreviewResult', {
    'subject': str,
    'html': NotRequired[str],
    'text': NotRequired[str],
    'missing': list[str],
})

SuppressionsListResult = TypedDict('SuppressionsListResult', {
    'suppressions': list["Suppression"],
    'next': "str | None",
})

SuppressionsGetResult = TypedDict('SuppressionsGetResult', {
    'email': str,
    'reason': Literal['bounce', 'complaint', 'unsubscribe', 'manual'],
    'detail': "str | None",
    'mailboxes': "list[str] | None",
    'createdAt': str,
})

SuppressionsAddResult = TypedDict('SuppressionsAddResult', {
    'email': str,
    'reason': Literal['bounce', 'complaint', 'unsubscribe', 'manual'],
    'detail': "str | None",
    'mailboxes': "list[str] | None",
    'createdAt': str,
})

SuppressionsRemoveResult = TypedDict('SuppressionsRemoveResult', {
    'deleted': Literal[True],
})

DeliveriesStatusResult = TypedDict('DeliveriesStatusResult', {
    'id': str,
    'message_id': "str | None",
    'mailbox': "str | None",
    'subject': "str | None",
    'status': Literal['scheduled', 'queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'recipients': list["RecipientStatus"],
})

DeliveriesListResult = TypedDict('DeliveriesListResult', {
    'deliveries': list["Delivery"],
    'next': "str | None",
})

DeliveriesGetResultAttemptsItem = TypedDict('DeliveriesGetResultAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

DeliveriesGetResult = TypedDict('DeliveriesGetResult', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["DeliveriesGetResultAttemptsItem"],
})

DeliveriesResendResultAttemptsItem = TypedDict('DeliveriesResendResultAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

DeliveriesResendResult = TypedDict('DeliveriesResendResult', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["DeliveriesResendResultAttemptsItem"],
})

DomainsListResult = TypedDict('DomainsListResult', {
    'domains': list["Domain"],
    'next': "str | None",
})

DomainsCreateResult = TypedDict('DomainsCreateResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainDnsRecord"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsGetResult = TypedDict('DomainsGetResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainDnsRecord"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsVerifyResult = TypedDict('DomainsVerifyResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainDnsRecord"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsUpdateResult = TypedDict('DomainsUpdateResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainDnsRecord"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsDeleteResult = TypedDict('DomainsDeleteResult', {
    'deleted': Literal[True],
})

DomainsReportsResultDelivery = TypedDict('DomainsReportsResultDelivery', {
    'sent': int,
    'delivered': int,
    'bounced': int,
    'complained': int,
})

DomainsReportsResultDmarcDispositions = TypedDict('DomainsReportsResultDmarcDispositions', {
    'none': int,
    'quarantine': int,
    'reject': int,
})

DomainsReportsResultDmarcReportersItem = TypedDict('DomainsReportsResultDmarcReportersItem', {
    'organisation': str,
    'domain': str,
    'reports': int,
})

DomainsReportsResultDmarcDaysItem = TypedDict('DomainsReportsResultDmarcDaysItem', {
    'day': str,
    'messages': int,
    'passed': int,
})

DomainsReportsResultDmarc = TypedDict('DomainsReportsResultDmarc', {
    'reports': int,
    'messages': int,
    'passed': int,
    'passRate': "float | None",
    'spfAligned': int,
    'dkimAligned': int,
    'dispositions': "DomainsReportsResultDmarcDispositions",
    'omitted': int,
    'reporters': list["DomainsReportsResultDmarcReportersItem"],
    'days': list["DomainsReportsResultDmarcDaysItem"],
})

DomainsReportsResultTlsFailuresItem = TypedDict('DomainsReportsResultTlsFailuresItem', {
    'type': str,
    'policy': str,
    'mx': "str | None",
    'sessions': int,
    'details': list[str],
    'explanation': str,
    'fix': "str | None",
})

DomainsReportsResultTlsReportersItem = TypedDict('DomainsReportsResultTlsReportersItem', {
    'organisation': str,
    'domain': str,
    'reports': int,
})

DomainsReportsResultTls = TypedDict('DomainsReportsResultTls', {
    'reports': int,
    'successful': int,
    'failed': int,
    'failures': list["DomainsReportsResultTlsFailuresItem"],
    'reporters': list["DomainsReportsResultTlsReportersItem"],
})

DomainsReportsResult = TypedDict('DomainsReportsResult', {
    'domain': str,
    'since': str,
    'until': str,
    'complete': bool,
    'delivery': "DomainsReportsResultDelivery",
    'dmarc': "DomainsReportsResultDmarc",
    'tls': "DomainsReportsResultTls",
    'sources': list["ReportSource"],
    'next': "str | None",
})

DnsListResult = TypedDict('DnsListResult', {
    'records': list["DnsRecord"],
    'next': "str | None",
})

DnsCreateResult = TypedDict('DnsCreateResult', {
    'id': str,
    'type': Literal['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'],
    'name': str,
    'value': str,
    'ttl': int,
    'priority': "int | None",
    'mailCritical': bool,
    'managed': bool,
})

DnsUpdateResult = TypedDict('DnsUpdateResult', {
    'id': str,
    'type': Literal['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'],
    'name': str,
    'value': str,
    'ttl': int,
    'priority': "int | None",
    'mailCritical': bool,
    'managed': bool,
})

DnsDeleteResult = TypedDict('DnsDeleteResult', {
    'deleted': Literal[True],
})

AliasesListResult = TypedDict('AliasesListResult', {
    'aliases': list["Alias"],
    'next': "str | None",
})

AliasesCreateResult = TypedDict('AliasesCreateResult', {
    'alias': str,
    'targets': list[str],
    'createdAt': str,
})

AliasesDeleteResult = TypedDict('AliasesDeleteResult', {
    'deleted': Literal[True],
})

IntakeListResult = TypedDict('IntakeListResult', {
    'intakes': list["Intake"],
    'next': "str | None",
})

IntakeCreateResultDelivery = TypedDict('IntakeCreateResultDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeCreateResultLens = TypedDict('IntakeCreateResultLens', {
    'enabled': bool,
    'fields': list["LensField"],
    'quoted': bool,
})

IntakeCreateResult = TypedDict('IntakeCreateResult', {
    'mailbox': str,
    'active': bool,
    'delivery': "IntakeCreateResultDelivery",
    'lens': "IntakeCreateResultLens",
    'retention': Literal[7, 30, 90, 'forever'],
    'createdAt': str,
    'secret': NotRequired[str],
})

IntakeTemplatesResultTemplatesItem = TypedDict('IntakeTemplatesResultTemplatesItem', {
    'name': str,
    'fields': list["LensField"],
})

IntakeTemplatesResult = TypedDict('IntakeTemplatesResult', {
    'templates': list["IntakeTemplatesResultTemplatesItem"],
})

IntakeGetResultDelivery = TypedDict('IntakeGetResultDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeGetResultLens = TypedDict('IntakeGetResultLens', {
    'enabled': bool,
    'fields': list["LensField"],
    'quoted': bool,
})

IntakeGetResult = TypedDict('IntakeGetResult', {
    'mailbox': str,
    'active': bool,
    'delivery': "IntakeGetResultDelivery",
    'lens': "IntakeGetResultLens",
    'retention': Literal[7, 30, 90, 'forever'],
    'createdAt': str,
})

IntakeUpdateResultDelivery = TypedDict('IntakeUpdateResultDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeUpdateResultLens = TypedDict('IntakeUpdateResultLens', {
    'enabled': bool,
    'fields': list["LensField"],
    'quoted': bool,
})

IntakeUpdateResult = TypedDict('IntakeUpdateResult', {
    'mailbox': str,
    'active': bool,
    'delivery': "IntakeUpdateResultDelivery",
    'lens': "IntakeUpdateResultLens",
    'retention': Literal[7, 30, 90, 'forever'],
    'createdAt': str,
    'secret': NotRequired[str],
})

IntakeDeleteResult = TypedDict('IntakeDeleteResult', {
    'deleted': Literal[True],
})

IntakeTestResult = TypedDict('IntakeTestResult', {
    'id': str,
    'mailbox': str,
})

IntakeLensTestResult = TypedDict('IntakeLensTestResult', {
    'lens': dict[str, "str | float | bool | list[str] | None"],
    'lens_evidence': dict[str, "LensEvidence | None"],
    'lens_engine': Literal['rules', 'model'],
})

IntakeLensBackfillResult = TypedDict('IntakeLensBackfillResult', {
    'count': int,
})

IntakeMessagesListResult = TypedDict('IntakeMessagesListResult', {
    'messages': list["IntakeSummary"],
    'next': "str | None",
})

IntakeMessagesGetResultAttachmentsItem = TypedDict('IntakeMessagesGetResultAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
    'url': str,
    'expires_at': str,
    'text': "str | None",
    'hidden': list["Hidden"],
})

IntakeMessagesGetResult = TypedDict('IntakeMessagesGetResult', {
    'intake_id': str,
    'mailbox': str,
    'message_id': str,
    'thread_id': str,
    'from': "Address",
    'to': list["Address"],
    'cc': list["Address"],
    'reply_to': "Address | None",
    'subject': str,
    'received_at': str,
    'reply': str,
    'headers': dict[str, "str | None"],
    'lens': "dict[str, str | float | bool | list[str] | None] | None",
    'lens_evidence': "dict[str, LensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "Trust | None",
    'spam': bool,
    'test': bool,
    'text': str,
    'html': str,
    'attachments': list["IntakeMessagesGetResultAttachmentsItem"],
})

IntakeMessagesRevokeLinksResultAttachmentsItem = TypedDict('IntakeMessagesRevokeLinksResultAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
    'url': str,
    'expires_at': str,
    'text': "str | None",
    'hidden': list["Hidden"],
})

IntakeMessagesRevokeLinksResult = TypedDict('IntakeMessagesRevokeLinksResult', {
    'intake_id': str,
    'mailbox': str,
    'message_id': str,
    'thread_id': str,
    'from': "Address",
    'to': list["Address"],
    'cc': list["Address"],
    'reply_to': "Address | None",
    'subject': str,
    'received_at': str,
    'reply': str,
    'headers': dict[str, "str | None"],
    'lens': "dict[str, str | float | bool | list[str] | None] | None",
    'lens_evidence': "dict[str, LensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "Trust | None",
    'spam': bool,
    'test': bool,
    'text': str,
    'html': str,
    'attachments': list["IntakeMessagesRevokeLinksResultAttachmentsItem"],
})

IntakeMessagesDeleteResult = TypedDict('IntakeMessagesDeleteResult', {
    'deleted': Literal[True],
})

EventsListResult = TypedDict('EventsListResult', {
    'events': list["EventEnvelope"],
    'next': "str | None",
    'cursor': str,
})

EventsGetResult = TypedDict('EventsGetResult', {
    'id': str,
    'type': str,
    'created_at': str,
    'cursor': NotRequired[str],
    'test': NotRequired[bool],
    'sandbox': NotRequired[bool],
    'customer_id': NotRequired[str],
    'data': dict[str, Any],
})

TestInboundVerdicts = TypedDict('TestInboundVerdicts', {
    'spf': NotRequired[Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror']],
    'dkim': NotRequired[Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror']],
    'dmarc': NotRequired[Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror']],
    'arc': NotRequired[Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror']],
    'policy': NotRequired[Literal['none', 'quarantine', 'reject']],
    'spam': NotRequired[bool],
})

TestInboundResult = TypedDict('TestInboundResult', {
    'message_id': str,
})

TestClockResult = TypedDict('TestClockResult', {
    'now': str,
})

WebhooksListResult = TypedDict('WebhooksListResult', {
    'webhooks': list["Webhook"],
    'next': "str | None",
})

WebhooksCreateScope = TypedDict('WebhooksCreateScope', {
    'domains': NotRequired[Sequence[str]],
    'mailboxes': NotRequired[Sequence[str]],
})

WebhooksCreateResultScope = TypedDict('WebhooksCreateResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

WebhooksCreateResultTurnedOff = TypedDict('WebhooksCreateResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

WebhooksCreateResult = TypedDict('WebhooksCreateResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "WebhooksCreateResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "WebhooksCreateResultTurnedOff | None",
    'previousSecretUntil': "str | None",
    'secret': str,
})

WebhooksGetResultScope = TypedDict('WebhooksGetResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

WebhooksGetResultTurnedOff = TypedDict('WebhooksGetResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

WebhooksGetResult = TypedDict('WebhooksGetResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "WebhooksGetResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "WebhooksGetResultTurnedOff | None",
    'previousSecretUntil': "str | None",
})

WebhooksUpdateScope = TypedDict('WebhooksUpdateScope', {
    'domains': NotRequired[Sequence[str]],
    'mailboxes': NotRequired[Sequence[str]],
})

WebhooksUpdateResultScope = TypedDict('WebhooksUpdateResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

WebhooksUpdateResultTurnedOff = TypedDict('WebhooksUpdateResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

WebhooksUpdateResult = TypedDict('WebhooksUpdateResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "WebhooksUpdateResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "WebhooksUpdateResultTurnedOff | None",
    'previousSecretUntil': "str | None",
})

WebhooksRotateSecretResultScope = TypedDict('WebhooksRotateSecretResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

WebhooksRotateSecretResultTurnedOff = TypedDict('WebhooksRotateSecretResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

WebhooksRotateSecretResult = TypedDict('WebhooksRotateSecretResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "WebhooksRotateSecretResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "WebhooksRotateSecretResultTurnedOff | None",
    'previousSecretUntil': "str | None",
    'secret': str,
})

WebhooksTestResultAttemptsItem = TypedDict('WebhooksTestResultAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

WebhooksTestResult = TypedDict('WebhooksTestResult', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["WebhooksTestResultAttemptsItem"],
})

WebhooksRedeliverResult = TypedDict('WebhooksRedeliverResult', {
    'count': int,
})

WebhooksDeleteResult = TypedDict('WebhooksDeleteResult', {
    'deleted': Literal[True],
})

WebhooksAttemptsResultAttemptsItem = TypedDict('WebhooksAttemptsResultAttemptsItem', {
    'from': str,
    'delivered': int,
    'failed': int,
    'averageMs': "int | None",
})

WebhooksAttemptsResult = TypedDict('WebhooksAttemptsResult', {
    'by': Literal['hour', 'day'],
    'attempts': list["WebhooksAttemptsResultAttemptsItem"],
})

PartnerCustomersListResult = TypedDict('PartnerCustomersListResult', {
    'customers': list["Customer"],
    'next': "str | None",
})

PartnerCustomersCreateResult = TypedDict('PartnerCustomersCreateResult', {
    'id': str,
    'name': str,
    'email': "str | None",
    'plan': Literal['trial', 'starter', 'growth', 'pro', 'business', None],
    'agentsPlan': Literal['free', 'developer', 'scale', None],
    'status': Literal['active', 'paused', 'suspended'],
    'sandbox': bool,
    'createdAt': str,
})

PartnerCustomersGetResult = TypedDict('PartnerCustomersGetResult', {
    'id': str,
    'name': str,
    'email': "str | None",
    'plan': Literal['trial', 'starter', 'growth', 'pro', 'business', None],
    'agentsPlan': Literal['free', 'developer', 'scale', None],
    'status': Literal['active', 'paused', 'suspended'],
    'sandbox': bool,
    'createdAt': str,
})

PartnerCustomersUpdateResult = TypedDict('PartnerCustomersUpdateResult', {
    'id': str,
    'name': str,
    'email': "str | None",
    'plan': Literal['trial', 'starter', 'growth', 'pro', 'business', None],
    'agentsPlan': Literal['free', 'developer', 'scale', None],
    'status': Literal['active', 'paused', 'suspended'],
    'sandbox': bool,
    'createdAt': str,
})

PartnerCustomersDeleteResult = TypedDict('PartnerCustomersDeleteResult', {
    'deleted': Literal[True],
})

PartnerCustomersPauseResult = TypedDict('PartnerCustomersPauseResult', {
    'id': str,
    'name': str,
    'email': "str | None",
    'plan': Literal['trial', 'starter', 'growth', 'pro', 'business', None],
    'agentsPlan': Literal['free', 'developer', 'scale', None],
    'status': Literal['active', 'paused', 'suspended'],
    'sandbox': bool,
    'createdAt': str,
})

PartnerCustomersResumeResult = TypedDict('PartnerCustomersResumeResult', {
    'id': str,
    'name': str,
    'email': "str | None",
    'plan': Literal['trial', 'starter', 'growth', 'pro', 'business', None],
    'agentsPlan': Literal['free', 'developer', 'scale', None],
    'status': Literal['active', 'paused', 'suspended'],
    'sandbox': bool,
    'createdAt': str,
})

PartnerCustomersUsageResultPeriod = TypedDict('PartnerCustomersUsageResultPeriod', {
    'from': str,
    'to': str,
})

PartnerCustomersUsageResultSends = TypedDict('PartnerCustomersUsageResultSends', {
    'used': int,
    'limit': int,
    'remaining': int,
})

PartnerCustomersUsageResultEmails = TypedDict('PartnerCustomersUsageResultEmails', {
    'sent': int,
    'received': int,
    'limit': "int | None",
    'grace': "int | None",
})

PartnerCustomersUsageResultInboxes = TypedDict('PartnerCustomersUsageResultInboxes', {
    'used': int,
    'limit': int,
})

PartnerCustomersUsageResultStorage = TypedDict('PartnerCustomersUsageResultStorage', {
    'used': int,
    'limit': int,
})

PartnerCustomersUsageResultBatch = TypedDict('PartnerCustomersUsageResultBatch', {
    'recipientsPerCall': int,
    'recipientsPerMinute': int,
})

PartnerCustomersUsageResultWebhooks = TypedDict('PartnerCustomersUsageResultWebhooks', {
    'used': int,
    'limit': int,
})

PartnerCustomersUsageResultMarketing = TypedDict('PartnerCustomersUsageResultMarketing', {
    'limit': int,
})

PartnerCustomersUsageResultLens = TypedDict('PartnerCustomersUsageResultLens', {
    'used': int,
    'limit': int,
    'extra': int,
})

PartnerCustomersUsageResult = TypedDict('PartnerCustomersUsageResult', {
    'plan': "Literal['trial', 'starter', 'growth', 'pro', 'business'] | None",
    'agentsPlan': "Literal['free', 'developer', 'scale'] | None",
    'period': "PartnerCustomersUsageResultPeriod",
    'sends': "PartnerCustomersUsageResultSends",
    'emails': "PartnerCustomersUsageResultEmails",
    'inboxes': "PartnerCustomersUsageResultInboxes",
    'storage': "PartnerCustomersUsageResultStorage",
    'requestsPerMinute': int,
    'batch': "PartnerCustomersUsageResultBatch",
    'webhooks': "PartnerCustomersUsageResultWebhooks",
    'marketing': "PartnerCustomersUsageResultMarketing",
    'lens': "PartnerCustomersUsageResultLens",
    'eventsDropped': int,
})

PartnerCustomersKeysListResult = TypedDict('PartnerCustomersKeysListResult', {
    'keys': list["Key"],
    'next': "str | None",
})

PartnerCustomersKeysCreateResult = TypedDict('PartnerCustomersKeysCreateResult', {
    'id': str,
    'name': str,
    'kind': Literal['account', 'agent'],
    'scopes': list[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
    'mailboxes': "list[str] | None",
    'approval': Literal['none', 'required'],
    'heldBy': NotRequired[Literal['partner']],
    'createdAt': str,
    'expiresAt': "str | None",
    'revokedAt': "str | None",
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
    'apiKey': str,
})

PartnerCustomersKeysRevokeResult = TypedDict('PartnerCustomersKeysRevokeResult', {
    'deleted': Literal[True],
})

PartnerWebhooksListResult = TypedDict('PartnerWebhooksListResult', {
    'webhooks': list["Webhook"],
    'next': "str | None",
})

PartnerWebhooksCreateResultScope = TypedDict('PartnerWebhooksCreateResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

PartnerWebhooksCreateResultTurnedOff = TypedDict('PartnerWebhooksCreateResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

PartnerWebhooksCreateResult = TypedDict('PartnerWebhooksCreateResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "PartnerWebhooksCreateResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "PartnerWebhooksCreateResultTurnedOff | None",
    'previousSecretUntil': "str | None",
    'secret': str,
})

PartnerWebhooksGetResultScope = TypedDict('PartnerWebhooksGetResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

PartnerWebhooksGetResultTurnedOff = TypedDict('PartnerWebhooksGetResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

PartnerWebhooksGetResult = TypedDict('PartnerWebhooksGetResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "PartnerWebhooksGetResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "PartnerWebhooksGetResultTurnedOff | None",
    'previousSecretUntil': "str | None",
})

PartnerWebhooksUpdateResultScope = TypedDict('PartnerWebhooksUpdateResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

PartnerWebhooksUpdateResultTurnedOff = TypedDict('PartnerWebhooksUpdateResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

PartnerWebhooksUpdateResult = TypedDict('PartnerWebhooksUpdateResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "PartnerWebhooksUpdateResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "PartnerWebhooksUpdateResultTurnedOff | None",
    'previousSecretUntil': "str | None",
})

PartnerWebhooksRotateSecretResultScope = TypedDict('PartnerWebhooksRotateSecretResultScope', {
    'domains': list[str],
    'mailboxes': list[str],
})

PartnerWebhooksRotateSecretResultTurnedOff = TypedDict('PartnerWebhooksRotateSecretResultTurnedOff', {
    'at': str,
    'reason': Literal['failures', 'key'],
})

PartnerWebhooksRotateSecretResult = TypedDict('PartnerWebhooksRotateSecretResult', {
    'id': str,
    'url': str,
    'events': list[str],
    'scope': "PartnerWebhooksRotateSecretResultScope",
    'enabled': bool,
    'ordering': Literal['none', 'mailbox'],
    'description': "str | None",
    'createdAt': str,
    'failingSince': "str | None",
    'turnedOff': "PartnerWebhooksRotateSecretResultTurnedOff | None",
    'previousSecretUntil': "str | None",
    'secret': str,
})

PartnerWebhooksTestResultAttemptsItem = TypedDict('PartnerWebhooksTestResultAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

PartnerWebhooksTestResult = TypedDict('PartnerWebhooksTestResult', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["PartnerWebhooksTestResultAttemptsItem"],
})

PartnerWebhooksDeliveriesResult = TypedDict('PartnerWebhooksDeliveriesResult', {
    'deliveries': list["Delivery"],
    'next': "str | None",
})

PartnerWebhooksDeleteResult = TypedDict('PartnerWebhooksDeleteResult', {
    'deleted': Literal[True],
})

PartnerEventsListResult = TypedDict('PartnerEventsListResult', {
    'events': list["EventEnvelope"],
    'next': "str | None",
    'cursor': str,
})

PartnerEventsGetResult = TypedDict('PartnerEventsGetResult', {
    'id': str,
    'type': str,
    'created_at': str,
    'cursor': NotRequired[str],
    'test': NotRequired[bool],
    'sandbox': NotRequired[bool],
    'customer_id': NotRequired[str],
    'data': dict[str, Any],
})

EventType: TypeAlias = Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message', 'customer.created', 'customer.plan_changed', 'customer.paused', 'customer.resumed']
