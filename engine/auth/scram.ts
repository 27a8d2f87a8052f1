/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding.
 *
 * Invariants
 * - The password is not kept after `deriveKeys`, and nothing that is kept can be used to log in.
 * - An unknown user name is treated as a wrong password: it gets a salt, takes as long, and is refused at the end.
 * - Proofs are compared in constant time.
 */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

export const mechanism = 'SCRAM-SHA-256'

/** What a server stores of a password (RFC 5802 3). */
export type ScramKeys = {
  readonly user: string
  readonly salt: Buffer
  readonly iterations: number
  readonly storedKey: Buffer
  readonly serverKey: Buffer
  /** The secret from which the salts of unknown user names are derived. */
  readonly disguise: Buffer
}

/** A message of the client is malformed or unsupported; the exchange ends. */
export class ScramError extends Error {
  override readonly name = 'ScramError'
}

/** MongoDB's default for this mechanism; RFC 7677 requires at least 4,096. */
const iterations = 15_000
const keyBytes = 32
const saltBytes = 28
const nonceBytes = 24
const gs2Header = /^([ny]),(?:a=([^,]*))?,/
/** Printable characters without the comma (RFC 5802 7, `printable`). */
const nonce = '[\\x21-\\x2b\\x2d-\\x7e]{1,256}'
const clientFirst = new RegExp(`^n=([^,]+),r=(${nonce})(?:,.*)?$`, 's')
const clientFinal = new RegExp(`^c=([A-Za-z0-9+/=]+),r=(${nonce})((?:,[A-Za-z]=[^,]*)*),p=([A-Za-z0-9+/=]+)$`, 's')
/** Printable ASCII, which SASLprep (RFC 4013) leaves unchanged, so that both sides hash the same bytes. */
const plainPassword = /^[\x20-\x7e]+$/

/** Derives the keys to store for a password. @throws ScramError for a password with characters other than printable ASCII */
export async function deriveKeys(user: string, password: string): Promise<ScramKeys> {
  if (!plainPassword.test(password)) throw new ScramError('the password must consist of printable ASCII characters')
  const salt = randomBytes(saltBytes)
  const salted = await promisify(pbkdf2)(password, salt, iterations, keyBytes, 'sha256')
  return {
    user,
    salt,
    iterations,
    storedKey: hash(hmac(salted, 'Client Key')),
    serverKey: hmac(salted, 'Server Key'),
    disguise: randomBytes(keyBytes),
  }
}

/** One exchange: `first`, then `final`, each at most once. */
export class ScramExchange {
  readonly #keys: ScramKeys
  #user = ''
  #header = ''
  #nonce = ''
  #messages = ''

  constructor(keys: ScramKeys) {
    this.#keys = keys
  }

  get user(): string {
    return this.#user
  }

  /** Takes the client-first-message and returns the server-first-message. @throws ScramError */
  first(payload: Buffer): Buffer {
    const text = payload.toString('utf8')
    const header = gs2Header.exec(text)
    if (header === null || (header[2] ?? '') !== '')
      throw new ScramError('channel binding and authzid are not supported')
    const bare = text.slice(header[0].length)
    const found = clientFirst.exec(bare)
    if (found === null) throw new ScramError('malformed client-first-message')
    this.#user = nameOf(found[1]!)
    this.#header = header[0]
    this.#nonce = found[2]! + randomBytes(nonceBytes).toString('base64')
    const answer = `r=${this.#nonce},s=${this.#salt().toString('base64')},i=${this.#keys.iterations}`
    this.#messages = `${bare},${answer}`
    return Buffer.from(answer)
  }

  /** Takes the client-final-message. @returns the server-final-message, undefined for a wrong name or password. @throws ScramError */
  final(payload: Buffer): Buffer | undefined {
    const text = payload.toString('utf8')
    const found = clientFinal.exec(text)
    if (found === null) throw new ScramError('malformed client-final-message')
    const [, binding, given, , proof] = found
    if (Buffer.from(binding!, 'base64').toString('utf8') !== this.#header || given !== this.#nonce)
      throw new ScramError('the client-final-message belongs to another exchange')
    const messages = `${this.#messages},${text.slice(0, text.lastIndexOf(',p='))}`
    const known = this.#user === this.#keys.user
    if (!this.#proves(Buffer.from(proof!, 'base64'), messages) || !known) return undefined
    return Buffer.from(`v=${hmac(this.#keys.serverKey, messages).toString('base64')}`)
  }

  /** Recovers ClientKey from the proof and compares its hash with StoredKey (RFC 5802 3). */
  #proves(proof: Buffer, messages: string): boolean {
    if (proof.length !== keyBytes) return false
    const clientKey = hmac(this.#keys.storedKey, messages)
    for (let i = 0; i < keyBytes; i++) clientKey[i]! ^= proof[i]!
    return timingSafeEqual(hash(clientKey), this.#keys.storedKey)
  }

  #salt(): Buffer {
    if (this.#user === this.#keys.user) return this.#keys.salt
    return hmac(this.#keys.disguise, this.#user).subarray(0, saltBytes)
  }
}

/** Decodes a user name: `=2C` is a comma, `=3D` an equals sign, and any other `=` is malformed (RFC 5802 5.1). */
function nameOf(encoded: string): string {
  if (/=(?!2C|3D)/.test(encoded)) throw new ScramError('malformed user name')
  return encoded.replaceAll('=2C', ',').replaceAll('=3D', '=')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function hash(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
