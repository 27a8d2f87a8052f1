/**
 * The master keys that a process is given: by settings, or as files of the data folder. The key that new secrets should be sealed
 * with is the one of the settings, or else `master.key`; all others only open what is already sealed with them.
 */
import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../../schemas/settings.ts'
import { keyBytes, type MasterKey, masterKeyOf } from './secrets.ts'

export type GivenKeys = {
  readonly master: MasterKey
  /** Where `master` is stored, in words. */
  readonly masterAt: string
  /** Whether `master` is a file, which `makeNextKey` can replace. */
  readonly isFile: boolean
  /** All keys, by id. */
  readonly all: ReadonlyMap<string, MasterKey>
  readonly folder: string
}

const fileName = 'master.key'
const keyEnd = '.key'

type KeySettings = Pick<Settings, 'data' | 'secrets'>

/**
 * Reads the keys. The first start makes `master.key`; if several processes do so at once, all use the key of the first. Rejects when
 * a file holds no key, or when there are key files and none of them is `master.key`.
 */
export async function readKeys({ data, secrets }: KeySettings): Promise<GivenKeys> {
  const folder = secrets.folder ?? path.join(data, 'secrets')
  const { masterKey } = secrets
  if (masterKey === null) await makeFirstKey(folder)
  const files = await keyFiles(folder)
  const given = [...(masterKey === null ? [] : [masterKey]), ...secrets.previousKeys].map((text) =>
    keyOf(text, 'secrets'),
  )
  const read = await Promise.all(files.map(async (file) => keyOf(await readFile(file), file)))
  const all = new Map([...given, ...read].map((key) => [key.id, key]))
  const master = masterKey === null ? read[0] : given[0]
  if (master === undefined || (masterKey === null && path.basename(files[0] ?? '') !== fileName))
    throw new Error(`${folder} has no ${fileName}. Put the master key of the service there, and start again.`)
  return {
    master,
    masterAt: masterKey === null ? path.join(folder, fileName) : 'secrets.masterKey',
    isFile: masterKey === null,
    all,
    folder,
  }
}

/**
 * Replaces `master.key` by a new key and keeps the previous key beside it as `previous-<id>.key`. A crash at any moment leaves the
 * previous key or both of them; when this resolves, both are on disk.
 */
export async function makeNextKey({ folder, master }: GivenKeys): Promise<void> {
  const file = path.join(folder, fileName)
  await link(file, path.join(folder, `previous-${master.id}${keyEnd}`)).catch(unlessThere)
  await rename(await writeKey(file), file)
  await syncFolder(folder)
}

async function makeFirstKey(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await keyFiles(folder)).length > 0) return
  const file = path.join(folder, fileName)
  // Linked into place once it is complete: a crash leaves no partial key.
  const temporary = await writeKey(file)
  await link(temporary, file).catch(unlessThere)
  await rm(temporary)
  await syncFolder(folder)
}

/** The key files of a folder, `master.key` first. */
async function keyFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names.filter((name) => name.endsWith(keyEnd)).sort()
  return [...files.filter((name) => name === fileName), ...files.filter((name) => name !== fileName)].map((name) =>
    path.join(folder, name),
  )
}

async function writeKey(file: string): Promise<string> {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  await writeFile(temporary, randomBytes(keyBytes), { mode: 0o600, flush: true })
  await chmod(temporary, 0o600)
  return temporary
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** A key as bytes, or written in base64 or hexadecimal digits. */
function keyOf(given: Buffer | string, where: string): MasterKey {
  if (typeof given !== 'string' && given.length === keyBytes) return masterKeyOf(given)
  const text = given.toString().trim()
  const bytes = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64')
  if (bytes.length !== keyBytes) throw new Error(`${where} does not hold a key of ${keyBytes} bytes.`)
  return masterKeyOf(bytes)
}
