import { expect } from 'chai'
import { sweepReservations } from '../../core/upkeep/sweep.ts'
import { newId, newToken } from '../../schemas/ids.ts'
import { foldersMax } from '../../schemas/threads.ts'
import { reservationSeconds, reserve } from '../../store/folders.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'
import { expectExact, fill, folderAt } from './mailbox-state.ts'

const mail = 'From: ada@remote.example\nSubject: Hello\n\nx\n'

type Folder = { path: string; role: string | null; total: number; unread: number }
type Summary = { message_id: string; folder: string }

describe('api: folders', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let folders: string

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    folders = `${mailboxPath(tenant.address)}/folders`
  })
  after(() => door?.close())

  const list = async (where = folders) => (await call<{ folders: Folder[] }>('GET', where)).body.folders
  const at = (path: string) => `${folders}/${encodeURIComponent(path)}`
  const move = (id: string, folder: string) =>
    call<Summary>('PATCH', `${mailboxPath(tenant.address)}/messages/${id}`, { folder })
  const folderOf = async (id: string) =>
    (await call<Summary>('GET', `${mailboxPath(tenant.address)}/messages/${id}?view=headers`)).body.folder

  it('every mailbox has six, with their roles', async () => {
    expect((await list()).map(({ path, role }) => [path, role])).to.deep.equal([
      ['INBOX', 'inbox'],
      ['Sent', 'sent'],
      ['Drafts', 'drafts'],
      ['Trash', 'trash'],
      ['Spam', 'spam'],
      ['Archive', 'archive'],
    ])
  })

  it('never show a negative count, not even while one is miscounted after a crashed writer', async () => {
    const { _id: folderId, mailboxId } = await folderAt(door.ctx, tenant.mailboxId, 'Archive')
    const claim = { folderId, mailboxId, uids: 0, total: -1, unread: -1, bytes: -1 }
    await reserve(door.ctx.store, [claim], { token: newToken(), at: door.ctx.machineClock.now() })
    expect((await list()).find(({ path }) => path === 'Archive')).to.include({ total: 0, unread: 0 })
    door.advance((reservationSeconds + 1) * 1_000)
    await sweepReservations(door.ctx)
    await expectExact(door.ctx, tenant.mailboxId)
  })

  it('are created together with their missing parents', async () => {
    const { status, body } = await call('POST', folders, { name: 'Work/2026/Invoices' })
    expect([status, body]).to.deep.equal([
      201,
      { success: true, path: 'Work/2026/Invoices', role: null, total: 0, unread: 0 },
    ])
    expect((await list()).slice(6).map(({ path }) => path)).to.deep.equal(['Work', 'Work/2026', 'Work/2026/Invoices'])
  })

  it('can name a parent standard folder in any letter case', async () => {
    expect((await call('POST', folders, { name: 'aRCHIVE/Old' })).body.path).to.equal('Archive/Old')
    expect((await call('DELETE', at('archive/Old'))).body).to.deep.equal({ success: true, deleted: true })
  })

  const refusals: readonly (readonly [string, unknown, number, string])[] = [
    ['no name', '', 400, 'validation_error'],
    ['an empty level', 'a//b', 400, 'validation_error'],
    ['a slash in front', '/a', 400, 'validation_error'],
    ['a slash behind', 'a/', 400, 'validation_error'],
    ['a control character', 'a\u0007b', 400, 'validation_error'],
    ['a line break', 'a\nb', 400, 'validation_error'],
    ['half a character', 'a\ud800', 400, 'validation_error'],
    ['nothing to be seen', 'a/\u200b', 400, 'validation_error'],
    ['what turns the rest around', 'a\u202eb', 400, 'validation_error'],
    ['a dot', 'a/..', 400, 'validation_error'],
    ['spaces around it', ' a', 400, 'validation_error'],
    ['too long a level', 'x'.repeat(101), 400, 'validation_error'],
    ['too many levels', Array(11).fill('x').join('/'), 400, 'validation_error'],
    ['too long a path', `${'x'.repeat(99)}/`.repeat(6), 400, 'validation_error'],
    ['a number', 1, 400, 'validation_error'],
    ['INBOX in any case', 'inBox', 409, 'conflict'],
    ['a standard folder', 'Sent', 409, 'conflict'],
    ['a role', 'archive', 409, 'conflict'],
    ['what is there', 'Work', 409, 'conflict'],
  ]
  for (const [what, name, status, code] of refusals) {
    it(`cannot have the name ${what}`, async () => {
      const answer = await call<ErrorBody>('POST', folders, { name })
      expect([answer.status, answer.body.code]).to.deep.equal([status, code])
    })
  }

  it('are renamed with all folders below them; ids, UIDs and mail stay', async () => {
    await call('POST', folders, { name: 'Old/Deep/Deeper' })
    const id = await deliver(door.ctx, { to: tenant.address, raw: mail })
    expect((await move(id, 'Old/Deep')).body.folder).to.equal('Old/Deep')
    const before = await folderAt(door.ctx, tenant.mailboxId, 'Old/Deep')
    const { status, body } = await call('PATCH', at('Old'), { name: 'New/Place' })
    expect([status, body.path]).to.deep.equal([200, 'New/Place'])
    const after = await folderAt(door.ctx, tenant.mailboxId, 'New/Place/Deep')
    expect(after).to.deep.equal({ ...before, path: 'New/Place/Deep' })
    expect(await folderOf(id)).to.equal('New/Place/Deep')
    expect((await list()).map(({ path }) => path)).to.include.members(['New', 'New/Place', 'New/Place/Deep/Deeper'])
    expect((await list()).some(({ path }) => path.startsWith('Old'))).to.equal(false)
  })

  it('a rename that was interrupted is finished by repeating it', async () => {
    await call('POST', folders, { name: 'Half/One' })
    await call('POST', folders, { name: 'Half/Two' })
    const { _id } = await folderAt(door.ctx, tenant.mailboxId, 'Half/One')
    await door.ctx.store.folders.updateOne({ _id, mailboxId: tenant.mailboxId }, { $set: { path: 'Whole/One' } })
    expect((await call('PATCH', at('Half'), { name: 'Whole' })).status).to.equal(200)
    const paths = (await list()).map(({ path }) => path)
    expect(paths).to.include.members(['Whole', 'Whole/One', 'Whole/Two'])
    expect(paths).not.to.include.members(['Half'])
  })

  const renames: readonly (readonly [string, string, string, number])[] = [
    ['a standard folder', 'sent', 'Elsewhere', 409],
    ['an unknown folder', 'Nothing', 'Elsewhere', 404],
    ['to what is there', 'Work', 'New', 409],
    ['to a standard folder', 'Work', 'inbox', 409],
    ['into itself', 'Work', 'Work/Inside', 409],
    ['to no name', 'Work', 'a//b', 400],
    ['to the same name', 'Work', 'Work', 200],
  ]
  for (const [what, path, name, status] of renames) {
    it(`rename ${what}: ${status}`, async () => {
      expect((await call('PATCH', at(path), { name })).status).to.equal(status)
    })
  }

  it('a reused path has a new UIDVALIDITY', async () => {
    await call('POST', folders, { name: 'Again' })
    const first = await folderAt(door.ctx, tenant.mailboxId, 'Again')
    await call('DELETE', at('Again'))
    await call('POST', folders, { name: 'Again' })
    const second = await folderAt(door.ctx, tenant.mailboxId, 'Again')
    expect(second.uidValidity).to.be.above(first.uidValidity)
  })

  for (const path of ['INBOX', 'trash', 'Archive']) {
    it(`${path} cannot be deleted`, async () => {
      const { status, body } = await call<ErrorBody>('DELETE', at(path))
      expect([status, body.code]).to.deep.equal([409, 'conflict'])
    })
  }

  it('are deleted with all folders below them; their mail is in Trash, and can be restored to INBOX', async () => {
    await call('POST', folders, { name: 'Gone/Below' })
    const ids = [
      await deliver(door.ctx, { to: tenant.address, raw: mail }),
      await deliver(door.ctx, { to: tenant.address, raw: `${mail}2` }),
    ]
    await move(ids[0]!, 'Gone')
    await move(ids[1]!, 'Gone/Below')
    expect((await call('DELETE', at('Gone'))).body).to.deep.equal({ success: true, deleted: true })
    expect((await list()).some(({ path }) => path.startsWith('Gone'))).to.equal(false)
    for (const id of ids) {
      expect(await folderOf(id)).to.equal('Trash')
      const { body } = await call<Summary>('POST', `${mailboxPath(tenant.address)}/messages/${id}/restore`)
      expect([body.message_id, body.folder]).to.deep.equal([id, 'INBOX'])
    }
    expect((await call<ErrorBody>('DELETE', at('Gone'))).body.code).to.equal('not_found')
    await expectExact(door.ctx, tenant.mailboxId)
  })

  it('with 2,500 messages are deleted in batches, and counted exactly', async () => {
    await call('POST', folders, { name: 'Big' })
    const { _id: folderId } = await folderAt(door.ctx, tenant.mailboxId, 'Big')
    const ids = await fill(door.ctx, tenant, { folderId, count: 2_500 })
    const trash = await folderAt(door.ctx, tenant.mailboxId, 'Trash')
    expect((await call('DELETE', at('Big'))).status).to.equal(200)
    const moved = await door.ctx.store.messages
      .find({ mailboxId: tenant.mailboxId, _id: { $in: [...ids] } })
      .sort({ _id: 1 })
      .toArray()
    expect(moved).to.have.length(2_500)
    expect(moved.every((message) => message.folderId === trash._id && message.deletedFrom === folderId)).to.equal(true)
    const uids = moved.map(({ uid }) => uid)
    expect(uids[0]).to.be.at.least(trash.uidNext)
    expect(uids.every((uid, n) => n === 0 || uid > uids[n - 1]!)).to.equal(true)
    await expectExact(door.ctx, tenant.mailboxId)
  })

  it('a deletion that was interrupted is finished by repeating it', async () => {
    await call('POST', folders, { name: 'Broken' })
    const { _id: folderId } = await folderAt(door.ctx, tenant.mailboxId, 'Broken')
    const ids = await fill(door.ctx, tenant, { folderId, count: 500 })
    const restore = failing(door, 2)
    expect((await call('DELETE', at('Broken'))).status).to.equal(500)
    restore()
    door.advance(31_000)
    await sweepReservations(door.ctx)
    await expectExact(door.ctx, tenant.mailboxId)
    expect((await call('DELETE', at('Broken'))).status).to.equal(200)
    const trash = await folderAt(door.ctx, tenant.mailboxId, 'Trash')
    expect(
      await door.ctx.store.messages.countDocuments({
        mailboxId: tenant.mailboxId,
        _id: { $in: [...ids] },
        folderId: trash._id,
      }),
    ).to.equal(500)
    await expectExact(door.ctx, tenant.mailboxId)
  })

  it('are limited in number', async () => {
    const other = await makeTenant(door, { name: 'many' })
    const { accountId, mailboxId } = other
    const now = door.ctx.clock.now()
    await door.ctx.store.folders.insertMany(
      Array.from({ length: foldersMax - 6 }, (_, n) => ({
        _id: newId('fld', now),
        accountId,
        mailboxId,
        path: `f${n}`,
        role: null,
        uidValidity: 1,
        uidNext: 1,
        highestModseq: 1,
        total: 0,
        unread: 0,
        bytes: 0,
        open: [],
      })),
    )
    const answer = await client(door.http, other.key)<ErrorBody>('POST', `${mailboxPath(other.address)}/folders`, {
      name: 'one more',
    })
    expect([answer.status, answer.body.code]).to.deep.equal([409, 'conflict'])
    expect(await door.ctx.store.folders.countDocuments({ mailboxId })).to.equal(foldersMax)
  })

  it('one Idempotency-Key creates one folder', async () => {
    const headers = { 'idempotency-key': 'folder-1' }
    const first = await call('POST', folders, { name: 'Once' }, headers)
    const second = await call('POST', folders, { name: 'Once' }, headers)
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).to.deep.equal([201, 201, 'true'])
  })

  it("exist in a person's mailbox too", async () => {
    const address = 'person@tenant.example'
    await call('POST', '/api/v1/mailboxes', { address, kind: 'person' })
    const { status } = await call('POST', `${mailboxPath(address)}/folders`, { name: 'Mine' })
    expect([status, (await list(`${mailboxPath(address)}/folders`)).length]).to.deep.equal([201, 7])
  })

  it('are closed to other tenants and to keys without the scope', async () => {
    const other = client(door.http, (await makeTenant(door, { name: 'stranger' })).key)
    const reader = client(
      door.http,
      (
        await makeKey(door.ctx, {
          accountId: tenant.accountId,
          kind: 'agent',
          scopes: ['mail:read'],
          mailboxIds: [tenant.mailboxId],
        })
      ).apiKey,
    )
    for (const [method, where, body] of [
      ['POST', folders, { name: 'X' }],
      ['PATCH', at('Work'), { name: 'X' }],
      ['DELETE', at('Work'), undefined],
    ] as const) {
      expect((await other<ErrorBody>(method, where, body)).body.code).to.equal('mailbox_not_found')
      expect((await reader<ErrorBody>(method, where, body)).body).to.include({
        code: 'insufficient_scope',
        requiredScope: 'mail:write',
      })
    }
    expect((await other<ErrorBody>('GET', folders)).body.code).to.equal('mailbox_not_found')
    expect((await reader('GET', folders)).status).to.equal(200)
  })

  it('are never created beyond the limit, and none is left half created', async () => {
    const own = await makeTenant(door, { name: 'full' })
    const ask = client(door.http, own.key)
    const where = `${mailboxPath(own.address)}/folders`
    const make = async (name: string) => (await ask('POST', where, { name })).status
    const paths = async () => (await ask<{ folders: Folder[] }>('GET', where)).body.folders.map(({ path }) => path)
    const inbox = await door.ctx.store.folders.findOne({ mailboxId: own.mailboxId, path: 'INBOX' })
    const room = foldersMax - (await paths()).length - 1
    await door.ctx.store.folders.insertMany(
      Array.from({ length: room }, (_, n) => ({ ...inbox!, _id: newId('fld', new Date()), path: `f${n}`, role: null })),
    )
    expect(await make('a/b/c')).to.equal(409)
    expect((await ask('PATCH', `${where}/f0`, { name: 'a/b/f0' })).status).to.equal(409)
    expect((await paths()).filter((path) => path.startsWith('a'))).to.deep.equal([])
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => make(`g${n}`)))
    expect(answers.filter((status) => status === 201).length).to.be.at.most(1)
    expect(answers.every((status) => status === 201 || status === 409)).to.equal(true)
    expect((await paths()).length).to.be.at.most(foldersMax)
    await make('last')
    expect(await make('over')).to.equal(409)
    expect((await paths()).length).to.equal(foldersMax)
  })
})

/**
 * Makes the n-th list of writes from now on fail, as if the process had died there. Returns a function that undoes this.
 */
function failing({ ctx }: Door, nth: number): () => void {
  const { writeEach } = ctx.store
  let calls = 0
  const failingOnce: typeof writeEach = (writes) => {
    calls += 1
    return calls === nth ? Promise.reject(new Error('interrupted')) : writeEach(writes)
  }
  Object.assign(ctx.store, { writeEach: failingOnce })
  return () => {
    Object.assign(ctx.store, { writeEach })
  }
}
