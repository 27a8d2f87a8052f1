/**
 * Changes the master key while the service runs. First every process must have the new key. Then the database names it as the current
 * key, and everything stored is sealed again, in passes that are repeated until none finds anything sealed with another key. A rotation
 * may stop at any point and be started again: until it is complete, the database names all keys that are needed, and no process
 * starts without them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import {
  findKeyHolders,
  type KeyHolderDoc,
  type MasterKeys,
  readMasterKeys,
  replaceMasterKeys,
} from '../../store/master-keys.ts'
import { resealCollection, type SealedCollectionName, sealedCollections } from '../../store/reseal.ts'
import type { Context } from '../process/context.ts'
import { makeNextKey } from '../process/key-files.ts'
import { digestKeyOf, sealDigestKey } from '../process/keyring.ts'
import { type MasterKey, openWith, sealedWith, sealWith } from '../process/secrets.ts'

export type MasterKeyUse = {
  readonly key: string
  /** `next`: the key that this process was given to change to. `unknown`: the database does not name the key. */
  readonly use: 'current' | 'previous' | 'next' | 'unknown'
  readonly isHere: boolean
  readonly sealed: number
}

export type KeyStatus = {
  readonly keys: readonly MasterKeyUse[]
  readonly since: Date | null
  /** Whether everything is sealed with the current key. */
  readonly isThrough: boolean
  readonly holders: readonly KeyHolderDoc[]
}

export type RotationProgress =
  | { readonly step: 'waiting'; readonly holders: readonly KeyHolderDoc[] }
  | { readonly step: 'sealing'; readonly collection: SealedCollectionName; readonly renewed: number }

export type Rotation = {
  readonly key: string
  readonly renewed: number
  /** Where values are stored that none of the given keys opens; they stay unchanged. */
  readonly unreadable: readonly string[]
}

const pauseMs = 50
/** The request is repeated each time after this many pauses, for processes that did not receive it. */
const pausesToAsk = 20
/** Bounds the list of unreadable values. */
const namedMax = 100
const unmarked = 'unmarked'

/** How much is sealed with which key, and which process has which keys. Reads everything that is sealed. */
export async function keyStatus(ctx: Context): Promise<KeyStatus> {
  const noted = await notedKeys(ctx)
  const given = ctx.keyring.given()
  const counts = new Map<string, number>()
  for (const name of sealedCollections)
    await resealCollection(ctx.store, name, (sealed, { purpose, isText }) => {
      const id = sealedWith(sealed) ?? keyThatOpens(given.all, sealed, purpose)
      if (id !== null || !isText) counts.set(id ?? unmarked, (counts.get(id ?? unmarked) ?? 0) + 1)
      return null
    })
  const ids = new Set([noted.current, ...noted.previous, given.master.id, ...counts.keys()])
  const useOf = (id: string): MasterKeyUse['use'] => {
    if (id === noted.current) return 'current'
    if (noted.previous.includes(id) || noted.former.includes(id)) return 'previous'
    return id === given.master.id ? 'next' : 'unknown'
  }
  const keys = [...ids].map((key) => ({
    key,
    use: useOf(key),
    isHere: given.all.has(key),
    sealed: counts.get(key) ?? 0,
  }))
  return {
    keys,
    since: noted.since,
    isThrough: noted.previous.length === 0 && keys.every(({ use, sealed }) => use === 'current' || sealed === 0),
    holders: await findKeyHolders(ctx.store, ctx.machineClock.now()),
  }
}

/**
 * Changes to the master key that this process was given. If that is already the current one and is a file, changes to a new key; an
 * incomplete rotation is continued instead. Fails with `conflict` when a running process does not have the key, or when there is no other
 * key to change to.
 */
export async function rotateMasterKey(
  ctx: Context,
  onProgress: (progress: RotationProgress) => void,
): Promise<Rotation> {
  const target = await targetKey(ctx)
  await everywhere(ctx, onProgress, `do not have the key ${target.id}`, ({ keyIds }) => keyIds.includes(target.id))
  await takeIntoUse(ctx, target)
  await everywhere(ctx, onProgress, 'seal with another key', ({ sealsWith }) => sealsWith === target.id)
  let renewed = 0
  for (;;) {
    const pass = await sealAll(ctx, target, onProgress)
    renewed += pass.renewed
    if (pass.found > 0) continue
    const noted = await notedKeys(ctx)
    if (noted.current !== target.id) throw changedElsewhere()
    await replaceMasterKeys(ctx.store, noted, { ...noted, previous: [] })
    await ctx.changes.tell({ kind: 'secrets', ask: newToken() })
    return { key: target.id, renewed, unreadable: pass.unreadable }
  }
}

