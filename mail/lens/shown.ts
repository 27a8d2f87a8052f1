/** Finds values by their form or place alone: addresses, telephone numbers, accounts, signatures, currencies. */

import { at, type Candidate, type Finder, type OpenMail } from './candidates.ts'
import type { Asked } from './concepts.ts'
import { currencies, isOwn } from './currencies.ts'
import { dayMs } from './dates.ts'
import { documentNumbers } from './document-numbers.ts'
import { fold } from './lexicon.ts'
import type { Line, Pair, Passage } from './lines.ts'
import { addressedNames, composedNames } from './names.ts'
import { subjectPositions } from './positions.ts'
import { ownEmails, ownPhones, throughPerson } from './reach.ts'
import { emailsIn, ibansIn, readPerson } from './shapes.ts'
import { type Found, hasLegalForm, isClosing, isCompanyName, isPersonName, nameEnd } from './signatures.ts'

/** Returns the values of a field that are recognised by form or place. */
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
  customer: (_, mail) => [
    ...(mail.isSeller() ? [] : signers(mail, 56)),
    ...composedNames(mail),
    ...forwarders(mail),
    ...greeted(mail),
    ...reached(mail),
    ...unlessIntroducing(mail, [...addressedNames(mail), ...blocks(mail)]),
  ],
  person: (_, mail) => [
    ...signers(mail, 56),
    ...composedNames(mail),
    ...forwarders(mail),
    ...titled(mail),
    ...reached(mail),
    ...unlessIntroducing(mail, [...addressedNames(mail), ...blocks(mail)]),
  ],
  company: (_, mail) => companies(mail, 50, isOfForm(mail)),
  supplier: (_, mail) => [...companies(mail, 56, isOfCustomer), ...letterheads(mail), ...payees(mail)],
  job: (_, mail) => subjectPositions(mail),
  invoiceNumber: (_, mail) => documentNumbers('invoiceNumber', mail),
  orderNumber: (_, mail) => documentNumbers('orderNumber', mail),
  ticketNumber: (_, mail) => [...numberedSubjects(mail.passages), ...documentNumbers('ticketNumber', mail)],
  invoiceDate: dateLines,
  orderDate: dateLines,
}

/** Finds the number in `[#88231] Cannot export`, a subject as help desk programs write it. */
function numberedSubjects(passages: readonly Passage[]): readonly Candidate[] {
  return passages.flatMap((passage) => {
    if (passage.place !== 'subject') return []
    const value = /(?:\[(?:\p{L}{3,20} )?#?|\((?:\p{L}{3,20} )?#)((?=[^\])]*\d)[\p{L}\p{N}/-]{3,20})[\])]/u.exec(
      passage.text,
    )?.[1]
    const start = value === undefined ? -1 : passage.text.indexOf(value)
    return value === undefined ? [] : [at(passage, start, { value, start: 0, end: value.length }, 54)]
  })
}

const ofFound = ({ line, ...piece }: Found, score: number): Candidate => at(line.passage, line.start, piece, score)

function signers({ passages, signed, isIntroduction }: OpenMail, score: number): readonly Candidate[] {
  const { person } = signed()
  if (person === null || isIntroduction()) return []
  // A colleague who passes a request on signs with a first name.
  const isOfOther = !person.value.includes(' ') && passages.some(({ lines }) => lines.some(namesOther))
  return isOfOther ? [] : [ofFound(person, score)]
}

/** Drops the signer from the candidates if the mail introduces somebody else. */
function unlessIntroducing({ signed, isIntroduction }: OpenMail, found: readonly Candidate[]): readonly Candidate[] {
  const { person } = signed()
  return isIntroduction() ? found.filter(({ value }) => value !== person?.value) : found
}

/** Whether a line mentions somebody by title and full name. */
const namesOther = ({ folded, text, role }: Line) =>
  role === null &&
  !greeting.test(folded) &&
  /(?<!\p{L})(?:Mr|Mrs|Ms|Herrn?|Frau|Mme|Mlle|M\.|Monsieur|Madame|Sra?|señora?|Sig|signora?|dhr|mevr|meneer|mevrouw)\.? \p{Lu}[\p{L}'’-]+ (?:\p{Ll}{2,3} ){0,2}\p{Lu}\p{Ll}/u.test(
    text,
  )

/** Finds the authors of forwarded mails. */
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

/** Finds names beside an address: `Jane Doe, Acme Ltd, jane@acme.example`, `Jane Doe (jane@acme.example)`. */
function reached({ passages, zones }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) =>
    passage.lines.flatMap((line) => {
      if (line.role !== null || emailsIn(line.text).length === 0 || zones(passage).has(line)) return []
      const beside = /(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){1,3}) [(<](?=\S+@)/u.exec(line.text)
      // "my adviser Mrs Lee (lee@...)" is somebody else.
      if (beside !== null && throughPerson.test(line.folded.slice(0, beside.index))) return []
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
      const isLegal = hasLegalForm(line.text.slice(from).replace(/\s*[(<].*$/, ''))
      return first.includes(' ') && isPersonName(first) && !isLegal
        ? [at(passage, line.start + from, { value: first, start: 0, end: first.length }, 54)]
        : []
    }),
  )
}

