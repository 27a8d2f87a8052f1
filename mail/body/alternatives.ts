/** Finds what the plain part of a multipart/alternative says and its HTML does not show: programs read the one, people the other. */
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
export type ShownHtml = {
  /** The visible text of its HTML. */
  readonly text: string
  /** The source of that HTML, searched as a whole for links and addresses. */
  readonly html: string
  /** Domain of the author, '' when there is none. Links and addresses of its organisation need not be in the HTML. */
  readonly domain: string
}

/**
 * Tells whether a plain text says more than the HTML shows; null when it does not. `excerpt` has the sentences that are nowhere in
 * the HTML; it is null when the HTML holds and hides them.
 *
 * Words are compared, so that wrapping, the marks of lists and quotations, footnotes and the order of cells make no difference. It does
 * not matter either what the plain text leaves out, how it writes links, and that it mentions other mail programs or unsubscribing.
 * What counts is what it adds: sentences, amounts, names, links. Pictures without words cannot be compared. Linear. Never throws.
 */
export function differenceOf(plain: string, shown: ShownHtml): { readonly excerpt: string | null } | null {
  if (addedBy(plain, shown) === null) return null
  return { excerpt: addedBy(plain, { ...shown, text: `${shown.text}\n${everyWordOf(shown.html)}` }) }
}

/** An excerpt of the sentences that a plain text adds to what is shown; null when there are none. */
function addedBy(plain: string, { text, html, domain }: ShownHtml): string | null {
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

/** Fewer added words tell nobody to do anything, unless they are the whole text. */
const addedWordsMin = 3
/** HTML with fewer words is a picture with its caption. */
const comparableWordsMin = 3
/** This many added sentences fill an excerpt. */
const sentencesMax = 10
/** How many words of a plain part may be about reading, unsubscribing and the sender; more are a letter in disguise. */
const aboutReadingMax = 200

/** Whether each paragraph of a plain text is in the HTML, visible or not. True is certain, false is not. Linear and quick. */
export function isWithin(plain: string, html: string): boolean {
  if (plain.length > limits.comparedCharsMax) return false
  // The content of style and script elements is removed too, because it would count as words.
  const words = html.replace(/<(?:style|script)\b[^<]*|<[^<>]*>|&nbsp;/gi, ' ').replace(/&(?:#39|quot|amp);/g, ' ')
  const isWritten = finderIn(words, html)
  for (const paragraph of paragraphsOf(plain)) if (!isWritten(paragraph)) return false
  return true
}

/**
 * Returns a function that tells whether a text has the letters of a paragraph in a row, whatever is between them, and whether the
 * links and addresses of the paragraph are in the source. Quick; false is not certain.
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

/** A text that repeats one letter makes each search slow. The limits: failed searches, letters to search for, letters of the text. */
const searchesMax = 30
const headChars = 40
const searchedMax = 128 * 1024

/** All words of an HTML document, visible or not: also its title, the alternative text of pictures, and hidden text. Linear. */
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

/** The organisations that the HTML links to, and the addresses in it. */
type Places = {
  readonly organisations: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  /** Whether its links go through a click-tracking service and do not show where they lead. */
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

/** Most places that are compared; more are a directory. */
const placesMax = 1000
/** A click-tracking service writes several long links, and may serve pictures from a second domain. */
const trackedLinksMin = 2
const trackersMax = 2

const ownerOf = (host: string) => organisationOf(host.replace(/^.*@|:\d+$/g, ''))

function isElsewhere({ hosts, addresses }: Sentence, places: Places): boolean {
  const isForeign = (host: string) => !places.organisations.has(ownerOf(host))
  if (!places.isTracked && hosts.some(isForeign)) return true
  return addresses.some((each) => !places.addresses.has(each) && isForeign(each.slice(each.lastIndexOf('@') + 1)))
}

/** Whether a figure is not shown. Short numbers count lines and pages; longer ones, and those with a sign, are amounts, accounts, dates. */
function isNewFigure({ word, isAmount }: Word, { words }: Vocabulary): boolean {
  return /^\p{N}/u.test(word) && !words.has(word) && (isAmount || word.replace(/\P{N}/gu, '').length >= 4)
}

/** How many words of a sentence are not shown, if these change what it says; else 0. */
function wordsAdded({ words }: Sentence, known: Vocabulary, isAlone: boolean): number {
  const own = words.filter(({ word }) => !linkWords.has(word) && !/^\p{N}/u.test(word))
  const unknown = own.filter(({ word }) => !known.words.has(word))
  // A text of one or two words may be the opposite answer.
  if (isAlone && words.length <= 2 && words.every(({ word }) => word.length > 1 && !known.words.has(word)))
    return addedWordsMin
  if (unknown.length >= 2 && unknown.length * 2 >= own.length) return unknown.length
  const share = orderedShare(words, known)
  // All words are shown, but hardly two of them next to each other: it is another sentence.
  if (share < scatteredShare && own.length >= scatteredWordsMin) return own.length
  if (share < 0.5 && unknown.length >= 3) return unknown.length
  // The sentence is shown, but with another name or a negation in it.
  const isTurned =
    share >= 0.4 && words.length >= 4 && unknown.some(({ word, isName }) => isName || negations.has(word))
  return isTurned ? own.length : 0
}

const scatteredShare = 0.35
const scatteredWordsMin = 5
