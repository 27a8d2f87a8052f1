/** The concepts that a field can be about: recognised by the meanings of its key and description, found in mails by labels and cues. */
import { meaningsOf } from './lexicon.ts'
import type { LensField, LensFieldType } from './source.ts'

/** The form of a text. */
export type Shape =
  | 'identifier'
  | 'person'
  | 'company'
  | 'phone'
  | 'iban'
  | 'currency'
  | 'product'
  | 'version'
  | 'error'
  | 'job'

export type Concept = {
  readonly types: readonly LensFieldType[]
  /** Sets of meanings by which the key or description of a field names the concept. */
  readonly named: readonly string[]
  /** Sets of meanings that label its value, the best first. The sets of `or` are weaker and rank below all others. */
  readonly labels: readonly string[]
  readonly or?: readonly string[]
  readonly shape?: Shape
  readonly direction?: 'past' | 'future'
}

const doc = (name: string): Concept => ({
  types: ['text', 'number'],
  named: [`${name} number`, `${name} reference`, `${name} number reference`],
  labels: [`${name} number`, `${name} reference`, `${name} number reference`, `${name} reference number`],
  or: [name, 'number', 'reference', 'reference number', 'document', 'document number'],
  shape: 'identifier',
})

const person = ['name', 'contact name', 'contact', 'first last name', 'first last', 'name company']

export const concepts: { readonly [name: string]: Concept } = {
  invoiceNumber: doc('invoice'),
  orderNumber: doc('order'),
  ticketNumber: doc('ticket'),
  invoiceDate: {
    types: ['date'],
    named: ['invoice date', 'invoice issued', 'issued', 'issued date'],
    labels: ['invoice date', 'invoice issued', 'issued', 'issued date'],
    or: ['date'],
    direction: 'past',
  },
  orderDate: {
    types: ['date'],
    named: ['order date', 'order issued'],
    labels: ['order date', 'order issued', 'issued', 'order'],
    or: ['date'],
    direction: 'past',
  },
  dueDate: {
    types: ['date'],
    named: ['due', 'due date', 'invoice due', 'payment date', 'due payment', 'due invoice date'],
    labels: ['due', 'due date', 'due payment', 'payment date', 'due invoice'],
    direction: 'future',
  },
  deliveryDate: {
    types: ['date'],
    named: ['delivery date', 'delivery', 'shipping date'],
    labels: ['delivery', 'delivery date', 'shipping date'],
    direction: 'future',
  },
  since: {
    types: ['date'],
    named: ['since', 'since date', 'error since', 'start error date'],
    labels: ['since', 'error since'],
    direction: 'past',
  },
  start: {
    types: ['date'],
    named: ['start', 'start date'],
    labels: ['start', 'start date'],
    direction: 'future',
  },
  available: {
    types: ['date'],
    named: ['available', 'available date', 'start available', 'available start date'],
    labels: ['available', 'available date'],
    or: ['start', 'start date', 'since', 'since date'],
    direction: 'future',
  },
  total: {
    types: ['number'],
    named: [
      'total',
      'amount',
      'total amount',
      'invoice total',
      'order total',
      'invoice amount',
      'total gross',
      'gross',
    ],
    labels: [
      'total',
      'total gross',
      'total invoice',
      'total order',
      'total amount',
      'total due',
      'gross',
      'gross amount',
      'due amount',
      'total gross invoice',
      'amount gross invoice',
      'total tax gross',
    ],
    or: ['amount', 'invoice amount', 'order amount', 'total item', 'total price'],
  },
  tax: { types: ['number'], named: ['tax', 'tax amount'], labels: ['tax', 'tax amount'] },
  net: { types: ['number'], named: ['net', 'net amount', 'net total'], labels: ['net', 'net amount', 'net total'] },
  shipping: { types: ['number'], named: ['shipping', 'shipping amount', 'shipping price'], labels: ['shipping'] },
  budget: { types: ['number'], named: ['budget'], labels: ['budget', 'budget amount'] },
  people: {
    types: ['number'],
    named: ['people', 'people number', 'company people number'],
    labels: ['people', 'people number', 'number people company'],
  },
  experience: {
    types: ['number'],
    named: ['experience', 'experience year', 'year'],
    labels: ['experience', 'experience year', 'experience number year', 'experience number', 'year'],
  },
  salary: {
    types: ['number'],
    named: ['salary'],
    labels: ['salary', 'salary amount', 'salary year', 'salary gross', 'salary gross year'],
  },
  supplier: {
    types: ['text'],
    named: ['supplier', 'supplier name', 'supplier company'],
    labels: ['supplier', 'supplier name', 'supplier company'],
    or: ['sender', 'sender name'],
    shape: 'company',
  },
  customer: {
    types: ['text'],
    named: ['customer', 'customer name', 'requester', 'requester name', 'customer requester'],
    labels: [
      'requester',
      'requester name',
      'customer',
      'customer name',
      'requester customer',
      'customer contact',
      'customer number name',
      'sender',
      'sender name',
    ],
    or: [...person, 'address', 'delivery address'],
    shape: 'person',
  },
  person: {
    types: ['text'],
    named: ['name', 'contact', 'contact name', 'applicant', 'applicant name', 'requester contact'],
    labels: [
      'name',
      'applicant',
      'applicant name',
      'contact',
      'contact name',
      'first last',
      'first last name',
      'name first',
      'name last',
      'requester',
      'requester name',
      'sender',
      'sender name',
    ],
    or: ['customer', 'customer name'],
    shape: 'person',
  },
  company: {
    types: ['text'],
    named: ['company', 'company name', 'customer company'],
    labels: ['company', 'company name', 'customer company'],
    shape: 'company',
  },
  phone: {
    types: ['text'],
    named: ['phone', 'phone number', 'customer phone', 'contact phone'],
    labels: ['phone', 'phone number', 'contact phone', 'customer phone', 'phone contact name'],
    shape: 'phone',
  },
  iban: { types: ['text'], named: ['iban', 'payment iban', 'iban number'], labels: ['iban'], shape: 'iban' },
  currency: { types: ['text'], named: ['currency'], labels: ['currency'], shape: 'currency' },
  product: {
    types: ['text'],
    named: ['product', 'product name', 'device', 'error product'],
    labels: ['product', 'product name', 'device', 'device name'],
    shape: 'product',
  },
  version: {
    types: ['text'],
    named: ['version', 'product version', 'version number'],
    labels: ['version', 'version device', 'version product', 'version number'],
    shape: 'version',
  },
  error: {
    types: ['text'],
    named: ['error', 'error message', 'error number'],
    labels: ['error', 'error message', 'error number'],
    shape: 'error',
  },
  job: {
    types: ['text'],
    named: ['job', 'job name', 'job position'],
    labels: ['job', 'job name', 'job applicant'],
    shape: 'job',
  },
  email: {
    types: ['email address'],
    named: [
      'email',
      'contact',
      'customer',
      'applicant',
      'requester',
      'customer email',
      'applicant email',
      'contact email',
      'requester email',
      'email contact name',
    ],
    labels: [
      'email',
      'customer email',
      'requester email',
      'contact email',
      'applicant email',
      'email contact',
      'email company',
    ],
    or: ['sender', 'contact', 'requester', 'customer', 'applicant', 'name', 'contact name'],
  },
  items: {
    types: ['list'],
    named: ['item', 'order item', 'product', 'order product'],
    labels: ['item', 'product', 'order item', 'item order', 'item product'],
  },
  interests: {
    types: ['list'],
    named: ['interest', 'interest product', 'interest item'],
    labels: [
      'interest',
      'interest item',
      'interest product',
      // "What is the customer looking for?"
      'interest customer',
      'interest requester',
      'interest item customer',
      'interest item requester',
    ],
    or: ['product', 'item'],
  },
  skills: { types: ['list'], named: ['skill', 'skill applicant'], labels: ['skill'] },
  paid: {
    types: ['yes/no'],
    named: ['paid', 'payment', 'payment status', 'order paid'],
    labels: ['paid', 'payment', 'payment status', 'status', 'order paid', 'paid status'],
  },
  urgent: { types: ['yes/no'], named: ['urgent', 'priority', 'urgent priority'], labels: ['urgent', 'priority'] },
  demo: { types: ['yes/no'], named: ['demo'], labels: ['demo'] },
  relocation: { types: ['yes/no'], named: ['relocation'], labels: ['relocation'] },
}

