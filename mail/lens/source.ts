/** The input and output of Lens. */

export type LensFieldType = 'text' | 'number' | 'date' | 'yes/no' | 'email address' | 'list'

/** A field to read from a mail. The words of key and description say which, in any of the supported languages. */
export type LensField = { readonly key: string; readonly type: LensFieldType; readonly description: string }

/** A mail as a person sees it. */
export type LensSource = {
  readonly subject: string
  /** The visible text; line ends are LF. */
  readonly text: string
  /** Ranges of `text` that are quoted history, in UTF-16 offsets, in order. */
  readonly quoted: readonly (readonly [start: number, end: number])[]
  /** The texts of the attachments, in the order of the mail; null for an attachment without text. */
  readonly attachments: readonly ({ readonly text: string } | null)[]
  /** When the mail was written, in the sender's local time (stored in the UTC fields): "next Friday" is relative to it. */
  readonly date: Date
  /** The language that its header names (BCP 47, such as `en-GB`). The words of the mail weigh more. */
  readonly language?: string
}

/** Depending on the type of the field: string, number, boolean, `YYYY-MM-DD`, or the items of a list. */
export type LensValue = string | number | boolean | readonly string[]

export type LensPlace = 'subject' | 'text' | `attachments[${number}]`

/** The place where a value is stated, in code points; `end` is exclusive. */
export type LensEvidence = {
  readonly source: LensPlace
  readonly start: number
  readonly end: number
  /** For a list, the place of each item; `start` and `end` span them all. */
  readonly items?: readonly { readonly start: number; readonly end: number }[]
}

export type LensFinding = { readonly value: LensValue; readonly evidence: LensEvidence }

/** The finding for each field by its key; null if the mail does not state it. */
export type LensAnswer = ReadonlyMap<string, LensFinding | null>
