/**
 * Finds what a sentence enumerates: the objects of verbs that say what is wanted, ordered or mastered, and the things that come
 * before such words. Folded.
 */
import { clauseWord, notAThing, withArticle } from './clauses.ts'
import { itemsIn } from './items.ts'
import { fold } from './lexicon.ts'
import type { Locale } from './locale.ts'
import type { Piece } from './shapes.ts'

type Phrases = {
  /** Words before the things. */
  readonly before: readonly string[]
  /** Words after the things. */
  readonly behind?: readonly string[]
}

/** One line for each language: en, de, fr, es, it, nl. */
const phrases: { readonly [concept: string]: Phrases } = {
  items: {
    before: [
      '(?:(?:please|to|ll|will|we|i) )(?:order|buy|purchase|send us|send me|deliver|supply)|(?:ordered|bought|purchased)|put (?:me|us) down for',
      'bestellen wir|wir bestellen|ich bestelle|(?:mochten? (?:wir|ich)|schicken sie (?:uns|mir)|liefern sie (?:uns|mir))(?: bitte| wieder)*|habe ich|hatten wir gern',
      'commander|commandons|commande|(?:ai|avons) (?:achete|commande)|envoyez.(?:nous|moi)|livrez.(?:nous|moi)|enregistrer',
      'pedir|pedimos|encargar|encargamos|quer(?:emos|ria|riamos) (?:pedir|encargar|comprar)|(?:he|hemos) (?:comprado|pedido|encargado)|compre|apunt\\p{L}*|envi(?:enos|enme|adnos)',
      'ordinare|ordiniamo|ordino|(?:ho|abbiamo) (?:ordinato|comprato|acquistato)|confermiamo|(?:mandateci|inviateci|spediteci)|prendiamo|vorrei|vorremmo',
      '(?:willen|wil)(?: wij| we| ik)?(?: graag)?|bestellen(?: wij| we| ik)?|bestel(?: ik)?(?: graag)?|(?:heb|hebben)(?: ik| we| wij)?|stuur(?:t)? (?:ons|mij)',
    ],
  },
  interests: {
    before: [
      '(?:interested|interest) in|looking (?:for|at|into)|look for|in the market for|shopping for|(?:we|i|re) (?:need|want|are after|m after)|(?:they|he|she|who) (?:needs?|wants?|(?:are|is) after)(?! to(?!\\p{L}))(?: (?:a )?(?:quotes?|prices?|info\\p{L}*|offers?) (?:on|for|about))?|(?:looking (?:for|at)|need|want) something for(?= \\p{L})|after (?=an? )|(?:(?:hear|know|learn|talk) (?:more )?about|tell (?:me|us) (?:more )?about)|(?:quote|proposal|offer|estimate|prices?|pricing|quotation|information|info|details|brochure)s? (?:for|on|about|of)|(?:enquir|inquir)\\p{L}* about|thinking (?:of|about)(?: getting| buying| adding)?|curious about|caught (?:my|our) eye (?:is|are|was|were)|like the look of|(?:would|d) (?:like|love|want)(?: to (?:get|buy|have|try|see|book|order|add|install))?',
      '(?:er|sie) (?:suchen?|sucht|brauch(?:en|t)|benotig(?:en|t)|will|wollen|mocht(?:en?|e))(?: jemand(?:en)?| etwas) (?:fur)|(?:er|sie) (?:sucht|braucht|benotigt)|(?:suchen?|brauchen?) (?:wir |ich )?(?:jemand(?:en)?|etwas) fur|interessieren (?:uns|mich|wir uns|ich mich)?(?: \\p{L}+){0,2} fur|interessiert (?:an|sich fur|sind wir an|bin ich an)|interesse(?: \\p{L}+){0,2} an|interessiert (?:uns|mich)|interessieren (?:uns|mich)|(?:wir |ich )?(?:suchen?|brauche?n?|benotigen?)(?: wir| ich)?|wurden? (?:uns|mich)|(?:uns|mich) wurden?|(?:angebot|offerte|preis|kosten|informationen|infos|unterlagen|kostenvoranschlag) (?:uber|fur|zu|zum|zur)|(?:wir|ich) (?:mochten?|hatten?|wollen) (?:gern\\p{L}* )?',
      '(?:nous |et |je )?(?:cherchons|recherchons|cherche|recherche)|(?:a la recherche|besoin|envie) (?:de|d.)|(?:devis|offre|proposition|tarifs?|prix|informations?|renseignements?|documentation) (?:pour|sur|concernant)|interess\\p{L}+ par|(?:nous |je )?(?:souhait\\p{L}+|voudr\\p{L}+|aimer\\p{L}+|envisag\\p{L}+)(?: (?:installer|acheter|mettre en place|remplacer|acquerir|commander|avoir|obtenir))?|interesse (?:surtout )?a|quelqu.un pour|quelque chose pour|(?:il|elle|ils|elles) (?:cherche(?:nt)?|recherche(?:nt)?|veu(?:t|lent))',
      '(?:buscamos|busco|necesitamos|buscan?|queremos) (?:algo|alguien) para|buscamos|busco|buscan|estamos buscando|(?:nos|me) (?:interesan?|interesaria\\p{L}?|gustaria)(?: (?:contratar|comprar|instalar|tener|saber de))?|interesad[oa]s? en|interes en|necesit(?:o|amos|an|ariamos|aria)|(?:presupuesto|oferta|precios?|informacion|cotizacion|tarifas?) (?:de|para|sobre|por)|(?:quer(?:emos|ria|riamos)|quieren?)(?: (?:poner|instalar|contratar|comprar|montar|saber de))?|nos quedariamos con|nos encaja',
      '(?:cerchiamo|cerco|cercano|cerca|ci serve|vorremmo) (?:qualcosa|qualcuno) per|cerchiamo|cerco|cercano|stiamo cercando|interessat[oaie] (?:a|al|alla|ai|alle|agli|all.)|interesse (?:per|a)|(?:ci|mi) (?:interessan?o?|interesserebbero|interesserebbe|servono|serve|servirebbe\\p{L}*)|(?:offerta|preventivo|quotazione|informazioni|prezzi|prezzo|listino) (?:per|su|sul|sulla|di|dei|delle)|bisogno di|abbiamo bisogno (?:di|d.)|vorremmo|vorrei',
      'op zoek naar|(?:wij |we |ik |hij |zij |ze )?zoek(?:en|t)?(?: wij| we| ik)?(?: (?:iemand|iets) voor)?|(?:hebben )?(?:interesse|belangstelling) (?:in|voor)|geinteresseerd in|(?:offerte|prijs|prijsopgave|informatie|voorstel|aanbieding) (?:voor|over|van)|nodig(?: hebben)?(?: voor)?|behoefte aan|denken aan|(?:wij |we |ik )?(?:willen|wil|zouden|zou)(?: wij| we| ik)? graag',
    ],
    behind: [
      '(?:both |all )?(?:looks?|sounds?|seems?) (?:like|good|great|right|interesting|perfect)|(?:would |could )?(?:interests?|suits?|appeals? to) us|(?:is|are) what we (?:need|want|are after)|caught (?:my|our) eye(?! (?:is|are|was))',
      '(?:ware|waren|wurden?|ist|sind) (?:\\p{L}+ )?(?:interessant|spannend|genau das richtige)|interessieren (?:uns|mich)|interessiert (?:uns|mich)|(?:klingt|klingen) (?:interessant|gut|spannend)',
      '(?:nous|m.?) ?interess(?:ent|e|eraient|erait)',
      '(?:nos|me) (?:interesan?|interesarian?|vendrian? bien|encajan?)',
      '(?:ci|mi) interess(?:ano|a|erebbero|erebbe)|farebbero al caso nostro',
      '(?:lijkt|lijken|spreekt|spreken) (?:ons|mij|me)(?: aan)?|(?:interesseert|interesseren) (?:ons|mij|me)',
    ],
  },
  skills: {
    before: [
      'skill(?:s|ed)?(?: set)? (?:in|include|are|at|with)|experienced? (?:with|in|of)|proficient (?:in|with|at)|proficiency in|(?:knowledge|command|grasp) of|familiar with|(?:work|working|worked|comfortable|confident|handy|good|great|strong|at home|fluent|competent|adept|happy) (?:daily |every day |regularly )?(?:with|in|at|on)|(?:strengths|strong points|strong suits|specialities|specialties|tools|focus) (?:are|include|is|lie in)|speciali[sz]e[ds]? in|expertise in|(?:trained|certified|qualified|versed|background) in|evenings? (?:since )?with|know my way around|can (?:do|operate|handle|use|drive)|i (?:know|speak|do|use|bring|look after|handle|master)',
      'kenne mich (?:sehr )?(?:gut )?(?:mit|in)|(?:sehr )?(?:sicher|fit|erfahren|geubt|bewandert|versiert|stark|gut) (?:in|im|mit)|erfahrung(?:en)? (?:mit|in|im)|(?:gute )?kenntnisse (?:in|im)|beherrsche(?: ich)?|vertraut mit|(?:schwerpunkte|starken|fachgebiete|spezialgebiete|kenntnisse|fahigkeiten)(?: \\p{L}+)? (?:sind|liegen (?:in|im|bei))|schwerpunkte|arbeite (?:taglich |viel |gern |sicher )?mit|spezialisiert auf|ich kann|kann ich|bringe(?: ich)? (?:\\p{L}+ )?(?:mit)?|sattelfest in|routiniert (?:in|mit)|geschult in|umgang mit|programmiere in|spreche',
      'maitris(?:e|ant)|(?:competences|connaissances|experience|diplome|forme|formation|specialise|a l.aise|expert|bonne pratique|maitrise) (?:en|dans|avec|sur|de|du|des|d.)|(?:j.ai|ai) (?:fait|pratique) (?:d[ue]s?)?|connais(?:sance)?s?(?: bien)?|s.y connait en|me debrouille(?: bien| tres bien)? (?:en|avec|sur)|je (?:manipule|utilise)(?: tous les jours| au quotidien| regulierement)?|je (?:pratique|manie|sais (?:faire|utiliser|conduire)|parle|gere)|points forts sont',
      'domino|manejo|manejando|conocimientos? (?:de|en|del)|experiencia (?:con|en)|se (?:manejar|usar|utilizar|llevar)|se me (?:da|dan) bien|especializad[oa] en|especialista en|formad[oa] en|(?:mis )?(?:puntos fuertes|fortalezas|especialidades) son|trabajo (?:a diario )?con|hablo|me manejo (?:bien )?(?:con|en)|soltura (?:con|en)|dominio de',
      'so (?:usare|fare|utilizzare)|espert[oa] (?:di|in)|esperienza (?:con|in|nel|nella|di)|conosco(?: bene)?|mi occupo di|padronanza (?:di|del)|insegnato|utilizzo|uso|competenze in|specializzat[oa] in|me la cavo (?:bene )?con|conoscenz[ae] (?:di|del|dei)|pratic[oa] di|i miei punti (?:di forza|forti) sono|lavoro (?:ogni giorno )?con|padroneggio|parlo|abile (?:in|con)',
      'goed (?:in|met|overweg met|thuis in)|ervaring (?:met|in)|ervaren in|kennis van|sterk (?:in|met)|bedreven in|handig (?:met|in)|werk(?:en|te)? (?:veel |dagelijks |graag )?met|thuis in|beheers(?: ik)?|gespecialiseerd in|vertrouwd met|kan (?:ik )?(?:goed )?overweg met|vaardig in|(?:mijn )?(?:sterke punten|specialiteiten) zijn|rijd|ik kan|spreek',
    ],
    behind: [
      '(?:are|is) (?:second nature|no problem|familiar|my (?:strengths?|strong suits?|specialit\\p{L}+|bread and butter))|come (?:easily|naturally)',
      '(?:sind|ist) mir (?:\\p{L}+ )?(?:vertraut|gelaufig|bekannt)|beherrsche ich|kann ich|liegt mir|liegen mir|sind meine starken|gehoren zu meinem',
      '(?:me |m.)?sont (?:\\p{L}+ )?(?:familier\\p{L}*|connus|mes points forts)|n.ont (?:plus )?(?:pas )?de secrets?',
      '(?:me son|son mis|se me dan|los domino|no tienen secretos)(?: \\p{L}+)?',
      '(?:mi sono|sono i miei|non hanno segreti)(?: \\p{L}+)?',
      'zijn (?:voor (?:mij|me) )?(?:dagelijkse kost|gesneden koek|geen probleem)|zijn (?:mij|me) (?:\\p{L}+ )?(?:vertrouwd|bekend)|beheers ik|kan ik|zijn mijn sterke',
    ],
  },
}

