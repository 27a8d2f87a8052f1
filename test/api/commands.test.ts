/** How many commands the database gets for a request: what ARCHITECTURE.md says in its table of commands. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { CommandStartedEvent, Document } from 'mongodb'
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
  let mail = 0
  const commands: string[] = []

  const raw = () => `From: a@remote.example\nSubject: Hello ${++mail}\n\nHello ${mail}`
  const path = () => mailboxPath(tenant.address)
  const requests: { readonly [request: string]: () => Promise<unknown> } = {
    'an arrival': () => deliver(door.ctx, { to: tenant.address, raw: raw() }),
    'a send': () => call('POST', `${path()}/send`, { to: 'b@remote.example', subject: 's', text: 't' }),
    'a list': () => call('GET', `${path()}/messages`),
    'a message': () => call('GET', `${path()}/messages/${messageId}`),
    'a search': () => call('GET', `${path()}/search?q=hello`),
  }

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    call = client(door.http, tenant.key)
    messageId = await deliver(door.ctx, { to: tenant.address, raw: raw() })
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
      // The first one lets the process know the caller and the mailbox.
      for (let n = 0; n < 2; n++) {
        await make()
        await door.ctx.background.done()
        await door.ctx.arrivals.flush()
        await door.noticed()
        commands.length = 0
      }
      await make()
      // What is derived begins after the command that commits.
      const commit = commands.findIndex((command) => /emails/.test(command))
      const waitedFor = commit === -1 ? [...commands] : commands.slice(0, commit + 1)
      await door.ctx.background.done()
      expect(waitedFor, row?.what).to.have.length(row?.count ?? 0)
    })
})

/**
 * The command and its collections; null for what is no part of a request: notes, the closing of reservations, the last use of
 * keys, and leases of requests, which are taken ahead (test/core/access/request-rates.test.ts counts them).
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
