/** Whether a date that a sentence states is that of a document: of which it says so, and not what happens to it on that day. */

type Span = { readonly start: number; readonly end: number }

/** The concepts of dates of documents. */
export const ofDocument: ReadonlySet<string> = new Set(['invoiceDate', 'orderDate'])

const leadChars = 50
const behindChars = 40
/** What says less than this may be a preposition: it tells a date only behind the name of a document, "invoice 17 of 3 May". */
const wordStrength = 7.6
/** What is said of bills is more often about what they are for: that counts up to a word right before the date. */
const mattersBelow: { readonly [concept: string]: number } = { invoiceDate: 9, orderDate: wordStrength }

/** Whether a date in a folded text is that of the document that a concept asks for; `strength` is that of the words that govern it. */
export function isDateOfDocument(concept: string, flow: string, { start, end }: Span, strength: number): boolean {
  const lead = flow.slice(Math.max(0, start - leadChars), start)
  const named = documentWords.exec(lead)?.groups?.named
  if (named === undefined && strength < wordStrength) return false
  // What stands before the number of the document describes it.
  if (named !== undefined && strength < (mattersBelow[concept] ?? 0) && matter.test(named.replace(/^.*\d\S*/su, '')))
    return false
  return !isOfOtherDocument(concept, lead) && !happens(flow, { start, end })
}

const documentWords =
  /(?<!\p{L})(?:\p{L}*rechnung|invoice|bill|receipt|order|purchase|beleg|bestell|auftrag|factur|fattur|factuur|nota|commande|bon|pedid|compra|ordin|acquist|opdracht|inkoop)\p{L}*(?<named>(?:[^.!?\n]|(?<=(?<!\p{L})n[ro]?)\.)*)$/u

/** What a bill is for: "the bill for the visit of 3 May" is not of that day. */
const matter =
  /(?<![\p{L}\p{N}])(?!numero|nummer|number|dated|date|datum|data|fecha|folio|serie|elettronica|electronica|electronique|immediata|differita|accompagnatoria|pro ?forma|erhalten|recue?|ricevuta|recibida|ontvangen|electricite|energie|energia|strom|wasser|telefon|telephone|telefono|internet|mobil|mobile|agua|acqua|luce|water|electricity|confirmed|bestatigt)\p{L}{4,}(?![\p{L}\p{N}/-])/u

/** The documents that a sentence names before a date, each by its kind: the last of them is dated. */
const documentKinds =
  /(?<!\p{L})(?:(?<invoiceDate>invoice|bill|receipt|rechnung|beleg|factur|fattur|factuur|nota|recibo|ricevuta|bollett|quittung)|(?<orderDate>order|purchase|bestell|auftrag|commande|pedid|compra|ordin|acquist|opdracht|inkoop)|(?<other>reminder|quot|delivery note|contract|mahnung|zahlungserinnerung|angebot|kostenvoranschlag|lieferschein|vertrag|relance|rappel|devis|bon de livraison|contrat|recordatori|presupuest|albaran|contrato|sollecit|promemoria|preventiv|ddt|bolla|contratt|herinnering|aanmaning|offerte|pakbon))\p{L}*/gu

/** Whether the document that is named last before a date is none of the kind that a field asks for. */
function isOfOtherDocument(concept: string, lead: string): boolean {
  const last = [...(lead.split(/(?<=\p{L}{3})[.!?]\s|\n/u).at(-1) as string).matchAll(documentKinds)].at(-1)
  return last !== undefined && last.groups?.[concept] === undefined
}

/** What becomes of goods today or yesterday, in the same clause. */
const moves =
  /^[^.,;:!?\n]{0,38}(?<!\p{L})(?:verlassen|versandt|verschickt|angekommen|eingetroffen|geliefert|zugestellt|shipped|dispatched|left|arrived|delivered|handed|expedie|partie?|arrivee?|livree?|enviad|salido|llegad|entregad|spedit|partit|arrivat|consegnat|verzonden|vertrokken|aangekomen|bezorgd)/u

/**
 * Whether something is said to happen to a document on a day: "your order is today handed over", "your order has left us today". That it
 * is placed, received or issued is no such thing.
 */
export function happens(flow: string, { start, end }: Span): boolean {
  const lead = flow.slice(Math.max(0, start - leadChars), start)
  const behind = flow.slice(end, end + behindChars)
  const isWord = !/\d/.test(flow.slice(start, end))
  return (isWord && moves.test(behind)) || (becomes.test(lead) && !made.test(behind))
}

const becomes =
  /(?<!\p{L})(?:is|was|will be|has been|ist|wird|wurde|est|sera|a ete|es|sera|ha sido|e|sara|viene|wordt|werd)\s+$/u

/** What is done to a document itself. */
const made =
  /(?<!\p{L})(?:placed|received|made|issued|raised|dated|created|eingegangen|erhalten|bestellt|aufgegeben|ausgestellt|erstellt|passe|recu|emis|etabli|enregistre|recibid|realizad|emitid|hech|registrad|ricevut|effettuat|emess|registrat|geplaatst|ontvangen|besteld|binnengekomen|opgemaakt)/u
