/** How sentences join a code to the words around it: patterns for what stands between the two, in all languages at once. */

/** Verbs between a code and its name. */
const says = 'is|ist|lautet|luidt|est|es|é|è|to|jest'
const opening = '[\\s:"\'“„«([【]*'

/** Where a sentence ends: not at the point of an initial, nor before a small letter. */
export const sentenceEnd = /(?:(?<!(?<!\p{L})\p{L})\.(?!\s+\p{Ll})|[!?;])(?=\s|$)|[。！？；]/u
/** What may stand between the words "the code" and the code. */
export const connection =
  /^[\s:=\-–—"'“”«»„([【「『]*(?:(?:is|are|below|number|lautet|ist|wie folgt|est|est le|le|es|é|è|to|jest|is de|でした|は|が|为|為|是|은|는|이|:)[\s:=\-–—"'“”«»„([【「『]*)?$/iu

/** Between a number and words behind it that belong to something else; and how a mere "code" has to be joined to one. */
export const notIts = /\d|\s(?:and|or|und|oder|et|ou|y|e|en|of|и|или)\s/i
export const itsWeak =
  /^\s*(?:$|,\s(?:c'est|that's|das ist|dit is|dat is|это|to)\s|[-–—:("'”»]|(?:is|ist|est|es|é|è|to|jest|as)\s|[がはを는은이を是为為])/iu
export const verb = new RegExp(`^["'”»]?\\s(?:${says})\\s`, 'iu')
/** Behind words that have a number of their own. */
export const itsOwn = new RegExp(`^(?:[\\s:=–-]{0,3}|[\\p{L}\\s'"«»-]{0,45}(?::|\\s(?:${says})[\\s:])\\s?)\\d{3}`, 'iu')
/** Before a mere "code" that is one of something: "Driver code". */
const ofSomething =
  /(?:^|[.,;:!?(|–]\s?|\s-\s)(?!(?:your|my|our|the|this|a|new|here's|dein|deine|ihr|euer|der|dieser|neuer|uw|je|jouw|de|deze|het|votre|ton|le|ce|un|tu|su|seu|o|il|tuo|el|kod|ваш|твой|вот|twój|din|ditt)\s)\p{L}+[\s-]$|[\p{Script=Han}\p{Script=Katakana}]$/iu
const possessive = /(?:^|[\s,(])(?:deine?|ihre?|euer|uw|je|jouw|your|der|die|de)\s$/iu
/** Behind one: "codice tributo 3918". */
export const apposition = /^\s\p{L}+\s$/u
/** In an Indian address the PIN is the postal code. */
export const postalPin = /,\s?pin(?:\scode)?$/i
/** "The code for your account:", then the code. */
export const linked = new RegExp(`^[\\p{L}\\s,'"«»-]{0,60}(?::|\\s(?:${says}))${opening}$`, 'iu')

/** Between a word that owns another number and the code: something of its own, and then what announces the code. */
export const detached = new RegExp(`^[^:]*\\p{L}{3}[^:]*(?::|\\s(?:${says}))${opening}$`, 'iu')
/** Or the number that it owns, and then what announces the code: "of account 7719 is". */
export const spent = new RegExp(`\\d{3}[^\\p{L}:]*(?::|\\s(?:${says}))${opening}$`, 'iu')
/** Or just the verb or a colon: "the PIN for your card is". */
export const said = new RegExp(`^(?:\\s?:|\\s(?:${says}))(?:\\s(?:le|el))?${opening}$`, 'iu')
/** Between a code and what it is for. */
export const purpose = /^\s(?:for|to|für|zur|zum|pour|para|per|voor|om|для|do)\s/iu

/** Between what one does and the code: "confirm with 4021". */
export const means = /^\s(?:\p{L}+\s){0,3}(?:with|by|mit|avec|par|con|com|met|via)\s["'“„«]?$/iu
/** Where a number ends what is said of it. */
export const clauseEnd = /^["'”»]?\s*(?:[.,;!?)–—-]|$)/u
/** Behind a number that is entered as something else. */
export const asReference = /^["'”»]?\s(?:as|als|como|comme|come)\s/iu
/** Between the verb for entering and the code: no word of its own. */
export const fillers =
  /^[\s:"'“„«([【「-]*(?:(?:in|the|this|these|your|please|just|simply|with|com|con|avec|mit|met|sie|bitte|einfach|dann|dazu|hier|den|die|das|diese|le|les|la|ce|ces|ici|el|los|este|estos|aquí|o|os|aqui|il|lo|questo|qui|de|het|deze|dit|hier|dan|сюда|здесь|пожалуйста|просто)[\s:"'“„«([-]+){0,3}$/iu
/** In front of a number that counts what was said. */
export const amountOf = /\d|(?:^|\s)(?:of|von|de|di|van)\s$/i

/** A share: beside it a mere "code" is one of a shop. */
export const percent = /\d\s?%/

/** A clause that means a code which the sentence before it announced. */
export const pronoun =
  /^\s*(?:it is|it's|this is|(?:here|there) (?:it is|you go|you are)|(?:er|sie|dieser|diese) lautet|(?:deze|die|hij) luidt|(?:hier|da) ist (?:er|sie|es)|il est|c'est|le voici|es|aquí (?:está|lo tienes)|é|aqui está|è|eccolo|het is|hier is (?:hij|ie)|вот он|ось він)(?: le| el)?\s*[:–—-]?\s*["'“„«]?$/iu

/** Whether a mere "code" that ends `words` says what it is one of, in a word that nobody listed. */
export function isOfSomething(words: string, code: string): boolean {
  const near = words.slice(-nounCharsMax)
  return ofSomething.test(near) || (/\p{L}code$/iu.test(code) && !possessive.test(near))
}

const nounCharsMax = 40
