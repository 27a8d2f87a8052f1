/** A third-party S3-compatible store behind a server that records requests, refuses them or leaves them unanswered. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
// @ts-expect-error The package has no types.
import S3rver from '@20minutes/s3rver'

const bucket = 'bodies'

export type ObjectPeer = {
  /** The settings that make a service use it. */
  readonly env: Readonly<Record<string, string>>
  /** The requests so far: method, key and range. */
  readonly asked: string[]
  /** What it does with requests: serves them, answers 503, or does not answer. */
  mode: 'serves' | 'fails' | 'hangs'
  /** How many keys it lists at once at most, whatever is asked for; null: as many as are asked for. */
  keysMax: number | null
  stop(): Promise<void>
}

export async function startObjectStore(): Promise<ObjectPeer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'objects-'))
  const s3 = new S3rver({
    directory,
    silent: true,
    configureBuckets: [{ name: bucket, configs: [] }],
    // It computes different signatures than the SDK when the path is only the bucket.
    allowMismatchedSignatures: true,
  })
  await s3.configureBuckets()
  const serve = s3.callback()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://any')
    const key = decodeURIComponent(pathname.slice(bucket.length + 2))
    peer.asked.push([request.method, key, request.headers.range].filter(Boolean).join(' '))
    const { keysMax } = peer
    if (keysMax !== null && request.headers['x-whole'] === undefined && request.url?.includes('list-type=2'))
      return void listed(request, keysMax).then((page) => response.writeHead(200).end(page))
    if (peer.mode === 'serves') return void serve(request, response)
    request.resume()
    if (peer.mode === 'fails') response.writeHead(503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const peer: ObjectPeer = {
    env: {
      MAILROOM_BLOBS_BUCKET: bucket,
      MAILROOM_BLOBS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      MAILROOM_BLOBS_PATH_STYLE: 'true',
      // The key that this store knows.
      MAILROOM_BLOBS_ACCESS_KEY_ID: 'S3RVER',
      MAILROOM_BLOBS_SECRET_ACCESS_KEY: 'S3RVER',
    },
    asked: [],
    mode: 'serves',
    keysMax: null,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return peer
}

/** The first keys of a listing, and a token for those that follow: the store made by others lists all at once. */
async function listed({ url, headers }: IncomingMessage, keysMax: number): Promise<string> {
  const whole = new URL(url ?? '', `http://${headers.host}`)
  const signed = Object.entries(headers).filter(([name]) => name === 'authorization' || name.startsWith('x-amz-'))
  const token = whole.searchParams.get('continuation-token')
  if (token !== null) {
    whole.searchParams.delete('continuation-token')
    whole.searchParams.set('start-after', token)
  }
  const answer = await fetch(whole, {
    headers: { ...(Object.fromEntries(signed) as Record<string, string>), 'x-whole': 'yes' },
  })
  const text = await answer.text()
  const all = text.match(/<Contents>.*?<\/Contents>/gs) ?? []
  if (all.length <= keysMax) return text
  const [, last] = /<Key>(.*?)<\/Key>/.exec(all[keysMax - 1]!)!
  return text
    .replace(all.slice(keysMax).join(''), '')
    .replace(/<IsTruncated>\w+/, `<NextContinuationToken>${last}</NextContinuationToken><IsTruncated>true`)
}
