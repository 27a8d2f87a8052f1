/**
 * Patterns that callers bring, in the syntax of RE2, whose matching takes time linear in the text. Linear can still be long:
 * the size of the pattern, the text it is shown, and the time a key's patterns take are bounded.
 */
import { RE2JS } from 're2js'
import { Failure } from '../../schemas/failures.ts'
import { minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

export type Pattern = { test(text: string): boolean }

export const regexCharsMax = 200
/** Against patterns of few characters that repeat into thousands of steps. */
const stepsMax = 500
/** Against long texts: a code or a link stands near the beginning. */
const textCharsMax = 20_000
/** What the patterns of one key may take in a minute: they run where everybody else's requests do. */
const spentMsMax = 2_000

const keysMax = 10_000

/** Milliseconds that the patterns of a key took in a calendar minute, by both. */
const spentOf = perProcess(({ clock }) => createKept<number>(clock, { max: keysMax, ttlMs: minuteMs }))

/** A pattern of a key, ready to be matched. Fails with `validation_error`; `test` fails with `rate_limited`. */
export function patternOf(ctx: Context, { keyId, regex }: { keyId: string; regex: string }): Pattern {
  const compiled = compile(regex)
  return {
    test(text) {
      const spent = spentOf(ctx)
      const at = ctx.clock.now()
      const { minute, minuteEnd } = periodsOf(at)
      const name = `${keyId} ${minute}`
      const before = spent.get(name) ?? 0
      if (before > spentMsMax)
        throw new Failure('rate_limited', 'The patterns of this key take too much time; use simpler ones.', {
          retryAfter: secondsUntil(at, minuteEnd),
        })
      const startedAt = performance.now()
      const found = compiled.test(text.slice(0, textCharsMax))
      spent.set(name, before + performance.now() - startedAt)
      return found
    },
  }
}

function compile(regex: string): RE2JS {
  const refuse = (text: string) => new Failure('validation_error', text, { param: 'regex' })
  try {
    const compiled = RE2JS.compile(regex)
    if (compiled.programSize() <= stepsMax) return compiled
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
    throw refuse(`"regex" is not a regular expression of RE2: ${why.slice(0, 200)}.`)
  }
  throw refuse(`"regex" repeats into more than ${stepsMax} steps.`)
}
