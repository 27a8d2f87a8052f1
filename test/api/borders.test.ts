/** Tests that every operation of the registry, over HTTP and as an MCP tool, respects the borders between tenants, keys and scopes. */
import { expect } from 'chai'
import { revokeKey } from '../../core/access/keys.ts'
import { suspendAccount } from '../../core/account/holds.ts'
import { deriveRecords } from '../../core/intake/derive.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import { operations } from '../../operations/all.ts'
import { fieldsOf, isForPeople, isMailboxOperation, isStreamed } from '../../operations/registry.ts'
import { agentScopes, allScopes } from '../../schemas/scopes.ts'
import { toldOf } from '../documents.ts'
import { type Answer, type Call, client, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor } from '../start/door.ts'
import { putText } from '../start/drive.ts'
import {
  type Asked,
  ask,
  askedOf,
  askTool,
  placeOf,
  type Resident,
  referringTo,
  settle,
  unknownReferences,
} from './border-calls.ts'

/** The values of `access` for operations that keys may call: any key, or only account keys. */
const byKey: readonly string[] = ['key', 'account']
// The endless event stream is covered by events.test.ts.
const keyed = operations.filter((operation) => byKey.includes(operation.access) && !isStreamed(operation))
const forPeople = operations.filter(({ access }) => isForPeople(access))
/** Every operation in each form in which a door offers it. */
const ways = keyed.flatMap((operation) => [
  {
    operation,
    name: operation.name,
    takes: (_field: string) => true,
    ask: (call: Call, asked: Asked) => ask(call, operation, asked),
  },
  ...operation.tools.map((tool) => ({
    operation,
    name: `the tool ${tool.name}`,
    takes: (field: string) => tool.expose.includes(field),
    ask: (call: Call, asked: Asked) => askTool(call, operation, tool, asked),
  })),
])
type Way = (typeof ways)[number]

/** Operations forbidden to an agent key even with every agent scope: it did not create this mailbox, and is not an inbox key. */
const accountKeysOnly = [
  'lists.set',
  'mailboxes.delete',
  'suppressions.remove',
  'templates.create',
  'templates.delete',
  'templates.update',
]
/** Operations that no live key may call. */
const testKeysOnly = ['test.clock', 'test.inbound']

const letter = (name: string) => `From: a@remote.example
Subject: Letter to ${name}
Content-Type: multipart/mixed; boundary=b

--b

Hello ${name}
--b
Content-Type: text/plain
Content-Disposition: attachment; filename=a.txt

file
--b--
`

/** A name of the same form for a record that does not exist. */
const unknownFor = (name: string) =>
  name.includes('foreign') ? name.replace('foreign', 'nowhere') : `${name.slice(0, -4)}0000`

/** Everything a caller can see of an answer, with the requested names replaced. */
function shapeOf({ status, headers, body }: Answer, names: Iterable<string>): string {
  const text = [...names].reduce((sum, name) => sum.replaceAll(name, '?'), textOf(body))
  return JSON.stringify([status, text, [...headers.keys()].sort()])
}

/** The body as text, without cursors and signed links, which depend on the time. */
const textOf = (body: unknown) =>
  JSON.stringify(body).replaceAll(/"(?:cursor|expires_at)":"[^"]*"|api\/v1\/files\/[^"]*/g, '')

const told = ({ status, body }: Answer) => `${status} ${body.code ?? ''} ${body.requiredScope ?? ''}`.trim()

