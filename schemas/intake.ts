/** What Intake is told to read of each mail (interface.md, Lens field definition). */
import { line } from './fields.ts'
import { array, form, type Infer, object, oneOf } from './infer.ts'

/** Against configurations that make each mail expensive: fields of one mailbox. */
export const lensFieldsMax = 50
/** Longest key; it is the name of a property in every record. */
export const lensKeyMax = 64
/** Longest description: it is one line. */
export const lensDescriptionMax = 200

export const lensFieldTypes = ['text', 'number', 'date', 'yes/no', 'email address', 'list'] as const

const LensKey = line(lensKeyMax, {
  ...form(
    '^\\p{L}(?:[\\p{L}\\p{M}\\p{N} _-]*[\\p{L}\\p{M}\\p{N}_-])?$',
    'a name that begins with a letter and has letters, digits, blanks, "_" and "-"',
    'invoice_number',
  ),
  description: 'Name of the value in the record; its words are looked for in the mail too.',
})

export const LensField = object({
  key: LensKey,
  type: oneOf(lensFieldTypes, {
    description:
      'Values are strings for text and email address, numbers without currency, dates as YYYY-MM-DD, booleans, and lists of strings.',
  }),
  description: line(lensDescriptionMax, { minLength: 1, description: 'What the value is, in one line.' }),
})
export type LensField = Infer<typeof LensField>

export const LensFields = array(LensField, { minItems: 1, maxItems: lensFieldsMax, description: 'Keys are unique.' })
