/** Who a mail is from, by its end: names and companies below the closing words, or in the last lines. */
import { fold, meaningsOf } from './lexicon.ts'
import type { Line, Passage } from './passages.ts'
import { type Piece, readPerson } from './shapes.ts'

export type Signed = {
  readonly person: Found | null
  readonly company: Found | null
}
export type Found = Piece & { readonly line: Line }

const closing =
  /^(?:(?:(?:with )?(?:kind|best|warm|warmest|many|kindest)(?: (?:regards|wishes|thanks))?|regards|best|cheers|sincerely|yours (?:sincerely|faithfully|truly)|sincerely yours|thank you|thanks(?: [a-z]+){0,2}|many thanks|all the best|respectfully)|(?:mit )?(?:freundlich\w*|best\w*|lieb\w*|viel\w*|herzlich\w*|schon\w*) (?:gru(?:ss|s|ß)\w*|grusse aus .{2,20})|gruss|gru(?:ß|ss)e|gruß|mfg|lg|vg|danke(?: und gru(?:ß|ss))?|danke schon|vielen dank|hochachtungsvoll|ihre?|(?:bien |tres |avec mes )?cordialement|bien a vous|sinceres salutations|salutations(?: distinguees)?|cordiales salutations|bonne journee|merci(?: d.avance| beaucoup)?|a bientot|respectueusement|(?:un (?:cordial )?|reciba un )?(?:saludo|abrazo)|saludos(?: cordiales)?|cordialmente|atentamente|muy atentamente|gracias(?: de antemano)?|muchas gracias|(?:cordiali |distinti |tanti |un )?salut[io]|cordialita|grazie(?: mille)?|a presto|cordialmente|(?:met )?(?:vriendelijke|hartelijke|beste) gro(?:et|eten)|vriendelijke groet\w*|groet(?:en|jes)?|gr|mvg|hoogachtend|alvast bedankt|bedankt|dank(?: u)?|obrigad[oa]|cumprimentos|atenciosamente|com os melhores cumprimentos)[\s,.!]*$/
const inlineClosing =
  /(?<=^|[.!?,;]\s+)(?:kind regards|best regards|regards|thanks|thank you|cheers|best|mit freundlichen gru(?:ss|ß)en|viele gru(?:ss|ß)e|liebe gru(?:ss|ß)e|gru(?:ss|ß)e?|lg|vg|mfg|danke(?: und gru(?:ss|ß))?|vielen dank|ihre?(?= \S+ \S+$)|merci(?: d.avance)?|bien cordialement|cordialement|bonne journee|saludos|un saludo|gracias|atentamente|grazie(?: mille)?|cordiali saluti|saluti|groet(?:en|jes)?|gr|mvg|met vriendelijke groet|alvast bedankt|obrigad[oa])[,.!]*\s+/g
/** Parts of an organisation that sign mails, and what else stands in signatures and is no name. */
const offices =
  /\b(?:teams?|equipe|equipo|squadra|redaktion|hallo|hello|hi|dear|gentile|sehr geehrte[rs]?|bonjour|estimad[oa]|beste|geachte|support|billing|sales|purchasing|accounts?|accounting|office|helpdesk|service|department|hr|management|customer|staff|crew|admin|info|einkauf|vertrieb|versand|buchhaltung|personalabteilung|verwaltung|kundendienst|kundenservice|technik|abteilung|servizio|ufficio|risorse umane|assistenza|amministrazione|vendite|ventas|soporte|rrhh|administracion|atencion|rh|service client|comptabilite|direction|ressources|verkoop|administratie|klantenservice|afdeling|references?|available|sent from|gesendet|envoye|verzonden|inviato|enviado)\b/
const legalForm =
  /(?<!\p{L})(?:gmbh(?: & co\.? kg)?|ggmbh|ag|kg|ohg|ug|e\.? ?v\.?|gbr|e\.? ?k\.?|ltd\.?|limited|llc|llp|plc|inc\.?|corp\.?|co\.|sarl|sas|sasu|eurl|s\.?a\.?s\.?|s\.?a\.?(?: de c\.?v\.?)?|s\.?l\.?(?:u\.?)?|s\.?r\.?l\.?|s\.?p\.?a\.?|s\.?n\.?c\.?|b\.?v\.?|n\.?v\.?|bvba|v\.?o\.?f\.?|lda\.?|pty|oy|ab|aps|a\/s|se)(?!\p{L})\.?\s*$/u
