/** Clients that download a long file in different ways. Each returns the SHA-256 of what it downloaded, in hexadecimal. */
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'

/** Makes a request over a new connection. Fails when the status is not the expected one. */
async function ask(url: string, expected: number, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
  const request = get(url, { agent: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode === expected) return response
  response.destroy()
  throw new Error(`The download was answered ${response.statusCode}, not ${expected}.`)
}

/** Downloads all of it over one connection. */
export async function downloadWhole(url: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of await ask(url, 200)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Downloads ranges over several connections at once, and assembles them in a file. */
export async function downloadInRanges(
  url: string,
  { sizeBytes, connections, file }: { readonly sizeBytes: number; readonly connections: number; readonly file: string },
): Promise<string> {
  const each = Math.ceil(sizeBytes / connections)
  const into = await open(file, 'w')
  try {
    await Promise.all(
      Array.from({ length: connections }, async (_, n) => {
        let at = n * each
        const last = Math.min(at + each, sizeBytes) - 1
        for await (const chunk of await ask(url, 206, { range: `bytes=${at}-${last}` }))
          at += (await into.write(chunk as Buffer, 0, (chunk as Buffer).length, at)).bytesWritten
        if (at !== last + 1) throw new Error(`Range ${n} ended at ${at}, not after ${last}.`)
      }),
    )
  } finally {
    await into.close()
  }
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Hangs up after `hangUpAt` bytes, and resumes from there if the file is unchanged. */
export async function downloadResumed(url: string, hangUpAt: number): Promise<string> {
  const hash = createHash('sha256')
  const first = await ask(url, 200)
  const had = await readUntil(first, hangUpAt, hash)
  const headers = { range: `bytes=${had}-`, 'if-range': first.headers.etag ?? 'no etag' }
  for await (const chunk of await ask(url, 206, headers)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Reads at least `bytes` bytes and ends the connection. Returns how many bytes it read. */
async function readUntil(response: IncomingMessage, bytes: number, hash: Hash): Promise<number> {
  let had = 0
  for await (const chunk of response) {
    hash.update(chunk as Buffer)
    had += (chunk as Buffer).length
    // Leaving the loop ends the connection.
    if (had >= bytes) return had
  }
  throw new Error(`The download ended after ${had} bytes.`)
}

/** Begins a download and then reads nothing until `leave` is called. */
export async function stall(url: string): Promise<{ leave(): void }> {
  const response = await ask(url, 200)
  response.pause()
  return { leave: () => response.destroy() }
}