const made = new Map<string, { readonly before: RegExp; readonly behind: RegExp | null }>(
  Object.entries(phrases).map(([concept, { before, behind }]) => [
    concept,
    {
      before: new RegExp(`(?<![\\p{L}])(?:${before.join('|')})(?![\\p{L}\\p{N}])[\\s:]+`, 'gu'),
      behind: behind === undefined ? null : new RegExp(`\\s(?:${behind.join('|')})(?![\\p{L}\\p{N}])`, 'u'),
    },
  ]),
)

/** The end of an enumeration: punctuation, and words that begin another clause. */
const partEnd =
  /[.!?;:](?=\s|$)|\s[–—-]+\s|\n\s*\n|[,\s](?:because|so that|but|which|who|that|where|when|if|though|unless|while|weil|aber|damit|denn|sondern|wenn|falls|sobald|obwohl|parce|mais|qui|(?<!ainsi\s)que|dont|quand|si|car|afin|porque|pero|cuando|aunque|sino|perche|ma|che|quando|se|maar|omdat|want|zodat|wanneer|als|not|nicht|pas|no|non|niet|nothing|without|ohne|sans|sin|senza|zonder|rather|instead|statt)(?=\s)/
/** Words that begin what a thing is for, from when, or where, which are not part of its name. */
const thingEnd =
  /\s(?:for|from|at|off|within|before|after|until|till|during|this|next|as|to|by|per|since|across|every|each|daily|taglich|jeden|tous|chaque|cada|ogni|elke|dagelijks|fur|aus|bei|beim|bis|ab|nach|zum|zur|am|seit|wahrend|als|pour|dans|chez|depuis|avant|apres|sur|para|por|desde|hasta|antes|segun|per|presso|entro|dal|dalla|da|voor|vanaf|tegen|om|sinds|bij|tot|naar|bestellen|interessieren|suchen|kaufen|haben|anbieten|uit)(?=\s|$)/
