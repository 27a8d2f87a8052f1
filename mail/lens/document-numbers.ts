/** Numbers of documents without a label: the words of the sentence say what they are numbers of. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { governedBy } from './governed.ts'
import type { Passage } from './lines.ts'
import type { Role } from './roles.ts'
import { ibansIn, phonesIn } from './shapes.ts'

const roles: readonly Role[] = [
  {
    name: 'invoiceNumber',
    stems:
      'honorair|minuta|notul|rechnung|factur|factuur|fattur|fatur|bollett|abrechnung|beleg|recib|parcell|declarati|honorar',
    words: 'bill|document|dokument|statement|folio|nota|receipt|re|inv',
  },
  {
    name: 'orderNumber',
    stems:
      'orden|ordre|inkoop|opdracht|auftrag|order|bestell|commande|pedid|ordine|acquist|compra|encomend|parcel|packchen|paket|colis|purchas',
    words: 'po|kennung|bag|entro el|entro',
  },
  {
    name: 'ticketNumber',
    stems:
      'consult|quer|enquir|ticket|incident|vorgang|storung|zaak|expedient|incidenci|richiest|segnalazi|demande|request|anfrage|melding|solicitud|aanvraag|aperta|abierto|logged|registr|zugewiesen',
    words: 'case|zaak|caso|dossier|cas|fall',
  },
  {
    name: 'reference',
    stems: 'numer|nummer|referen|kennung|identif',
    words: 'number|no|nr|num|ref|rif|n[°º]|id|code|codice|codigo|repere|dossier|unserer|#|garder|numero|conferma',
  },
  {
    name: 'other',
    stems:
      'identificativ|interscambi|session|sitzung|sesion|sessie|sped|shipment|versand|envoi|envio|verzend|protocol|protokoll|sort code|konto|custom|kunde|kunden|client|klant|account|konto|cuenta|contr|vertrag|track|suivi|seguim|telef|quot|offer|angebot|devis|prevent|presupuest|gutschrift|credit|ersetz|replac|remplac|reempl|sostitu|vervang|steuer|siret|card|carte|karte|tarjeta|abonad|annunc|anunc|error|fehler|erreur|fout|errore|version|regist|lieferant|serie|serial|matricul|wartung|mainten|vorig|previous|preceden|anterior|letzt|insere|socio|abonad|mitglied|adherent|membr|leden',
    words:
      'sdi|cig|cup|vat|ust|bic|visa|hrb|nif|cif|p\\.? ?iva|your ref|last|terminal|bezug|nicht um|niet om|instead of|statt|invece',
  },
]

/** Words that say that a document is from an earlier occasion. */
export const ofLastTime =
  /(?<!\p{L})(?:last (?:year|time|month)|letzte[sn]? (?:jahr|mal|monat)|l.an (?:dernier|passe)|l.annee derniere|la derniere fois|(?:el )?(?:ano|mes) pasado|la (?:ultima|otra) vez|l.anno scorso|il mese scorso|l.(?:ultima|altra) volta|(?:vorig jaar|vorige (?:keer|maand)|de laatste keer))(?!\p{L})/u

const weights = { governed: 48, perPoint: 1.2, strengthMin: 4, margin: 0.5, alone: 47, marked: 8, subject: 2 } as const

const token =
  /(?<![\p{L}\p{N}.,/@-])#?(?:\p{Lu}{1,6}\d{0,2}[-/. ]?)?\d[\p{L}\p{N}]*(?:[-/.][\p{L}\p{N}]+)*(?![\p{L}\p{N}@%]|[.,]\d)/gu

/** Units of time, size and weight after a number, as in `48-72 h`. */
const measure =
  /^\s?(?:h|hrs?|hours?|min\p{L}*|days?|weeks?|working|business|std|stunden?|tagen?|werktagen?|wochen?|heures?|jours?|semaines?|horas?|d[ií]as?|semanas?|ore|giorn[oi]|settimane|uur|uren|dagen|werkdagen|weken|cm|mm|m|kg|g|l|%|€)(?!\p{L})/iu

type Token = { readonly value: string; readonly passage: Passage; readonly start: number; readonly end: number }

