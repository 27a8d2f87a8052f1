/**
 * Reads yes/no values from sentences: a clause about the topic says yes, with a negation no. Clauses of questions and conditions
 * do not count. Folded.
 */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { type Asked, wordsOfKey } from './concepts.ts'
import { wordsIn } from './lexicon.ts'
import { lineAt } from './passages.ts'
import type { Sentence } from './sentences.ts'
import { readText } from './shapes.ts'

type Topic = {
  /** Words of the topic. */
  readonly about: RegExp
  /** Words that say yes or no by themselves, whether or not the topic is named. */
  readonly yes?: RegExp
  readonly no?: RegExp
  /** Whether the topic without a negation already says yes; otherwise a word of wanting or promising is needed. */
  readonly isPlain?: boolean
  /** Words that say that a clause is about something else. */
  readonly other?: RegExp
}

const word = (alternatives: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'u')

const topics: { readonly [concept: string]: Topic } = {
  paid: {
    about: word(
      'paid|bezahlt|betaald|voldaan|overgemaakt|payee?s?|reglee?s?|pagad[oa]s?|abonad[oa]s?|pagat[oaie]|saldat[oaie]|addebitat[oaie]|charged|belastet|debitee?s?|cobrad[oa]s?|abgebucht|afgeschreven|uberwiesen|transferencia|bonifico|virement|payment|zahlung|paiement|pagamento|betaling|geld|addebito|versee?s?|versat[oaie]|verse|acquittee?s?|encaissee?s?|gezahlt|beglichen|overgeschreven|afgerekend|ingresad[oa]s?|incassat[oaie]|bonificat[oaie]|transferred|settled|transfer|uberweisung|overboeking|importe?|montant|betrag|bedrag|importo|money|dinero|argent|soldi|denaro',
    ),
    yes: word(
      '(?:you(?: have|.ve)?|was|were|is|been|already|fully|(?:buyer|customer) has) (?:already )?paid(?! (?:by|until|before|on delivery))|paid (?:with|by (?:card|visa|paypal)|in full|via|£|\\$|€)|payment(?: [^\\s;]+){0,5} (?:received|arrived|came in|completed?|successful|confirmed|went through)|(?:card|visa|mastercard)(?: \\p{L}+| \\d+){0,4} (?:already )?(?:been )?charged|(?:ist|wurde|sind|bereits|schon) (?:schon |bereits |\\p{L}+ )?(?:bezahlt|beglichen|uberwiesen)|bezahlt (?:mit|per|via)|geld (?:ist )?(?:\\p{L}+ ){0,4}(?:angekommen|eingegangen|da)|zahlung (?:\\p{L}+ ){0,3}(?:eingegangen|erhalten|erfolgt|bestatigt)|(?:reglee?s?|payee?s?) (?:par|avec|via|en ligne|comptant)|(?:est|a ete|deja|ont ete|avons) (?:deja )?(?:payee?s?|reglee?s?)|paiement(?: \\p{L}+| [\\d,.€/]+){0,9} (?:recu|accepte|confirme|effectue|encaisse)|(?:esta|fue|ha sido|ya|ya esta|queda) (?:ya )?(?:pagad[oa]s?|abonad[oa]s?)|pagad[oa]s? (?:con|al momento|por|mediante|ya)|(?:pago|cobro)(?: [^\\s;]+){0,5} (?:confirmado|recibido|realizado|aceptado)|(?:gia|e stat[oa]|sono stati|e) (?:gia )?(?:pagat[oaie]|saldat[oaie]|addebitat[oaie])|pagat[oaie] (?:con|tramite|via)|(?:pagamento|addebito|bonifico)(?: [^\\s;]+){0,5} (?:ricevuto|riuscito|confermato|verificato|effettuato|arrivato|andato)|(?:is|al|reeds|hebben|hebt) (?:al |reeds |\\p{L}+ )?(?:betaald|overgemaakt|voldaan)|(?:betaald|voldaan) (?:via|met|per)|ontvingen (?:we|wij)|betaling(?: [^\\s;]+){0,5} (?:ontvangen|geslaagd|binnen)|(?:ya )?(?:l[aeo]s? )?(?:he|hemos) pagado|(?:taken|received|got|have)(?: \\p{L}+){0,3} (?:payment|money|transfer)|(?:hemos|han) cobrado|(?:avons|a) encaisse|(?:abbiamo|ho) incassato|(?:haben|habe) (?:\\p{L}+ )?kassiert|(?:betaald|bezahlt|paid) (?:had|hadden|hatten?|hebt|heeft|haben|hast|habt)|hemos (?:recibido|cobrado)(?: \\p{L}+){0,3} (?:importe|pago|transferencia|dinero)|(?:avons|ai) (?:bien )?(?:recu|encaisse)(?: \\p{L}+){0,3} (?:paiement|reglement|virement|montant)|(?:zahlung|geld|betrag|uberweisung)(?: [^\\s;]+){0,5} (?:erhalten|bekommen|eingegangen|verbucht|da|angekommen)|(?:abbiamo|ho) (?:ricevuto|incassato)(?: \\p{L}+){0,3} (?:pagamento|importo|bonifico)|(?:hebben|heb)(?: \\p{L}+){0,4} (?:betaling|bedrag|geld)(?: \\p{L}+){0,2} ontvangen|hab\\p{L}*(?: \\p{L}+){0,5} (?:bezahlt|uberwiesen|beglichen)|bezahlt hab\\p{L}*|(?:ai|avons)(?: deja)? (?:paye|regle|verse)|(?:ho|abbiamo)(?: gia)? (?:pagato|saldato|versato)|(?:heb|hebben)(?: \\p{L}+){0,4} (?:betaald|overgemaakt)|(?:i|we)(?: have|.ve)?(?: already| just)? paid|(?:fatto|effettuato|eseguito|disposto) (?:gia )?(?:il |un )?bonifico|bonifico (?:fatto|eseguito|effettuato)|(?:fait|effectue) (?:le |un )?virement|virement (?:fait|effectue|envoye|parti)|hecho (?:ya )?(?:la |una )?transferencia|transferencia (?:hecha|realizada|enviada)|(?:made|sent|done) (?:the |a )?(?:bank )?transfer|transfer (?:made|sent|done)|uberweisung (?:ist )?(?:raus|erledigt|veranlasst)',
    ),
    no: word(
      '(?:once|as soon as|until|upon) (?:\\p{L}+ ){0,3}(?:receive|have received|receipt)(?: \\p{L}+){0,3} (?:payment|transfer)|(?:sobald|erst nach)(?: \\p{L}+){0,3} (?:zahlung|uberweisung|geld|betrag|zahlungseingang)|nach (?:zahlungs|geld)eingang|des (?:la )?reception (?:de votre|du|de ton) (?:paiement|virement|reglement)|(?:en cuanto|una vez)(?: \\p{L}+){0,3} (?:pago|transferencia|importe)|pendientes? de (?:tu|su|vuestra?|la|el) (?:transferencia|pago)|(?:appena|una volta)(?: \\p{L}+){0,3} (?:bonifico|pagamento)|pagamento (?:risulta|e) in attesa|zodra(?: \\p{L}+){0,3} (?:betaling|overboeking|bedrag)|(?:payable|payment|pay)(?: is due)? (?:on arrival|on site|in store|at (?:the )?(?:hotel|property|venue|check.in|desk))|zahlung vor ort|zahl\\p{L}* (?:bei|nach) (?:anreise|ankunft)|paiement (?:sur place|a l.arrivee)|pago (?:en (?:el )?(?:establecimiento|hotel|tienda)|a la llegada)|pagamento (?:in (?:struttura|negozio)|all.arrivo)|betaling (?:ter plaatse|bij aankomst|in de winkel)|(?:will|ll) (?:only )?be (?:charged|billed|debited)|pagaras|unpaid|unbezahlt|impayee?s?|onbetaald|sin pagar|da (?:pagare|saldare)|payment (?:is )?(?:pending|failed|due on)|pending payment|awaiting payment|still (?:owe|outstanding)|still to pay|pay (?:on delivery|when|cash|you (?:when|on))|offen (?:sind|ist) noch|noch offen|(?:bar|cash) (?:beim|bei|an|on|to)|bei (?:lieferung|abholung) (?:be)?zahl\\p{L}*|pendiente de (?:pago|pagar)|contra reembolso|a la livraison|reste a (?:payer|regler)|alla consegna pag\\p{L}+|pago alla consegna|contrassegno|nog (?:te )?(?:betalen|open)|openstaand\\p{L}*|rembours|aan de deur|(?:will|ll|shall) (?:pay|settle|transfer)|(?:zahlen|zahle|bezahlen|bezahle|begleichen|uberweisen|uberweise) (?:wir|ich|sie)(?: \\p{L}+){0,3} (?:bei|nach|spater|vor ort)|(?:paierons|paierai|reglerons|reglerai|payerons|payerai|verserons)|(?:pagaremos|pagare|abonaremos)|pagamos (?:a la|al|en)|(?:pagheremo|paghero|salderemo|saldiamo|paghiamo)|betalen (?:we|wij|ik)(?: \\p{L}+){0,3} (?:bij|na|achteraf)|betaal (?:ik )?(?:bij|na|achteraf)|bei abholung|al ritiro|bij afhalen|a la recogida|au retrait|vorkasse|on receipt|on collection|a reception|al recibir|bij ontvangst|paiement en attente|pagamento in attesa',
    ),
    isPlain: false,
    other: word(
      '(?:geld|money|argent|dinero|soldi|denaro|betrag|bedrag|importe?) (?:zuruck|back|terug|indietro)|refund\\p{L}*|erstatt\\p{L}*|ruckerstatt\\p{L}*|terugbetal\\p{L}*|rembourse\\p{L}*|devol\\p{L}*|reembols(?!o(?!\\p{L}))\\p{L}+|rimbors\\p{L}*|(?:previous|last|earlier|vorige[rns]?|vorherige[rns]?|letzte[rns]?|fruhere[rns]?|precedente?s?|dernieres?|ancienne|anterior(?:es)?|ultim[ao]|pasad[ao]|precedent[ei]|scors[oaei]) (?:\\p{L}+ )?(?:invoices?|bills?|orders?|rechnung(?:en)?|bestellung(?:en)?|lieferung(?:en)?|factures?|commandes?|facturas?|pedidos?|fatture?|ordin[ei]|facturen|factuur|bestelling(?:en)?)|(?:factures?|commandes?|facturas?|pedidos?|fatture?|ordin[ei]) (?:precedente?s?|precedenti|dernieres?|anterior(?:es)?|pasad[oa]s?|scors[oaei])',
    ),
  },
  urgent: {
    about: word(
      'urgente?s?|urgently|urgentissim[oae]|dringend\\p{L}*|eilig\\p{L}*|eilt|d.urgence|con urgencia|con urgenza|spoed|emergency|emergenza|emergencia|notfall|noodgeval|urge',
    ),
    yes: word(
      '(?:mit|met|con|avec|with|with the) (?:hochste[rn]?|hoogste|maxima|massima|la plus haute|highest|top) (?:prioritat|prioriteit|prioridad|priorita|priorite|priority)|asap|a\\.s\\.a\\.p|as soon as possible|immediately|right (?:now|away)|straight away|top priority|so schnell wie moglich|schnellstmoglich|umgehend|sofort|au plus vite|au plus tot|immediatement|le plus vite possible|faites? vite|faire vite|cuanto antes|lo antes posible|inmediatamente|ya mismo|al piu presto|(?:il )?prima possibile|immediatamente|(?:fare|fate) presto|zo snel mogelijk|spoedig|zsm|z\\.s\\.m|onmiddellijk|subito|quanto prima|lo mas pronto posible|des que possible|le plus tot possible|hoy mismo|oggi stesso|noch heute|vandaag nog|schnellstens|schnellstmoglich\\p{L}*|en urgence|a blocker|blocking us|tout est bloque|estamos parados|siamo fermi|wir stehen still|liggen stil|met spoed|heb(?:ben)? spoed|per direct hulp|meteen',
    ),
    no: word(
      '(?:no|not? an?y?|without) (?:\\p{L}+ )?(?:rush|hurry)|correr no corre|not in a hurry|take your time|whenever (?:you|suits|it)|when you (?:get a chance|have time|can)|keine eile|hat zeit|eilt nicht|in aller ruhe|prenez votre temps|quand vous (?:pouvez|voulez|aurez)|rien ne presse|sin prisa|no (?:hay|corre|tengo|corren?) prisa|cuando pued\\p{L}+|con calma|senza fretta|nessuna fretta|con comodo|quando (?:potete|puo|riuscite)|geen haast|pas d.urgence|aucune urgence|non e (?:un.)?(?:urgenza|emergenza)|no urgency|keine dringlichkeit|rustig aan|op uw gemak|wanneer het uitkomt|nada urgente',
    ),
    isPlain: true,
  },
  demo: {
    about: word(
      'demo|demos|demonstration|demonstrations|vorfuhr\\p{L}+|prasentation|presentation|demostracion|demostraciones|dimostrazion[ei]|demonstratie|presentatie|live zeigen|voir l.outil|ver(?:la|lo)? en (?:accion|marcha|vivo)|prova dal vivo|see (?:it|the \\p{L}+) (?:live|in action)|laat (?:het )?(?:ons|mij|me)(?: \\p{L}+){0,2} zien|demo.?s|(?:walk|take|talk|run) (?:us|me)(?: \\p{L}+)? through|fuhr\\p{L}*(?: \\p{L}+){0,6} vor|vor(?:ge|zu)?fuhr\\p{L}*|live (?:on|an)\\p{L}*|live (?:sehen|ansehen|erleben|zien|bekijken|voir)|(?:in|en|in) (?:aktion|azione|actie|werking|funzione|funcionamiento|vrai)|(?:voir|ver|vedere|zien)(?: \\p{L}+){0,3} (?:fonctionner|funcionando|come funziona|werken|como funciona)|veder(?:lo|la|li) |mostr(?:arci|armi|arnos|arme|ateci|atemi)|(?:nous|me) montrer|zeigen sie (?:uns|mir)|(?:uns|mir)(?: \\p{L}+){0,4} zeigen|demonstraties|dimostrativ\\p{L}+|show (?:us|me)|in action|en action|walkthrough|apresentacao|demonstracao',
    ),
    no: word(
      '(?:before|rather than|instead of|without|ohne|statt|sans|sin|senza|zonder) (?:\\p{L}+ ){0,3}(?:demo|vorfuhrung)\\p{L}*',
    ),
    yes: word(
      'demo.(?:request|anfrage|aanvraag|termin gewunscht)|(?:request|enquiry|ask\\p{L}*) (?:for )?(?:a )?demo|demande de demo\\p{L}*|solicitud de (?:una )?demo\\p{L}*|richiesta (?:di )?(?:una )?demo\\p{L}*|anfrage (?:fur )?(?:eine )?demo|aanvraag (?:voor (?:een )?)?demo',
    ),
  },
  relocation: {
    about: word(
      'relocat\\p{L}*|move (?:to|house|there|the|my)|(?:would|could|can|will|to) (?:gladly |happily |certainly )?move(?= for|$|,)|moving (?:to|house|there)|umzieh\\p{L}*|umzug|umzuziehen|ziehen wir(?: \\p{L}+){0,3} um|ziehe ich(?: \\p{L}+){0,3} um|demenag\\p{L}*|quitter (?=\\p{L})|bouger|changer de (?:region|ville)|(?:hin|her|hoch|zu (?:euch|ihnen)|dorthin|in die nahe)(?: \\p{L}+)? ziehen|mov(?:e|ing) (?:house|home|away|over|closer|nearer|down|up|for (?:it|this|the job))|relocation|mi trasferir\\p{L}+|installer (?:a|dans|pres)|m.installer|vivir (?:en|alli|alla)|changer de|mudar(?:me|nos|se)?|(?:me mudaria|nos mudariamos)|mudanza|traslad\\p{L}+|cambi\\p{L}+ de (?:residencia|ciudad)|trasfer\\p{L}+|mi sposto|spostarmi|cambi\\p{L}+ citta|verhuiz\\p{L}+|verhuis\\p{L}*|mudanca',
    ),
    yes: word(
      '(?:me|nos) (?:mudari|trasladari)a(?:mos)?|mi trasferirei|je demenagerais|(?:would|glad to|happy to) (?:gladly |happily )?move(?= for|$|,)|ziehen wir(?: \\p{L}+){0,3} um|ziehe ich(?: \\p{L}+){0,3} um',
    ),
    no: word(
      'bleib\\p{L}*(?: \\p{L}+){0,3} wohnen|kommt(?: \\p{L}+){0,4} nicht in frage|staying in|stay (?:here|in)|me quedo en|non mi sposto|non mi muovo|blijf in|reste a(?! )',
    ),
  },
}

