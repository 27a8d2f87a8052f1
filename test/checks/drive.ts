/**
 * `npm run check -- drive [SIZE]`: a long file (2G, or for example 256M) is uploaded to Drive by the command line. During the upload the
 * command is killed once, and the service with all its processes once. Then the file is downloaded in every way there is, and removed.
 * The check requires that every byte is the same, no transfer restarts from zero, nothing is left behind, and no process ever holds
 * more than a little of the file in memory.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { linkIds, reachFile } from '../../core/drive/entries.ts'
import { partBytes } from '../../core/drive/put.ts'
import { linkTo } from '../../core/read/attachment-links.ts'
import { chunkBytes } from '../../store/drive.ts'
import { eventually } from '../eventually.ts'
import type { Memory } from '../memory.ts'
import { downloadInRanges, downloadResumed, downloadWhole, stall } from '../peers/downloads.ts'
import { client } from '../peers/rest.ts'
import { writeSeededFile } from '../seeded-file.ts'
import { connectMcp, makeKey } from '../start/door.ts'
import { type DriveService, type Running, startDriveService } from '../start/drive-service.ts'
import { inContext } from '../start/service.ts'

const seed = 20
const connections = 4
const name = 'long.bin'
/** How long the link whose expiry is checked stays valid. */
const shortLinkMs = 4_000
/**
 * By how much the memory of each process may exceed its idle size: an eighth of 2 GB. Of a file, a process holds only the 255 KiB chunks
 * in flight, eight per reader; the rest is buffers that the garbage collector has not reclaimed yet and log pages that the engine
 * caches. A process that buffers a whole file, or runs ahead of a slow reader, is far above this limit.
 */
const growthMaxMb = 256
const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2)