/** The key to change to. A new key file is made when the given key is the current one and no rotation is incomplete. */
async function targetKey(ctx: Context): Promise<MasterKey> {
  await ctx.keyring.refresh()
  const noted = await notedKeys(ctx)
  const { master, masterAt, isFile } = ctx.keyring.given()
  if (noted.former.includes(master.id))
    throw new Failure('conflict', `${masterAt} is a key that was changed already, on another node.`, {
      fix: `Put the key that is in use (${noted.current}) there, and this one beside it while something is sealed with it; then run the command again.`,
    })
  if (master.id !== noted.current || noted.previous.length > 0) return master
  if (!isFile)
    throw new Failure('conflict', 'There is no other key to change to: secrets.masterKey is the one in use.', {
      fix: 'Give every node a new secrets.masterKey (openssl rand -base64 32), with the current one in secrets.previousKeys, and restart them one after the other; then run the command again.',
    })
  await makeNextKey(ctx.keyring.given())
  await ctx.keyring.refresh()
  return ctx.keyring.given().master
}

/** Makes a key the current one, if it is not. */
async function takeIntoUse(ctx: Context, target: MasterKey): Promise<void> {
  const noted = await notedKeys(ctx)
  if (noted.current === target.id) return
  const { current, previous, former } = noted
  const isChanged = await replaceMasterKeys(ctx.store, noted, {
    current: target.id,
    since: ctx.machineClock.now(),
    previous: [...previous, current],
    former: [...former, current],
    digestKey: sealDigestKey(target, digestKeyOf(noted, ctx.keyring.given())),
  })
  if (!isChanged) throw changedElsewhere()
  await ctx.keyring.refresh()
}

/**
 * Asks all processes to read their keys, and waits until `isSo` holds for each; the record of a process that died expires after two
 * minutes. Fails with `conflict` when it does not hold for a process that has answered.
 */
async function everywhere(
  ctx: Context,
  onProgress: (progress: RotationProgress) => void,
  lack: string,
  isSo: (holder: KeyHolderDoc) => boolean,
): Promise<void> {
  const ask = newToken()
  await ctx.changes.tell({ kind: 'secrets', ask })
  for (let pauses = 1; ; pauses++) {
    const holders = (await findKeyHolders(ctx.store, ctx.machineClock.now())).filter((holder) => !isSo(holder))
    if (holders.length === 0) return
    const answered = holders.filter((holder) => holder.answered === ask)
    if (answered.length > 0)
      throw new Failure('conflict', `These processes ${lack}: ${namesOf(answered)}.`, {
        fix: 'Give them the key, as secrets.masterKey, in secrets.previousKeys, or as a file that ends in .key in their secrets.folder, or stop them; then run the command again.',
      })
    onProgress({ step: 'waiting', holders })
    await sleep(pauseMs)
    if (pauses % pausesToAsk === 0) ctx.changes.publish({ kind: 'secrets', ask })
  }
}

const namesOf = (holders: readonly KeyHolderDoc[]) => holders.map(({ host, role }) => `${role} on ${host}`).join(', ')

/** Seals again, with `target`, everything that is sealed with another key. Returns how much was found, and how much was renewed. */
async function sealAll(
  ctx: Context,
  target: MasterKey,
  onProgress: (progress: RotationProgress) => void,
): Promise<{ readonly found: number; readonly renewed: number; readonly unreadable: readonly string[] }> {
  const { all } = ctx.keyring.given()
  const unreadable: string[] = []
  let found = 0
  let renewed = 0
  for (const collection of sealedCollections) {
    renewed += await resealCollection(ctx.store, collection, (sealed, { purpose, isText, id }) => {
      if (sealedWith(sealed) === target.id) return null
      const plain = opened(all, sealed, purpose)
      if (plain === null) {
        if (!isText && unreadable.length < namedMax) unreadable.push(`${collection} ${id}`)
        return null
      }
      found += 1
      return sealWith(target, plain, purpose)
    })
    onProgress({ step: 'sealing', collection, renewed })
  }
  return { found, renewed, unreadable }
}

function opened(held: ReadonlyMap<string, MasterKey>, sealed: Buffer, purpose: string): string | null {
  try {
    return openWith(held, sealed, purpose)
  } catch {
    return null
  }
}

/** The id of the key that opens sealed bytes which name no key; null when none does. */
function keyThatOpens(held: ReadonlyMap<string, MasterKey>, sealed: Buffer, purpose: string): string | null {
  for (const [id, key] of held) if (opened(new Map([[id, key]]), sealed, purpose) !== null) return id
  return null
}

async function notedKeys(ctx: Context): Promise<MasterKeys> {
  const noted = await readMasterKeys(ctx.store)
  if (noted === null || typeof noted === 'string') throw new Error('The database names no master key.')
  return noted
}

const changedElsewhere = () =>
  new Failure('conflict', 'The master key was changed by another command meanwhile.', {
    fix: 'Read "mailroom secrets status", and run the command again.',
  })
