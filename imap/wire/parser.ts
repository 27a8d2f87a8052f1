/**
 * Reads the words of a command (RFC 9051 9). Strings are Latin-1, one character for each byte. Every reading method fails with Bad
 * if the text is not what it expects. There is no backtracking, so a command is read in linear time.
 */
import { limits } from '../limits.ts'
import { Bad } from './answers.ts'
import type { CommandText, Literal } from './command-reader.ts'
import { number63Max, numberMax, type Range, type SequenceSet, star } from './numbers.ts'
import { type NameForm, readDateTime, readDay, readFolderName, readFolderPattern } from './text.ts'

export class Parser {
  readonly #texts: readonly string[]
  readonly #literals: readonly Literal[]
  readonly nameForm: NameForm
  #piece = 0
  #at = 0
  #depth = 0
  #words = 0
  #sets = 0

  constructor({ texts, literals }: CommandText, nameForm: NameForm) {
    this.#texts = texts
    this.#literals = literals
    this.nameForm = nameForm
  }

  /** The next character; '' at the end of the text or before a literal. */
  peek(): string {
    return this.#text()[this.#at] ?? ''
  }

  /** The next `count` characters. */
  ahead(count: number): string {
    return this.#text().slice(this.#at, this.#at + count)
  }

  /** Whether this text, given in upper case, follows in any case. Consumes nothing. */
  follows(text: string): boolean {
    return (
      this.#text()
        .slice(this.#at, this.#at + text.length)
        .toUpperCase() === text
    )
  }

  /** Consumes this text if it follows. Returns whether it did. */
  take(text: string): boolean {
    const is = this.follows(text)
    if (is) this.#at += text.length
    return is
  }

  /** Consumes this text, which must follow. */
  expect(text: string): void {
    if (!this.take(text)) throw new Bad(`${text === ' ' ? 'A space' : text} was expected${this.#place()}`)
  }

  space(): void {
    this.expect(' ')
  }

  /** Consumes a space if one follows. Returns whether it did. */
  takeSpace(): boolean {
    return this.take(' ')
  }

  isAtEnd(): boolean {
    return this.#piece === this.#texts.length - 1 && this.#at === this.#text().length
  }

  end(): void {
    if (!this.isAtEnd()) throw new Bad(`The command should end${this.#place()}`)
  }

  tag(): string {
    const tag = this.#match(/[^\s(){%*"\\+\p{Cc}\P{ASCII}]+/uy, 'A tag')
    if (tag.length > limits.tagChars) throw new Bad('The tag is too long')
    return tag
  }

  atom(what = 'An atom'): string {
    return this.#match(/[^\s(){%*"\\\]\p{Cc}\P{ASCII}]+/uy, what)
  }

  /** An atom in upper case: a command, a key, the name of an item. */
  word(what = 'A word'): string {
    return this.#match(/[A-Za-z0-9][A-Za-z0-9.=_-]*/y, what).toUpperCase()
  }

  number(max = numberMax): number {
    const digits = this.#match(/\d{1,20}/y, 'A number')
    const value = Number(digits)
    if (value > max) throw new Bad(`${digits} is too large`)
    return value
  }

  /** A mod-sequence value (RFC 7162 7). */
  modseq(): number {
    return this.number(number63Max)
  }

  /** A number of bytes (`number64` of RFC 9051 9). */
  bytes(): number {
    return this.number(number63Max)
  }

  /** A string, quoted or literal, as bytes. */
  string(): string {
    return this.#stringIf() ?? this.#fail('A string')
  }

  isString(): boolean {
    return this.peek() === '"' || this.isAtLiteral()
  }

  /** An atom, which may contain `]`, or a string. */
  astring(): string {
    return this.#stringIf() ?? this.#match(/[^\s(){%*"\\\p{Cc}\P{ASCII}]+/uy, 'A string')
  }

  /** A string or NIL. */
  nstring(): string | null {
    if (this.isString()) return this.string()
    this.expect('NIL')
    return null
  }

  /** A literal, which must follow. */
  literal(): Literal {
    this.#count()
    if (!this.isAtLiteral()) throw new Bad(`A literal was expected${this.#place()}`)
    return this.#nextLiteral()
  }

  /** The name of a folder. */
  folder(): string {
    const bytes = this.#stringIf() ?? this.#match(/[^\s(){%*"\\\p{Cc}]+/uy, 'The name of a folder')
    return readFolderName(bytes, this.nameForm)
  }

  /** A folder name that may contain the wildcards `*` and `%`. */
  folderPattern(): string {
    const bytes = this.#stringIf() ?? this.#match(/[^\s(){"\\\p{Cc}]+/uy, 'A pattern')
    return readFolderPattern(bytes, this.nameForm)
  }

  /** `(each each ...)`, which may be empty. */
  list<T>(each: () => T): T[] {
    this.expect('(')
    return this.nested(() => {
      const found: T[] = []
      if (this.take(')')) return found
      do found.push(each())
      while (this.takeSpace())
      this.expect(')')
      return found
    })
  }

  /** Runs a reader that may recurse, up to `limits.depth` levels deep. */
  nested<T>(read: () => T): T {
    if (++this.#depth > limits.depth) throw new Bad('The command is nested too deep', 'TOOBIG')
    const result = read()
    this.#depth -= 1
    return result
  }

  /** A flag as written: `\Seen`, `$Forwarded`. */
  flag(): string {
    return this.take('\\') ? `\\${this.atom('A flag')}` : this.atom('A flag')
  }

  set(): SequenceSet {
    if (++this.#sets > limits.sets) throw new Bad('The command names too many sets of messages', 'TOOBIG')
    if (this.take('$')) return '$'
    return this.#match(/(?:\d{1,20}|\*)(?::(?:\d{1,20}|\*))?(?:,(?:\d{1,20}|\*)(?::(?:\d{1,20}|\*))?)*/y, 'A set')
      .split(',')
      .map((range): Range => {
        const [from = '', to = from] = range.split(':')
        return { from: setNumber(from), to: setNumber(to) }
      })
  }

  isSet(): boolean {
    return /[\d*$]/.test(this.peek())
  }

  dateTime(): Date {
    const text = this.#stringIf() ?? ''
    const date = readDateTime(text)
    if (date === null) throw new Bad('The date and time are not valid')
    return date
  }

  /** A date, quoted or not. */
  day(): Date {
    const date = readDay(this.#stringIf() ?? this.#match(/[A-Za-z0-9-]+/y, 'A date'))
    if (date === null) throw new Bad('The date is not valid')
    return date
  }

  #stringIf(): string | null {
    if (this.isAtLiteral()) {
      this.#count()
      return this.#nextLiteral().bytes.toString('latin1')
    }
    if (this.peek() !== '"') return null
    return this.#match(/"(?:[^"\\\r\n\0]|\\["\\])*"/y, 'A string')
      .slice(1, -1)
      .replace(/\\(.)/gs, '$1')
  }

  isAtLiteral(): boolean {
    return this.#at === this.#text().length && this.#piece < this.#texts.length - 1
  }

  #nextLiteral(): Literal {
    const literal = this.#literals[this.#piece]!
    this.#piece += 1
    this.#at = 0
    return literal
  }

  #match(pattern: RegExp, what: string): string {
    this.#count()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text())?.[0]
    if (found === undefined) return this.#fail(what)
    this.#at += found.length
    return found
  }

  #count(): void {
    if (++this.#words > limits.words) throw new Bad('The command has too many words', 'TOOBIG')
  }

  #fail(what: string): never {
    throw new Bad(`${what} was expected${this.#place()}`)
  }

  #place(): string {
    const rest = this.#text().slice(this.#at, this.#at + 20)
    return rest === '' ? ' where the text ends' : ` at ${JSON.stringify(rest)}`
  }

  #text(): string {
    return this.#texts[this.#piece]!
  }
}

function setNumber(text: string): number {
  if (text === '*') return star
  const number = Number(text)
  if (number === 0 || number > numberMax) throw new Bad(`${text} is not a message number`)
  return number
}
