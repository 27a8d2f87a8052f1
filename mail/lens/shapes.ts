/** Reads texts of a known form: identifiers, names, telephone numbers, bank accounts. */
import type { Shape } from './concepts.ts'
import { fold } from './lexicon.ts'

/** A piece of a text that is the value itself. */
export type Piece = { readonly value: string; readonly start: number; readonly end: number }

/** The maximum length of a value that is a text. */
const textCharsMax = 500
const nameCharsMax = 80

/** Placeholders in forms for "no answer". */
const nothing =
  /^(?:-+|–|—|\.+|\/|n\/?a\.?|none|unknown|tbd|tba|not (?:sure|known|specified|stated|provided|yet)\b.*|unbekannt|keine? angabe|k\.? ?a\.?|noch (?:offen|unklar)|inconnue?|non (?:precise|renseigne|communique|indique)e?|niet (?:ingevuld|opgegeven)|nicht angegeben|no (?:indicado|especificado|consta)|non (?:indicato|compilato)|desconocid[oa]|sin especificar|sconosciuto|non specificato|onbekend|n\.?v\.?t\.?|(?:sin|ohne|keine|sans|senza|geen) (?:responder|respuesta|antwort|reponse|risposta|antwoord)|no (?:answer|response)|unanswered|left blank|leer|vacio|vide|vuoto|leeg|niet beantwoord|nicht beantwortet|(?:todavia|aun) (?:no|por)\b.*|por (?:concretar|definir|determinar|ver)|a (?:definir|preciser|voir|convenir)|da (?:definire|stabilire|vedere|concordare|decidere)|nog (?:te bepalen|niet bekend|onduidelijk|open).*|to be (?:confirmed|decided|determined|agreed|discussed|advised)|(?:would )?(?:prefer|rather) not\b.*|prefiere no\b.*|mochte nicht\b.*|ne souhaite pas\b.*|preferisce non\b.*|(?:zegt )?liever niet\b.*|undecided|not decided\b.*|noch (?:nicht|zu)\b.*|pas encore\b.*|non ancora\b.*|not yet\b.*|null|undefined|\?+)$/

/** Returns the value of a labelled text by its shape, or null if there is none. */
export function readText(text: string, shape: Shape | undefined): Piece | null {
  if (nothing.test(fold(text.replace(/\s\([^()]*\)\s*$/, '').trim()).replace(/^[([]+|[)\]]+$/g, ''))) return null
  return shape === undefined ? wholeOf(text) : readers[shape](text)
}

