/**
 * The write-ahead log as a file (https://sqlite.org/walformat.html).
 *
 * Syncing bytes that overwrite a part of a file is much cheaper than syncing bytes that make it longer, because the file system
 * has no metadata to write. So the log gets its usual length at the start, and is restarted from its beginning, not truncated.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { databasePath, pageBytes } from './database.ts'

const frameBytes = pageBytes + 24
/** The offset in the index of the log (the `-shm` file) of `mxFrame`, the number of valid frames, in native byte order. */
const framesAt = 16
const zerosAtOnce = 1024 * 1024

/** Fills the log with zeros up to `bytes`; readers do not take zeros for frames. The log must exist, so a commit comes first. */
export function reserveLog(dir: string, bytes: number): void {
  const file = openSync(`${databasePath(dir)}-wal`, 'r+')
  try {
    const zeros = Buffer.alloc(zerosAtOnce)
    for (let at = fstatSync(file).size; at < bytes; at += zerosAtOnce) {
      writeSync(file, zeros, 0, Math.min(zerosAtOnce, bytes - at), at)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Returns a function that reads from the index of the log how many bytes of the log are in use. SQLite locks that file, and
 * closing any descriptor of a file drops all locks of the process on it (fcntl(2)). So the descriptor stays open until the thread
 * ends, after the writing connection is closed. Until the reading one is closed too, the lock of the folder excludes others.
 */
export function openGauge(dir: string): () => number {
  const file = openSync(`${databasePath(dir)}-shm`, 'r')
  const frames = new Uint32Array(1)
  return () => {
    readSync(file, frames, 0, frames.byteLength, framesAt)
    return frames[0]! * frameBytes
  }
}
