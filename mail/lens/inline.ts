/** Finds texts in sentences and subjects by the words before them. */
import { clauseWord } from './clauses.ts'
import { fold, meaningsOf } from './lexicon.ts'
import { isCommonName } from './products.ts'
import { throughPerson } from './reach.ts'
import type { Sentence } from './sentences.ts'
import { groupsBehind, isPhoneForm, type Piece, phonesIn, quotedIn, readPerson } from './shapes.ts'
import { isPersonName } from './signatures.ts'

/** The words for documents, in all languages, before their numbers. Folded. */
export const documents = {
  invoice:
    'invoice|inv\\.?|bill|rechnung(?:s)?|facture|factura(?: rectificativa)?|fattura|factuur|fatura|creditnota|credit note|pro ?forma',
  order: 'order|purchase order|po|bestellung|bestell|auftrag(?:s)?|commande|pedido|ordine|bestelling|bestel|encomenda',
  ticket:
    'consulta|solicitud|demande|richiesta|aanvraag|anfrage|enquiry|query|expediente|caso|zaak|ticket|case|incident|vorgang(?:s)?|fall|incidencia|averia ref\\.?|segnalazione|melding(?:s)?|dossier|ref\\.?|reference|referenz|rif\\.?|chamado',
} as const
const numberWord = '(?:number|no|nr|num|nummer|numero|nummern|n|id|code)'
const filler = '(?:is|lautet|ist|war|est|es|el|e|lo|la|is het|il|der|die)'

