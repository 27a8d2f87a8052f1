/**
 * The table of a segment: one row for each of its messages, with what a search needs before it reads the message document. Rows
 * are numbered from 0, newest first, in pages of `pageRows` rows. A page stores its columns one after another.
 */

export type SegmentRow = {
  readonly id: string
  /**
   * Identifies the bytes that were indexed (see `versionOf`). If the message has another version by now, it was changed after it
   * was indexed, and a newer segment has its current row.
   */
  readonly version: number
  readonly receivedAt: number
  readonly sizeBytes: number
}

export const pageRows = 4_096

const prefix = 'msg_'
const idBytes = 26
const rowBytes = idBytes + 4 + 8 + 6

/** The version of a message, computed from the id of its blob. */
export function versionOf(blobId: string): number {
  return Number.parseInt(Buffer.from(blobId.slice(-6), 'latin1').toString('hex').slice(0, 12), 16) % 0xffff_fffb
}

/** Packs at most `pageRows` rows into a page. */
export function packPage(rows: readonly SegmentRow[]): Buffer {
  const page = Buffer.allocUnsafe(rows.length * rowBytes)
  const columns = columnsOf(rows.length)
  for (const [n, { id, version, receivedAt, sizeBytes }] of rows.entries()) {
    page.write(id.slice(prefix.length), n * idBytes, idBytes, 'latin1')
    page.writeUInt32LE(version, columns.versions + n * 4)
    page.writeDoubleLE(receivedAt, columns.times + n * 8)
    page.writeUIntLE(sizeBytes, columns.sizes + n * 6, 6)
  }
  return page
}

export const rowCount = (page: Buffer): number => page.length / rowBytes

function rowId(page: Buffer, n: number): string {
  return prefix + page.toString('latin1', n * idBytes, (n + 1) * idBytes)
}

export function rowAt(page: Buffer, n: number): SegmentRow {
  const columns = columnsOf(rowCount(page))
  return {
    id: rowId(page, n),
    version: page.readUInt32LE(columns.versions + n * 4),
    receivedAt: page.readDoubleLE(columns.times + n * 8),
    sizeBytes: page.readUIntLE(columns.sizes + n * 6, 6),
  }
}

/** The number of the first row whose id comes before `id`; the number of rows when there is none. */
export function firstRowBefore(page: Buffer, id: string): number {
  let [low, high] = [0, rowCount(page)]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rowId(page, middle) < id) high = middle
    else low = middle + 1
  }
  return low
}

function columnsOf(rows: number): { versions: number; times: number; sizes: number } {
  const versions = rows * idBytes
  const times = versions + rows * 4
  return { versions, times, sizes: times + rows * 8 }
}
