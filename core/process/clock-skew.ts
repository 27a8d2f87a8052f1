/**
 * How far the clock of this machine is from that of the database, which all nodes share. Leases, watermarks, ids and due times mean
 * the same to all nodes only if their clocks agree, so a node whose clock differs follows the database's, up to a bound. Beyond that
 * bound something is wrong with the machine, and work that depends on the time is refused until its clock is set. Invariants: the
 * difference is measured before a node begins its work, each minute, and when the machine's clock was set; a measurement that fails
 * leaves the last one in force.
 */
import type { Logger } from 'pino'
import { Failure } from '../../schemas/failures.ts'
import type { Store } from '../../store/open.ts'
import { after, type Clock, minuteMs, secondMs } from './clock.ts'

/** The largest difference at which work that depends on the time is done. */
export const skewMaxMs = 5 * secondMs
/** The difference from which on the log warns. */
export const warnFromMs = skewMaxMs / 2
/** A difference counts as none up to this value plus the error of the measurement, which is half of the round trip. */
const noiseMs = 50
const measureEveryMs = minuteMs
/** How often the machine's clock is compared with one that nobody can set, and how far it must have moved to count as set. */
const lookEveryMs = secondMs
const setMs = secondMs
const samples = 5

export type ClockSkew = {
  /** The machine's time, corrected by the last measurement. */
  readonly clock: Clock
  /** By how much the machine's clock is ahead of the database's; negative: behind. 0 before the first measurement. */
  aheadMs(): number
  /** Whether the difference is at most `skewMaxMs`. */
  isSound(): boolean
  /** Fails with `unavailable` when the difference is larger. */
  requireSound(): void
  /** Measures now. Rejects when the database does not answer. */
  measure(): Promise<void>
  /**
   * Measures now, each minute, and when the machine's clock was set. Fails with `unavailable` when the first difference is larger than
   * `skewMaxMs`.
   */
  watch(): Promise<void>
  stop(): void
}

/** Makes the clock skew of a process. `machine` is the clock of the machine. */
export function createClockSkew(store: Pick<Store, 'time'>, machine: Clock, log: Logger): ClockSkew {
  let ahead = 0
  const timers: NodeJS.Timeout[] = []
  /** How far the machine's clock is ahead of the one that nobody can set. */
  const offset = () => machine.now().getTime() - performance.now()
  let measuredAt = offset()

  async function measure(): Promise<void> {
    const before = ahead
    measuredAt = offset()
    const { aheadMs, errorMs } = await measureOnce(store, machine)
    ahead = Math.abs(aheadMs) > errorMs + noiseMs ? aheadMs : 0
    const fields = { aheadMs: Math.round(ahead), toleratedMs: skewMaxMs }
    if (!isSound())
      log.error(
        fields,
        'the clock of this machine is wrong: set it, such as by NTP; until then no work that depends on the time is done',
      )
    else if (Math.abs(ahead) >= warnFromMs)
      log.warn(fields, 'the clock of this machine differs from the database: set it, such as by NTP')
    else if (Math.abs(before) >= warnFromMs) log.info(fields, 'the clock of this machine is right again')
  }

  const isSound = () => Math.abs(ahead) <= skewMaxMs

  function requireSound(): void {
    if (isSound()) return
    const seconds = (Math.abs(ahead) / secondMs).toFixed(1)
    throw new Failure(
      'unavailable',
      `The clock of this node is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's; up to ${skewMaxMs / secondMs} s are tolerated.`,
      { fix: 'Retry later; whoever runs the service has to set its clock, such as by NTP.' },
    )
  }

  return {
    clock: { now: () => (ahead === 0 ? machine.now() : after(machine.now(), -ahead)) },
    aheadMs: () => ahead,
    isSound,
    requireSound,
    measure,
    async watch() {
      await measure()
      requireSound()
      const again = () =>
        measure().catch((error: unknown) =>
          log.warn({ err: error }, 'the clock could not be compared with that of the database'),
        )
      const lookWhetherSet = () => {
        const movedMs = Math.round(offset() - measuredAt)
        if (Math.abs(movedMs) < setMs) return
        log.info({ movedMs }, 'the time of this machine was set')
        void again()
      }
      timers.push(
        setInterval(() => void again(), measureEveryMs),
        setInterval(lookWhetherSet, lookEveryMs),
      )
      for (const timer of timers) timer.unref()
    },
    stop: () => timers.forEach(clearInterval),
  }
}

/** Takes several samples and returns the one with the shortest round trip, which is the most exact. */
async function measureOnce(store: Pick<Store, 'time'>, machine: Clock): Promise<{ aheadMs: number; errorMs: number }> {
  let best = { aheadMs: 0, errorMs: Number.POSITIVE_INFINITY }
  for (let n = 0; n < samples; n++) {
    const askedAt = performance.now()
    const time = await store.time()
    const errorMs = (performance.now() - askedAt) / 2
    const aheadMs = machine.now().getTime() - errorMs - time.getTime()
    if (errorMs < best.errorMs) best = { aheadMs, errorMs }
  }
  return best
}