const negation = word(
  "not|no|never|nor|nothing|nobody|none|without|\\p{L}*n[’']t|cannot|wont|dont|doesnt|cant|nicht|kein\\p{L}*|nie|ohne|nix|noch nichts?|nichts|ne|n|pas|sans|aucune?|jamais|rien|sin|ningun[ao]?|nunca|tampoco|nada|non|nessun[oa]?|senza|mai|niet|geen|nooit|zonder|niets|nao|sem|nenhuma?",
)
/** Negations that affirm. */
const affirmed = word(
  '(?:no|not an?|without|kein\\p{L}*|ohne|pas de|aucune?|sans|ningun[ao]?|sin|nessun[oa]?|senza|geen|zonder) (?:\\p{L}+ )?(?:problem\\p{L}*|difficult\\p{L}*|dificultad\\p{L}*|difficolta|schwierigkeit\\p{L}*|ding|moeite|moeilijk\\p{L}*|inconvenien\\p{L}*|souci\\p{L}*|drama\\p{L}*|trouble|hindernis\\p{L}*|obsta\\p{L}*|probleem|bezwaar|issue|objection|regret)|no (?:me|nos) (?:importa\\p{L}*|molesta\\p{L}*)|(?:would ?n.t|wouldn.t|don.t|do not|would not) mind|(?:macht|wurde|hatte)(?: \\p{L}+){0,3} nichts (?:aus|dagegen)|nichts (?:aus|dagegen)|ne (?:me|nous) (?:derange\\p{L}*|gene\\p{L}*)(?: pas)?|non (?:mi|ci) dispiac\\p{L}+|geen punt|niet erg',
)
const wanting = word(
  'yes|please|vogli\\p{L}*|desider\\p{L}*|richied\\p{L}*|dese[oa]\\p{L}*|solicit\\p{L}*|demandons|set up|arrange|schedule|book|organi\\p{L}*|verabred\\p{L}*|vereinbar\\p{L}*|inplannen|bitte|merci de|por favor|per favore|per piacere|s.il vous plait|alstublieft|absolutely|definitely|of course|naturlich|selbstverstandlich|bien sur|claro|certo|certamente|natuurlijk|zeker|would|(?<=[’\\x27])d|like|love|want|wants|need|happy|happily|glad|gladly|willing|ready|open to|prepared|sure|can|could|will|ll|agreed|ja|gern\\p{L}*|mocht\\p{L}*|wunsch\\p{L}*|will|wollen|wurde\\p{L}*|bereit|kann|unbedingt|jederzeit|oui|souhait\\p{L}*|voudr\\p{L}*|aimer\\p{L}*|veut|veux|peux|pret\\p{L}*|volontiers|accept\\p{L}*|d.accord|si|quier\\p{L}*|quer\\p{L}*|gustar\\p{L}*|dispuest\\p{L}*|podr\\p{L}*|encantad\\p{L}*|alegria|vorre\\p{L}*|vuole|volentieri|dispost\\p{L}*|posso|pront[oa]|graag|wil|willen|gerust|bereid|zie ik zitten|prima|gostaria|quero',
)
/** Conditions and other words of uncertainty. */
const unsure = word(
  'if|whether|falls|wenn|sollte[nst]*|ob|si jamais|au cas ou|qualora|nel caso|als|mocht|indien|se|perhaps|maybe|vielleicht|eventuell|evtl|peut etre|quiza\\p{L}*|tal vez|forse|misschien|think about|uberlegen|depends|kommt drauf an|depend\\p{L}*|later|spater|plus tard|mas adelante|known|weiß|weten',
)

