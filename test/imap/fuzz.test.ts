/**
 * What strangers send to the IMAP server, bent at random: nothing may crash it, make it hang, or let it grow. `FUZZ_RUNS` times
 * as many rounds (default 1) when something was changed; `FUZZ_SEED` begins elsewhere.
 */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import fc from 'fast-check'
import { commandNamed } from '../../imap/commands.ts'
import { createStructures } from '../../imap/fetch/structures.ts'
import { folderPattern } from '../../imap/folder-patterns.ts'
import { limits } from '../../imap/limits.ts'
import { createTexts } from '../../imap/search/document.ts'
import { Views } from '../../imap/selected/views.ts'
import { type Peer, Session } from '../../imap/session.ts'
import { Bad, No } from '../../imap/wire/answers.ts'
import { Refused, readCommand } from '../../imap/wire/command-reader.ts'
import { Parser } from '../../imap/wire/parser.ts'
import { Source } from '../../imap/wire/source.ts'
import { decodeUtf7 } from '../../imap/wire/text.ts'
import { Writer } from '../../imap/wire/writer.ts'
import { eventually } from '../eventually.ts'
import { expectLinear } from '../mail/cost.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const rounds = Number(process.env.FUZZ_RUNS ?? 1)
const seed = Number(process.env.FUZZ_SEED ?? 3501)

/** What mutations start from. None begins TLS or compression, after which there are no lines any more. */
const commands = [
  'NOOP',
  'CAPABILITY',
  'ID ("name" "x" "version" NIL)',
  'LOGIN a@b.example "pass\\"word"',
  'AUTHENTICATE PLAIN AGFAYgBj',
  'ENABLE CONDSTORE IMAP4rev2 UTF8=ACCEPT',
  'SELECT INBOX (CONDSTORE)',
  'EXAMINE "INBOX" (QRESYNC (1 20 1:5 (1,2 3,4)))',
  'CREATE "a/b&ANg-" (USE (\\Sent))',
  'DELETE {3}\r\nabc',
  'RENAME a {1+}\r\nb',
  'LIST (SUBSCRIBED RECURSIVEMATCH) "" ("*" "%/a") RETURN (CHILDREN STATUS (MESSAGES SIZE))',
  'LSUB "" *',
  'STATUS INBOX (MESSAGES UIDNEXT HIGHESTMODSEQ)',
  'APPEND INBOX (\\Seen Label) "01-Jan-2020 10:00:00 +0000" {20}\r\nSubject: a\r\n\r\nbody\r\n',
  'APPEND INBOX {5+}\r\nhello {3}\r\nabc',
  'FETCH 1:*,3 (FLAGS ENVELOPE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS (To "Cc")]<0.10> BINARY[1.2])',
  'UID FETCH 1,2:4 ALL (CHANGEDSINCE 12 VANISHED)',
  'SEARCH RETURN (MIN MAX ALL COUNT SAVE) CHARSET UTF-8 OR (FROM a SUBJECT "b") NOT (1:3 UID 4:*) SINCE 1-Jan-2020',
  'SEARCH HEADER X-A {3}\r\nabc MODSEQ "/flags/\\\\seen" all 10 BODY x YOUNGER 10',
  'UID STORE 1:2 (UNCHANGEDSINCE 3) +FLAGS.SILENT (\\Deleted $Label)',
  'COPY 1:* INBOX',
  'UID MOVE $ Trash',
  'UID EXPUNGE 1:*',
  'SORT (REVERSE SUBJECT DATE) UTF-8 ALL',
  'THREAD REFERENCES UTF-8 ALL',
  'IDLE\r\nDONE',
  'GETQUOTAROOT INBOX',
  'GETMETADATA (MAXSIZE 10 DEPTH infinity) "" (/shared/comment "/private")',
  'SETMETADATA INBOX (/shared/comment "x" /private/vendor/x/y NIL /private/z ~{2+}\r\n\0\xff)',
  'CLOSE',
]

/** What means something to the server, and sizes within and past its limits. */
const pieces = [
  ...['\r\n', '\n', '\r', '\0', ' ', '(', ')', '"', '\\', '[', ']', '<', '>', '*', '%', '$', '&', '&-', '=', '~', '+'],
  ...['{', '}', '{0}\r\n', '{3}\r\nabc', '{3+}\r\nabc', '~{2}\r\n\0\0', '{9}\r\n', '{70000}\r\n', '{70000+}\r\n'],
  ...['{99999999999}', '{4294967296}\r\n', '1:*', '0', '4294967296', '*:*', '99999999999999999999', 'UID ', 'NOT '],
  ...[
    '\xff',
    '\xc3\xa9',
    '\xe2\x82',
    'BODY[',
    '1.1.1.1.',
    'HEADER',
    'RETURN (',
    'NIL',
    'DONE\r\n',
    'x SELECT INBOX\r\n',
  ],
]

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...pieces) },
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const bentCommand = fc
  .record({
    command: fc.constantFrom(...commands),
    changes: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        remove: fc.nat({ max: 6 }),
        insert: piece,
        times: fc.integer({ min: 0, max: 12 }),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ command, changes }) =>
    changes.reduce((text, { at, remove, insert, times }) => {
      const start = Math.floor(at * text.length)
      return text.slice(0, start) + insert.repeat(times) + text.slice(start + remove)
    }, command),
  )
