/**
 * The jobs of the parser, which work on the bytes of a message. Each job is a pure function, so that it can run in this thread or in a
 * worker thread.
 */
import { createHash } from 'node:crypto'
import { asSeen, quickSnippet, readBody } from '../../mail/body/body.ts'
import { visibleText } from '../../mail/body/html-text.ts'
import { type CharRange, readReply, replyText } from '../../mail/body/reply.ts'
import { sanitiseHtml } from '../../mail/body/sanitise.ts'
import { findVerification, type UnboundVerification } from '../../mail/codes/verification.ts'
import { typeWithParameters } from '../../mail/compose/compose.ts'
import { markdownAsHtml, withTokenLinks } from '../../mail/compose/markdown.ts'
import type { Hidden } from '../../mail/encoding/invisible-characters.ts'
import type { LensField, LensFinding, LensSource } from '../../mail/lens/source.ts'
import { limits } from '../../mail/limits.ts'
import { attachmentsInside, contentAt, isMessage, partAt } from '../../mail/message/attached-message.ts'
import type { AttachmentInfo } from '../../mail/message/attachments.ts'
import { type HeaderField, isDistinct } from '../../mail/message/headers.ts'
import { hiddenInHeader, type ParsedMessage, parseMessage } from '../../mail/message/parse.ts'
import { decodeFile } from '../../mail/message/text-file.ts'
import { type AggregateReport, readAggregateReport } from '../../mail/report/aggregate-report.ts'
import { reportFilesIn, UnreadableFile } from '../../mail/report/report-files.ts'
import { readTlsReport, type TlsReport } from '../../mail/report/tls-report.ts'
import { attachmentIdOf } from './attachment-ids.ts'
import { type ParsedJson, parseJson } from './json.ts'

export type View = 'headers' | 'reply' | 'text' | 'markdown' | 'full'

/** A parsed message and its snippet. */
export type Description = { readonly parsed: ParsedMessage; readonly snippet: string }

/** The results of reading a message when it arrives. */
export type ReadArrival = Description & {
  /** Whether the plain text has content that the HTML shows nowhere. */
  readonly alternativesDiffer: boolean
  /**
   * SHA-256 of `prefix`, a NUL and the bytes: recognises the same mail from the same sender. It also covers `transactionId` if another
   * mail of that sender may have the same bytes.
   */
  readonly fingerprint: Uint8Array
  /** The verification codes and links in the message; null when there is none. */
  readonly found: UnboundVerification | null
}

/** A parsed message with the bodies that the view asks for; the other bodies are absent. */
export type Reading = {
  readonly parsed: ParsedMessage
  readonly headers: readonly HeaderField[]
  readonly text?: string
  readonly markdown?: string
  readonly html?: string | null
  readonly reply?: string
  /** The ranges of the text that are quoted history, in code points. */
  readonly quoted?: readonly CharRange[]
  readonly hidden?: readonly Hidden[]
  readonly truncated: boolean
  /** Null for the stored message itself, whose document has these fields. */
  readonly attached: AttachedMessage | null
}

/** The bodies and header fields from which a record of Intake is made. */
export type IntakeReading = {
  readonly headers: readonly HeaderField[]
  readonly text: string
  readonly html: string
  readonly reply: string
  readonly quoted: readonly CharRange[]
}

/** A message that is attached to another one. */
export type AttachedMessage = {
  readonly snippet: string
  readonly sizeBytes: number
  /** The prefix of the paths of its own attachments. */
  readonly path: string
}

/** An attachment with its decoded content, and the charset and the full type that its part declares. */
export type DecodedAttachment = AttachmentInfo & {
  readonly bytes: Uint8Array
  readonly charset: string | null
  readonly declaredType: string
}

type LensQuestion = {
  readonly fields: readonly LensField[]
  readonly source: Omit<LensSource, 'date'> & { readonly date: string }
}

type TextFile = {
  readonly raw: Buffer
  readonly charset: string | null
  readonly from: number
  readonly maxChars: number
}

/** The bytes of a stored message; the ids of its attachments are derived from `messageId`. */
type StoredMessage = { readonly raw: Buffer; readonly messageId: string }