/** Returns the numbers that may be that of a document. */
export function documentNumbers(concept: string, mail: OpenMail): readonly Candidate[] {
  const tokens = mail.passages.flatMap((passage) => tokensIn(passage, mail)).slice(0, tokensMax)
  const distinct = new Set(tokens.map(({ value }) => value.replace('#', '')))
  const others = new Set(['invoice', 'order', 'ticket'].filter((name) => !concept.startsWith(name)))
  return tokens.flatMap((each) => {
    const { pairs } = each.passage
    // A label on the line above says that the number is that of another document.
    const isLabelled = pairs.some(
      ({ by, start, meanings: { known } }) =>
        by === 'line' && start <= each.start && each.start - start < 2 && [...known].some((name) => others.has(name)),
    )
    if (isLabelled || ofLastTime.test(leadOf(each, mail))) return []
    const governed = governedBy(mail.flow(each.passage), each, { others: [], roles, language: mail.locale.language })
    const strengthOf = (role: string) => governed.find(({ role: name }) => name === role)?.strength ?? 0
    const isMarked = /(?<![\p{L}\p{N}])#$/u.test(each.passage.text.slice(Math.max(0, each.start - 2), each.start))
    // For tickets the general words for a reference do not count: support mails have many other references.
    const named = concept === 'ticketNumber' ? 0 : strengthOf('reference') - 1
    const own = Math.max(strengthOf(concept), named, isMarked ? weights.marked : 0)
    const other = Math.max(...documents.filter((name) => name !== concept).map(strengthOf), strengthOf('other'))
    // The mail's only number, if it has letters and digits. A number of digits only may be anything.
    const isAlone =
      distinct.size === 1 &&
      concept !== 'ticketNumber' &&
      other < weights.strengthMin &&
      /^(?=.*\p{Lu})(?=.*[-/])(?=(?:.*\d){3})/u.test(each.value)
    const isOwn = own >= weights.strengthMin && own - other >= weights.margin
    if (!isOwn && !isAlone) return []
    const score = isOwn ? weights.governed + weights.perPoint * own : weights.alone
    return [at(each.passage, 0, each, score)]
  })
}

/** Returns the text of the sentence before a number. */
const leadOf = ({ passage, start }: Token, mail: OpenMail) =>
  mail
    .flow(passage)
    .slice(Math.max(0, start - leadCharsMax), start)
    .split(/[.!?]\s|\n/)
    .at(-1) as string
const leadCharsMax = 120

/** Bounds the work, because each number is weighed by the words around it. */
const tokensMax = 300
const lineTokensMax = 20

const documents: readonly string[] = ['invoiceNumber', 'orderNumber', 'ticketNumber', 'other']

function tokensIn(passage: Passage, { dates, numbers, zones }: OpenMail): readonly Token[] {
  return passage.lines.flatMap((line) => {
    if (zones(passage).has(line) || line.role !== null) return []
    const taken = [
      ...ibansIn(line.text),
      ...phonesIn(line.text).filter(({ value }) => /[\s+(]/.test(value)),
      ...dates(line.text, 'near'),
      ...numbers(line.text).filter(
        ({ currency, start, end }) => currency !== null || /[.,]\d\d$/.test(line.text.slice(start, end)),
      ),
    ]
    const isTaken = (start: number, end: number) => taken.some((each) => each.start < end && each.end > start)
    return Array.from(line.text.matchAll(token))
      .slice(0, lineTokensMax)
      .flatMap(({ 0: value, index }) => {
        const digits = value.replace(/\D/g, '').length
        const isFormed = digits >= 4 || (digits >= 2 && /^\p{Lu}{1,6}[-/]?\d/u.test(value) && value.length >= 4)
        const isYear = /^(?:19|20)\d\d$/.test(value)
        // A version, or a bank's sort code.
        const isVersion = /^\d+\.\d+(?:\.\d+)*$|^\d\d-\d\d-\d\d$/.test(value)
        const isStreet =
          index === 0 && /^\d{1,4}$/.test(value) && /^ \p{Lu}\p{Ll}+/u.test(line.text.slice(value.length))
        // One group of a number that is written in several.
        const isGroup =
          /^\d+$/.test(value) &&
          (/^ \d{3,4}(?![\p{L}\p{N}.,/-])/u.test(line.text.slice(index + value.length)) ||
            /\d{3,4} $/.test(line.text.slice(0, index)))
        const isMeasured = measure.test(line.text.slice(index + value.length))
        if (
          isGroup ||
          isMeasured ||
          isStreet ||
          !isFormed ||
          isYear ||
          isVersion ||
          / /.test(value) ||
          isTaken(index, index + value.length)
        )
          return []
        const start = line.start + index + (value.startsWith('#') ? 1 : 0)
        return [{ value: value.replace('#', ''), passage, start, end: line.start + index + value.length }]
      })
  })
}
