/** Measures mail that arrives by SMTP and is announced to the webhook sink: how much per second, and how soon after its 250. */
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../test/eventually.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import type { Child } from './child.ts'
import { quantile } from './figures.ts'
import type { SinkAnswer, SinkQuestion } from './webhook-sink.ts'

export type Sink = Child<SinkQuestion, SinkAnswer>

const sessions = 10

export type AnnouncedArrivals = {
  readonly acceptedPerSecond: number
  /** The rate from the first message sent to the last webhook received. */
  readonly announcedPerSecond: number
  /** The time from the 250 to the receipt of the webhook. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/**
 * Sends mail at a steady rate, or as fast as it is accepted if `perSecond` is null, until all of it is announced. `mailOf` returns
 * the address and the raw text of a message, whose subject must be the given one.
 */
export async function announcedArrivals(
  { smtp, sink }: { readonly smtp: string; readonly sink: Sink },
  {
    name,
    count,
    perSecond,
    mailOf,
  }: {
    readonly name: string
    readonly count: number
    readonly perSecond: number | null
    readonly mailOf: (n: number, subject: string) => { readonly address: string; readonly raw: string }
  },
): Promise<AnnouncedArrivals> {
  await sink.ask('reset')
  const accepted = new Map<string, number>()
  const clients = await Promise.all(Array.from({ length: sessions }, () => SmtpClient.hello(smtp)))
  const began = performance.now()
  await Promise.all(
    clients.map(async (session, first) => {
      for (let n = first; n < count; n += sessions) {
        if (perSecond !== null) await sleep(Math.max(0, began + (n * 1_000) / perSecond - performance.now()))
        const subject = `bench ${name} ${n}`
        const { address, raw } = mailOf(n, subject)
        const { code, text } = await session.send([address], raw)
        if (code !== 250) throw new Error(`A message was refused: ${text}`)
        accepted.set(subject, performance.timeOrigin + performance.now())
      }
      session.destroy()
    }),
  )
  const acceptedPerSecond = count / ((performance.now() - began) / 1_000)
  const times = await eventually(
    'all are announced',
    async () => {
      const received = await sink.ask('received')
      return [...accepted.keys()].every((subject) => subject in received.times) && received.times
    },
    toldWithinMs,
  )
  const soon = [...accepted].map(([subject, at]) => Math.max(0, times[subject]! - at))
  const lastAt = Math.max(...Object.values(times)) - performance.timeOrigin
  return {
    acceptedPerSecond,
    announcedPerSecond: count / ((lastAt - began) / 1_000),
    p50Ms: quantile(soon, 0.5),
    p99Ms: quantile(soon, 0.99),
    maxMs: Math.max(...soon),
  }
}

const toldWithinMs = 900_000
