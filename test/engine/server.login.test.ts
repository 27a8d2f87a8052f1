import { rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { BSON } from 'bson'
import { expect } from 'chai'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { ScramError, ScramExchange } from '../../engine/auth/scram.ts'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import { failure } from './failure.ts'

const user = 'mailroom'
const password = 'correct horse, battery=staple'

describe('engine: TCP and logins', () => {
  let engine: Started
  let port: number

  before(async () => {
    const dir = temporaryFolder()
    const file = join(dir, 'password')
    writeFileSync(file, `${password}\n`, { mode: 0o600 })
    engine = await startEngine({ dir, args: ['--tcp', '127.0.0.1:0', '--user', user, '--password-file', file] })
    await engine.db.collection('c').insertOne({ from: 'the unix socket' })
    port = portOf(engine)
  })
  after(async () => {
    await engine.stop()
    rmSync(engine.dir, { recursive: true, force: true })
  })

  const client = (options: MongoClientOptions = {}) =>
    new MongoClient(`mongodb://127.0.0.1:${port}/`, { serverSelectionTimeoutMS: 3000, ...options })
  const tried = async (options: MongoClientOptions) => {
    const asked = client(options)
    try {
      return await asked.db('test').collection('c').findOne()
    } finally {
      await asked.close()
    }
  }

  it('the right password opens everything', async () => {
    const found = await tried({ auth: { username: user, password } })
    expect(found).to.include({ from: 'the unix socket' })
  })

  it('the driver may name the mechanism and the database', async () => {
    const options = { auth: { username: user, password }, authMechanism: 'SCRAM-SHA-256', authSource: 'admin' } as const
    expect(await tried(options)).to.include({ from: 'the unix socket' })
  })

  const refused: [name: string, options: MongoClientOptions, code: number][] = [
    ['a wrong password', { auth: { username: user, password: 'wrong' } }, 18],
    ['an unknown user', { auth: { username: 'somebody', password } }, 18],
    ['a user of another database', { auth: { username: user, password }, authSource: 'test' }, 18],
    ['no password', {}, 13],
    ['SCRAM-SHA-1', { auth: { username: user, password }, authMechanism: 'SCRAM-SHA-1' }, 334],
  ]
  for (const [name, options, code] of refused) {
    it(`${name}: code ${code}`, async () => {
      const found = await failure(tried(options))
      expect(found).to.include({ code })
    })
  }

  it('many connections log in at once', async () => {
    const many = client({ auth: { username: user, password }, maxPoolSize: 60 })
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => many.db('test').collection('c').countDocuments()),
    )
    expect(new Set(answers)).to.deep.equal(new Set([1]))
    const status = await many.db('admin').command({ connectionStatus: 1 })
    expect(status.authInfo.authenticatedUsers).to.deep.equal([{ user, db: 'admin' }])
    await many.close()
  })

  it('a copy of all data is made for the unix socket only', async () => {
    const asked = client({ auth: { username: user, password } })
    const path = join(engine.dir, 'copy.db')
    expect(await failure(asked.db('admin').command({ embeddedBackup: path }))).to.include({ code: 13 })
    await asked.close()
  })

  it('before a login only the handshake is answered, and attempts are counted', async () => {
    const raw = await Raw.open(port)
    expect(await raw.ask({ hello: 1, $db: 'admin', saslSupportedMechs: 'admin.nobody' })).to.include({ ok: 1 })
    expect(await raw.ask({ ping: 1, $db: 'admin' })).to.include({ ok: 1 })
    for (const name of [
      'find',
      'insert',
      'listDatabases',
      'buildInfo',
      'serverStatus',
      'endSessions',
      'embeddedBackup',
    ])
      expect(await raw.ask({ [name]: 'c', $db: 'admin' }), name).to.include({ ok: 0, code: 13 })
    expect(await raw.ask({ saslContinue: 1, conversationId: 1, payload: bytes('x'), $db: 'admin' })).to.include({
      code: 17,
    })
    const wrong = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: bytes('p=tls-unique,,n=a,r=b'), $db: 'admin' }
    for (let attempt = 0; attempt < 3; attempt++) expect(await raw.ask(wrong)).to.include({ ok: 0, code: 18 })
    await raw.closed
  })

  it('before a login a long message ends the connection', async () => {
    const raw = await Raw.open(port)
    raw.ask({ ping: 1, padding: 'x'.repeat(20_000), $db: 'admin' }).catch(() => undefined)
    await raw.closed
    expect(await engine.db.command({ ping: 1 })).to.include({ ok: 1 })
  })

  it('credentials over the unix socket are refused with a reason', async () => {
    const asked = new MongoClient(`mongodb://${encodeURIComponent(engine.socket)}`, {
      auth: { username: user, password },
      serverSelectionTimeoutMS: 3000,
    })
    expect(String(await failure(asked.db('test').command({ ping: 1 })))).to.match(/who can open its socket has access/)
    await asked.close()
  })
})

