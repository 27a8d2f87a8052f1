/** Finds who signed a mail: names and companies below the closing words, or in the last lines. */
import { fold, meaningsOf } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import { type Piece, readPerson } from './shapes.ts'

export type Signed = {
  readonly person: Found | null
  readonly company: Found | null
}
export type Found = Piece & { readonly line: Line }

const closing =
  /^(?:(?:(?:with )?(?:kind|best|warm|warmest|many|kindest)(?: (?:regards|wishes|thanks))?|regards|best|cheers|sincerely|yours (?:sincerely|faithfully|truly)|sincerely yours|thank you|thanks(?: [a-z]+){0,2}|many thanks|all the best|respectfully)|(?:mit )?(?:freundlich\w*|best\w*|lieb\w*|viel\w*|herzlich\w*|schon\w*) (?:gru(?:ss|s|ß)\w*|grusse aus .{2,20})|gruss|gru(?:ß|ss)e|gruß|mfg|lg|vg|danke(?: und gru(?:ß|ss))?|danke schon|vielen dank|hochachtungsvoll|ihre?|(?:bien |tres |avec mes )?cordialement|bien a vous|sinceres salutations|salutations(?: distinguees)?|cordiales salutations|bonne journee|merci(?: d.avance| beaucoup)?|a bientot|respectueusement|biz|bi[sz]ous?|bises|xx+|x|kus(?:jes)?|(?:muchos )?besos|baci|abbracci|bacioni|amities|amicalement|herzlich|herzlichst|tschuss|tschau|servus|pfiat \p{L}+|vergelt.?s gott|ade|baba|a plus|a bientot|chao|hasta (?:luego|pronto|manana)|doei|doeg|houdoe|mazzel|tot (?:ziens|dan|snel|horens)|ciao(?: ciao)?|(?:un (?:cordial )?|reciba un )?(?:saludo|abrazo)|saludos(?: cordiales)?|cordialmente|atentamente|muy atentamente|gracias(?: de antemano)?|muchas gracias|(?:cordiali |distinti |tanti |un )?salut[io]|cordialita|grazie(?: mille)?|a presto|cordialmente|(?:met )?(?:vriendelijke|hartelijke|beste) gro(?:et|eten)|vriendelijke groet\w*|groet(?:en|jes)?|gr|mvg|hoogachtend|alvast bedankt|bedankt|dank(?: u)?|(?:kind |best )?(?:b?rgds|rgs|rgrds|brgs|kr|br)|slts|cdl?t|bàv|atte|ss|obrigad[oa]|cumprimentos|atenciosamente|com os melhores cumprimentos)[\s,.!]*$/u
const inlineClosing =
  /(?<=^|[.!?,;]\s+)(?:kind regards|best regards|regards|thanks|thank you|cheers|best|mit freundlichen gru(?:ss|ß)en|viele gru(?:ss|ß)e|liebe gru(?:ss|ß)e|gru(?:ss|ß)e?|lg|vg|mfg|danke(?: und gru(?:ss|ß))?|vielen dank|ihre?(?= \S+ \S+$)|merci(?: d.avance)?|bien cordialement|cordialement|bonne journee|saludos|un saludo|gracias|atentamente|grazie(?: mille)?|cordiali saluti|saluti|groet(?:en|jes)?|gr|mvg|met vriendelijke groet|alvast bedankt|obrigad[oa]|biz|bises|bisous|besos|baci|un abrazo|amities|herzlich)[,.!]*\s+/g
/** Words that most closings contain, in any order. */
const closingWords =
  /(?<!\p{L})(?:gru(?:ss|ß)\p{L}*|gr[uü]e?[sß]+e?|regards?|wishes|sincerely|faithfully|truly|cheers|ta|thanks|soon|salut\p{L}*|saludos?|cordial\p{L}*|bacio|baci|abrazo|besos?|bises|bien a|attente|groet\p{L}*|danke?|dank|merci|gracias|grazie|bedankt|obrigad[oa]|freu\p{L}*|ihre?|eure?|dein|yours|best|respect\p{L}*|hoogachtend|hochachtungsvoll|afectuosamente|atentamente|mvg|lg|vg|mfg|soon|woche|wochenende|weekend|journee|giornata|week-end|a presto|hasta pronto|tot snel|bis bald)(?!\p{L})/u
