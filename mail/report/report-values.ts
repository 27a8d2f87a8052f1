/** Normalises values in the reports of strangers. */
import ipaddr from 'ipaddr.js'
import { normaliseDomain } from '../domain.ts'

/** Names of organisations and ids of reports: longer ones are cut. */
const nameCharsMax = 200
const countMax = 1e12

/** The period that a report covers. */
export type ReportedTime = { readonly from: Date; readonly until: Date }

/** One line of text without control characters; null when nothing is left. */
export function lineOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const line = value.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return line.slice(0, nameCharsMax) || null
}

/** An IP address in its shortest form, an IPv4 address within IPv6 as IPv4; null when it is not one. */
export function addressOf(value: unknown): string | null {
  return typeof value === 'string' && ipaddr.isValid(value.trim()) ? ipaddr.process(value.trim()).toString() : null
}

/** A domain as lower-case A-labels; null when it is not one. */
export function domainOf(value: unknown): string | null {
  return typeof value === 'string' && value.length < 1_000 ? normaliseDomain(value) : null
}

/** A non-negative whole number, also given as text; null when it is not one or is too large. */
export function countOf(value: unknown): number | null {
  const count = typeof value === 'string' && /^\s*\d{1,13}\s*$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= countMax ? count : null
}

/** One of the known words, whatever its case; null for all others. */
export function wordOf<W extends string>(value: unknown, known: readonly W[]): W | null {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return known.find((each) => each === word) ?? null
}
