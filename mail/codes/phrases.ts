/**
 * How sentences join a code to the words around it: patterns for the text between the two, in all languages at once. The
 * name of a code is the words that call it one: "your login code". A mere "code" is a name that may mean another kind of code.
 */

/** Verbs between a code and its name: "your code is 4021". */
const says = 'is|ist|lautet|luidt|est|es|é|è|to|jest|là|هو|هي|הוא|היא|คือ|है'
/** What may come right before a code: blanks, a colon, an opening quote or bracket. */
const opening = '[\\s:"\'“„«([【]*'

/** Where a sentence ends: not at the point after an initial, nor before a lower-case letter. */
export const sentenceEnd = /(?:(?<!(?<!\p{L})\p{L})\.(?!\s+\p{Ll})|[!?;])(?=\s|$)|[。！？；।]/u
/** Between a name and the code after it, when there is nothing else: "code: 4021", "code is 4021". */
export const connection =
  /^[\s:=\-–—"'“”«»„([【「『]*(?:(?:is|are|below|number|lautet|ist|wie folgt|est|est le|le|es|é|è|to|jest|là|هو|هي|הוא|היא|คือ|is de|でした|は|が|为|為|是|은|는|이|:)[\s:=\-–—"'“”«»„([【「『]*)?$/iu

/** Between a number and a name after it that belongs to another number: digits of its own, or a conjunction. */
export const leadsElsewhere = /\d|\s(?:and|or|und|oder|et|ou|y|e|en|of|и|или)\s/i
/** Between a number and a mere "code" after it that names it: "4021 is the code", "4021 (code)". */
export const joinsMereCode =
  /^\s*(?:$|,\s(?:c'est|that's|das ist|dit is|dat is|это|to)\s|[-–—:("'”»]|(?:is|ist|est|es|é|è|to|jest|as)\s|[がはを는은이を是为為])/iu
/** A verb between a number and its name after it: "4021 is your login code". */
export const verb = new RegExp(`^["'”»]?\\s(?:${says})\\s`, 'iu')
/** After a name, when a number of its own follows. */
export const ownNumber = new RegExp(
  `^(?:[\\s:=–-]{0,3}|[\\p{L}\\s'"«»-]{0,45}(?::|\\s(?:${says})[\\s:])\\s?)\\d{3}`,
  'iu',
)
/** Before a mere "code" that belongs to something: "driver code". */
const ofSomething =
  /(?:^|[.,;:!?(|–]\s?|\s-\s)(?!(?:your|my|our|the|this|a|new|here's|dein|deine|ihr|euer|der|dieser|neuer|uw|je|jouw|de|deze|het|votre|ton|le|ce|un|tu|su|seu|o|il|tuo|el|kod|ваш|твой|вот|twój|din|ditt)\s)\p{L}+[\s-]$|[\p{Script=Han}\p{Script=Katakana}]$/iu
/** Before a compound that belongs to the reader: "Ihr Koppelcode". */
const possessive = /(?:^|[\s,(])(?:deine?|ihre?|euer|uw|je|jouw|your|der|die|de)\s$/iu
/** Between a mere "code" and a number, a word that says what the code belongs to: "codice tributo 3918". */
export const apposition = /^\s\p{L}+\s$/u
/** Ends with a PIN that is a postal code, as in Indian addresses: "Mumbai, PIN". */
export const postalPin = /,\s?pin(?:\scode)?$/i
/** Between a name and the code after it, when they are in one sentence: "code for your account:". */
export const linked = new RegExp(`^[\\p{L}\\s,'"«»-]{0,60}(?::|\\s(?:${says}))${opening}$`, 'iu')

/**
 * Whether the words between the name of another number and a code lead back to the code: after the words for what that number
 * belongs to ("phone of yours is"), after that number itself ("account 7719 is"), or at once ("card is").
 */
export function leadsBack(words: string): boolean {
  return pastItsWords.test(words) || pastItsNumber.test(words) || atOnce.test(words)
}

const pastItsWords = new RegExp(`^[^:]*\\p{L}{3}[^:]*(?::|\\s(?:${says}))${opening}$`, 'iu')
const pastItsNumber = new RegExp(`\\d{3}[^\\p{L}:]*(?::|\\s(?:${says}))${opening}$`, 'iu')
const atOnce = new RegExp(`^(?:\\s?:|\\s(?:${says}))(?:\\s(?:le|el))?${opening}$`, 'iu')

/** Right after a name, the words that introduce what the code is for: "code to", "code for". */
export const purpose = /^\s(?:for|to|für|zur|zum|pour|para|per|voor|om|для|do)\s/iu

/** Between a verb and the code with which it is done: "confirm with 4021". */
export const byMeans = /^\s(?:\p{L}+\s){0,3}(?:with|by|mit|avec|par|con|com|met|via)\s["'“„«]?$/iu
/** Right after a number, the end of its clause. */
export const clauseEnd = /^["'”»]?\s*(?:[.,;!?)–—-]|$)/u
/** Right after a number that is to be entered as something else: "4021 as reference". */
export const asReference = /^["'”»]?\s(?:as|als|como|comme|come)\s/iu
/** Between the verb for entering and the code, words that name nothing: "enter the following". */
export const fillers =
  /^[\s:"'“„«([【「-]*(?:(?:in|the|this|these|your|please|just|simply|with|com|con|avec|mit|met|sie|bitte|einfach|dann|dazu|hier|den|die|das|diese|le|les|la|ce|ces|ici|el|los|este|estos|aquí|o|os|aqui|il|lo|questo|qui|de|het|deze|dit|hier|dan|сюда|здесь|пожалуйста|просто)[\s:"'“„«([-]+){0,3}$/iu
/** Between the verb and a number that counts or is part of something: "enter 2 of 4021". */
export const amountOf = /\d|(?:^|\s)(?:of|von|de|di|van)\s$/i

/** A percentage: near it, a mere "code" is a discount code. */
export const percent = /\d\s?%/

/** A clause before a code that the previous sentence announced: "It is", "Here you go:". */
export const pronoun =
  /^\s*(?:it is|it's|this is|(?:here|there) (?:it is|you go|you are)|(?:er|sie|dieser|diese) lautet|(?:deze|die|hij) luidt|(?:hier|da) ist (?:er|sie|es)|il est|c'est|le voici|es|aquí (?:está|lo tienes)|é|aqui está|è|eccolo|het is|hier is (?:hij|ie)|вот он|ось він)(?: le| el)?\s*[:–—-]?\s*["'“„«]?$/iu

/** Whether a mere "code" (`code`, as written) after `words` belongs to something that no vocabulary lists: "driver code". */
export function isOfSomething(words: string, code: string): boolean {
  const near = words.slice(-nounCharsMax)
  return ofSomething.test(near) || (/\p{L}code$/iu.test(code) && !possessive.test(near))
}

/** How many characters before a "code" are looked at. */
const nounCharsMax = 40