export const jobs = {
  /** Describes a message that we composed ourselves. */
  description({ raw }: { raw: Buffer }): Description {
    const parsed = parseMessage(raw)
    return { parsed: withoutContent(parsed), snippet: quickSnippet(raw, asSeen(raw, parsed)) }
  },

  arrival({ raw, prefix, transactionId }: { raw: Buffer; prefix: string; transactionId: string }): ReadArrival {
    const parsed = parseMessage(raw)
    const from = isDistinct(parsed.headers) ? prefix : `${prefix} ${transactionId}`
    const seen = asSeen(raw, parsed)
    return {
      parsed: withoutContent(parsed),
      snippet: quickSnippet(raw, seen),
      alternativesDiffer: seen !== parsed,
      fingerprint: createHash('sha256').update(`${from}\0`).update(raw).digest(),
      found: findVerification(raw, seen),
    }
  },

  /**
   * Reads a message, or with `attachmentId` the message attached under that id. Returns null when there is none. The
   * address of an image in the HTML is `attachmentsUrl` followed by the id of its attachment.
   */
  reading({
    raw,
    messageId,
    view,
    attachmentId,
    attachmentsUrl,
  }: StoredMessage & { view: View; attachmentId: string | null; attachmentsUrl: string }): Reading | null {
    const found =
      attachmentId === null
        ? { raw, parsed: parseMessage(raw), path: '' }
        : attachedMessage(raw, messageId, attachmentId)
    if (found === null) return null
    const { parsed, path } = found
    const attached = (): AttachedMessage => {
      return { snippet: quickSnippet(found.raw, asSeen(found.raw, parsed)), sizeBytes: found.raw.length, path }
    }
    const common = {
      parsed: withoutContent(parsed),
      headers: parsed.headers,
      attached: attachmentId === null ? null : attached(),
    }
    if (view === 'headers') return { ...common, truncated: parsed.truncated }
    const body = readBody(found.raw, parsed, { markdown: view === 'markdown' })
    const { text, html, markdown, hidden: hiddenInBody, truncated: isCut } = body
    const hidden = [...hiddenInHeader(parsed), ...hiddenInBody].slice(0, limits.hiddenMax)
    const truncated = parsed.truncated || isCut
    const context = { html, from: parsed.from, subject: parsed.subject }
    if (view === 'reply') return { ...common, reply: replyText(text, context), hidden, truncated }
    if (view === 'text') return { ...common, text, hidden, truncated }
    if (markdown !== undefined) return { ...common, markdown, hidden, truncated }
    const images = new Map(
      parsed.attachments.flatMap(({ contentId, partId }) =>
        contentId === null ? [] : [[contentId, attachmentsUrl + attachmentIdOf(messageId, path + partId)]],
      ),
    )
    const safe = html === null ? null : sanitiseHtml(html, { images })
    return { ...common, text, html: safe, ...readReply(text, context), hidden, truncated }
  },

  /** An attachment of the message, or of a message attached to it. Returns null when there is none with that id. */
  content({ raw, messageId, attachmentId }: StoredMessage & { attachmentId: string }): DecodedAttachment | null {
    const parsed = parseMessage(raw)
    const info = infoOf(raw, parsed, messageId, attachmentId)
    const bytes = info && contentAt(raw, parsed, info.partId)
    const part = info && partAt(raw, parsed, info.partId)
    if (info === null || bytes === null) return null
    const declaredType = typeWithParameters(info.contentType, part?.params ?? new Map())
    return { ...info, bytes, charset: part?.charset ?? null, declaredType }
  },

  /** The decoded contents of the parts of a message at these paths; null where there is none. */
  files({ raw, partIds }: { raw: Buffer; partIds: readonly string[] }): readonly (Uint8Array | null)[] {
    const parsed = parseMessage(raw)
    return partIds.map((partId) => contentAt(raw, parsed, partId))
  },

  /** The bodies for a record of Intake, and the ranges of its text that are quoted history, in UTF-16 units. */
  intake(message: StoredMessage & { attachmentsUrl: string }): IntakeReading {
    const reading = jobs.reading({ ...message, view: 'full', attachmentId: null })
    const { headers = [], text = '', html, reply = '', quoted = [] } = reading ?? {}
    return { headers, text, html: html ?? '', reply, quoted: inUnits(text, quoted) }
  },

  /**
   * The bodies for a forwarded message: the HTML is sanitised and keeps its remote images. `ownText` is the visible text of `ownHtml`,
   * which the person who forwards it wrote.
   */
  forwarding({ raw, ownHtml }: { raw: Buffer; ownHtml: string | null }): {
    readonly text: string
    readonly html: string | null
    readonly ownText: string | null
  } {
    const { text, html } = readBody(raw, parseMessage(raw))
    return {
      text,
      html: html === null ? null : sanitiseHtml(html, { remoteImages: true }),
      ownText: ownHtml === null ? null : visibleText(ownHtml).text,
    }
  },

  /** The fields of a mail that rules find, by key; `raw` is a `LensQuestion` as JSON. */
  async lens({ raw }: { raw: Buffer }): Promise<readonly (readonly [string, LensFinding | null])[]> {
    const { fields, source } = JSON.parse(raw.toString('utf8')) as LensQuestion
    // Loaded on first use: the calendars of all languages are large, and few processes read fields.
    const { readFields } = await import('../../mail/lens/read-fields.ts')
    return [...readFields(fields, { ...source, date: new Date(source.date) })]
  },

  /** The DMARC and TLS reports in the message; null when one of its files is broken or becomes too large. */
  async reports({ raw }: { raw: Buffer }): Promise<readonly (AggregateReport | TlsReport)[] | null> {
    try {
      const files = await reportFilesIn(raw, parseMessage(raw))
      return files.flatMap(
        ({ format, bytes }) => (format === 'xml' ? readAggregateReport(bytes) : readTlsReport(bytes)) ?? [],
      )
    } catch (error) {
      if (error instanceof UnreadableFile) return null
      throw error
    }
  },

  /** The bodies of a mail that is written in Markdown: safe HTML, and its visible text. */
  markdown({ raw }: { raw: Buffer }): { readonly text: string; readonly html: string } {
    const html = sanitiseHtml(markdownAsHtml(raw.toString()), { remoteImages: true })
    return { text: withTokenLinks(visibleText(html).text), html: withTokenLinks(html) }
  },

  /** The visible text of the message, at most `maxChars` characters: for search and for waiting. */
  text({ raw, maxChars }: { raw: Buffer; maxChars?: number }): { readonly text: string } {
    return { text: readBody(raw, parseMessage(raw), { html: false, maxChars }).text }
  },

  /**
   * Part of the text of a file in the charset that it declares: at most `maxChars` characters (UTF-16 units) from
   * character `from` on. `chars` is the length of the whole text.
   */
  file({ raw, charset, from, maxChars }: TextFile): { readonly text: string; readonly chars: number } {
    const text = decodeFile(raw, charset)
    const piece = text.slice(from, from + maxChars)
    const isCut = from + piece.length < text.length
    return { text: isCut ? piece.replace(/[\ud800-\udbff]$/, '') : piece, chars: text.length }
  },

  json({ raw }: { raw: Buffer }): ParsedJson {
    return parseJson(raw)
  },
} as const

