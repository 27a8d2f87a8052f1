/** What Lens reads, and what it answers. */

export type LensFieldType = 'text' | 'number' | 'date' | 'yes/no' | 'email address' | 'list'

/** What is to be read of a mail: the words of key and description say what, in any of the languages known here. */
export type LensField = { readonly key: string; readonly type: LensFieldType; readonly description: string }

/** A mail as a person sees it. */
export type LensSource = {
  readonly subject: string
  /** The visible text; line ends are LF. */
  readonly text: string
  /** Ranges of `text` that are quoted history, in UTF-16 offsets, in order. */
  readonly quoted: readonly (readonly [start: number, end: number])[]
  /** The texts of the attachments, by their number in the mail; null for one that has none. */
  readonly attachments: readonly ({ readonly text: string } | null)[]
  /** When the mail was written, by its own clock: "next Friday" is counted from that day (UTC fields). */
  readonly date: Date
  /** The language that its header names (BCP 47, such as `en-GB`); its words count more. */
  readonly language?: string
}

/** By the type of the field: string, number, boolean, `YYYY-MM-DD`, or the items of a list. */
export type LensValue = string | number | boolean | readonly string[]

export type LensPlace = 'subject' | 'text' | `attachments[${number}]`

/** Where a value is stated, in code points, `end` not included. */
export type LensEvidence = {
  readonly source: LensPlace
  readonly start: number
  readonly end: number
  /** Of a list: where each item stands; `start` and `end` span them all. */
  readonly items?: readonly { readonly start: number; readonly end: number }[]
}

export type LensFinding = { readonly value: LensValue; readonly evidence: LensEvidence }

/** What was found for each field, by its key; null for what the mail does not state. */
export type LensAnswer = ReadonlyMap<string, LensFinding | null>
