/**
 * Encryption of stored secrets (AES-256-GCM) with the master keys of the service, keyed digests, and hashing of credentials
 * (decisions.md 2, Webhooks). Sealed bytes name the key that sealed them, so that the master key can be changed while the service
 * runs; `core/process/keyring.ts` says which keys there are.
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
   * Encrypts. `purpose` is authenticated together with the text, so that a secret of one kind cannot be used as another. Fails with
   * `unavailable` while this process does not know the current master key.
   */
  seal(plain: string, purpose: string): Buffer
  /**
   * Decrypts. Throws when the bytes were changed or sealed for another purpose; fails with `unavailable` when they were sealed with
   * a key that this process does not have.
   */
  open(sealed: Uint8Array, purpose: string): string
  /**
   * Keyed digest (HMAC-SHA-256) of texts that we must recognise for years and that nobody may guess: names that are taken, return
   * paths, recovery codes. The key of the digest stays when the master key is changed.
   */
  tag(text: string, purpose: string): Buffer
  /** Signs a text that grants access for a limited time, with the current master key. */
  sign(text: string, purpose: string): Buffer
  /** Whether `sign` made the signature with one of the master keys that this process has. */
  isSigned(text: string, purpose: string, signature: Uint8Array): boolean
}

/** A master key and the keys derived from it. */
export type MasterKey = {
  /** Identifies the key without revealing it: 16 hexadecimal digits. */
  readonly id: string
  /** Identifies the key in databases of versions that had a single key. */
  readonly fingerprint: string
  readonly sealing: KeyObject
  readonly signing: KeyObject
}

/** The keys that a process has at the moment. */
export type Keys = {
  /** By id. */
  readonly held: ReadonlyMap<string, MasterKey>
  /** The key that everything new is sealed with; null while this process does not have it. */
  readonly writing: MasterKey | null
  readonly digestKey: KeyObject
}

export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
/** Sealed bytes begin with this mark and the id of their key; those of versions that had a single key begin with the nonce. */
const mark = Buffer.from('mrk1')
const idBytes = 8
const headBytes = mark.length + idBytes

/** The SHA-256 of a credential; nothing else of it is stored. */
export function hashCredential(credential: string): Buffer {
  return createHash('sha256').update(credential).digest()
}

/** Makes a new credential: the prefix and 256 random bits. */
export function newCredential(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url').replaceAll('-', 'A').replaceAll('_', 'B')
}

/** Makes a master key of `keyBytes` random bytes. */
export function masterKeyOf(bytes: Buffer): MasterKey {
  // Node takes three times as long to sign with raw bytes as with a KeyObject made of them.
  const derived = (use: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), `mailroom ${use}`, keyBytes)))
  const signing = derived('tag')
  const fingerprint = digest(signing, '', 'fingerprint').toString('base64url')
  return { id: idOf(fingerprint), fingerprint, sealing: derived('seal'), signing }
}

/** The id of the key that has a fingerprint. */
export function idOf(fingerprint: string): string {
  return Buffer.from(fingerprint, 'base64url').subarray(0, idBytes).toString('hex')
}

/** The id of the key that sealed these bytes; null when they do not name it. */
export function sealedWith(sealed: Uint8Array): string | null {
  const head = Buffer.from(sealed.buffer, sealed.byteOffset, Math.min(sealed.length, headBytes))
  if (sealed.length < headBytes + nonceBytes + tagBytes || !head.subarray(0, mark.length).equals(mark)) return null
  return head.subarray(mark.length).toString('hex')
}

/** Makes the secrets of a process. `keys` is called at each use, because the keys of a process change while it runs. */
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

/** Seals with the given key. */
export function sealWith({ id, sealing }: MasterKey, plain: string, purpose: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(purpose))
  const head = [mark, Buffer.from(id, 'hex'), nonce]
  return Buffer.concat([...head, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Opens sealed bytes with the key that they name, or else with any key that fits. Throws as `Secrets.open` does. */
export function openWith(held: ReadonlyMap<string, MasterKey>, sealed: Uint8Array, purpose: string): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
  const id = sealedWith(bytes)
  const named = id === null ? undefined : held.get(id)
  if (named !== undefined) return decrypt(named, bytes.subarray(headBytes), purpose)
  for (const key of held.values()) {
    try {
      return decrypt(key, bytes, purpose)
    } catch {
      // The key does not fit: the next one is tried.
    }
  }
  if (id !== null) throw missing(`The key ${id}, which this was sealed with,`)
  throw new Error('This was not sealed for this purpose with a key that this process has.')
}

const missing = (what: string) =>
  new Failure('unavailable', `${what} is not known to this process.`, {
    fix: 'Give every node the master keys of the service ("mailroom secrets status" lists which node has which keys).',
  })

function decrypt({ sealing }: MasterKey, bytes: Buffer, purpose: string): string {
  const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
}

const digest = (key: KeyObject, text: string, purpose: string) =>
  createHmac('sha256', key).update(`${purpose}\0${text}`).digest()
