/**
 * An S3-compatible store for large bodies: objects that are written once, read whole or in ranges, and deleted. Only this file knows
 * the protocol; the S3 client is loaded only if a bucket is set. Every call ends within a bounded time. It rejects with
 * `ObjectStoreError` whatever the cause, because all that a caller can do is to try again later.
 */
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import type { Settings } from '../schemas/settings.ts'

export type ObjectStore = {
  /** Bodies of this size or larger are stored here. */
  readonly fromBytes: number
  put(key: string, bytes: Buffer): Promise<void>
  /** The bytes of an object, or those from `first` to `end` (exclusive); null when there is no such object. */
  get(key: string, range?: { readonly first: number; readonly end: number }): Promise<Buffer | null>
  /** Deletes an object. Succeeds even if the object does not exist. */
  remove(key: string): Promise<void>
  /** Objects in the order of their keys, after the key `after`: `limit` of them, or fewer if there are no more. */
  list(what: { readonly after: string; readonly limit: number }): Promise<readonly StoredObject[]>
  /** Resolves if the bucket exists and may be accessed. */
  reach(): Promise<void>
  close(): void
}

export type StoredObject = { readonly key: string; readonly writtenAt: Date }

/** A request to the object store failed; `cause` says why. */
export class ObjectStoreError extends Error {
  override readonly name: string = 'ObjectStoreError'
}

/** The object store answers, but no longer has what was written there: another try is unlikely to succeed. */
export class BodyLost extends ObjectStoreError {
  override readonly name = 'BodyLost'
}

/**
 * Opens the store of the settings; null when no bucket is set. Makes no request before the first use. Rejects when only one half of the
 * access key is set.
 */
export async function openObjectStore({ blobs: settings }: Pick<Settings, 'blobs'>): Promise<ObjectStore | null> {
  const { bucket, prefix, fromBytes, timeoutMs } = settings
  if (bucket === null) return null
  if ((settings.accessKeyId === null) !== (settings.secretAccessKey === null))
    throw new Error('Only one of blobs.accessKeyId and blobs.secretAccessKey is set: set both or neither.')
  const s3 = await import('@aws-sdk/client-s3')
  const client = new s3.S3Client(optionsOf(settings))
  const nameOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` })
  const limits = () => ({ abortSignal: AbortSignal.timeout(timeoutMs) })
  const isMissing = (error: unknown) => error instanceof s3.S3ServiceException && error.name === 'NoSuchKey'
  const encryption = {
    ...(settings.encryption !== null && { ServerSideEncryption: settings.encryption }),
    ...(settings.kmsKey !== null && { SSEKMSKeyId: settings.kmsKey }),
  }

  return {
    fromBytes,
    put: (key, bytes) =>
      asked('write', async () => {
        const object = { ...nameOf(key), Body: bytes, ContentLength: bytes.length, ...encryption }
        await client.send(new s3.PutObjectCommand(object), limits())
      }),
    get: (key, range) =>
      asked('read', async () => {
        try {
          // RFC 9110 14.1.2: both ends are inclusive.
          const Range = range && `bytes=${range.first}-${range.end - 1}`
          const { Body } = await client.send(new s3.GetObjectCommand({ ...nameOf(key), Range }), limits())
          return Buffer.from((await Body?.transformToByteArray()) ?? [])
        } catch (error) {
          if (isMissing(error)) return null
          throw error
        }
      }),
    remove: (key) =>
      asked('delete', async () => void (await client.send(new s3.DeleteObjectCommand(nameOf(key)), limits()))),
    list: ({ after, limit }) =>
      asked('list', async () => {
        const found: StoredObject[] = []
        const place = { Bucket: bucket, Prefix: prefix, StartAfter: `${prefix}${after}` }
        // A store may list fewer objects than requested, even none, and still have more.
        for (let token: string | undefined; ; ) {
          const page = { ...place, MaxKeys: limit - found.length, ContinuationToken: token }
          const { Contents = [], NextContinuationToken } = await client.send(
            new s3.ListObjectsV2Command(page),
            limits(),
          )
          for (const { Key = '', LastModified = new Date() } of Contents)
            found.push({ key: Key.slice(prefix.length), writtenAt: LastModified })
          if (NextContinuationToken === undefined || found.length >= limit) return found
          token = NextContinuationToken
        }
      }),
    reach: () =>
      asked('reach', async () => void (await client.send(new s3.HeadBucketCommand({ Bucket: bucket }), limits()))),
    close: () => client.destroy(),
  }

  async function asked<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw new ObjectStoreError(`The object store could not ${what} in the bucket ${bucket}.`, { cause: error })
    }
  }
}

function optionsOf(settings: Settings['blobs']): S3ClientConfig {
  const { endpoint, region, pathStyle, accessKeyId, secretAccessKey, timeoutMs } = settings
  const hasKey = accessKeyId !== null && secretAccessKey !== null
  return {
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== null && { endpoint }),
    // Without a configured key the SDK looks for one: in the variables AWS_..., a profile, the role of the machine.
    ...(hasKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: 3,
    // Stores of other vendors do not support checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: Math.min(timeoutMs, connectMs), requestTimeout: timeoutMs },
  }
}

const connectMs = 5_000