/** Questions by which people ask for something for themselves. */
const asking = word(
  'pourriez|pouvez|pod(?:eis|riais|emos|riamos)|puede[ns]?|podrian?|konn(?:en|ten) sie|konn(?:t|tet) ihr|konntest du|kun(?:t|nen|nt)? (?:u|je|jullie)|potreste|potete|could you|can you|(?:could|can|may|might|would) (?:we|i|you|some\\p{L}+|any\\p{L}+)|(?:konnen|konnten|durfen) (?:wir|sie)|(?:kann|konnte|durfte) ich|pourr(?:ions|iez|ais) (?:nous|vous|je)|pourrait on|(?:seria|es) posible|podr(?:ia|ian|iamos)|pued(?:en|e|o)|potr(?:emmo|ei|este)|possiamo|si puo|se puede|on peut|peut on|est il possible|e possibile|ist es moglich|ware es moglich|is it possible|is het mogelijk|(?:kunnen|kan|zouden|mogen) (?:we|wij|jullie|ik|u)|would it be possible',
)

const score = 71

/** Returns what the sentences of a mail answer to a yes/no field. */
export function polarValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  if (asked.field.type !== 'yes/no') return []
  const topic = asked.concept === null ? ownTopic(asked) : topics[asked.concept]
  if (topic === undefined || topic === null) return []
  // The lines of a form whose question was not answered.
  const open = new Set(
    mail.passages.flatMap(({ pairs }) =>
      pairs.flatMap(({ line, value }) => (readText(value, undefined) === null ? [line] : [])),
    ),
  )
  return mail.sentences.flatMap((sentence) => {
    const line = lineAt(sentence.passage, sentence.start)
    const isOpen = line !== undefined && open.has(line)
    if (isOpen || (line !== undefined && (mail.zones(sentence.passage).has(line) || isUnticked(line.text)))) return []
    const below = lineBelow(sentence)
    return clausesOf(sentence).flatMap(({ text, start, isAsked }) => {
      const isPolite = isAsked && favours.has(asked.concept ?? '') && asking.test(text)
      const told = isAsked && !isPolite ? null : answerOf(topic, text, isPolite)
      const value = told === true && isRefusal.test(below) ? false : told
      return value === null
        ? []
        : [at(sentence.passage, sentence.start + start, { value, start: 0, end: text.length }, score)]
    })
  })
}