const greeting =
  /^(?:(?:hi|hello|dear|hallo|hoi|guten (?:tag|morgen|abend)|gruß gott|sehr geehrte[rs]?|liebe[rs]?|bonjour|cher|chere|hola|estimad[oa](?:\/[oa])?|querid[oa]|ciao|gentile|egregi[oa]|buongiorno|beste|geachte|dag|ola|car[oa]|moin)|(?:(?:vielen |hartelijk )?(?:danke?|merci|gracias|grazie|bedankt|thanks?)(?: dir| you| a ti)?)(?: (?:for|fur|pour|por|per|voor) (?:\p{L}+ ){1,3}(?:order|purchase|bestellung|einkauf|commande|achat|pedido|compra|ordine|acquisto|bestelling|aankoop))?),?\s+/u

/** Finds the person whom a seller or support greets. */
function greeted({ passages, isSeller, signed }: OpenMail): readonly Candidate[] {
  const [text] = passages
  if (text === undefined || !isSeller()) return []
  return text.lines.slice(0, greetingLinesMax).flatMap((line) => {
    const isTitled =
      /^(?:mrs?|ms|dr|herr|frau|madame|monsieur|mme|senora?|signora?|sig|mevrouw|meneer|de heer)\.? \p{L}[^.!?]{2,40}[,:!]$/u.test(
        line.folded,
      )
    const mark = /^[¡¿]/.test(line.text) ? 1 : 0
    const greeted = greeting.exec(line.folded.slice(mark))?.[0].length
    if (!isTitled && greeted === undefined) return []
    const lead = isTitled ? 0 : mark + (greeted ?? 0)
    const name = readPerson(line.text.slice(lead))
    // In a signed mail, a single name in the greeting is often not the customer's.
    const isOther = name !== null && name.start === 0 && !name.value.includes(' ') && signed().person !== null
    return name === null || isOther || !isPersonName(name.value) || name.value.length < 3
      ? []
      : [at(text, line.start + lead, name, name.value.includes(' ') ? 54 : 47)]
  })
}

const greetingLinesMax = 5

