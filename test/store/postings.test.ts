import { expect } from 'chai'
import fc from 'fast-check'
import {
  BlockPacker,
  concatenateEntries,
  eachMessage,
  eachPosition,
  entriesOf,
  entryOf,
  fieldBits,
  findEntries,
  isBefore,
  Packer,
  type WordEntry,
  type WordPosition,
  wordPositionsOf,
} from '../../store/postings.ts'
import { firstRowBefore, packPage, rowAt, rowCount, versionOf } from '../../store/segment-table.ts'

/** The positions of a word in a message, by field. */
type Spots = { readonly [field: number]: readonly number[] }

const spots = fc.dictionary(
  fc.constantFrom('1', '2', '4', '64'),
  fc.uniqueArray(fc.nat(100_000), { minLength: 1, maxLength: 4 }).map((all) => all.toSorted((a, b) => a - b)),
  { minKeys: 1 },
) as fc.Arbitrary<Spots>
const postings = fc
  .uniqueArray(fc.tuple(fc.nat(70_000), spots), { minLength: 1, maxLength: 8, selector: ([number]) => number })
  .map((all) => all.toSorted(([a], [b]) => a - b))
const words = fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.stringMatching(/^[ab]{1,6}$/)), {
  minLength: 1,
  maxLength: 30,
})

function place(number: number, found: Spots): WordPosition {
  const packer = new Packer()
  let fields = 0
  for (const [field, positions] of Object.entries(found)) {
    fields |= Number(field)
    packer.number(positions.length)
    for (const [n, position] of positions.entries()) packer.number(position - (positions[n - 1] ?? -1) - 1)
  }
  return { number, fields, positions: Buffer.from(packer.take()) }
}

function read(entry: Omit<WordEntry, 'word'>): [number, Spots][] {
  const found = new Map<number, { [field: number]: number[] }>()
  const all = () => true
  eachPosition(entry, all, (number, field, position) => {
    const own = found.get(number) ?? {}
    found.set(number, { ...own, [field]: [...(own[field] ?? []), position] })
  })
  return [...found]
}

const copied = (entry: WordEntry): WordEntry => ({
  ...entry,
  messages: Buffer.from(entry.messages),
  positions: Buffer.from(entry.positions),
})

describe('postings', () => {
  it('are read as they were written, word by word', () => {
    fc.assert(
      fc.property(words, fc.array(postings, { minLength: 1, maxLength: 5 }), (given, lists) => {
        const sorted = given.map((word) => word.toWellFormed()).sort((a, b) => (isBefore(a, b) ? -1 : 1))
        const unique = sorted.filter((word, n) => word !== sorted[n - 1])
        const packer = new BlockPacker(1)
        for (const [n, word] of unique.entries()) {
          const list = lists[n % lists.length]!
          packer.add(
            entryOf(
              word,
              list.map(([number, found]) => place(number, found)),
            ),
          )
        }
        const block = packer.takeBlock()!
        expect([...entriesOf(block)].map(({ word }) => word)).to.deep.equal(unique)
        for (const [n, word] of unique.entries()) {
          const [entry] = findEntries(block, word, { prefix: false })
          expect(entry && read(entry)).to.deep.equal(lists[n % lists.length])
          const start = [...word][0]!
          expect(findEntries(block, start, { prefix: true }).length).to.equal(
            unique.filter((each) => each.startsWith(start)).length,
          )
          expect(findEntries(block, `${word}\u0001`, { prefix: false })).to.deep.equal([])
        }
      }),
      { numRuns: 150 },
    )
  })

  it('of several segments follow each other', () => {
    fc.assert(
      fc.property(fc.array(postings, { minLength: 1, maxLength: 4 }), (lists) => {
        const parts = lists.map((list, n) => ({
          entry: copied(
            entryOf(
              'word',
              list.map(([number, found]) => place(number, found)),
            ),
          ),
          shift: n * 80_000,
        }))
        const whole = copied(concatenateEntries('word', parts))
        const expected = lists.flatMap((list, n) => list.map(([number, found]) => [number + n * 80_000, found]))
        expect(read(whole)).to.deep.equal(expected)
        expect(read(entryOf('word', [...wordPositionsOf(whole)]))).to.deep.equal(expected)
        const numbers: number[] = []
        eachMessage(whole, (number) => numbers.push(number))
        expect(numbers).to.deep.equal(expected.map(([number]) => number))
      }),
      { numRuns: 150 },
    )
  })

  it('the body alone is the short form', () => {
    expect(entryOf('x', [{ number: 0, fields: fieldBits.body, positions: Buffer.from([0]) }]).messages.length).to.equal(
      1,
    )
  })
})

describe('the table of a segment', () => {
  const ids = Array.from({ length: 50 }, (_, n) => `msg_01hz${String(99 - n).padStart(22, '0')}`)
  const rows = ids.map((id, n) => ({
    id,
    version: 0xffff_fff0 + (n % 8),
    receivedAt: 1.7e12 + n,
    sizeBytes: 2 ** 40 + n,
  }))
  const page = packPage(rows)

  it('is read as it was written', () => {
    expect(rowCount(page)).to.equal(rows.length)
    expect(rows.map((_, n) => rowAt(page, n))).to.deep.equal(rows)
  })

  it('finds where older messages begin', () => {
    for (const [n, id] of ids.entries()) expect(firstRowBefore(page, id)).to.equal(n + 1)
    expect(firstRowBefore(page, 'msg_z')).to.equal(0)
    expect(firstRowBefore(page, 'msg_0')).to.equal(50)
  })

  it('tells the bytes of one message from those of another', () => {
    const versions = new Set(
      Array.from({ length: 1_000 }, (_, n) => versionOf(`blb_01hz${String(n).padStart(22, '0')}`)),
    )
    expect(versions.size).to.equal(1_000)
  })
})
