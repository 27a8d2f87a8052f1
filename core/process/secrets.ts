/**
 * Encryption of stored secrets (AES-256-GCM) with the master keys of the service, keyed digests, and hashing of credentials
 * (decisions.md 2, Webhooks). What is sealed names the key that it was sealed with, so that the master key can be changed while
 * the service runs: `core/process/keyring.ts` says which keys there are.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'

export type Secrets = {
  /**
   * Encrypts. `purpose` is authenticated with the text, so that a secret of one kind cannot be used as another. Fails with
   * `unavailable` while this process does not know the key that everything is sealed with.
   */
  seal(plain: string, purpose: string): Buffer
  /**
   * Decrypts. Throws when the bytes were changed, or sealed for another purpose; fails with `unavailable` when they were sealed with
   * a key that this process does not have.
   */
  open(sealed: Uint8Array, purpose: string): string
  /**
   * Keyed digest (HMAC-SHA-256) of what we must recognise for years and nobody may guess: names that are taken, return paths,
   * recovery codes. Its key stays when the master key is changed.
   */
  tag(text: string, purpose: string): Buffer
  /** Signs what opens something for a while, with the newest master key. */
  sign(text: string, purpose: string): Buffer
  /** Whether `sign` made this with one of the master keys that are known. */
  isSigned(text: string, purpose: string, signature: Uint8Array): boolean
}

/** A master key, and what is derived from it. */
export type MasterKey = {
  /** Tells this key from any other without telling the key: 16 hexadecimal digits. */
  readonly id: string
  /** What told it so in databases of versions that had one key. */
  readonly fingerprint: string
  readonly sealing: KeyObject
  readonly signing: KeyObject
}

/** The keys of a process as they are at the moment. */
export type Keys = {
  /** By id, the newest first. */
  readonly held: ReadonlyMap<string, MasterKey>
  /** What everything new is sealed with; null while this process does not have that key. */
  readonly writing: MasterKey | null
  readonly digestKey: KeyObject
}

export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
/** What is sealed begins with this mark and the id of its key; what versions with one key sealed, with the nonce. */
const mark = Buffer.from('mrk1')
const idBytes = 8
const headBytes = mark.length + idBytes

/** The SHA-256 of a credential, which is all that is stored of it. */
export function hashCredential(credential: string): Buffer {
  return createHash('sha256').update(credential).digest()
}

/** Makes a new credential: the prefix and 256 random bits. */
export function newCredential(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url').replaceAll('-', 'A').replaceAll('_', 'B')
}

/** `bytes` are `keyBytes` random ones. */
export function masterKeyOf(bytes: Buffer): MasterKey {
  // Node takes three times as long to sign with the bytes of a key as with a key that it has made of them.
  const derived = (use: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), `mailroom ${use}`, keyBytes)))
  const signing = derived('tag')
  const fingerprint = digest(signing, '', 'fingerprint').toString('base64url')
  return { id: idOf(fingerprint), fingerprint, sealing: derived('seal'), signing }
}

/** The id of the key with a fingerprint. */
export function idOf(fingerprint: string): string {
  return Buffer.from(fingerprint, 'base64url').subarray(0, idBytes).toString('hex')
}

/** The id of the key that something was sealed with; null of what does not say so. */
export function sealedWith(sealed: Uint8Array): string | null {
  const head = Buffer.from(sealed.buffer, sealed.byteOffset, Math.min(sealed.length, headBytes))
  if (sealed.length < headBytes + nonceBytes + tagBytes || !head.subarray(0, mark.length).equals(mark)) return null
  return head.subarray(mark.length).toString('hex')
}

/** `keys` is asked at each use: a process learns of other keys while it runs. */
export function secretsOf(keys: () => Keys): Secrets {
  return {
    seal(plain, purpose) {
      const { writing } = keys()
      if (writing === null) throw missing('The key that secrets are sealed with')
      return sealWith(writing, plain, purpose)
    },
    open: (sealed, purpose) => openWith(keys().held, sealed, purpose),
    tag: (text, purpose) => digest(keys().digestKey, text, purpose),
    sign(text, purpose) {
      const { writing } = keys()
      if (writing === null) throw missing('The key that links are signed with')
      return digest(writing.signing, text, purpose)
    },
    isSigned: (text, purpose, signature) =>
      [...keys().held.values()].some(({ signing }) => {
        const expected = digest(signing, text, purpose)
        return signature.length === expected.length && timingSafeEqual(signature, expected)
      }),
  }
}

/** Seals with this very key. */
export function sealWith({ id, sealing }: MasterKey, plain: string, purpose: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(purpose))
  const head = [mark, Buffer.from(id, 'hex'), nonce]
  return Buffer.concat([...head, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Opens with the key that it names, or whichever fits. Throws as `Secrets.open` does. */
export function openWith(held: ReadonlyMap<string, MasterKey>, sealed: Uint8Array, purpose: string): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
  const id = sealedWith(bytes)
  const named = id === null ? undefined : held.get(id)
  if (named !== undefined) return decrypt(named, bytes.subarray(headBytes), purpose)
  for (const key of held.values()) {
    try {
      return decrypt(key, bytes, purpose)
    } catch {
      // Whether another key fits is seen when it is tried.
    }
  }
  if (id !== null) throw missing(`The key ${id}, which this was sealed with,`)
  throw new Error('This was not sealed for this purpose with a key that is here.')
}

const missing = (what: string) =>
  new Failure('unavailable', `${what} is not known to this process.`, {
    fix: 'Give every node the master keys of the service (mailroom secrets status lists who has which).',
  })

function decrypt({ sealing }: MasterKey, bytes: Buffer, purpose: string): string {
  const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
}

const digest = (key: KeyObject, text: string, purpose: string) =>
  createHmac('sha256', key).update(`${purpose}\0${text}`).digest()
