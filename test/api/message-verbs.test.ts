import { expect } from 'chai'
import { announceArrivals } from '../../core/receive/announce.ts'
import { sweepDiscarded, sweepReservations } from '../../core/upkeep/sweep.ts'
import { sweepBlobs } from '../../core/upkeep/unused-blobs.ts'
import { takeLease } from '../../core/wait/message-leases.ts'
import { newId, newToken } from '../../schemas/ids.ts'
import { closeSoon, insertFolder, reservationSeconds } from '../../store/folders.ts'
import { type EditOfOne, editMessage, removeMessage } from '../../store/message-edit.ts'
import type { MessageEdit } from '../../store/message-edits.ts'
import { toldOf } from '../documents.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'
import { expectExact, fill, folderAt } from './mailbox-state.ts'

const mail = 'From: ada@remote.example\nSubject: Hello\n\nx\n'
const dayMs = 86_400_000

type Summary = { message_id: string; folder: string; seen: boolean; flagged: boolean; labels: string[] }

describe('api: verbs of messages', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let box: string

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    box = mailboxPath(tenant.address)
  })
  after(() => door?.close())

  let letters = 0
  const arrive = () => deliver(door.ctx, { to: tenant.address, raw: `${mail}${letters++}` })
  const agentKey = async (scopes: readonly string[] = ['mail:read', 'mail:write'], mailboxIds = [tenant.mailboxId]) =>
    client(
      door.http,
      (await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes: scopes as never, mailboxIds }))
        .apiKey,
    )

  describe('restore', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['from INBOX', 'INBOX', 'INBOX'],
      ['from Archive', 'Archive', 'Archive'],
      ['from Spam', 'spam', 'Spam'],
    ]
    for (const [what, folder, expected] of cases) {
      it(`a message deleted ${what} goes back there`, async () => {
        const id = await arrive()
        await call('PATCH', `${box}/messages/${id}`, { folder })
        await call('DELETE', `${box}/messages/${id}`)
        const { status, body } = await call<Summary>('POST', `${box}/messages/${id}/restore`)
        expect([status, body.message_id, body.folder]).to.deep.equal([200, id, expected])
        const again = await call<Summary>('POST', `${box}/messages/${id}/restore`)
        expect([again.status, again.body.folder]).to.deep.equal([200, expected])
      })
    }

    it('a removed message is not found', async () => {
      const id = await arrive()
      await call('DELETE', `${box}/messages/${id}?permanent=true`)
      expect((await call<ErrorBody>('POST', `${box}/messages/${id}/restore`)).body.code).to.equal('not_found')
    })
  })

  describe('a message deleted permanently before it is announced', () => {
    const goes: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
      ['deleted at once', (id) => call('DELETE', `${box}/messages/${id}?permanent=true`)],
      [
        'deleted from Trash',
        async (id) => {
          await call('DELETE', `${box}/messages/${id}`)
          await call('DELETE', `${box}/messages/${id}`)
        },
      ],
      [
        'in Trash when that is emptied',
        async (id) => {
          await call('DELETE', `${box}/messages/${id}`)
          await call('POST', `${box}/trash/empty`)
        },
      ],
    ]
    for (const [what, go] of goes)
      it(`${what}: is announced and counts as received, once`, async () => {
        const received = async () =>
          (await call<{ emails: { received: number } }>('GET', '/api/v1/usage')).body.emails.received
        const told = async (id: string) => {
          const { body } = await call<{ events: { data: { message_id: string } }[] }>('GET', '/api/v1/events')
          return body.events.filter(({ data }) => data.message_id === id).length
        }
        const before = await received()
        const id = await arrive()
        await go(id)
        expect((await call('GET', `${box}/messages/${id}`)).status).to.equal(404)
        expect([await told(id), (await received()) - before]).to.deep.equal([1, 1])
        await announceArrivals(door.ctx, { ids: [id], mailboxIds: [tenant.mailboxId] })
        expect([await told(id), (await received()) - before]).to.deep.equal([1, 1])
      })
  })

  describe('read-all', () => {
    it('marks a folder of 1,000 and answers how many', async () => {
      const { _id: folderId } = await folderAt(door.ctx, tenant.mailboxId, 'Archive')
      const ids = await fill(door.ctx, tenant, { folderId, count: 1_000 })
      await call('PATCH', `${box}/messages/${ids[10]}`, { seen: true })
      expect((await call('POST', `${box}/messages/read-all`, { folder: 'archive' })).body.updated).to.be.at.least(999)
      expect((await call('POST', `${box}/messages/read-all`, { folder: 'archive' })).body).to.deep.equal({
        success: true,
        updated: 0,
      })
      expect((await folderAt(door.ctx, tenant.mailboxId, 'Archive')).unread).to.equal(0)
      await expectExact(door.ctx, tenant.mailboxId)
    })

    it('an unknown folder is not found, and a missing folder is refused', async () => {
      expect((await call<ErrorBody>('POST', `${box}/messages/read-all`, { folder: 'x' })).body.code).to.equal(
        'not_found',
      )
      expect((await call<ErrorBody>('POST', `${box}/messages/read-all`, {})).body).to.include({
        code: 'validation_error',
        param: 'folder',
      })
    })
  })

  it('emptying Trash removes its messages with their bytes, and nothing else', async () => {
    const kept = await arrive()
    await call('POST', `${box}/trash/empty`)
    const { _id: folderId } = await folderAt(door.ctx, tenant.mailboxId, 'Trash')
    const [first] = await fill(door.ctx, tenant, { folderId, count: 450 })
    const message = await door.ctx.store.messages.findOne({ mailboxId: tenant.mailboxId, _id: first ?? '' })
    expect((await call('POST', `${box}/trash/empty`)).body).to.deep.equal({ success: true, deleted: 450 })
    expect((await call('POST', `${box}/trash/empty`)).body).to.deep.equal({ success: true, deleted: 0 })
    expect(await door.ctx.store.blobs.countDocuments({ _id: `${message?.blob.id}#0` })).to.equal(0)
    expect((await call('GET', `${box}/messages/${kept}`)).status).to.equal(200)
    await expectExact(door.ctx, tenant.mailboxId)
  })

  describe('a change whose process dies after its answer', () => {
    const leftOver = async (request: () => Promise<{ readonly status: number }>) => {
      const { background } = door.ctx
      const { begin } = background
      background.begin = async () => undefined
      expect((await request()).status).to.equal(200)
      background.begin = begin
    }
    const threadOf = async (id: string) => {
      const { threadId } = (await door.ctx.store.messages.findOne({ _id: id }))!
      return async () => {
        const found = await door.ctx.store.threads.findOne({ _id: threadId })
        const { unread, flagged, labels = [], awaiting, live, emptyAt } = found!
        return { unread, flagged, labels, awaiting, live, isEmpty: emptyAt !== undefined }
      }
    }
    const fresh = { unread: true, flagged: false, labels: [], awaiting: 'us', live: true, isEmpty: false }
    const patch = (change: object) => (id: string) => call('PATCH', `${box}/messages/${id}`, change)
    type Left = readonly [string, (id: string) => Promise<{ readonly status: number }>, object]
    const flags: readonly Left[] = [
      ['seen', patch({ seen: true }), { unread: false }],
      ['a flag', patch({ flagged: true }), { flagged: true }],
      ['a label', patch({ addLabels: ['left'] }), { labels: ['left'] }],
    ]
    const cases: readonly Left[] = [
      [
        'several at once',
        patch({ seen: true, flagged: true, folder: 'archive' }),
        { unread: false, flagged: true, awaiting: 'none' },
      ],
      ['a move', patch({ folder: 'archive' }), { awaiting: 'none' }],
      ['a deletion', (id) => call('DELETE', `${box}/messages/${id}`), { live: false, awaiting: 'none' }],
      [
        'a deletion for good',
        (id) => call('DELETE', `${box}/messages/${id}?permanent=true`),
        { live: false, unread: false, awaiting: 'none', isEmpty: true },
      ],
    ]
    /** Sweeps, and checks that the thread then shows `expected` and the folders count their messages exactly. */
    const expectSwept = async (thread: () => Promise<object>, expected: object) => {
      door.advance((reservationSeconds + 1) * 1_000)
      await sweepReservations(door.ctx)
      expect(await thread()).to.deep.equal({ ...fresh, ...expected })
      await expectExact(door.ctx, tenant.mailboxId)
    }
    for (const [what, request, expected] of flags) {
      it(`${what}: a thread of one message shows it at once, and the sweep counts the folders`, async () => {
        const id = await arrive()
        await door.noticed()
        await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
        const thread = await threadOf(id)
        await leftOver(() => request(id))
        expect(await thread()).to.deep.equal({ ...fresh, ...expected })
        await expectSwept(thread, expected)
      })

      it(`${what}: the sweep derives a thread of several messages and counts the folders`, async () => {
        const root = `Message-ID: <root${letters++}@remote.example>`
        const first = await deliver(door.ctx, { to: tenant.address, raw: `${root}\r\n${mail}${letters++}` })
        const reply = `${root.replace('Message-ID', 'In-Reply-To')}\r\n${mail}${letters++}`
        const id = await deliver(door.ctx, { to: tenant.address, raw: reply })
        await call('PATCH', `${box}/messages/${first}`, { seen: true })
        await door.noticed()
        await announceArrivals(door.ctx, await toldOf(door.ctx, [first, id]))
        await door.ctx.background.done()
        const thread = await threadOf(id)
        await leftOver(() => request(id))
        expect(await thread(), 'before').to.deep.equal(fresh)
        await expectSwept(thread, expected)
      })

      it(`${what}: the sweep derives it where a list of writes is not one commit`, async () => {
        const id = await arrive()
        await door.noticed()
        await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
        const thread = await threadOf(id)
        Object.assign(door.ctx.store, { listsAreWhole: false })
        await leftOver(() => request(id))
        Object.assign(door.ctx.store, { listsAreWhole: true })
        expect(await thread(), 'before').to.deep.equal(fresh)
        await expectSwept(thread, expected)
      })
    }
    for (const [what, request, expected] of cases) {
      it(`${what}: the sweep derives the thread and counts the folders`, async () => {
        const id = await arrive()
        await door.noticed()
        await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
        const { blob } = (await door.ctx.store.messages.findOne({ _id: id }))!
        const thread = await threadOf(id)
        await leftOver(() => request(id))
        expect(await thread(), 'before').to.deep.equal(fresh)
        await expectSwept(thread, expected)
        door.advance(2 * 3_600_000)
        await sweepBlobs(door.ctx)
        const isGone = what === 'a deletion for good'
        expect(await door.ctx.store.blobs.countDocuments({ _id: `${blob.id}#0` })).to.equal(isGone ? 0 : 1)
      })
    }
  })

  describe('a folder', () => {
    const inbox = () => folderAt(door.ctx, tenant.mailboxId, 'INBOX')
    const set = (folderId: string, fields: object) =>
      door.ctx.store.folders.updateOne({ _id: folderId }, { $set: fields })

    it('that a faster clock has advanced keeps counting by itself', async () => {
      const id = await arrive()
      const ahead = (door.ctx.clock.now().getTime() + dayMs) * 1_000
      await set((await inbox())._id, { highestModseq: ahead })
      for (const flagged of [true, false]) await call('PATCH', `${box}/messages/${id}`, { flagged })
      const message = await door.ctx.store.messages.findOne({ _id: id })
      expect([message?.flagged, message?.modseq]).to.deep.equal([false, ahead + 2])
      await expectExact(door.ctx, tenant.mailboxId)
      await set((await inbox())._id, { highestModseq: 1 })
      await door.ctx.store.messages.updateMany({ mailboxId: tenant.mailboxId }, { $set: { modseq: 1 } })
    })

    for (const [what, change] of [
      ['a flag', { flagged: true }],
      ['a move', { folder: 'archive' }],
    ] as const)
      it(`whose recount is at its end lets ${what} wait, and counts it once`, async () => {
        const id = await arrive()
        const { _id: folderId } = await inbox()
        await set(folderId, { recount: 'nobody', touched: [], gate: new Date(door.ctx.clock.now().getTime() + 100) })
        const { status } = await call('PATCH', `${box}/messages/${id}`, change)
        expect(status).to.equal(200)
        await door.ctx.store.folders.updateOne({ _id: folderId }, { $unset: { recount: '', touched: '', gate: '' } })
        await expectExact(door.ctx, tenant.mailboxId)
      })

    it('that another process created or renamed is found at once', async () => {
      const id = await arrive()
      await call('GET', `${box}/messages/${id}`)
      const { _id, ...archive } = await folderAt(door.ctx, tenant.mailboxId, 'Archive')
      const made = newId('fld', door.ctx.clock.now())
      const empty = { uidNext: 1, highestModseq: 1, total: 0, unread: 0, bytes: 0, labels: {}, open: [] }
      await insertFolder(door.ctx.store, { ...archive, ...empty, _id: made, path: 'Foreign', role: null })
      expect((await call<Summary>('PATCH', `${box}/messages/${id}`, { folder: 'Foreign' })).body.folder).to.equal(
        'Foreign',
      )
      await set(made, { path: 'Renamed' })
      door.ctx.changes.publish({ kind: 'folders', mailboxId: tenant.mailboxId })
      await door.noticed()
      expect((await call<Summary>('GET', `${box}/messages/${id}`)).body.folder).to.equal('Renamed')
      await call('DELETE', `${box}/messages/${id}?permanent=true`)
    })

    it('continues with the next UIDs after another process has taken some, also for labelled mail', async () => {
      const archive = () => folderAt(door.ctx, tenant.mailboxId, 'Archive')
      const uids: number[] = []
      for (let n = 0; n < 6; n++) {
        const id = await arrive()
        if (n % 3 === 2) await call('PATCH', `${box}/messages/${id}`, { addLabels: ['moved'] })
        if (n === 3) await set((await archive())._id, { uidNext: (await archive()).uidNext + 5 })
        const { uidNext } = await archive()
        await call('PATCH', `${box}/messages/${id}`, { folder: 'archive' })
        const message = await door.ctx.store.messages.findOne({ _id: id })
        expect(message).to.include({ folderId: (await archive())._id, uid: uidNext })
        uids.push(uidNext)
      }
      expect(new Set(uids).size).to.equal(uids.length)
      await expectExact(door.ctx, tenant.mailboxId)
    })

    it('that another process deleted accepts no message, and nothing of the message remains', async () => {
      const id = await arrive()
      await call('POST', `${box}/folders`, { name: 'Passing' })
      const { _id } = await folderAt(door.ctx, tenant.mailboxId, 'Passing')
      await call('GET', `${box}/messages/${id}`)
      await door.ctx.store.folders.deleteOne({ _id })
      const { status, body } = await call<ErrorBody>('PATCH', `${box}/messages/${id}`, { folder: 'Passing' })
      expect([status, body.code]).to.deep.equal([404, 'not_found'])
      expect(await door.ctx.store.folders.countDocuments({ _id })).to.equal(0)
      await expectExact(door.ctx, tenant.mailboxId)
    })
  })

  describe('a message that has changed since it was read', () => {
    const store = () => door.ctx.store
    const changes: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
      ['was changed', (_id) => store().messages.updateOne({ _id }, { $inc: { modseq: 1 } })],
      ['has gone', (_id) => store().messages.deleteOne({ _id })],
    ]
    const isEdited = async (change: EditOfOne, edit: MessageEdit) => {
      const { isMade, isDerived, ends } = (await editMessage(store(), change, edit))!
      expect(isDerived).to.equal(false)
      await closeSoon(store(), ends)
      return isMade
    }
    const edits: readonly (readonly [string, (change: EditOfOne, archive: string) => Promise<boolean>])[] = [
      ['flagged', (change) => isEdited(change, { flagged: true })],
      ['seen', (change) => isEdited(change, { seen: true })],
      ['labelled', (change) => isEdited(change, { labels: ['x'] })],
      ['moved', (change, archive) => isEdited(change, { to: { folderId: archive } })],
      ['deleted', async (change) => (await removeMessage(store(), change)) !== null],
    ]
    for (const [how, alter] of changes)
      for (const [what, edit] of edits)
        it(`and ${how} is not ${what}, nor counted`, async () => {
          const id = await arrive()
          const message = (await store().messages.findOne({ _id: id }))!
          const { _id: archive } = await folderAt(door.ctx, tenant.mailboxId, 'Archive')
          const { mailboxId, folderId } = message
          const note = door.ctx.changes.noteWith({ kind: 'folders', mailboxId, messageIds: [id] })
          const { total, unread, bytes } = await folderAt(door.ctx, tenant.mailboxId, 'INBOX')
          await alter(id)
          const before = await store().messages.findOne({ _id: id })
          expect(await edit({ mailboxId, folderId, message, at: door.ctx.clock.now(), note }, archive)).to.equal(false)
          expect(await store().messages.findOne({ _id: id })).to.deep.equal(before)
          const after = await folderAt(door.ctx, tenant.mailboxId, 'INBOX')
          expect({ ...after }).to.deep.include({ total, unread, bytes, open: [] })
          // The folder still counts one message that was deleted without it.
          if (before === null)
            await store().folders.updateOne(
              { _id: folderId },
              { $inc: { total: -1, unread: -1, bytes: -message.sizeBytes } },
            )
          await expectExact(door.ctx, tenant.mailboxId)
        })
  })

  describe('changes by many at once', () => {
    it('20 clients move one message; it is in one folder, counted once, and keeps its id', async () => {
      const id = await arrive()
      const targets = ['INBOX', 'Archive', 'Spam', 'Trash']
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          call<Summary>('PATCH', `${box}/messages/${id}`, { folder: targets[n % 4], seen: n % 2 === 0 }),
        ),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200))
      expect((await call<Summary>('GET', `${box}/messages/${id}?view=headers`)).body.message_id).to.equal(id)
      await expectExact(door.ctx, tenant.mailboxId)
    })

    it('20 clients change the flags of one message; its thread shows the final flags', async () => {
      const id = await arrive()
      await door.noticed()
      await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
      const changes = Array.from({ length: 20 }, (_, n) => ({ seen: n % 2 === 0, flagged: n % 3 === 0 }))
      await Promise.all(changes.map((change) => call('PATCH', `${box}/messages/${id}`, change)))
      await door.ctx.background.done()
      const { seen, flagged, threadId } = (await door.ctx.store.messages.findOne({ _id: id }))!
      const thread = await door.ctx.store.threads.findOne({ _id: threadId })
      expect([thread?.unread, thread?.flagged]).to.deep.equal([!seen, flagged])
      await expectExact(door.ctx, tenant.mailboxId)
    })

    it('20 clients delete one message permanently; one succeeds', async () => {
      const id = await arrive()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => call('DELETE', `${box}/messages/${id}?permanent=true`)),
      )
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      expect(answers.filter(({ status }) => status === 404)).to.have.length(19)
      await expectExact(door.ctx, tenant.mailboxId)
    })

    it('two clients empty Trash while one restores; nothing is lost or duplicated', async () => {
      const { _id: folderId } = await folderAt(door.ctx, tenant.mailboxId, 'Trash')
      const ids = await fill(door.ctx, tenant, { folderId, count: 300 })
      const restored = call<Summary>('POST', `${box}/messages/${ids[250]}/restore`)
      const [one, two] = await Promise.all([call('POST', `${box}/trash/empty`), call('POST', `${box}/trash/empty`)])
      const back = (await restored).status === 200 ? 1 : 0
      const deleted = Number(one.body.deleted) + Number(two.body.deleted)
      expect(deleted + back).to.be.at.least(300)
      await expectExact(door.ctx, tenant.mailboxId)
    })

    it('flags and labels that many clients add are all kept', async () => {
      const id = await arrive()
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => call('PATCH', `${box}/messages/${id}`, { addLabels: [`l${n}`] })),
      )
      const { body } = await call<Summary>('GET', `${box}/messages/${id}?view=headers`)
      expect(body.labels.toSorted()).to.deep.equal(Array.from({ length: 10 }, (_, n) => `l${n}`))
      await expectExact(door.ctx, tenant.mailboxId)
    })
  })

  it('every change gives a higher modseq, every move a higher UID', async () => {
    const id = await arrive()
    const read = () => door.ctx.store.messages.findOne({ mailboxId: tenant.mailboxId, _id: id })
    const seen: { folderId: string; uid: number; modseq: number }[] = []
    for (const change of [{}, { seen: true }, { folder: 'archive' }, { flagged: true }, { folder: 'inbox' }]) {
      await call('PATCH', `${box}/messages/${id}`, change)
      const message = await read()
      if (message !== null) seen.push(message)
    }
    const [arrived, flagged, moved, marked, back] = seen
    expect(flagged?.modseq).to.be.above(arrived?.modseq ?? 0)
    expect(flagged?.uid).to.equal(arrived?.uid)
    expect(marked?.modseq).to.be.above(moved?.modseq ?? 0)
    expect(back?.uid).to.be.above(arrived?.uid ?? 0)
    expect(back?.modseq).to.be.above(flagged?.modseq ?? 0)
    const before = await read()
    await call('PATCH', `${box}/messages/${id}`, { seen: true, flagged: true, folder: 'INBOX' })
    expect((await read())?.modseq, 'nothing changed').to.equal(before?.modseq)
  })

  it('Trash and Spam are purged after 30 days, counted from when each message was moved there', async () => {
    const [trashed, spam, kept, late] = [await arrive(), await arrive(), await arrive(), await arrive()]
    await call('DELETE', `${box}/messages/${trashed}`)
    await call('PATCH', `${box}/messages/${spam}`, { folder: 'spam' })
    door.advance(29 * dayMs)
    expect(await sweepDiscarded(door.ctx)).to.equal(0)
    await call('DELETE', `${box}/messages/${late}`)
    door.advance(1.1 * dayMs)
    await sweepDiscarded(door.ctx)
    const status = async (id: string) => (await call('GET', `${box}/messages/${id}?view=headers`)).status
    expect([await status(trashed), await status(spam), await status(kept), await status(late)]).to.deep.equal([
      404, 404, 200, 200,
    ])
    await expectExact(door.ctx, tenant.mailboxId)
  })

  describe('labels', () => {
    it('are listed with exact counts, in whatever folders the messages are', async () => {
      const { address, mailboxId, key } = await makeTenant(door, { name: 'labels' })
      const own = client(door.http, key)
      const where = mailboxPath(address)
      const labels = async () => (await own<{ labels: unknown }>('GET', `${where}/labels`)).body.labels
      const ids = [
        await deliver(door.ctx, { to: address, raw: mail }),
        await deliver(door.ctx, { to: address, raw: `${mail}2` }),
      ]
      expect(await labels()).to.deep.equal([])
      await own('PATCH', `${where}/messages/${ids[0]}`, { addLabels: ['näch.ste$', 'a'] })
      await own('PATCH', `${where}/messages/${ids[1]}`, { addLabels: ['a', 'a'], folder: 'archive' })
      expect(await labels()).to.deep.equal([
        { label: 'a', count: 2 },
        { label: 'näch.ste$', count: 1 },
      ])
      await own('PATCH', `${where}/messages/${ids[0]}`, { removeLabels: ['a'] })
      await own('DELETE', `${where}/messages/${ids[0]}`)
      expect(await labels()).to.deep.equal([
        { label: 'a', count: 1 },
        { label: 'näch.ste$', count: 1 },
      ])
      await own('POST', `${where}/trash/empty`)
      expect(await labels()).to.deep.equal([{ label: 'a', count: 1 }])
      await expectExact(door.ctx, mailboxId)
    })

    it('are limited in number on a message', async () => {
      const id = await arrive()
      const addLabels = Array.from({ length: 51 }, (_, n) => `x${n}`)
      const { body } = await call<ErrorBody>('PATCH', `${box}/messages/${id}`, { addLabels })
      expect(body).to.include({ code: 'validation_error', param: 'addLabels' })
    })

    for (const label of ['\u200b', ' ', 'a\ud800', 'a\u202eb', 'a\nb'])
      it(`${JSON.stringify(label)} is not a valid label`, async () => {
        const id = await deliver(door.ctx, { to: tenant.address, raw: mail })
        const { body } = await call<ErrorBody>('PATCH', `${box}/messages/${id}`, { addLabels: [label] })
        expect(body).to.include({ code: 'validation_error', param: 'addLabels[0]' })
      })

    it("answer agent_inbox_only on a person's mailbox, at every door", async () => {
      const address = 'person@tenant.example'
      await call('POST', '/api/v1/mailboxes', { address, kind: 'person' })
      const id = await deliver(door.ctx, { to: address, raw: mail })
      const where = mailboxPath(address)
      const refused = [
        await call<ErrorBody>('GET', `${where}/labels`),
        await call<ErrorBody>('GET', `${where}/threads`),
        await call<ErrorBody>('GET', `${where}/threads/thr_x`),
        await call<ErrorBody>('GET', `${where}/messages?label=a`),
        await call<ErrorBody>('GET', `${where}/messages?thread_id=thr_x`),
        await call<ErrorBody>('PATCH', `${where}/messages/${id}`, { addLabels: ['a'] }),
        await call<ErrorBody>('PATCH', `${where}/messages/${id}`, { removeLabels: ['a'] }),
      ]
      expect(refused.map(({ status, body }) => [status, body.code])).to.deep.equal(
        Array(refused.length).fill([403, 'agent_inbox_only']),
      )
      expect((await call('PATCH', `${where}/messages/${id}`, { flagged: true, folder: 'archive' })).status).to.equal(
        200,
      )
    })
  })

  describe('claims', () => {
    it('are held by one key, which can renew and release them, and expire', async () => {
      const id = await arrive()
      const where = `${box}/messages/${id}/claim`
      const [one, two] = [await agentKey(), await agentKey()]
      const first = await one('POST', where, { ttl: 60 })
      expect([first.status, first.body.message_id]).to.deep.equal([200, id])
      expect((await two<ErrorBody>('POST', where, { ttl: 60 })).body.code).to.equal('conflict')
      expect((await two<ErrorBody>('DELETE', where)).body.code).to.equal('conflict')
      expect((await one('POST', where, { ttl: 120 })).status).to.equal(200)
      door.advance(61_000)
      expect((await two('POST', where, { ttl: 60 })).status, 'renewed').to.equal(409)
      expect((await one('DELETE', where)).body).to.deep.equal({ success: true, released: true })
      expect((await one('DELETE', where)).status).to.equal(200)
      expect((await two('POST', where, { ttl: 5 })).status).to.equal(200)
      door.advance(6_000)
      expect((await one('POST', where, { ttl: 5 })).status, 'expired').to.equal(200)
    })

    it('go to one of 20 keys', async () => {
      const id = await arrive()
      const keys = await Promise.all(Array.from({ length: 20 }, () => agentKey()))
      const answers = await Promise.all(keys.map((key) => key('POST', `${box}/messages/${id}/claim`, { ttl: 60 })))
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    })

    it('go to one waiter of a key; the key can renew and release them', async () => {
      const id = await arrive()
      const created = await makeKey(door.ctx, { accountId: tenant.accountId })
      const take = () =>
        takeLease(door.ctx, {
          mailboxId: tenant.mailboxId,
          messageId: id,
          owner: { keyId: created.key.id, token: newToken() },
          until: new Date(door.ctx.clock.now().getTime() + 60_000),
        })
      expect((await Promise.all([take(), take(), take()])).filter(Boolean)).to.have.length(1)
      const own = client(door.http, created.apiKey)
      expect((await own('POST', `${box}/messages/${id}/claim`, { ttl: 60 })).status).to.equal(200)
      expect(await take()).to.equal(false)
      expect((await own('DELETE', `${box}/messages/${id}/claim`)).status).to.equal(200)
      expect(await take()).to.equal(true)
    })

    const refusals: readonly (readonly [string, unknown])[] = [
      ['no ttl', {}],
      ['ttl 0', { ttl: 0 }],
      ['ttl 3601', { ttl: 3_601 }],
      ['ttl 1.5', { ttl: 1.5 }],
    ]
    for (const [what, body] of refusals) {
      it(`${what} is refused`, async () => {
        const answer = await call<ErrorBody>('POST', `${box}/messages/${await arrive()}/claim`, body)
        expect(answer.body).to.include({ code: 'validation_error', param: 'ttl' })
      })
    }
  })

  it('are not for other tenants, nor for keys without the scope', async () => {
    const id = await arrive()
    const stranger = client(door.http, (await makeTenant(door, { name: 'stranger' })).key)
    const reader = await agentKey(['mail:read'])
    const verbs = [
      ['POST', `${box}/messages/${id}/restore`, undefined],
      ['POST', `${box}/messages/${id}/claim`, { ttl: 5 }],
      ['DELETE', `${box}/messages/${id}/claim`, undefined],
      ['POST', `${box}/messages/read-all`, { folder: 'inbox' }],
      ['POST', `${box}/trash/empty`, undefined],
      ['PATCH', `${box}/messages/${id}`, { seen: true }],
      ['DELETE', `${box}/messages/${id}`, undefined],
    ] as const
    for (const [method, where, body] of verbs) {
      expect((await stranger<ErrorBody>(method, where, body)).body.code, where).to.equal('mailbox_not_found')
      expect((await reader<ErrorBody>(method, where, body)).body.code, where).to.equal('insufficient_scope')
    }
    const unknown = await call<ErrorBody>('POST', `${box}/messages/msg_none/claim`, { ttl: 5 })
    expect(unknown.body.code).to.equal('not_found')
  })
})