export async function run([size = '2G']: readonly string[]): Promise<boolean> {
  const sizeBytes = bytesOf(size)
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-drive-'))
  const drive = await startDriveService()
  try {
    const file = path.join(folder, name)
    const sha256 = await writeSeededFile(file, sizeBytes, seed)
    console.log(`${megabytes(sizeBytes)} MB, SHA-256 ${sha256}`)
    await warmUp(drive, folder)
    const before = await drive.usedBytes()
    await putWithKills(drive, file, sizeBytes)
    expect(await piecesOf(drive), 'pieces, of which the kills left none').to.equal(piecesIn(sizeBytes))
    expect((await drive.usedBytes()) - before, 'storage that is counted').to.equal(sizeBytes)
    const id = await listed(drive, sizeBytes)
    await downloadAll(drive, { id, sha256, sizeBytes, folder })
    await refusals(drive, id)
    await drive.command('remove', name).ended
    expect(await drive.usedBytes(), 'storage after the removal').to.equal(before)
    expect(await piecesOf(drive), 'pieces after the removal').to.equal(0)
    console.log('counted to the byte while it was there; removed with every piece')
    return isBounded(drive.memory())
  } finally {
    await drive.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}

function bytesOf(size: string): number {
  const [, count, unit] = /^(\d+)([MG])$/.exec(size) ?? []
  const bytes = Number(count) * 1024 ** (unit === 'G' ? 3 : 2)
  if (!(bytes >= 4 * partBytes)) throw new Error(`"${size}" is no size such as 2G or 256M, of 64M at least.`)
  return bytes
}

type Entry = { readonly id: string; readonly name: string; readonly size: number; readonly kind: string }

/** How many chunks a file has in the bucket of the database: each part is chunked by itself. */
function piecesIn(sizeBytes: number): number {
  const rest = sizeBytes % partBytes
  return Math.floor(sizeBytes / partBytes) * Math.ceil(partBytes / chunkBytes) + Math.ceil(rest / chunkBytes)
}

const piecesOf = (drive: DriveService) => inContext(drive.service(), ({ store }) => store.driveChunks.countDocuments())

/** Uploads, downloads and removes a small file, so that every process has loaded the code it needs. */
async function warmUp(drive: DriveService, folder: string): Promise<void> {
  const file = path.join(folder, 'small.bin')
  await writeFile(file, Buffer.alloc(1_000, 1))
  expect((await drive.command('put', file).ended).code).to.equal(0)
  const [entry] = (await drive.mail().drive.list()).entries
  await downloadWhole((await drive.mail().drive.downloadUrl(entry?.id ?? '')).url)
  expect((await drive.command('remove', 'small.bin').ended).code).to.equal(0)
  drive.isIdle()
}

/**
 * Uploads the file: the command is killed at a quarter, the service at a half, then the upload completes. A last `put` has nothing left
 * to send.
 */
async function putWithKills(drive: DriveService, file: string, sizeBytes: number): Promise<void> {
  const startedAt = performance.now()
  const one = drive.command('put', file)
  await noted(drive, one, sizeBytes / 4)
  one.child.kill('SIGKILL')
  await one.ended
  const first = await partsThere(drive)

  const two = drive.command('put', file)
  await noted(drive, two, sizeBytes / 2)
  await drive.kill()
  const { code, err } = await two.ended
  expect(code, 'the command ends when the service has gone').to.equal(1)
  expect(err).to.include('does not answer any more')
  await drive.startAgain()
  const second = await partsThere(drive)
  expect(second.slice(0, first.length), 'parts that were there before the first kill').to.deep.equal(first)

  const three = await drive.command('put', file).ended
  expect(three).to.deep.include({ code: 0, record: { account: drive.tenant.accountId, new: 1, replaced: 0, same: 0 } })
  const third = await partsThere(drive)
  expect(third.slice(0, second.length), 'parts that were there before the second kill').to.deep.equal(second)
  rate('put, with two kills on the way', sizeBytes, startedAt)
  const parts = (count: number) => `${megabytes(count * partBytes)} MB`
  console.log(
    `  went on behind ${parts(first.length)} after the command was killed, ${parts(second.length)} after the service was`,
  )
  expect((await drive.command('put', file).ended).record).to.include({ new: 0, replaced: 0, same: 1 })
}

/** Resolves when `bytes` bytes of the file are in Drive. */
function noted(drive: DriveService, { child }: Running, bytes: number): Promise<true> {
  return inContext(drive.service(), ({ store }) =>
    // However long that takes: the command either makes progress or ends.
    eventually(
      `${bytes} bytes are in Drive`,
      async () => {
        if (child.exitCode !== null) throw new Error('The command ended before it was cut.')
        const entry = await store.driveEntries.findOne({ accountId: drive.tenant.accountId, parentId: null, name })
        return (entry?.incoming?.parts ?? []).length * partBytes >= bytes
      },
      Number.POSITIVE_INFINITY,
    ),
  )
}

/** The complete parts of the file, in order, with the times at which they were written. */
function partsThere(drive: DriveService) {
  return inContext(drive.service(), async ({ store }) => {
    const entry = await store.driveEntries.findOne({ accountId: drive.tenant.accountId, parentId: null, name })
    const parts = entry?.incoming?.parts ?? entry?.parts ?? []
    const ids = parts.map(({ id }) => id)
    const written = await store.driveFiles.find({ _id: { $in: ids } }).toArray()
    const byId = new Map(written.map((each) => [each._id, each]))
    return ids.map((id) => byId.get(id))
  })
}

/** The file as the list shows it. */
async function listed(drive: DriveService, sizeBytes: number): Promise<string> {
  const { status, body } = await client(drive.service().http, drive.tenant.key)<{ entries: readonly Entry[] }>(
    'GET',
    '/api/v1/drive',
  )
  expect(status).to.equal(200)
  expect(body.entries.map(({ name, size, kind }) => ({ name, size, kind }))).to.deep.equal([
    { name, size: sizeBytes, kind: 'file' },
  ])
  return body.entries[0]?.id ?? ''
}

async function downloadAll(
  drive: DriveService,
  { id, sha256, sizeBytes, folder }: { id: string; sha256: string; sizeBytes: number; folder: string },
): Promise<void> {
  const { http } = drive.service()
  const asked = await client(http, drive.tenant.key)<{ url: string }>('GET', `/api/v1/drive/${id}/download-url`)
  const { url } = asked.body
  expect(url.startsWith(`${http}/`), url).to.equal(true)
  const mcp = await connectMcp(http, drive.tenant.key)
  const told = await mcp.callTool({ name: 'drive_download_file', arguments: { fileId: id } })
  await mcp.close()
  const ofMcp = (told.structuredContent as { url: string }).url
  const ofSdk = (await drive.mail().drive.downloadUrl(id)).url
  const stalled = await stall(url)
  const file = path.join(folder, 'downloaded.bin')
  const ways: readonly (readonly [what: string, download: () => Promise<string>])[] = [
    ['downloaded whole', () => downloadWhole(url)],
    [`downloaded over ${connections} connections`, () => downloadInRanges(url, { sizeBytes, connections, file })],
    ['downloaded by a client that hung up half way', () => downloadResumed(url, sizeBytes / 2)],
    ['downloaded by the link of the TypeScript package', () => downloadWhole(ofSdk)],
    ['downloaded by the link of MCP', () => downloadWhole(ofMcp)],
  ]
  for (const [what, download] of ways) {
    const startedAt = performance.now()
    expect(await download(), what).to.equal(sha256)
    rate(what, sizeBytes, startedAt)
  }
  stalled.leave()
}

/** Checks that invalid links are refused, and keys that may not request one. */
async function refusals(drive: DriveService, id: string): Promise<void> {
  const { http } = drive.service()
  const where = `/api/v1/drive/${id}/download-url`
  const theirs = await client(http, drive.other.key)<{ code: string }>('GET', where)
  expect([theirs.status, theirs.body.code]).to.deep.equal([404, 'not_found'])
  const narrow = await inContext(drive.service(), (ctx) =>
    makeKey(ctx, { accountId: drive.tenant.accountId, scopes: ['mail:read'] }),
  )
  expect((await client(http, narrow.apiKey)('GET', where)).status).to.equal(403)

  const [payload = '', signature = ''] = new URL((await drive.mail().drive.downloadUrl(id)).url).pathname.split('.')
  const other = (text: string) => `${text.slice(0, -5)}${text.at(-5) === 'A' ? 'B' : 'A'}${text.slice(-4)}`
  for (const forged of [`${payload}.${other(signature)}`, `${other(payload)}.${signature}`, payload])
    expect((await fetch(`${http}${forged}`)).status, forged).to.equal(404)

  const short = await inContext(drive.service(), async (ctx) => {
    const ids = linkIds(await reachFile(ctx, drive.tenant.accountId, id))
    return linkTo(ctx, { kind: 'drive', ids }, new Date(Date.now() + shortLinkMs))
  })
  const head = async () =>
    (await fetch(`${http}${new URL(short).pathname}`, { headers: { range: 'bytes=0-9' } })).status
  expect(await head(), 'a link before its end').to.equal(206)
  await eventually('a link ends', async () => (await head()) === 404)
  console.log('refused: forged links, one that had ended, the key of another account, a key without drive:read')
}

/** Prints the memory of each process. Returns whether its growth is within the limit. */
function isBounded(memory: readonly Memory[]): boolean {
  const names = [...new Set(memory.map(({ name }) => name))]
  console.log(`memory in MB: idle, most, and how much more (${growthMaxMb} at most)`)
  const growths = names.map((name) => {
    const own = memory.filter((each) => each.name === name)
    const [idleMb, peakMb] = [own[0]?.idleMb ?? 0, Math.max(...own.map((each) => each.peakMb))]
    console.log(`  ${name}: ${Math.round(idleMb)}, ${Math.round(peakMb)}, ${Math.round(peakMb - idleMb)}`)
    return peakMb - idleMb
  })
  return growths.every((growth) => growth <= growthMaxMb)
}

function rate(what: string, sizeBytes: number, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(`${what}: ${seconds.toFixed(1)} s, ${(sizeBytes / 1024 ** 2 / seconds).toFixed(1)} MB/s`)
}
