/**
 * Reads reports about mail we sent: delivery status notifications (RFC 3464), abuse feedback (RFC 5965), and the free text
 * that some servers write instead.
 */
import { isIP } from 'node:net'
import { normaliseDomain } from '../domain.ts'
import { decodeCharset } from '../encoding/charset.ts'
import { normaliseAddress } from '../message/address.ts'
import { partBytes } from '../message/attached-message.ts'
import { firstHeader, readHeaders } from '../message/headers.ts'
import type { ParsedMessage, Part } from '../message/parse.ts'

export type RecipientReport = {
  /** Canonical; null when the report does not say. */
  readonly recipient: string | null
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
  /** Such as `5.1.1`; null when the report does not say. */
  readonly status: string | null
  /** What the remote server answered, at most `diagnosticCharsMax` characters. */
  readonly diagnostic: string | null
  readonly remoteMta: string | null
}

export type Report =
  | {
      readonly kind: 'delivery'
      readonly recipients: readonly RecipientReport[]
      readonly originalReturnPath: string | null
    }
  | {
      readonly kind: 'abuse'
      /** `abuse`, `fraud`, `not-spam` and the like. */
      readonly feedbackType: string
      readonly originalSender: string | null
      readonly originalReturnPath: string | null
    }

/** Most recipients of one report; more are left out. */
const recipientsMax = 100
/** How much of each part of a report is read. */
const partBytesMax = 256 * 1024
const diagnosticCharsMax = 1_000

/** Reads a message as a report; null when it is not one. At most `recipientsMax` recipients. Linear. Never throws. */
export function readReport(raw: Buffer, parsed: ParsedMessage): Report | null {
  const { root } = parsed
  const leaves = leavesOf(root)
  const reportType = root.contentType === 'multipart/report' ? root.params.get('report-type')?.toLowerCase() : undefined
  const feedback = leaves.find(({ contentType }) => contentType === 'message/feedback-report')
  if (feedback !== undefined) return abuseReport(raw, feedback, leaves)
  const status = leaves.find(
    ({ contentType }) => contentType === 'message/delivery-status' || contentType === 'message/global-delivery-status',
  )
  if (status !== undefined) return deliveryReport(raw, status, leaves)
  if (reportType !== undefined && reportType !== 'delivery-status') return null
  return plainReport(raw, parsed, leaves)
}

function leavesOf(part: Part): readonly Part[] {
  return part.children.length === 0 ? [part] : part.children.flatMap(leavesOf)
}

function textOf(raw: Buffer, part: Part): string {
  const bytes = partBytes(raw, part)
  return decodeCharset(bytes.subarray(0, partBytesMax), part.charset)
}

function abuseReport(raw: Buffer, feedback: Part, leaves: readonly Part[]): Report {
  const [fields = new Map<string, string[]>()] = blocksOf(textOf(raw, feedback))
  const sender = addressIn(fields.get('original-mail-from')?.[0])
  return {
    kind: 'abuse',
    feedbackType: (fields.get('feedback-type')?.[0] ?? 'abuse').toLowerCase(),
    originalSender: sender,
    originalReturnPath: returnPathOf(raw, leaves),
  }
}

function deliveryReport(raw: Buffer, status: Part, leaves: readonly Part[]): Report {
  const [perMessage = new Map(), ...blocks] = blocksOf(textOf(raw, status))
  // Some servers leave out the block about the message.
  const perRecipient = perMessage.has('final-recipient') ? [perMessage, ...blocks] : blocks
  const recipients = perRecipient.slice(0, recipientsMax).flatMap((fields) => recipientReport(fields) ?? [])
  return { kind: 'delivery', recipients, originalReturnPath: returnPathOf(raw, leaves) }
}

/** Fields of one recipient, or of the whole message (RFC 3464 2.1): values by their name in lower case. */
type FieldGroup = Map<string, string[]>

const actions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const

