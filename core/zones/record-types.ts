/**
 * The types of records that a zone may hold, in one table: how a value is written, what it must be, and how it is encoded. Names within a
 * value are absolute, in lower-case A-labels, without the final dot.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { Failure } from '../../schemas/failures.ts'
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'

/** A record as it is served; `data` is what dns-packet encodes. */
export type ZoneRecord = {
  /** Absolute, in lower-case A-labels, without the final dot. */
  readonly name: string
  readonly ttlSeconds: number
} & RecordData

export type RecordData =
  | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'NS'; readonly data: string }
  | { readonly type: 'MX'; readonly data: { readonly preference: number; readonly exchange: string } }
  | { readonly type: 'TXT'; readonly data: readonly Buffer[] }
  | {
      readonly type: 'SRV'
      readonly data: {
        readonly priority: number
        readonly weight: number
        readonly port: number
        readonly target: string
      }
    }
  | { readonly type: 'CAA'; readonly data: { readonly flags: number; readonly tag: CaaTag; readonly value: string } }

export type CaaTag = 'issue' | 'issuewild' | 'issuemail' | 'iodef'

const numberMax = 65_535
const textBytesMax = 4_000
/** A character string of a TXT record (RFC 1035 3.3). */
const stringBytesMax = 255

/** A stored record as it is served in the zone of `origin`. */
export function servedRecord(origin: string, record: ZoneRecordDoc): ZoneRecord {
  const name = record.name === '@' ? origin : `${record.name}.${origin}`
  return { name, ttlSeconds: record.ttlSeconds, ...dataOf(record) }
}

function dataOf({ type, value, priority }: ZoneRecordDoc): RecordData {
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return { type, data: value }
    case 'MX':
      return { type, data: { preference: priority ?? 0, exchange: value } }
    case 'TXT':
      return { type, data: characterStrings(value) }
    case 'SRV': {
      const [weight, port, target = ''] = value.split(' ')
      return { type, data: { priority: priority ?? 0, weight: Number(weight), port: Number(port), target } }
    }
    case 'CAA': {
      const [, flags, tag, text = ''] = /^(\d+) (\S+) "(.*)"$/.exec(value) ?? []
      return { type, data: { flags: Number(flags), tag: tag as CaaTag, value: text } }
    }
  }
}

/** The text of a TXT record as character strings; an empty text is one empty string. */
export function characterStrings(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text)
  const strings: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += stringBytesMax)
    strings.push(bytes.subarray(at, at + stringBytesMax))
  return strings
}

export type RecordType = ZoneRecordDoc['type']
/** The content of a record: its value in canonical form, and its priority if its type has one. */
export type RecordContent = Pick<ZoneRecordDoc, 'value' | 'priority'>

/** A type: a description of its value for error texts, and how a value is read. `read` returns null for an invalid value. */
type TypeRow = {
  readonly form: string
  readonly example: string
  /** The priority of a record that gives none; null if the type has no priority. */
  readonly priority: number | null
  readonly read: (value: string) => string | null
}

const types: { readonly [type in RecordType]: TypeRow } = {
  A: {
    form: 'an IPv4 address',
    example: '192.0.2.1',
    priority: null,
    read: (value) => (isIPv4(value) ? value : null),
  },
  AAAA: { form: 'an IPv6 address', example: '2001:db8::1', priority: null, read: readIPv6 },
  CNAME: {
    form: 'the full name of a host',
    example: 'www.example.net',
    priority: null,
    read: (value) => readHost(value, /^_?/),
  },
  NS: {
    form: 'the full name of a name server',
    example: 'ns1.example.net',
    priority: null,
    read: (value) => readHost(value),
  },
  MX: {
    form: 'the full name of a mail server, not an address, or "." for a domain that takes no mail',
    example: 'mx.example.net',
    priority: 10,
    read: (value) => (value === '.' ? value : readHost(value)),
  },
  TXT: {
    form: `a text of at most ${textBytesMax} bytes without control characters`,
    example: 'v=spf1 -all',
    priority: null,
    read: readText,
  },
  SRV: {
    form: 'weight, port and the full name of a host',
    example: '5 443 www.example.net',
    priority: 0,
    read: readService,
  },
  CAA: {
    form: 'flags (0 or 128), a tag (issue, issuewild, issuemail, iodef) and a text in quotes',
    example: '0 issue "letsencrypt.org"',
    priority: null,
    read: readCaa,
  },
}

/**
 * Reads the content that a caller gives for a record. For MX and SRV the priority may also precede the value, as in zone files; if it is
 * given in neither place, that of `before` is kept. Fails with `validation_error`.
 */