const noise = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
/** Words of commands in any order. */
const words = [...new Set(commands.flatMap((command) => command.split(' ')))]
const soup = fc.array(fc.oneof(fc.constantFrom(...words), piece), { maxLength: 12 }).map((parts) => parts.join(' '))
/** Some commands, tagged or not, one after the other. */
const hostile = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.oneof(bentCommand, soup).map((text) => `a ${text}\r\n`) }, noise), {
    minLength: 1,
    maxLength: 4,
  })
  .map((texts) => latin1(texts.join('')))

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

const check = <T>(property: fc.IAsyncProperty<T>, numRuns: number) =>
  fc.assert(property, { seed, numRuns: numRuns * rounds })

describe('IMAP fuzz', () => {
  let imap: ImapDoor
  let session: Session

  before(async () => {
    imap = await openImapDoor()
    const { ctx } = imap.door
    session = new Session({
      ctx,
      views: new Views(ctx),
      structures: createStructures(ctx),
      texts: createTexts(ctx),
      writer: new Writer(Readable.from([]) as never),
      // Reading a command asks nothing of the connection.
      peer: {} as Peer,
    })
  })
  after(() => imap?.close())

  describe('the parser', () => {
    /** Reads all commands of a stream. Returns what each is: its name, or why it is none. */
    async function readAll(chunks: readonly Buffer[]): Promise<readonly string[]> {
      const source = new Source()
      source.attach(Readable.from(chunks, { objectMode: false }))
      const seen: string[] = []
      for (;;) {
        try {
          const text = await readCommand(source, {
            lineBytesMax: limits.lineBytes,
            admit: (_before, size) => {
              if (size > limits.literalBytes) throw new No('TOOBIG', 'Too large')
            },
            requestLiteral: () => undefined,
            begun: () => undefined,
          })
          if (text === null) return seen
          const parser = new Parser(text, seen.length % 2 === 0 ? 'utf7' : 'utf8')
          parser.tag()
          parser.space()
          const known = await commandNamed(parser)
          known?.command.read(parser, session)
          seen.push(known?.name ?? 'unknown')
        } catch (error) {
          if (!(error instanceof Bad) && !(error instanceof No) && !(error instanceof Refused)) throw error
          seen.push(error.message)
          if (error instanceof Refused && error.isLost) return seen
        }
      }
    }

    it('reads or refuses whatever comes, the same in whatever pieces it comes', async () => {
      await check(
        fc.asyncProperty(hostile, fc.array(fc.nat({ max: 400 }), { maxLength: 6 }), async (text, cuts) => {
          const bytes = Buffer.from(text, 'latin1')
          const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
          const cut = at.slice(1).map((end, n) => bytes.subarray(at[n], end))
          const whole = await readAll([bytes])
          expect(await readAll(cut.filter(({ length }) => length > 0))).to.deep.equal(whole)
        }),
        400,
      )
    })

    const size = 256 * 1024
    const filled = (unit: string, bytes = size) => unit.repeat(Math.ceil(bytes / unit.length))
    const long: readonly (readonly [name: string, command: string, before: string, unit: string, after: string])[] = [
      ['parentheses', 'SEARCH', ' ', '(', ''],
      ['NOT', 'SEARCH', ' ', 'NOT ', ''],
      ['one set of many numbers', 'FETCH', ' ', '1:*,7,', '1 FLAGS'],
      ['many sets', 'SEARCH', ' ', '1:* ', ''],
      ['a long string', 'LOGIN', ' "', '\\"', '" x'],
      ['a string without end', 'LOGIN', ' "', '\\"', ''],
      ['a long atom', 'LOGIN', ' ', 'a', ''],
      ['many items', 'FETCH', ' 1 (', 'BODY[HEADER.FIELDS (A B)] ', ')'],
      ['many field names', 'FETCH', ' 1 BODY[HEADER.FIELDS (', 'a ', ')]'],
      ['parts of parts', 'FETCH', ' 1 BODY[', '1.', 'TEXT]'],
      ['many flags', 'STORE', ' 1 FLAGS (', 'x&ANg- ', ')'],
      ['shifts', 'SELECT', ' "', '&', '"'],
      ['shifts that end', 'SELECT', ' "', '&ANg-', '"'],
      ['patterns', 'LIST', ' "" (', '%*% ', ''],
    ]
    for (const [name, word, before, unit, after] of long) {
      it(`takes linear time for ${name}`, async () => {
        const known = await commandNamed(new Parser({ texts: [word], literals: [] }, 'utf7'))
        const read = (text: string) => {
          try {
            known?.command.read(new Parser({ texts: [text], literals: [] }, 'utf7'), session)
          } catch (error) {
            if (!(error instanceof Bad) && !(error instanceof No)) throw error
          }
        }
        const args = (bytes: number) => `${before}${filled(unit, bytes)}${after}`
        expectLinear(name, args(size), read, args(size / 8))
      })
    }

    const patterns = ['%', '*', '%*', '%a', '*a', '*%/']
    for (const unit of patterns) {
      it(`takes linear time for names that fit "${unit}" again and again`, () => {
        expectLinear(unit, filled(unit), (pattern) => folderPattern('', pattern)(`${'a/'.repeat(100)}b`))
      })
    }

    it('takes linear time to decode names', () => {
      for (const unit of ['&ANg-', '&-', 'a', '&AN'])
        expectLinear(unit, filled(unit), (text) => {
          try {
            return decodeUtf7(text)
          } catch (error) {
            if (!(error instanceof No)) throw error
            return null
          }
        })
    })
  })

  describe('the server', () => {
    /** How a connection comes into a state, in which the hostile bytes meet it. */
    const states: readonly (readonly [string, () => Promise<ImapClient>])[] = [
      ['greeted', () => imap.open({ user: null })],
      ['authenticated', () => imap.open()],
      ['selected', () => selected()],
      ['selected with everything on', () => selected('ENABLE IMAP4rev2 QRESYNC UTF8=ACCEPT')],
      ['in IDLE', async () => asked(await selected(), 'x IDLE\r\n')],
      ['within a literal', async () => asked(await imap.open(), 'x APPEND INBOX {40}\r\n')],
      ['within a literal before login', async () => asked(await imap.open({ user: null }), 'x LOGIN {10}\r\n')],
      ['within AUTHENTICATE', async () => asked(await imap.open({ user: null }), 'x AUTHENTICATE PLAIN\r\n')],
    ]

    async function selected(first = 'NOOP'): Promise<ImapClient> {
      const client = await imap.open()
      await client.ask(first)
      await client.ask('SELECT INBOX')
      return client
    }

    async function asked(client: ImapClient, text: string): Promise<ImapClient> {
      client.write(text)
      expect(await client.response()).to.match(/^\+/)
      return client
    }

    before(async () => {
      const client = await imap.open()
      for (const subject of ['one', 'two', 'three']) {
        const text = `From: a@b.example\r\nSubject: ${subject}\r\n\r\nText\r\n`
        await client.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)
      }
    })

    /** What fills a literal that is still awaited; no line of it is a command. */
    const filler = `\r\n${`f NOOP ${'x'.repeat(30_000)}\r\n`.repeat(5)}`

    for (const [name, open] of states) {
      it(`answers, or says goodbye, whatever comes when ${name}`, async () => {
        await check(
          fc.asyncProperty(hostile, async (text) => {
            const client = await open()
            client.write(`${text}${filler}lastone NOOP\r\n`)
            const { lines, end } = await client.answer('lastone')
            if (end === 'CLOSED') expect(lines.join('\n')).to.include('* BYE')
            else expect(end).to.match(/^OK/)
            client.close()
          }),
          40,
        )
        expect((await (await imap.open()).ask('NOOP')).end).to.match(/^OK/)
        const faults = imap.door
          .logs()
          .split('\n')
          .filter((each) => /command failed|connection failed/.test(each))
        expect(faults).to.deep.equal([])
      })
    }

    it('ends who says nothing, in each state', async () => {
      const { imap: patience } = imap.door.ctx.settings.limits
      const before = { ...patience }
      Object.assign(patience, { loginSeconds: 0.2, idleSeconds: 0.2 })
      try {
        // Within a literal the connection breaks off, later.
        const ended = states.filter(([name]) => !name.startsWith('within a literal'))
        await Promise.all(
          ended.map(async ([name, open]) => {
            const client = await open()
            let last = ''
            for (let line = await client.response(); line !== null; line = await client.response()) last = line
            expect(last, name).to.match(/^(\* BYE The connection was idle|x BAD)/)
          }),
        )
      } finally {
        Object.assign(patience, before)
      }
    })

    const ends: readonly (readonly [string, string | null, () => string, RegExp])[] = [
      [
        'commands before login',
        null,
        () => 'a NOOP\r\n'.repeat(limits.commandsBeforeLogin + 1),
        /^\* BYE Too many comm/,
      ],
      ['wrong logins', null, () => 'a LOGIN x@y.example z\r\n'.repeat(limits.wrongLogins), /^\* BYE Too many wrong/],
      [
        'commands that cannot be read',
        'in',
        () => 'a WHAT\r\n'.repeat(limits.badCommands),
        /^\* BYE Too many invalid commands/,
      ],
      ['a line before login', null, () => `a NOOP ${'x'.repeat(limits.lineBytesBeforeLogin)}`, /^\* BYE/],
      ['a line', 'in', () => `a NOOP ${'x'.repeat(limits.lineBytes)}`, /^\* BYE/],
      ['a line in IDLE', 'in', () => `a IDLE\r\n${'x'.repeat(limits.lineBytes + 1)}`, /^\* BYE/],
      ['a line in AUTHENTICATE', null, () => `a AUTHENTICATE PLAIN\r\n${'x'.repeat(limits.lineBytes + 1)}`, /^\* BYE/],
      ['a literal that comes anyway', 'in', () => 'a CREATE {2000000+}\r\n', /^\* BYE/],
    ]
    for (const [name, user, text, expected] of ends) {
      it(`ends at too much: ${name}`, async () => {
        const client = await (user === null ? imap.open({ user }) : imap.open())
        client.write(text())
        let last = ''
        for (let line = await client.response(); line !== null; line = await client.response())
          if (line.startsWith('* BYE')) last = line
        expect(last).to.match(expected)
      })
    }

    const refused: readonly (readonly [string, () => string])[] = [
      ['words', () => `SEARCH ${'ALL '.repeat(limits.words)}ALL`],
      ['sets of messages', () => `SEARCH ${'1 '.repeat(limits.sets)}1`],
      ['parentheses', () => `SEARCH ${'('.repeat(limits.depth + 1)}ALL${')'.repeat(limits.depth + 1)}`],
      ['literals', () => `SEARCH ${'BODY {1+}\r\nx '.repeat(limits.literals)}BODY {1+}\r\nx`],
    ]
    for (const [name, command] of refused) {
      it(`refuses too many ${name}, and goes on`, async () => {
        const client = await selected()
        expect((await client.ask(command())).end).to.match(/^BAD (\[TOOBIG\]|.*too)/)
        expect((await client.ask('NOOP')).end).to.match(/^OK/)
      })
    }

    it('takes messages only as far as there is room for those on their way, and gives it back', async () => {
      const size = imap.door.ctx.settings.limits.smtp.messageBytes
      const count = Math.floor(limits.appendBytesInFlight / size)
      const held: ImapClient[] = []
      for (let n = 0; n < count; n++) held.push(await asked(await imap.open(), `x APPEND INBOX {${size}}\r\n`))
      const late = await imap.open()
      expect((await late.ask(`APPEND INBOX {${size}}`)).end).to.match(/^NO \[UNAVAILABLE\]/)
      held[0]?.close()
      await eventually('room for one more', async () => {
        late.write(`y APPEND INBOX {${size}}\r\n`)
        return (await late.response())?.startsWith('+') === true
      })
      for (const client of [...held, late]) client.close()
    })

    it('gives the room of messages back when a further one of their command is refused', async () => {
      const size = imap.door.ctx.settings.limits.smtp.messageBytes
      const count = Math.floor(limits.appendBytesInFlight / size)
      const held: ImapClient[] = []
      for (let n = 1; n < count; n++) held.push(await asked(await imap.open(), `x APPEND INBOX {${size}}\r\n`))
      for (const client of [await imap.open(), await imap.open()]) {
        const { end } = await client.ask(`APPEND INBOX {${size}}`, `${'x'.repeat(size)} {${size + 1}}\r\n`)
        expect(end).to.match(/^NO \[TOOBIG\]/)
      }
      for (const client of held) client.close()
    })
  })

  it('holds no more than its limit of what a client sends ahead, in small pieces too', async () => {
    for (const [bytes, most] of [
      [16 * 1024, limits.readBytes],
      [1, limits.readChunks],
    ] as const) {
      const source = new Source()
      let given = 0
      const stream = new Readable({
        highWaterMark: 1,
        read() {
          given += bytes
          this.push(Buffer.alloc(bytes, 'x'))
        },
      })
      source.attach(stream)
      await eventually('the stream stands still', async () => stream.isPaused())
      expect(given).to.be.within(most, most + 4 * bytes)
      expect(await source.bytes(3 * most)).to.have.length(3 * most)
      stream.destroy()
    }
  })
})
