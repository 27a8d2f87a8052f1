/** Finds dates and amounts in sentences, weighed by the words around them and by sums. */

import type { Amount } from './amounts.ts'
import { isBeginning } from './beginnings.ts'
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { type Asked, concepts } from './concepts.ts'
import { dayMs } from './dates.ts'
import { isDateOfDocument, ofDocument } from './document-dates.ts'
import { type Governed, governedBy } from './governed.ts'
import type { Passage } from './lines.ts'
import { lineAt } from './passages.ts'
import { amountRoles, dateRoles } from './roles.ts'

/** Returns the dates or numbers of a mail that a field asks for. */
export function weighedValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  const { concept, field } = asked
  if (concept === null) return []
  if (field.type === 'date') return mail.passages.flatMap((passage) => datesFor(concept, passage, mail))
  if (field.type === 'number') return mail.passages.flatMap((passage) => amountsFor(concept, passage, mail))
  return []
}

/** The roles that support a concept; all others count against it. */
const rolesOf: { readonly [concept: string]: readonly string[] } = {
  dueDate: ['dueDate'],
  invoiceDate: ['issued'],
  orderDate: ['ordered', 'issued'],
  deliveryDate: ['deliveryDate'],
  since: ['since'],
  start: ['start', 'available'],
  available: ['available', 'start'],
  total: ['total', 'gross'],
  tax: ['tax'],
  budget: ['budget'],
  salary: ['salary'],
}

const weights = {
  /** The score of a governed value, and what each point of the word's strength adds. */
  governed: 54,
  perPoint: 1.4,
  /** Added for a sum of the amounts before it. */
  sum: 12,
  /** A weaker word is no evidence. */
  strengthMin: 4.5,
  /** The best role must be stronger than any other by this much. */
  margin: 1,
  /** And by this much than a role that says that the value does not count. */
  untrueMargin: 3,
} as const

const untrue: ReadonlySet<string> = new Set(['earlier', 'unreal', 'ends', 'present'])

/** Concepts that need stronger words, because weak evidence was more often wrong than right. */
const strengthMins: { readonly [concept: string]: number } = {
  salary: 7.5,
  invoiceDate: 7.4,
  orderDate: 7.4,
  total: 5.5,
  dueDate: 5.2,
}
/** Concepts for which a day in a question is that of a meeting. */
const plans: ReadonlySet<string> = new Set(['start', 'available'])
/** A deadline for shipping is not the day of delivery. */
const shipBy =
  /(?<!\p{L})(?:dispatch|ship|post|spedi\p{L}*|expedi\p{L}*|versend\p{L}*|versand\p{L}*|verzend\p{L}*|enviar|envio|envialo) (?:it |this |de |la |le |lo )?(?:by|before|entro|antes|bis|vor|avant|voor)(?!\p{L})[^.\n]{0,12}$/u
/** A word for a reminder before its own date. */
const reminded =
  /(?:erinnerung|mahnung|reminder|relance|rappel|recordatorio|aviso|sollecito|promemoria|herinnering|aanmaning)\p{L}*(?: \p{L}+)? (?:vom|von|of|from|dated|on|du|del|de|dal|van|der|des)?\s?$/u
const leadChars = 40
/** Words for today, which do not state when something will start. */
const vague = /^(?:today|heute|aujourd.hui|hoy|oggi|vandaag)$/i
const agoMaxDays = 270

/** How far before or after the mail's date a value may be, in days. */
const spans: { readonly [concept: string]: readonly [before: number, after: number] } = {
  dueDate: [120, 400],
  invoiceDate: [800, 1],
  orderDate: [800, 1],
  deliveryDate: [0, 400],
  since: [2000, 0],
  start: [3, 1500],
  available: [3, 1500],
}

/** Roles that do not count against a concept. */
const alike: { readonly [concept: string]: readonly string[] } = {
  since: ['start', 'available', 'happens', 'ordered'],
  start: ['deliveryDate', 'since', 'issued'],
  available: ['since', 'issued'],
  orderDate: ['since', 'paidOn', 'dueDate'],
  invoiceDate: ['since', 'ordered', 'available'],
  budget: ['net', 'gross', 'total'],
  salary: ['gross', 'net'],
}

type Valued = { readonly start: number; readonly end: number }