export function readContent(
  type: RecordType,
  given: { readonly value: string; readonly priority?: number | null | undefined; readonly before?: number | null },
): RecordContent {
  const { form, example, priority: usual, read } = types[type]
  const [inFront, rest] = usual === null ? [null, given.value.trim()] : withoutPriority(type, given.value.trim())
  const priority = given.priority ?? inFront
  if (usual === null && priority !== null)
    throw new Failure('validation_error', `A record of the type ${type} has no priority.`, {
      param: 'priority',
      fix: 'Leave "priority" out: only MX and SRV records have one.',
    })
  const value = read(rest)
  if (value === null)
    throw new Failure(
      'validation_error',
      `${JSON.stringify(given.value.slice(0, 100))} is not a valid value of the type ${type}, which is ${form}.${hintOf(type, rest)}`,
      {
        param: 'value',
        fix: `Give ${form}, such as ${JSON.stringify(example)}.`,
      },
    )
  if (priority !== null && inFront !== null && priority !== inFront)
    throw new Failure(
      'validation_error',
      `The value begins with the priority ${inFront}, but "priority" is ${priority}.`,
      {
        param: 'priority',
        fix: 'Give the priority in only one of the two places.',
      },
    )
  const kept = given.priority === null ? null : (given.before ?? null)
  return { value, priority: usual === null ? null : (priority ?? kept ?? usual) }
}

/** Splits off the number in front of an MX or SRV value, as in zone files. */
function withoutPriority(type: RecordType, value: string): [number | null, string] {
  const parts = value.split(/\s+/)
  const [first = ''] = parts
  if (parts.length !== (type === 'MX' ? 2 : 4) || !isNumber(first)) return [null, value]
  return [Number(first), parts.slice(1).join(' ')]
}

/** A hint for common mistakes; empty if it is none of them. */
function hintOf(type: RecordType, value: string): string {
  const isHostType = type === 'MX' || type === 'NS' || type === 'CNAME'
  if (isHostType && (isIPv4(value) || isIPv6(value)))
    return ' It is an address: give the address a name by an A or AAAA record, and use that name.'
  if (isHostType && /^[a-z0-9-]+$/i.test(value)) return ' It is one label: write the name in full.'
  if (isHostType && /^https?:/i.test(value)) return ' It is a URL: write only the name of the host.'
  if (type === 'TXT' && /\\;/.test(value))
    return ' It has backslashes in front of semicolons, which belong to zone files: leave them out.'
  if (type === 'A' && isIPv6(value)) return ' It is an IPv6 address: those go into AAAA records.'
  if (type === 'AAAA' && isIPv4(value)) return ' It is an IPv4 address: those go into A records.'
  return ''
}

const isNumber = (text: string | undefined) => text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= numberMax

function readIPv6(value: string): string | null {
  if (!isIPv6(value) || value.includes('%')) return null
  return new URL(`http://[${value}]`).hostname.slice(1, -1)
}

/** The canonical name of a host: at least two labels of letters, digits and hyphens. */
function readHost(value: string, prefix = /^/): string | null {
  const name = asciiName(value.replace(/\.$/, ''))
  if (name === null || isIPv4(name) || !name.includes('.')) return null
  return name.split('.').every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label.replace(prefix, '')))
    ? name
    : null
}

/** A name in lower-case A-labels; null if it is not valid. Labels may begin with `_`. */
export function asciiName(text: string): string | null {
  const plain = text.toLowerCase()
  // Converted label by label, since the URL standard does not allow `_` in a name with letters of other scripts. Invalid labels are
  // not converted: domainToASCII would drop line ends and tabs, stop at "/", and decode percent signs.
  const isInScript = (label: string) => /\P{ASCII}/u.test(label) && !/[^\w\P{ASCII}-]/u.test(label)
  const labels = plain.split('.').map((label) => (isInScript(label) ? domainToASCII(label) : label))
  const isName = labels.every((label) => /^(?:\*|[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)$/.test(label))
  const name = labels.join('.')
  return isName && name.length <= nameMax ? name : null
}
const nameMax = 253

/** A text as given, or in the quotes of zone files, where the strings of one text are joined. */
function readText(value: string): string | null {
  const text = /^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/.test(value)
    ? [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, piece = '']) => piece.replaceAll(/\\(.)/g, '$1')).join('')
    : value
  if (Buffer.byteLength(text) > textBytesMax || /\p{Cc}/u.test(text)) return null
  return /^v=[A-Za-z0-9]+\s*\\;/.test(text) ? null : text
}

function readService(value: string): string | null {
  const [weight, port, target = '', ...more] = value.split(/\s+/)
  const host = target === '.' ? '.' : readHost(target, /^_?/)
  if (!isNumber(weight) || !isNumber(port) || host === null || more.length > 0) return null
  return `${Number(weight)} ${Number(port)} ${host}`
}

/** CAA (RFC 8659 4): who may issue certificates, or where violations are reported. */
function readCaa(value: string): string | null {
  const [, flags, tag = '', quoted, bare = ''] =
    /^(0|128)\s+(issue|issuewild|issuemail|iodef)\s+(?:"([^"\\]*)"|([^"\s\\]+))$/i.exec(value) ?? []
  const text = quoted ?? bare
  if (flags === undefined || text.length > stringBytesMax || !/^[\x20-\x7e]*$/.test(text)) return null
  const isRight =
    tag.toLowerCase() === 'iodef'
      ? /^(?:mailto:\S+@\S+|https?:\/\/\S+)$/i.test(text)
      : /^\s*(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+)?\s*(?:;.*)?$/i.test(text)
  return isRight ? `${flags} ${tag.toLowerCase()} "${text}"` : null
}
