/** A third-party S3-compatible store behind a server that records requests, refuses them or leaves them unanswered. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
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
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return peer
}