describe('engine: SCRAM-SHA-256', () => {
  // RFC 7677 3: user `user`, password `pencil`; the server's part of the nonce is ours and therefore differs.
  const malformed: [name: string, first: string][] = [
    ['channel binding', 'p=tls-unique,,n=user,r=abc'],
    ['another identity', 'n,a=admin,n=user,r=abc'],
    ['no nonce', 'n,,n=user'],
    ['no name', 'n,,n=,r=abc'],
    ['a mandatory extension', 'n,,m=x,n=user,r=abc'],
    ['a stray equals sign in the name', 'n,,n=us=er,r=abc'],
    ['nothing', ''],
  ]
  const keys = {
    user: 'user',
    salt: Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'),
    iterations: 4096,
    storedKey: Buffer.from('WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=', 'base64'),
    serverKey: Buffer.from('wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=', 'base64'),
    disguise: Buffer.alloc(32),
  }
  for (const [name, first] of malformed) {
    it(`refuses: ${name}`, () => expect(() => new ScramExchange(keys).first(Buffer.from(first))).to.throw(ScramError))
  }

  it('answers with salt, count and a longer nonce', () => {
    const answer = new ScramExchange(keys).first(Buffer.from('n,,n=user,r=rOprNGfwEbeRWgbNEkqO')).toString()
    expect(answer).to.match(/^r=rOprNGfwEbeRWgbNEkqO[^,]{20,},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096$/)
  })

  it('an unknown name gets a salt of its own that stays the same', () => {
    const salt = (name: string) =>
      /s=([^,]+)/.exec(new ScramExchange(keys).first(Buffer.from(`n,,n=${name},r=abc`)).toString())?.[1]
    expect(salt('nobody')).to.equal(salt('nobody')).and.not.equal(salt('other')).and.not.equal(salt('user'))
  })

  it('a final message of another exchange is refused', () => {
    const exchange = new ScramExchange(keys)
    exchange.first(Buffer.from('n,,n=user,r=abc'))
    expect(() => exchange.final(Buffer.from('c=biws,r=abcdef,p=AAAA'))).to.throw(ScramError)
  })
})

function portOf({ log }: Started): number {
  const line = log().find((text) => text.includes('"listening"') && text.includes('"port"'))
  return (JSON.parse(line ?? '{}') as { port: number }).port
}

const bytes = (text: string) => new BSON.Binary(Buffer.from(text))

/** OP_MSG by hand, for what no driver would send. */
class Raw {
  readonly closed: Promise<void>
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #waiting = Promise.withResolvers<BSON.Document>()

  private constructor(socket: Socket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#waiting.reject(new Error('closed')))
    this.#waiting.promise.catch(() => undefined)
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      if (this.#received.length < 4 || this.#received.length < this.#received.readInt32LE(0)) return
      const reply = BSON.deserialize(this.#received.subarray(21, this.#received.readInt32LE(0)))
      this.#received = this.#received.subarray(this.#received.readInt32LE(0))
      this.#waiting.resolve(reply)
    })
  }

  static async open(port: number): Promise<Raw> {
    const socket = connect(port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    return new Raw(socket)
  }

  ask(command: BSON.Document): Promise<BSON.Document> {
    const body = BSON.serialize(command)
    const head = Buffer.alloc(21)
    head.writeInt32LE(21 + body.length, 0)
    head.writeInt32LE(1, 4)
    head.writeInt32LE(2013, 12)
    this.#waiting = Promise.withResolvers()
    this.#waiting.promise.catch(() => undefined)
    this.#socket.write(Buffer.concat([head, body]))
    return this.#waiting.promise
  }
}
