import { Failure } from '../schemas/failures.ts'
import type { AddressesInput } from '../schemas/sending.ts'

/** An address as it was written; whether it is valid is checked when the mail is sent. */
export type Person = { readonly name: string; readonly address: string }

type One = string | { readonly name?: string; readonly address: string }

/** Reads one address or several, each as text or as an object. */
export function peopleOf(input: AddressesInput | undefined): readonly Person[] | undefined {
  return input === undefined ? undefined : listOf(input).map(personOf)
}

/**
 * Runs `act`, which may fail with `validation_error` for an address such as `to[0]`, and corrects `param` to the field that
 * the caller wrote: `to` for a single text, `to[0].address` for an object.
 */
export async function withCorrectedParam<T>(
  fields: { readonly [field: string]: unknown },
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'validation_error' || error.detail.param === undefined)
      throw error
    const param = writtenParam(fields, error.detail.param)
    throw new Failure(error.code, error.message, { ...error.detail, fix: error.fix, param })
  }
}

function writtenParam(fields: { readonly [field: string]: unknown }, param: string): string {
  const [, field = '', index = '0'] = /^(to|cc|bcc|replyTo)\[(\d+)\]$/.exec(param) ?? []
  const written = fields[field]
  if (written === undefined) return param
  const entry: unknown = Array.isArray(written) ? written[Number(index)] : written
  return `${Array.isArray(written) ? param : field}${typeof entry === 'object' ? '.address' : ''}`
}

function listOf(input: AddressesInput): readonly One[] {
  return isList(input) ? input : [input]
}

function isList(input: AddressesInput): input is readonly One[] {
  return Array.isArray(input)
}

/** `user@domain` or `Name <user@domain>`, the name with or without quotes. */
function personOf(one: One): Person {
  if (typeof one !== 'string') return { name: one.name ?? '', address: one.address }
  const match = /^\s*(.*?)\s*<([^<>]*)>\s*$/.exec(one)
  if (match === null) return { name: '', address: one.trim() }
  const [, phrase = '', address = ''] = match
  const quoted = /^"(.*)"$/.exec(phrase)
  return { name: quoted === null ? phrase : (quoted[1] ?? '').replace(/\\(.)/g, '$1'), address: address.trim() }
}