function bestRole(
  concept: string,
  wanted: readonly string[],
  governed: readonly Governed[],
  same: readonly string[] = [],
): number | null {
  const own = governed.find(({ role }) => wanted.includes(role))
  const other = governed.find(({ role }) => !wanted.includes(role) && !same.includes(role))
  if (own === undefined || own.strength < (strengthMins[concept] ?? weights.strengthMin)) return null
  const margin = untrue.has(other?.role ?? '') ? weights.untrueMargin : weights.margin
  return own.strength - (other?.strength ?? 0) >= margin ? own.strength : null
}

function datesFor(concept: string, passage: Passage, mail: OpenMail): readonly Candidate[] {
  const wanted = rolesOf[concept]
  const direction = concepts[concept]?.direction ?? 'near'
  const [before, after] = spans[concept] ?? [0, 0]
  if (wanted === undefined) return []
  return mail.sentences
    .filter((sentence) => sentence.passage === passage)
    .flatMap((sentence) => {
      const dates = mail.dates(sentence.text, direction)
      const placed = dates.map((date) => ({
        ...date,
        start: sentence.start + date.start,
        end: sentence.start + date.end,
      }))
      return placed.flatMap((date, n) => {
        if (ofDocuments.has(concept) && isOfPeriod(passage.text, placed, n)) return []
        const written = passage.text.slice(date.start, date.end)
        const away = (Date.parse(date.value) - mail.date.getTime()) / dayMs
        if (away < -before - 1 || away > after || isAside(mail, passage, date.start)) return []
        // A day without a year that was so long ago is more likely a future one.
        if (away < -agoMaxDays && !/\d{4}|[./-]\d\d$/.test(written)) return []
        if (plans.has(concept) && vague.test(written)) return []
        if (concept === 'dueDate' && (isDiscount(mail.flow(passage), date) || (away <= 0 && !/\d/.test(written))))
          return []
        if (concept === 'dueDate' && reminded.test(mail.flow(passage).slice(0, date.start).slice(-leadChars))) return []
        if (concept === 'orderDate' && passage.place === 'subject') return []
        if (
          concept === 'deliveryDate' &&
          shipBy.test(mail.flow(passage).slice(Math.max(0, date.start - leadChars), date.start))
        )
          return []
        if (plans.has(concept) && isAsked(mail.flow(passage), date.end)) return []
        if (concept === 'since' && isBeginning(mail.flow(passage), date))
          return [at(passage, 0, date, weights.governed + weights.perPoint * weights.strengthMin)]
        const strength = bestRole(concept, wanted, governed(mail, passage, date, placed, dateRoles), alike[concept])
        if (ofDocument.has(concept) && !isDateOfDocument(concept, mail.flow(passage), date, strength ?? 0)) return []
        return strength === null ? [] : [at(passage, 0, date, weights.governed + weights.perPoint * strength)]
      })
    })
}

/** Whether a date is the beginning or the end of a period: `1 September to 30 September`. */
function isOfPeriod(text: string, all: readonly Valued[], n: number): boolean {
  const isJoined = (one: Valued | undefined, other: Valued | undefined) =>
    one !== undefined && other !== undefined && period.test(text.slice(one.end, other.start))
  return isJoined(all[n - 1], all[n]) || isJoined(all[n], all[n + 1])
}

const period = /^\s*(?:[-–]|to|until|till|bis|au|al?|hasta|tot(?: en met)?|t\/m)\s*(?:the|zum|le|el|il)?\s*$/iu
const ofDocuments: ReadonlySet<string> = new Set(['dueDate', 'invoiceDate', 'orderDate'])

/** Whether a date is the end of an early-payment discount; the due date is later. */
const isDiscount = (flow: string, { start, end }: Valued) =>
  /^[^.;\n]{0,40}\d\s?%/u.test(flow.slice(end, end + 50)) ||
  /\d\s?% (?:skonto|discount|escompte|sconto|korting|descuento)[^.;\n]{0,40}$/u.test(
    flow.slice(Math.max(0, start - 70), start),
  )

function governed(
  mail: OpenMail,
  passage: Passage,
  value: Valued,
  all: readonly Valued[],
  roles: typeof dateRoles,
): readonly Governed[] {
  const others = all.filter((other) => other !== value)
  return governedBy(mail.flow(passage), value, { others, roles, language: mail.locale.language })
}