/** Finds names that are alone on a line above an address or a telephone number, or before a street in a sentence. */
function blocks({ passages, zones, signed, isSeller }: OpenMail): readonly Candidate[] {
  const signer = signed().person?.line
  return passages.flatMap((passage) => {
    const pairsOf = Map.groupBy(passage.pairs, ({ line }) => line)
    return passage.lines.flatMap((line, n) => {
      if (line.role !== null || zones(passage).has(line)) return []
      const above = passage.lines[n - 1]
      if (isSeller() && line === signer && above !== undefined && isClosing(above)) return []
      const isAlone = /^\S+(?: \S+)+$/.test(line.text) && isPersonName(line.text)
      if (isAlone && isReachedBelow(passage, n)) {
        const found = readPerson(line.text)
        return found === null ? [] : [at(passage, line.start, found, 55)]
      }
      const match =
        /(?<=\s|^)(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){1,2}), (?!P\.?O\.? |B\.?P\.? |Post(?:bus|fach)|Apartado|Casella)(?=\d{1,4}[a-z]? \p{L}|\p{Lu}[\p{L}.'’ -]{3,30} \d{1,4}\b)/u.exec(
          line.text,
        )
      return match === null || !isPersonName(match[1] as string) || pairsOf.get(line)?.some(isOfThing)
        ? []
        : [
            at(
              passage,
              line.start + match.index,
              { value: match[1] as string, start: 0, end: (match[1] as string).length },
              53,
            ),
          ]
    })
  })
}

/** Whether a label says that its line is neither a name nor an address. */
const isOfThing = ({ meanings: { known } }: Pair) => ![...known].some((meaning) => ofReach.has(meaning))
const ofReach: ReadonlySet<string> = new Set([
  'address',
  'delivery',
  'shipping',
  'customer',
  'contact',
  'name',
  'invoice',
])

/** Whether an address or a number is below a line, with at most the name of a building or an organisation between. */
function isReachedBelow({ lines }: Passage, n: number): boolean {
  const [below, next] = [lines[n + 1], lines[n + 2]]
  if (below === undefined || below.isFirst) return false
  if (isReach(below.text)) return true
  const isName = /^\p{Lu}[^:.,!?\t]{2,40}$/u.test(below.text) && !isPersonName(below.text)
  return isName && next !== undefined && !next.isFirst && isReach(next.text)
}

/** Whether a line is contact information: an e-mail address, a number, a street. */
const isReach = (text: string) =>
  text.length < 60 &&
  !/[€$£]|[.,]\d\d$/.test(text) &&
  (/@\S+\./.test(text) ||
    (/\d{3}/.test(text) && !/[€$£]|[.,]\d\d$/.test(text)) ||
    /^\d{1,4}(?: ?(?:bis|ter|quater|[a-z]))?,? \p{L}{2,}|^\p{Lu}[\p{L}.' -]{2,30} \d{1,4}[a-z]?(?:,|$)|(?<!\p{L})\p{Lu}{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}$/u.test(
      text,
    ))

/** Finds a name on the first line of an attachment, as in a CV. */
function titled({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) => {
    const [first] = passage.lines
    if (first === undefined || !passage.place.startsWith('attachments')) return []
    const isName = isPersonName(first.text) && first.text.includes(' ')
    return isName ? [at(passage, first.start, { value: first.text, start: 0, end: first.text.length }, 52)] : []
  })
}

