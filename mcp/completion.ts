/** Completes arguments of prompts and resource templates: existing addresses, folders and labels. */
import type { CompleteRequestParams } from '@modelcontextprotocol/server'
import { listFolders } from '../operations/folders.ts'
import { invoke, type JsonBody } from '../operations/invoke.ts'
import { listLabels } from '../operations/labels.ts'
import { listMailboxes } from '../operations/mailboxes.ts'
import type { Operation } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { mailboxesOffered } from '../schemas/fields.ts'
import type { Scope } from '../schemas/scopes.ts'
import type { Folder, LabelCount } from '../schemas/threads.ts'
import type { KnownCaller } from './caller.ts'
import { mailboxesOf } from './resources.ts'

type Source = {
  /** The operation that lists the values. */
  readonly operation: Operation
  values(caller: KnownCaller, mailbox: string | undefined): Promise<readonly string[]>
}

const addresses: Source = { operation: listMailboxes, values: addressesOf }

/** The sources of values by the name of the argument. */
const sources: Readonly<Record<string, Source>> = {
  address: addresses,
  mailbox: addresses,
  folder: {
    operation: listFolders,
    values: async (caller, mailbox) => (await listIn<Folder>(caller, listFolders, mailbox)).map(({ path }) => path),
  },
  label: {
    operation: listLabels,
    values: async (caller, mailbox) =>
      (await listIn<LabelCount>(caller, listLabels, mailbox)).map(({ label }) => label),
  },
}

const sourceOf = (argument: string): Source | undefined =>
  Object.hasOwn(sources, argument) ? sources[argument] : undefined

/** The scopes needed to complete an argument. */
export function scopesOfArgument(argument: string): readonly Scope[] {
  return sourceOf(argument)?.operation.scopes ?? []
}

/** The values that begin with the text typed so far, ignoring case; none for unknown arguments. */
export async function complete(
  caller: KnownCaller,
  { argument, context }: CompleteRequestParams,
): Promise<readonly string[]> {
  const found = (await sourceOf(argument.name)?.values(caller, context?.arguments?.mailbox)) ?? []
  const wanted = argument.value.toLowerCase()
  return found.filter((value) => value.toLowerCase().startsWith(wanted))
}

/** The addresses of the newest mailboxes, at least `mailboxesOffered` of them if there are as many. */
async function addressesOf(caller: KnownCaller): Promise<readonly string[]> {
  const addresses: string[] = []
  let cursor: string | undefined
  do {
    const { mailboxes, next } = await mailboxesOf(caller, cursor)
    addresses.push(...mailboxes.map(({ address }) => address))
    cursor = next ?? undefined
  } while (cursor !== undefined && addresses.length < mailboxesOffered)
  return addresses
}

/** The list of an operation about a mailbox; empty if the mailbox is not given yet or cannot be reached. */
async function listIn<T>(
  caller: KnownCaller,
  operation: Operation,
  mailbox: string | undefined,
): Promise<readonly T[]> {
  if (mailbox === undefined) return []
  const path = { address: mailbox }
  try {
    const { body } = await invoke(caller.ctx, operation, caller.principal, {
      path,
      peerAddress: caller.peerAddress,
      headers: caller.answerHeaders,
      hungUp: caller.hungUp,
      checkOutput: caller.checkOutput,
      isCounted: false,
      input: () => path,
    })
    const lists = Object.values(body as JsonBody).filter((value) => Array.isArray(value))
    return (lists[0] ?? []) as readonly T[]
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}