function isAside(mail: OpenMail, passage: Passage, start: number): boolean {
  const line = lineAt(passage, start)
  const zone = line === undefined ? undefined : mail.zones(passage).get(line)
  return zone === 'offer' || zone === 'footer'
}

function amountsFor(concept: string, passage: Passage, mail: OpenMail): readonly Candidate[] {
  const wanted = rolesOf[concept]
  if (wanted === undefined) return []
  const amounts = mail.amounts(passage)
  const sums = concept === 'total' ? sumsOf(amounts) : none
  const found = amounts.flatMap((amount, n) => {
    const isSum = sums.has(amount)
    const near = amounts.slice(Math.max(0, n - nearMax), n + nearMax)
    const all = governed(mail, passage, amount, near, amountRoles)
    // "732 euro iva compresa": the word for the tax belongs to the phrase that says that it is included.
    const strengthOf = (name: string) => all.find(({ role }) => role === name)?.strength ?? 0
    const isWith = concept === 'total' && strengthOf('gross') > 0 && strengthOf('gross') >= strengthOf('tax')
    const strength = bestRole(concept, wanted, all, isWith ? ['tax'] : alike[concept])
    const rival = all.find(({ role }) => !wanted.includes(role))?.strength ?? 0
    if (isAside(mail, passage, amount.start) && !isSum) return []
    if (isAsked(mail.flow(passage), amount.end)) return []
    if (concept === 'tax' && !isTaxOf(amount, amounts)) return []
    if (concept === 'total' && payout.test(amount.line.folded)) return []
    if (concept === 'total' && isTaxNote(mail.flow(passage), amount)) return []
    if (
      concept === 'total' &&
      (isNet(mail.flow(passage), amount, amounts) || isSubtotal(amount, amounts.slice(n + 1, n + 1 + nearMax)))
    )
      return []
    if (concept === 'total' && isIncluded(mail.flow(passage), amount, amounts)) return []
    if (needsMark.has(concept) && !isSum && !amount.isMarked) return []
    if (counted.has(concept) && !amount.isMarked && isCounted(passage, amount)) return []
    if (concept === 'salary' && (career.test(amount.line.folded) || advertised.test(amount.line.folded))) return []
    if (isSum && rival < sumRivalMax) return [at(passage, 0, amount, weights.governed + weights.sum + (strength ?? 0))]
    return strength === null ? [] : [at(passage, 0, amount, weights.governed + weights.perPoint * strength)]
  })
  // With taxes at several rates, none of them is the whole tax.
  return concept === 'tax' && new Set(found.map(({ value }) => value)).size > 1 ? [] : found
}

/** Whether the sentence of a value ends in a question mark. */
const isAsked = (flow: string, end: number) => /^[^.!?\n]{0,120}\?/.test(flow.slice(end, end + 125))

/** Concepts of money for which a plain number before a noun counts something else: `420 members`. */
const counted: ReadonlySet<string> = new Set(['budget', 'salary'])
const isCounted = ({ text }: Passage, { end }: Amount) =>
  /^\s\p{L}{4,}/u.test(text.slice(end, end + 12)) &&
  !/^\s(?:brut|lord|nett|fij|fix|fest|gross|mensu|annu|anual|jahr|jährl|monat|year|month|per\b|euro|dollar|pound|maximum|maximal|all\b|together|insgesamt|total|inclu|inkl|excl|exkl|como|with|avec|para|pour|voor|als|more|oder|over|and)/iu.test(
    text.slice(end, end + 12),
  )

