/** Tests that each request causes the number of database commands given in the table of commands in ARCHITECTURE.md. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { CommandStartedEvent, Document } from 'mongodb'
import { authenticate, type Principal } from '../../core/access/principal.ts'
import { changeMessage, deleteMessage } from '../../core/mailbox/message-changes.ts'
import { withRequest } from '../../core/process/context.ts'
import { readMessage } from '../../core/read/bodies.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import { waitForMessage } from '../../core/wait/wait.ts'
import { toldOf } from '../documents.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'

const architecture = readFileSync('ARCHITECTURE.md', 'utf8')
const rows = new Map(
  [...architecture.matchAll(/^\| (an? [a-z ]+) \| (\d+) \| (.+) \|$/gm)].map(([, request = '', count, what = '']) => [
    request,
    { count: Number(count), what },
  ]),
)

describe('api: commands to the database', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let messageId: string
  let threadId: string
  let cursor: string | undefined
  const others: string[] = []
  const unread: string[] = []
  let mail = 0
  const commands: string[] = []

  const raw = () => `From: a@remote.example\nSubject: Hello ${++mail}\n\nHello ${mail}`
  const path = () => mailboxPath(tenant.address)
  const patch = async (change: object) => {
    const { status } = await call('PATCH', `${path()}/messages/${messageId}`, change)
    expect(status).to.equal(200)
  }
  /** A wait shorter than HTTP allows, without a match. */
  const wait = async (since?: string) => {
    const ctx = withRequest(door.ctx, 'wait')
    const principal = await authenticate(ctx, tenant.key)
    const what = { address: tenant.address, subject: 'never', since, timeoutSeconds: 0.02 }
    const { message } = await waitForMessage(
      ctx,
      { principal, again: async () => principal },
      what,
      new AbortController().signal,
    )
    expect(message).to.equal(null)
  }
  const idempotentSend = async (key: string) => {
    const body = { to: 'b@remote.example', subject: 's', text: 't' }
    const { status } = await call('POST', `${path()}/send`, body, { 'idempotency-key': key })
    expect(status).to.equal(202)
  }
  const requests: { readonly [request: string]: () => Promise<unknown> } = {
    'an arrival': () => deliver(door.ctx, { to: tenant.address, raw: raw() }),
    'a send': () => call('POST', `${path()}/send`, { to: 'b@remote.example', subject: 's', text: 't' }),
    'a send under a key of its own': () => idempotentSend(`key ${++mail}`),
    'a list': () => call('GET', `${path()}/messages`),
    'a message': () => call('GET', `${path()}/messages/${unread.pop()}`),
    'a message again': () => call('GET', `${path()}/messages/${messageId}`),
    'a search': () => call('GET', `${path()}/search?q=hello`),
    'a thread list': () => call('GET', `${path()}/threads`),
    'a thread': () => call('GET', `${path()}/threads/${threadId}`),
    'a flag': () => patch({ flagged: ++mail % 2 === 0 }),
    'a move': () => patch({ folder: ++mail % 2 === 0 ? 'archive' : 'inbox' }),
    'a deletion': () => call('DELETE', `${path()}/messages/${others.pop()}`),
    'a deletion for good': () => call('DELETE', `${path()}/messages/${others.pop()}?permanent=true`),
    'a wait from now on': () => wait(),
    'a wait since a cursor': async () => {
      cursor ??= (await call<{ cursor: string }>('GET', `${path()}/messages`)).body.cursor
      await wait(cursor)
    },
  }

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    call = client(door.http, tenant.key)
    messageId = await deliver(door.ctx, { to: tenant.address, raw: raw() })
    for (let n = 0; n < 6; n++) others.push(await deliver(door.ctx, { to: tenant.address, raw: raw() }))
    await announceArrivals(door.ctx, await toldOf(door.ctx, others))
    for (let n = 0; n < 3; n++) unread.push(await deliver(door.ctx, { to: tenant.address, raw: raw() }))
    threadId = (await call<{ thread_id: string }>('GET', `${path()}/messages/${messageId}`)).body.thread_id
    door.ctx.store.db.client.on('commandStarted', (started) => {
      const name = nameOf(started)
      if (name !== null) commands.push(name)
    })
  })
  after(() => door?.close())

  it('the table has a row for each', () => {
    expect([...rows.keys()]).to.deep.equal(Object.keys(requests))
  })

  for (const [request, make] of Object.entries(requests))
    it(`${request} costs what the table says`, async () => {
      const row = rows.get(request)
      // Lets the process's caches expire here and not during the test. The first request caches caller and mailbox again.
      door.advance(6_000)
      for (let n = 0; n < 2; n++) {
        await make()
        await door.ctx.background.done()
        await door.ctx.arrivals.flush()
        await door.noticed()
        commands.length = 0
      }
      await make()
      // Derived records are written after the committing command.
      const commit = commands.findIndex((command) => /emails|changeNotes/.test(command))
      const waitedFor = commit === -1 ? [...commands] : commands.slice(0, commit + 1)
      await door.ctx.background.done()
      expect(waitedFor, `${row?.what}, and not ${waitedFor.join()}`).to.have.length(row?.count ?? 0)
    })

  it('an arrival costs no more after a flag change, which another process may have made', async () => {
    // The folder has just given UIDs to moved messages, so for a moment it is queried.
    for (let n = 0; n < 2; n++) {
      await deliver(door.ctx, { to: tenant.address, raw: raw() })
      door.advance(6_000)
    }
    await deliver(door.ctx, { to: tenant.address, raw: raw() })
    await door.ctx.arrivals.flush()
    await patch({ flagged: ++mail % 2 === 0 })
    await door.ctx.background.done()
    await door.noticed()
    commands.length = 0
    await deliver(door.ctx, { to: tenant.address, raw: raw() })
    expect(commands, commands.join()).to.have.length(rows.get('an arrival')?.count ?? 0)
  })

  it('an arrival to a mailbox without recent mail does not query its account, which is cached', async () => {
    const { status } = await call('POST', '/api/v1/mailboxes', { address: 'other@tenant.example' })
    expect(status).to.equal(201)
    await door.noticed()
    await call('GET', `${path()}/messages`)
    commands.length = 0
    await deliver(door.ctx, { to: 'other@tenant.example', raw: raw() })
    expect(commands).to.include.members(['find addresses', 'find mailboxes', 'find folders'])
    expect(commands).not.to.include('find accounts')
  })

  describe('of fifty callers at once', () => {
    const address = () => tenant.address
    const each: { readonly [what: string]: (principal: Principal, messageId: string) => Promise<unknown> } = {
      reading: (principal, messageId) => readMessage(door.ctx, principal, { address: address(), messageId }),
      'a flag': (principal, messageId) =>
        changeMessage(door.ctx, principal, { address: address(), messageId, flagged: true, seen: true }),
      'a move': (principal, messageId) =>
        changeMessage(door.ctx, principal, { address: address(), messageId, folder: 'archive' }),
      'a deletion for good': (principal, messageId) =>
        deleteMessage(door.ctx, principal, { address: address(), messageId, permanent: true }),
      'a wait': () => wait(),
    }
    let ids: readonly string[]
    let principal: Principal

    before(async () => {
      const { arrivals } = door.ctx
      ids = await Promise.all(Array.from({ length: 50 }, () => deliver(door.ctx, { to: tenant.address, raw: raw() })))
      principal = await authenticate(door.ctx, tenant.key)
      await arrivals.flush()
      await door.noticed()
    })

    for (const [what, make] of Object.entries(each))
      it(`${what} shares them, including those for derived records`, async () => {
        await make(principal, messageId)
        await door.ctx.background.done()
        await door.noticed()
        commands.length = 0
        await Promise.all(ids.map((id) => make(principal, id)))
        await door.ctx.background.done()
        expect(commands.length, commands.join()).to.be.within(1, ids.length / 2)
      })
  })
})

/**
 * The command and its collections. Null for commands that are not part of a request: change notes, the closing of reservations, the
 * last use of keys, and request rate leases, which are taken ahead (test/core/access/request-rates.test.ts counts them).
 */
function nameOf({ commandName, command }: CommandStartedEvent): string | null {
  if (commandName === 'getMore') return null
  const { nsInfo } = command as { readonly nsInfo?: readonly { readonly ns: string }[] }
  const collections = nsInfo?.map(({ ns }) => ns.split('.')[1]).join(', ') ?? String((command as Document)[commandName])
  const isApart =
    /^(changeNotes|requestRates)$/.test(collections) ||
    (commandName === 'update' && /^(folders|keys)$/.test(collections))
  return isApart ? null : `${commandName} ${collections}`
}
