/** Reads single fields of the templates, for tests of the rules. */
import { expect } from 'chai'
import { readFields } from '../../../mail/lens/read-fields.ts'
import type { LensField, LensValue } from '../../../mail/lens/source.ts'
import { lensTemplates } from '../../../mail/lens/templates.ts'

type Fields = readonly LensField[]
/** Those of the templates, in their order. */
export const [invoice, order, ticket, lead, application] = lensTemplates.map(({ fields }) => fields) as [
  Fields,
  Fields,
  Fields,
  Fields,
  Fields,
]

/** What the rules read of a field in a mail, and null where they read nothing. A mail may begin with `Subject: …` and a blank line. */
export type Case = readonly [name: string, fields: Fields, key: string, mail: string, expected: LensValue | null]

/** Makes a test of each case. The mails are of Wednesday, 11 November 2026. */
export function check(cases: readonly Case[]): void {
  for (const [name, fields, key, mail, expected] of cases)
    it(name, () => expect(read(fields, key, mail)).to.deep.equal(expected))
}

function read(fields: Fields, key: string, mail: string): LensValue | null {
  const [, subject = '', text = mail] = /^Subject: ([^\n]*)\n\n(.*)$/s.exec(mail) ?? []
  const date = new Date('2026-11-11T09:00:00Z')
  return readFields(fields, { subject, text, quoted: [], attachments: [], date }).get(key)?.value ?? null
}
