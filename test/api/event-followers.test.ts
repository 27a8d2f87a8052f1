/** How clients that follow the events of an account receive them: from their own process, after a change note, or by a query. */
import { expect } from 'chai'
import type { CommandStartedEvent } from 'mongodb'
import { revokeKey } from '../../core/access/keys.ts'
import { authenticate } from '../../core/access/principal.ts'
import { expectNews, followEvents } from '../../core/notify/event-followers.ts'
import { recordEvents } from '../../core/notify/events.ts'
import type { Context } from '../../core/process/context.ts'
import { newId } from '../../schemas/ids.ts'
import { eventually } from '../eventually.ts'
import { openStream, type StreamReader } from '../peers/event-stream.ts'
import { type Call, client } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'

type Envelope = { readonly id: string }
type Events = { readonly events: readonly Envelope[]; readonly cursor: string }

describe('api: a client that follows the events of an account', () => {
  let door: Door
  let another: Awaited<ReturnType<Door['another']>>
  let tenant: Tenant
  let call: Call
  const readers: StreamReader[] = []

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    another = await door.another()
    tenant = await makeTenant(door, { name: 'tenant' })
    call = client(door.http, tenant.key)
  })
  after(async () => {
    for (const reader of readers) reader.hangUp()
    await another?.close()
    await door?.close()
  })

  /** Records an event in the given process. Returns its id. */
  async function happen(ctx: Context): Promise<string> {
    const { accountId, address: mailbox, mailboxId } = tenant
    const createdAt = ctx.clock.now()
    const _id = newId('evt', createdAt)
    const event = {
      _id,
      accountId,
      type: 'message.received',
      createdAt,
      mailbox,
      mailboxId,
      domain: 'tenant.example',
    } as const
    await recordEvents(ctx, [{ ...event, data: { from: null } }])
    return _id
  }
  /** Drops the change notes of a process during `work`. */
  async function withoutNotes<T>({ changes }: Context, work: () => Promise<T>): Promise<T> {
    const { publish } = changes
    Object.assign(changes, { publish: () => undefined })
    try {
      return await work()
    } finally {
      Object.assign(changes, { publish })
    }
  }
  /** How often the process of the door queries for new events during `work`. */
  async function looksDuring(work: () => Promise<void>): Promise<number> {
    let looks = 0
    const count = ({ command }: CommandStartedEvent) => {
      if (command.find === 'events' && command.filter.seq?.$gt !== undefined) looks += 1
    }
    door.ctx.store.db.client.on('commandStarted', count)
    await work()
    door.ctx.store.db.client.off('commandStarted', count)
    return looks
  }
  const list = async (query: string) => (await call<Events>('GET', `/api/v1/events?limit=200${query}`)).body
  const ids = ({ events }: Events) => events.map(({ id }) => id)
  const end = async () => (await list('')).cursor
  async function follow(count: number): Promise<StreamReader[]> {
    const [key, query] = [tenant.key, `?after=${await end()}`]
    const opened = await Promise.all(Array.from({ length: count }, () => openStream(door.http, { key, query })))
    readers.push(...opened)
    return opened
  }
  async function heardBy(reader: StreamReader, count: number): Promise<string[]> {
    const heard: string[] = []
    while (heard.length < count) {
      const event = await reader.next()
      if (event === null) throw new Error(`ended after ${heard.length} events: ${reader.text()}`)
      heard.push((JSON.parse(event.data) as Envelope).id)
    }
    return heard
  }

  it('receives an event whose change note was lost', async () => {
    const answer = list(`&after=${await end()}&wait=1`)
    await door.nextRequests()
    const lost = await withoutNotes(another.ctx, () => happen(another.ctx))
    const first = await answer
    // An event recorded right after a query is found by the next one.
    const got = first.events.length > 0 ? first : await list(`&after=${first.cursor}&wait=1`)
    expect(ids(got)).to.deep.equal([lost])
  })

  it('shares one query for new events with hundreds of others, and each receives all events once', async () => {
    const opened = await follow(250)
    const looks = await looksDuring(async () => {
      const made = [await happen(another.ctx), await happen(another.ctx), await happen(another.ctx)]
      for (const reader of opened) expect(await heardBy(reader, made.length)).to.deep.equal(made)
    })
    expect(looks).to.be.within(1, 6)
    for (const reader of opened) reader.hangUp()
  })

  it('receives events of its own process without a change note and without a query', async () => {
    const opened = await follow(3)
    const isHeardWithoutLook = async () => {
      const looks = await looksDuring(() =>
        withoutNotes(door.ctx, async () => {
          const made = [await happen(door.ctx), await happen(door.ctx)]
          for (const reader of opened) expect(await heardBy(reader, made.length)).to.deep.equal(made)
        }),
      )
      return looks === 0
    }
    // The process also queries now and then, for events whose note was lost.
    await eventually('events that are heard without a look', isHeardWithoutLook)
  })

  it('receives each event once and in order, whichever processes record at the same time', async () => {
    const from = await end()
    const opened = await follow(3)
    const both = [door.ctx, another.ctx]
    for (let n = 0; n < 40; n++) await Promise.all([happen(both[n % 2]!), happen(door.ctx), happen(another.ctx)])
    const log = ids(await list(`&after=${from}`))
    expect(log).to.have.length(120)
    for (const reader of opened) expect(await heardBy(reader, log.length)).to.deep.equal(log)
  })

  for (const [moment, opensAt] of [
    ['has failed', 'before'],
    ['is under way', 'after'],
  ] as const)
    it(`hears nothing with a revoked key, also when a check ahead of the event ${moment}`, async () => {
      const { ctx } = door
      const { apiKey, key } = await makeKey(ctx, { accountId: tenant.accountId })
      const principal = await authenticate(ctx, apiKey)
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      const again = () => gate.then(() => authenticate(ctx, apiKey))
      const follower = await followEvents(ctx, { principal, again }, { after: await end(), limit: 10 })
      await revokeKey(ctx, { accountId: tenant.accountId, keyId: key.id })
      await door.noticed()
      expectNews(ctx, new Set([tenant.accountId]))
      if (opensAt === 'before') open()
      await happen(ctx)
      const got = follower.next(0).then(
        ({ events }) => events,
        ({ code }: { code: string }) => code,
      )
      open()
      expect(await got).to.equal('invalid_api_key')
      follower.close()
    })
})