const placeEnd = /\s(?:in|im|en|on|auf|nel|nella|nei|op|al|mit (?=ein)|with (?=an? ))(?=\s)/
/** An infinitive, in the languages in which its ending shows it: something that somebody does or wants to do. */
const infinitives: { readonly [language in Locale['language']]?: RegExp } = {
  fr: /^\p{L}{2,}(?:er|ir|oir|dre)(?=\s)/u,
  es: /^\p{L}{2,}[aei]r(?:l[aoe]s?|me|nos)?(?=\s)/u,
  it: /^\p{L}{2,}[aei]r(?:e|l[aoie]|ci|mi)(?=\s)/u,
}
/** What people ask for that is not goods. */
const noGoods =
  /^(?:live.)?(?:demo\p{L}*|vorfuhrung\p{L}*|prasentation|presentation|presentacion|presentazione|presentatie|offers?|quotes?|angebote?|devis|presupuesto|preventivo|offert[ae]|oferta|offre|calls?|termin|appointment|cita|appuntamento|afspraak|rendez-vous|information\p{L}*|infos?|prices?|pricing|preise?|prijs|prix|precios?|prezzi|stelle|job|jobs|trabajo|empleo|lavoro|werk|arbeit)$/u
/** A currency, which no name of a thing contains. */
const amount = /[€$£]|\b(?:eur|usd|gbp|chf|euros?)\b/
const negation =
  /(?<!\p{L})(?:not|n.t|never|no|nicht|kein\p{L}*|pas|jamais|non|mai|niet|geen|nunca|sin|without)(?!\p{L})/u

