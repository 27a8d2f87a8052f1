/**
 * How far the clock of this machine is from that of the database, which all nodes share. Leases, watermarks, ids and due times mean
 * the same to all nodes only if their clocks agree: so a node that differs follows the database's clock, up to a bound. Beyond it
 * something is wrong with the machine, and work that depends on the time is refused until it is mended. Invariants: the
 * difference is measured before a node begins, and each minute; what cannot be measured leaves the last measure as it is.
 */
import type { Logger } from 'pino'
import { Failure } from '../../schemas/failures.ts'
import type { Store } from '../../store/open.ts'
import { after, type Clock, minuteMs, secondMs } from './clock.ts'

/** A clock that differs from the database's by more is not worked with. */
export const skewMaxMs = 5 * secondMs
/** From here on the log warns of it. */
export const warnFromMs = skewMaxMs / 2
/** A difference up to this, and up to what the way to the database may have taken, is none. */
const noiseMs = 50
const measureEveryMs = minuteMs
const samples = 5

export type ClockSkew = {
  /** The machine's time, put right by the last measure. */
  readonly clock: Clock
  /** By how much the machine's clock is ahead of the database's; negative: behind. 0 before the first measure. */
  aheadMs(): number
  /** Whether the clock may be worked with. */
  isSound(): boolean
  /** Fails with `unavailable` when it may not. */
  requireSound(): void
  /** Measures now. Rejects when the database does not answer. */
  measure(): Promise<void>
  /** Measures now and each minute. Fails with `unavailable` when the clock may not be worked with. */
  watch(): Promise<void>
  stop(): void
}

/** Makes the measure of a process. `machine` is the clock of the machine. */
export function createClockSkew(store: Pick<Store, 'time'>, machine: Clock, log: Logger): ClockSkew {
  let ahead = 0
  let timer: NodeJS.Timeout | undefined

  async function measure(): Promise<void> {
    const before = ahead
    const { aheadMs, errorMs } = await measureOnce(store, machine)
    ahead = Math.abs(aheadMs) > errorMs + noiseMs ? aheadMs : 0
    const told = { aheadMs: Math.round(ahead), toleratedMs: skewMaxMs }
    if (!isSound())
      log.error(told, 'the clock of this machine is wrong: set it, such as by NTP; until then nothing is done')
    else if (Math.abs(ahead) >= warnFromMs)
      log.warn(told, 'the clock of this machine differs from the database: set it, such as by NTP')
    else if (Math.abs(before) >= warnFromMs) log.info(told, 'the clock of this machine is right again')
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
        measure().catch((error: unknown) => log.warn({ err: error }, 'the clock could not be compared'))
      timer = setInterval(() => void again(), measureEveryMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}

/** Of several questions the one that was answered soonest: it says most exactly when the answer was given. */
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