/** The most years of experience that are plausible. */
export const experienceYearsMax = 60

/** The concepts whose values are names of things. */
export const thingConcepts: ReadonlySet<string> = new Set(['product', 'version', 'error', 'job'])

/** Returns a set of meanings as one text, independent of their order. */
export const setOf = (meanings: Iterable<string>): string => [...new Set(meanings)].sort().join(' ')

const byName = new Map(
  Object.entries(concepts).flatMap(([name, { named, types }]) =>
    named.flatMap((set) => types.map((type) => [`${type} ${setOf(set.split(' '))}`, name] as const)),
  ),
)

export type Asked = {
  readonly field: LensField
  /** The name of the concept that the field is about, or null if none is known. */
  readonly concept: string | null
  /** The meanings of the words of the key. */
  readonly key: ReadonlySet<string>
  /** The meanings of the words of the description. */
  readonly description: ReadonlySet<string>
}

/** Returns what a field asks for: by its key, or by its description if the key names no known concept. */
export function askedOf(field: LensField): Asked {
  const { known: key } = meaningsOf(wordsOfKey(field.key))
  const { known: description } = meaningsOf(field.description)
  return {
    field,
    key,
    description,
    concept: conceptOf(field.type, key) ?? conceptOf(field.type, firstOf(field.description)),
  }
}

function conceptOf(type: LensFieldType, meanings: ReadonlySet<string>): string | null {
  const exact = byName.get(`${type} ${setOf(meanings)}`)
  if (exact !== undefined) return exact
  // A word that only repeats the type, such as "date" in the key of a date, adds nothing.
  const own = [...meanings].filter((meaning) => !typeWords.has(meaning))
  return byName.get(`${type} ${setOf(own)}`) ?? null
}

const typeWords: ReadonlySet<string> = new Set(['date', 'amount', 'name', 'status'])

/** Returns the meanings of the first clause of a description; later clauses only explain it. */
const firstOf = (description: string) => meaningsOf(description.split(/[,;:(.]/, 1)[0] as string).known

/** Splits `invoiceNumber`, `invoice_number` and `invoice-number` into words. */
export function wordsOfKey(key: string): string {
  return key
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
}