/** Returns the folded line below that of a sentence. */
function lineBelow({ passage, start, text }: Sentence): string {
  const end = start + text.trimEnd().length
  return passage.lines.find((line) => line.start >= end && line.start - end < 4)?.folded ?? ''
}

/** The answer "no" on the line below a question of a form. */
const isRefusal = /^(?:no|nein|non|nee)[.!]?$/u

/** Whether a text has boxes to tick: unticked ones say nothing, and ticked ones are read as a list. */
const isUnticked = (text: string) => /\[ ?\]|☐|☑|\[x\]/i.test(text)

/** Returns what a clause answers, or null. `isWanted`: a question asks for the topic, so no other word of wanting is needed. */
function answerOf({ about, yes, no, other, isPlain = false }: Topic, clause: string, isWanted = false): boolean | null {
  if (other?.test(clause)) return null
  if (no?.test(clause)) return false
  const near = isPlain ? partWith(about, clause) : clause
  const isDenied = negation.test(near) && !affirmed.test(near)
  const affirming = yes?.exec(clause)
  if (affirming) {
    // The negation in "I need it now, since without it I pay a fine" does not deny the need.
    const before = clause.slice(Math.max(0, affirming.index - deniedChars), affirming.index)
    const isTurned = isDenied && (!isPlain || negation.test(before))
    return isTurned ? false : unsure.test(clause) ? null : true
  }
  if (!about.test(clause)) return null
  if (unsure.test(clause)) return null
  if (isDenied) return false
  return isPlain || isWanted || wanting.test(clause) || affirmed.test(clause) ? true : null
}

