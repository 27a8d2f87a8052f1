/**
 * The write-ahead log as a file (https://sqlite.org/walformat.html).
 *
 * A sync of bytes written into a file that is already that long is much cheaper than one that makes the file longer,
 * because the file system has nothing of its own to note. So the log is given its usual length at the start, and is
 * started anew rather than cut.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { databasePath, pageBytes } from './database.ts'

const frameBytes = pageBytes + 24
/** Where the index of the log tells how many frames are valid: `mxFrame`, in the byte order of the machine. */
const framesAt = 16
const zerosAtOnce = 1024 * 1024

/** Fills the log up to `bytes` with zeros, which no reader takes for frames. It must hold a first commit already. */
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
 * Tells how many bytes of the log are in use, by its index. SQLite's locks stand on that file, and closing any descriptor
 * of a file drops the locks a process has on it (fcntl(2)): it stays open until the thread ends, after the writing
 * connection was closed. The folder's own lock keeps other processes away until the reading one is closed too.
 */
export function openGauge(dir: string): () => number {
  const file = openSync(`${databasePath(dir)}-shm`, 'r')
  const frames = new Uint32Array(1)
  return () => {
    readSync(file, frames, 0, frames.byteLength, framesAt)
    return frames[0]! * frameBytes
  }
}