const thingWordsMax = 6
const thingsMax = 12
/** How far before its verb a negation may be. */
const negationChars = 30

/** Returns the things that a sentence enumerates for a concept, or none if its words say that they are not meant. */
export function enumerated(text: string, concept: string, locale: Locale): readonly Piece[] {
  const patterns = made.get(concept)
  if (patterns === undefined) return []
  const folded = fold(text).replaceAll('\n', ' ')
  const found: (readonly Piece[])[] = []
  for (const match of folded.matchAll(patterns.before)) {
    if (negation.test(folded.slice(Math.max(0, match.index - negationChars), match.index))) continue
    const start = match.index + match[0].length
    const length = folded.slice(start).search(partEnd)
    found.push(thingsIn(text.slice(start, length < 0 ? text.length : start + length), start, concept, locale))
  }
  const tail = patterns.behind?.exec(folded)
  if (tail !== null && tail !== undefined && !negation.test(tail[0])) {
    const ends = Array.from(folded.slice(0, tail.index).matchAll(/[:;.]\s/g), ({ index }) => index + 2)
    const from = Math.max(0, ...ends)
    const start = from + (/^(?:with|mit|avec|con|met|in|en)\s/.exec(folded.slice(from))?.[0].length ?? 0)
    found.push(thingsIn(text.slice(start, tail.index), start, concept, locale, true))
  }
  return whole(found)
}