/** The maximum distance between a negation and what it denies. */
const deniedChars = 20

/** Returns the part between commas that contains the topic. */
const partWith = (about: RegExp, clause: string) => clause.split(/,/).find((part) => about.test(part)) ?? clause

/** Topics that people may ask for in a question. */
const favours: ReadonlySet<string> = new Set(['demo', 'urgent'])

type Clause = { readonly text: string; readonly start: number; readonly isAsked: boolean }

const clauseEnd = /[.;:!?](?=\s|$)|\n|,? (?:but|however|aber|doch|mais|pero|sino|però|pero|ma|maar|echter) /gu

function clausesOf({ folded }: Sentence): readonly Clause[] {
  const clauses: Clause[] = []
  let start = 0
  for (const match of [...folded.matchAll(clauseEnd), null]) {
    const end = match?.index ?? folded.length
    const text = folded.slice(start, end)
    if (text.trim() !== '') clauses.push({ text, start, isAsked: match?.[0] === '?' })
    start = end + (match?.[0].length ?? 0)
  }
  return clauses
}

/** Returns the topic of a field without a known concept: all words of its key. */
function ownTopic({ field }: Asked): Topic | null {
  const words = wordsIn(wordsOfKey(field.key)).filter(({ word: each }) => each.length >= topicCharsMin)
  if (words.length === 0) return null
  const stems = words.map(
    ({ word: each }) => `(?=.*(?<!\\p{L})${each.replace(/[^\p{L}\p{N}]/gu, '.').slice(0, stemCharsMax)})`,
  )
  return { about: new RegExp(`^${stems.join('')}`, 'u') }
}

const topicCharsMin = 4
const stemCharsMax = 8
