import { statfs } from 'node:fs/promises'

const freshMs = 1_000

/** The free space of a folder's file system, read at most once a second. */
export class FreeDisk {
  readonly #folder: string
  #asked: Promise<number> | undefined
  #askedAtMs = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Bytes that this process may still write. Rejects if the folder does not exist. */
  bytes(): Promise<number> {
    const now = performance.now()
    if (this.#asked === undefined || now - this.#askedAtMs >= freshMs) {
      this.#askedAtMs = now
      this.#asked = statfs(this.#folder).then(({ bavail, bsize }) => bavail * bsize)
    }
    return this.#asked
  }
}
