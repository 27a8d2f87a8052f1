import { spawn } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { UsageDoc } from '../../store/documents/accounts.ts'
import { migrate } from '../../store/migrations.ts'
import { openStore, type Store } from '../../store/open.ts'
import { isReady, prepare } from '../../store/preparation.ts'
import { isUnavailable } from '../../store/unwell.ts'
import { eventually } from '../eventually.ts'
import { type Started, startEngine, url } from '../start/engine.ts'

const commands = 20
const patienceMs = 60_000

describe('store: open', () => {
  const sockets: Socket[] = []
  const used = (count: number) => Promise.all(Array.from({ length: count }, () => store.ping()))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const note = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket)
  let engine: Started
  let store: Store

  before(async () => {
    engine = await startEngine()
    channel('net.client.socket').subscribe(note)
    store = await openStore({ url: url(engine.socket), role: 'test' })
  })
  after(async () => {
    channel('net.client.socket').unsubscribe(note)
    await store?.close()
    await engine?.stop()
  })

  it('answers commands whose connections end just as they are written', async () => {
    await used(commands)
    cut()
    const outcomes = Promise.allSettled(Array.from({ length: commands }, () => store.ping()))
    const settled = await Promise.race([outcomes, sleep(patienceMs)])
    expect(settled).to.be.an('array', 'nothing was answered')
    await store.ping()
  })

  it('knows what is wrong when the connection of a bulk write ends', async () => {
    await used(1)
    cut()
    const all = { updateMany: { filter: { _id: 'nobody' }, update: { $set: { until: new Date() } } } }
    const outcome = await store.searchMerges.bulkWrite([all]).catch((error: unknown) => error)
    expect(outcome).to.be.an('error')
    expect(isUnavailable(outcome)).to.equal(true)
  })

  it('leaves no connection when it refuses a database that was moved', async () => {
    const block = (global: boolean) => engine.client.db('admin').command({ setUserWriteBlockMode: 1, global })
    const opened = async () => (await engine.client.db('admin').command({ serverStatus: 1 })).connections.current
    const value = { id: 'mov_1', to: 'mongodb://elsewhere', at: new Date() }
    await engine.client
      .db('moved')
      .collection<{ _id: string }>('state')
      .insertOne({ _id: 'moving', value } as never)
    await used(1)
    const before = await opened()
    await block(true)
    try {
      const refused = openStore({ url: `${url(engine.socket)}/moved`, role: 'test' })
      expect(String(await refused.catch((error: unknown) => error))).to.include('moved to mongodb://elsewhere')
    } finally {
      await block(false)
    }
    await eventually('the connections end', async () => (await opened()) <= before)
  })

  describe('a database that is not ready', () => {
    type Preparation = {
      readonly holder: string | null
      readonly until?: Date
      readonly host?: string
      readonly pid?: number
    }
    const name = 'unready'
    const state = () => engine.client.db(name).collection<{ _id: string; value: Preparation }>('state')
    const found = async () => (await state().findOne({ _id: 'preparation' }))?.value
    const lockedUntil = (until: Date) => state().insertOne({ _id: 'preparation', value: { holder: 'another', until } })
    /** A node that makes it ready, and how many commands it needed for that. */
    const node = () => {
      const client = new MongoClient(url(engine.socket), { monitorCommands: true })
      let builds = 0
      client.on('commandStarted', ({ commandName }) => {
        if (commandName === 'createIndexes') builds += 1
      })
      return { db: client.db(name), builds: () => builds, close: () => client.close() }
    }
    let nodes: ReturnType<typeof node>[] = []
    beforeEach(() => {
      nodes = [node(), node(), node()]
    })
    afterEach(async () => {
      await Promise.all(nodes.map(({ close }) => close()))
      await engine.client.db(name).dropDatabase()
    })

    it('is made ready by one of the nodes that start together; the others wait, and so does none that starts after them', async () => {
      await Promise.all(nodes.slice(1).map(({ db }) => prepare(db)))
      expect(await isReady(nodes[0]!.db)).to.equal(true)
      await prepare(nodes[0]!.db)
      expect(nodes.map(({ builds }) => builds() > 0).filter(Boolean)).to.have.length(1)
      expect(await nodes[0]!.db.collection('threads').indexExists('live')).to.equal(true)
    })

    it('is left to a node that is at it, and taken over from one that died', async () => {
      await lockedUntil(new Date(Date.now() + 60_000))
      const waiting = prepare(nodes[0]!.db)
      // It looks several times meanwhile.
      for (let asked = 0; asked < 3; asked++) await once(nodes[0]!.db.client, 'commandSucceeded')
      expect(nodes[0]!.builds()).to.equal(0)
      await state().updateOne({ _id: 'preparation' }, { $set: { 'value.until': new Date(0) } })
      await waiting
      expect(nodes[0]!.builds()).to.be.above(0)
      expect(await found()).to.deep.include({ holder: null })
    })

    it('is taken over at once from a process of this machine that is dead, and left to one that lives', async () => {
      const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
      await once(dead, 'exit')
      const held = { holder: 'another', until: new Date(Date.now() + 600_000), host: hostname() }
      await state().insertOne({ _id: 'preparation', value: { ...held, pid: process.pid } })
      const waiting = prepare(nodes[0]!.db)
      for (let asked = 0; asked < 3; asked++) await once(nodes[0]!.db.client, 'commandSucceeded')
      expect(nodes[0]!.builds()).to.equal(0)
      await state().updateOne({ _id: 'preparation' }, { $set: { 'value.pid': dead.pid! } })
      await waiting
      expect(await found()).to.deep.include({ holder: null })
    })

    it('is made ready again after a program with other declarations', async () => {
      await prepare(nodes[0]!.db)
      await state().updateOne({ _id: 'preparation' }, { $set: { 'value.program': 'another' } })
      expect(await isReady(nodes[1]!.db)).to.equal(false)
      await prepare(nodes[1]!.db)
      expect(nodes[1]!.builds()).to.be.above(0)
    })
  })

  it('puts the days of an earlier version into their months, and the takes that are open there', async () => {
    const { usage, state } = store
    const [at, expiresAt] = [new Date(1), new Date('2027-01-01')]
    const open = { token: 't', purpose: 'em_1', counter: 'sent', by: 2, at }
    const figures = { _id: 'acc_1:daily:mbx_1:2026-11-22', counts: { sent: 3 }, expiresAt }
    const days: UsageDoc[] = [
      { _id: 'acc_1:2026-11-21', counts: { sent: 1, bounced: 1 }, expiresAt },
      { _id: 'acc_1:2026-11-22', counts: { sent: 2 }, expiresAt, open: [open] },
      { _id: 'signup:192.0.2.7:2026-11-22', counts: { signups: 4 }, expiresAt },
    ]
    await usage.insertMany([{ _id: 'acc_1:2026-11', counts: { sent: 9 }, expiresAt: at }, figures])
    for (let time = 0; time < 2; time++) {
      // As a crash would leave it that came before the last of them was deleted.
      await usage.insertMany(time === 0 ? days : days.slice(1, 2))
      await state.updateOne({ _id: 'schemaVersions' }, { $set: { 'value.usage': 2 } })
      await migrate(store.db)
      expect(await usage.find({}).sort({ _id: 1 }).toArray()).to.deep.equal([
        {
          _id: 'acc_1:2026-11',
          counts: { sent: 9, d21: { sent: 1, bounced: 1 }, d22: { sent: 2 } },
          expiresAt,
          open: [{ ...open, counter: 'd22.sent' }],
        },
        figures,
        { _id: 'signup:192.0.2.7:2026-11', counts: { d22: { signups: 4 } }, expiresAt },
      ])
    }
  })

  it('makes claims of the domains of an earlier version that were not verified, and has the others watched', async () => {
    const { db, domains, domainClaims, state } = store
    const shared = { parent: null, dkim: [], defaultDisplayName: null, createdAt: new Date(1), verifiedAt: null }
    const before = [
      { ...shared, _id: 'wish.example', accountId: 'acc_1', status: 'pending' },
      { ...shared, _id: 'own.example', accountId: 'acc_1', status: 'verified', verifiedAt: new Date(2) },
      { ...shared, _id: 'shared.example', accountId: null, status: 'verified' },
      { ...shared, _id: 'free.shared.example', accountId: 'acc_1', parent: 'shared.example', status: 'verified' },
    ]
    await domains.insertMany(before as never)
    const versions = (await state.findOne({ _id: 'schemaVersions' }))?.value as { readonly domains: number }
    for (let times = 0; times < 2; times++) {
      await state.updateOne({ _id: 'schemaVersions' }, { $set: { value: { ...versions, domains: 1 } } })
      await migrate(db)
    }
    const [claim, ...more] = await domainClaims.find({}).toArray()
    expect(more).to.deep.equal([])
    expect(claim).to.deep.include({ accountId: 'acc_1', domain: 'wish.example', createdAt: new Date(1) })
    expect(claim?.token).to.have.length(43)
    const left = await domains.find({}).sort({ _id: 1 }).toArray()
    expect(left.map(({ _id, watch }) => [_id, watch !== undefined])).to.deep.equal([
      ['free.shared.example', false],
      ['own.example', true],
      ['shared.example', false],
    ])
  })
})