const closingCharsMax = 45

const isClosingWord = (word: string) => closingWords.exec(fold(word))?.[0].length === word.length

/** Whether a line is a closing: a known phrase, or a short line with a closing word. */
export function isClosing({ text }: Line): boolean {
  const folded = fold(text)
  if (text.length > closingCharsMax || /[\d@?]/.test(text)) return false
  const last = folded.split(/[.!?]\s+/).at(-1) as string
  return closing.test(last) || (closingWords.test(folded) && folded.split(/\s+/).length <= 6)
}

/** Departments that sign mails, and other words in signatures that are not names. */
const offices =
  /\b(?:service ?desk|binnendienst|buitendienst|innendienst|aussendienst|back ?office|front ?desk|redactie|secretaria[at]t?|sekretariat|empfang|reception|receptie|rezeption|teams?|equipe|equipo|squadra|redaktion|hallo|hello|hi|dear|gentile|sehr geehrte[rs]?|bonjour|estimad[oa]|beste|geachte|support|billing|sales|purchasing|accounts?|accounting|office|helpdesk|service|department|departamento|servicio|asistencia|hr|management|customer|staff|crew|admin|info|einkauf|vertrieb|versand|buchhaltung|personalabteilung|verwaltung|kundendienst|kundenservice|technik|abteilung|servizio|ufficio|risorse umane|assistenza|amministrazione|vendite|ventas|soporte|rrhh|administracion|atencion|rh|service client|success|customer care|client care|relations|comptabilite|direction|ressources|verkoop|administratie|klantenservice|afdeling|references?|available|sent from|gesendet|envoye|verzonden|inviato|enviado)\b/
const legalForm =
  /(?<!\p{L})(?:gmbh(?: & co\.? kg)?|ggmbh|ag|kg|ohg|ug|e\.? ?v\.?|gbr|eg|e\.? ?k\.?|mbb|partg|kgaa|s\.? ?c\.?|s\.? ?coop\.?|ltd\.?|limited|llc|llp|plc|inc\.?|corp\.?|co\.|sarl|sas|sasu|eurl|s\.?a\.?s\.?|s\.?a\.?(?: de c\.?v\.?)?|s\.?l\.?(?:[ulp]\.?)?|s\.?r\.?l\.?|s\.?p\.?a\.?|s\.?n\.?c\.?|b\.?v\.?|n\.?v\.?|bvba|v\.?o\.?f\.?|lda\.?|pty|oy|ab|aps|a\/s|se)(?!\p{L})\.?\s*$/u
/** Compounds for places of business, which are also family names: after a first name they do not count. */
const compounds =
  /(?<!\p{L})\p{L}{3,}(?:erei|erie|eria|erij|werkstatt|laden|buro|agentur|handlung|haus|winkel|werf|vereniging|werken|service|praktijk|apotheek)(?!\p{L})/u