/** Returns a function that finds numbers after words: `invoice 4471`, `Ticket #48213`, `Bestellnummer lautet B-2026-77`. */
export function numberFinder(words: string): (sentence: Sentence) => readonly Piece[] {
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}-])(?:${words})(?:[ -]?${numberWord}(?!\\p{L})|[ -]?n?[°º]|(?!\\p{L}))(?<mark>[\\s.:#°º(]*)(?:(?:(?:\\p{L}+\\s){1,4}(?:lautet|ist|is|est|es|e)\\s)|(?:${filler}\\s)*)(?<code>[\\p{L}]{1,4} (?=\\d{2,}\\b))?(?<id>(?=[^\\s,;]*\\d)[\\p{L}\\p{N}]+(?:[-./_][\\p{L}\\p{N}]+)*)`,
    'gu',
  )
  return ({ text, folded }) =>
    Array.from(folded.matchAll(pattern)).flatMap((match) => {
      const { mark = '', id = '' } = match.groups ?? {}
      const idEnd = match.index + match[0].length
      const start = idEnd - id.length
      const end = idEnd + groupsBehind(text.slice(start, idEnd), text.slice(idEnd)).length
      const before = match[0].slice(0, match[0].length - id.length)
      const isNumbered = /[#°º]|(?:number|no|nr|num|nummer|numero|\bn|id)[.:]?\s/.test(before) || mark.includes('#')
      // "order 40 bags" is a quantity.
      const isCount = /^\d{1,3}$/.test(id) && !isNumbered
      const isOther =
        /^\s?(?:€|eur|usd|gbp|chf|\$|%)/.test(folded.slice(end)) ||
        /^\d+[.,]\d\d$/.test(id) ||
        /^,\d\d(?!\d)/.test(folded.slice(end))
      const isDate = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{4}-\d\d-\d\d$/.test(id)
      const isBelow = !isNumbered && text.slice(match.index, start).includes('\n')
      // "invoices: https://...", and a thread reference that a program adds: "Ref:MSG4471_q".
      const isNone = !/\d/.test(id) || id.includes('_')
      return isCount || isOther || isDate || isBelow || isNone ? [] : [{ value: text.slice(start, end), start, end }]
    })
}

const anyName =
  "((?:\\p{Lu}[\\p{L}'’.-]*|van|de|der|den|von|da|di|del|della|la|le|el|ten|ter)(?: (?:\\p{Lu}[\\p{L}'’-]*|(?:van|de|der|den|von|zu|da|di|del|della|la|le|el|dos|ten|ter)(?= ))){0,4})"
const polite =
  '(?:Mr\\.?|Mrs\\.?|Ms\\.?|Dr\\.?|Herr|Frau|Mme|Mlle|M\\.|Sra?\\.?|Sig\\.?|dhr\\.?|mevr\\.?|Monsieur|Madame)\\s+'
const names = new RegExp(
  `(?:(?:[Ff]riend|[Ff]reund(?:in)?|[Kk]andidat(?:in)?|[Pp]ote|[Aa]mie?|[Cc]lient[ae]|[Aa]mig[oa]|[Aa]mic[oa]|[Vv]riend(?:in)?)(?: (?:for you|para ti|für Sie))?:?|(?:[Mm]y|[Mm]ein(?:e|en)?|[Mm]on|[Mm]a|[Mm]i|[Mm]io|[Mm]ia|[Mm]ijn) (?:brother|sister|son|daughter|nephew|niece|cousin|colleague|brother-in-law|sister-in-law|neighbou?r|Bruder|Schwester|Sohn|Tochter|Neffen?|Nichte|Cousine?|Kolleg(?:en?|in)|Schwager|frère|sœur|fils|fille|neveu|nièce|collègue|beau-frère|herman[oa]|hij[oa]|sobrin[oa]|prim[oa]|compañer[oa]|cuñad[oa]|fratello|sorella|figli[oa]|nipote|cugin[oa]|collega|cognat[oa]|broer|zus|zoon|dochter|neef|nicht|zwager)|[Mm]y name is|I am called|[Mm]ein Name ist|[Ii]ch heiße|[Jj]e m['’]appelle|[Mm]on nom est|[Mm]e llamo|[Mm]i nombre es|[Ss]oy|[Mm]i chiamo|[Mm]ijn naam is|[Ii]k ben|[Hh]a llamado|[Ll]lamó|[Gg]ebeld door|[Ii]ncontrat[ao] in fiera:|[Tt]his is|[Ii]['’]m|[Ii] am|(?:^|[.!?,] )[Ss]ono)\\s+(?:${polite})?${anyName}`,
  'gu',
)

const titledNames = new RegExp(`(?<!\\p{L})${polite}${anyName}`, 'gu')
/** Words of sentences that ask for a call or report one. */
const calls =
  /(?<!\p{L})(?:call|ring|reach|speak|ruf|anruf|erreich|appel|rappel|joign|joind|llam|pregunt|chiam|richiam|telefon|bel(?:len|t)?(?!\p{L})|terugbel)/u

/** Reports about people who apply, order or ask: `Ann Lee has applied for`, `an order from Ann Lee`. */
const toldBefore = new RegExp(
  `(?<!\\p{L})${anyName} (?:has (?:just )?applied|applied (?:for|to)|a (?:postulé|candidaté|déposé sa candidature)|vient de postuler|hat sich (?:\\p{L}+ ){0,4}beworben|bewirbt sich|(?:ha|se ha) (?:solicitado|inscrito|postulado)|se postul|si è candidat[oa]|ha inviato la (?:sua )?candidatura|heeft (?:\\p{L}+ ){0,4}(?:gesolliciteerd|gereageerd)|solliciteert)`,
  'gu',
)
const toldBehind = new RegExp(
  `(?:(?:[Oo]rder|[Aa]pplication|[Ee]nquiry|[Mm]essage|[Rr]equest|[Tt]icket) (?:was )?(?:placed |submitted |sent )?(?:from|by)|(?:[Bb]estellung|[Bb]ewerbung|[Aa]nfrage|[Nn]achricht|[Mm]eldung) von|(?:[Cc]ommande|[Cc]andidature|[Dd]emande|[Mm]essage) de(?: la part de)?|(?:[Pp]edido|[Cc]andidatura|[Ss]olicitud|[Mm]ensaje) de|(?:[Oo]rdine|[Cc]andidatura|[Rr]ichiesta|[Mm]essaggio|[Ss]egnalazione) da(?: parte di)?|(?:[Bb]estelling|[Ss]ollicitatie|[Aa]anvraag|[Bb]ericht|[Mm]elding) van) (?:${polite})?${anyName}(?=[\\s.,:;!]|$)`,
  'gu',
)

/** Returns the people whom a sentence names as those it is about: `my name is`, `Please call Mr.`, `an order from`. */
export function namesIn({ text, folded }: Sentence): readonly Piece[] {
  const isReached = calls.test(folded) || phonesIn(text).some(({ value }) => isPhoneForm(value))
  const titled = isReached ? text.matchAll(titledNames) : []
  const told = [...text.matchAll(toldBefore), ...text.matchAll(toldBehind)].filter(
    ([, name = '']) => name.includes(' ') && isPersonName(name),
  )
  return [...text.matchAll(names), ...titled, ...told].flatMap((match) => {
    // "Iker del laboratorio": a name does not end in such a particle.
    const whole = readPerson(
      (match[1] ?? '').replace(/(?: (?:van|de|der|den|von|zu|da|di|del|della|la|le|el|dos))+$/, ''),
    )
    // "Anna Berg von Nordlicht Energie": the organisation after the name is not part of it.
    const cut = whole === null || isPersonName(whole.value) ? null : whole.value.search(/ (?:van|von|de|of|di|da) /)
    const found = cut === null || cut < 0 ? whole : readPerson((match[1] as string).slice(0, cut))
    if (found === null || !isPersonName(found.value) || !/^\p{Lu}/u.test(found.value)) return []
    if (worksThere.test(text.slice(match.index + match[0].length))) return []
    if (throughPerson.test(folded.slice(0, match.index))) return []
    const start = match.index + match[0].lastIndexOf(match[1] as string) + found.start
    return [{ value: found.value, start, end: start + found.value.length }]
  })
}

/** A person who works for the recipient is not the writer: "my brother Tim works with you". */
const worksThere = /^ (?:works?|arbeitet|travaille|trabaja|lavora|werkt)(?!\p{L})/u

const anyCompany =
  "(\\p{Lu}[\\p{L}\\p{N}'’&.-]*(?: (?:\\p{Lu}[\\p{L}\\p{N}'’.-]*|&|(?:de|du|des|der|di|del|della|y|e|et|und|van)(?!\\p{L}))){0,4}(?: (?:GmbH|Ltd|LLC))?)"
const companies = new RegExp(
  `(?:(?:(?:[Hh]ead|[Dd]ire[ck]t\\p{L}+|[Mm]anager|[Oo]wner|[Ff]ounder|CEO|CTO|CFO|[Ee]ngineer|[Aa]nalyst|[Ll]eiter(?:in)?|[Rr]esponsab[il]\\p{L}+|[Gg]erente|[Cc]hef|[Hh]oofd|[Jj]efe|[Jj]efa)(?: \\p{L}+){0,4}?,? (?:at|en|chez|bei|presso|bij)|(?:CEO|[Oo]wner|[Ff]ounder) of|I (?:work|run \\p{L}+|am \\p{L}+(?: \\p{L}+){0,3}) (?:at|for|with|of)|on behalf of|[Ww]e are|[Ww]e're)|(?:(?:[Gg]eschäftsführer(?:in)?|[Ii]nhaber(?:in)?|[Ll]eiter(?:in)?|[Mm]itarbeiter(?:in)?) (?:der|des|von|bei(?: der)?)|arbeite (?:bei|für)(?: der)?|(?:für|von) die Firma)|(?:dirige|représente|travaille (?:chez|pour))(?: la société| l['’]entreprise)?|de la (?:société|part de)|chez|(?:trabajo en|represento a|de la empresa)|(?:lavoro (?:per|presso)|responsabile(?: \\p{L}+){0,3} (?:della|dello|presso)|responsabile(?: \\p{L}+)? di|(?:presidente|segretari[oa]|direttor[ei]|direttrice) (?:della|dello)|titolare (?:della|di)|per conto (?:di|della|dello))|(?:under the name(?: of)?|trading as|unter dem Namen|onder de naam|sous le nom(?: de)?|(?:con|bajo) el nombre de|sotto il nome(?: di)?)|(?:I run|[Ww]ij zijn|[Nn]ous sommes|[Ss]omos|[Ss]iamo)(?= \\p{Lu}[\\p{L}\\p{N}'’&.-]+ (?:(?:de|di|del|du|van|&) )?\\p{Lu})|(?:eigenaar van|werk bij|directeur van|namens|werkzaam bij))\\s+${anyCompany}`,
  'gu',
)
/** `Name, of Company`, as in notes on calls and fairs. */
const besideName = new RegExp(
  `\\p{Lu}\\p{L}+ \\p{Lu}\\p{L}+(?:, (?:de |di |of |von |van )?| (?:van|de|von|of) | \\()${anyCompany}(?=[,).]|$)`,
  'gu',
)

/** `our restaurant (El Naranjo)` */
const inBrackets = new RegExp(
  `\\p{Ll} \\((?<!(?:other|andere[nrs]?|autre|otr[oa]|altr[oa]) (?:\\p{L}{1,20} )?\\()${anyCompany}(?:,[^()]{0,40})?\\)`,
  'gu',
)
const ours =
  /(?<!\p{L})(?:we|our|wir|unser\w*|nous|notre|nos|somos|nuestr[oa]|noi|nostr[oa]|siamo|wij|ons|onze)(?!\p{L})/u

/** Words in notes on calls and meetings. */
const told =
  /(?<!\p{L})(?:call(?:ed)?|met|meeting|fair|anruf|messe|notiz|appel|salon|llamad[oa]|reunion|chiamat[oa]|incontrat[oa]|fiera|gebeld|gesproken|beurs)(?!\p{L})/u

/** Two people who write together. */
const couple = /^(?:[Ww]ij zijn|[Nn]ous sommes|[Ss]omos|[Ss]iamo)\s.*\s(?:en|et|y|e)\s\p{Lu}/u

/** Returns the organisations that people say they belong to. */
export function companiesIn({ text, folded }: Sentence): readonly Piece[] {
  const own = ours.test(folded) ? text.matchAll(inBrackets) : []
  const noted = text.includes('@') || told.test(folded) ? text.matchAll(besideName) : []
  return [...text.matchAll(companies), ...noted, ...own].flatMap((match) => {
    const value = (match[1] ?? '').replace(/(?<!\.\p{L})[.,]$/u, '').replace(/ (?:de|di|und|et|y|e|du|van)$/, '')
    const start = match.index + match[0].indexOf(match[1] as string)
    // "Nous sommes Anne Morel et Luc Petit"
    if (couple.test(match[0])) return []
    return value.length < 3 ? [] : [{ value, start, end: start + value.length }]
  })
}

const roleEnd =
  '(?<!-)(?=\\s+(?:anfangen|arbeiten|bewerben|ins Gespräch|ans Herz|suchen|zu bewerben|que|qui|die|spreekt|pa|which|that|a retenu|still|you|in|at|with|bei|mit|chez|en|und|y|e|et|and|to|zu|ab|per|pour|presso|dans|para|für(?= \\p{Ll})|bij|à(?= \\p{Lu})|advertised|posted|published|listed|based|ausgeschrieben\\p{L}*|basée?|située?|parue?|publiée?|diffusée?|publicad[oa]|anunciad[oa]|ofertad[oa]|pubblicat[oa]|apparso|apparsa|geplaatst|aangeboden|(?:mi|me|would|sounds|spricht|reizt|interessiert|lijkt)(?= \\p{L})|m.int[ée]resse)(?=[\\s.,!?])|[.,;:!?()\\n–—]|\\s\\(|\\s-\\s|$)'
const jobs = new RegExp(
  `(?:[Aa]pply(?:ing)? (?:for|as)(?: the| a| an)?(?: (?:position|role|post|job) (?:of|as)(?: an?)?)?|[Aa]pplication (?:for|as)(?: the| an?)?(?: (?:position|role|post|job|vacancy) of(?: an?)?)?|(?:vacancy|place|job|opening) (?:of|for|as)(?: an?)?|[Mm]i candido come|[Mm]e postulo (?:a|como|para)|mi propongo come|me ofrezco como|me propose comme|(?:biete|stelle) mich als|bied me aan als|postuler (?:comme|en tant que|au poste de|pour (?:le|un) poste de)|plaza de|plek als|(?:un )?posto (?:da|di|come)|place de|alternance (?:de|comme|en tant que)|stage (?:de|comme)|stage als|(?:gern|gerne|mich|Ihnen|euch) als|[Ss]uchen einen|(?:buscais|buscáis|buscan)|functie(?=\\s\\p{Lu})|postule (?:au poste de|comme|en tant que)|[Aa]pplication\\s?[:–-]|[Cc]andidature\\s?[:–-]|[Cc]andidatura\\s?[:–-]|[Ss]ollicitatie\\s?[:–-]|[Bb]ewerbung\\s?[–-]|en tant que|[Ii]nterest(?:ed)? in the|work(?:ing)? (?:with you |for you )?as|(?:position|role|post) (?:of|as)(?: an?)?|[Bb]ewerbung(?: als| für| um)|[Bb]ewerbung:?(?=\\s\\p{Lu})|[Ss]telle als|[Pp]osition als|bewerbe ich mich (?:auf|um|für) die Stelle als|bewerbe mich als|(?:[Aa]usbildungsplatz|[Aa]rbeit|[Jj]ob) als|au poste d(?:e |['’])|poste d(?:e |['’])|(?:emploi|travail) d(?:e |['’])|puesto de|vacante de|trabajo de|trabajo como|posizione di|[Cc]andidatura (?:come|per)|lavoro come|ruolo di|functie van|[Ss]ollicitatie (?:als|voor)|(?:bijbaan|baan|werk|werken) als|arbeiten als|travailler comme|trabajar como|lavorare come|vaga de|[Cc]andidatura a)\\s*(?:an? |einen? |den |der |die |le |la |un |une |el |il )?(?:(?:posizione|posto|ruolo|poste|emploi|puesto|plaza|empleo|position|post|role|functie|Stelle) (?:of |as |als |di |da |come |de |del |van |d['’]))?(\\p{L}[\\p{L}\\p{M}'’/ -]{2,60}?(?: \\([mwfdhx]/[mwfdhx](?:/[mwfdhx])?\\))?)${roleEnd}`,
  'gu',
)

/** Words for the advertisement in mails of job portals: `applied for your vacancy Nurse`. */
const advertised = new RegExp(
  `(?:(?:[Aa]pplicant|[Cc]andidate) for(?: the)?|[Kk]andidat(?:in)? für|[Cc]andidate? pour|[Cc]andidat[oa] (?:para|per)|[Kk]andidaat voor|[Yy]our (?:vacancy|posting|job ad|advert|opening|job)(?: for)?|[Ii]hre (?:Stellenanzeige|Anzeige|Stelle|Ausschreibung)|[Vv]otre (?:offre|annonce)(?: d['’]emploi)?|(?:[Ss]u|[Tt]u|[Vv]uestra) (?:oferta|vacante)(?: de empleo)?|(?:[Ll]a vostra|[Ll]a tua|[Ll]a sua) offerta(?: di lavoro)?|(?:[Uu]w|[Jj]e|[Jj]ullie) vacature|(?:[Zz]ur|[Aa]uf die|[Ff]ür die) (?:Stelle|Position))\\s?:?\\s[«„“"]?(?=\\p{Lu})(\\p{L}[\\p{L}\\p{M}'’/ -]{2,60}?(?: \\([mwfdhxv]/[mwfdhxv](?:/[mwfdhxv])?\\))?)[»“”"]?${roleEnd}`,
  'gu',
)

/** Returns the positions that somebody applies for. */
export function jobsIn({ text }: Sentence): readonly Piece[] {
  return [...text.matchAll(jobs), ...text.matchAll(advertised)].flatMap((match) => {
    const named = (match[1] ?? '').trim().replace(/ (?:position|role|post|job|vacancy|opening)$/i, '')
    const value = named.replace(advert, '')
    const start = match.index + match[0].lastIndexOf(match[1] as string) + named.length - value.length
    const behind = text.slice(match.index + match[0].length)
    const isName =
      noRole.test(value) ||
      onlyWord.test(fold(value)) ||
      clauseWord.test(` ${fold(value)} `) ||
      // "Bewerbungs-ID"
      /\p{L}/u.test(text[start - 1] ?? '') ||
      // "Conseiller(ère) de vente" continues after the brackets.
      /^\(\p{L}{1,6}\)/u.test(behind) ||
      /^(?:the|your|this|la|le|il|de|position|stelle|puesto|Initiativ|spontan)|^\W/i.test(value) ||
      value.split(/\s+/).length > 6
    return isName ? [] : [{ value, start, end: start + value.length }]
  })
}

/** A word for a position without its name: "I wish to apply for the role." */
const onlyWord =
  /^(?:role|position|post|job|vacancy|opening|stelle|posten|poste|emploi|offre|annonce|puesto|plaza|empleo|oferta|posizione|posto|ruolo|lavoro|offerta|functie|baan|vacature)$/u

/** Words for the advertisement before the position in it. */
const advert =
  /^(?:(?:the|your|ihre|votre|vostra|vuestra|uw|jullie|l['’]|la|le|il|el|de|die|het|una?|une?|een) ?)?(?:avviso|annuncio|offerta|oferta|anuncio|annonce|offre|anzeige|advert|vacature|vacancy|vakanz)\s(?=\p{Lu})/iu
/** Words after "application" that are not a position: who sent it, when, or its outcome. */
const noRole =
  /^(?:von|vom|vor|from|by|van|par|por|da|bei|ist|wurde|liegt|is|was|est|has|ha)(?!\p{L})|^(?:freelance|saisonnier|seasonal|temporary|saison\p{L}*)$|^\p{L}+ (?:mois|months?|monate?n?|semaines?|weeks?|wochen|meses|mesi|maanden|ans|years?)(?!\p{L})/iu

/** A version number that is not a date, an IP address or an amount with groups. */
const versionNumber =
  '((?!\\d{1,2}\\.\\d{1,2}\\.\\d{4}|\\d+\\.\\d+\\.\\d+\\.\\d{2,3}\\b|\\d{1,3}(?:\\.\\d{3})+\\b)\\d{1,4}(?:\\.\\d{1,4}){1,3}(?:[-.]?(?:beta|alpha|rc)\\d*)?)'
const versions = new RegExp(
  `(?:version|versione|versie|versao|firmware|release|build|softwarestand|v)[ .:]*${versionNumber}(?![\\p{L}\\d#]|\\.\\d)`,
  'gu',
)
const productName = '(\\p{Lu}[\\p{L}\\p{N}]*[\\p{Lu}\\p{N}\\p{Ll}](?: (?:\\p{Lu}[\\p{L}\\p{N}]*|\\d{1,4}(?![.\\d])))?)'
const productVersions = new RegExp(
  `(?<![\\p{L}\\p{N}.])${productName}(?:-(?:[Aa]pp|[Ss]oftware|[Pp]lug-?in|[Tt]ool))?,? \\(?v?(?:ersion |ersione |ersie )?\\.?${versionNumber}(?![\\p{L}\\d]|\\.\\d|\\s?[–-]\\s?\\d)`,
  'gu',
)
/** Capitalised words before numbers that are not products. */
const noProduct =
  /^(?:eur|usd|gbp|chf|ip|version|versione|versie|firmware|build|release|error|fehler|code|fehlercode|invoice|kapitel|chapter|article|section|page|die|the|we|on|am|le|il|de|since|von|ver|windows|android|ios|macos|linux|chrome|firefox|safari)\b/

/** Returns the versions in a sentence, and the products right before a version: `SyncBridge 2.9`. */
export function versionsIn({ text, folded }: Sentence): {
  readonly versions: readonly Piece[]
  readonly products: readonly Piece[]
} {
  const named = Array.from(folded.matchAll(versions)).map((match) => tail(match, match[1] as string))
  const beside = Array.from(text.matchAll(productVersions)).filter((match) => {
    const name = fold(match[1] as string)
    return !noProduct.test(name) && meaningsOf(name).unknown > 0
  })
  return {
    versions: [...named, ...beside.map((match) => tail(match, match[2] as string))],
    products: beside.map((match) => ({
      value: match[1] as string,
      start: match.index,
      end: match.index + (match[1] as string).length,
    })),
  }
}

function tail(match: RegExpExecArray, value: string): Piece {
  const end = match.index + match[0].length
  return { value, start: end - value.length, end }
}

const productCues = new RegExp(
  `(?:(?:[Tt]he|[Oo]ur|[Yy]our|[Mm]y) ${productName.replace(')?)', ')*)')} (?:app|software|device|printer|plugin|server|has been|is|was|does|keeps|crashes|shows)|(?:[Pp]roblem(?:a|e|s)?|[Ii]ssue|[Ee]rror|[Bb]ug|[Ff]ehler|[Ss]torung|[Ss]törung|[Ss]toring|[Ee]rrore|[Pp]robleem|[Pp]roblème|[Ff]out) (?:with|in|mit|bei|avec|dans|con|en|met|de)(?: (?:the|der|dem|la|le|il))? ${productName}|(?:ist ein|is an?|est un|es un|is een|è un) ${productName})(?=[\\s.,]|$)`,
  'gu',
)
/** A thing and its model: `Hebebühne HB-400`. */
const models = /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}]{2,20} )(?:[A-Z]{1,4}-?\d{1,4}[a-z]?)(?![\p{L}\p{N}]|[-.:/]\p{N})/gu
/** A word with a capital inside it: `LagerPlus`. */
const camel =
  /(?<![\p{L}\p{N}@./])(\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+\+?)(?: (?:\p{Lu}[\p{L}\d]*|\d{1,4}(?!(?:k?g|m?l|[cm]?m|h|x|[mgt]b)(?!\p{L}))\p{L}{0,3}(?![.\p{L}\d]))){0,2}(?![\p{L}\p{N}@]|\.\p{L}| \d+\p{L})/gu

/** A capitalised word between a preposition and such a word is part of the name: `the screen of Nordia LagerPlus`. */
const madeBy = /\s(?:of|in|with|from|von|mit|aus|bei|de|avec|dans|con|en|di|van|met) (\p{Lu}\p{L}{2,} )$/u

/** The name of a thing in brackets: `heat pump (Thermo WP 10)`. */
const bracketed =
  /(?<=\p{L}{3} \((?:typ[eo]? |model |modell |modello |modelo |modele )?)(?=[^()]*\d)\p{Lu}[\p{L}\p{N}+-]*(?: [\p{Lu}\p{N}][\p{L}\p{N}+-]*){1,4}(?=\))/gu

/** Whether the text that follows comes second inside brackets: in `(version 4.2, Fairphone FP5)` it is the device, not the product. */
const isAside = (before: string) => /\(\s*[^()\s][^()]*$/.test(before)

/** Returns the products that a sentence names as those it is about. */
export function productsIn({ text }: Sentence): readonly Piece[] {
  const cued = Array.from(text.matchAll(productCues)).flatMap((match) => {
    const value = match.slice(1).find((each) => each !== undefined) ?? ''
    const start = match.index + match[0].lastIndexOf(value)
    return value === '' ? [] : [{ value, start, end: start + value.length }]
  })
  const named = Array.from(text.matchAll(models)).filter(
    ({ 0: value, index }) => meaningsOf(value.split(' ')[0] as string).unknown > 0 && !isAside(text.slice(0, index)),
  )
  const told = Array.from(text.matchAll(bracketed)).filter(
    ({ 0: value }) => !noProduct.test(fold(value)) && meaningsOf(value.split(' ')[0] as string).unknown > 0,
  )
  const formed = Array.from(text.matchAll(camel)).flatMap(({ 0: value, index }) => {
    if (isCommonName(value)) return []
    const maker = madeBy.exec(text.slice(0, index))?.[1] ?? ''
    return [{ 0: maker + value, index: index - maker.length }]
  })
  const written = [...told, ...named, ...formed].map((match) => ({
    value: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
  return [...cued, ...written]
}

const errorCue =
  /(?:error|errors|fehler\w*|meldung|erreur|mensaje|mensagem|errore|messaggio|foutmelding|fout|log|shows|showing|says|display|erscheint|steht|affiche|aparece|muestra|sale|compare|compars|bandeau|banner|pop-?up|behauptet|claims|geeft|toont|melding|appears|screen|reads|bildschirm|anzeige|ecran|indique|pantalla|pone|schermo|video|indica|scherm|beeld|staat|avviso|aviso|allarme|alarm|esce|aparece|appare|compare|verschijn|krijg|get|got|obtien|recibo|bekomm|erhalt)/
const errorCodes =
  /(?<!\p{L})(?:error(?: code)?|fehlercode|fehler|fehlernummer|code d.erreur|erreur|codigo(?: de error)?|errore|codice(?: di)? errore|foutcode|fout|error code)[ \n:#]*((?:0x)?[a-z]?\d[a-z\d-]{0,12})(?![\p{L}\d.]|\/\d)/gu

/** `I get the message: Invalid account on line 1.` */
const announced =
  /(?:(?:^|\s)(?:error|fehler|erreur|errore|fout)|(?:^|\s)(?:error message|fehlermeldung|foutmelding|message d.erreur|mensaje de error|messaggio di errore)|(?<=\p{L} (?:the |a |this |die |eine |diese |le |un |ce |el |il |questo |de |een |deze )?)(?:message|meldung|melding|mensaje|messaggio|avviso|aviso))(?: suivante?| siguiente| seguente| following)?\s?:\s+((?!https?:)\S.{4,150}?)(?:\.|\.\s.*)?\s*$/u

/** The name of something that is pressed or opened, which is not a message. */
const pressed =
  /(?:[Cc]lick\w*|[Pp]ress\w*|[Tt]ap\w*|[Oo]pen\w*|[Dd]rück\p{L}*|[Kk]lick\p{L}*|[Cc]liqu\p{L}*|[Aa]ppu\p{L}*|[Pp]uls\p{L}*|[Cc]lic|[Pp]rem\p{L}*|[Kk]lik\p{L}*|[Dd]ruk\p{L}*|[Bb]utton|[Kk]nop\p{L}*|[Bb]outon|[Bb]otón|[Pp]ulsante|[Tt]asto)(?: (?:on|auf|sur|en|su|op|the|den|die|le|la|el|il|de|het)){0,2} ["„“«][^„“”"«»]{1,60}[“”"»]/gu

/** Returns the error messages and codes in a sentence. */
export function errorsIn({ text, folded }: Sentence): readonly Piece[] {
  const cue = folded.search(errorCue)
  const quoted = cue < 0 ? null : quotedIn(text.replace(pressed, (each) => ' '.repeat(each.length)))
  const plain = announced.exec(folded)
  const pieces: Piece[] = []
  if (quoted !== null) pieces.push(quoted)
  else if (plain !== null) {
    const start = plain.index + plain[0].indexOf(plain[1] as string)
    pieces.push({
      value: text.slice(start, start + (plain[1] as string).length),
      start,
      end: start + (plain[1] as string).length,
    })
  } else
    for (const match of folded.matchAll(errorCodes)) {
      const code = tail(match, match[1] as string)
      // "Error 500 - Gateway failed" on a line of its own is the message.
      const rest = /^ ?[–—:-] ([^\n]{3,120}?)\.?(?=\n|$)/u.exec(text.slice(code.end))
      const isLine = match.index === 0 || text[match.index - 1] === '\n'
      const found = rest === null ? code : { start: match.index, end: code.end + rest[0].replace(/\.$/, '').length }
      if (rest === null || isLine) pieces.push({ ...found, value: text.slice(found.start, found.end) })
    }
  return pieces
}