/** Returns the longest enumeration, or none if another follows it, since that may repeat it in other words. */
function whole(found: readonly (readonly Piece[])[]): readonly Piece[] {
  const most = found.reduce<readonly Piece[]>((longest, each) => (each.length > longest.length ? each : longest), [])
  const end = most.at(-1)?.end ?? 0
  return found.flat().some(({ start }) => start >= end) ? [] : most
}

/** Returns the things up to the first item that is not one. With `isBefore`, other items may come before them. */
function thingsIn(part: string, start: number, concept: string, locale: Locale, isBefore = false): readonly Piece[] {
  const things: Piece[] = []
  let isCut = false
  for (const item of itemsIn(part, locale, start)) {
    const isNoun = withArticle.test(fold(part.slice(Math.max(0, item.start - start - 8), item.start - start)))
    const thing = trimmed(item, concept, isNoun ? null : locale)
    if (thing === null && isBefore && things.length === 0) continue
    if (thing === null) break
    // An item after a joined pair describes it: "a logo and a plain website, four pages".
    const last = things.at(-1)
    if (
      things.length === 2 &&
      last !== undefined &&
      /^\s*,\s*$/.test(part.slice(last.end - start, item.start - start))
    ) {
      const [first] = things as [Piece, Piece]
      if (/^\s\p{L}/u.test(part.slice(first.end - start, last.start - start))) return concept === 'items' ? [] : things
    }
    // If words of a thing were cut off and others follow, it is unclear what belongs to it.
    if (isCut && concept === 'interests') return []
    // The verb is missing only before the first item, so the items are not alike: "usar sierras y hacer muebles".
    if (concept === 'skills' && things.length > 0 && isDoing(item, locale) && !isDoing(things[0] as Piece, locale))
      return []
    // Italian "da" may say what a thing is for, which is part of its name, or where it comes from, which is not.
    if (concept === 'items' && locale.language === 'it' && /^\sda\s/.test(item.value.slice(thing.value.length)))
      return []
    isCut = thing.end < item.end
    things.push(thing)
  }
  return things.length > thingsMax ? [] : things
}

/** Whether an item begins with an infinitive, in the languages in which its ending shows it. */
const isDoing = ({ value }: Piece, { language }: Locale) =>
  infinitives[language]?.test(fold(value).replaceAll('\n', ' ')) === true

function trimmed({ value, start }: Piece, concept: string, locale: Locale | null): Piece | null {
  const folded = fold(value).replaceAll('\n', ' ')
  const ends = [folded.search(thingEnd), concept === 'items' ? -1 : folded.search(placeEnd)].filter((at) => at > 0)
  const thing = value.slice(0, Math.min(value.length, ...ends)).replace(/[\s.,;:!]+$/, '')
  const words = thing.split(/\s+/).length
  const isThing =
    !/[.?!;:]\s|[¿¡]/.test(thing) &&
    !noGoods.test(fold(thing)) &&
    /\p{L}{2}|^\p{Lu}[+#]*$/u.test(thing) &&
    !/@/.test(thing) &&
    words <= thingWordsMax
  const isDone = concept !== 'skills' && locale !== null && infinitives[locale.language]?.test(folded) === true
  const isClause = clauseWord.test(fold(thing)) || notAThing.test(folded)
  const isFigure = amount.test(folded) || (concept !== 'items' && /^\d/.test(folded))
  return isThing && !isDone && !isClause && !isFigure ? { value: thing, start, end: start + thing.length } : null
}
