/** Finds the e-mail addresses and telephone numbers of the mail's person, and tells them from those of others by their context. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { fold } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import { emailsIn, isPhoneForm, type Piece, phonesIn } from './shapes.ts'
import { isPersonName } from './signatures.ts'

const weights = {
  plain: 50,
  /** The address contains a part of the person's name. */
  named: 9,
  /** It is in the last lines. */
  last: 4,
  /** The words before it, or its label, introduce a way to reach somebody. */
  cued: 8,
  /** It is below or beside a name. */
  besideName: 5,
  /** It belongs to an office, not to a person. */
  office: -6,
  /** It is in the signature of a seller, so it is the seller's. */
  seller: -35,
} as const

const office =
  /^(?:info|sales|news|office|admin|system|team|hello|hallo|hi|mail|shop|store|abuse|postmaster|marketing|hr|jobs|ar|verkauf|ventas|vendite|verkoop|bonjour|hola|ciao|noreply)@|^repl(?:y|ies)[-+._\d]|^[^@]*(?:no-?reply|notif|alerts?|newsletter|service|support|contact|kontakt|hilfe|aiuto|kunden|klant|client|atencion|ayuda|assist|soporte|help|billing|unsubscribe|buchhaltung|rechnung|factura|fattur|bestell|orders?|pedido|ordini|webmaster|datenschutz|privacy|chat)[^@]*@/i
const unasked =
  /unsubscribe|abmelden|abbestellen|desabonner|darse de baja|cancella(?:rti|zione)|afmelden|opt.?out|write to us|contact us|any questions|questions\?|fragen\?|non vuoi|scrivi a |ne plus recevoir/
/** Words before an address to which one should not write. */
const denied =
  /(?:\bnot|n.t|\bnicht|\bniet|\bnon|\bpas|\bno)(?: \p{L}+){0,5} (?:an|to|at|naar|mailen|address|adresse|adres|a|al|alla|schreiben|write|mail)[^.]{0,60}$/u

/** Returns the addresses of the person whom a mail is about. */
export function ownEmails(mail: OpenMail): readonly Candidate[] {
  return chosen(
    mail.passages.flatMap((passage) => {
      const labelled = labelledIn(passage)
      const { labels } = labelled
      return passage.lines.flatMap((line, n) => {
        const zone = mail.zones(passage).get(line)
        if (unasked.test(line.folded) || zone !== undefined || (line.role !== null && line.role !== 'from')) return []
        return emailsIn(line.text).flatMap((email) => {
          const before = line.folded.slice(0, email.start)
          if (denied.test(before) || throughPerson.test(before)) return []
          const local = fold(email.value.split('@')[0] as string)
          const isOffice = office.test(email.value)
          const isNamed = namesOf(mail).some((part) => local.includes(part))
          const { person, company } = mail.signed()
          const isOwnEnd = (person ?? company) !== null && !isOfOther(mail) && isSignature(passage, n, mail)
          const isOfSeller = mail.isSeller() && !isNamed && line.role === null && !isBesidePerson(line, email, labels)
          if ((isOffice && !isNamed && !isOwnEnd) || isOfSeller || isOfSupplier(passage, n, labels)) return []
          if (!isNamed && isFoot(line, email, labelled, mail)) return []
          const score =
            weights.plain +
            (isOffice && !isNamed ? weights.office : 0) +
            (isNamed ? weights.named : 0) +
            (line.role === 'from' ? weights.cued : 0) +
            surroundings(mail, passage, n, before, emailCue) +
            (isOfOther(mail) && isSignature(passage, n, mail) ? weights.seller : 0)
          return [at(passage, line.start, email, score)]
        })
      })
    }),
  )
}