const businesses =
  /\b(?:group|trust|studio|clinic|clinique|hotel|restaurant|school|schools|university|college|hospital|klinikum|klinik|praxis|kanzlei|cabinet|atelier|imprimerie|libreria|papeleria|libreria|verlag|druckerei|drukkerij|stadtwerke|stiftung|fundacion|fondation|fondazione|stichting|istituto|institut|instituto|lycee|mairie|verein|services?|solutions|systems|consulting|company|partners?|holding|industries|media|werke|bau|handel|handels|transports?|logisti[ck]\w*|energi[ae]|energie|administraties|installaties|asesores|officine|trattoria|bodegas|talleres|pharmacie|farmacia|apotheke|autohaus|steuerberatung|advisory|landscaping|cleaning|accademia|akademie|academy|club|shop|store|markt|winkel|woonwinkel|bedrijf|schildersbedrijf|kurszentrum|zentrum|centre|center|centro|centrum|holzhof|hof|plomberie|termoidraulica|malerbetrieb|betrieb|&)\b|&/
const jobWords =
  /\b(?:head|director|manager|ceo|cto|cfo|founder|owner|leiter\w*|geschaftsfuhrer\w*|inhaber\w*|inh|prokurist\w*|gerant\w*|directeur|directrice|president\w*|responsable|director[a]?|gerente|titolare|responsabile|direttore|eigenaar|directeur|engineer|assistant|assistentin|berater\w*|consultant|chef|head of it)\b/

