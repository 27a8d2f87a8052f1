/**
 * Passwords of people, stored as argon2id hashes (RFC 9106) with the parameters that OWASP recommends. Hashing runs in the thread pool
 * of Node, which files and DNS use too, so a process hashes few passwords at once and the others wait.
 */
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../schemas/failures.ts'
import type { Context } from '../process/context.ts'
import { createMemoryRoom } from '../process/memory-room.ts'
import { perProcess } from '../process/per-process.ts'
import { hashCredential } from '../process/secrets.ts'

/** In code points. NIST SP 800-63B-4 3.1.1.2 requires at least 8 where there is a second factor, and that 64 are allowed. */
export const passwordMin = 8
export const passwordMax = 200

const memoryKiB = 19_456
const parameters = { memoryCost: memoryKiB, timeCost: 2, parallelism: 1 }
const atOnce = 2
const waitingMax = 100

const hashingRoom = perProcess(() => createMemoryRoom({ bytesMax: atOnce * memoryKiB * 1024, waitingMax }))

/** Fails with `validation_error` for a password that is too short or too long; `param` names its field. */
export function requireGoodPassword(password: string, param = 'password'): void {
  const length = [...password].length
  if (length >= passwordMin && length <= passwordMax) return
  throw new Failure(
    'validation_error',
    `The password has ${length} characters; it must have ${passwordMin} to ${passwordMax}.`,
    { param, fix: `Choose a password of ${passwordMin} to ${passwordMax} characters, such as several words.` },
  )
}

/** Returns the hash to store for a password. Fails with `unavailable` when too many passwords wait to be hashed. */
export function hashPassword(ctx: Context, password: string): Promise<string> {
  return inRoom(ctx, () => hash(normalised(password), parameters))
}

/**
 * Whether a password matches a stored hash; without a hash returns false, after the same work. Fails with `unavailable` when too many
 * passwords wait to be compared.
 */
export async function isPassword(ctx: Context, password: string, kept: string | null): Promise<boolean> {
  if (kept !== null) return inRoom(ctx, () => verify(kept, normalised(password)))
  await hashPassword(ctx, password)
  return false
}

/** A digest of a stored hash. What was made under a password ends with it: any change of the password changes the digest. */
export const passwordDigest = ({ passwordHash }: { readonly passwordHash: string }): string =>
  hashCredential(passwordHash).toString('base64url')

function inRoom<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  return hashingRoom(ctx)(memoryKiB * 1024, work)
}

/** Makes the same characters the same password, whichever keyboard typed them (RFC 8265 4.2.2). */
const normalised = (password: string) => password.normalize('NFC')
