# Written by `npm run generate` from operations/ and schemas/: change those.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

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

FullMessageTrustDkimItem = TypedDict('FullMessageTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

FullMessageTrust = TypedDict('FullMessageTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["FullMessageTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

FullMessageVerificationCodesItem = TypedDict('FullMessageVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

FullMessageVerificationLinksItem = TypedDict('FullMessageVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

FullMessageVerification = TypedDict('FullMessageVerification', {
    'codes': list["FullMessageVerificationCodesItem"],
    'links': list["FullMessageVerificationLinksItem"],
})

FullMessageHiddenItem = TypedDict('FullMessageHiddenItem', {
    'kind': str,
    'excerpt': str,
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
    'trust': "FullMessageTrust | None",
    'verification': "FullMessageVerification | None",
    'hidden': NotRequired[list["FullMessageHiddenItem"]],
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

PeopleUpdateResultPerson = TypedDict('PeopleUpdateResultPerson', {
    'id': str,
    'email': str,
    'name': str,
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
    'person': "PeopleUpdateResultPerson",
    'account': "PeopleUpdateResultAccount | None",
    'accounts': list["PeopleUpdateResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

PeopleJoinResultPerson = TypedDict('PeopleJoinResultPerson', {
    'id': str,
    'email': str,
    'name': str,
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
    'person': "PeopleJoinResultPerson",
    'account': "PeopleJoinResultAccount | None",
    'accounts': list["PeopleJoinResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SessionBeginPasskey = TypedDict('SessionBeginPasskey', {
    'attempt': str,
    'credential': dict[str, Any],
})

SessionBeginResultPerson = TypedDict('SessionBeginResultPerson', {
    'id': str,
    'email': str,
    'name': str,
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
    'person': "SessionBeginResultPerson",
    'account': "SessionBeginResultAccount | None",
    'accounts': list["SessionBeginResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SessionPasskeyResult = TypedDict('SessionPasskeyResult', {
    'attempt': str,
    'options': dict[str, Any],
})

SessionGetResultPerson = TypedDict('SessionGetResultPerson', {
    'id': str,
    'email': str,
    'name': str,
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
    'person': "SessionGetResultPerson",
    'account': "SessionGetResultAccount | None",
    'accounts': list["SessionGetResultAccountsItem"],
    'administrator': bool,
    'csrfToken': str,
})

SessionSwitchResultPerson = TypedDict('SessionSwitchResultPerson', {
    'id': str,
    'email': str,
    'name': str,
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
    'person': "SessionSwitchResultPerson",
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

TotpSetResult2 = TypedDict('TotpSetResult2', {
    'recoveryCodes': list[str],
})

TotpSetResult = "TotpSetResult1 | TotpSetResult2"

TotpRemoveResult = TypedDict('TotpRemoveResult', {
    'deleted': Literal[True],
})

PasskeysListResultPasskeysItem = TypedDict('PasskeysListResultPasskeysItem', {
    'id': str,
    'name': str,
    'createdAt': str,
    'lastUsedAt': "str | None",
})

PasskeysListResult = TypedDict('PasskeysListResult', {
    'passkeys': list["PasskeysListResultPasskeysItem"],
    'next': "str | None",
})

PasskeysCreateResult1 = TypedDict('PasskeysCreateResult1', {
    'id': str,
    'name': str,
    'createdAt': str,
    'lastUsedAt': "str | None",
})

PasskeysCreateResult2 = TypedDict('PasskeysCreateResult2', {
    'options': dict[str, Any],
})

PasskeysCreateResult = "PasskeysCreateResult1 | PasskeysCreateResult2"

PasskeysRemoveResult = TypedDict('PasskeysRemoveResult', {
    'deleted': Literal[True],
})

ClaimsCreateResultPerson = TypedDict('ClaimsCreateResultPerson', {
    'id': str,
    'email': str,
    'name': str,
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
    'person': "ClaimsCreateResultPerson",
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

UsageDailyResultDaysItem = TypedDict('UsageDailyResultDaysItem', {
    'day': str,
    'sent': int,
    'received': int,
    'delivered': int,
    'bounced': int,
    'complained': int,
    'bytes': int,
})

UsageDailyResult = TypedDict('UsageDailyResult', {
    'days': list["UsageDailyResultDaysItem"],
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

AuditListResultEntriesItemWho = TypedDict('AuditListResultEntriesItemWho', {
    'kind': Literal['key', 'program', 'person', 'partner', 'administrator', 'service'],
    'id': "str | None",
})

AuditListResultEntriesItemChange = TypedDict('AuditListResultEntriesItemChange', {
    'before': "dict[str, Any] | None",
    'after': "dict[str, Any] | None",
})

AuditListResultEntriesItem = TypedDict('AuditListResultEntriesItem', {
    'id': str,
    'at': str,
    'who': "AuditListResultEntriesItemWho",
    'action': str,
    'target': "str | None",
    'outcome': str,
    'address': "str | None",
    'change': NotRequired["AuditListResultEntriesItemChange"],
    'requestId': str,
})

AuditListResult = TypedDict('AuditListResult', {
    'entries': list["AuditListResultEntriesItem"],
    'next': "str | None",
})

MembersListResultMembersItem = TypedDict('MembersListResultMembersItem', {
    'id': str,
    'email': str,
    'name': "str | None",
    'role': Literal['owner', 'member', 'reader'],
    'status': Literal['active', 'invited'],
    'since': str,
})

MembersListResult = TypedDict('MembersListResult', {
    'members': list["MembersListResultMembersItem"],
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

RequestsListResultRequestsItem = TypedDict('RequestsListResultRequestsItem', {
    'id': str,
    'kind': Literal['limit', 'phone'],
    'text': str,
    'phone': "str | None",
    'status': Literal['open', 'granted', 'refused'],
    'answer': "str | None",
    'createdAt': str,
    'answeredAt': "str | None",
})

RequestsListResult = TypedDict('RequestsListResult', {
    'requests': list["RequestsListResultRequestsItem"],
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

AdministrationAccountsResultAccountsItemSuspended = TypedDict('AdministrationAccountsResultAccountsItemSuspended', {
    'reason': str,
    'at': str,
})

AdministrationAccountsResultAccountsItemSendingPaused = TypedDict('AdministrationAccountsResultAccountsItemSendingPaused', {
    'reason': str,
    'at': str,
})

AdministrationAccountsResultAccountsItem = TypedDict('AdministrationAccountsResultAccountsItem', {
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
    'suspended': "AdministrationAccountsResultAccountsItemSuspended | None",
    'sendingPaused': "AdministrationAccountsResultAccountsItemSendingPaused | None",
    'raised': dict[str, int],
})

AdministrationAccountsResult = TypedDict('AdministrationAccountsResult', {
    'accounts': list["AdministrationAccountsResultAccountsItem"],
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
})

AdministrationRequestsResultRequestsItemAccount = TypedDict('AdministrationRequestsResultRequestsItemAccount', {
    'id': str,
    'name': str,
})

AdministrationRequestsResultRequestsItem = TypedDict('AdministrationRequestsResultRequestsItem', {
    'id': str,
    'kind': Literal['limit', 'phone'],
    'text': str,
    'phone': "str | None",
    'status': Literal['open', 'granted', 'refused'],
    'answer': "str | None",
    'createdAt': str,
    'answeredAt': "str | None",
    'account': "AdministrationRequestsResultRequestsItemAccount",
    'email': "str | None",
})

AdministrationRequestsResult = TypedDict('AdministrationRequestsResult', {
    'requests': list["AdministrationRequestsResultRequestsItem"],
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

AdministrationOutboxResultDestinationsItemAnswersItem = TypedDict('AdministrationOutboxResultDestinationsItemAnswersItem', {
    'at': str,
    'answer': str,
})

AdministrationOutboxResultDestinationsItem = TypedDict('AdministrationOutboxResultDestinationsItem', {
    'domain': str,
    'waiting': int,
    'attempted': int,
    'oldestAt': str,
    'nextAt': str,
    'answers': list["AdministrationOutboxResultDestinationsItemAnswersItem"],
})

AdministrationOutboxResult = TypedDict('AdministrationOutboxResult', {
    'destinations': list["AdministrationOutboxResultDestinationsItem"],
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

KeysListResultKeysItem = TypedDict('KeysListResultKeysItem', {
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

KeysListResult = TypedDict('KeysListResult', {
    'keys': list["KeysListResultKeysItem"],
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

GrantsListResultGrantsItemPerson = TypedDict('GrantsListResultGrantsItemPerson', {
    'id': str,
    'email': str,
    'name': str,
})

GrantsListResultGrantsItem = TypedDict('GrantsListResultGrantsItem', {
    'id': str,
    'name': str,
    'clientId': str,
    'redirectsTo': str,
    'person': "GrantsListResultGrantsItemPerson | None",
    'scopes': list[Literal['mail:read', 'mail:send', 'mail:write', 'mailboxes:read', 'mailboxes:write', 'dns:read', 'dns:write', 'domains:read', 'domains:write', 'aliases:read', 'aliases:write', 'drive:read']],
    'mailboxes': "list[str] | None",
    'createdAt': str,
    'endsAt': str,
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
})

GrantsListResult = TypedDict('GrantsListResult', {
    'grants': list["GrantsListResultGrantsItem"],
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
    'until': NotRequired["str | None"],
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

AppPasswordsListResultAppPasswordsItem = TypedDict('AppPasswordsListResultAppPasswordsItem', {
    'id': str,
    'name': str,
    'createdAt': str,
    'lastUsedAt': "str | None",
    'lastUsedFrom': "str | None",
})

AppPasswordsListResult = TypedDict('AppPasswordsListResult', {
    'appPasswords': list["AppPasswordsListResultAppPasswordsItem"],
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

MessagesWaitResultMessageTrustDkimItem = TypedDict('MessagesWaitResultMessageTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

MessagesWaitResultMessageTrust = TypedDict('MessagesWaitResultMessageTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["MessagesWaitResultMessageTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

MessagesWaitResultMessageVerificationCodesItem = TypedDict('MessagesWaitResultMessageVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

MessagesWaitResultMessageVerificationLinksItem = TypedDict('MessagesWaitResultMessageVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

MessagesWaitResultMessageVerification = TypedDict('MessagesWaitResultMessageVerification', {
    'codes': list["MessagesWaitResultMessageVerificationCodesItem"],
    'links': list["MessagesWaitResultMessageVerificationLinksItem"],
})

MessagesWaitResultMessage = TypedDict('MessagesWaitResultMessage', {
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
    'trust': "MessagesWaitResultMessageTrust | None",
    'verification': "MessagesWaitResultMessageVerification | None",
})

MessagesWaitResultNearMissesItem = TypedDict('MessagesWaitResultNearMissesItem', {
    'message_id': str,
    'why': str,
})

MessagesWaitResult = TypedDict('MessagesWaitResult', {
    'message': "MessagesWaitResultMessage | None",
    'near_misses': list["MessagesWaitResultNearMissesItem"],
    'cursor': str,
})

MessagesWaitAndClaimResultMessageTrustDkimItem = TypedDict('MessagesWaitAndClaimResultMessageTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

MessagesWaitAndClaimResultMessageTrust = TypedDict('MessagesWaitAndClaimResultMessageTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["MessagesWaitAndClaimResultMessageTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

MessagesWaitAndClaimResultMessageVerificationCodesItem = TypedDict('MessagesWaitAndClaimResultMessageVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

MessagesWaitAndClaimResultMessageVerificationLinksItem = TypedDict('MessagesWaitAndClaimResultMessageVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

MessagesWaitAndClaimResultMessageVerification = TypedDict('MessagesWaitAndClaimResultMessageVerification', {
    'codes': list["MessagesWaitAndClaimResultMessageVerificationCodesItem"],
    'links': list["MessagesWaitAndClaimResultMessageVerificationLinksItem"],
})

MessagesWaitAndClaimResultMessage = TypedDict('MessagesWaitAndClaimResultMessage', {
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
    'trust': "MessagesWaitAndClaimResultMessageTrust | None",
    'verification': "MessagesWaitAndClaimResultMessageVerification | None",
})

MessagesWaitAndClaimResultNearMissesItem = TypedDict('MessagesWaitAndClaimResultNearMissesItem', {
    'message_id': str,
    'why': str,
})

MessagesWaitAndClaimResult = TypedDict('MessagesWaitAndClaimResult', {
    'message': "MessagesWaitAndClaimResultMessage | None",
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

MessagesSearchResultMessagesItemHighlightsItemMarksItem = TypedDict('MessagesSearchResultMessagesItemHighlightsItemMarksItem', {
    'start': int,
    'end': int,
})

MessagesSearchResultMessagesItemHighlightsItem = TypedDict('MessagesSearchResultMessagesItemHighlightsItem', {
    'field': Literal['subject', 'from', 'to', 'cc', 'filename', 'body'],
    'text': str,
    'marks': list["MessagesSearchResultMessagesItemHighlightsItemMarksItem"],
})

MessagesSearchResultMessagesItem = TypedDict('MessagesSearchResultMessagesItem', {
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
    'highlights': list["MessagesSearchResultMessagesItemHighlightsItem"],
})

MessagesSearchResult = TypedDict('MessagesSearchResult', {
    'messages': list["MessagesSearchResultMessagesItem"],
    'next': "str | None",
})

MessagesGetResultTrustDkimItem = TypedDict('MessagesGetResultTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

MessagesGetResultTrust = TypedDict('MessagesGetResultTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["MessagesGetResultTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

MessagesGetResultVerificationCodesItem = TypedDict('MessagesGetResultVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

MessagesGetResultVerificationLinksItem = TypedDict('MessagesGetResultVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

MessagesGetResultVerification = TypedDict('MessagesGetResultVerification', {
    'codes': list["MessagesGetResultVerificationCodesItem"],
    'links': list["MessagesGetResultVerificationLinksItem"],
})

MessagesGetResultHiddenItem = TypedDict('MessagesGetResultHiddenItem', {
    'kind': str,
    'excerpt': str,
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
    'trust': "MessagesGetResultTrust | None",
    'verification': "MessagesGetResultVerification | None",
    'hidden': NotRequired[list["MessagesGetResultHiddenItem"]],
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

MessagesSendTo = TypedDict('MessagesSendTo', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendToItem = TypedDict('MessagesSendToItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendCc = TypedDict('MessagesSendCc', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendCcItem = TypedDict('MessagesSendCcItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendBcc = TypedDict('MessagesSendBcc', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendBccItem = TypedDict('MessagesSendBccItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendReplyTo = TypedDict('MessagesSendReplyTo', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendReplyToItem = TypedDict('MessagesSendReplyToItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesSendAttachmentsItem1 = TypedDict('MessagesSendAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

MessagesSendAttachmentsItem2 = TypedDict('MessagesSendAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
})

MessagesSendResult2RecipientsItem = TypedDict('MessagesSendResult2RecipientsItem', {
    'email': str,
    'decision': Literal['send', 'suppressed', 'blocked_by_list', 'claim_required', 'over_limit', 'waits_for_approval'],
    'reason': "str | None",
})

MessagesSendResult2 = TypedDict('MessagesSendResult2', {
    'dryRun': Literal[True],
    'size': int,
    'headers': list[list[str]],
    'recipients': list["MessagesSendResult2RecipientsItem"],
})

MessagesSendResult = "SendResult | MessagesSendResult2"

MessagesReplyCc = TypedDict('MessagesReplyCc', {
    'name': NotRequired[str],
    'address': str,
})

MessagesReplyCcItem = TypedDict('MessagesReplyCcItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesReplyBcc = TypedDict('MessagesReplyBcc', {
    'name': NotRequired[str],
    'address': str,
})

MessagesReplyBccItem = TypedDict('MessagesReplyBccItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesReplyReplyTo = TypedDict('MessagesReplyReplyTo', {
    'name': NotRequired[str],
    'address': str,
})

MessagesReplyReplyToItem = TypedDict('MessagesReplyReplyToItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesReplyAttachmentsItem1 = TypedDict('MessagesReplyAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

MessagesReplyAttachmentsItem2 = TypedDict('MessagesReplyAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
})

MessagesReplyResultApproval = TypedDict('MessagesReplyResultApproval', {
    'id': str,
    'hash': str,
    'draft_id': "str | None",
    'expiresAt': str,
})

MessagesReplyResultRecipientsItem = TypedDict('MessagesReplyResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

MessagesReplyResult = TypedDict('MessagesReplyResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'status': Literal['queued', 'scheduled', 'waiting_for_approval'],
    'sendAt': NotRequired[str],
    'approval': NotRequired["MessagesReplyResultApproval"],
    'recipients': list["MessagesReplyResultRecipientsItem"],
    'suppressed': list[str],
})

MessagesForwardTo = TypedDict('MessagesForwardTo', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardToItem = TypedDict('MessagesForwardToItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardCc = TypedDict('MessagesForwardCc', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardCcItem = TypedDict('MessagesForwardCcItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardBcc = TypedDict('MessagesForwardBcc', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardBccItem = TypedDict('MessagesForwardBccItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardReplyTo = TypedDict('MessagesForwardReplyTo', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardReplyToItem = TypedDict('MessagesForwardReplyToItem', {
    'name': NotRequired[str],
    'address': str,
})

MessagesForwardAttachmentsItem1 = TypedDict('MessagesForwardAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

MessagesForwardAttachmentsItem2 = TypedDict('MessagesForwardAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
})

MessagesForwardResultApproval = TypedDict('MessagesForwardResultApproval', {
    'id': str,
    'hash': str,
    'draft_id': "str | None",
    'expiresAt': str,
})

MessagesForwardResultRecipientsItem = TypedDict('MessagesForwardResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
})

MessagesForwardResult = TypedDict('MessagesForwardResult', {
    'id': str,
    'message_id': "str | None",
    'thread_id': "str | None",
    'status': Literal['queued', 'scheduled', 'waiting_for_approval'],
    'sendAt': NotRequired[str],
    'approval': NotRequired["MessagesForwardResultApproval"],
    'recipients': list["MessagesForwardResultRecipientsItem"],
    'suppressed': list[str],
})

TrashEmptyResult = TypedDict('TrashEmptyResult', {
    'deleted': int,
})

FoldersListResultFoldersItem = TypedDict('FoldersListResultFoldersItem', {
    'path': str,
    'role': "Literal['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] | None",
    'total': int,
    'unread': int,
})

FoldersListResult = TypedDict('FoldersListResult', {
    'folders': list["FoldersListResultFoldersItem"],
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

ThreadsListResultThreadsItem = TypedDict('ThreadsListResultThreadsItem', {
    'thread_id': str,
    'subject': "str | None",
    'participants': list["Address"],
    'message_count': int,
    'last_message_at': str,
    'labels': list[str],
    'awaiting': Literal['us', 'them', 'none'],
})

ThreadsListResult = TypedDict('ThreadsListResult', {
    'threads': list["ThreadsListResultThreadsItem"],
    'next': "str | None",
})

ThreadsGetResultMessagesItem = TypedDict('ThreadsGetResultMessagesItem', {
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

ThreadsGetResult = TypedDict('ThreadsGetResult', {
    'thread_id': str,
    'subject': "str | None",
    'participants': list["Address"],
    'message_count': int,
    'last_message_at': str,
    'labels': list[str],
    'awaiting': Literal['us', 'them', 'none'],
    'messages': list["ThreadsGetResultMessagesItem"],
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

ContactsListResultContactsItem = TypedDict('ContactsListResultContactsItem', {
    'name': str,
    'address': str,
    'last_seen_at': str,
    'sent': int,
    'received': int,
})

ContactsListResult = TypedDict('ContactsListResult', {
    'contacts': list["ContactsListResultContactsItem"],
    'next': "str | None",
})

DraftsListResult = TypedDict('DraftsListResult', {
    'drafts': list["MessageSummary"],
    'next': "str | None",
})

DraftsCreateTo = TypedDict('DraftsCreateTo', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateToItem = TypedDict('DraftsCreateToItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateCc = TypedDict('DraftsCreateCc', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateCcItem = TypedDict('DraftsCreateCcItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateBcc = TypedDict('DraftsCreateBcc', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateBccItem = TypedDict('DraftsCreateBccItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateReplyTo = TypedDict('DraftsCreateReplyTo', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateReplyToItem = TypedDict('DraftsCreateReplyToItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsCreateAttachmentsItem1 = TypedDict('DraftsCreateAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

DraftsCreateAttachmentsItem2 = TypedDict('DraftsCreateAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
})

DraftsCreateResultTrustDkimItem = TypedDict('DraftsCreateResultTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

DraftsCreateResultTrust = TypedDict('DraftsCreateResultTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["DraftsCreateResultTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

DraftsCreateResultVerificationCodesItem = TypedDict('DraftsCreateResultVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

DraftsCreateResultVerificationLinksItem = TypedDict('DraftsCreateResultVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

DraftsCreateResultVerification = TypedDict('DraftsCreateResultVerification', {
    'codes': list["DraftsCreateResultVerificationCodesItem"],
    'links': list["DraftsCreateResultVerificationLinksItem"],
})

DraftsCreateResultHiddenItem = TypedDict('DraftsCreateResultHiddenItem', {
    'kind': str,
    'excerpt': str,
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
    'trust': "DraftsCreateResultTrust | None",
    'verification': "DraftsCreateResultVerification | None",
    'hidden': NotRequired[list["DraftsCreateResultHiddenItem"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

DraftsGetResultTrustDkimItem = TypedDict('DraftsGetResultTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

DraftsGetResultTrust = TypedDict('DraftsGetResultTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["DraftsGetResultTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

DraftsGetResultVerificationCodesItem = TypedDict('DraftsGetResultVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

DraftsGetResultVerificationLinksItem = TypedDict('DraftsGetResultVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

DraftsGetResultVerification = TypedDict('DraftsGetResultVerification', {
    'codes': list["DraftsGetResultVerificationCodesItem"],
    'links': list["DraftsGetResultVerificationLinksItem"],
})

DraftsGetResultHiddenItem = TypedDict('DraftsGetResultHiddenItem', {
    'kind': str,
    'excerpt': str,
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
    'trust': "DraftsGetResultTrust | None",
    'verification': "DraftsGetResultVerification | None",
    'hidden': NotRequired[list["DraftsGetResultHiddenItem"]],
    'encrypted': "Literal['pgp', 'smime'] | None",
    'truncated': bool,
    'next': "str | None",
})

DraftsUpdateTo = TypedDict('DraftsUpdateTo', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateToItem = TypedDict('DraftsUpdateToItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateCc = TypedDict('DraftsUpdateCc', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateCcItem = TypedDict('DraftsUpdateCcItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateBcc = TypedDict('DraftsUpdateBcc', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateBccItem = TypedDict('DraftsUpdateBccItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateReplyTo = TypedDict('DraftsUpdateReplyTo', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateReplyToItem = TypedDict('DraftsUpdateReplyToItem', {
    'name': NotRequired[str],
    'address': str,
})

DraftsUpdateAttachmentsItem1 = TypedDict('DraftsUpdateAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

DraftsUpdateAttachmentsItem2 = TypedDict('DraftsUpdateAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
})

DraftsUpdateResultTrustDkimItem = TypedDict('DraftsUpdateResultTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

DraftsUpdateResultTrust = TypedDict('DraftsUpdateResultTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["DraftsUpdateResultTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

DraftsUpdateResultVerificationCodesItem = TypedDict('DraftsUpdateResultVerificationCodesItem', {
    'value': str,
    'label': "str | None",
    'confidence': float,
})

DraftsUpdateResultVerificationLinksItem = TypedDict('DraftsUpdateResultVerificationLinksItem', {
    'url': str,
    'host': str,
    'same_org': bool,
})

DraftsUpdateResultVerification = TypedDict('DraftsUpdateResultVerification', {
    'codes': list["DraftsUpdateResultVerificationCodesItem"],
    'links': list["DraftsUpdateResultVerificationLinksItem"],
})

DraftsUpdateResultHiddenItem = TypedDict('DraftsUpdateResultHiddenItem', {
    'kind': str,
    'excerpt': str,
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
    'trust': "DraftsUpdateResultTrust | None",
    'verification': "DraftsUpdateResultVerification | None",
    'hidden': NotRequired[list["DraftsUpdateResultHiddenItem"]],
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

ScheduledListResultScheduledItem = TypedDict('ScheduledListResultScheduledItem', {
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

ScheduledListResult = TypedDict('ScheduledListResult', {
    'scheduled': list["ScheduledListResultScheduledItem"],
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

SearchAllResultMessagesItemHighlightsItemMarksItem = TypedDict('SearchAllResultMessagesItemHighlightsItemMarksItem', {
    'start': int,
    'end': int,
})

SearchAllResultMessagesItemHighlightsItem = TypedDict('SearchAllResultMessagesItemHighlightsItem', {
    'field': Literal['subject', 'from', 'to', 'cc', 'filename', 'body'],
    'text': str,
    'marks': list["SearchAllResultMessagesItemHighlightsItemMarksItem"],
})

SearchAllResultMessagesItem = TypedDict('SearchAllResultMessagesItem', {
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
    'highlights': list["SearchAllResultMessagesItemHighlightsItem"],
})

SearchAllResult = TypedDict('SearchAllResult', {
    'messages': list["SearchAllResultMessagesItem"],
    'next': "str | None",
})

DriveListResultEntriesItem = TypedDict('DriveListResultEntriesItem', {
    'id': str,
    'name': str,
    'kind': Literal['file', 'folder'],
    'parentId': "str | None",
    'size': int,
    'contentType': "str | None",
    'createdAt': str,
    'modifiedAt': str,
})

DriveListResult = TypedDict('DriveListResult', {
    'entries': list["DriveListResultEntriesItem"],
    'next': "str | None",
})

DriveDownloadUrlResult = TypedDict('DriveDownloadUrlResult', {
    'url': str,
    'expiresAt': str,
})

BatchesListResultBatchesItem = TypedDict('BatchesListResultBatchesItem', {
    'id': str,
    'mailbox': str,
    'subject': str,
    'createdAt': str,
    'handled': int,
    'total': int,
})

BatchesListResult = TypedDict('BatchesListResult', {
    'batches': list["BatchesListResultBatchesItem"],
    'next': "str | None",
})

EmailsSendTo = TypedDict('EmailsSendTo', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendToItem = TypedDict('EmailsSendToItem', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendCc = TypedDict('EmailsSendCc', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendCcItem = TypedDict('EmailsSendCcItem', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendBcc = TypedDict('EmailsSendBcc', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendBccItem = TypedDict('EmailsSendBccItem', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendReplyTo = TypedDict('EmailsSendReplyTo', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendReplyToItem = TypedDict('EmailsSendReplyToItem', {
    'name': NotRequired[str],
    'address': str,
})

EmailsSendAttachmentsItem1 = TypedDict('EmailsSendAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

EmailsSendAttachmentsItem2 = TypedDict('EmailsSendAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
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

EmailsListResultEmailsItemApproval = TypedDict('EmailsListResultEmailsItemApproval', {
    'id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'reason': "str | None",
})

EmailsListResultEmailsItemRecipientsItem = TypedDict('EmailsListResultEmailsItemRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'reason': "str | None",
    'at': str,
    'mx': "str | None",
    'response': "str | None",
    'attempts': int,
})

EmailsListResultEmailsItem = TypedDict('EmailsListResultEmailsItem', {
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
    'approval': NotRequired["EmailsListResultEmailsItemApproval"],
    'createdAt': str,
    'recipients': list["EmailsListResultEmailsItemRecipientsItem"],
})

EmailsListResult = TypedDict('EmailsListResult', {
    'emails': list["EmailsListResultEmailsItem"],
    'next': "str | None",
})

EmailsGetResultApproval = TypedDict('EmailsGetResultApproval', {
    'id': str,
    'status': Literal['waiting', 'approved', 'refused', 'expired', 'void'],
    'reason': "str | None",
})

EmailsGetResultRecipientsItem = TypedDict('EmailsGetResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'reason': "str | None",
    'at': str,
    'mx': "str | None",
    'response': "str | None",
    'attempts': int,
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
    'approval': NotRequired["EmailsGetResultApproval"],
    'createdAt': str,
    'recipients': list["EmailsGetResultRecipientsItem"],
})

ApprovalsListResultApprovalsItem = TypedDict('ApprovalsListResultApprovalsItem', {
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

ApprovalsListResult = TypedDict('ApprovalsListResult', {
    'approvals': list["ApprovalsListResultApprovalsItem"],
    'next': "str | None",
})

ApprovalsGetResultContentHiddenItem = TypedDict('ApprovalsGetResultContentHiddenItem', {
    'kind': str,
    'excerpt': str,
})

ApprovalsGetResultContentAttachmentsItem = TypedDict('ApprovalsGetResultContentAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

ApprovalsGetResultContent = TypedDict('ApprovalsGetResultContent', {
    'text': str,
    'html': "str | None",
    'hidden': list["ApprovalsGetResultContentHiddenItem"],
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

TemplatesListResultTemplatesItem = TypedDict('TemplatesListResultTemplatesItem', {
    'alias': str,
    'subject': str,
    'html': "str | None",
    'text': "str | None",
    'status': Literal['active', 'paused'],
    'variables': list[str],
    'createdAt': str,
    'updatedAt': str,
})

TemplatesListResult = TypedDict('TemplatesListResult', {
    'templates': list["TemplatesListResultTemplatesItem"],
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

SuppressionsListResultSuppressionsItem = TypedDict('SuppressionsListResultSuppressionsItem', {
    'email': str,
    'reason': Literal['bounce', 'complaint', 'unsubscribe', 'manual'],
    'detail': "str | None",
    'mailboxes': "list[str] | None",
    'createdAt': str,
})

SuppressionsListResult = TypedDict('SuppressionsListResult', {
    'suppressions': list["SuppressionsListResultSuppressionsItem"],
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

DeliveriesStatusResultRecipientsItem = TypedDict('DeliveriesStatusResultRecipientsItem', {
    'email': str,
    'status': Literal['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'reason': "str | None",
    'at': str,
    'mx': "str | None",
    'response': "str | None",
    'attempts': int,
})

DeliveriesStatusResult = TypedDict('DeliveriesStatusResult', {
    'id': str,
    'message_id': "str | None",
    'mailbox': "str | None",
    'subject': "str | None",
    'status': Literal['scheduled', 'queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'],
    'recipients': list["DeliveriesStatusResultRecipientsItem"],
})

DeliveriesListResultDeliveriesItemAttemptsItem = TypedDict('DeliveriesListResultDeliveriesItemAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

DeliveriesListResultDeliveriesItem = TypedDict('DeliveriesListResultDeliveriesItem', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["DeliveriesListResultDeliveriesItemAttemptsItem"],
})

DeliveriesListResult = TypedDict('DeliveriesListResult', {
    'deliveries': list["DeliveriesListResultDeliveriesItem"],
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

DomainsListResultDomainsItemRecordsItem = TypedDict('DomainsListResultDomainsItemRecordsItem', {
    'type': str,
    'name': str,
    'value': str,
    'found': list[str],
    'ok': bool,
    'mailCritical': bool,
    'required': NotRequired[bool],
    'fix': NotRequired["str | None"],
})

DomainsListResultDomainsItem = TypedDict('DomainsListResultDomainsItem', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainsListResultDomainsItemRecordsItem"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsListResult = TypedDict('DomainsListResult', {
    'domains': list["DomainsListResultDomainsItem"],
    'next': "str | None",
})

DomainsCreateResultRecordsItem = TypedDict('DomainsCreateResultRecordsItem', {
    'type': str,
    'name': str,
    'value': str,
    'found': list[str],
    'ok': bool,
    'mailCritical': bool,
    'required': NotRequired[bool],
    'fix': NotRequired["str | None"],
})

DomainsCreateResult = TypedDict('DomainsCreateResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainsCreateResultRecordsItem"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsGetResultRecordsItem = TypedDict('DomainsGetResultRecordsItem', {
    'type': str,
    'name': str,
    'value': str,
    'found': list[str],
    'ok': bool,
    'mailCritical': bool,
    'required': NotRequired[bool],
    'fix': NotRequired["str | None"],
})

DomainsGetResult = TypedDict('DomainsGetResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainsGetResultRecordsItem"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsVerifyResultRecordsItem = TypedDict('DomainsVerifyResultRecordsItem', {
    'type': str,
    'name': str,
    'value': str,
    'found': list[str],
    'ok': bool,
    'mailCritical': bool,
    'required': NotRequired[bool],
    'fix': NotRequired["str | None"],
})

DomainsVerifyResult = TypedDict('DomainsVerifyResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainsVerifyResultRecordsItem"],
    'defaultDisplayName': "str | None",
    'shared': bool,
    'createdAt': NotRequired[str],
    'checkedAt': NotRequired["str | None"],
    'dns': NotRequired[Literal['built-in', 'dynamic-update', 'by-hand']],
    'expiresAt': NotRequired[str],
})

DomainsUpdateResultRecordsItem = TypedDict('DomainsUpdateResultRecordsItem', {
    'type': str,
    'name': str,
    'value': str,
    'found': list[str],
    'ok': bool,
    'mailCritical': bool,
    'required': NotRequired[bool],
    'fix': NotRequired["str | None"],
})

DomainsUpdateResult = TypedDict('DomainsUpdateResult', {
    'domain': str,
    'status': Literal['pending', 'verified', 'broken'],
    'verifiedAt': "str | None",
    'records': list["DomainsUpdateResultRecordsItem"],
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

DomainsReportsResultSourcesItemDispositions = TypedDict('DomainsReportsResultSourcesItemDispositions', {
    'none': int,
    'quarantine': int,
    'reject': int,
})

DomainsReportsResultSourcesItemFindingsItem = TypedDict('DomainsReportsResultSourcesItemFindingsItem', {
    'kind': Literal['passes', 'own_server', 'forwarder', 'provider', 'stranger'],
    'messages': int,
    'explanation': str,
    'fix': "str | None",
})

DomainsReportsResultSourcesItem = TypedDict('DomainsReportsResultSourcesItem', {
    'source': str,
    'name': "str | None",
    'organisation': "str | None",
    'own': bool,
    'messages': int,
    'passed': int,
    'passRate': "float | None",
    'spfAligned': int,
    'dkimAligned': int,
    'dispositions': "DomainsReportsResultSourcesItemDispositions",
    'firstDay': str,
    'lastDay': str,
    'findings': list["DomainsReportsResultSourcesItemFindingsItem"],
})

DomainsReportsResult = TypedDict('DomainsReportsResult', {
    'domain': str,
    'since': str,
    'until': str,
    'complete': bool,
    'delivery': "DomainsReportsResultDelivery",
    'dmarc': "DomainsReportsResultDmarc",
    'tls': "DomainsReportsResultTls",
    'sources': list["DomainsReportsResultSourcesItem"],
    'next': "str | None",
})

DnsListResultRecordsItem = TypedDict('DnsListResultRecordsItem', {
    'id': str,
    'type': Literal['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'],
    'name': str,
    'value': str,
    'ttl': int,
    'priority': "int | None",
    'mailCritical': bool,
    'managed': bool,
})

DnsListResult = TypedDict('DnsListResult', {
    'records': list["DnsListResultRecordsItem"],
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

AliasesListResultAliasesItem = TypedDict('AliasesListResultAliasesItem', {
    'alias': str,
    'targets': list[str],
    'createdAt': str,
})

AliasesListResult = TypedDict('AliasesListResult', {
    'aliases': list["AliasesListResultAliasesItem"],
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

IntakeListResultIntakesItemDelivery = TypedDict('IntakeListResultIntakesItemDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeListResultIntakesItemLensFieldsItem = TypedDict('IntakeListResultIntakesItemLensFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeListResultIntakesItemLens = TypedDict('IntakeListResultIntakesItemLens', {
    'enabled': bool,
    'fields': list["IntakeListResultIntakesItemLensFieldsItem"],
    'quoted': bool,
})

IntakeListResultIntakesItem = TypedDict('IntakeListResultIntakesItem', {
    'mailbox': str,
    'active': bool,
    'delivery': "IntakeListResultIntakesItemDelivery",
    'lens': "IntakeListResultIntakesItemLens",
    'retention': Literal[7, 30, 90, 'forever'],
    'createdAt': str,
})

IntakeListResult = TypedDict('IntakeListResult', {
    'intakes': list["IntakeListResultIntakesItem"],
    'next': "str | None",
})

IntakeCreateDelivery = TypedDict('IntakeCreateDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired[str],
    'webhookId': NotRequired[str],
})

IntakeCreateLensFieldsItem = TypedDict('IntakeCreateLensFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeCreateLens = TypedDict('IntakeCreateLens', {
    'enabled': bool,
    'fields': NotRequired[list["IntakeCreateLensFieldsItem"]],
    'quoted': NotRequired[bool],
})

IntakeCreateResultDelivery = TypedDict('IntakeCreateResultDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeCreateResultLensFieldsItem = TypedDict('IntakeCreateResultLensFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeCreateResultLens = TypedDict('IntakeCreateResultLens', {
    'enabled': bool,
    'fields': list["IntakeCreateResultLensFieldsItem"],
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

IntakeTemplatesResultTemplatesItemFieldsItem = TypedDict('IntakeTemplatesResultTemplatesItemFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeTemplatesResultTemplatesItem = TypedDict('IntakeTemplatesResultTemplatesItem', {
    'name': str,
    'fields': list["IntakeTemplatesResultTemplatesItemFieldsItem"],
})

IntakeTemplatesResult = TypedDict('IntakeTemplatesResult', {
    'templates': list["IntakeTemplatesResultTemplatesItem"],
})

IntakeGetResultDelivery = TypedDict('IntakeGetResultDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeGetResultLensFieldsItem = TypedDict('IntakeGetResultLensFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeGetResultLens = TypedDict('IntakeGetResultLens', {
    'enabled': bool,
    'fields': list["IntakeGetResultLensFieldsItem"],
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

IntakeUpdateDelivery = TypedDict('IntakeUpdateDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired[str],
    'webhookId': NotRequired[str],
})

IntakeUpdateLensFieldsItem = TypedDict('IntakeUpdateLensFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeUpdateLens = TypedDict('IntakeUpdateLens', {
    'enabled': bool,
    'fields': NotRequired[list["IntakeUpdateLensFieldsItem"]],
    'quoted': NotRequired[bool],
})

IntakeUpdateResultDelivery = TypedDict('IntakeUpdateResultDelivery', {
    'type': Literal['api', 'webhook'],
    'url': NotRequired["str | None"],
    'webhookId': NotRequired[str],
})

IntakeUpdateResultLensFieldsItem = TypedDict('IntakeUpdateResultLensFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeUpdateResultLens = TypedDict('IntakeUpdateResultLens', {
    'enabled': bool,
    'fields': list["IntakeUpdateResultLensFieldsItem"],
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

IntakeLensTestFieldsItem = TypedDict('IntakeLensTestFieldsItem', {
    'key': str,
    'type': Literal['text', 'number', 'date', 'yes/no', 'email address', 'list'],
    'description': str,
})

IntakeLensTestResultLensEvidenceItemsItem = TypedDict('IntakeLensTestResultLensEvidenceItemsItem', {
    'start': int,
    'end': int,
})

IntakeLensTestResultLensEvidence = TypedDict('IntakeLensTestResultLensEvidence', {
    'source': str,
    'start': int,
    'end': int,
    'items': NotRequired[list["IntakeLensTestResultLensEvidenceItemsItem"]],
})

IntakeLensTestResult = TypedDict('IntakeLensTestResult', {
    'lens': dict[str, "str | float | bool | list[str] | None"],
    'lens_evidence': dict[str, "IntakeLensTestResultLensEvidence | None"],
    'lens_engine': Literal['rules', 'model'],
})

IntakeLensBackfillResult = TypedDict('IntakeLensBackfillResult', {
    'count': int,
})

IntakeMessagesListResultMessagesItemLensEvidenceItemsItem = TypedDict('IntakeMessagesListResultMessagesItemLensEvidenceItemsItem', {
    'start': int,
    'end': int,
})

IntakeMessagesListResultMessagesItemLensEvidence = TypedDict('IntakeMessagesListResultMessagesItemLensEvidence', {
    'source': str,
    'start': int,
    'end': int,
    'items': NotRequired[list["IntakeMessagesListResultMessagesItemLensEvidenceItemsItem"]],
})

IntakeMessagesListResultMessagesItemTrustDkimItem = TypedDict('IntakeMessagesListResultMessagesItemTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

IntakeMessagesListResultMessagesItemTrust = TypedDict('IntakeMessagesListResultMessagesItemTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["IntakeMessagesListResultMessagesItemTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

IntakeMessagesListResultMessagesItemAttachmentsItem = TypedDict('IntakeMessagesListResultMessagesItemAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
})

IntakeMessagesListResultMessagesItem = TypedDict('IntakeMessagesListResultMessagesItem', {
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
    'lens_evidence': "dict[str, IntakeMessagesListResultMessagesItemLensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "IntakeMessagesListResultMessagesItemTrust | None",
    'spam': bool,
    'test': bool,
    'attachments': list["IntakeMessagesListResultMessagesItemAttachmentsItem"],
})

IntakeMessagesListResult = TypedDict('IntakeMessagesListResult', {
    'messages': list["IntakeMessagesListResultMessagesItem"],
    'next': "str | None",
})

IntakeMessagesGetResultLensEvidenceItemsItem = TypedDict('IntakeMessagesGetResultLensEvidenceItemsItem', {
    'start': int,
    'end': int,
})

IntakeMessagesGetResultLensEvidence = TypedDict('IntakeMessagesGetResultLensEvidence', {
    'source': str,
    'start': int,
    'end': int,
    'items': NotRequired[list["IntakeMessagesGetResultLensEvidenceItemsItem"]],
})

IntakeMessagesGetResultTrustDkimItem = TypedDict('IntakeMessagesGetResultTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

IntakeMessagesGetResultTrust = TypedDict('IntakeMessagesGetResultTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["IntakeMessagesGetResultTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

IntakeMessagesGetResultAttachmentsItemHiddenItem = TypedDict('IntakeMessagesGetResultAttachmentsItemHiddenItem', {
    'kind': str,
    'excerpt': str,
})

IntakeMessagesGetResultAttachmentsItem = TypedDict('IntakeMessagesGetResultAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
    'url': str,
    'expires_at': str,
    'text': "str | None",
    'hidden': list["IntakeMessagesGetResultAttachmentsItemHiddenItem"],
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
    'lens_evidence': "dict[str, IntakeMessagesGetResultLensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "IntakeMessagesGetResultTrust | None",
    'spam': bool,
    'test': bool,
    'text': str,
    'html': str,
    'attachments': list["IntakeMessagesGetResultAttachmentsItem"],
})

IntakeMessagesRevokeLinksResultLensEvidenceItemsItem = TypedDict('IntakeMessagesRevokeLinksResultLensEvidenceItemsItem', {
    'start': int,
    'end': int,
})

IntakeMessagesRevokeLinksResultLensEvidence = TypedDict('IntakeMessagesRevokeLinksResultLensEvidence', {
    'source': str,
    'start': int,
    'end': int,
    'items': NotRequired[list["IntakeMessagesRevokeLinksResultLensEvidenceItemsItem"]],
})

IntakeMessagesRevokeLinksResultTrustDkimItem = TypedDict('IntakeMessagesRevokeLinksResultTrustDkimItem', {
    'domain': str,
    'result': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
})

IntakeMessagesRevokeLinksResultTrust = TypedDict('IntakeMessagesRevokeLinksResultTrust', {
    'spf': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'dkim': list["IntakeMessagesRevokeLinksResultTrustDkimItem"],
    'dmarc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'arc': Literal['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'],
    'aligned_from': "str | None",
    'first_contact': bool,
    'reply_to_mismatch': bool,
    'display_name_spoof': bool,
    'auto_submitted': bool,
    'alternatives_differ': NotRequired[bool],
})

IntakeMessagesRevokeLinksResultAttachmentsItemHiddenItem = TypedDict('IntakeMessagesRevokeLinksResultAttachmentsItemHiddenItem', {
    'kind': str,
    'excerpt': str,
})

IntakeMessagesRevokeLinksResultAttachmentsItem = TypedDict('IntakeMessagesRevokeLinksResultAttachmentsItem', {
    'name': str,
    'content_type': str,
    'size': int,
    'url': str,
    'expires_at': str,
    'text': "str | None",
    'hidden': list["IntakeMessagesRevokeLinksResultAttachmentsItemHiddenItem"],
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
    'lens_evidence': "dict[str, IntakeMessagesRevokeLinksResultLensEvidence | None] | None",
    'lens_engine': "Literal['rules', 'model'] | None",
    'trust': "IntakeMessagesRevokeLinksResultTrust | None",
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

TestInboundFrom = TypedDict('TestInboundFrom', {
    'name': NotRequired[str],
    'address': str,
})

TestInboundTo = TypedDict('TestInboundTo', {
    'name': NotRequired[str],
    'address': str,
})

TestInboundToItem = TypedDict('TestInboundToItem', {
    'name': NotRequired[str],
    'address': str,
})

TestInboundAttachmentsItem1 = TypedDict('TestInboundAttachmentsItem1', {
    'name': str,
    'contentType': str,
    'content': str,
    'contentId': NotRequired[str],
})

TestInboundAttachmentsItem2 = TypedDict('TestInboundAttachmentsItem2', {
    'messageId': str,
    'attachmentId': str,
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
    'domains': NotRequired[list[str]],
    'mailboxes': NotRequired[list[str]],
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
    'domains': NotRequired[list[str]],
    'mailboxes': NotRequired[list[str]],
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

PartnerCustomersKeysListResultKeysItem = TypedDict('PartnerCustomersKeysListResultKeysItem', {
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

PartnerCustomersKeysListResult = TypedDict('PartnerCustomersKeysListResult', {
    'keys': list["PartnerCustomersKeysListResultKeysItem"],
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

PartnerWebhooksDeliveriesResultDeliveriesItemAttemptsItem = TypedDict('PartnerWebhooksDeliveriesResultDeliveriesItemAttemptsItem', {
    'at': str,
    'url': str,
    'headers': dict[str, str],
    'status': "int | None",
    'responseHeaders': dict[str, str],
    'response': "str | None",
    'error': "str | None",
    'durationMs': int,
})

PartnerWebhooksDeliveriesResultDeliveriesItem = TypedDict('PartnerWebhooksDeliveriesResultDeliveriesItem', {
    'id': str,
    'webhookId': str,
    'eventId': str,
    'type': str,
    'origin': Literal['event', 'resend', 'test'],
    'state': Literal['waiting', 'delivered', 'failed', 'skipped'],
    'createdAt': str,
    'nextAttemptAt': "str | None",
    'body': str,
    'attempts': list["PartnerWebhooksDeliveriesResultDeliveriesItemAttemptsItem"],
})

PartnerWebhooksDeliveriesResult = TypedDict('PartnerWebhooksDeliveriesResult', {
    'deliveries': list["PartnerWebhooksDeliveriesResultDeliveriesItem"],
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

EventType = Literal['message.received', 'message.sent', 'email.delivered', 'email.bounced', 'email.complained', 'mailbox.created', 'mailbox.deleted', 'account.sending_paused', 'account.sending_resumed', 'account.storage_warning', 'domain.verified', 'domain.dns_broken', 'domain.expiring', 'intake.message', 'customer.created', 'customer.plan_changed', 'customer.paused', 'customer.resumed']