/** Whether an amount is the tax in a note such as `(incl. VAT £12.40)`. */
const isTaxNote = (flow: string, { start, end }: Amount) =>
  /^\s?\p{L}{0,3}\)/u.test(flow.slice(end, end + 6)) &&
  /\((?:incl\p{L}*|inkl\p{L}*|davon|dont|di cui|waarvan|of which)\.? (?:\d+ ?% )?(?:vat|tax|mwst|ust|tva|iva|btw|gst)\.?[\s:€£$]*$/u.test(
    flow.slice(Math.max(0, start - 30), start),
  )

/** Whether words right after an amount say that tax is not included, and the mail has a larger amount: `64,70 € (sin impuestos)`. */
const isNet = (flow: string, { end, value }: Amount, all: readonly Amount[]) =>
  /^\s?\(?(?:sin|hors|ohne|excl\p{L}*\.?|exkl\p{L}*\.?|zzgl\.?|plus|senza|zonder|before|without|excluding|mas|piu|\+)\s(?:el |la |l.|the |\d+ ?% ?)?(?:iva|impuestos?|tva|taxe?s?|mwst|ust|vat|btw|steuern?|gst|imposte|belasting)(?!\p{L})/u.test(
    flow.slice(end, end + 30),
  ) && all.some((other) => other.isMarked && other.value > value)

/** Whether an amount and one of the next amounts add up to a third. */
const isSubtotal = ({ value }: Amount, behind: readonly Amount[]) =>
  behind.some((added) => added.value > 0 && behind.some((whole) => Math.abs(value + added.value - whole.value) < 0.005))

/** Whether an amount is part of another: `214 €, including the 9 € for shipping`. */
const isIncluded = (flow: string, { start, value }: Amount, all: readonly Amount[]) =>
  /(?<!\p{L})(?:inklusive|einschliesslich|einschließlich|inkl\.?|including|inclusive of|incl\.?|inclusief|y compris|dont|compris|incluid[oa]s?|incluyendo|compres[aoei]|inclus[aoei]|davon|darin|of which|waarvan|de los cuales|di cui)(?: (?:de[rmns]?|the|les?|la|las|los|il|i|el|gli|de|het|von|of))?[\s€£$]*$/u.test(
    flow.slice(Math.max(0, start - 36), start),
  ) && all.some((other) => other.isMarked && other.value > value)

/** Words for the payout to a seller. */
const payout =
  /(?<!\p{L})(?:accreditat|reverse|auszahl|ausgezahlt|payout|uitbetal|uitgekeerd|you receive|earnings|guadagn|ganancias|abonaremos)/u

/** Words for the pay that an employer offers. */
const advertised =
  /(?<!\p{L})(?:salarisindicatie|gehaltsspanne|fourchette|banda salarial|(?:salary|pay) range|(?:salary|pay|gehalt|salaire|remuneration|salario|sueldo|stipendio|ral|salaris) (?:\p{L}+ )?(?:on|in|of|laut|gemass|selon|dans|de|del|della|en|nel|nell|da|van|uit|volgens) ?(?:the|your|der|die|ihrer|l|la|votre|su|tu|il|vostr[oa]|de|uw|jullie)? ?(?:ad|advert|advertisement|posting|listing|vacancy|anzeige|ausschreibung|annonce|offre|anuncio|oferta|annuncio|offerta|vacature|advertentie)|(?:advertised|posted|offered|ausgeschrieben|angeboten|annonce|anunciad|ofrecid|offert|aangeboden)\p{L}* (?:\p{L}+ ){0,3}(?:salary|pay|rate|gehalt|vergutung|salaire|remuneration|salario|retribucion|stipendio|retribuzione|salaris))(?!\p{L})/u

/** A past position with its years, whose pay is not the one asked for. */
const career =
  /(?<!\d)(?:19|20)\d\d\s?(?:[-–]|to|bis|a|al|hasta|tot)|^(?:since|seit|depuis|desde|dal|sinds) (?:\d\d\/)?(?:19|20)\d\d/u

/** The largest share of tax in the amount that includes it. */
const taxShareMax = 0.22
const isTaxOf = ({ value }: Amount, all: readonly Amount[]) =>
  all.some((other) => other.isMarked && value > 0 && value <= other.value * taxShareMax)

/** Concepts whose amounts must have a currency or decimals. */
const needsMark: ReadonlySet<string> = new Set(['total', 'tax'])

const none: ReadonlySet<Amount> = new Set()
const nearMax = 6
/** Against a word of another role this strong, being a sum does not count. */
const sumRivalMax = 8.5

/** Returns the amounts that are the sum of at least two amounts right before them. */
function sumsOf(amounts: readonly Amount[]): ReadonlySet<Amount> {
  const found = new Set<Amount>()
  for (const [n, amount] of amounts.entries()) {
    let sum = 0
    for (let from = n - 1; from >= Math.max(0, n - addendsMax); from--) {
      sum += (amounts[from] as Amount).value
      if (n - from > 1 && Math.abs(sum - amount.value) < 0.005 && amount.value > 0) found.add(amount)
    }
  }
  return found
}

const addendsMax = 14
