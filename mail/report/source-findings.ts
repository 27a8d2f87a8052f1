/** Explains what a row of a DMARC report means for the owner of the domain, and what to change. */
import { sameOrganisation } from '../domain.ts'
import type { DomainResult, SourceRow } from './aggregate-report.ts'
import { senderNameOf } from './known-senders.ts'

export const findingKinds = ['passes', 'own_server', 'forwarder', 'provider', 'stranger'] as const
export type FindingKind = (typeof findingKinds)[number]

export type Finding = {
  readonly kind: FindingKind
  /** One or two sentences. */
  readonly explanation: string
  /** What to change; null when nothing is to be changed. */
  readonly fix: string | null
}

type Row = Pick<SourceRow, 'dkim' | 'spf' | 'headerFrom' | 'overrides' | 'dkimResults' | 'spfResults' | 'disposition'>

/**
 * The sender of the mail in a row. `isOwn`: whether it is a server of the service. `name`: the name of the sending address, if it is
 * known. `records`: where the records to publish are found, such as `GET /api/v1/domains/own.example lists`.
 */
export type Sender = { readonly isOwn: boolean; readonly name: string | null; readonly records: string }

/** Explains a row. The same row gives the same words, so that rows can be grouped by them. */
export function findingOf(row: Row, { isOwn, name, records }: Sender): Finding {
  const { dkim, spf } = row
  if (isOwn && !(dkim && spf)) return ofOwnServer(row, records)
  if (dkim && spf)
    return { kind: 'passes', explanation: 'SPF and DKIM pass, and both are aligned with From.', fix: null }
  if (dkim)
    return {
      kind: 'passes',
      explanation:
        'DKIM passes and is aligned, which is enough. SPF is not, as with mail that is forwarded, or that a provider sends with a return path of its own.',
      fix: null,
    }
  if (spf)
    return {
      kind: 'passes',
      explanation:
        'SPF passes and is aligned, which is enough until the mail is forwarded: it has no DKIM signature that counts.',
      fix: `Have ${name ?? 'this server'} sign its mail with DKIM as ${row.headerFrom}.`,
    }
  return ofForwarder(row, name) ?? ofProvider(row, name) ?? ofStranger(row)
}

function ofOwnServer({ dkim, spf, headerFrom, dkimResults, spfResults }: Row, records: string): Finding {
  const causes: string[] = []
  const fixes: string[] = []
  if (!dkim) {
    const own = dkimResults.find(({ domain }) => sameOrganisation(domain, headerFrom))
    if (own === undefined) {
      causes.push(`the mail has no DKIM signature of ${headerFrom}`)
      fixes.push(
        `Send mail of ${headerFrom} through this service, which signs it, and by no other program on the same address.`,
      )
    } else if (own.result === 'pass') {
      causes.push(
        `the signature is of ${own.domain}, which does not satisfy the strict alignment that ${headerFrom} asks for`,
      )
      fixes.push(`Publish adkim=r in the DMARC record, or send from ${own.domain}.`)
    } else {
      causes.push(`the DKIM signature of ${own.domain} does not verify (${own.result})`)
      fixes.push(`Publish the DKIM records that ${records}, exactly as they are there.`)
    }
  }
  if (!spf) {
    const [found] = spfResults
    causes.push(
      found !== undefined && !sameOrganisation(found.domain, headerFrom)
        ? `the return path is on ${found.domain}, which is not aligned`
        : `SPF does not name the address${found === undefined ? '' : ` (${found.result})`}`,
    )
    fixes.push(`Publish the SPF record that ${records}.`)
  }
  const [first = '', second] = causes
  return {
    kind: 'own_server',
    explanation: `This is a server of ours, but ${first}${second === undefined ? '' : `, and ${second}`}.`,
    fix: fixes.join(' '),
  }
}

const forwarding: ReadonlySet<string> = new Set(['forwarded', 'mailing_list', 'trusted_forwarder'])

/** A broken signature of the domain, or a receiver who says so, is the sign of a mailing list or a forwarder. */
function ofForwarder({ headerFrom, overrides, dkimResults }: Row, name: string | null): Finding | null {
  const isBroken = dkimResults.some(({ domain, result }) => result === 'fail' && sameOrganisation(domain, headerFrom))
  if (!isBroken && !overrides.some((override) => forwarding.has(override))) return null
  return {
    kind: 'forwarder',
    explanation: `Mail of ${headerFrom} was forwarded${name === null ? '' : ` by ${name}`}, as by a mailing list, and changed on the way, so that its signature does not verify.`,
    fix: null,
  }
}

/** Mail that somebody authenticates, but for another domain. */
function ofProvider({ headerFrom, dkimResults, spfResults }: Row, name: string | null): Finding | null {
  const foreign = ({ domain, result }: DomainResult) => result === 'pass' && !sameOrganisation(domain, headerFrom)
  const vouching = dkimResults.find(foreign) ?? spfResults.find(foreign)
  if (vouching === undefined) return null
  const provider = senderNameOf(vouching.domain)
  const by = name === null || name === provider ? '' : `, through ${name}`
  return {
    kind: 'provider',
    explanation: `${provider} sends mail in the name of ${headerFrom}${by}, but signs it, or receives its bounces, as ${vouching.domain}, which is not aligned.`,
    fix: `If you use ${provider}: set up ${headerFrom} there, and publish the DKIM records that it gives you. If you do not, somebody else does: p=quarantine or p=reject keeps such mail out.`,
  }
}

function ofStranger({ headerFrom, disposition }: Row): Finding {
  const isStopped = disposition !== 'none'
  return {
    kind: 'stranger',
    explanation: `Somebody else sends in the name of ${headerFrom}: neither SPF nor DKIM passes for anybody.${isStopped ? ' The receiver kept it from the inbox.' : ''}`,
    fix: isStopped
      ? null
      : 'When your own mail passes, publish p=quarantine in the DMARC record, and then p=reject: receivers keep such mail out.',
  }
}
