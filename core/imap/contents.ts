/** The bytes of messages as mail programs see them: with our trace fields, and without the fields that are cut out. */
import { askingUntilAway, readBlobs, readChunks } from '../../store/blobs.ts'
import * as store from '../../store/folder-entries.ts'
import { ObjectStoreError } from '../../store/object-store.ts'
import type { Store } from '../../store/open.ts'
import { minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { createMemoryRoom } from '../process/memory-room.ts'
import { perProcess } from '../process/per-process.ts'
import { withTrace } from '../receive/trace-headers.ts'
import type { FolderRef } from './folder-state.ts'

export type Held = store.Held

/** The fields that showing a message needs. They never change under a UID, so they are cached, in bounded memory. */
const knownMessages = perProcess(({ clock }) =>
  createKept<Held>(clock, { max: knownBytes, weigh: memoryOf, ttlMs: knownMs, renewOnUse: true }),
)

const knownBytes = 16 * 1024 * 1024
const knownMs = 60 * minuteMs
/** About what a cached message takes in addition to its texts. */
const heldBytes = 800

const memoryOf = ({ trace, snippet }: Held) => heldBytes + 2 * (trace.length + (snippet?.length ?? 0))

/**
 * Messages of a folder by their UIDs, in order. Deleted messages are left out, except that those read before may still be
 * returned.
 */
export async function heldMessages(
  ctx: Context,
  { mailboxId, folderId }: FolderRef,
  uids: readonly number[],
): Promise<readonly Held[]> {
  const kept = knownMessages(ctx)
  const found = new Map<number, Held>()
  const missing: number[] = []
  for (const uid of uids) {
    const held = kept.get(`${folderId} ${uid}`)
    if (held === undefined) missing.push(uid)
    else found.set(uid, held)
  }
  if (missing.length > 0) {
    for (const held of await store.findHeld(ctx.store, { mailboxId, folderId, uids: missing })) {
      kept.set(`${folderId} ${held.uid}`, held)
      found.set(held.uid, held)
    }
  }
  return uids.flatMap((uid) => found.get(uid) ?? [])
}

/** Splits messages into groups of few bytes, so that only one group at a time is in memory; a large message is alone in its group. */
export function bySize(messages: readonly Held[]): readonly (readonly Held[])[] {
  const groups: Held[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const message of messages) {
    if (bytes + message.sizeBytes > groupBytes) {
      groups.push([])
      bytes = 0
    }
    bytes += message.sizeBytes
    groups.at(-1)!.push(message)
  }
  return groups
}

const groupBytes = 1024 * 1024

/** Memory for large messages that are read whole, because parts of them are asked for: few at the same time. */
const largeMessages = perProcess(() => createMemoryRoom({ bytesMax: 64 * 1024 * 1024, waitingMax: 1_000 }))

/** Whether a message is better read piece by piece. */
export const isLarge = ({ blob }: Held): boolean => blob.chunks > 1

/** How the messages of one command are read. */
export type Reading = {
  readonly store: Store
  /** Notes an error of the object store that keeps a message from being read for now, for `end`. Throws any other error at once. */
  missed(error: unknown): void
  /** Whether nothing was noted. */
  readonly isWhole: boolean
  /** Throws the first noted error, after the other messages have been read. */
  end(): void
}

/** Begins to read the messages of a command: an object store that does not answer is waited for once. */
export function beginReading(ctx: Context): Reading {
  let noted: Error | null = null
  return {
    store: askingUntilAway(ctx.store),
    missed(error) {
      if (!(error instanceof ObjectStoreError)) throw error
      noted ??= error
    },
    get isWhole() {
      return noted === null
    },
    end() {
      if (noted !== null) throw noted
    },
  }
}

/** The bytes of a group of messages as they are shown, by message id. Messages that are deleted or cannot be read for now are left out. */
export async function shownMessages(
  ctx: Context,
  messages: readonly Held[],
  reading: Reading,
): Promise<ReadonlyMap<string, Buffer>> {
  const [first] = messages
  if (first === undefined) return new Map()
  const read = () =>
    readBlobs(
      reading.store,
      messages.map(({ blob }) => blob),
      (_, error) => reading.missed(error),
    )
  const raws = await (isLarge(first) ? largeMessages(ctx)(first.sizeBytes, read) : read())
  return new Map(
    messages.flatMap((message) => {
      const raw = raws.get(message.blob.id)
      return raw === undefined ? [] : [[message._id, withTrace(message, raw)]]
    }),
  )
}

/** How many bytes `shownPieces` yields. */
export const shownSize = ({ trace, cuts = [], sizeBytes }: Held): number =>
  cuts.reduce((sum, { start, end }) => sum - (end - start), Buffer.byteLength(trace) + sizeBytes)

/**
 * Yields the bytes of a message as they are shown, piece by piece; the first chunk is read before the first piece is yielded. Throws
 * when the message is deleted meanwhile.
 */
export async function* shownPieces({ store }: Pick<Reading, 'store'>, held: Held): AsyncGenerator<Buffer> {
  const { trace, cuts = [], blob } = held
  let at = 0
  for await (const chunk of readChunks(store, blob)) {
    if (at === 0) yield Buffer.from(trace)
    let from = 0
    for (const { start, end } of cuts) {
      if (end <= at + from || start >= at + chunk.length) continue
      yield chunk.subarray(from, Math.max(from, start - at))
      from = Math.min(chunk.length, end - at)
    }
    yield chunk.subarray(from)
    at += chunk.length
  }
}
