/**
 * What a sharded cluster asks of the program: declarations that can be sharded, writes that name their shard, and reads of all
 * shards for the listed reasons only. No cluster is at hand: a router plays its mongos (test/peers/router).
 */

import type { Document } from 'bson'
import { expect } from 'chai'
import { runCommand } from '../../cli/command-line.ts'
import { deriveRecords } from '../../core/intake/derive.ts'
import { attemptDueDeliveries } from '../../core/notify/due-deliveries.ts'
import { beginErasure, erase } from '../../core/personal/erase.ts'
import { announceArrivals, announceMissed } from '../../core/receive/announce.ts'
import { indexArrivals } from '../../core/search/indexing.ts'
import { sweepArrivals, sweepMailboxes, sweepReservations } from '../../core/upkeep/sweep.ts'
import { sweepBlobs } from '../../core/upkeep/unused-blobs.ts'
import { collections } from '../../store/collections.ts'
import { scattered } from '../../store/scattered.ts'
import { shardings } from '../../store/shards.ts'
import { toldOf } from '../documents.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { type Router, startRouter } from '../peers/router/router.ts'
import { declaredKeys, stepsOf } from '../peers/router/targeting.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'

const rows = Object.entries(collections)

describe('store: shards', () => {
  describe('declarations', () => {
    for (const [name, { shardKey, indexes }] of rows) {
      it(`${name}: each unique index begins with the shard key, and nothing that is no shard has one`, () => {
        const unique = indexes.filter((index) => 'unique' in index && index.unique)
        if (shardKey === null) expect(name).to.equal('changes')
        for (const { key } of unique) expect(Object.keys(key)[0]).to.equal(shardKey)
      })
    }

    it('each shard key has a full index: the one that sharding makes, which no declared one hinders', () => {
      for (const { collection, key } of shardings.filter(({ key }) => key !== null)) {
        expect(Object.values(key!), collection).to.deep.equal(['hashed'])
        expect(declaredKeys.get(collection)).to.equal(Object.keys(key!)[0])
      }
      expect(shardings).to.have.length(rows.length)
    })

    it('each read and write that goes to all shards has an index for its fields, and is listed once for its reason', () => {
      for (const { collection, by } of scattered) {
        const [first] = by
        const begins = (collections[collection].indexes as readonly { readonly key: object }[]).some(
          ({ key }) => Object.keys(key)[0] === first || by.includes(Object.keys(key)[0] ?? ''),
        )
        const isKnown = first === undefined || by.includes('_id') || begins
        expect(isKnown, `${collection} by ${by.join(', ')}`).to.equal(true)
        const { shardKey } = collections[collection]
        // Of the shard key itself only ranges go to all.
        if (shardKey !== '_id') expect(by).not.to.deep.equal([shardKey])
      }
      const all = scattered.map(({ kind, collection, by, why }) => [kind, collection, ...by, why].join(' '))
      expect(new Set(all).size).to.equal(all.length)
    })
  })

  describe('the router', () => {
    const keys = new Map([
      ['sends', 'accountId'],
      ['things', '_id'],
    ])
    const ns = { nsInfo: [{ ns: 'db.sends' }, { ns: 'db.free' }] }
    const cases: readonly (readonly [name: string, command: Document, expected: string])[] = [
      ['an equality', { find: 'sends', filter: { accountId: 'a', x: 1 } }, 'one'],
      ['$eq', { find: 'sends', filter: { accountId: { $eq: 'a' } } }, 'one'],
      ['$in of two', { find: 'sends', filter: { accountId: { $in: ['a', 'b'] } } }, 'few'],
      ['an equality within $and', { find: 'sends', filter: { $and: [{ x: 1 }, { accountId: 'a' }] } }, 'one'],
      [
        '$or whose parts all name it',
        { find: 'sends', filter: { $or: [{ accountId: 'a' }, { accountId: 'b' }] } },
        'few',
      ],
      ['$or of which one part does not', { find: 'sends', filter: { $or: [{ accountId: 'a' }, { x: 1 }] } }, 'all'],
      ['a range', { find: 'sends', filter: { accountId: { $gt: 'a' } } }, 'all'],
      ['a pattern', { find: 'sends', filter: { accountId: /^a/ } }, 'all'],
      ['another field', { find: 'sends', filter: { _id: 'x' } }, 'all'],
      ['no filter', { find: 'sends' }, 'all'],
      ['another collection', { find: 'free', filter: {} }, ''],
      ['count', { count: 'sends', query: { x: 1 } }, 'all'],
      ['distinct', { distinct: 'sends', key: 'x', query: { accountId: 'a' } }, 'one'],
      [
        'aggregate by its first stage',
        { aggregate: 'sends', pipeline: [{ $match: { accountId: 'a' } }, { $limit: 1 }] },
        'one',
      ],
      [
        'aggregate by a later stage',
        { aggregate: 'sends', pipeline: [{ $limit: 1 }, { $match: { accountId: 'a' } }] },
        'all',
      ],
      [
        '$lookup by the key',
        { aggregate: 'free', pipeline: [{ $lookup: { from: 'sends', foreignField: 'accountId' } }] },
        'few',
      ],
      [
        '$lookup by another field',
        { aggregate: 'free', pipeline: [{ $lookup: { from: 'sends', foreignField: 'x' } }] },
        'all',
      ],
      ['an insert', { insert: 'sends', documents: [{ _id: 1, accountId: 'a' }] }, 'one'],
      ['an insert without the key', { insert: 'sends', documents: [{ _id: 1 }] }, 'refused'],
      ['an update', { update: 'sends', updates: [{ q: { _id: 1, accountId: 'a' }, u: { $set: { x: 1 } } }] }, 'one'],
      ['an update by _id alone', { update: 'sends', updates: [{ q: { _id: 1 }, u: { $set: { x: 1 } } }] }, 'refused'],
      [
        'an update of one of two',
        { update: 'sends', updates: [{ q: { accountId: { $in: ['a', 'b'] } }, u: { $set: { x: 1 } } }] },
        'refused',
      ],
      ['an update of many', { update: 'sends', updates: [{ q: { x: 1 }, u: { $set: { x: 2 } }, multi: true }] }, 'all'],
      [
        'an upsert of many without the key',
        { update: 'sends', updates: [{ q: { x: 1 }, u: { $set: { x: 2 } }, multi: true, upsert: true }] },
        'refused',
      ],
      ['an upsert', { update: 'things', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }] }, 'one'],
      [
        'a change of the key',
        { txnNumber: 1, update: 'sends', updates: [{ q: { accountId: 'a' }, u: { $set: { accountId: 'b' } } }] },
        '',
      ],
      [
        'a change of the key of many',
        { update: 'sends', updates: [{ q: { accountId: 'a' }, u: { $set: { accountId: 'b' } }, multi: true }] },
        'refused',
      ],
      [
        'the same key again',
        { update: 'sends', updates: [{ q: { accountId: 'a' }, u: { $set: { accountId: 'a' } } }] },
        'one',
      ],
      [
        'a key that a pipeline makes',
        { update: 'sends', updates: [{ q: { accountId: 'a' }, u: [{ $set: { accountId: '$x' } }], multi: true }] },
        'refused',
      ],
      [
        'a replacement without the key',
        { update: 'sends', updates: [{ q: { accountId: 'a' }, u: { x: 1 } }] },
        'refused',
      ],
      [
        'findAndModify without the key',
        { findAndModify: 'sends', query: { x: 1 }, update: { $set: { x: 2 } } },
        'refused',
      ],
      ['findAndModify that removes', { findAndModify: 'sends', query: { accountId: 'a' }, remove: true }, 'one'],
      ['a deletion of one', { delete: 'sends', deletes: [{ q: { _id: 1 }, limit: 1 }] }, 'refused'],
      ['a deletion of many', { delete: 'sends', deletes: [{ q: { _id: 1 }, limit: 0 }] }, 'all'],
      [
        'a shared list',
        {
          bulkWrite: 1,
          ...ns,
          ops: [
            { insert: 1, document: {} },
            { update: 0, filter: { accountId: 'a' }, updateMods: { $set: { x: 1 } } },
          ],
        },
        'one',
      ],
      ['a shared list with a bad write', { bulkWrite: 1, ...ns, ops: [{ delete: 0, filter: { _id: 1 } }] }, 'refused'],
      ['a question about the server', { hello: 1 }, ''],
    ]
    for (const [name, command, expected] of cases) {
      it(`${name}: ${expected === '' ? 'is not its concern' : expected}`, () => {
        // The driver numbers single writes to a cluster.
        const { txnNumber, ...rest } = command
        const [step] = stepsOf({ ...rest, ...(txnNumber !== undefined && { txnNumber }) }, keys)
        if (txnNumber !== undefined) expect(step?.refused).to.equal(undefined)
        else expect(step === undefined ? '' : step.refused === undefined ? step.target : 'refused').to.equal(expected)
      })
    }
  })

  describe('the program behind the router', () => {
    let door: Door
    let node: Pick<Door, 'http' | 'ctx' | 'close'>
    let router: Router
    let tenant: Tenant
    let call: Call

    before(async () => {
      door = await openDoor()
      router = await startRouter(placeOf(door).socket, declaredKeys)
      node = await door.another({ host: encodeURIComponent(router.socket) })
      tenant = await makeTenant(node, { name: 'sharded' })
      call = client(node.http, tenant.key)
    })
    after(async () => {
      await node?.close()
      await router?.stop()
      await door?.close()
    })

    const isListed = ({ kind, collection, by }: { kind: string; collection: string; by: readonly string[] }) =>
      scattered.some((each) => {
        const named = shardings[rows.findIndex(([name]) => name === each.collection)]!.collection
        const fits = each.by.length === 0 ? by.length === 0 : each.by.every((field) => by.includes(field))
        return each.kind === kind && named === collection && fits
      })
    const path = () => mailboxPath(tenant.address)
    let count = 0
    const arrive = async () => {
      const id = await deliver(node.ctx, {
        to: tenant.address,
        raw: `From: a@remote.example\nSubject: Letter ${++count}\nMessage-ID: <${count}@remote.example>\n\nHello ${count}\n`,
      })
      await announceArrivals(node.ctx, await toldOf(door.ctx, [id]), deriveRecords)
      await indexArrivals(node.ctx, await toldOf(door.ctx, [id]))
      return id
    }
    const send = async (more: object = {}) =>
      (await ok<{ id: string }>('POST', `${path()}/send`, { to: 'b@remote.example', subject: 's', text: 't', ...more }))
        .id
    async function ok<B>(...asked: Parameters<Call>): Promise<B> {
      const { status, body } = await call<B>(...asked)
      expect(status, `${asked[0]} ${asked[1]}: ${JSON.stringify(body)}`).to.be.lessThan(300)
      return body
    }

    const steps: { readonly [name: string]: () => Promise<unknown> } = {
      'mail comes in and is watched': async () => {
        await ok('POST', '/api/v1/intake', { mailbox: tenant.address })
        await arrive()
        await arrive()
        await node.ctx.background.done()
      },
      'mail is listed, read, searched and waited for': async () => {
        const { messages } = await ok<{ messages: readonly { message_id: string; thread_id: string }[] }>(
          'GET',
          `${path()}/messages`,
        )
        const { message_id: id, thread_id: threadId } = messages[0]!
        for (const rest of [
          `messages/${id}`,
          `messages/${id}/raw`,
          'threads',
          `threads/${threadId}`,
          'search?q=hello',
          'contacts',
          'folders',
        ])
          await ok('GET', `${path()}/${rest}`)
        for (const rest of [
          'search?q=hello',
          'mailboxes',
          'usage',
          'account',

          'audit',
          'events',
          'intake/messages',
        ])
          await ok('GET', `/api/v1/${rest}`)
      },
      'mail is flagged, moved, labelled and deleted': async () => {
        const id = await arrive()
        for (const change of [{ flagged: true }, { folder: 'archive' }, { addLabels: ['x'] }, { seen: true }])
          await ok('PATCH', `${path()}/messages/${id}`, change)
        await ok('DELETE', `${path()}/messages/${id}`)
        await ok('DELETE', `${path()}/messages/${id}?permanent=true`)
        await node.ctx.background.done()
      },
      'mail is sent, carried and settled, at once, later and never': async () => {
        await send()
        await send({ to: 'delivered@simulator.invalid' })
        const later = await send({ sendAt: new Date(node.ctx.clock.now().getTime() + 3_600_000).toISOString() })
        await carryOutgoing(node.ctx)
        await ok('DELETE', `${path()}/scheduled/${later}`)
        door.advance(30_000)
        await carryOutgoing(node.ctx)
        await ok('GET', '/api/v1/emails')
      },
      'endpoints are made, told, changed and taken away': async () => {
        const { id } = await ok<{ id: string }>('POST', '/api/v1/webhooks', {
          url: 'https://hooks.remote.example/',
          events: ['message.received'],
        })
        await arrive()
        await node.ctx.background.done()
        door.advance(3_600_000)
        await attemptDueDeliveries(node.ctx)
        await ok('GET', `/api/v1/webhooks/${id}`)
        await ok('PATCH', `/api/v1/webhooks/${id}`, { enabled: false })
        await ok('DELETE', `/api/v1/webhooks/${id}`)
      },
      'drafts, folders, aliases, templates and suppressions': async () => {
        const { message_id: id } = await ok<{ message_id: string }>('POST', `${path()}/drafts`, {
          to: 'c@remote.example',
          subject: 'd',
          text: 'd',
        })
        await ok('PATCH', `${path()}/drafts/${id}`, { text: 'e' })
        await ok('POST', `${path()}/folders`, { name: 'Work' })
        await ok('POST', '/api/v1/aliases', { alias: 'other@sharded.example', targets: [tenant.address] })
        await ok('POST', '/api/v1/suppressions', { email: 'x@remote.example' })
        await ok('POST', '/api/v1/templates', { alias: 'hello', subject: 's', text: 't' })
        await ok('GET', '/api/v1/suppressions')
      },
      'sweeps and clocks': async () => {
        door.advance(7_200_000)
        for (const work of [sweepArrivals, sweepMailboxes, sweepReservations, sweepBlobs]) await work(node.ctx)
        await announceMissed(node.ctx, await door.ctx.store.messages.find({ mailboxId: tenant.mailboxId }).toArray())
      },
      'a mailbox ends, and an account is erased': async () => {
        await ok('POST', '/api/v1/mailboxes', { address: 'brief@sharded.example' })
        await ok('DELETE', mailboxPath('brief@sharded.example'))
        await beginErasure(node.ctx, { id: tenant.accountId, name: 'sharded' }, 'sharded')
        await erase(node.ctx, { _id: tenant.accountId, erasing: new Date(0) })
      },
    }
    for (const [name, step] of Object.entries(steps)) {
      it(`${name}: every write names its shard, and what is asked of all is listed`, async () => {
        await step()
        expect([...router.refused]).to.deep.equal([])
        expect([...router.scattered.values()].filter((each) => !isListed(each))).to.deep.equal([])
      })
    }
  })

  describe('mailroom db shard', () => {
    let door: Door
    let router: Router
    before(async () => {
      door = await openDoor()
      router = await startRouter(placeOf(door).socket, declaredKeys)
    })
    after(async () => {
      await router?.stop()
      await door?.close()
    })

    async function shard(args: readonly string[], mongodbUrl: string | null) {
      let [out, err] = ['', '']
      const env = { MAILROOM_DATA: door.ctx.settings.data, ...(mongodbUrl !== null && { MONGODB_URL: mongodbUrl }) }
      const status = await runCommand(['db', 'shard', ...args], {
        env,
        out: (text) => {
          out += text
        },
        err: (text) => {
          err += text
        },
      })
      const lines = out
        .split('\n')
        .filter(Boolean)
        .map((line): Document => JSON.parse(line))
      return { status, err, lines, states: new Set(lines.map(({ state }) => state).filter(Boolean)) }
    }
    const routed = () => `mongodb://${encodeURIComponent(router.socket)}/${placeOf(door).name}`

    it('says what it would do, does it, goes on where it was cut, and does nothing twice', async () => {
      const dry = await shard(['--dry-run'], routed())
      expect([dry.status, dry.err]).to.deep.equal([0, ''])
      expect(dry.lines).to.have.length(rows.length + 1)
      expect(dry.states).to.deep.equal(new Set(['to be sharded', 'stays on one shard']))
      expect(router.sharded.size).to.equal(0)
      const done = await shard([], routed())
      expect([done.status, done.err]).to.deep.equal([0, ''])
      expect(router.sharded.size).to.equal(declaredKeys.size)
      const [cut] = router.sharded.keys()
      router.sharded.delete(cut ?? '')
      const again = await shard([], routed())
      expect(again.lines.filter(({ state }) => state === 'sharded')).to.have.length(1)
      expect(again.lines.filter(({ state }) => state === 'was sharded before')).to.have.length(declaredKeys.size - 1)
    })

    const refusals: readonly (readonly [name: string, url: () => string | null, text: string])[] = [
      ['the embedded database', () => null, 'has no shards'],
      ['a replica set or a single server', () => door.ctx.settings.mongodbUrl, 'not a sharded cluster'],
      [
        'a collection that is sharded by another key',
        () => {
          router.sharded.set(`${placeOf(door).name}.messages`, { accountId: 1 })
          return routed()
        },
        'The collection messages is sharded by {"accountId":1}',
      ],
    ]
    for (const [name, where, text] of refusals) {
      it(`refuses ${name} with a sentence`, async () => {
        const { status, err } = await shard([], where())
        expect(status).to.equal(1)
        expect(err).to.contain(text)
      })
    }
  })
})

/** The socket of the engine that a door is on, and its database there. */
function placeOf({ ctx }: Pick<Door, 'ctx'>): { readonly socket: string; readonly name: string } {
  const [, host = '', name = ''] = /^mongodb:\/\/([^/]+)\/([^?]+)/.exec(ctx.settings.mongodbUrl ?? '') ?? []
  return { socket: decodeURIComponent(host), name }
}
