/**
 * What a zone answers to a question (RFC 1034 4.3.2): records, aliases, wildcards (RFC 4592), delegations, and the absence of
 * records (RFC 2308). Pure; which parts of it are written, and how, is decided elsewhere.
 */
import { isWithin, parentOf, type WireName } from '../core/zones/names.ts'
import { rcodes, types } from './codes.ts'
import type { Node, RrSet, ZoneIndex } from './zone-index.ts'

export type Question = { readonly name: WireName; readonly type: number }

export type Answer = {
  readonly kind: 'records' | 'no such type' | 'no such name' | 'referral'
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly answers: readonly RrSet[]
  readonly authorities: readonly RrSet[]
  readonly additionals: readonly RrSet[]
  /** The last name looked up: the name of the question, or the target of the last alias. */
  readonly name: WireName
  /** The name in the zone that provided the answer: a wildcard answers for many names. */
  readonly source: WireName
  /** The records at the name; null if it does not exist. */
  readonly node: Node | null
}

/** Aliases followed within a zone; stops long chains, which would be part of every answer. */
const aliasesMax = 8

/** Answers a question about a name in the zone. */
export function answerFrom(zone: ZoneIndex, { name: asked, type }: Question): Answer {
  const aliases: RrSet[] = []
  const seen = new Set<WireName>()
  for (let name = asked; ; ) {
    seen.add(name)
    const cut = delegationOf(zone, { name, type })
    if (cut !== null) return referral(zone, cut, aliases)
    const found = find(zone, name)
    if (found === null) return negative(zone, { kind: 'no such name', name, source: zone.origin, node: null }, aliases)
    const { node, source } = found
    const set = type === types.ANY ? smallest(node) : node.get(type)
    if (set !== undefined) return positive(zone, [...aliases, ownedBy(set, name)], { name, source, node })
    const alias = node.get(types.CNAME)
    if (alias === undefined) return negative(zone, { kind: 'no such type', name, source, node }, aliases)
    aliases.push(ownedBy(alias, name))
    const target = alias.values[0]![0] as WireName
    const ends = seen.has(target) || aliases.length === aliasesMax || !isWithin(target, zone.origin)
    if (ends) return positive(zone, aliases, { name, source, node })
    name = target
  }
}

/** The node of a name, or the wildcard below its closest encloser that answers for it (RFC 4592 3.3.1). */
function find({ nodes, origin }: ZoneIndex, name: WireName): { node: Node; source: WireName } | null {
  const own = nodes.get(name)
  if (own !== undefined) return { node: own, source: name }
  let encloser = name
  while (encloser !== origin && !nodes.has(encloser)) encloser = parentOf(encloser)
  const source = `\x01*${encloser}`
  const wildcard = nodes.get(source)
  return wildcard === undefined ? null : { node: wildcard, source }
}

/** The uppermost delegation at or above a name. DS of a delegated name itself is answered here (RFC 4035 3.1.4.1). */
function delegationOf({ nodes, origin, hasCuts }: ZoneIndex, { name, type }: Question): RrSet | null {
  if (!hasCuts) return null
  let cut: RrSet | null = null
  for (let above = name; above !== origin; above = parentOf(above)) {
    if (above === name && type === types.DS) continue
    cut = nodes.get(above)?.get(types.NS) ?? cut
  }
  return cut
}

/** For a question of type ANY one set is enough (RFC 8482 4.1): the one that makes the smallest answer. */
function smallest(node: Node): RrSet | undefined {
  let least: RrSet | undefined
  for (const set of node.values()) if (least === undefined || sizeOf(set) < sizeOf(least)) least = set
  return least
}

function sizeOf({ values }: RrSet): number {
  return values.reduce((sum, value) => sum + value.reduce((bytes, part) => bytes + part.length, 0), 0)
}

const ownedBy = (set: RrSet, owner: WireName): RrSet => (set.owner === owner ? set : { ...set, owner })

function positive(zone: ZoneIndex, answers: readonly RrSet[], at: Pick<Answer, 'name' | 'source' | 'node'>): Answer {
  const last = answers.at(-1)!
  return {
    ...at,
    kind: 'records',
    rcode: rcodes.NOERROR,
    isAuthoritative: true,
    answers,
    authorities: [],
    additionals: last.targets.length === 0 ? [] : addressesOf(zone, last.targets),
  }
}

/** A negative answer (RFC 2308 2). After aliases, the code is about the last name (RFC 6604 3). */
function negative(
  { negativeSoa }: ZoneIndex,
  at: Pick<Answer, 'kind' | 'name' | 'source' | 'node'>,
  answers: readonly RrSet[],
): Answer {
  const rcode = at.kind === 'no such name' ? rcodes.NXDOMAIN : rcodes.NOERROR
  return { ...at, rcode, isAuthoritative: true, answers, authorities: [negativeSoa], additionals: [] }
}

/** Refers to the servers of a delegation. The addresses of servers inside the zone are included (RFC 9471). */
function referral(zone: ZoneIndex, cut: RrSet, answers: readonly RrSet[]): Answer {
  return {
    kind: 'referral',
    rcode: rcodes.NOERROR,
    // RFC 1035 4.1.1: AA is about the first owner name in the answer, which is an alias in this zone.
    isAuthoritative: answers.length > 0,
    answers,
    authorities: [cut],
    additionals: addressesOf(zone, cut.targets),
    name: cut.owner,
    source: cut.owner,
    node: zone.nodes.get(cut.owner) ?? null,
  }
}

function addressesOf({ nodes }: ZoneIndex, targets: readonly WireName[]): RrSet[] {
  return targets.flatMap((target) => {
    const node = nodes.get(target)
    return [node?.get(types.A), node?.get(types.AAAA)].filter((set) => set !== undefined)
  })
}
