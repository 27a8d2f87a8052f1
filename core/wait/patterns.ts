/**
 * Regular expressions of callers, in the syntax of RE2, whose matching takes time linear in the text. Linear can still
 * be long, so three things are bounded: the size of the pattern, the length of the text, and the time that the patterns
 * of a key take.
 */
import { RE2JS } from 're2js'
import { Failure } from '../../schemas/failures.ts'
import { minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

export type Pattern = { test(text: string): boolean }

export const regexCharsMax = 200
/** Bounds short patterns that repeat into thousands of steps. */
const stepsMax = 500
/** Characters of a text that are matched: a code or a link is near the beginning. */
const textCharsMax = 20_000
/**
 * Milliseconds that the patterns of one key may take in a minute, since they run in the thread that serves all
 * requests.
 */
const spentMsMax = 2_000

const keysMax = 10_000

/** Milliseconds that patterns took, by key and calendar minute. */
const spentMs = perProcess(({ clock }) => createKept<number>(clock, { max: keysMax, ttlMs: minuteMs }))

/** Compiles a pattern of a key. Fails with `validation_error`; its `test` fails with `rate_limited`. */
export function patternOf(ctx: Context, { keyId, regex }: { keyId: string; regex: string }): Pattern {
  const compiled = compile(regex)
  return {
    test(text) {
      const spent = spentMs(ctx)
      const at = ctx.clock.now()
      const { minute, minuteEnd } = periodsOf(at)
      const name = `${keyId} ${minute}`
      const before = spent.get(name) ?? 0
      if (before > spentMsMax)
        throw new Failure('rate_limited', 'The regular expressions of this key took too much time in this minute.', {
          fix: 'Use simpler expressions, or wait for the seconds in Retry-After.',
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
  const refuse = (text: string, fix: string) => new Failure('validation_error', text, { param: 'regex', fix })
  try {
    const compiled = RE2JS.compile(regex)
    if (compiled.programSize() <= stepsMax) return compiled
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
    throw refuse(
      `"regex" is not a valid RE2 regular expression: ${why.slice(0, 200)}.`,
      'Write it in RE2 syntax, which has no look-around and no back-references; escape ( ) [ ] { } . * + ? that are meant as they are.',
    )
  }
  throw refuse(`"regex" compiles to more than ${stepsMax} steps.`, 'Use fewer or smaller repetitions.')
}
