/** Decides whether a date in a sentence is the date of a document, and not of something that happens to the document on that day. */

type Span = { readonly start: number; readonly end: number }

/** The concepts that are dates of documents. */
export const ofDocument: ReadonlySet<string> = new Set(['invoiceDate', 'orderDate'])

const leadChars = 50
const behindChars = 40
/** A weaker word may be a preposition: it counts only after the name of a document, as in "invoice 17 of 3 May". */
const wordStrength = 7.6
/** Below this strength, the words between the document and the date may say what the document is for, which rules the date out. */
const mattersBelow: { readonly [concept: string]: number } = { invoiceDate: 9, orderDate: wordStrength }

/** Whether a date in a folded text is that of the document that a concept asks for. `strength` is that of the words that govern it. */
export function isDateOfDocument(concept: string, flow: string, { start, end }: Span, strength: number): boolean {
  const lead = flow.slice(Math.max(0, start - leadChars), start)
  const named = documentWords.exec(lead)?.groups?.named
  if (named === undefined && strength < wordStrength) return false
  // Words up to the number of the document describe the document itself, so only those after it are tested.
  if (named !== undefined && strength < (mattersBelow[concept] ?? 0) && matter.test(named.replace(/^.*\d\S*/su, '')))
    return false
  return !isOfOtherDocument(concept, lead) && !happens(flow, { start, end })
}

const documentWords =
  /(?<!\p{L})(?:\p{L}*rechnung|invoice|bill|receipt|order|purchase|beleg|bestell|auftrag|factur|fattur|factuur|nota|commande|bon|pedid|compra|ordin|acquist|opdracht|inkoop)\p{L}*(?<named>(?:[^.!?\n]|(?<=(?<!\p{L})n[ro]?)\.)*)$/u

/** What a bill is for: "the bill for the visit of 3 May" does not date the bill. */
const matter =
  /(?<![\p{L}\p{N}])(?!numero|nummer|number|dated|date|datum|data|fecha|folio|serie|elettronica|electronica|electronique|immediata|differita|accompagnatoria|pro ?forma|erhalten|recue?|ricevuta|recibida|ontvangen|electricite|energie|energia|strom|wasser|telefon|telephone|telefono|internet|mobil|mobile|agua|acqua|luce|water|electricity|confirmed|bestatigt)\p{L}{4,}(?![\p{L}\p{N}/-])/u

/** Names of documents before a date, by kind. The date belongs to the last of them. */
const documentKinds =
  /(?<!\p{L})(?:(?<invoiceDate>invoice|bill|receipt|rechnung|beleg|factur|fattur|factuur|nota|recibo|ricevuta|bollett|quittung)|(?<orderDate>order|purchase|bestell|auftrag|commande|pedid|compra|ordin|acquist|opdracht|inkoop)|(?<other>reminder|quot|delivery note|contract|mahnung|zahlungserinnerung|angebot|kostenvoranschlag|lieferschein|vertrag|relance|rappel|devis|bon de livraison|contrat|recordatori|presupuest|albaran|contrato|sollecit|promemoria|preventiv|ddt|bolla|contratt|herinnering|aanmaning|offerte|pakbon))\p{L}*/gu

/** Whether the document named last before a date is of another kind than the field asks for. */
function isOfOtherDocument(concept: string, lead: string): boolean {
  const last = [...(lead.split(/(?<=\p{L}{3})[.!?]\s|\n/u).at(-1) as string).matchAll(documentKinds)].at(-1)
  return last !== undefined && last.groups?.[concept] === undefined
}

/** What happens to goods on a day, in the same clause: shipped, arrived, delivered. */
const moves =
  /^[^.,;:!?\n]{0,38}(?<!\p{L})(?:verlassen|versandt|verschickt|angekommen|eingetroffen|geliefert|zugestellt|shipped|dispatched|left|arrived|delivered|handed|expedie|partie?|arrivee?|livree?|enviad|salido|llegad|entregad|spedit|partit|arrivat|consegnat|verzonden|vertrokken|aangekomen|bezorgd)/u

/**
 * Whether a sentence says that something happens to a document on a day: "your order is today handed over", "your order has left us
 * today". Placing, receiving or issuing it does not count.
 */
export function happens(flow: string, { start, end }: Span): boolean {
  const lead = flow.slice(Math.max(0, start - leadChars), start)
  const behind = flow.slice(end, end + behindChars)
  const isWord = !/\d/.test(flow.slice(start, end))
  return (isWord && moves.test(behind)) || (becomes.test(lead) && !made.test(behind))
}

const becomes =
  /(?<!\p{L})(?:is|was|will be|has been|ist|wird|wurde|est|sera|a ete|es|sera|ha sido|e|sara|viene|wordt|werd)\s+$/u

/** What is done with the document itself: placed, received, issued. */
const made =
  /(?<!\p{L})(?:placed|received|made|issued|raised|dated|created|eingegangen|erhalten|bestellt|aufgegeben|ausgestellt|erstellt|passe|recu|emis|etabli|enregistre|recibid|realizad|emitid|hech|registrad|ricevut|effettuat|emess|registrat|geplaatst|ontvangen|besteld|binnengekomen|opgemaakt)/u
