/** The schemas that have a name: the API description refers to them, and the packages for programs have types of these names. */
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

/** What answers and events are made of. */
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

/** What requests are made of: objects of these may have no other fields. */
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

/** What a schema says of the place where it stands; all else is what it is. */
const ofThePlace: readonly string[] = ['description', untrustedKeyword, unlistedKeyword]

/** Makes the function that tells the name of a schema, whatever is said of it where it stands; undefined for one without. */
export function createNamer(named: NamedSchemas): (schema: JsonSchema) => string | undefined {
  const names = new Map(Object.entries(named).map(([name, schema]) => [kernelOf(schema), name]))
  return (schema) => (mayHaveName(schema) ? names.get(kernelOf(schema)) : undefined)
}

/** Without a look at all that is in it. */
const mayHaveName = ({ additionalProperties, anyOf, items, properties }: JsonSchema) =>
  [additionalProperties, anyOf, items, properties].some((part) => part !== undefined)

/** What is said of a schema where it stands. */
export const saidOf = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => ofThePlace.includes(keyword)))

const kernelOf = (schema: JsonSchema) =>
  JSON.stringify(Object.entries(schema).filter(([keyword]) => !ofThePlace.includes(keyword)))
