/** Secrets at rest: AES-256-GCM with a key of the data folder (decisions.md 2, Webhooks), and hashes of credentials. */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type Secrets = {
  /** Encrypts; `purpose` is bound to the result, so that one kind of secret cannot stand in for another. */
  seal(plain: string, purpose: string): Buffer
  /** Decrypts. Throws when the bytes were changed or sealed for another purpose. */
  open(sealed: Uint8Array, purpose: string): string
  /** Tells this key from any other without telling the key. */
  readonly fingerprint: string
  /** A keyed digest, for tokens that must be recognised and cannot be guessed. */
  tag(text: string, purpose: string): Buffer
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Reads the key of a data folder, or makes it at the first start. Several processes may come first at once. */
export async function openSecrets(dataFolder: string): Promise<Secrets> {
  const folder = path.join(dataFolder, 'secrets')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = path.join(folder, 'master.key')
  return secretsOf(await readOrMake(file))
}

/** SHA-256 of a credential: all that is kept of it. */
export function hashCredential(credential: string): Buffer {
  return createHash('sha256').update(credential).digest()
}

/** A new credential: a prefix and 256 random bits. */
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

async function readOrMake(file: string): Promise<Buffer> {
  for (;;) {
    const key = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (key !== null) {
      if (key.length !== keyBytes) throw new Error(`${file} does not hold a key of ${keyBytes} bytes.`)
      return key
    }
    // Written whole under another name first: a crash leaves no half key, and the first process wins.
    const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
    await writeFile(draft, randomBytes(keyBytes), { mode: 0o600, flush: true })
    await chmod(draft, 0o600)
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(draft)
  }
}
