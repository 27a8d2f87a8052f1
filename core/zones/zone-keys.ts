/**
 * The keys that zones are signed with (DNSSEC): one for each zone, ECDSA P-256 (algorithm 13, RFC 6605), made when it is first asked for,
 * sealed in the database, the same on every node. It signs the keys of the zone as it signs everything else, so that one DS
 * record in the zone above vouches for it. While another takes its place (core/domains/zone-key-rotation) there are two.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { fromBinary } from '../../store/bytes.ts'
import type { ZoneKeyDoc } from '../../store/documents/domains.ts'
import type { Sealed } from '../../store/documents/sealed.ts'
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

/** What a zone is signed with. */
export type ZoneKeys = {
  /** Signs what is asked for; the zone above is to name it. */
  readonly signing: ZoneKey
  /** Those of the DNSKEY set. What tells of keys is signed by all of them: the zone above may name any (RFC 6781 4.1.3). */
  readonly told: readonly ZoneKey[]
}

/** Those of a zone that has one key. */
export const alone = (key: ZoneKey): ZoneKeys => ({ signing: key, told: [key] })

/** How long others may keep the records that tell of keys. */
export const keyTtlSeconds = 3_600
/** The algorithm's number (RFC 6605). */
export const ecdsaP256Sha256 = 13
/** A key that is told to the world (Zone Key), and that the DS record names (Secure Entry Point; RFC 4034 2.1.1). */
const flags = 257
const protocol = 3
const sha256 = 2
const keysMax = 10_000

type Known = { readonly serial: number; readonly keys: ZoneKeys }

/** By the zone's version: with each change of the keys its serial rises. */
const known = perProcess(({ clock }) =>
  createKept<Known>(clock, { max: keysMax, ttlMs: 24 * hourMs, renewOnUse: true }),
)

type Owned = Pick<Zone, 'origin' | 'accountId'>

export const zoneKeyId = ({ origin, accountId }: Owned): string => `${accountId ?? 'service'}:${origin}`

/** The keys of a version of a zone. Rejects when the database does not answer. */
export async function zoneKeys(ctx: Context, zone: Owned & Pick<Zone, 'serial'>): Promise<ZoneKeys> {
  const id = zoneKeyId(zone)
  const before = known(ctx).get(id)
  if (before?.serial === zone.serial) return before.keys
  const keys = keysOf(ctx, await zoneKeyDoc(ctx, zone))
  known(ctx).set(id, { serial: zone.serial, keys })
  return keys
}

/** The key of a zone as it is kept; it is made when there is none. */
export async function zoneKeyDoc(ctx: Context, { origin, accountId }: Owned): Promise<ZoneKeyDoc> {
  const _id = zoneKeyId({ origin, accountId })
  const kept = await findZoneKey(ctx.store, _id)
  if (kept !== null) return kept
  const privateKey = sealedKey(ctx, _id, newPrivateKey())
  return keepZoneKey(ctx.store, { _id, domain: origin, accountId, privateKey, createdAt: ctx.machineClock.now() })
}

/** What a zone is signed with while its key is kept so. */
export function keysOf(ctx: Context, { _id, domain, privateKey, next }: ZoneKeyDoc): ZoneKeys {
  const opened = (sealed: Sealed) =>
    keyOf(domain, createPrivateKey(ctx.secrets.open(fromBinary(sealed), sealedFor.zoneKey(_id))))
  if (next?.state === 'alone') return alone(opened(next.privateKey))
  const first = opened(privateKey)
  if (next === undefined) return alone(first)
  const second = opened(next.privateKey)
  return { signing: next.state === 'published' ? first : second, told: [first, second] }
}

/** A private key to take the place of another, with a tag of its own: by the tag resolvers know which one signed. */
export function nextPrivateKey(ctx: Context, doc: ZoneKeyDoc): Sealed {
  const { tag } = keysOf(ctx, doc).signing
  for (;;) {
    const key = newPrivateKey()
    if (keyOf(doc.domain, key).tag !== tag) return sealedKey(ctx, doc._id, key)
  }
}

const newPrivateKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

function sealedKey(ctx: Context, id: string, key: KeyObject): Sealed {
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return toSealed(ctx.secrets.seal(pem, sealedFor.zoneKey(id)))
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
