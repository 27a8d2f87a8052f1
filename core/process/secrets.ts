/**
 * Encryption of stored secrets (AES-256-GCM, with a key from the data folder; decisions.md 2, Webhooks) and hashing of
 * credentials.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type Secrets = {
  /** Encrypts. `purpose` is authenticated with the text, so that a secret of one kind cannot be used as another. */
  seal(plain: string, purpose: string): Buffer
  /** Decrypts. Throws when the bytes were changed, or sealed for another purpose. */
  open(sealed: Uint8Array, purpose: string): string
  /** Tells this key from any other without telling the key. */
  readonly fingerprint: string
  /** Keyed digest (HMAC-SHA-256), for tokens that we must recognise and nobody may guess. */
  tag(text: string, purpose: string): Buffer
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/**
 * Opens the secrets of a data folder; its key is created at the first start. Safe when several processes start at once.
 */
export async function openSecrets(dataFolder: string): Promise<Secrets> {
  const folder = path.join(dataFolder, 'secrets')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'master.key')
  return secretsOf(await readOrCreateKey(file))
}

/** The SHA-256 of a credential, which is all that is stored of it. */
export function hashCredential(credential: string): Buffer {
  return createHash('sha256').update(credential).digest()
}

/** Makes a new credential: the prefix and 256 random bits. */
export function newCredential(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url').replaceAll('-', 'A').replaceAll('_', 'B')
}

function secretsOf(master: Buffer): Secrets {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `mailroom ${use}`, keyBytes))
  const sealing = keyFor('seal')
  const tagging = keyFor('tag')
  const tag = (text: string, purpose: string) => createHmac('sha256', tagging).update(`${purpose}\0${text}`).digest()
  return {
    fingerprint: tag('', 'fingerprint').toString('base64url'),
    seal(plain, purpose) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(purpose))
      return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed)
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
    },
    tag,
  }
}

async function readOrCreateKey(file: string): Promise<Buffer> {
  for (;;) {
    const key = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (key !== null) {
      if (key.length !== keyBytes) throw new Error(`${file} does not hold a key of ${keyBytes} bytes.`)
      return key
    }
    // The key is written to a temporary file and linked into place: a crash leaves no partial key, and of several
    // processes the first one's key is used by all.
    const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
    await writeFile(temporary, randomBytes(keyBytes), { mode: 0o600, flush: true })
    await chmod(temporary, 0o600)
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(temporary)
  }
}
