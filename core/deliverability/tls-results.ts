/**
 * The results of TLS with the mail servers of other domains, for our TLS reports (RFC 8460). They are counted in memory by policy
 * domain and day, and added to the database once a minute, so that mail does not wait for it. If a process dies, the counts that it
 * had not written are missing in the report; nothing else is affected.
 */
import { createHash } from 'node:crypto'
import { addTlsResults } from '../../store/deliverability.ts'
import type { ReportedPolicyDoc, TlsKindDoc } from '../../store/documents/deliverability.ts'
import { after, dayMs, hourMs, minuteMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

export type { ReportedPolicyDoc }

/** One connection to a mail server of `domain`. */
export type TlsSession = { readonly domain: string; readonly kind: TlsKindDoc }

const writeMs = minuteMs
/** Kinds of sessions counted between two writes; further kinds are left out. */
const kindsMax = 20_000
/** Reports are spread over this time, so that senders do not all report in the same minute (RFC 8460 4.1). */
const spreadMs = 4 * hourMs
const keptDays = 4

type Counted = { readonly day: string; readonly domain: string; readonly kind: TlsKindDoc; sessions: number }

const stateOf = perProcess(() => ({
  counted: new Map<string, Counted>(),
  timer: undefined as NodeJS.Timeout | undefined,
}))

/** Counts a session, unless the settings turn reports off. */
export function noteTlsSession(ctx: Context, { domain, kind }: TlsSession): void {
  if (!ctx.settings.deliverability.tlsReports) return
  const state = stateOf(ctx)
  const { day } = periodsOf(ctx.machineClock.now())
  add(state.counted, { day, domain, kind, sessions: 1 })
  state.timer ??= setTimeout(() => {
    writeTlsResults(ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'TLS results could not be written; they are kept'),
    )
  }, writeMs).unref()
}

/** Writes the counts. If this fails, they are kept and written with the next ones. */
export async function writeTlsResults(ctx: Context): Promise<void> {
  const state = stateOf(ctx)
  clearTimeout(state.timer)
  state.timer = undefined
  const counted = [...state.counted.values()]
  state.counted.clear()
  const byDomain = Map.groupBy(counted, ({ day, domain }) => `${day} ${domain}`)
  try {
    await addTlsResults(
      ctx.store,
      [...byDomain.values()].map((ofOne) => {
        const { day, domain } = ofOne[0]!
        const dueAt = dueAfter(day, domain)
        const kinds = ofOne.map(({ kind, sessions }) => ({ id: idOf(kind), kind, sessions }))
        return { day, domain, dueAt, expiresAt: after(dueAt, keptDays * dayMs), kinds }
      }),
    )
  } catch (error) {
    for (const each of counted) add(state.counted, each)
    throw error
  }
}

function add(counted: Map<string, Counted>, one: Counted): void {
  const key = JSON.stringify([one.day, one.domain, one.kind])
  const known = counted.get(key)
  if (known !== undefined) known.sessions += one.sessions
  else if (counted.size < kindsMax) counted.set(key, one)
}

const idOf = (kind: TlsKindDoc) => createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16)

/** When the report of a day is due: after the day ends, at a time that depends on the domain. */
function dueAfter(day: string, domain: string): Date {
  const share = createHash('sha256').update(domain).digest().readUInt32BE(0) / 2 ** 32
  return after(new Date(`${day}T00:00:00Z`), dayMs + hourMs + share * spreadMs)
}