const behindFirstName = /^\p{Lu}\p{Ll}+ (?:(?:van|von|de|der|den|ter|ten|te|zum|zur|\p{Lu}\.) )*\p{Lu}\p{Ll}+$/u
const businesses =
  /(?<!\p{L})(?:brewery|nursery|pharmacy|bakehouse|workshop|garden|gardens|stores?|foundation|association|society|council|church|charity|ministry|office supplies|agency|agence|agenzia|agencia|gesellschaft|genossenschaft|gemeinde|schreinerei|buchladen|buro|werkstatt|verband|kita|kindergarten|cooperative|ferme|domaine|chateau|maison|editions|librairie|entreprise|association|college|commune|scierie|tenuta|cantina|circolo|impresa|officina|cartiera|frantoio|agriturismo|caseificio|azienda|comitato|parrocchia|studio|associazione|ferramenta|autofficina|cooperativa|colegio|escuela|asociacion|pinturas|carpinteria|muebles|viveros?|transportes|finca|bodega|almacenes|clinica|gestoria|textiles|hermanos|vereniging|basisschool|gemeente|kwekerij|maatschap|werkplaats|\p{L}*(?:bedrijf|betrieb|groep|gruppe|kanzlei|praxis|kantoor|verein|handel|technik|technisch)|kapsalon|condominio|fondazione|gruppo|groupe|grupo|cooperativa?|garage|bakkerij|boulangerie|panaderia|meson|bar|taller|salon|deli|nurseries|orchard|farm|bakery|dental|surgery|museo|museum|musee|mairie|comune|ayuntamiento|gemeente|stadt|aseguradora|assicurazioni|versicherung\p{L}*|assurances?|papelera|ceramiche|autolinee|traducciones|scuola|ecole|escuela|schule|basisschool|ziekenhuis|hospitality|pasticceria|condominium|quincaillerie|metallbau|reformas|group|trust|studio|clinic|clinique|hotel|restaurant|school|schools|university|college|hospital|klinikum|klinik|praxis|kanzlei|cabinet|atelier|imprimerie|libreria|papeleria|libreria|verlag|druckerei|drukkerij|stadtwerke|stiftung|fundacion|fondation|fondazione|stichting|istituto|institut|instituto|lycee|mairie|verein|services?|solutions|systems|consulting|company|partners?|holding|industries|media|werke|bau|handel|handels|transports?|logisti[ck]\w*|energi[ae]|energie|administraties|installaties|asesores|officine|trattoria|bodegas|talleres|pharmacie|farmacia|apotheke|autohaus|steuerberatung|advisory|landscaping|cleaning|accademia|akademie|academy|club|shop|store|markt|winkel|woonwinkel|bedrijf|schildersbedrijf|kurszentrum|zentrum|centre|center|centro|centrum|holzhof|hof|plomberie|termoidraulica|&)(?!\p{L})|&/u
const jobWords =
  /\b(?:\p{L}*leit(?:er|erin|ung)|\p{L}*leider|\p{L}*beheer\p{L}*|accordeu\p{L}+|kassen?wart\p{L}*|vorsitzende\p{L}*|schriftfuhrer\p{L}*|treasurer|chair(?:man|woman|person)?|secretary|trustee|tresori\p{L}*|tesorer\p{L}*|tesorier\p{L}*|secretari[oa]|segretari[oa]|penningmeester|voorzitter|secretaris|freelance\p{L}*|formateurs?|formatrices?|formatore|formatori|formador\p{L}*|trainer(?:in)?|coach|docente|dozent(?:in)?|traducteur|traductrice|developp\p{L}*|desarrollador\p{L}*|entwickler\p{L}*|developer|designer|brewer|baker|carpenter|photograph\p{L}*|fotograf\p{L}*|nurse|teacher|supervisor|administrator|procurement|purchasing|\p{L}*buchhaltung|einkauf|vertrieb|jefe|jefa|direttrice|dirigente|coordina\p{L}*|\p{L}*coordinator|reception|receptie|empfang|systeembeheer|traductor\p{L}*|secretar\p{L}*|segreteria|sekretariat|comptabilite(?: clients)?|services generaux|achats|night shift|accountant|buyer|analyst|developer|officer|lead|(?<!& )partner|head|director|manager|ceo|cto|cfo|founder|owner|leiter\w*|geschaftsfuhrer\w*|inhaber\w*|inh|prokurist\w*|gerant\w*|directeur|directrice|president\w*|responsable|director[a]?|gerente|titolare|responsabile|direttore|eigenaar|directeur|engineer|assistant|assistentin|berater\w*|consultant|chef|head of it)\b/u