describe('borders of the registry', () => {
  let door: Door
  let own: Resident
  let foreign: Resident
  /** Everything the foreign tenant can read of its own records, before the tests start. */
  let untouched: readonly string[]

  before(async () => {
    door = await openDoor()
    own = await inhabit('own')
    foreign = await inhabit('foreign')
    untouched = await readAll()
  })
  after(() => door?.close())

  async function inhabit(name: string): Promise<Resident> {
    const tenant = { ...(await makeTenant(door, { name })), name }
    const deliverMail = async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: letter(name) })
      await announceArrivals(door.ctx, await toldOf(door.ctx, [id]), deriveRecords)
      const { accountId, address, mailboxId } = tenant
      const wanted = {
        accountId,
        kind: 'agent',
        scopes: agentScopes,
        mailboxIds: [mailboxId],
        approval: 'required',
      } as const
      const agent = client(door.http, (await makeKey(door.ctx, wanted)).apiKey)
      await agent('POST', `${mailboxPath(address)}/send`, {
        to: 'delivered@simulator.invalid',
        text: `Waits for ${name}`,
      })
    }
    const file = await putText(door.ctx, tenant.accountId, `file of ${name}`, name)
    return settle(keyed, tenant, door.http, deliverMail, new Map([['drive fileId', file]]))
  }

  async function readAll(): Promise<readonly string[]> {
    const reads = keyed.filter(
      ({ method, name, path }) => method === 'GET' && !/wait|verification|raw|usage|stream|download/.test(name + path),
    )
    return Promise.all(
      reads.map(async (operation) =>
        textOf((await ask(foreign.call, operation, askedOf(operation, foreign, { isFull: false }))).body),
      ),
    )
  }

  const keyOf = async (key: Partial<Parameters<typeof makeKey>[1]> = {}) =>
    client(door.http, (await makeKey(door.ctx, { accountId: own.accountId, ...key })).apiKey)

  /** Uses several keys in turn, because one key does not have enough requests per minute. */
  async function keysInTurn(): Promise<Call> {
    const calls = await Promise.all(Array.from({ length: 8 }, () => keyOf()))
    let turn = 0
    return (...request) => calls[turn++ % calls.length]!(...request)
  }

  /** Checks all ways in parallel, and fails with every fault that `fault` reports. */
  async function walk(
    some: readonly Way[],
    fault: (way: Way) => Promise<string | readonly string[] | null>,
  ): Promise<void> {
    expect(some).to.not.be.empty
    const faults = await Promise.all(
      some.map(async (way) => [(await fault(way)) ?? []].flat().map((each) => `${way.name}: ${each}`)),
    )
    expect(faults.flat()).to.deep.equal([])
  }

  it('every operation has a call, and every record that it can name has a name', () => {
    for (const operation of keyed) askedOf(operation, own)
    expect(unknownReferences(keyed)).to.deep.equal([])
  })

  it("another tenant's ids in a path are 404, like unknown ids", async () => {
    const call = await keysInTurn()
    await walk(
      ways.filter(({ operation }) => operation.pathFields.length > 0),
      async ({ operation, ask: askThis }) => {
        const mine = askedOf(operation, own)
        const faults = operation.pathFields.map(async (field) => {
          const theirs = foreign.names.get(placeOf(operation, field)) ?? ''
          const nobodys = unknownFor(theirs)
          const [answer, other] = await Promise.all(
            [theirs, nobodys].map((name) => askThis(call, { ...mine, path: { ...mine.path, [field]: name } })),
          )
          if (answer?.status !== 404) return `{${field}}: ${told(answer!)}`
          return shapeOf(answer, [theirs]) === shapeOf(other!, [nobodys]) ? [] : `{${field}}: tells that it exists`
        })
        const all = await askThis(call, askedOf(operation, foreign))
        return [...(await Promise.all(faults)).flat(), ...(all.status === 404 ? [] : [`all: ${told(all)}`])]
      },
    )
  })

  it("another tenant's ids elsewhere in a request have the same effect as unknown ids", async () => {
    const call = await keysInTurn()
    const nobodys = new Map([...foreign.names].map(([place, name]) => [place, unknownFor(name)]))
    await walk(ways, async ({ operation, takes, ask: askThis }) => {
      const theirs = referringTo(operation, own, foreign.names).filter(([field]) => takes(field))
      const unknown = referringTo(operation, own, nobodys).filter(([field]) => takes(field))
      const faults = theirs.map(async ([field, asked], n) => {
        const [answer, other] = await Promise.all([askThis(call, asked), askThis(call, unknown[n]![1])])
        const [shape, otherShape] = [shapeOf(answer, foreign.names.values()), shapeOf(other, nobodys.values())]
        return shape === otherShape ? [] : `${field}: ${shape} and not ${otherShape}`
      })
      return (await Promise.all(faults)).flat()
    })
  })

  it("another tenant's cursor reveals nothing of that tenant", async () => {
    const call = await keyOf()
    const pages = new Set<string>()
    const paged = ways.filter(({ operation }) => fieldsOf(operation).some(({ name }) => name === 'before'))
    await walk(paged, async ({ operation, ask: askThis }) => {
      const [theirs, mine] = [foreign, own].map((tenant) => askedOf(operation, tenant, { isFull: false }))
      const { body } = await askThis(foreign.call, { ...theirs!, rest: { ...theirs!.rest, limit: 1 } })
      if (typeof body.next !== 'string') return null
      pages.add(operation.name)
      const answer = await askThis(call, { ...mine!, rest: { ...mine!.rest, before: body.next } })
      const shown = ['foreign', ...foreign.names.values()].filter((name) => textOf(answer.body).includes(name))
      return ['200', '400 validation_error'].includes(told(answer)) ? shown : told(answer)
    })
    expect([...pages]).to.include.members(['emails.list', 'events.list', 'messages.list'])
  })

  it('without a scope a request is 403, and the scope is named', async () => {
    const keys = new Map<string, Call>()
    for (const scope of allScopes) keys.set(scope, await keyOf({ scopes: allScopes.filter((each) => each !== scope) }))
    const none = await keyOf({ scopes: [] })
    await walk(
      ways.filter(({ operation }) => operation.scopes.length > 0),
      async ({ operation, ask: askThis }) => {
        const asked = askedOf(operation, own)
        const faults = operation.scopes.map(async (scope) => {
          const answer = await askThis(keys.get(scope)!, asked)
          return told(answer) === `403 insufficient_scope ${scope}` ? [] : `without ${scope}: ${told(answer)}`
        })
        const answer = await askThis(none, asked)
        const [first] = operation.scopes
        return [
          ...(await Promise.all(faults)).flat(),
          ...(told(answer) === `403 insufficient_scope ${first}` ? [] : [`without any: ${told(answer)}`]),
        ]
      },
    )
  })

  it('a key with only the declared scopes of an operation lacks none', async () => {
    const keys = new Map<string, Call>()
    const listOf = (way: Way) => way.operation.scopes.join(' ')
    const reading = ways.filter(({ operation }) => operation.method === 'GET')
    for (const scopes of new Set(reading.map(listOf)))
      keys.set(scopes, await keyOf({ scopes: allScopes.filter((scope) => scopes.split(' ').includes(scope)) }))
    await walk(
      reading.filter(({ operation }) => !/raw|attachment/.test(operation.name)),
      async (way) => {
        const answer = await way.ask(keys.get(listOf(way))!, askedOf(way.operation, own))
        return answer.body.code === 'insufficient_scope' ? told(answer) : null
      },
    )
  })

  it('an agent key reaches no mailbox of its account that it was not granted', async () => {
    const call = await keyOf({ kind: 'agent', scopes: agentScopes })
    await walk(
      ways.filter(({ operation }) => isMailboxOperation(operation) && operation.pathFields.includes('address')),
      async ({ operation, ask: askThis }) => {
        const answer = await askThis(call, askedOf(operation, own))
        return told(answer) === '404 mailbox_not_found' ? null : told(answer)
      },
    )
  })

  it('of the rest of its account, an agent key reaches only templates and suppressions', async () => {
    const call = await keyOf({ kind: 'agent', scopes: agentScopes })
    await walk(
      ways.filter(({ operation }) => !isMailboxOperation(operation) && operation.pathFields.length > 0),
      async ({ operation, ask: askThis }) => {
        const { status, body } = await askThis(call, askedOf(operation, own))
        const isOpen = ['templates.get', 'templates.html', 'templates.preview', 'suppressions.get'].includes(
          operation.name,
        )
        return isOpen
          ? status === 200
            ? null
            : told({ status, body } as Answer)
          : [403, 404].includes(status)
            ? null
            : `${status}`
      },
    )
  })

  it('an agent key that reaches a mailbox is forbidden only what is reserved for account keys', async () => {
    const call = await keyOf({ kind: 'agent', scopes: agentScopes, mailboxIds: [own.mailboxId] })
    const forbidden = new Set<string>()
    await walk(ways, async ({ operation, ask: askThis }) => {
      const answer = await askThis(call, askedOf(operation, own))
      if (answer.body.code === 'forbidden') forbidden.add(operation.name)
      return answer.status >= 500 ? told(answer) : null
    })
    const declared = keyed.filter(({ access }) => access !== 'key').map(({ name }) => name)
    expect([...forbidden].sort()).to.deep.equal([...accountKeysOnly, ...testKeysOnly, ...declared].sort())
  })

  it('operations for people are forbidden to every key', async () => {
    const calls = [await keyOf(), await keyOf({ kind: 'agent', scopes: agentScopes, mailboxIds: [own.mailboxId] })]
    for (const operation of forPeople)
      for (const call of calls) {
        const path = operation.pathFields.map((field) => [field, own.names.get(placeOf(operation, field)) ?? 'some'])
        const answer = await ask(call, operation, { path: Object.fromEntries(path), rest: {} })
        expect(told(answer), operation.name).to.equal('403 forbidden')
      }
  })

  it('every answer to an unclaimed account carries its claim headers', async () => {
    const { body } = await client(door.http)('POST', '/api/v1/signup', {})
    const call = client(door.http, String(body.api_key))
    await walk(ways, async ({ operation, ask: askThis }) => {
      const { headers } = await askThis(call, askedOf(operation, own))
      const claim = [headers.get('x-service-claim'), headers.get('x-service-claim-expires')]
      return claim.join(' ') === `required ${body.expires_at}` ? null : claim.join(' ')
    })
  })

  it('nothing of the other tenant has changed', async () => {
    expect(await readAll()).to.deep.equal(untouched)
  })

  describe('a credential that has ended', () => {
    const ended: readonly (readonly [what: string, make: () => Promise<Call>, told: string])[] = [
      ['expired', () => keyOf({ expiresAt: new Date(Date.now() - 1) }), '401 api_key_expired'],
      [
        'revoked',
        async () => {
          const { apiKey, key } = await makeKey(door.ctx, { accountId: own.accountId })
          await revokeKey(door.ctx, { accountId: own.accountId, keyId: key.id })
          return client(door.http, apiKey)
        },
        '401 invalid_api_key',
      ],
      [
        'suspended',
        async () => {
          await suspendAccount(door.ctx, own.accountId, 'spam')
          return own.call
        },
        '403 account_suspended',
      ],
    ]
    for (const [what, make, expected] of ended)
      it(`${what}: is refused everywhere`, async () => {
        // Wrong keys of one address are soon delayed and refused; these tests need the answer to every one.
        Object.assign(door.ctx.settings.limits.logins, {
          failuresPerAddress: 10_000,
          failuresPerNetwork: 10_000,
          slowAfter: 10_000,
        })
        Object.assign(door.ctx.settings.limits.http, {
          requestsPerAddressPerMinute: 10_000,
          requestsPerNetworkPerMinute: 10_000,
        })
        const call = await make()
        await walk(ways, async ({ operation, ask: askThis }) => {
          const answer = await askThis(call, askedOf(operation, own))
          return JSON.stringify(answer.body).includes(expected.split(' ')[1]!) && [401, 403].includes(answer.status)
            ? null
            : told(answer)
        })
      })
  })
})
