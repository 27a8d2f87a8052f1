/** The named schemas: the OpenAPI document refers to them by name, and the packages for programs have types of the same names. */
import {
  Account,
  AccountExport,
  AuditEntry,
  ClaimLink,
  DailyUsage,
  DayUsage,
  Setup,
  SignupResult,
  Usage,
} from '../schemas/accounts.ts'
import { AccountDetails, AdministeredAccount, Destination, OpenRequest, Processes } from '../schemas/administration.ts'
import { Alias } from '../schemas/aliases.ts'
import { Approval, ApprovalState, WholeApproval } from '../schemas/approvals.ts'
import { Contact } from '../schemas/contacts.ts'
import { DomainReports, ReportSource } from '../schemas/domain-reports.ts'
import { DnsRecord, Domain, DomainDnsRecord } from '../schemas/domains.ts'
import { DriveEntry } from '../schemas/drive.ts'
import { MessageEvent, MessageReceived } from '../schemas/events.ts'
import { ErrorObject } from '../schemas/fields.ts'
import { Grant } from '../schemas/grants.ts'
import { type JsonSchema, unlistedKeyword, untrustedKeyword } from '../schemas/infer.ts'
import {
  Intake,
  IntakeDeliveryInput,
  IntakeLensInput,
  IntakeMessage,
  IntakeSummary,
  LensEvidence,
  LensField,
  NewIntake,
} from '../schemas/intake.ts'
import { AppPassword, Key, NewKey } from '../schemas/keys.ts'
import { Mailbox, MailboxLists } from '../schemas/mailboxes.ts'
import {
  Address,
  AttachmentSummary,
  FullMessage,
  Hidden,
  MessageSummary,
  ThreadMessage,
  Trust,
  Verification,
  WaitedMessage,
} from '../schemas/messages.ts'
import { Customer } from '../schemas/partners.ts'
import { Member, Person, Session } from '../schemas/people.ts'
import { AccountRequest } from '../schemas/requests.ts'
import { FoundMessage } from '../schemas/search.ts'
import { Passkey, RecoveryCodes, SecondFactor } from '../schemas/second-factors.ts'
import {
  AddressesInput,
  AddressInput,
  AddressObject,
  AttachmentsInput,
  BatchResult,
  BatchStatus,
  BatchSummary,
  DeliveryReport,
  DryRun,
  Email,
  HeadersInput,
  RecipientStatus,
  Scheduled,
  SendResult,
  Suppression,
  Template,
} from '../schemas/sending.ts'
import { Folder, Thread, WholeThread } from '../schemas/threads.ts'
import { Delivery, EventEnvelope, NewWebhook, Webhook } from '../schemas/webhooks.ts'

/** Schemas of answers and events. */
export const answerComponents = {
  Error: ErrorObject,
  Address,
  AttachmentSummary,
  MessageSummary,
  FullMessage,
  SendResult,
  Mailbox,
  SignupResult,
  ClaimLink,
  Account,
  Usage,
  Webhook,
  NewWebhook,
  EventEnvelope,
  Customer,
  AccountDetails,
  AccountExport,
  AccountRequest,
  AdministeredAccount,
  Alias,
  AppPassword,
  Approval,
  ApprovalState,
  AuditEntry,
  BatchResult,
  BatchStatus,
  BatchSummary,
  Contact,
  DailyUsage,
  DayUsage,
  Delivery,
  DeliveryReport,
  Destination,
  DnsRecord,
  Domain,
  DomainDnsRecord,
  DomainReports,
  DriveEntry,
  DryRun,
  Email,
  Folder,
  FoundMessage,
  Grant,
  Hidden,
  Intake,
  IntakeMessage,
  IntakeSummary,
  Key,
  LensEvidence,
  LensField,
  MailboxLists,
  Member,
  MessageEvent,
  MessageReceived,
  NewIntake,
  NewKey,
  OpenRequest,
  Passkey,
  Person,
  Processes,
  RecipientStatus,
  RecoveryCodes,
  ReportSource,
  Scheduled,
  SecondFactor,
  Session,
  Setup,
  Suppression,
  Template,
  Thread,
  ThreadMessage,
  Trust,
  Verification,
  WaitedMessage,
  WholeApproval,
  WholeThread,
} satisfies NamedSchemas

/** Schemas of requests, whose objects allow no other fields. */
export const requestComponents = {
  AddressObject,
  AddressInput,
  AddressesInput,
  AttachmentsInput,
  HeadersInput,
  IntakeDeliveryInput,
  IntakeLensInput,
} satisfies NamedSchemas

export const components: NamedSchemas = { ...answerComponents, ...requestComponents }

export type NamedSchemas = { readonly [name: string]: JsonSchema }

/** Keywords that describe a use of a schema; all others define the schema itself. */
const useKeywords: readonly string[] = ['description', untrustedKeyword, unlistedKeyword]

/** Returns a function that finds the name of a schema, whatever is said about its use; it returns undefined for an unnamed schema. */
export function createNameFinder(named: NamedSchemas): (schema: JsonSchema) => string | undefined {
  const names = new Map(Object.entries(named).map(([name, schema]) => [kernelOf(schema), name]))
  return (schema) => (mayHaveName(schema) ? names.get(kernelOf(schema)) : undefined)
}

/** A cheap test that spares most schemas the comparison of their content. */
const mayHaveName = ({ additionalProperties, anyOf, items, properties }: JsonSchema) =>
  [additionalProperties, anyOf, items, properties].some((part) => part !== undefined)

/** The keywords that describe this use of a schema. */
export const useKeywordsOf = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => useKeywords.includes(keyword)))

const kernelOf = (schema: JsonSchema) =>
  JSON.stringify(Object.entries(schema).filter(([keyword]) => !useKeywords.includes(keyword)))
