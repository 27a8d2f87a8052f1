/** The rotation of the master key: by hand, under load, and with a process dying at any step. */
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { serialize } from 'bson'
import { expect } from 'chai'
import type { Binary, Collection, Document } from 'mongodb'
import { readToken, signToken } from '../../../core/access/signed-tokens.ts'
import { minuteMs } from '../../../core/process/clock.ts'
import { type Context, closeContext } from '../../../core/process/context.ts'
import { sealedWith, sealWith } from '../../../core/process/secrets.ts'
import { keyStatus, rotateMasterKey } from '../../../core/upkeep/key-rotation.ts'
import { fromBinary } from '../../../store/bytes.ts'
import { collections } from '../../../store/collections.ts'
import { type SealedCollectionName, sealedCollections } from '../../../store/reseal.ts'
import { acmeAccountName, type SealedField, sealedFields, toSealed } from '../../../store/sealed.ts'
import { eventually } from '../../eventually.ts'
import { type Door, openDoor } from '../../start/door.ts'
import { dyingAtEachWrite } from '../../start/dying.ts'
import { contextOf } from '../../start/service.ts'

const newKey = () => randomBytes(32).toString('hex')
const silent = () => undefined
const idOf = (name: string) => (name === 'state' ? acmeAccountName('https://authority.example') : `sealed-${name}`)