function recipientReport(fields: FieldGroup): RecipientReport | null {
  const action = fields.get('action')?.[0]?.toLowerCase().split(/[\s(]/)[0]
  const known = actions.find((each) => each === action)
  const status = /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(fields.get('status')?.[0] ?? '')?.[1] ?? null
  if (known === undefined && status === null) return null
  const typed = (name: string) =>
    fields
      .get(name)?.[0]
      ?.replace(/^\s*[\w-]+\s*;\s*/, '')
      .trim() ?? null
  // RFC 3464 2.3.1: the address that the sender used is preferred to the final one.
  const recipient = addressIn(typed('original-recipient')) ?? addressIn(typed('final-recipient'))
  return {
    recipient,
    action: known ?? (status?.startsWith('5') ? 'failed' : 'delayed'),
    status,
    diagnostic: typed('diagnostic-code')?.slice(0, diagnosticCharsMax) ?? null,
    remoteMta: hostIn(typed('remote-mta')),
  }
}

/** Header-like blocks with blank lines between them (RFC 3464 2.1), folded lines joined, names in lower case. */
function blocksOf(text: string): FieldGroup[] {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n[ \t]*\n+/)
    .slice(0, recipientsMax + 1)
    .map((block) => {
      const fields: FieldGroup = new Map()
      for (const line of block.replace(/\n[ \t]+/g, ' ').split('\n')) {
        const [, name = '', value = ''] = /^([!-9;-~]{1,100}):[ \t]*(.*)$/.exec(line) ?? []
        if (name === '') continue
        fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), value])
      }
      return fields
    })
}

/** Subjects of reports in free text. */
const plainSubject =
  /^(?:undeliver(?:ed|able)|(?:mail )?delivery (?:failure|failed|status notification|has failed|problem)|failure notice|returned (?:mail|to sender)|mail (?:delivery )?(?:failed|failure|system error)|message (?:undeliverable|not delivered|could not be delivered)|non[- ]?deliver(?:y|able)|unzustellbar|échec de la remise|non remis|correo no entregado|mancato recapito)/i
/** Local parts of the authors of such reports. */
const bouncer = /^(?:mailer-daemon|postmaster|mail-daemon|mdaemon|majordomo)$/i

/** A status code that is not part of a network address such as 192.4.5.6. */
const statusInWords = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/

/** A report in free text: its subject and author show that it is one, and the status codes in its text give the result. */
function plainReport(raw: Buffer, parsed: ParsedMessage, leaves: readonly Part[]): Report | null {
  const local = parsed.from?.address.split('@')[0] ?? ''
  if (!plainSubject.test(parsed.subject ?? '') || (parsed.from !== null && !bouncer.test(local))) return null
  const [first] = leaves
  if (first === undefined || !first.contentType.startsWith('text/')) return null
  const text = textOf(raw, first).slice(0, diagnosticCharsMax * 20)
  // After such a line comes the returned mail.
  const words = text.split(/^-{2,}\s*(?:below this line|original message|this is a copy|the header)/im)[0] ?? text
  const status = statusInWords.exec(words)?.[0] ?? null
  const code = /(?:^|[\s:(>])([45]\d\d)[ -](?=\S)/.exec(words)?.[1]
  const permanent = status === null ? code?.startsWith('5') !== false : status.startsWith('5')
  const still = /\b(?:still trying|will be retried|delayed|will keep trying|warning only)\b/i.test(words)
  const line = words.split(/\r?\n/).find((each) => statusInWords.test(each) || /(?:^|[\s:(>])[45]\d\d[ -]\S/.test(each))
  return {
    kind: 'delivery',
    recipients: [
      {
        recipient: addressIn(/<([^<>\s]+@[^<>\s]+)>/.exec(words)?.[1]),
        action: permanent && !still ? 'failed' : 'delayed',
        status,
        diagnostic: line?.trim().slice(0, diagnosticCharsMax) ?? null,
        remoteMta: null,
      },
    ],
    originalReturnPath: returnPathOf(raw, leaves),
  }
}

/** The return path in the reported mail, which is attached as a whole or as a header; null when it gives none. */
function returnPathOf(raw: Buffer, leaves: readonly Part[]): string | null {
  const attached = leaves.find(({ contentType }) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/.test(contentType),
  )
  if (attached === undefined) return null
  const { fields } = readHeaders(partBytes(raw, attached).subarray(0, partBytesMax))
  return addressIn(firstHeader(fields, 'return-path')?.rawValue)
}

/** The name or the address of a host; null for anything else. */
function hostIn(text: string | null): string | null {
  const inner = /^\[(?:ipv6:)?(.*)\]$/i.exec(text ?? '')?.[1] ?? text ?? ''
  return isIP(inner) === 0 ? normaliseDomain(inner) : inner
}

function addressIn(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null
  const inner = /<([^<>]*)>/.exec(text)?.[1] ?? text
  return normaliseAddress(inner.trim())
}
