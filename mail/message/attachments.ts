import { cleanLine } from '../encoding/header-words.ts'
import { decodedSize } from '../encoding/transfer.ts'
import { limits } from '../limits.ts'
import { firstHeader } from './headers.ts'
import { extensionOf, mediaTypeOf } from './media-types.ts'
import { type ContainedFile, filesIn, isTnef } from './part-contents.ts'
import type { Part } from './structure.ts'

export type AttachmentInfo = {
  /**
   * The IMAP section of the part, stable for these bytes: `2`, `2.1`. Content inside a part that is not a multipart (a TNEF
   * file, a signed message in CMS, uuencoded text, an attached message) has a path: `2/1`.
   */
  readonly partId: string
  /** A plain file name: no path, no control or direction characters, never empty. */
  readonly name: string
  readonly contentType: string
  /** Decoded bytes. */
  readonly sizeBytes: number
  /** Shown in the body: its disposition is `inline`, or it is a related part with a Content-ID and is not an `attachment`. */
  readonly inline: boolean
  readonly contentId: string | null
}

/** A part that is not a body, and whether it is in a multipart/related. */
export type Listed = { readonly part: Part; readonly related: boolean }

/**
 * Lists the attachments of a message: the files inside its text parts, then its other parts in order. A TNEF part is replaced
 * by the files in it. Linear. Never throws.
 */
export function attachmentsOf(raw: Buffer, texts: readonly Part[], others: readonly Listed[]): AttachmentInfo[] {
  const inTexts = [...new Set(texts)].flatMap((part) => filesOf(part, filesIn(raw, part)))
  const listed = others.flatMap(({ part, related }) => {
    const files = isTnef(part) ? filesIn(raw, part) : null
    return files ? filesOf(part, files) : [attachmentInfo(raw, part, related)]
  })
  return [...inTexts, ...listed]
}

function filesOf(part: Part, files: readonly ContainedFile[] | null): AttachmentInfo[] {
  return (files ?? []).map(({ name, contentType, contentId, bytes }, index) => {
    const safe = safeName(name)
    return {
      partId: `${part.id}/${index + 1}`,
      name: safe || `attachment-${part.id}-${index + 1}.${extensionOf(mediaType(contentType) ?? '')}`,
      contentType: mediaType(contentType) ?? mediaTypeOf(safe),
      sizeBytes: bytes.length,
      inline: contentId !== null,
      contentId: contentId !== null && contentId.length <= limits.contentIdCharsMax ? contentId : null,
    }
  })
}

function mediaType(text: string | null): string | null {
  return text !== null && /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(text) ? text.toLowerCase() : null
}

function attachmentInfo(raw: Buffer, part: Part, related: boolean): AttachmentInfo {
  const { id, contentType, contentId, disposition } = part
  return {
    partId: id,
    name: attachmentName(part),
    contentType,
    sizeBytes: decodedSize(raw, part.bodyStart, part.bodyEnd, part.encoding),
    inline: disposition === 'inline' || (disposition !== 'attachment' && related && contentId !== null),
    contentId,
  }
}

function attachmentName(part: Part): string {
  const { dispositionParams, params } = part
  // Some programs name the parameter of Content-Type as that of Content-Disposition.
  const given = safeName(dispositionParams.get('filename') ?? params.get('name') ?? params.get('filename') ?? '')
  if (given !== '') return given
  if (part.embedded) {
    const subject = safeName(firstHeader(part.embedded.fields, 'subject')?.value ?? '')
    return `${subject || 'message'}.eml`
  }
  return `attachment-${part.id}.${extensionOf(part.contentType)}`
}

/**
 * Makes a file name safe to show and to store: the last path segment, without control, direction or reserved
 * characters and without leading dots. At most `fileNameCharsMax` characters, with the extension kept. May be ''.
 */
export function safeName(text: string): string {
  const last = text.slice(-500).split(/[\\/]/).at(-1) ?? ''
  const name = cleanLine(last.normalize('NFC'))
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const chars = [...name]
  if (chars.length <= limits.fileNameCharsMax) return name
  const extension = /\.[^. ]{1,10}$/u.exec(name)?.[0] ?? ''
  return chars.slice(0, limits.fileNameCharsMax - extension.length).join('') + extension
}