const readers: { readonly [shape in Shape]: (text: string) => Piece | null } = {
  identifier: readIdentifier,
  person: readPerson,
  company: (text) => cutAt(text, /\s[|·–—]\s|\s-\s|\(|;|,\s(?=\d|\p{Ll})|\s{3,}/u, nameCharsMax),
  phone: (text) => phonesIn(text)[0] ?? null,
  iban: (text) => ibansIn(text)[0] ?? null,
  currency: (text) => currencyIn(text),
  product: (text) =>
    cutAt(
      text,
      /;|\s{3,}|\.\s|\s\|\s|,?\s\(?(?:v|version\s)?\d+\.\d|,\s(?:rel|ver|v|version\p{L}*)(?!\p{L})|\s\(/iu,
      nameCharsMax,
    ),
  version: (text) =>
    piece(
      text,
      /^(?:version|v\.?|release)?\s*((?=\S*\d)[\w.+-]+(?:\s?\(?(?:alpha|beta|rc\d*|build \d+|preview)\)?)?)/iu,
    ),
  error: (text) => quotedIn(text) ?? wholeOf(text),
  job: readJob,
}

/** Reads a position, without the number of its advertisement. A speculative application names none. */
function readJob(text: string): Piece | null {
  const lead =
    /^(?:[-–—]\s)?(?:(?=\S*\d)[\p{Lu}\d][\p{L}\d/._-]*\s(?:[-–—:|]\s)?(?=\p{L}))?/u.exec(text)?.[0].length ?? 0
  const found = cutAt(text.slice(lead), /\s\((?![mwfdhx]\/)|\s[–—|·•]\s|\s-\s|;|\s{3,}|[.,](?=\s|$)/u, nameCharsMax)
  if (found === null || openApplication.test(fold(found.value))) return null
  return { value: found.value, start: lead + found.start, end: lead + found.end }
}

const openApplication =
  /^(?:spontan|initiativ|speculative|unsolicited|open (?:application|sollicitatie)|autocandidat|libre$|espontane)/u

/** Returns a whole text without quotation marks around it. */
export function wholeOf(text: string): Piece | null {
  return piece(text, /^[\s"„“”«»*]*(.*?)(?:["”»],|[\s"„“”«»*])*$/su, textCharsMax)
}

function piece(text: string, pattern: RegExp, charsMax = nameCharsMax): Piece | null {
  const match = pattern.exec(text)
  const value = match?.[1]?.trimEnd() ?? ''
  if (match === null || value === '') return null
  const start = match.index + match[0].indexOf(value)
  const cut = value.slice(0, charsMax)
  return { value: cut, start, end: start + cut.length }
}

function cutAt(text: string, end: RegExp, charsMax: number): Piece | null {
  const at = text.search(end)
  const found = wholeOf(at > 0 ? text.slice(0, at) : text)
  return found === null || found.value.length > charsMax || !/\p{L}/u.test(found.value) ? null : found
}

/** Reads a word with a digit: `INV-20391`, `2026/017`, `4471`. The caller has to rule out amounts and dates. */
function readIdentifier(text: string): Piece | null {
  const match = /^\W{0,3}(?:[\p{L}.°º#:]{1,6}\s)?[#\s]*((?=[^\s,;]*\d)[\p{L}\p{N}]+(?:[-./_:#][\p{L}\p{N}]+)*)/u.exec(
    text,
  )
  const value = match?.[1]
  if (match === null || value === undefined || /^[€$£%]|^\s?(?:€|EUR|USD|GBP|CHF|%)/.test(text.slice(match[0].length)))
    return null
  const start = match[0].length - value.length
  const groups = groupsBehind(value, text.slice(match[0].length))
  if (groups !== '') {
    const letters = series.exec(text.slice(0, start))?.[0] ?? ''
    return { value: letters + value + groups, start: start - letters.length, end: match[0].length + groups.length }
  }
  return value.length > 40 || /^\d+[.,]\d\d$|^\d{4}-\d\d-\d\d(?:T|$)/.test(value)
    ? null
    : { value, start, end: match[0].length }
}

/** Letters before the groups of a number, which are part of it: `FE 10 482 990 317`. */
const series = /(?<![\p{L}\p{N}])(?!NR|NO|ID|REF|NUM)\p{Lu}{2,3} $/u

/** This many digits in four groups or more are one number, however short a group is: `26 02 118 4473`. */
const manyFiguresMin = 7

/** Returns the further groups of digits of a number: all but the first in `10 482 990 317` and `M2606 0118`; '' if there are none. */
export function groupsBehind(value: string, rest: string): string {
  if (!/^\p{Lu}{0,4}\d{1,5}$/u.test(value)) return ''
  const many =
    /^(?: \d{1,4}(?!\p{L}|\p{N}|[.,/:-]\d| ?[€$£%]| (?:EUR|USD|GBP|CHF))){3,5}(?! ?\d)/u.exec(rest)?.[0] ?? ''
  if (many.replace(/\D/g, '').length >= manyFiguresMin) return many
  const groups =
    /^(?: \d{3,4}(?!\p{L}|\p{N}|[.,/:-]\d| ?[€$£%]| (?:EUR|USD|GBP|CHF)))+(?: \d{1,2}(?=\s*(?:$|\n)))?/u.exec(
      rest,
    )?.[0] ?? ''
  return /^ (?:19|20)\d\d$/.test(groups) ? '' : groups
}

const titles =
  '(?:(?:(?:dra|profa|rev|me|maitre|mr|mrs|ms|miss|mx|dr|prof|sir|herrn?|frau|fraulein|m|mme|mlle|madame|monsieur|se[nñ]or[a]?|signor[ae]?|sra?|srta|sig|sig\\.ra|dott|dott\\.ssa|lic|licenciad[oa]|do[nñ]a?|dhr|mevr|mw|de heer|mevrouw|ing|geom|avv|arch|rag|ir|drs|mag|ppa|rechtsanwalt|maitre)\\.?|i\\. ?[av]\\.|p\\. ?p\\.|dipl\\.-\\p{L}+\\.?|dr\\.-ing\\.)\\s+)'
const title = new RegExp(`^${titles}+`, 'iu')

/** Reads a person's name, without titles before it and text after it. Returns null if there is none. */
export function readPerson(text: string): Piece | null {
  const skipped = /^[\s"'„“]*/u.exec(text)?.[0].length ?? 0
  const named = title.exec(text.slice(skipped))?.[0].length ?? 0
  // The "M." of "M. van Egmond" is an initial, not a title: otherwise the name would begin in lower case.
  const before = /^\p{Ll}/u.test(text.slice(skipped + named)) ? skipped : skipped + named
  const rest = text.slice(before)
  const stop = rest.search(/[,;<>([|"“”/:!?]|\s[-–—·]\s|\s{3,}|\s\S*@|(?<=\p{L}{2})\.(?=\s+\p{Lu}\p{Ll}{3,}|\s*$)/u)
  const value = (stop >= 0 ? rest.slice(0, stop) : rest).trim()
  // "Sparks, NV" is a place.
  if (stop >= 0 && /^, \p{Lu}{2}(?!\p{L})/u.test(rest.slice(stop))) return null
  const words = value.split(/\s+/)
  if (value === '' || /\d|@/.test(value) || words.length > 5 || value.length > nameCharsMax || !/\p{L}{2}/u.test(value))
    return null
  const start = before + rest.indexOf(value)
  return { value, start, end: start + value.length }
}

/** Returns the e-mail addresses in a text. */
export function emailsIn(text: string): readonly Piece[] {
  if (!text.includes('@')) return []
  return Array.from(
    text.matchAll(
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-](?:[\p{L}\p{N}._%+-]{0,62}[\p{L}\p{N}_%+-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,6}\p{L}{2,24}(?![\p{L}\p{N}-])/gu,
    ),
    ({ 0: value, index }) => ({ value, start: index, end: index + value.length }),
  )
}

/** Returns the strings of a text that may be telephone numbers: 6 to 15 digits, also in groups, that are not a date. */
export function phonesIn(text: string): readonly Piece[] {
  return Array.from(text.matchAll(/(?<![\p{L}\p{N}.,/-])(?:\+|00)?\(?\d[\d\s()./-]{4,22}\d(?![\p{L}\p{N}])/gu)).flatMap(
    ({ 0: value, index }) => {
      const digits = value.replace(/\D/g, '').length
      const isDate = /^\(?(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d)(?![\d./-])/.test(value)
      return digits < 6 || digits > 15 || isDate || value.includes('\n') ? [] : [open(value, index)]
    },
  )
}

/** Drops an opening bracket that is not closed within the number. */
function open(value: string, index: number): Piece {
  const lead = value.startsWith('(') && !value.includes(')') ? 1 : 0
  return { value: value.slice(lead), start: index + lead, end: index + value.length }
}

/** Whether digits are grouped as only telephone numbers are. A labelled number may have other forms. */
export function isPhoneForm(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  const groups = text.split(/[\s./-]+/).length
  return digits >= 8 && (/^(?:\+|\(|0)/.test(text) || (groups >= 3 && digits >= 9 && groups <= 6))
}

/** Returns the IBANs in a text whose check digits are right (ISO 13616). */
export function ibansIn(text: string): readonly Piece[] {
  return Array.from(text.matchAll(/(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/gu)).flatMap(
    ({ 0: run, index }) => {
      // The end of the run may be words in capitals, so shorter ends are tried.
      for (let end = run.length; end >= 15; end--) {
        const value = run.slice(0, end)
        if (/\s$/.test(value) || /^[A-Z0-9]/.test(run.slice(end))) continue
        if (isIban(value.replaceAll(' ', ''))) return [{ value, start: index, end: index + end }]
      }
      return []
    },
  )
}

function isIban(plain: string): boolean {
  if (plain.length > 34) return false
  let rest = 0
  for (const char of plain.slice(4) + plain.slice(0, 4))
    for (const digit of String(Number.parseInt(char, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

function currencyIn(text: string): Piece | null {
  return piece(
    text,
    /(US\$|(?<!\p{L})(?:EUR|USD|GBP|CHF|CAD|AUD|NZD|MXN|BRL|SEK|NOK|DKK|PLN|CZK|HUF|JPY|CNY|INR|ZAR)(?!\p{L})|[€$£¥₹]|(?<!\p{L})(?:[Ee]uros?|[Dd]ollars?|[Pp]ounds?)(?!\p{L}))/u,
  )
}

/** Returns the text between quotation marks, or null. */
export function quotedIn(text: string): Piece | null {
  return piece(text, /[„“"«]\s?([^„“”"«»]{2,160}?)\s?[“”"»]/u, 160)
}