/** Capitalised words with a legal form after them. */
const legalNames =
  /(?<![\p{L}\p{N}])(\p{Lu}[\p{L}\p{N}'’&-]*(?:(?<=\p{Lu}\p{Ll}{0,4})\.)?,? (?:(?:(?:[dl]['’])?\p{Lu}[\p{L}\p{N}'’&-]*(?:(?<=\p{Lu}\p{Ll}{0,4})\.)?,?|\+|&|und|et|y|e|de|del|della|di|van|des?) ){0,5}?(?:GmbH(?: & Co\.? KG)?|AG|KG|OHG|UG|eG|e\.\s?V\.|Ltd\.?|Limited|LLC|LLP|PLC|plc|Inc\.?|Corp\.?|SARL|SAS|SASU|EURL|S\.?A\.? de C\.?V\.?|SA|S\.A\.(?:S\.|U\.)?|S\.?L\.?(?:[UPL]\.?)?|S\.C\.|S\.Coop\.?|mbB|PartG(?: mbB)?|GbR|e\.\s?K\.|KGaA|gGmbH|SNC|[Ss]nc|SCOP|SCI|C\.B\.|Pty(?: Ltd)?|Co\.|S\.?[Rr]\.?[Ll]\.?|S\.?[Pp]\.?[Aa]\.?|[Ss]\.n\.c\.|B\.?V\.?|N\.V\.|NV|bvba|BVBA|VOF|SE|Lda\.?))(?![\p{L}\p{N}])/gu

const recipient =
  /(?:^|\b)(?:spett\S*|kunde:?|client[e]?:|cliente:|klant:|customer:)|^(?:bill to|ship to|to|an|rechnung an|a|para|aan|for|fur|customer|kunde|client|cliente|klant)\b/

/** A line right above the recipient of a document. */
const recipientAlone =
  /^(?:an|to|a|aan|para|pour|fur|for|spett\S*|spettabile|bill to|billed to|ship to|sold to|rechnung an|an firma|firma|kunde|client|cliente|klant|destinataire|destinatari[oa]|all attenzione di)[\s:.,]*$/u

const isBelowRecipient = ({ lines }: Passage, n: number) =>
  lines[n]?.isFirst === false && recipientAlone.test(lines[n - 1]?.folded ?? '')

/** Whether a line, with the pairs on it, is about somebody else. */
type IsOther = (line: Line, pairs: readonly Pair[]) => boolean

/** A line that greets or names the customer does not name the seller. */
const isOfCustomer: IsOther = (line, pairs) =>
  greeting.test(line.folded) || pairs.some((pair) => pair.by !== 'words' && isParty(pair))

/** Words before a service that sends for others: "Sent with", "Verzonden via". */
const sentFor =
  /(?<!\p{L})(?:(?:sent|delivered|generated|provided|versendet|verschickt|erstellt|zugestellt|envoye|genere|enviad[oa]|generad[oa]|inviat[oa]|generat[oa]|verzonden|verstuurd|gemaakt) (?:via|with|through|mit|uber|durch|avec|con|mediante|tramite|met)|powered by)(?!\p{L})(?!.*(?:behalf|auftrag|im namen|namens|au nom|pour le compte|en nombre|por cuenta|per conto|a nome|in opdracht))/u

const formLabels = ['email', 'name', 'requester', 'customer'] as const

const isParty = ({ meanings: { known } }: Pair) => known.has('customer') && !known.has('number')

/** If a form names the person, an organisation without a label is the one that runs the form. */
function isOfForm({ passages }: OpenMail): IsOther {
  const isForm = passages.some(({ pairs }) =>
    pairs.some(
      ({ by, meanings: { known, unknown } }) =>
        by !== 'words' && unknown === 0 && formLabels.some((meaning) => known.has(meaning)),
    ),
  )
  return () => isForm
}

function companies({ passages, signed }: OpenMail, score: number, isOther: IsOther): readonly Candidate[] {
  const { company } = signed()
  const pairsOf = new Map(passages.map((passage) => [passage, Map.groupBy(passage.pairs, ({ line }) => line)]))
  const isAside = (line: Line) => isOther(line, pairsOf.get(line.passage)?.get(line) ?? [])
  const lines = passages.flatMap((passage) =>
    passage.lines.flatMap((line, n) => {
      if (line.role !== null || recipient.test(line.folded) || sentFor.test(line.folded) || isAside(line)) return []
      if (isBelowRecipient(passage, n)) return []
      return Array.from(line.text.matchAll(legalNames)).flatMap((match) => {
        const named = (match[1] as string).replace(notOfName, '')
        const [first = '', ...rest] = named.split(', ')
        // "Ann Lee, Lee Ltd"
        const value =
          rest.length > 0 &&
          first.includes(' ') &&
          isPersonName(first) &&
          hasLegalForm(rest.join(', ')) &&
          rest.join(', ').includes(' ')
            ? rest.join(', ')
            : named
        const start = match.index + match[0].indexOf(value)
        const isMeant = hasLegalForm(value) && !recipient.test(line.folded.slice(Math.max(0, start - 12), start))
        return isMeant ? [at(passage, line.start + start, { value, start: 0, end: value.length }, score - 4)] : []
      })
    }),
  )
  const isOwn =
    company !== null &&
    !isAside(company.line) &&
    !isBelowRecipient(company.line.passage, company.line.passage.lines.indexOf(company.line))
  return [...(isOwn ? [ofFound(company, score)] : []), ...lines]
}

/** Words before the name of an organisation that are not part of it: "Your", "From", a number and a preposition. */
const notOfName = /^(?:Ihre?|Your|Votre|Von|From) |^.*\d{4}\S* (?:(?:van|di|de|del|della|des|of|von|&|und|et|e|y) )*/

const noHead =
  /^(?:hi|hello|dear|hallo|guten|sehr|bonjour|hola|ciao|gentile|beste|geachte|buongiorno|fyi|invoice|rechnung|facture|factura|fattura|factuur|order|receipt|statement|credit|pro forma|releve|rib\b|avis|note|avoir|orden|ordre|bon de|purchase|bestellung|auftrag|lieferschein|inkooporder|opdracht|curriculum|lebenslauf|liquidation|mahnung|rappel|reminder|herinnering|quittung|beleg|abrechnung|parcella|notula|ricevuta|recibo|minuta|bolletta|documento|document|dokument|confirmp{L}*|nota|creditnota)\b/

/** Finds the sender of a document: its first line, or the last line if nobody signs it. */
function letterheads({ passages, signed, amounts }: OpenMail): readonly Candidate[] {
  const isBill = ({ meanings: { known } }: Pair) => known.has('invoice') || known.has('total') || known.has('due')
  const hasBill = passages.some((passage) => passage.pairs.some(isBill) || amounts(passage).length > 1)
  if (!hasBill) return []
  return passages.flatMap((passage) => {
    if (passage.place === 'subject') return []
    const own = passage.lines.filter(({ role }) => role === null)
    const [first] = own
    const last = own.at(-1)
    if (first !== undefined && own.length > 3 && isTitle(first, passage)) {
      const [cell = ''] = first.text.split(wideGap)
      const isNamed = isCompanyName(cell) || isRepeated(cell, own)
      if (passage.place !== 'text' || isNamed) return [head(first, isNamed ? 51 : 50)]
    }
    if (passage.place !== 'text' || last === undefined || passage.pairs.length < 2) return []
    const { person } = signed()
    const isSigner = person !== null && person.line === last
    if (isSigner && !isCompanyName(last.text) && greets(own)) return []
    return isTitle(last, passage) && (!greets(own) || isCompanyName(last.text)) ? [head(last, 46)] : []
  })
}

const wideGap = /\t| {3,}/

/** Whether a line further down has the same name: senders name themselves at the top and at the bottom. */
function isRepeated(name: string, lines: readonly Line[]): boolean {
  const wanted = fold(name)
  return wanted.length > 3 && lines.slice(2).some(({ folded }) => folded.includes(wanted))
}

const greets = (lines: readonly Line[]) => lines.slice(0, 3).some(({ folded }) => greeting.test(folded))

function isTitle({ text: whole, folded, start, passage }: Line, { labelled }: Passage): boolean {
  const [text = ''] = whole.split(wideGap)
  const isPlain =
    /^\p{Lu}/u.test(text) && text.length <= 60 && !/[:@!?]|\d{2}|\p{Ll}{3,}\.$/u.test(text) && !noHead.test(folded)
  return isPlain && !labelled.has(start) && passage.lines.length > 2
}

function head(line: Line, score: number): Candidate {
  const [cell = ''] = line.text.split(wideGap)
  const value = (cell.split(nameEnd)[0] as string).replace(/^(?:ihre?|your|votre)\s+/i, '')
  const start = line.text.indexOf(value)
  return at(line.passage, line.start, { value, start, end: start + value.length }, score)
}

/** Words before the name of the payee. Those of the group `near` may have other uses, so an account has to be near. */
const payable =
  /(?<!\p{L})(?:(?:cheques?|checks?|payable|made out) (?:payable )?to|in favou?r of|gläubiger(?:in)?:|kontoinhaber(?:in)?:?|à l['’]ordre (?:du|de la|des|de l['’]|d['’]|de)|(?<near>t\.?n\.?v\.?:?|ten name van|op naam van|intestat[oa] ad?|a nombre de|au nom de|lautend auf|in the name of))\s+(?=\p{L})(?!tr[ée]sor|finanzamt|staatskasse|landeskasse|agenzia|tesorer|hacienda|belasting|hm revenue)(?<name>[^,;:\n\t(|<]{3,60}?)(?=[,;:\n\t(|<]|(?<=\p{L}{3})\.(?:\s|$)|\s(?:o\.?v\.?v|te|uit|aus|onder|met|avant|avec|before|with|con|entro|mit|bis|sous|iban|bic|und|and|en)(?!\p{L})|$)/giu
const payeeScore = 55

/** Finds the organisation to which a cheque or a transfer is payable. A person may hold the account for others. */
function payees({ passages }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) => {
    const accounts = ibansIn(passage.text)
    return Array.from(passage.text.matchAll(payable)).flatMap((match) => {
      const value = (match.groups?.name ?? '').trim()
      const start = match.index + match[0].length - (match.groups?.name ?? '').length
      const isNear =
        match.groups?.near === undefined ||
        accounts.some((account) => Math.abs(account.start - match.index) < accountCharsMax)
      const isOrganisation = isCompanyName(value) || (/\s/.test(value) && !isPersonName(value))
      return isNear &&
        isOrganisation &&
        /^\p{Lu}|^\p{Ll}\./u.test(value) &&
        isOwn(passage)({ value, start, end: start })
        ? [at(passage, 0, { value, start, end: start + value.length }, payeeScore)]
        : []
    })
  })
}

const accountCharsMax = 90

/** `[Order #10482] <https://...> (28 November 2026)`, as shops head their lists. */
const linked =
  /^\[\p{L}*\s?(?:order|bestellung|commande|pedido|ordine|bestelling|encomenda)(?=[^\]]*\d)[^\]]*\](?: <\S+>)? \((?=[^()]+\)$)/iu

