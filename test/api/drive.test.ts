/** Drive: files are uploaded by the command line, and listed and downloaded by the API and MCP. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { runCommand } from '../../cli/command-line.ts'
import { type DriveSource, partBytes, putFile, sweepUploads } from '../../core/drive/put.ts'
import { sweepParts } from '../../core/drive/unused-parts.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import type { DriveEntryDoc } from '../../store/documents/drive.ts'
import { chunkBytes, driveEntryNamed, removeDriveEntry } from '../../store/drive.ts'
import { eventually } from '../eventually.ts'
import { type Call, client, type ErrorBody, type Json } from '../peers/rest.ts'
import { connectMcp, type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'
import { putText } from '../start/drive.ts'

type Entry = {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly parentId: string | null
  readonly size: number
}

describe('Drive', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  const list = async (query = '') =>
    (await call<{ entries: readonly Entry[]; next: string | null }>('GET', `/api/v1/drive${query}`)).body
  const urlOf = async (id: string) => {
    const { status, body } = await call<{ url: string; expiresAt: string }>('GET', `/api/v1/drive/${id}/download-url`)
    expect(status).to.equal(200)
    return { ...body, url: here(body.url) }
  }
  /** The door builds links from its settings, not from its port. */
  const here = (url: string) => door.http + new URL(url).pathname
  const put = (at: string, text: string) => putText(door.ctx, tenant.accountId, at, text)

  /** Runs a command as the administrator does. */
  async function command(...argv: readonly string[]) {
    const { data, mongodbUrl } = door.ctx.settings
    const out: string[] = []
    const err: string[] = []
    const code = await runCommand(argv, {
      env: { MAILROOM_DATA: data, MONGODB_URL: mongodbUrl ?? '' },
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
    })
    const lines = out.join('').split('\n').filter(Boolean)
    return { code, records: lines.map((line): Json => JSON.parse(line)), err: err.join('') }
  }

  it('lists folders and files, a folder at a time, newest first, in pages', async () => {
    for (const n of [1, 2, 3]) await put(`lists/file ${n}.txt`, `text ${n}`)
    await put('lists/inner/deep.txt', 'deep')
    const top = (await list()).entries.find(({ name }) => name === 'lists')
    expect(top).to.include({ kind: 'folder', parentId: null, size: 0 })
    const first = await list(`?parentId=${top?.id}&limit=2`)
    const second = await list(`?parentId=${top?.id}&limit=2&before=${first.next}`)
    const names = [...first.entries, ...second.entries].map(({ name }) => name)
    expect(names).to.deep.equal(['inner', 'file 3.txt', 'file 2.txt', 'file 1.txt'])
    expect(second.next).to.equal(null)
  })

  it('gives a link that needs no key, supports ranges, and is never shown as a page', async () => {
    const id = await put('page.html', '<script>0123456789</script>')
    await door.ctx.store.driveEntries.updateOne({ _id: id }, { $set: { contentType: 'text/html' } })
    const { url, expiresAt } = await urlOf(id)
    expect(new Date(expiresAt).getTime() - door.ctx.clock.now().getTime()).to.be.within(14 * minuteMs, 15 * minuteMs)
    const whole = await fetch(url)
    expect(await whole.text()).to.equal('<script>0123456789</script>')
    expect(whole.headers.get('content-disposition')).to.equal('attachment; filename="page.html"')
    expect(whole.headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox")
    expect(whole.headers.get('x-content-type-options')).to.equal('nosniff')
    const part = await fetch(url, { headers: { range: 'bytes=8-12' } })
    expect([part.status, await part.text(), part.headers.get('content-range')]).to.deep.equal([
      206,
      '01234',
      'bytes 8-12/27',
    ])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, '27'])
    expect((await fetch(url, { headers: { range: 'bytes=99-' } })).status).to.equal(416)
    expect((await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })).status).to.equal(304)
  })

  it('ends a link when it expires, when its file is removed, and when the content changes', async () => {
    const [timely, removed, replaced] = [await put('a', 'a'), await put('b', 'b'), await put('c', 'c')]
    const at = door.ctx.clock.now()
    await door.ctx.store.driveEntries.updateOne({ _id: replaced }, { $set: { modifiedAt: at } })
    const links = await Promise.all([timely, removed, replaced].map(async (id) => (await urlOf(id)).url))
    await command('drive', 'remove', 'tenant', 'b')
    door.advance(1)
    await put('c', 'other')
    // With the same modification time as before, as with files from archives.
    await door.ctx.store.driveEntries.updateOne({ _id: replaced }, { $set: { modifiedAt: at } })
    const statuses = async () => Promise.all(links.map(async (url) => (await fetch(url)).status))
    expect(await statuses()).to.deep.equal([200, 404, 404])
    door.advance(15 * minuteMs)
    expect(await statuses()).to.deep.equal([404, 404, 404])
    expect((await fetch(`${links[0]}x`)).status).to.equal(404)
  })

  const refusals: readonly (readonly [
    what: string,
    where: (ids: { folder: string; file: string }) => string,
    string,
  ])[] = [
    ['an unknown folder', () => '?parentId=file_00000000000000000000000000', 'not_found'],
    ['what lies in a file', ({ file }) => `?parentId=${file}`, 'conflict'],
    ['a link to a folder', ({ folder }) => `/${folder}/download-url`, 'conflict'],
    ['a link to nothing', () => '/file_00000000000000000000000000/download-url', 'not_found'],
    ['an invalid cursor', () => '?before=xyz', 'validation_error'],
    ['a parameter that there is not', () => '?parent_id=x', 'validation_error'],
  ]
  for (const [what, where, code] of refusals)
    it(`answers ${code} for ${what}`, async () => {
      await put('refused/file', 'x')
      const folder = (await list()).entries.find(({ name }) => name === 'refused')?.id ?? ''
      const file = (await list(`?parentId=${folder}`)).entries[0]?.id ?? ''
      const { body } = await call<ErrorBody>('GET', `/api/v1/drive${where({ folder, file })}`)
      expect(body.code).to.equal(code)
    })

  it('is closed to keys without drive:read and to other accounts', async () => {
    const id = await put('mine.txt', 'mine')
    const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })
    const narrow = await client(door.http, apiKey)<ErrorBody>('GET', '/api/v1/drive')
    expect(narrow.body).to.include({ code: 'insufficient_scope', requiredScope: 'drive:read' })
    const other = await makeTenant(door, { name: 'other' })
    const theirs = client(door.http, other.key)
    expect((await theirs<{ entries: Json[] }>('GET', '/api/v1/drive')).body.entries).to.deep.equal([])
    for (const where of [`/api/v1/drive?parentId=${id}`, `/api/v1/drive/${id}/download-url`])
      expect((await theirs<ErrorBody>('GET', where)).body.code).to.equal('not_found')
  })

  it('is read by the tools of MCP', async () => {
    await put('for agents/note.txt', 'read me')
    const mcp = await connectMcp(door.http, tenant.key)
    const listed = await mcp.callTool({ name: 'drive_list_files', arguments: {} })
    type Listed = { entries: { id: string; untrusted: { name: string } }[] }
    const { entries } = listed.structuredContent as Listed
    const folder = entries.find(({ untrusted }) => untrusted.name === 'for agents')
    const inside = await mcp.callTool({ name: 'drive_list_files', arguments: { parentId: folder?.id } })
    const [file] = (inside.structuredContent as Listed).entries
    const got = await mcp.callTool({ name: 'drive_download_file', arguments: { fileId: file?.id } })
    const { url } = got.structuredContent as { url: string }
    expect(await (await fetch(here(url))).text()).to.equal('read me')
    await mcp.close()
  })

  it('counts as storage of the account', async () => {
    const used = async () => (await call<{ storage: { used: number } }>('GET', '/api/v1/usage')).body.storage.used
    const before = await used()
    await put('counted.txt', 'x'.repeat(5_000))
    expect((await used()) - before).to.equal(5_000)
  })

  describe('mailroom drive', () => {
    let folder: string

    before(async () => {
      folder = path.join(door.ctx.settings.data, 'local')
      await mkdir(path.join(folder, 'reports/2026'), { recursive: true })
      await writeFile(path.join(folder, 'reports/2026/May.csv'), 'a,b\n')
      await writeFile(path.join(folder, 'reports/empty.bin'), '')
    })
    after(() => rm(folder, { recursive: true, force: true }))

    it('uploads folders, skips unchanged files, and replaces changed ones', async () => {
      const reports = path.join(folder, 'reports')
      const first = await command('drive', 'put', 'tenant', reports, '--to', 'shared')
      expect(first.records).to.deep.equal([{ account: tenant.accountId, new: 2, replaced: 0, same: 0 }])
      const again = await command('drive', 'put', 'tenant', reports, '--to', 'shared')
      expect(again.records[0]).to.include({ new: 0, same: 2 })
      await writeFile(path.join(reports, '2026/May.csv'), 'a,b,c\n')
      await utimes(path.join(reports, '2026/May.csv'), new Date(), new Date(Date.now() + 5_000))
      expect((await command('drive', 'put', 'tenant', reports, '--to', 'shared')).records[0]).to.include({
        replaced: 1,
      })
      const { records } = await command('drive', 'list', 'tenant', 'shared')
      expect(records.map(({ path: at, size }) => [at, size])).to.have.deep.members([
        ['reports', 0],
        ['reports/empty.bin', 0],
        ['reports/2026', 0],
        ['reports/2026/May.csv', 6],
      ])
      const empty = records.find(({ path: at }) => at === 'reports/empty.bin')
      expect(await (await fetch((await urlOf(String(empty?.id))).url)).text()).to.equal('')
      const removed = await command('drive', 'remove', 'tenant', 'shared')
      expect(removed.records[0]).to.include({ removed: 5 })
      expect(await door.ctx.store.driveChunks.countDocuments({ files_id: { $regex: String(empty?.id) } })).to.equal(0)
    })

    it('skips symbolic links in a folder that are broken or lead back into it', async () => {
      const linked = path.join(folder, 'linked')
      await mkdir(linked)
      await writeFile(path.join(linked, 'a.txt'), 'a')
      await symlink('.', path.join(linked, 'back'))
      await symlink('nowhere', path.join(linked, 'broken'))
      await symlink('a.txt', path.join(linked, 'same.txt'))
      const { records, err } = await command('drive', 'put', 'tenant', linked)
      expect(records, err).to.deep.equal([{ account: tenant.accountId, new: 2, replaced: 0, same: 0 }])
    })

    it('keeps a saved attachment when its message is deleted', async () => {
      const { address } = tenant
      const raw = `From: a@remote.example\nSubject: s\nContent-Type: application/pdf; name="a/b.pdf"\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjQ=\n`
      const messageId = await deliver(door.ctx, { to: address, raw })
      const at = `/api/v1/mailboxes/${address}/messages/${messageId}`
      const { body } = await call<{ attachments: { id: string }[] }>('GET', at)
      const args = [address, messageId, body.attachments[0]?.id ?? '', '--to', 'kept']
      const { records } = await command('drive', 'keep', 'tenant', ...args)
      await call('DELETE', `${at}?permanent=true`)
      expect(await (await fetch((await urlOf(String(records[0]?.id))).url)).text()).to.equal('%PDF-1.4')
    })

    it('does not change an attachment that is saved a second time', async () => {
      const { address } = tenant
      const raw = 'From: a@remote.example\nSubject: s\nContent-Type: application/pdf; name=twice.pdf\n\n%PDF-1.4'
      const messageId = await deliver(door.ctx, { to: address, raw })
      const { body } = await call<{ attachments: { id: string }[] }>(
        'GET',
        `/api/v1/mailboxes/${address}/messages/${messageId}`,
      )
      const args = [address, messageId, body.attachments[0]?.id ?? '', '--to', 'kept']
      const first = await command('drive', 'keep', 'tenant', ...args)
      const { url } = await urlOf(String(first.records[0]?.id))
      door.advance(1)
      const { records } = await command('drive', 'keep', 'tenant', ...args)
      expect(records[0]).to.deep.equal({ ...first.records[0], was: 'same' })
      expect(await (await fetch(url)).text()).to.match(/^%PDF-1\.4\s*$/)
    })

    it('says what is wrong with a command', async () => {
      await put('a file', 'x')
      const said = async (...args: readonly string[]) => (await command('drive', ...args)).err
      expect(await said('put', 'tenant', '/nowhere/at-all')).to.match(/There is no file or folder .*at-all/)
      const below = path.join(folder, 'a file', 'x')
      expect(await said('put', 'tenant', below)).to.equal(
        `There is no file or folder ${below}. Name an existing one.\n`,
      )
      expect(await said('put', 'tenant', path.join(folder, 'x'.repeat(300)))).to.match(
        /^ENAMETOOLONG: .*\. Name a file or/,
      )
      expect(await said('put', 'tenant', '/dev/null')).to.equal(
        '/dev/null is neither a file nor a folder. Write its content into a file, and name that file.\n',
      )
      expect(await said('put', 'nobody', folder)).to.match(/There is no account nobody/)
      expect(await said('put', 'tenant', folder, '--to', 'a file')).to.match(/is a file in Drive, not a folder/)
      expect(await said('remove', 'tenant', 'not there')).to.match(/There is nothing at "not there"/)
    })
  })

  describe('a long file', () => {
    const content = randomBytes(partBytes + 1_000_003)
    const file = (more: Partial<DriveSource> = {}): DriveSource => ({
      name: 'long.bin',
      contentType: 'application/octet-stream',
      sizeBytes: content.length,
      modifiedAt: new Date(1_700_000_000_000),
      source: 'one',
      read: async function* (from) {
        for (let at = from; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
      },
      ...more,
    })
    /** The content of the file, cut off after a number of bytes. */
    const cutAt = (end: number): Partial<DriveSource> => ({
      read: async function* (from) {
        yield content.subarray(from, end)
        if (from < end || from >= partBytes) throw new Error('cut')
      },
    })
    const top = () => ({ accountId: tenant.accountId, parentId: null })

    it('resumes after its last complete part, is listed once complete, and can be read in any range', async () => {
      const begun = await putFile(door.ctx, top(), file(cutAt(partBytes + 5))).catch((error: unknown) => error)
      expect(String(begun)).to.equal('Error: cut')
      expect((await list()).entries.some(({ name }) => name === 'long.bin')).to.equal(false)
      const from: number[] = []
      const { entry, was } = await putFile(
        door.ctx,
        top(),
        file({
          read(at) {
            from.push(at)
            return file().read(at)
          },
        }),
      )
      expect([from, was]).to.deep.equal([[partBytes], 'new'])
      const { url } = await urlOf(entry._id)
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
      const digest = (given: Buffer) => createHash('sha256').update(given).digest('hex')
      expect(digest(bytes)).to.equal(digest(content))
      const range = { range: `bytes=${partBytes - 10}-${partBytes + 9}` }
      const across = Buffer.from(await (await fetch(url, { headers: range })).arrayBuffer())
      expect(across.equals(content.subarray(partBytes - 10, partBytes + 10))).to.equal(true)
    })

    it('keeps its old content until the new one is complete, and drops an upload that is not resumed', async () => {
      const id = await put('kept.txt', 'old')
      const cut = await putFile(door.ctx, top(), file({ name: 'kept.txt', ...cutAt(partBytes) })).catch(() => 'cut')
      expect(cut).to.equal('cut')
      expect(await (await fetch((await urlOf(id)).url)).text()).to.equal('old')
      const parts = () => door.ctx.store.driveFiles.countDocuments({ filename: { $regex: id } })
      expect(await parts()).to.equal(2)
      door.advance(8 * dayMs)
      expect(await sweepUploads(door.ctx)).to.equal(1)
      expect(await parts()).to.equal(1)
      expect(await (await fetch((await urlOf(id)).url)).text()).to.equal('old')
    })

    it('leaves nothing of an incomplete part after the sweep, a new content or the removal', async () => {
      const pieces = ({ _id }: { readonly _id: string }) =>
        door.ctx.store.driveChunks.countDocuments({ files_id: { $regex: `^${_id}` } })
      const entryOf = async (name: string) =>
        (await driveEntryNamed(door.ctx.store, { ...top(), name })) ?? expect.fail(`There is no ${name}`)
      const cut = async (name: string) => {
        const read = async function* () {
          for (let n = 0; n < 8; n++) yield content.subarray(n * chunkBytes, (n + 1) * chunkBytes)
          await eventually('all pieces are written', async () => (await pieces(await entryOf(name))) === 8)
          throw new Error('cut')
        }
        expect(await putFile(door.ctx, top(), file({ name, read })).catch(String)).to.equal('Error: cut')
        return entryOf(name)
      }
      const [swept, replaced, removed] = [await cut('cut 1'), await cut('cut 2'), await cut('cut 3')]
      await removeDriveEntry(door.ctx.store, removed)
      await putText(door.ctx, tenant.accountId, 'cut 2', 'another')
      door.advance(8 * dayMs)
      await sweepUploads(door.ctx)
      expect(await Promise.all([swept, replaced, removed].map(pieces))).to.deep.equal([0, 1, 0])
    })

    it('leaves nothing of a file whose entry was removed just before a crash, and keeps existing files and uploads', async () => {
      const { driveEntries, driveFiles } = door.ctx.store
      const partsOf = ({ _id }: { readonly _id: string }) =>
        driveFiles.countDocuments({ filename: { $regex: `^${_id}` } })
      const { entry: gone } = await putFile(door.ctx, top(), file({ name: 'gone.bin' }))
      const { entry: kept } = await putFile(door.ctx, top(), file({ name: 'kept.bin' }))
      const before = [gone, kept].map(partsOf)
      expect(
        await putFile(door.ctx, top(), file({ name: 'begun.bin', ...cutAt(partBytes + 5) })).catch(() => 'cut'),
      ).to.equal('cut')
      const begun = (await driveEntryNamed(door.ctx.store, { ...top(), name: 'begun.bin' }))!
      await driveEntries.deleteOne({ accountId: tenant.accountId, _id: gone._id })
      // Its deletion has also begun.
      const first = await driveFiles.findOne({ filename: { $regex: `^${gone._id}` } }, { sort: { filename: 1 } })
      await door.ctx.store.driveChunks.deleteOne({ files_id: first!._id, n: 0 })
      const [partsGone = 0, partsKept] = await Promise.all(before)
      expect(partsGone).to.be.greaterThan(0)
      expect(await sweepParts(door.ctx)).to.equal(partsGone)
      expect(await Promise.all([gone, kept, begun].map(partsOf))).to.deep.equal([0, partsKept, 1])
      expect(await sweepParts(door.ctx)).to.equal(0)
    })

    it('is complete if two commands upload it at once, and the one that started first gets an error', async () => {
      const name = 'raced.bin'
      const pieces = () => door.ctx.store.driveChunks.countDocuments({ files_id: { $regex: `^${raced?._id}` } })
      let raced: DriveEntryDoc | null = null
      const { promise: overtaken, resolve: goOn } = Promise.withResolvers<void>()
      const slowly = async function* (from: number) {
        yield content.subarray(from, from + chunkBytes)
        await overtaken
        yield* file().read(from + chunkBytes)
      }
      const first = putFile(door.ctx, top(), file({ name, read: slowly })).catch((error: unknown) => error)
      await eventually('the first has written something', async () => {
        raced = await driveEntryNamed(door.ctx.store, { ...top(), name })
        return raced !== null && (await pieces()) === 1
      })
      const { entry, was } = await putFile(door.ctx, top(), file({ name }))
      goOn()
      expect(await first).to.include({ code: 'conflict' })
      expect(was).to.equal('new')
      const bytes = Buffer.from(await (await fetch((await urlOf(entry._id)).url)).arrayBuffer())
      expect(bytes.equals(content)).to.equal(true)
      expect(await sweepParts(door.ctx)).to.equal(0)
    })

    it('keeps its content if that is uploaded again while another content is unfinished', async () => {
      const name = 'again.bin'
      const short = (more: Partial<DriveSource>) => file({ name, sizeBytes: 1_000, ...more })
      const { entry } = await putFile(door.ctx, top(), short({}))
      const other = { source: 'two', modifiedAt: new Date(1_700_000_001_000), ...cutAt(0) }
      expect(await putFile(door.ctx, top(), short(other)).catch(() => 'cut')).to.equal('cut')
      const again = await putFile(door.ctx, top(), short({}))
      const bytes = Buffer.from(await (await fetch((await urlOf(entry._id)).url)).arrayBuffer())
      expect(bytes.equals(content.subarray(0, 1_000))).to.equal(true)
      expect(again.was).to.equal('same')
    })

    it('stops being read when its reader has gone', async () => {
      const { entry } = await putFile(door.ctx, top(), file({ name: 'left.bin' }))
      const response = await fetch((await urlOf(entry._id)).url)
      const reader = response.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      expect((await call('GET', '/api/v1/drive')).status).to.equal(200)
    })
  })
})
