/** Reads the arguments of commands. Each function fails with `validation_error` and says which argument is wrong. */
import { normaliseAddress } from '../mail/message/address.ts'
import { HoldReason } from '../schemas/administration.ts'
import { Failure } from '../schemas/failures.ts'
import { nameLine } from '../schemas/fields.ts'
import { notAnAddress } from '../schemas/refusals.ts'
import { validate } from '../schemas/validate.ts'
import { nearest, unknownName } from '../schemas/words.ts'

const AccountName = nameLine(200, 'Ann Smith')
const keyDaysMax = 36_500

/** The items of a comma-separated list, without spaces around them and without empty ones. */
export function itemsOf(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** The name of an account or a partner. */
export const nameOf = (text: string): string => validate(AccountName, text.trim(), 'name')

/** The reason for which an account is suspended or paused. */
export const reasonOf = (text: string): string => validate(HoldReason, text.trim(), 'reason')

/** The mail address of a person. */
export function personOf(text: string): string {
  const address = normaliseAddress(text)
  if (address === null) throw notAnAddress(text, 'owner')
  return address
}

/** The number of days until a key expires; a fraction is allowed. */
export function daysOf(text: string): number {
  const days = Number(text)
  if (!(days > 0 && days <= keyDaysMax))
    throw new Failure('validation_error', `--days "${text}" is not a number of days.`, {
      fix: `Give a number above 0, at most ${keyDaysMax}, such as --days 90.`,
    })
  return days
}

/** The number that a figure is raised to; null for the word `plan`, which means the plan's own. */
export function figureOf(text: string): number | null {
  if (text === 'plan') return null
  const figure = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(figure))
    throw new Failure('validation_error', `"${text}" is not a figure.`, {
      fix: 'Give a whole number, such as 500, or "plan" for the figure of the plan.',
    })
  return figure
}

/** `domain_not_found` for a domain that belongs to no account. */
export function noDomain(name: string): Failure {
  return new Failure('domain_not_found', `There is no domain ${name} here.`, {
    fix: 'Give a domain of an account; "mailroom domain list <account>" lists them.',
  })
}

/** The one of `known` that the text names; `option` names the option in the failure. */
export function oneOf<T extends string>(text: string, known: readonly T[], option: string): T {
  const found = known.find((name) => name === text)
  if (found !== undefined) return found
  const { message, fix } = unknownName(`value of ${option}`, text, known)
  throw new Failure('validation_error', message, {
    fix: nearest(text, known) === undefined ? 'Give one of these.' : fix,
  })
}

/** The same, with the word `none` for null. */
export function oneOfOrNone<T extends string>(text: string, known: readonly T[], option: string): T | null {
  const found = oneOf<T | 'none'>(text, [...known, 'none'], option)
  return found === 'none' ? null : found
}