/** Whether words look like the name of a person: up to four, with capitals, and none of them a word of labels. */
export function isPersonName(text: string): boolean {
  const words = text.trim().split(/\s+/)
  if (words.length > 4 || text.length > 50 || /[\d@:/&!?]/.test(text)) return false
  const isNamed = words.every((word) =>
    /^(?:\p{Lu}[\p{L}'’.-]*|van|de|der|den|von|zu|da|di|del|della|la|le|el|dos|du|ten|ter|y|al|bin)$/u.test(word),
  )
  const folded = fold(text)
  // "WDJB-MJHT" is a code, "PRIYANKA SHARMA" heads a CV.
  const isCode = words.length === 1 && /^[\p{Lu}-]{3,}$/u.test(text)
  return (
    isNamed && !isCode && /\p{L}{2}/u.test(text) && !offices.test(folded) && !isCompanyName(text) && !isKnownWord(text)
  )
}

const isKnownWord = (text: string) => /^\S+$/.test(text) && meaningsOf(text).unknown === 0

/** Whether words look like the name of an organisation. */
export function isCompanyName(text: string): boolean {
  const folded = fold(text.trim())
  return (
    /^\p{L}/u.test(folded) &&
    text.length <= 80 &&
    (legalForm.test(folded) || (businesses.test(folded) && /^\p{Lu}/u.test(text)))
  )
}

/** Whether a line ends in a legal form, which only organisations have. */
export const hasLegalForm = (text: string): boolean => legalForm.test(fold(text)) && text.trim().split(/\s+/).length > 1

/** Who signs the text of a mail. */
export function signedBy(passage: Passage): Signed {
  const { lines } = passage
  const own = lines.filter(({ role }) => role === null)
  const at = own.findLastIndex(({ text }) => {
    const last = fold(text)
      .split(/[.!?]\s+/)
      .at(-1) as string
    return last.length <= 60 && closing.test(last)
  })
  if (at >= 0 && at >= own.length - 12) return signedBelow(own.slice(at + 1, at + 7))
  return signedInLine(own) ?? signedAtEnd(own)
}

function signedBelow(lines: readonly Line[]): Signed {
  const [first] = lines
  if (first === undefined) return { person: null, company: null }
  const person = personIn(first)
  const rest = person === null ? lines.slice(0, 3) : lines.slice(1, 4)
  const after = person === null ? null : companyAfterComma(first)
  // The company stands below the name, or below what its bearer does there.
  const titles = rest.findIndex(({ text }) => !isTitle(text))
  const company = after ?? firstFound(rest, (line, n) => companyIn(line, person !== null && n === titles))
  return { person, company }
}

const isTitle = (text: string) => jobWords.test(fold(text)) && !text.includes(', ')

function companyAfterComma(line: Line): Found | null {
  const comma = line.text.indexOf(', ')
  if (comma < 0) return null
  const value = line.text
    .slice(comma + 2)
    .replace(/,\s*\S+@\S+$/, '')
    .trim()
  if (!/^\p{Lu}/u.test(value) || /[@\d]/.test(value)) return null
  return found(line, value)
}

/** What ends the name of an organisation; a legal form may follow a comma. */
export const nameEnd = /,\s(?!(?:s\.? ?l|lda|inc|llc|ltd|s\.? ?a|gmbh|ag)\b)|\s[|·–-]\s/i

function companyIn(line: Line, isRightBelow: boolean): Found | null {
  const [role = '', ...others] = line.text.split(nameEnd)
  if (jobWords.test(fold(role)) && others.length > 0) {
    const value = others.join(', ').trim()
    return /^\p{Lu}/u.test(value) && !/\d|@/.test(value) ? found(line, value) : null
  }
  const value = role.replace(/^(?:ihre?|your|votre|vostr[ao])\s+/i, '').trim()
  if (/\d|@|:/.test(value) || jobWords.test(fold(value)) || offices.test(fold(value))) return null
  const isNamed = isRightBelow && /^\p{Lu}/u.test(value) && value.split(/\s+/).length <= 5 && value.length > 3
  return isCompanyName(value) || isNamed ? found(line, value) : null
}

/** `Thanks, Ben` at the end of the last line that counts. */
function signedInLine(lines: readonly Line[]): Signed | null {
  for (const line of lines.slice(-4).toReversed()) {
    const marks = [...line.folded.matchAll(inlineClosing)]
    const mark =
      marks.at(-1) ?? (line === lines.at(-1) ? /(?<=[.!?]\s+)(?=\p{Lu}\p{Ll}{1,11}$)/u.exec(line.text) : null)
    if (mark === null) continue
    const from = mark.index + mark[0].length
    const rest = line.text.slice(from)
    const name = readPerson(rest)
    if (
      name === null ||
      rest.length > 60 ||
      !(/^\p{Lu}/u.test(name.value) || (line === lines.at(-1) && /^\S+$/.test(rest))) ||
      !isPersonName(capital(name.value))
    )
      continue
    return { person: { ...name, start: from + name.start, end: from + name.end, line }, company: null }
  }
  return null
}

const loneNameCharsMax = 10

/** A name on one of the last lines, with what one is reached by below it, or at the very end. */
function signedAtEnd(lines: readonly Line[]): Signed {
  const last = lines.slice(-6)
  for (const [n, line] of last.entries()) {
    const below = last[n + 1]
    const isEnd =
      below === undefined ||
      /@|\d{5}|^(?:tel|handy|mobil|cell|head|fon)\b/i.test(below.text) ||
      isCompanyName(below.text)
    if (!isEnd || (!line.isFirst && below !== undefined) || lines.length < 2) continue
    const bare = line.text.split(/,\s/)[0] ?? ''
    // A noun that stands alone may be a heading.
    const isName = isPersonName(bare) && (bare.includes(' ') || bare.length <= loneNameCharsMax)
    const isNamed = isName || (below === undefined && /^\p{Ll}{2,12}$/u.test(bare))
    const person = isNamed ? personIn(line) : null
    if (person === null) continue
    const company = companyAfterComma(line) ?? (below === undefined ? null : companyIn(below, false))
    return { person, company }
  }
  const company = firstFound(last.toReversed(), (line) => (hasLegalForm(line.text) ? companyIn(line, false) : null))
  return { person: null, company }
}

function personIn(line: Line): Found | null {
  const name = readPerson(line.text)
  if (name === null || line.text.length > 80) return null
  return isPersonName(capital(name.value)) && (/^\p{Lu}/u.test(name.value) || line.text === name.value)
    ? { ...name, line }
    : null
}

/** Names in small letters are names too, where nothing else stands. */
const capital = (name: string) => (/^\p{Ll}{2,12}$/u.test(name) ? name.charAt(0).toUpperCase() + name.slice(1) : name)

function found(line: Line, value: string): Found {
  const start = line.text.indexOf(value)
  return { value, start, end: start + value.length, line }
}

function firstFound(lines: readonly Line[], find: (line: Line, n: number) => Found | null): Found | null {
  for (const [n, line] of lines.entries()) {
    const result = find(line, n)
    if (result !== null) return result
  }
  return null
}