/** Whether words look like the name of a person: up to four, capitalised, and not all of them words of labels. */
export function isPersonName(text: string): boolean {
  const words = text.trim().split(/\s+/)
  if (words.length > 4 || text.length > 50 || /[\d@:/&!?]/.test(text)) return false
  const isNamed = words.every((word) =>
    /^(?:\p{Lu}[\p{L}'’.-]*|van|de|der|den|von|zu|da|di|del|della|la|le|el|dos|du|ten|ter|y|al|bin)$/u.test(word),
  )
  const folded = fold(text)
  // "WDJB-MJHT" is a code; "PRIYANKA SHARMA", as in a CV, is a name.
  const isCode = words.length === 1 && /^[\p{Lu}-]{3,}$/u.test(text)
  // "L'intendance" is not a name, "D'Angelo" is.
  if (/^(?:[LlDd]['’]\p{Ll}|The )/u.test(text) || isClosingWord(words[0] as string)) return false
  return (
    isNamed && !isCode && /\p{L}{2}/u.test(text) && !offices.test(folded) && !isCompanyName(text) && !isKnownWord(text)
  )
}

/** Whether a name is that of a department. */
export const isOffice = (text: string): boolean => offices.test(fold(text)) && !legalForm.test(fold(text))

/** Whether the first word is a job: "Kassenwart TC Harsbach e.V." */
export function beginsWithRole(text: string): boolean {
  const [first = ''] = text.split(' ')
  return jobWords.exec(fold(first))?.[0].length === first.length
}

const isKnownWord = (text: string) => meaningsOf(text).unknown === 0

/** Whether words look like the name of an organisation. */
export function isCompanyName(text: string): boolean {
  const folded = fold(text.trim())
  return (
    /^\p{L}/u.test(folded) &&
    !folded.includes('...') &&
    text.length <= 80 &&
    (legalForm.test(folded) || ((businesses.test(folded) || isCompound(text.trim(), folded)) && /^\p{Lu}/u.test(text)))
  )
}

/** "Buchladen Berg" is a business, "Anna Neuhaus" a person. */
function isCompound(text: string, folded: string): boolean {
  const found = compounds.exec(folded)
  return found !== null && !(found.index > 0 && behindFirstName.test(text))
}

/** Whether a text of several words contains a legal form, which only organisations have. */
export const hasLegalForm = (text: string): boolean => legalForm.test(fold(text)) && text.trim().split(/\s+/).length > 1

/** Returns who signed the text of a mail. */
export function signedBy(passage: Passage): Signed {
  const { lines } = passage
  const own = lines.filter(({ role, folded }) => role === null && !added.test(folded))
  const at = own.findLastIndex((line, n) => {
    const next = own[n + 1]
    const known =
      closing.test(
        fold(line.text)
          .split(/[.!?]\s+/)
          .at(-1) as string,
      ) && line.text.length <= 60
    return known || (isClosing(line) && next !== undefined && personIn(next) !== null)
  })
  if (at >= 0 && at >= own.length - 14) {
    const below = own.slice(at + 1, at + 8)
    const found = signedBelow(below, domainsIn(own))
    if (found.person !== null || found.company !== null) return found
  }
  return signedInLine(own) ?? signedAtEnd(own)
}

/** What programs and people add below a signature. */
const added =
  /^(?:-- ?$|--\s*$|p\.? ?s\.?[ :.]|sent from|von meinem|envoye de|enviado desde|inviato da(?! un)|verstuurd vanaf|gesendet von|(?:pj|p\.j\.|pieces? jointes?|anlagen?|anhang|encl|enclosures?|attachments?|allegat[io]|adjuntos?|bijlagen?)\s?:)/

/** Returns the first labels of the domains in the e-mail addresses of a text, without hyphens. */
function domainsIn(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(({ folded }) =>
    Array.from(folded.matchAll(/@([\p{L}\p{N}-]{3,40})\./gu), ([, host = '']) => host.replaceAll('-', '')),
  )
}

function signedBelow(lines: readonly Line[], domains: readonly string[]): Signed {
  const [first] = lines
  if (first === undefined) return { person: null, company: null }
  const named = lines.slice(0, 2).findIndex((line) => personIn(line) !== null)
  const signer = named < 0 ? null : personIn(lines[named] as Line)
  // A first name may have the full name on the line below.
  const below = lines[named + 1]
  const whole = signer === null || below === undefined ? null : personIn(below)
  const isWhole = whole !== null && isWholeOf(fold(whole.value), fold(signer?.value ?? ''))
  const person = isWhole ? whole : signer
  // The business may come above the name of its owner.
  const rest = [...lines.slice(0, Math.max(0, named)), ...lines.slice(named + 1, named + 5)]
  const after = person === null ? null : companyAfterComma(person.line)
  return { person, company: companyAmong(rest, domains, person?.value ?? null) ?? after }
}

/** Whether a full name begins with a short one: "Florian Berg" with "Florian" or "Flo". */
const isWholeOf = (whole: string, short: string) =>
  whole.startsWith(`${short} `) ||
  (short.length >= 3 && !short.includes(' ') && whole.includes(' ') && whole.startsWith(short))

/** At least two capitalised words: not a sentence, and rarely a place. */
const capitals =
  /^(?=\p{Lu}.*\s\p{Lu})(?:(?:\p{Lu}[^\s/]*|&|de|del|della|di|du|des|la|le|il|el|van|von|und|y|e|et|en|and|of|the)(?: |$))+$/u

/** Words of a line that names a department instead of an organisation. */
const departments =
  /(?<!\p{L})(?:marketing|operations|events?|logisti\p{L}+|resources|personal|finan\p{L}+|qualit\p{L}+|produ[ck]\p{L}+|planung|planning|entwicklung|development|research|forschung|communi\p{L}+|kommunikation|media|compras|acquisti|inkoop|direzione|direktion|freelance\p{L}*|student\p{L}*)(?!\p{L})/u

const companyWeights = { surname: 7, domain: 6, legal: 5, business: 4, afterRole: 4, plain: 2, place: 1 } as const

/** Returns the organisation among the lines near a name: by its form, by the domain of an address, or after a job. */
function companyAmong(lines: readonly Line[], domains: readonly string[], person: string | null): Found | null {
  const isNamed = person !== null
  const surname = person?.includes(' ') ? fold(person).split(' ').at(-1) : undefined
  let best: { readonly found: Found; readonly score: number } | null = null
  for (const [n, line] of lines.entries()) {
    const [first = ''] = line.text.split(' | ')
    if (/@|\d{4}|https?:|:\s/.test(first) || line.text.length > 80) {
      if (n > 0) break
      continue
    }
    if (membership.test(line.folded)) continue
    for (const [part, value] of partsOf(line).entries()) {
      const folded = fold(value)
      const isRole = jobWords.test(folded) || offices.test(folded)
      const isBesideRole =
        (part > 0 && isTitle(line.text.split(nameEnd)[0] as string)) || (n > 0 && isTitle((lines[n - 1] as Line).text))
      const score =
        (surname !== undefined && folded.includes(surname) && !folded.startsWith(fold(person ?? ''))
          ? companyWeights.surname
          : 0) +
        (isOfDomain(folded, domains) ? companyWeights.domain : 0) +
        (legalForm.test(folded) ? companyWeights.legal : 0) +
        (isCompanyName(value) ? companyWeights.business : 0) +
        (isRole
          ? -companyWeights.domain
          : isBesideRole
            ? companyWeights.afterRole
            : isNamed && n === 0
              ? companyWeights.plain + (capitals.test(value) && !departments.test(folded) ? 1 : 0)
              : 0)
      if (score > companyWeights.plain && (best === null || score > best.score))
        best = { found: found(line, value), score }
    }
  }
  return best?.found ?? null
}

/** Returns the names that a line may contain: parts between commas and dashes, and the text after a job: `Manager of Acme`. */
function partsOf({ text }: Line): readonly string[] {
  const parts = text.split(nameEnd).map((part) => part.replace(/^(?:ihre?|your|votre|vostr[ao])\s+/i, '').trim())
  const [first = ''] = parts
  const [, link, behind] =
    /^\p{L}[\p{L}-]*(?: \p{Ll}+){0,2}? ((?:des?|du|of|at|bei|von|chez|van|bij|di|della|del|en|der|for) )?(?=\p{Lu})(.{3,50})$/u.exec(
      first,
    ) ?? []
  // "Trainer HSE" is a job, not a job at a place.
  const isPlace = behind !== undefined && (link !== undefined || behind.includes(' ') || isCompanyName(behind))
  const own = jobWords.test(fold(first)) && isPlace ? [first, behind] : [first]
  return [first, ...parts.slice(1), ...own.slice(1)].filter(
    (part) => /^\p{Lu}/u.test(part) && !/[\d@]/.test(part) && part.length > 2,
  )
}

function isOfDomain(folded: string, domains: readonly string[]): boolean {
  const words = folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= domainPartMin)
  return words.length > 0 && domains.some((domain) => words.some((word) => domain.includes(word)))
}

const domainPartMin = 4

/** Words of membership: an organisation to which somebody belongs is not the employer. */
const membership = /(?<!\p{L})(?:member|fellow|mitglied|membre|adherente?|miembro|soci[oa]|membro|lid)(?: |,|$)/u

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

/** The end of the name of an organisation; a comma before a legal form does not end it. */
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

/** Finds a signature within one of the last lines: `Thanks, Ben`. */
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
    const below = lines.slice(lines.indexOf(line) + 1)
    return {
      person: { ...name, start: from + name.start, end: from + name.end, line },
      company: companyAmong(below, domainsIn(lines), name.value),
    }
  }
  return null
}

const loneNameCharsMax = 10

/** Finds a name that begins the last block of short lines, or is at the very end. */
function signedAtEnd(lines: readonly Line[]): Signed {
  const from = Math.max(lines.length < 2 ? 1 : 0, lines.length - endLinesMax)
  for (let n = from; n < lines.length; n++) {
    const line = lines[n] as Line
    const below = lines.slice(n + 1)
    const above = lines[n - 1]
    // The name may be below a closing without closing words: "Good luck with the roof,".
    const isSecond = above?.isFirst === true && above.text.length <= closingCharsMax && !/[\d@:]/.test(above.text)
    if (!(line.isFirst || below.length === 0 || isSecond) || !below.every(isShort) || !isShort(line)) continue
    // This is a label, or a heading with labels below it.
    if (/:/.test(line.text) || below.some(isForm)) continue
    const [bare = ''] = line.text.split(/,\s|\s[-–—(]/)
    // A single noun may be a heading.
    const isName =
      isPersonName(bare) &&
      (bare.includes(' ') || (bare.length <= loneNameCharsMax && (line.isFirst || below.length === 0)))
    const isNamed = isName || (below.length === 0 && /^\p{Ll}{2,12}$/u.test(bare))
    const person = isNamed ? personIn(line) : null
    if (person === null) continue
    const company = companyAmong(below.slice(0, 4), domainsIn(lines), person.value) ?? companyAfterComma(line)
    return { person, company }
  }
  const company = firstFound(lines.slice(-6).toReversed(), (line) =>
    hasLegalForm(line.text) ? companyIn(line, false) : null,
  )
  return { person: null, company }
}

/** Whether a line has a label other than those for contact details, which signatures have too. */
const isForm = ({ text, folded }: Line) =>
  /^\p{L}[^:@\d]{2,40}:\s/u.test(text) &&
  !/^(?:tel|fon|phone|mob|cell|fax|e-?mail|mail|web|www|direct|office|handy|gsm|port|movil|whatsapp|t|m|e|f|w)/.test(
    folded,
  )

const endLinesMax = 8

/** Whether a line may be part of a signature: short, and not a sentence. */
const isShort = ({ text }: Line) => text.length <= 70 && !(/[.!?]$/.test(text) && text.split(/\s+/).length > 5)

/** Text after the name of a signer: on whose behalf, or a telephone number: `Ann for the board`, `Ann 0171 555017`. */
const behindName =
  /\s(?:for|für|pour|per|para|voor|namens|i\. ?A\.|on behalf of|im Namen|au nom|a nombre|a nome)\s.*$|[\s,·|–-]*(?:(?:tel|mob|cell?|gsm|ph|t|m)[.:]*\s?)?\+?\(?\d[\d\s()/.-]{6,}$/iu

function personIn(line: Line): Found | null {
  const open = /^\(.*\)$/.test(line.text) ? 1 : 0
  const text = line.text.slice(open, open === 0 ? undefined : -1).replace(behindName, '')
  const name = readPerson(text)
  if (name === null || line.text.length > 80 || closing.test(line.folded) || membership.test(line.folded)) return null
  // "BidBarn (UK) Ltd, 1 Wharf Lane", "Diputación - Servicio de asistencia": a single word is a name only if nothing says otherwise.
  const rest = text.slice(name.end)
  const isOfOffice = /^\s*[(–-]/.test(rest) && (offices.test(fold(rest)) || hasLegalForm(text.split(', ')[0] as string))
  if (!name.value.includes(' ') && (isOfOffice || /\p{Ll}\p{Lu}/u.test(name.value))) return null
  return isPersonName(capital(name.value)) && (/^\p{Lu}/u.test(name.value) || text === name.value)
    ? { ...name, start: name.start + open, end: name.end + open, line }
    : null
}

/** Capitalises a name in lower case, so that a single such word can count as a name. */
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
