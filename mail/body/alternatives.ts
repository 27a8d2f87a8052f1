/** Whether the plain part of a multipart/alternative says what its HTML does not show: programs read one, people the other. */
import { organisationOf } from '../domain.ts'
import { hiddenExcerpt } from '../encoding/invisible-characters.ts'
import { feed } from '../hidden/markup.ts'
import { limits } from '../limits.ts'
import { isAboutReading, linkWords, negations } from './alternative-words.ts'
import {
  addressesIn,
  hostsIn,
  lettersOf,
  orderedShare,
  paragraphsOf,
  type Sentence,
  sentencesOf,
  type Vocabulary,
  vocabularyOf,
  type Word,
  withoutPlaces,
} from './sentences.ts'

/** What a person sees of a mail. */
export type Shown = {
  /** The visible text of its HTML. */
  readonly text: string
  /** The source of that: links and addresses may stand anywhere in it. */
  readonly html: string
  /** Domain of the author, '' when there is none: what leads there needs no showing. */
  readonly domain: string
}

/**
 * Whether a plain text says more than the HTML shows: null when it does not. `excerpt` has the sentences that the HTML does not
 * hold anywhere; null when it holds and hides them. Words are compared, so that wrapping, marks of lists and quotations, notes
 * and the order of cells make no difference; neither does what plain parts leave out, how they write links, and that they speak
 * of better programs and of leaving. What counts is what they add: sentences, amounts, names, links. Pictures without words
 * cannot be compared. Linear. Never throws.
 */
export function differenceOf(plain: string, shown: Shown): { readonly excerpt: string | null } | null {
  if (addedBy(plain, shown) === null) return null
  return { excerpt: addedBy(plain, { ...shown, text: `${shown.text}\n${everyWordOf(shown.html)}` }) }
}

/** An excerpt of the sentences of a plain text that are not in another; null when there are none. */
function addedBy(plain: string, { text, html, domain }: Shown): string | null {
  const isWritten = finderIn(text, html)
  let known: Vocabulary | undefined
  let places: Places | undefined
  const added: string[] = []
  let [addedWords, wordsAboutReading] = [0, 0]
  for (const paragraph of paragraphsOf(plain)) {
    if (isWritten(paragraph)) continue
    known ??= vocabularyOf(text)
    places ??= placesOf(`${text} ${html}`, domain)
    for (const sentence of sentencesOf(paragraph)) {
      const figures = sentence.words.filter((word) => isNewFigure(word, known as Vocabulary))
      const leadsElsewhere = isElsewhere(sentence, places)
      if (!leadsElsewhere && !figures.some(({ isAmount }) => isAmount) && isAboutReading(sentence.text)) {
        wordsAboutReading += sentence.words.length
        if (wordsAboutReading <= aboutReadingMax) continue
      }
      const more =
        leadsElsewhere || figures.length > 0
          ? addedWordsMin
          : wordsAdded(sentence, known, sentence.text === plain.trim())
      if (more === 0) continue
      added.push(sentence.text)
      addedWords += more
    }
    if (added.length >= sentencesMax) break
  }
  if (known !== undefined && known.words.size < comparableWordsMin && /<img\b/i.test(html)) return null
  const isEndless = plain.length > Math.max(limits.comparedCharsMax, text.length * 2)
  if (addedWords >= addedWordsMin) return hiddenExcerpt(added.join(' '))
  return isEndless ? hiddenExcerpt(plain.slice(limits.comparedCharsMax)) : null
}

/** Fewer words tell nobody to do anything, unless they are all there is. */
const addedWordsMin = 3
/** Fewer words are the caption of a picture. */
const comparableWordsMin = 3
/** So much of what was added fills an excerpt. */
const sentencesMax = 10
/** Words of a plain part that may speak of reading, leaving and sending; more are a letter that pretends to. */
const aboutReadingMax = 200