export type Jobs = typeof jobs
export type JobName = keyof Jobs

/** Converts ranges in code points, which are in order, to ranges in UTF-16 units. */
function inUnits(text: string, ranges: readonly CharRange[]): readonly CharRange[] {
  let [units, points] = [0, 0]
  const unitOf = (point: number) => {
    for (; points < point; points++) units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1
    return units
  }
  return ranges.map(([start, end]): CharRange => [unitOf(start), unitOf(end)])
}

function attachedMessage(raw: Buffer, messageId: string, attachmentId: string) {
  const outer = parseMessage(raw)
  const info = infoOf(raw, outer, messageId, attachmentId)
  const bytes = info && isMessage(info.contentType) ? contentAt(raw, outer, info.partId) : null
  return info && bytes && { raw: bytes, parsed: parseMessage(bytes), path: `${info.partId}/` }
}

function infoOf(raw: Buffer, parsed: ParsedMessage, messageId: string, attachmentId: string): AttachmentInfo | null {
  const hasId = ({ partId }: AttachmentInfo) => attachmentIdOf(messageId, partId) === attachmentId
  return parsed.attachments.find(hasId) ?? attachmentsInside(raw, parsed).find(hasId) ?? null
}

/**
 * Leaves out the content of a signed message, so that it is not copied between threads; the job `content` returns it when needed.
 */
function withoutContent(parsed: ParsedMessage): ParsedMessage {
  return parsed.signedContent === null ? parsed : { ...parsed, signedContent: null }
}
