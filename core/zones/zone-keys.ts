/**
 * The keys that sign zones (DNSSEC): one per zone, ECDSA P-256 (algorithm 13, RFC 6605), created on first use, sealed in the database, the
 * same on every node. The key signs both the key set and everything else in the zone, so one DS record in the parent zone vouches for
 * it. During a rotation (core/domains/zone-key-rotation) a zone has two keys.
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
  /** The data of the DNSKEY record, and of the DS record with SHA-256 (RFC 4034 2.1, 5.1; RFC 4509). */
  readonly dnskey: Buffer
  readonly ds: Buffer
}

/** The keys of a zone. */
export type ZoneKeys = {
  /** The key that signs answers; the parent zone should name it. */
  readonly signing: ZoneKey
  /** The keys in the DNSKEY set. All of them sign the key records, since the parent zone may name any (RFC 6781 4.1.3). */
  readonly published: readonly ZoneKey[]
}

/** The keys of a zone that has only one. */
export const singleKey = (key: ZoneKey): ZoneKeys => ({ signing: key, published: [key] })

/** The TTL of the records about keys. */
export const keyTtlSeconds = 3_600
/** The algorithm's number (RFC 6605). */
export const ecdsaP256Sha256 = 13
/** DNSKEY flags: Zone Key, and Secure Entry Point, which marks the key that the DS record names (RFC 4034 2.1.1). */
const flags = 257
const protocol = 3
const sha256 = 2
const keysMax = 10_000

type Known = { readonly serial: number; readonly keys: ZoneKeys }

/** Cached for one version of a zone: each change of the keys raises its serial. */
const known = perProcess(({ clock }) =>
  createKept<Known>(clock, { max: keysMax, ttlMs: 24 * hourMs, renewOnUse: true }),
)

type Owned = Pick<Zone, 'origin' | 'accountId'>

export const zoneKeyId = ({ origin, accountId }: Owned): string => `${accountId ?? 'service'}:${origin}`

/** The keys of a version of a zone. Rejects if the database does not answer. */
export async function zoneKeys(ctx: Context, zone: Owned & Pick<Zone, 'serial'>): Promise<ZoneKeys> {
  const id = zoneKeyId(zone)
  const before = known(ctx).get(id)
  if (before?.serial === zone.serial) return before.keys
  const keys = keysOf(ctx, await zoneKeyDoc(ctx, zone))
  known(ctx).set(id, { serial: zone.serial, keys })
  return keys
}

/** The stored key of a zone; it is created if there is none. */
export async function zoneKeyDoc(ctx: Context, { origin, accountId }: Owned): Promise<ZoneKeyDoc> {
  const _id = zoneKeyId({ origin, accountId })
  const kept = await findZoneKey(ctx.store, _id)
  if (kept !== null) return kept
  const privateKey = sealedKey(ctx, _id, newPrivateKey())
  return keepZoneKey(ctx.store, { _id, domain: origin, accountId, privateKey, createdAt: ctx.machineClock.now() })
}

/** The keys that sign a zone according to its stored key document. */
export function keysOf(ctx: Context, { _id, domain, privateKey, next }: ZoneKeyDoc): ZoneKeys {
  const opened = (sealed: Sealed) => keyOf(domain, createPrivateKey(openedKey(ctx, _id, sealed)))
  if (next?.state === 'alone') return singleKey(opened(next.privateKey))
  const first = opened(privateKey)
  if (next === undefined) return singleKey(first)
  const second = opened(next.privateKey)
  return { signing: next.state === 'published' ? first : second, published: [first, second] }
}

/** The stored key of a zone as it is stored in another account, to which the zone moves. */
export function zoneKeyIn(ctx: Context, { _id: before, next, ...doc }: ZoneKeyDoc, accountId: string): ZoneKeyDoc {
  const _id = zoneKeyId({ origin: doc.domain, accountId })
  const resealed = (sealed: Sealed) =>
    toSealed(ctx.secrets.seal(openedKey(ctx, before, sealed), sealedFor.zoneKey(_id)))
  return {
    ...doc,
    _id,
    accountId,
    privateKey: resealed(doc.privateKey),
    ...(next !== undefined && { next: { ...next, privateKey: resealed(next.privateKey) } }),
  }
}

/** A new private key with a tag that differs from the current one: resolvers use the tag to find the key that signed. */
export function nextPrivateKey(ctx: Context, doc: ZoneKeyDoc): Sealed {
  const { tag } = keysOf(ctx, doc).signing
  for (;;) {
    const key = newPrivateKey()
    if (keyOf(doc.domain, key).tag !== tag) return sealedKey(ctx, doc._id, key)
  }
}

const newPrivateKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const openedKey = (ctx: Context, id: string, sealed: Sealed) =>
  ctx.secrets.open(fromBinary(sealed), sealedFor.zoneKey(id))

function sealedKey(ctx: Context, id: string, key: KeyObject): Sealed {
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return toSealed(ctx.secrets.seal(pem, sealedFor.zoneKey(id)))
}

/** The key data derived from a private key of P-256. */
export function keyOf(origin: string, privateKey: KeyObject): ZoneKey {
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const dnskey = Buffer.concat([Buffer.from([flags >> 8, flags & 0xff, protocol, ecdsaP256Sha256]), point])
  const tag = tagOf(dnskey)
  const digest = createHash('sha256').update(wireName(origin), 'latin1').update(dnskey).digest()
  const ds = Buffer.concat([Buffer.from([tag >> 8, tag & 0xff, ecdsaP256Sha256, sha256]), digest])
  return { privateKey, tag, dnskey, ds }
}

/** The DS and DNSKEY records as text, as registrars and master files have them. */
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
