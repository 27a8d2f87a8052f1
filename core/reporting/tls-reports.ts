/**
 * Our TLS reports (RFC 8460): once a day the counts of sessions with the mail servers of a domain are sent to the places that the domain
 * names, by mail or by POST. The process that makes a report holds a lease on its results. A mail has an id computed from day and place,
 * so it is sent once; a POST that is repeated after a crash has the same report id.
 */
import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { type TlsReportOf, tlsReportFile, tlsReportMail } from '../../mail/compose/tls-report.ts'
import { normaliseAddress } from '../../mail/message/address.ts'
import { deriveId, type Id, idAt } from '../../schemas/ids.ts'
import { claimTlsResults, noteTlsReport, removeTlsResults } from '../../store/deliverability.ts'
import type { TlsKindDoc, TlsResultDoc } from '../../store/documents/deliverability.ts'
import { ownAddresses } from '../deliverability/own-addresses.ts'
import { isAbsent } from '../dns/resolver.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { postWebhook } from '../notify/webhook-post.ts'
import { after, dayMs, hourMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { sendComposed } from '../send/notice.ts'

/** Reports in one run of the clock, and how many of them are made at the same time. */
const reportsMax = 1_000
const togetherMax = 10
/** A run ends before its clock considers it dead. */
const runMs = 30 * secondMs
/** A report whose process died, or whose place did not accept it, is tried again after this time, until its results expire. */
const leaseMs = hourMs
/** Places that one domain may name. */
const placesMax = 4
/** Failures in one policy of a report: those with the most sessions. */
const failuresMax = 500

/** Sends the reports that are due. Returns for how many domains and days a report was tried. */
export async function sendTlsReports(ctx: Context): Promise<number> {
  if (!ctx.settings.deliverability.tlsReports) return 0
  const end = after(ctx.machineClock.now(), runMs)
  let done = 0
  const work = async () => {
    while (done < reportsMax && ctx.machineClock.now() < end) {
      const now = ctx.clock.now()
      const results = await claimTlsResults(ctx.store, { now, leaseUntil: after(now, leaseMs) })
      if (results === null) return
      done += 1
      await report(ctx, results).catch((error: unknown) =>
        ctx.log.warn({ err: error, domain: results.domain }, 'a TLS report could not be sent; it is tried again later'),
      )
    }
  }
  await Promise.all(Array.from({ length: togetherMax }, work))
  return done
}

async function report(ctx: Context, results: TlsResultDoc): Promise<void> {
  const places = await placesOf(ctx, results.domain)
  const open = places.filter((place) => results.sentTo?.includes(place) !== true)
  const content = open.length === 0 ? null : await contentOf(ctx, results)
  const submitted = await Promise.allSettled(
    open.map(async (place) => {
      await submit(ctx, { place, results, content: content! })
      await noteTlsReport(ctx.store, results, place)
    }),
  )
  const refusals = submitted.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  if (refusals.length > 0)
    throw new AggregateError(refusals, `${refusals.length} of ${open.length} places did not take it`)
  await removeTlsResults(ctx.store, results)
}

/**
 * Where a domain wants its reports (RFC 8460 3): `https:` URIs, and `mailto:` URIs of valid addresses; empty when it has no record. Rejects
 * when the DNS does not answer.
 */
async function placesOf({ resolver }: Context, domain: string): Promise<readonly string[]> {
  const texts = await resolver.resolve(`_smtp._tls.${domain}`, 'TXT').catch((error: unknown) => {
    if (isAbsent(error)) return []
    throw error
  })
  const records = texts.map((strings) => strings.join('')).filter((text) => /^v=TLSRPTv1\s*;/.test(text))
  // RFC 8460 3: several records count as none.
  if (records.length !== 1) return []
  const rua = /;\s*rua\s*=\s*([^;]*)/.exec(records[0]!)?.[1] ?? ''
  const named = rua.split(',').map((uri) => uri.trim())
  return named.filter((uri) => /^https:\/\//i.test(uri) || addressIn(uri) !== null).slice(0, placesMax)
}

/** The address in a `mailto:` URI (RFC 6068); null when it is no such URI, or names no valid address. */
function addressIn(uri: string): string | null {
  const encoded = /^mailto:([^?!]*)/i.exec(uri)?.[1]
  try {
    return encoded === undefined ? null : normaliseAddress(decodeURIComponent(encoded))
  } catch {
    return null // a "%" without its two digits
  }
}

async function contentOf(ctx: Context, { domain, day, kinds }: TlsResultDoc): Promise<TlsReportOf> {
  const submitter = ctx.settings.sharedDomain
  const from = new Date(`${day}T00:00:00Z`)
  const own = await ownAddresses(ctx)
  const all = Object.values(kinds)
  const byPolicy = Map.groupBy(all, ({ kind }) => JSON.stringify(kind.policy))
  return {
    domain,
    submitter,
    contact: `postmaster@${submitter}`,
    from,
    until: after(from, dayMs - secondMs),
    policies: [...byPolicy.values()].map((ofOne) => ({
      ...ofOne[0]!.kind.policy,
      successful: ofOne.reduce((sum, { kind, sessions }) => sum + (kind.failure === null ? sessions : 0), 0),
      failed: ofOne.reduce((sum, { kind, sessions }) => sum + (kind.failure === null ? 0 : sessions), 0),
      failures: ofOne
        .flatMap(({ kind, sessions }) => failureOf(kind, sessions, own))
        .sort((a, b) => b.sessions - a.sessions)
        .slice(0, failuresMax),
    })),
  }
}

function failureOf({ mx, address, failure }: TlsKindDoc, sessions: number, own: readonly string[]) {
  if (failure === null) return []
  const sendingAddress = own.find((each) => each.includes(':') === address.includes(':')) ?? null
  return [{ ...failure, sessions, sendingAddress, mx, address }]
}

type Submission = { readonly place: string; readonly results: TlsResultDoc; readonly content: TlsReportOf }

/** Submits a report to a place. Rejects when the place does not accept it. */
async function submit(ctx: Context, { place, results, content }: Submission): Promise<void> {
  if (/^https:/i.test(place)) {
    const { status, error } = await postWebhook(ctx, {
      webhookId: 'tls reports',
      url: place,
      body: tlsReportFile(content),
      headers: { 'content-type': 'application/tlsrpt+gzip', 'user-agent': 'Mailroom-TLS-Reports/1' },
    })
    if (error !== null || status === null || status >= 300) throw new Error(`${place} answered ${error ?? status}`)
    return
  }
  const to = addressIn(place)!
  const id = deriveId('em', idAt('em', content.from), `${results._id} ${to}`)
  await sendReport(ctx, { to, id, content })
}

async function sendReport(
  ctx: Context,
  { to, id, content }: { to: string; id: Id<'em'>; content: TlsReportOf },
): Promise<void> {
  const { submitter, contact } = content
  const at = ctx.clock.now()
  const messageIdHeader = `${id}@${submitter}`
  const raw = tlsReportMail(content, { to, messageId: messageIdHeader, at })
  await sendComposed(ctx, {
    id,
    from: { name: 'Mailroom', address: contact },
    to,
    subject: `Report Domain: ${content.domain} Submitter: ${submitter}`,
    origin: 'tls report',
    composed: {
      raw: await dkimSign(raw, await signingKeys(ctx, submitter), at),
      messageIdHeader,
      inReplyTo: null,
      references: [],
    },
  })
}
