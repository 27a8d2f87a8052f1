/** Values that are known by their form, or by where they stand: addresses, telephone numbers, accounts, signatures, currencies. */
import { at, type Candidate, type Finder, type OpenMail } from './candidates.ts'
import type { Asked } from './concepts.ts'
import type { FoundNumber } from './numbers.ts'
import type { Line, Pair, Passage } from './passages.ts'
import { emailsIn, ibansIn, isPhoneForm, type Piece, phonesIn, readPerson } from './shapes.ts'
import { type Found, hasLegalForm, isCompanyName, isPersonName, nameEnd } from './signatures.ts'

/** The values of a field that its form alone shows. */
export function shownValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  return asked.concept === null ? [] : (finders[asked.concept]?.(asked, mail) ?? [])
}

const finders: { readonly [concept: string]: Finder } = {
  email: (_, mail) => ownEmails(mail),
  phone: (_, mail) => ownPhones(mail),
  iban: (_, { passages }) =>
    passages.flatMap((passage) =>
      ibansIn(passage.text)
        .filter(isOwn(passage))
        .map((each) => at(passage, 0, each, 90)),
    ),
  currency: (_, mail) => currencies(mail),
  customer: (_, mail) => [...signers(mail, 56), ...forwarders(mail), ...greeted(mail), ...reached(mail)],
  person: (_, mail) => [...signers(mail, 56), ...forwarders(mail), ...titled(mail), ...reached(mail)],
  company: (_, mail) => companies(mail, 50),
  supplier: (_, mail) => [...companies(mail, 56), ...letterheads(mail)],
  job: (_, mail) => titledJobs(mail),
  ticketNumber: (_, { passages }) => numberedSubjects(passages),
  invoiceDate: dateLines,
  orderDate: dateLines,
}

/** Whether a piece of a passage stands on a line that counts: not in quoted history. */
function isOwn({ lines }: Passage): (piece: Piece) => boolean {
  return ({ start }) => lines.some((line) => start >= line.start && start < line.start + line.text.length)
}

/** `[#88231] Cannot export`, as programs for support write subjects. */
function numberedSubjects(passages: readonly Passage[]): readonly Candidate[] {
  return passages.flatMap((passage) => {
    if (passage.place !== 'subject') return []
    const value = /(?:\[[\p{L} ]{0,20}#?|\([\p{L} ]{0,20}#)((?=[^\])]*\d)[\p{L}\p{N}-]{3,20})[\])]/u.exec(
      passage.text,
    )?.[1]
    const start = value === undefined ? -1 : passage.text.indexOf(value)
    return value === undefined ? [] : [at(passage, start, { value, start: 0, end: value.length }, 54)]
  })
}

/** Addresses that nobody writes from, or that are not the writer's own. */
const offices =
  /^(?:info|sales|news|office|admin|team|hello|hallo|mail|shop|store|abuse|postmaster|marketing|hr|jobs|ar|accounts?|verkauf|ventas|vendite|verkoop)@|^[^@]*(?:no-?reply|newsletter|service|support|contact|kontakt|kunden|klant|client|atencion|assist|soporte|help|billing|unsubscribe|buchhaltung|rechnung|factura|fattur|bestell|order|pedido)[^@]*@/i
const unasked =
  /unsubscribe|abmelden|abbestellen|desabonner|darse de baja|cancella(?:rti|zione)|afmelden|opt.?out|write to us|contact us|any questions|questions\?|fragen\?/

function ownEmails({ passages }: OpenMail): readonly Candidate[] {
  const found = passages.flatMap((passage) =>
    passage.lines.flatMap((line) =>
      unasked.test(line.folded) || (line.role !== null && line.role !== 'from')
        ? []
        : emailsIn(line.text)
            .filter(({ value }) => !offices.test(value))
            .map((each) => at(passage, line.start, each, line.role === 'from' ? 58 : 60)),
    ),
  )
  const distinct = new Set(found.map(({ value }) => String(value).toLowerCase()))
  // Of several, who is asked for is not told.
  return distinct.size === 1 ? found : found.filter(({ passage, start }) => isAtEnd(passage, start))
}

function isAtEnd({ lines, place }: Passage, start: number): boolean {
  const from = lines.at(-6)
  return place === 'text' && from !== undefined && start >= from.start
}

const phoneCue =
  /\b(?:tel|phone|fon|call|reach|mobil|handy|cell|portable|appel|movil|llam|contact|cellulare|chiama|trova allo|numero|number|bel|bereikt|erreich|ruf|whatsapp|gsm)/

function ownPhones({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) =>
    passage.place === 'subject'
      ? []
      : passage.lines.flatMap((line) => {
          if (line.role !== null) return []
          return phonesIn(line.text).flatMap((phone) => {
            const before = line.folded.slice(Math.max(0, phone.start - 40), phone.start)
            const isAlone = line.text.replace(phone.value, '').replace(/[\s|,.:;()/-]/g, '').length === 0
            const isBesideName = isPersonName(line.text.slice(0, phone.start).replace(/[,\s|-]+$/, ''))
            const isBesideAddress = /@\S+\s*[|·,]\s*$/.test(line.text.slice(0, phone.start))
            const score = phoneCue.test(before) ? 66 : isAlone || isBesideName || isBesideAddress ? 58 : 0
            const isSpoken = /\b(?:tel|phone|telefon)/.test(before) && phone.value.replace(/\D/g, '').length > 6
            return score === 0 || !(isPhoneForm(phone.value) || isSpoken) ? [] : [at(passage, line.start, phone, score)]
          })
        }),
  )
}

