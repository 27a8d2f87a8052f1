/** Decides whether the items of an enumeration are names of things: no clauses, no parts of a name, and nothing between them. Folded. */
import { fold } from './lexicon.ts'
import type { Locale } from './locale.ts'
import type { Piece } from './shapes.ts'

/** Prepositions after which a name may have an article: "app for the drivers". */
const preposition =
  '(?:of|for|with|in|on|at|to|and|from|von|fur|mit|in|im|an|am|auf|und|bei|zu|de|du|des|d|pour|avec|a|au|aux|et|en|sur|con|para|por|y|e|di|da|per|su|tra|van|voor|met|op|aan|en|te|all|dell|nell|sull)'
/** An article inside an item without a preposition before it: the word before it is probably a verb. */
const article = new RegExp(
  `(?<![\\p{L}])(?!${preposition}(?![\\p{L}]))\\p{L}+[\\s'’](?:the|an?|das|der|den|dem|die|eine[nmr]?|meine?n?|les?|la|une?|mon|ma|mes|el|los|las|una|mis?|il|lo|gli|i|mio|mia|het|een|mijn|our|my|unsere?n?)\\s`,
  'u',
)
/** Verbs and pronouns at the beginning or end of a clause in which people say what they do. */
const verb =
  /^(?:inform\p{L}*|infos?|details?|diario|daily|taglich|speak|read|write|drive|manage|run|lead|handle|operate|hold|own|know|use|see|get|look|spreche|arbeite|kenne|kann|beherrsche|programmiere|habe?|bin|gehe|fuhre|conozco|suelo|hablo|manejo|tengo|llevo|trabajo|puedo|soy|uso|domino|faccio|parlo|conosco|lavoro|gestisco|posso|so|parle|suis|maitrise|connais|sais|utilise|pratique|gere|spreek|werk|ken|gebruik|kan|ben|heb|weet)(?!\p{L})|\s(?:zien|krijgen|maken|doen|bespreken|weten|hebben|selbst|schon|online|gern|inside out)$/u
/** Words in place of a name: "others", "following", words for pieces, and sizes of something named before. */
const noName =
  /^(?:(?:size|sizes|gr(?:osse)?|taille|tailles|talla|tallas|taglia|taglie|maat|maten)(?![\p{L}-]).*|in (?:\p{L}+|\p{L}+ \p{L}+)|otr[oa]s?|altr[oi]|others?|autres?|andere\w*|ver|siguientes?|following|folgende\w*|suivante?s?|seguent[ei]|volgende|unidades|units?|pieces?|pezzi|stuck|stuks|piezas|pares|both|beide\w*|ambos|nouveau|nuevo|nuovo|new|neu\w*|liefst|best\w*)$/u

/** A clause after the last thing that continues the enumeration. */
const moreBehind =
  /^[\s,;]*(?:and|und|et|y|e|en)\s+(?:i|me|ich|je|j['’]|ik|mi|also|auch|tambien|anche|ook|aussi)(?![\p{L}])/u
/** A container before a thing that was cut off: "boxes of". */
const packed = /(?:^|\s)(?:de|di|of|d['’])\s?$/u
const pack = /^\p{L}+ (?:de|di|of|d['’])\s?\p{L}/u

/** Whether all items are names, follow each other directly in the text, and are not continued after the last. */
export function areNames(items: readonly Piece[], text: string, { language }: Locale): boolean {
  const last = items.at(-1)
  const plain = fold(text)
  const arePacked = items.filter(({ start }) => packed.test(plain.slice(0, start))).length
  if (last === undefined || moreBehind.test(plain.slice(last.end))) return false
  if (arePacked > 0 && items.some(({ value }) => pack.test(fold(value)))) return false
  return items.every(({ value, start }, n) => {
    const folded = fold(value)
    const before = items[n - 1]
    const between = before === undefined ? '' : text.slice(before.end, start)
    return (
      !article.test(`${folded} `) &&
      !verb.test(folded) &&
      !noName.test(folded) &&
      (value.match(/["“”„«»]/g)?.length ?? 0) % 2 === 0 &&
      !between.includes('(') &&
      between.split(/[\s,;]+/).filter((word) => /\p{L}/u.test(word)).length <= betweenWordsMax &&
      (language !== 'de' || nounEnd.test(value))
    )
  })
}

/** Whether two things are all that a sentence enumerates: joined by one word, with nothing joined after them and no list before. */
export function arePair(items: readonly Piece[], text: string): boolean {
  const [first, last] = items
  if (first === undefined || last === undefined || items.length !== 2) return false
  const plain = fold(text)
  const rest = plain.slice(last.end)
  return (
    joined.test(plain.slice(first.end, last.start)) &&
    /^[)\s]*(?:[.,;!?]|$)/u.test(rest) &&
    !/[\s,](?:and|und|et|y|e|en|plus|also|auch|aussi|tambien|anche|ook)\s/u.test(rest) &&
    !plain.slice(0, first.start).includes(',') &&
    ![first, last].some(({ value }) => vague.test(fold(value)))
  )
}

const joined =
  /^\s(?:and|und|et|y|e|ed|en|as well as|sowie|ainsi que|asi como)\s(?:(?:the|an?|die|der|das|den|eine[nmr]?|ein|une?|le|la|les|l|du|des|de|los|las|el|una?|il|lo|gli|i|uno|un|het|een)[\s'’])?$/u
const vague =
  /^(?:first|last|mainly|maybe|perhaps|possibly|probably|sort|kind|some|zuerst|zuletzt|anschliessend|danach|vielleicht|eventuell|moglichst|nell\p{L}*|nel|negli|nei|dans|sur|peut|eventuellement|magari|forse|quizas?|tal|misschien|eventueel|wellicht|daarna|votre|vos|notre|nos|vostr[oa]|vuestr[oa]|su|uw|jullie|ihre?)(?!\p{L})/u

/** "and also about two boxes of" */
const betweenWordsMax = 5
/** In German the name of a thing ends in a noun or digits, or contains a preposition. */
const nounEnd =
  /(?:^|[\s(„"-])(?:\p{Lu}|\d|\p{Ll}+\p{Lu})[^\s]*(?:\s\([^)]*\))?$|\s(?:von|in|aus|mit|für|zum|zur|ohne|aufs?|am|im)\s/u
