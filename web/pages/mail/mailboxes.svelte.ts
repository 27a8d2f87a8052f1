/** The mailboxes of the account and the folders of those opened, shared by the navigation, the list and the forms. */
import { untrack } from 'svelte'
import type { FoldersListResult, LabelsListResult, Mailbox } from '../../../sdk/generated/types.ts'
import { mailroom } from '../../app/client.ts'

export type Folder = FoldersListResult['folders'][number]
export type Label = LabelsListResult['labels'][number]
type Inside = { readonly folders: readonly Folder[]; readonly labels: readonly Label[] }

/** Changes within this time cause one reload. */
const changesMs = 400

let mailboxes = $state.raw<readonly Mailbox[] | null>(null)
let loading: Promise<readonly Mailbox[]> | null = null
const kinds = new Map<string, Promise<Mailbox['kind']>>()
let inside = $state.raw<Readonly<Record<string, Inside>>>({})
const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Null until they are loaded. */
export const knownMailboxes = (): readonly Mailbox[] | null => mailboxes

/** Loads all mailboxes, unless they are loaded already; with `again` in any case. A load that failed is tried again. */
export function loadMailboxes({ again = false }: { again?: boolean } = {}): Promise<readonly Mailbox[]> {
  if (!again && loading !== null) return loading
  const begun = load()
  loading = begun
  begun.then(
    (found) => {
      if (loading === begun) mailboxes = found
    },
    () => {
      if (loading === begun) loading = null
    },
  )
  return begun
}

async function load(): Promise<readonly Mailbox[]> {
  const found: Mailbox[] = []
  for await (const mailbox of mailroom.mailboxes.list({ limit: 200 })) found.push(mailbox)
  return found
}

export const mailboxOf = (address: string): Mailbox | null =>
  mailboxes?.find((mailbox) => mailbox.address === address) ?? null

/** Returns who works with a mailbox, which never changes, without waiting for the list of all mailboxes. */
export function kindOf(address: string): Promise<Mailbox['kind']> {
  const known = untrack(() => mailboxOf(address))?.kind ?? kinds.get(address)
  if (known !== undefined) return Promise.resolve(known)
  const asked = mailroom.mailboxes.get(address).then(({ kind }) => kind)
  kinds.set(address, asked)
  asked.catch(() => kinds.delete(address))
  return asked
}

export const foldersOf = (address: string): readonly Folder[] => inside[address]?.folders ?? []
export const labelsOf = (address: string): readonly Label[] => inside[address]?.labels ?? []

/** Reloads the folders, counts and labels of a mailbox. */
export async function loadFolders(address: string): Promise<void> {
  const kind = await kindOf(address)
  const [{ folders }, labels] = await Promise.all([
    mailroom.mailboxes.folders.list(address),
    // Only mailboxes of agents have labels.
    kind === 'agent' ? mailroom.mailboxes.labels.list(address).then((found) => found.labels) : [],
  ])
  inside = { ...inside, [address]: { folders, labels } }
}

/** Call when mail arrived, left or was read: the counts in the navigation are reloaded soon after. */
export function mailChanged(address: string): void {
  clearTimeout(timers.get(address))
  const read = () => {
    timers.delete(address)
    void loadFolders(address).catch(() => undefined)
  }
  timers.set(address, setTimeout(read, changesMs))
}

type Change = {
  readonly address: string
  /** Messages that were moved to another folder. */
  readonly moved: readonly string[]
}
const listeners = new Set<(change: Change) => void>()
const windows = new BroadcastChannel('mailroom.mail')
windows.onmessage = ({ data }) => {
  const change = data as Change
  mailChanged(change.address)
  for (const hear of listeners) hear(change)
}

/** Call when this window changed mail: tells the other windows of the browser. */
export function mailChangedHere(address: string, moved: readonly string[] = []): void {
  mailChanged(address)
  windows.postMessage({ address, moved: [...moved] } satisfies Change)
}

/** Receives the changes of other windows while a component is shown. Call it during the component's initialisation. */
export function onChangedElsewhere(hear: (change: Change) => void): void {
  $effect(() => {
    listeners.add(hear)
    return () => void listeners.delete(hear)
  })
}

/** Returns the name of a folder in URLs of the dashboard: its role, or its path if it has none. */
export const folderKey = ({ role, path }: Pick<Folder, 'role' | 'path'>): string => role ?? path