/** Finds the date of a document on a line that is a date alone, or a date with a place or a word for it before it. */
function dateLines({ concept }: Asked, { passages, dates, date }: OpenMail): readonly Candidate[] {
  return passages.flatMap((passage) => {
    const labelled = new Set(passage.pairs.map(({ start }) => start))
    return passage.lines.flatMap((line) => {
      const lead = concept === 'orderDate' ? (linked.exec(line.text)?.[0].length ?? 0) : 0
      if (lead > 0) {
        const [found] = dates(line.text.slice(lead), 'past')
        return found === undefined ? [] : [at(passage, line.start + lead, found, 56)]
      }
      const cells = line.text.split(wideGap)
      const cell = cells.at(-1) as string
      // Labels and values that alternate.
      if (cells.length > 3) return []
      if (labelled.has(line.start + line.text.length - cell.length)) return []
      // A date without a year is more likely that of a future event.
      if (line.role !== null || cell.length > 60 || !/(?:\d{4}|[./-]\d\d)\W*$|^\d{4}-/.test(cell)) return []
      const [found] = dates(cell, 'past')
      if (found === undefined || found.end < cell.replace(/[.,]$/, '').length) return []
      const isDate =
        /^(?:\p{Lu}[\p{L} -]{2,25}, |(?:vom|le|del|du|van|dated|date|datum|data|fecha|am|on|dd\.?)[\s:]*)?(?:den |the |le )?$/iu.test(
          cell.slice(0, found.start),
        )
      const isLater = Date.parse(found.value) > date.getTime() + 2 * dayMs
      return isDate && !isLater ? [at(passage, line.start + line.text.length - cell.length, found, 56)] : []
    })
  })
}