/** Whether the name of a person, or the label of one, is on the line of an address. */
function isBesidePerson(line: Line, { start }: Piece, labels: Labels): boolean {
  const before = line.text.slice(0, start).replace(/[\s(<,|·:–-]+$/u, '')
  const last = before.split(/\s*[,|·:–]\s*/u).at(-1) ?? ''
  return (
    (last.includes(' ') && isPersonName(last.split(/\s+/).slice(-2).join(' '))) ||
    [...(labels.get(line) ?? [])].some((meaning) => ofPerson.has(meaning))
  )
}

/**
 * Whether a line is the footer of a form: one of the last lines, below the person that the form names, with more on it than the
 * address. It then belongs to whoever runs the form. A form that somebody signs has no such footer.
 */
function isFoot(line: Line, { value }: Piece, { labels, form }: Labelled, mail: OpenMail): boolean {
  const { passage } = line
  const isLast = passage.place === 'text' && passage.lines.slice(-footLines).includes(line)
  const signer = mail.signed().person?.line ?? line
  if (!isLast || form === null || line.start <= form.start || line.text === value || signer !== line) return false
  const own = labels.get(line)
  return own === undefined || !['email', 'phone', 'contact'].some((meaning) => own.has(meaning))
}

const footLines = 2

type Labelled = {
  readonly labels: Labels
  /** The last line with the label of a person. */
  readonly form: Line | null
}

const labelledIn = (passage: Passage): Labelled => ({
  labels: labelsOf(passage),
  form: passage.pairs.findLast(({ by, meanings: { known } }) => by !== 'words' && namesPerson(known))?.line ?? null,
})

const namesPerson = (meanings: ReadonlySet<string>) => [...meanings].some((meaning) => ofPerson.has(meaning))

/** The meanings of the labels of each line. */
type Labels = ReadonlyMap<Line, ReadonlySet<string>>

function labelsOf({ pairs }: Passage): Labels {
  const labels = new Map<Line, Set<string>>()
  for (const { line, meanings } of pairs) labels.set(line, new Set([...(labels.get(line) ?? []), ...meanings.known]))
  return labels
}

const ofPerson: ReadonlySet<string> = new Set([
  'email',
  'customer',
  'requester',
  'contact',
  'applicant',
  'name',
  'sender',
])

/** Whether a line, or the labelled line above it, names the supplier. */
function isOfSupplier({ lines }: Passage, n: number, labels: Labels): boolean {
  const [above, line] = [lines[n - 1], lines[n] as Line]
  if (labels.get(line)?.has('supplier')) return true
  return above !== undefined && !line.isFirst && !labels.has(line) && labels.get(above)?.has('supplier') === true
}

const emailCue =
  /(?:mail|write|reach|touch|antwort|schreib|repond|ecri|escrib|respond|rispond|scriv|posta|recapito|contatt|contact|bereik|adress|inviata a|sent to|envoye)\S*(?:\s\p{L}+){0,3}\W{0,4}$/u

const phoneCue =
  /(?:\b|0)(?:tel|phone|fon|call|reach|ring|text|txt|mobil|handy|cell|portable|joindre|appel|movil|llam|contact|cellulare|chiam|trova allo|recapito|bel|bellen|bereik|erreich|ruf|whatsapp|wasap|appen|gsm|direct|durchwahl|numero|number|nummer)\S*(?:\s\p{L}+){0,3}\W{0,4}$/u

/** Words for somebody through whom another person is reached. */
export const throughOthers =
  /(?<!\p{L})(?:via|through|c\/o|care of|uber|durch|par|chez|a traves de|mediante|tramite|presso|attraverso|agency|agentur|agence|agencia|agenzia|bureau|secretary|sekretariat|secretariat|segreteria|secretaria)(?!\p{L})[^.;]*$/u

/** The same for a particular person: `through my adviser Mrs Lee`, `über mich`. */
export const throughPerson =
  /(?<!\p{L})(?:via|through|uber|durch|par|chez|a traves de|mediante|tramite|presso|attraverso|por|con|met|avec|mit|with|bij|door)(?: (?:la|il))? (?:my|our|me|us|mein\p{L}*|unser\p{L}*|mich|uns|mon|ma|notre|moi|nous|mi|mio|mia|me|nuestr[oa]|nostr[oa]|noi|mijn|mij|onze|ons)(?!\p{L})(?! (?:e-?)?mail)[^.;,\n]{0,40}$/u

/** Returns the telephone numbers of the person whom a mail is about. */
export function ownPhones(mail: OpenMail): readonly Candidate[] {
  return chosen(
    mail.passages.flatMap((passage) => {
      const labelled = labelledIn(passage)
      const isOnly =
        passage.place === 'text' && passage.lines.filter(({ text }) => phonesIn(text).length > 0).length === 1
      return passage.place === 'subject'
        ? []
        : passage.lines.flatMap((line, n) => {
            if (mail.zones(passage).get(line) !== undefined || line.role !== null) return []
            return phonesIn(line.text).flatMap((phone) => {
              if (tollFree.test(phone.value) || isFoot(line, phone, labelled, mail)) return []
              const before = line.folded.slice(Math.max(0, phone.start - 50), phone.start)
              if (throughOthers.test(before) || referred.test(before)) return []
              const isSpoken = phoneCue.test(before)
              const around = surroundings(mail, passage, n, before, phoneCue)
              const isAlone = line.text.replace(phone.value, '').replace(/[\s|,.:;()/☎✆-]/g, '').length <= aloneCharsMax
              const isBeside =
                emailsIn(line.text).length > 0 || isPersonName(line.text.slice(0, phone.start).replace(/[,\s|-]+$/, ''))
              const isEnd = isClose(line, phone, passage, n)
              const isForm = isPhoneForm(phone.value) || (isSpoken && phone.value.replace(/\D/g, '').length > 6)
              if (!isForm || !(isSpoken || isAlone || isBeside || isEnd || isOnly)) return []
              const seller = isOfOther(mail) && isSignature(passage, n, mail) ? weights.seller : 0
              return [
                at(passage, line.start, phone, weights.plain + around + (isBeside ? weights.besideName : 0) + seller),
              ]
            })
          })
    }),
  )
}

/** Toll-free numbers, which belong to offices. */
const tollFree = /^(?:\+?\d{1,3} ?)?\(?0?8(?:00|05|08|88|77)\)?\b|^(?:900|902|901)\b/

/** Words before the number of a document. */
const referred =
  /(?<!\p{L})(?:ref|rif|reference|referencia|referenz|riferimento|referentie|kenmerk|aktenzeichen|az|dossier)[\s.:°#]*$/u

/** Room for a word after a number that is alone on its line: `evenings`. */
const aloneCharsMax = 8

/** Whether a number is at the end of the text, with at most a name after it. */
function isClose(line: Line, phone: Piece, { lines }: Passage, n: number): boolean {
  return (
    n >= lines.length - 2 &&
    line.text.length - phone.end <= 30 &&
    /^[\s.,!]*(?:\p{Lu}\p{L}+)?[\s.,!]*$/u.test(line.text.slice(phone.end))
  )
}

function surroundings(mail: OpenMail, passage: Passage, n: number, before: string, cue: RegExp): number {
  const above = passage.lines[n - 1]
  const isCued = cue.test(before)
  const isLast = passage.place === 'text' && n >= passage.lines.length - lastLines
  const isBelow =
    above !== undefined &&
    above.text.length < 60 &&
    (namesOf(mail).some((part) => above.folded.includes(part)) ||
      (above.text.includes(' ') && isPersonName(above.text)))
  return (isCued ? weights.cued : 0) + (isLast ? weights.last : 0) + (isBelow ? weights.besideName : 0)
}

/** Whether the signer is not the person whom the mail is about. */
const isOfOther = (mail: OpenMail) => mail.isSeller() || mail.isIntroduction() || isForOther(mail)

/** Whether the names in the mail are not those of the signer. */
function isForOther(mail: OpenMail): boolean {
  const signer = fold(mail.signed().person?.value ?? '')
  return signer !== '' && namesOf(mail).length > 0 && !namesOf(mail).some((part) => signer.includes(part))
}

const lastLines = 6

/** Whether a line belongs to the signature of the text. */
function isSignature(passage: Passage, n: number, mail: OpenMail): boolean {
  const { person, company } = mail.signed()
  const line = (person ?? company)?.line
  const from = line === undefined || passage.place !== 'text' ? -1 : passage.lines.indexOf(line)
  return from >= 0 ? n >= from - 1 : mail.isSeller() && passage.place === 'text' && n >= passage.lines.length - 2
}

/** Returns parts of the names of the people whom the mail is from or about. */
function namesOf(mail: OpenMail): readonly string[] {
  return mail.people()
}

/** Returns the candidates with the highest score. If several values share it, returns the last, or none if all candidates do. */
function chosen(found: readonly Candidate[]): readonly Candidate[] {
  const most = Math.max(...found.map(({ score }) => score))
  const best = found.filter(({ score }) => score === most)
  const distinct = new Set(best.map(({ value }) => String(value).toLowerCase()))
  return distinct.size === 1 ? best : best.length === found.length && distinct.size > 2 ? [] : best.slice(-1)
}