describe('the rotation of the master key', () => {
  let door: Door
  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  const masterOf = (ctx: Context) => ctx.keyring.given().master.id

  /** Puts a sealed value into every field of the table of sealed fields; the plain value names its field. */
  async function sealEverywhere(ctx: Context, seal: (plain: string, purpose: string) => Buffer): Promise<void> {
    for (const name of sealedCollections) {
      const document: Document = { _id: idOf(name), [collections[name].shardKey]: idOf(name) }
      for (const { path: at, purpose } of fieldsOf(name)) {
        const sealed = seal(`${name} ${at}`, purpose(document))
        put(document, at.split('.'), name === 'idempotency' ? sealed.toString('base64') : toSealed(sealed))
      }
      await collectionOf(ctx, name).replaceOne({ _id: document._id }, document, { upsert: true })
    }
  }

  /** Opens these sealed values and checks them. Returns the ids of the keys that sealed them. */
  async function openEverywhere(ctx: Context): Promise<ReadonlySet<string | null>> {
    const keys = new Set<string | null>()
    for (const name of sealedCollections) {
      const document = await collectionOf(ctx, name).findOne({ _id: idOf(name) as never })
      for (const { path: at, purpose } of fieldsOf(name)) {
        const lying = at
          .split('.')
          .reduce<unknown>((value, step) => (value as Document)[step === '*' ? 1 : step], document)
        const bytes = typeof lying === 'string' ? Buffer.from(lying, 'base64') : fromBinary(lying as Binary)
        expect(ctx.secrets.open(bytes, purpose(document!)), `${name} ${at}`).to.equal(`${name} ${at}`)
        keys.add(sealedWith(bytes))
      }
    }
    return keys
  }

  it('seals all values again, including those of earlier versions; digests stay, and earlier links still work', async () => {
    const { ctx } = door
    const other = await door.another()
    const before = masterOf(ctx)
    const old = ctx.keyring.given().master
    // Without the marker and key id, as earlier versions sealed.
    await sealEverywhere(ctx, (plain, purpose) => sealWith(old, plain, purpose).subarray(12))
    const plainBody = { _id: 'plain', accountId: 'acc_x', body: 'em_01j00000000000000000000000' }
    await ctx.store.db.collection<Document>('idempotency').insertOne({ ...plainBody, _id: plainBody._id as never })
    const tag = ctx.secrets.tag('a name', 'name')
    const link = signToken(ctx, 'link', { kind: 'att', ids: ['a'] }, new Date(Date.now() + 60_000))
    expect(await openEverywhere(ctx)).to.deep.equal(new Set([null]))

    const { key, renewed, unreadable } = await rotateMasterKey(ctx, silent)
    expect(key).to.not.equal(before)
    expect(renewed).to.be.at.least(12)
    expect(unreadable).to.deep.equal([])
    // The rotation waits for the other process, which has read the new key and seals with it.
    for (const each of [ctx, other.ctx]) {
      expect(await openEverywhere(each)).to.deep.equal(new Set([key]))
      expect(sealedWith(each.secrets.seal('x', 'y'))).to.equal(key)
      expect(each.secrets.tag('a name', 'name')).to.deep.equal(tag)
      expect(readToken(each, 'link', link)).to.deep.equal({ kind: 'att', ids: ['a'] })
      expect(readToken(each, 'other', link)).to.equal(null)
    }
    expect((await collectionOf(ctx, 'idempotency').findOne({ _id: 'plain' as never }))?.body).to.equal(plainBody.body)
    expect(await placesOf(ctx, before)).to.deep.equal(['state masterKey'])
    const status = await keyStatus(ctx)
    expect(status.isThrough).to.equal(true)
    expect(status.keys.map(({ key: id, use }) => [id, use])).to.deep.equal([[key, 'current']])
    expect(status.holders.every(({ sealsWith }) => sealsWith === key)).to.equal(true)
    await other.close()
  })

  it('runs while processes seal: nothing is lost, and each process has the key within a second', async () => {
    const { ctx } = door
    const other = await door.another()
    let going = true
    let made = 0
    const load = [ctx, other.ctx].map(async ({ secrets, store }, n) => {
      for (; going; made++) {
        const _id = `load-${n}-${made}` as never
        const sealed = toSealed(secrets.seal(`text ${n} ${made}`, 'oauth'))
        await store.db.collection('oauthArtifacts').insertOne({ _id, sealed, plain: `text ${n} ${made}` })
      }
    })
    await eventually('some are sealed', async () => made > 20)
    const { key } = await rotateMasterKey(ctx, silent)
    going = false
    await Promise.all(load)
    for await (const { sealed, plain } of ctx.store.db
      .collection('oauthArtifacts')
      .find({ plain: { $exists: true } })) {
      expect(sealedWith(fromBinary(sealed))).to.equal(key)
      expect(other.ctx.secrets.open(fromBinary(sealed), 'oauth')).to.equal(plain)
    }
    await other.close()
  })

  it('is refused while a running process lacks the key, and continues once that process has been given it', async () => {
    const { ctx } = door
    const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-keys-'))
    const secrets = path.join(folder, 'secrets')
    await cp(ctx.keyring.given().folder, secrets, { recursive: true })
    const node = await contextOf({ data: folder, url: urlOf(ctx) })
    const before = masterOf(ctx)
    const refused = await failureOf(rotateMasterKey(ctx, silent))
    expect(refused.message).to.match(/^These processes do not have the key [0-9a-f]{16}: test on /)
    // Only the file has changed.
    expect(sealedWith(ctx.secrets.seal('x', 'y'))).to.equal(before)
    expect(await openEverywhere(node)).to.deep.equal(new Set([before]))
    await cp(ctx.keyring.given().folder, secrets, { recursive: true })
    const { key } = await rotateMasterKey(ctx, silent)
    expect(sealedWith(node.secrets.seal('x', 'y'))).to.equal(key)
    await closeContext(node)
    await rm(folder, { recursive: true })
  })

  it('continues from wherever it died, and a start without a key that is still needed is refused with an error', async () => {
    const { ctx } = door
    const { folder } = ctx.keyring.given()
    const open = () =>
      contextOf({ data: path.dirname(folder), url: `${urlOf(ctx)}?monitorCommands=true` }, ctx.machineClock)
    const before = masterOf(ctx)
    await sealEverywhere(ctx, ctx.secrets.seal)
    let halves = 0
    const deaths = await dyingAtEachWrite(
      open,
      (dying) => rotateMasterKey(dying, silent),
      async () => {
        // The dead process no longer counts.
        door.advance(3 * minuteMs)
        const used = await openEverywhere(ctx)
        if (!used.has(before) || used.size === 1 || halves++ > 0) return
        const bare = await mkdtemp(path.join(tmpdir(), 'mailroom-keys-'))
        await cp(path.join(folder, 'master.key'), path.join(bare, 'secrets', 'master.key'))
        const { message } = await failureOf(contextOf({ data: bare, url: urlOf(ctx) }))
        expect(message).to.include(
          `sealed with an earlier key (${before}), which this process does not have. Put that key into`,
        )
        await rm(bare, { recursive: true })
      },
      () => 1,
    )
    expect(deaths).to.be.greaterThan(9)
    expect(halves).to.be.greaterThan(3)
    expect((await keyStatus(ctx)).isThrough).to.equal(true)
    expect(await placesOf(ctx, before)).to.deep.equal(['state masterKey'])
  })

  it('uses keys of the settings, and says what to do if there is none to rotate to', async () => {
    const { ctx } = door
    const data = await mkdtemp(path.join(tmpdir(), 'mailroom-keys-'))
    const open = (env: Record<string, string>) => contextOf({ data, url: urlOf(ctx) }, ctx.machineClock, undefined, env)
    const [one, two] = [
      (await readFile(path.join(ctx.keyring.given().folder, 'master.key'))).toString('base64'),
      newKey(),
    ]
    const sealed = ctx.secrets.seal('text', 'use')
    const first = await open({ MAILROOM_SECRETS_MASTER_KEY: one })
    expect((await failureOf(rotateMasterKey(first, silent))).message).to.equal(
      'There is no other key to change to: secrets.masterKey is the one in use.',
    )
    await closeContext(first)
    expect((await failureOf(open({ MAILROOM_SECRETS_MASTER_KEY: two }))).message).to.match(
      /^secrets.masterKey is not the key that this database was sealed with\. Copy/,
    )
    await writeFile(path.join(ctx.keyring.given().folder, 'next.key'), `${two}\n`)
    const second = await open({ MAILROOM_SECRETS_MASTER_KEY: two, MAILROOM_SECRETS_PREVIOUS_KEYS: `["${one}"]` })
    expect((await keyStatus(second)).keys.map(({ use }) => use)).to.include.members(['current', 'next'])
    const { key } = await rotateMasterKey(second, silent)
    expect(sealedWith(ctx.secrets.seal('text', 'use'))).to.equal(key)
    expect(second.secrets.open(sealed, 'use')).to.equal('text')
    await closeContext(second)
    // A process with the two keys in reverse order must not rotate back.
    expect((await failureOf(rotateMasterKey(ctx, silent))).message).to.match(
      /master\.key is a key that was changed already, on another node\.$/,
    )
    expect(await readdir(data)).to.deep.equal([])
    const last = await open({ MAILROOM_SECRETS_MASTER_KEY: two })
    expect((await failureOf(async () => last.secrets.open(sealed, 'use'))).message).to.match(
      /^The key [0-9a-f]{16}, which this was sealed with, is not known to this process\.$/,
    )
    await closeContext(last)
    await rm(data, { recursive: true })
  })

  const wrongFiles = [
    ['too short', Buffer.alloc(31), /master\.key does not hold a key of 32 bytes\.$/],
    ['no base64', Buffer.from('not a key\n'), /master\.key does not hold a key of 32 bytes\.$/],
  ] as const
  for (const [name, bytes, said] of wrongFiles)
    it(`the error for a key file that is ${name} names the file`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-keys-'))
      await cp(door.ctx.keyring.given().folder, path.join(folder, 'secrets'), { recursive: true })
      await writeFile(path.join(folder, 'secrets', 'master.key'), bytes)
      expect((await failureOf(contextOf({ data: folder, url: urlOf(door.ctx) }))).message).to.match(said)
      await rm(folder, { recursive: true })
    })
})

