/**
 * The key that a zone is signed with (DNSSEC): one for each zone, ECDSA P-256 (algorithm 13, RFC 6605), made when it is first asked for,
 * sealed in the database, the same on every node. It signs the keys of the zone as it signs everything else, so that one DS
 * record in the zone above vouches for it.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { fromBinary } from '../../store/bytes.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import { findZoneKey, keepZoneKey } from '../../store/zone-keys.ts'
import { hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { wireName } from './names.ts'
import type { Zone } from './served-zones.ts'

export type ZoneKey = {
  readonly privateKey: KeyObject
  readonly tag: number
  /** The data of the DNSKEY record, and of the DS record by SHA-256 (RFC 4034 2.1, 5.1; 4509). */
  readonly dnskey: Buffer
  readonly ds: Buffer
}

/** The algorithm's number (RFC 6605). */
export const ecdsaP256Sha256 = 13
/** A key that is told to the world (Zone Key), and that the DS record names (Secure Entry Point; RFC 4034 2.1.1). */
const flags = 257
const protocol = 3
const sha256 = 2
const keysMax = 10_000

const keys = perProcess(({ clock }) =>
  createKept<ZoneKey>(clock, { max: keysMax, ttlMs: 24 * hourMs, renewOnUse: true }),
)

/** The key of a zone. Rejects when the database does not answer. */
export async function zoneKey(
  ctx: Context,
  { origin, accountId }: Pick<Zone, 'origin' | 'accountId'>,
): Promise<ZoneKey> {
  const id = `${accountId ?? 'service'}:${origin}`
  const known = keys(ctx).get(id)
  if (known !== undefined) return known
  const doc = (await findZoneKey(ctx.store, id)) ?? (await makeKey(ctx, { id, origin, accountId }))
  const key = keyOf(origin, createPrivateKey(ctx.secrets.open(fromBinary(doc.privateKey), sealedFor.zoneKey(id))))
  keys(ctx).set(id, key)
  return key
}

function makeKey(ctx: Context, { id, origin, accountId }: { id: string } & Pick<Zone, 'origin' | 'accountId'>) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return keepZoneKey(ctx.store, {
    _id: id,
    domain: origin,
    accountId,
    privateKey: toSealed(ctx.secrets.seal(pem, sealedFor.zoneKey(id))),
    createdAt: ctx.machineClock.now(),
  })
}

/** What follows from a private key of P-256. */
export function keyOf(origin: string, privateKey: KeyObject): ZoneKey {
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const dnskey = Buffer.concat([Buffer.from([flags >> 8, flags & 0xff, protocol, ecdsaP256Sha256]), point])
  const tag = tagOf(dnskey)
  const digest = createHash('sha256').update(wireName(origin), 'latin1').update(dnskey).digest()
  const ds = Buffer.concat([Buffer.from([tag >> 8, tag & 0xff, ecdsaP256Sha256, sha256]), digest])
  return { privateKey, tag, dnskey, ds }
}

/** The records as a registrar takes them, and as text of a master file. */
export function zoneKeyText({ tag, dnskey, ds }: ZoneKey): { readonly ds: string; readonly dnskey: string } {
  return {
    ds: `${tag} ${ecdsaP256Sha256} ${sha256} ${ds.subarray(4).toString('hex').toUpperCase()}`,
    dnskey: `${flags} ${protocol} ${ecdsaP256Sha256} ${dnskey.subarray(4).toString('base64')}`,
  }
}

/** RFC 4034 appendix B. */
function tagOf(dnskey: Buffer): number {
  let sum = 0
  for (const [n, byte] of dnskey.entries()) sum += n % 2 === 0 ? byte << 8 : byte
  return (sum + (sum >> 16)) & 0xffff
}