/** The currency beside the total; else that of all amounts, when they have one. */
function currencies({ passages, numbers }: OpenMail): readonly Candidate[] {
  const found: { readonly number: FoundNumber; readonly passage: Passage; readonly line: Line }[] = []
  for (const passage of passages)
    for (const line of passage.lines)
      for (const number of numbers(line.text)) if (number.currency !== null) found.push({ number, passage, line })
  const symbols = new Set(found.map(({ number }) => number.currency?.text))
  const totals = found.filter(({ line }) =>
    /\b(?:total|gesamt|summe|rechnungsbetrag|endbetrag|totale|totaal|importe|a payer|te betalen|payable)/.test(
      line.folded,
    ),
  )
  const chosen = symbols.size === 1 ? found : totals.length > 0 ? totals.slice(-1) : []
  return chosen.slice(-1).map(({ number, passage, line }) => {
    const { text, start } = number.currency as NonNullable<FoundNumber['currency']>
    return at(passage, line.start, { value: text, start, end: start + text.length }, 60)
  })
}

const ofFound = ({ line, ...piece }: Found, score: number): Candidate => at(line.passage, line.start, piece, score)

function signers({ signed }: OpenMail, score: number): readonly Candidate[] {
  const { person } = signed()
  return person === null ? [] : [ofFound(person, score)]
}

/** Who wrote what is forwarded. */
function forwarders({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) =>
    passage.lines.flatMap((line) => {
      if (line.role !== 'from') return []
      const from = line.text.indexOf(':') + 1
      const name = readPerson(line.text.slice(from).replace(/[<[].*$/, ''))
      return name === null || !isPersonName(name.value) ? [] : [at(passage, line.start + from, name, 54)]
    }),
  )
}

/** `Jane Doe, Acme Ltd, jane@acme.example`, `Jane Doe (jane@acme.example)` */
function reached({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) =>
    passage.lines.flatMap((line) => {
      if (line.role !== null || emailsIn(line.text).length === 0) return []
      const beside = /(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){1,3}) [(<](?=\S+@)/u.exec(line.text)
      if (beside !== null && isPersonName(beside[1] as string))
        return [
          at(
            passage,
            line.start + beside.index,
            { value: beside[1] as string, start: 0, end: (beside[1] as string).length },
            54,
          ),
        ]
      const from = /^[\p{L} ]{2,20}:\s+/u.exec(line.text)?.[0].length ?? 0
      const [first = ''] = line.text.slice(from).split(', ')
      return first.includes(' ') && isPersonName(first)
        ? [at(passage, line.start + from, { value: first, start: 0, end: first.length }, 54)]
        : []
    }),
  )
}

const thanks =
  /(?:thank(?:s| you) for (?:your|the) order|your order|order (?:has been|was) received|we.ve got your order|ihre bestellung|ihren auftrag|merci pour votre commande|votre commande|gracias por tu (?:compra|pedido)|tu pedido|su pedido|grazie per il tuo ordine|il tuo ordine|je bestelling|uw bestelling|ordine ricevuto|order confirmation)/
const greeting =
  /^(?:hi|hello|dear|hallo|guten tag|sehr geehrte[rs]?|liebe[rs]?|bonjour|cher|chere|hola|estimad[oa]|ciao|gentile|buongiorno|beste|geachte|dag|ola|caro|cara)\s+/

/** Who is greeted by a shop. */
function greeted({ passages }: OpenMail): readonly Candidate[] {
  const [text] = passages
  if (text === undefined || !passages.some((passage) => passage.lines.some(({ folded }) => thanks.test(folded))))
    return []
  return text.lines.slice(0, 3).flatMap((line) => {
    const lead = greeting.exec(line.folded)?.[0].length
    if (lead === undefined) return []
    const name = readPerson(line.text.slice(lead))
    return name === null || !isPersonName(name.value) || name.value.length < 3
      ? []
      : [at(text, line.start + lead, name, 48)]
  })
}