const urlOf = ({ store: { db } }: Context) =>
  `mongodb://${encodeURIComponent(String(db.client.options.hosts[0]))}/${db.databaseName}`

const fieldsOf = (name: SealedCollectionName) => sealedFields[name] as unknown as readonly SealedField[]
const collectionOf = ({ store }: Context, name: SealedCollectionName) => store[name] as unknown as Collection<Document>

/** Sets a value at a path; in a list, in its first two elements. */
function put(into: Document, [step = '', ...steps]: readonly string[], value: unknown): void {
  if (steps.length === 0) into[step] = value
  else if (steps[0] === '*') {
    into[step] = [{}, {}]
    for (const element of into[step]) put(element, steps.slice(1), value)
  } else {
    into[step] ??= {}
    put(into[step], steps, value)
  }
}

/** The documents anywhere in the database that contain the id of a key. */
async function placesOf({ store: { db } }: Context, keyId: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (['keyHolders', 'changeNotes'].includes(name)) continue
    for await (const document of db.collection(name).find()) {
      const bytes = Buffer.from(serialize(document))
      const text = JSON.stringify(document)
      if (
        bytes.includes(Buffer.from(`6d726b31${keyId}`, 'hex')) ||
        text.includes(keyId) ||
        text.includes(marked(keyId))
      )
        found.push(`${name} ${String(document._id)}`)
    }
  }
  return found
}

/** The first bytes of values sealed with a key, in base64. */
const marked = (keyId: string) => Buffer.from(`6d726b31${keyId}`, 'hex').toString('base64').slice(0, 16)

async function failureOf(work: Promise<unknown> | (() => Promise<unknown>)): Promise<Error> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    return error as Error
  }
  throw new Error('It did not fail.')
}
