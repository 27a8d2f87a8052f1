/** Finds products in a mail about a fault: names that are no ordinary words, after an article or a possessive. */
import type { OpenMail } from './candidates.ts'
import { fold, meaningsOf } from './lexicon.ts'
import type { Sentence } from './sentences.ts'
import { isCompanyName, isPersonName } from './signatures.ts'

const owners =
  'my our your the this mein(?:e[rnm]?)? unser(?:e[rnm]?)? die der das dem den ihr(?:e[rnm]?)? mon ma mes notre votre la le l mi mis nuestr[oa] su el il lo mio mia nostr[oa] vostr[oa] mijn onze ons jullie uw de het con with mit avec met dell nell all sull del della nella al du au im beim zum'
/** With a capital too, since each may begin a sentence. */
const owner = owners
  .split(' ')
  .map((word) => `[${word.slice(0, 1).toUpperCase()}${word.slice(0, 1)}]${word.slice(1)}`)
  .join('|')
const name = '(\\p{Lu}[\\p{L}\\p{N}+-]*(?: (?:\\p{Lu}[\\p{L}\\p{N}+-]*|\\d{1,5}\\p{Lu}?(?![.\\d])))*)'
const owned = new RegExp(`(?<![\\p{L}])(?:${owner})[\\s'’](\\p{Ll}{3,} )?${name}`, 'gu')
/** A word whose spelling alone shows that it is a name. */
const formed = /^\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}*)+|\d|^\p{Lu}{2,}\p{Ll}|\p{Ll}\p{Lu}/u
/** Words for parts of a program; the name before them is that of the part. */
const partOf =
  /^\s(?:tab|button|page|menu|screen|key|knop|scherm|knopf|seite|bouton|onglet|bot[oó]n|pesta[nñ]a|pulsante|scheda)(?!\p{L})/iu

/** Whether a name that looks like a product's is that of a person, a support team, or a very common product. */
export const isCommonName = (name: string): boolean => ofAll.test(name)
const ofAll =
  /^Ma?c\p{Lu}|^(?:OneDrive|SharePoint|PowerPoint|WhatsApp|YouTube|LinkedIn|PayPal|WordPress|JavaScript|FedEx|TeamViewer)(?!\p{L})| (?:Team|Support|Service)$/u

/** The line that phones add: "Sent from my". */
const sender =
  /(?<!\p{L})(?:sent from|(?:gesendet|versendet) (?:von|mit)|envoye (?:de|depuis|a partir de)|enviado (?:desde|de)|inviato (?:da|dal)|(?:verzonden|verstuurd) (?:vanaf|met|via)) (?:my |meinem |mon |mi |mio |mijn )?$/u

/** Whether the words right before a name say that it is a service provider: "Delivered by", "hosted on". */
export const isToolOfOthers = (before: string): boolean =>
  /(?<!\p{L})(?:(?:delivered|powered|sent|provided|hosted|generated|versendet|verschickt|bereitgestellt|erstellt|zugestellt|envoye|propulse|fourni|genere|enviad[oa]|generad[oa]|gestionad[oa]|inviat[oa]|generat[oa]|fornit[oa]|verzonden|verstuurd|geleverd|gemaakt) (?:by|via|with|through|on|mit|uber|durch|von|par|avec|con|por|desde|mediante|da|tramite|met|door)|via|(?:reply|answer|view|open|antworten|ansehen|offnen|repondre|voir|ouvrir|responder|ver|abrir|rispondi|vedi|apri|reageren|beantwoorden|bekijken|openen) (?:in|dans|en|su|auf|on|sur)|(?:service|dienst|servicio|servizio) (?:of|von|de|di|van)) $/u.test(
    fold(before.slice(-toolCharsMax)),
  ) || sender.test(fold(before.slice(-toolCharsMax)))
const toolCharsMax = 40

/** Whether a word for errors comes right before a name, which is then that of the error: `the error NullPointer`. */
export const isNameOfError = (before: string): boolean =>
  /(?<!\p{L})(?:error|exception|erreur|fehler|errore|eccezione|fallo|excepcion|fout) (?:\S{2,20} (?:in|im|at|bei|dans|en|nel|bij) )?["'„“«]?$/u.test(
    fold(before.slice(-toolCharsMax)),
  )

/** Whether a code is one of several of the same kind: `groups BK-2 and BK-3`. */
function isOneOfSeveral(value: string, behind: string): boolean {
  const [, letters = ''] = /^(\p{Lu}{1,4})-?\d{1,5}$/u.exec(value) ?? []
  const [, others = ''] = /^(?:,| (?:and|or|und|oder|et|ou|y|o|e|en|of|&)) (\p{Lu}{1,4})-?\d/u.exec(behind) ?? []
  return letters !== '' && letters === others
}

/** Words for streets and places, before an article. */
const of = /(?<![\p{L}])(?:Avda\.?|Av\.|Avenida|Calle|C\/|Rue|Via|Viale|Piazza|Plaza)(?: de)? $/u
/** The continuation of a name. */
const ongoing = /^ (?:\d|d['’]|de[l]? \p{Lu})/u

/** Returns the names of products in a sentence, each with a score. */
export function ownedIn(
  { text }: Sentence,
  { locale: { language }, people }: Pick<OpenMail, 'locale' | 'people'>,
): readonly { readonly value: string; readonly start: number; readonly end: number; readonly score: number }[] {
  return Array.from(text.matchAll(owned)).flatMap((match) => {
    const [, kind, value = ''] = match
    const start = match.index + match[0].length - value.length
    const words = value.split(' ')
    const isFormed = formed.test(value)
    // In German every noun has a capital.
    const isName = language === 'de' ? isFormed : isFormed || meaningsOf(words[0] as string).unknown > 0
    const isOther =
      value.length < 3 ||
      // A number of a document.
      /\d{5}/.test(value) ||
      partOf.test(text.slice(start + value.length)) ||
      isOneOfSeveral(value, text.slice(start + value.length)) ||
      // "du Val d'Arc", "Avenida de la Paz 8", "la residencia San Roque" are places.
      of.test(text.slice(0, match.index)) ||
      (!isFormed && (kind !== undefined || ongoing.test(text.slice(start + value.length)))) ||
      isCompanyName(value) ||
      isCommonName(value) ||
      noName.test(fold(value)) ||
      fold(value)
        .split(' ')
        .some((word) => people().includes(word)) ||
      // A single word is as often the name of a building, a maker or a place.
      (!isFormed && (words.length < 2 || /\d/.test(value))) ||
      (!isFormed && !isPersonName(value))
    if (!isName || isOther) return []
    return [{ value, start, end: start + value.length, score: isFormed ? 54 : 50 }]
  })
}

/** Days, months, holidays, places and people that may follow an article. */
const noName =
  /^(?:mon|tues?|wednes|thurs|fri|satur|sun)day|^(?:lun|mar|mer|jeu|vend|same|diman)(?:di|edi|redi|che)|^(?:january|february|march|april|may|june|july|august|september|october|november|december)|^(?:internet|wifi|wi-fi|windows|android|ios|mac|google|facebook|whatsapp|excel|word|pdf|usb|ok|error|err|code|tv|pcs?|mr|mrs|ms|herr|frau|madame|monsieur|sra?|sig|support|service|team|kind|best|lic|english|german|french|spanish|italian|dutch)(?![\p{L}])/u