/** Whether each paragraph of a plain text stands in HTML, seen or not. Linear and quick; true is sure, false is not. */
export function isWithin(plain: string, html: string): boolean {
  if (plain.length > limits.comparedCharsMax) return false
  // The content of a style element is words too, for those that no one asks for.
  const words = html.replace(/<(?:style|script)\b[^<]*|<[^<>]*>|&nbsp;/gi, ' ').replace(/&(?:#39|quot|amp);/g, ' ')
  const isWritten = finderIn(words, html)
  for (const paragraph of paragraphsOf(plain)) if (!isWritten(paragraph)) return false
  return true
}

/**
 * Tells whether the letters of a paragraph follow each other in a text, whatever stands between them, and its links lead where
 * the source does. Quick; false is not sure.
 */
function finderIn(text: string, source: string): (paragraph: string) => boolean {
  const all = lettersOf(text)
  let searches = all.length > searchedMax ? 0 : searchesMax
  let last = 0
  const isPlace = (place: string) => searches-- > 0 && source.includes(place)
  return (paragraph) => {
    const letters = lettersOf(withoutPlaces(paragraph))
    if (searches <= 0 || !hostsIn(paragraph).every(isPlace) || !addressesIn(paragraph).every(isPlace)) return false
    if (letters === '') return true
    const head = letters.slice(0, headChars)
    const next = all.indexOf(head, last)
    const at = next < 0 ? all.indexOf(head) : next
    if (at < 0 || !all.startsWith(letters, at)) {
      searches--
      return false
    }
    last = at + letters.length
    return true
  }
}

/** Texts that repeat one letter make each search long: so many fail, for so many letters, in so long a text. */
const searchesMax = 30
const headChars = 40
const searchedMax = 128 * 1024

/** All that an HTML document says anywhere, seen or not: its title, what stands in for pictures, what is hidden. Linear. */
function everyWordOf(html: string): string {
  const pieces: string[] = []
  let unwritten = 0
  const isUnwritten = (name: string) => name === 'style' || name === 'script'
  feed(html, {
    onopentag(name, { alt = '', title = '', value = '', placeholder = '' }) {
      if (isUnwritten(name)) unwritten++
      pieces.push(alt, title, value, placeholder)
    },
    ontext(text) {
      if (unwritten === 0) pieces.push(text)
    },
    onclosetag(name) {
      if (isUnwritten(name)) unwritten--
    },
  })
  return pieces.filter((piece) => piece !== '').join(' ')
}

/** Where the HTML leads, and whose addresses stand in it. */
type Places = {
  readonly organisations: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  /** Whether its links go over a service that counts them, and tell nothing. */
  readonly isTracked: boolean
}

function placesOf(source: string, domain: string): Places {
  const links = [...hostsIn(source)]
  const organisations = new Set([...new Set(links)].slice(0, placesMax).map(ownerOf))
  const isTracked =
    links.length >= trackedLinksMin && organisations.size <= trackersMax && /https?:\/\/[^\s"'<>]{90}/i.test(source)
  organisations.add(ownerOf(domain))
  return { organisations, addresses: new Set(addressesIn(source).take(placesMax)), isTracked }
}

/** More are a directory. */
const placesMax = 1000
/** A service that counts links writes several, long ones, and serves pictures perhaps from another name. */
const trackedLinksMin = 2
const trackersMax = 2

const ownerOf = (host: string) => organisationOf(host.replace(/^.*@|:\d+$/g, ''))

function isElsewhere({ hosts, addresses }: Sentence, places: Places): boolean {
  const isForeign = (host: string) => !places.organisations.has(ownerOf(host))
  if (!places.isTracked && hosts.some(isForeign)) return true
  return addresses.some((each) => !places.addresses.has(each) && isForeign(each.slice(each.lastIndexOf('@') + 1)))
}

/** Short numbers count lines and pages; longer ones, and those with a sign, are amounts, accounts, dates. */
function isNewFigure({ word, isAmount }: Word, { words }: Vocabulary): boolean {
  return /^\p{N}/u.test(word) && !words.has(word) && (isAmount || word.replace(/\P{N}/gu, '').length >= 4)
}

/** How many words a sentence has that are not shown, when it says something else by them. */
function wordsAdded({ words }: Sentence, known: Vocabulary, isAlone: boolean): number {
  const own = words.filter(({ word }) => !linkWords.has(word) && !/^\p{N}/u.test(word))
  const unknown = own.filter(({ word }) => !known.words.has(word))
  // A text of a word or two may answer the other way.
  if (isAlone && words.length <= 2 && words.every(({ word }) => word.length > 1 && !known.words.has(word)))
    return addedWordsMin
  if (unknown.length >= 2 && unknown.length * 2 >= own.length) return unknown.length
  const share = orderedShare(words, known)
  // Words that are all shown, but hardly two of them together, are another sentence.
  if (share < scatteredShare && own.length >= scatteredWordsMin) return own.length
  if (share < 0.5 && unknown.length >= 3) return unknown.length
  // A sentence that is shown, with another name in it or turned into its opposite.
  const isTurned =
    share >= 0.4 && words.length >= 4 && unknown.some(({ word, isName }) => isName || negations.has(word))
  return isTurned ? own.length : 0
}

const scatteredShare = 0.35
const scatteredWordsMin = 5