/** A name that heads an attachment: a CV. */
function titled({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) => {
    const [first] = passage.lines
    if (first === undefined || !passage.place.startsWith('attachments')) return []
    const isName = isPersonName(first.text) && first.text.includes(' ')
    return isName ? [at(passage, first.start, { value: first.text, start: 0, end: first.text.length }, 52)] : []
  })
}

/** What stands below the name that heads a CV. */
function titledJobs({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) => {
    const [first, ...rest] = passage.lines
    if (first === undefined || !passage.place.startsWith('attachments') || !isPersonName(first.text)) return []
    const line = rest
      .slice(0, 3)
      .find(({ text, start }) => /^\p{Lu}[\p{L}\s/()-]{3,50}$/u.test(text) && !passage.labelled.has(start))
    return line === undefined
      ? []
      : [at(passage, line.start, { value: line.text, start: 0, end: line.text.length }, 50)]
  })
}

const recipient = /^(?:bill to|ship to|to|an|rechnung an|a|para|aan|for|fur|customer|kunde|client|cliente|klant)\b/

function companies({ passages, signed }: OpenMail, score: number): readonly Candidate[] {
  const { company } = signed()
  const lines = passages.flatMap((passage) =>
    passage.lines.flatMap((line) => {
      const isLabelled = passage.labelled.has(line.start)
      if (line.role !== null || isLabelled || recipient.test(line.folded) || line.text.length > 80) return []
      const value = (line.text.split(/[.!?]\s+(?=\p{Lu}\p{L}{3})/u).at(-1) as string)
        .replace(/^(?:ihre?|your|votre)\s+/i, '')
        .split(nameEnd)[0] as string
      if (!hasLegalForm(value) || /[:@]|\d{3}/.test(value)) return []
      const start = line.text.indexOf(value)
      return [at(passage, line.start, { value, start, end: start + value.length }, score - 4)]
    }),
  )
  return [...(company === null ? [] : [ofFound(company, score)]), ...lines]
}

const noHead =
  /^(?:hi|hello|dear|hallo|guten|sehr|bonjour|hola|ciao|gentile|beste|geachte|buongiorno|fyi|invoice|rechnung|facture|factura|fattura|factuur|order|receipt|statement|credit|pro forma|nota|creditnota)\b/

/** The first line of a document, or the last of one that nobody signs: who it is from. */
function letterheads({ passages, signed }: OpenMail): readonly Candidate[] {
  const isBill = ({ meanings: { known } }: Pair) => known.has('invoice') || known.has('total') || known.has('due')
  if (!passages.some(({ pairs }) => pairs.some(isBill))) return []
  return passages.flatMap((passage) => {
    if (passage.place === 'subject' || passage.pairs.length < 2) return []
    const own = passage.lines.filter(({ role }) => role === null)
    const [first] = own
    const last = own.at(-1)
    const isHead = first !== undefined && own.length > 3 && isTitle(first, passage)
    if (isHead && (passage.place !== 'text' || isCompanyName(first.text))) return [head(first, 50)]
    if (passage.place !== 'text' || last === undefined) return []
    const { person } = signed()
    const isSigner = person !== null && person.line === last
    if (isSigner && !isCompanyName(last.text) && greets(own)) return []
    return isTitle(last, passage) && !greets(own)
      ? [head(last, 46)]
      : isTitle(last, passage) && isCompanyName(last.text)
        ? [head(last, 46)]
        : []
  })
}

const greets = (lines: readonly Line[]) => lines.slice(0, 3).some(({ folded }) => greeting.test(folded))

function isTitle({ text, folded, start, passage }: Line, { labelled }: Passage): boolean {
  const isPlain =
    /^\p{Lu}/u.test(text) && text.length <= 60 && !/[:@!?]|\d{2}|\p{Ll}{3,}\.$/u.test(text) && !noHead.test(folded)
  return isPlain && !labelled.has(start) && passage.lines.length > 2
}

function head(line: Line, score: number): Candidate {
  const value = (line.text.split(nameEnd)[0] as string).replace(/^(?:ihre?|your|votre)\s+/i, '')
  const start = line.text.indexOf(value)
  return at(line.passage, line.start, { value, start, end: start + value.length }, score)
}

/** A line that is a date alone, or with a place before it: when a document was written. */
function dateLines(_: Asked, { passages, dates }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) =>
    passage.lines.flatMap((line) => {
      if (line.role !== null || line.text.length > 60 || !/\d/.test(line.text)) return []
      const [found] = dates(line.text, 'past')
      if (found === undefined || found.end < line.text.replace(/[.,]$/, '').length) return []
      const before = line.text.slice(0, found.start)
      const isDate =
        /^(?:\p{Lu}[\p{L} -]{2,25}, |(?:vom|le|del|du|van|dated|date|datum|data|fecha|am|on|dd\.?)[\s:]*)?(?:den |the |le )?$/iu.test(
          before,
        )
      return isDate ? [at(passage, line.start, found, 56)] : []
    }),
  )
}
