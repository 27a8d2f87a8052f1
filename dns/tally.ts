/** Counts answers for Prometheus, if metrics are on. */
import type { Metrics } from '../core/process/metrics.ts'
import { rcodes } from './codes.ts'
import { flagBits } from './message.ts'

export type Tally = {
  /** Returns the messages unchanged; each is counted when it is taken. */
  counted(over: 'udp' | 'tcp', messages: Iterable<Buffer>): Iterable<Buffer>
}

const names = Object.fromEntries(Object.entries(rcodes).map(([name, code]) => [code, name]))

export function createTally(metrics: Metrics): Tally {
  if (!metrics.isOn) return { counted: (_over, messages) => messages }
  return {
    *counted(over, messages) {
      let isSilent = true
      for (const message of messages) {
        isSilent = false
        const flags = message.readUInt16BE(2)
        const code = (flags & flagBits.TC) !== 0 ? 'cut' : (names[flags & 0xf] ?? 'other')
        metrics.count('mailroom_dns_answers_total', { over, code })
        yield message
      }
      if (isSilent) metrics.count('mailroom_dns_unanswered_total', { over })
    },
  }
}
