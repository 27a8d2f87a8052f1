/**
 * Removes blobs without users, and objects of the object store without blobs. A crash between writing a blob and its message leaves
 * such a blob, and so does a crash between deleting a message and its blob. Each blob is checked once when it is old enough, and again
 * when its users are in doubt.
 */
import { idAt, timeOfId } from '../../schemas/ids.ts'
import { findUnusedObjects } from '../../store/blob-objects.ts'
import {
  type BlobUsers,
  type DroppedBlobUsers,
  dropBlobUsers,
  findBlobsInDoubt,
  findBlobUsers,
  isBlobUser,
  walkBlobUsers,
} from '../../store/blobs.ts'
import { readState, writeState } from '../../store/records.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** Far longer than any writer takes between a blob and the document that uses it. */
const settledMs = hourMs
const watermark = 'sweptBlobs'
/** A page contains the chunks themselves, at most 1 MiB each. */
const pageSize = 20
const doubtedMax = 200
/** Blobs checked in one run; the rest waits for the next run. */
const runMax = 2_000

const objectPlace = 'sweptObjects'
const objectPageSize = 1_000
const objectPagesMax = 10

/**
 * Removes objects that no blob names, in a bounded number of pages. The next run continues where this one stops, or starts again at the
 * beginning after the last page. A crash between writing an object and its blob leaves such an object. Returns how many were removed.
 */
export async function sweepObjects({ store, machineClock }: Context): Promise<number> {
  const { objects } = store
  if (objects === null) return 0
  // Objects have the times of the object store, not of a test clock.
  const before = after(machineClock.now(), -settledMs)
  let place = (await readState<string>(store, objectPlace)) ?? ''
  let removed = 0
  for (let page = 0; page < objectPagesMax; page++) {
    const { keys, next } = await findUnusedObjects(store, objects, { after: place, before, limit: objectPageSize })
    for (const key of keys) await objects.remove(key)
    removed += keys.length
    place = next ?? ''
    await writeState(store, objectPlace, place)
    if (next === null) break
  }
  return removed
}

/** Removes unused blobs, at most as many as one run checks. Returns how many. */
export async function sweepBlobs(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -settledMs)
  const removed = await verify(ctx, await findBlobsInDoubt(ctx.store, before, doubtedMax), before)
  return removed + (await sweepNew(ctx, before))
}

async function sweepNew(ctx: Context, before: Date): Promise<number> {
  const to = idAt('blb', before)
  let from = (await readState<string>(ctx.store, watermark)) ?? idAt('blb', new Date(0))
  let removed = 0
  for (let seen = 0; seen < runMax; seen += pageSize) {
    const { blobs, next } = await walkBlobUsers(ctx.store, { from, to, limit: pageSize })
    removed += await verify(ctx, blobs, before)
    from = next ?? to
    await writeState(ctx.store, watermark, from)
    if (next === null) break
  }
  return removed
}

/**
 * Removes deleted users from blobs, and blobs that have no users left. A user younger than `before` may not be written yet, and is kept; so
 * are ids with an unknown prefix.
 */
async function verify(ctx: Context, blobs: readonly BlobUsers[], before: Date): Promise<number> {
  const blobOf = await findBlobUsers(
    ctx.store,
    blobs.flatMap(({ users }) => users),
  )
  const drops = blobs
    .filter(({ createdAt }) => createdAt < before)
    .flatMap(({ id, users, inDoubt }): DroppedBlobUsers[] => {
      const doubted = users.filter((user) => blobOf.get(user) !== id && isBlobUser(user))
      const gone = doubted.filter((user) => timeOfId(user) < before)
      const resolved = gone.length === doubted.length ? inDoubt : null
      const isSound = users.length > 0 && gone.length === 0 && resolved === null
      return isSound ? [] : [{ blobId: id, users: gone, resolved }]
    })
  return dropBlobUsers(ctx.store, drops)
}
