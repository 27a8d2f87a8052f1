/** The mailboxes of the account and the folders of the one that is open, for the navigation, the list and writing. */
import type { FoldersListResult, LabelsListResult, Mailbox } from '../../../sdk/generated/types.ts'
import { mailroom } from '../../app/client.ts'

export type Folder = FoldersListResult['folders'][number]
export type Label = LabelsListResult['labels'][number]
type Inside = { readonly folders: readonly Folder[]; readonly labels: readonly Label[] }

/** More are not listed in a menu; they are found by search. */
const mailboxesMax = 500
/** What happens within this time is one change. */
const changesMs = 400

let mailboxes = $state.raw<readonly Mailbox[] | null>(null)
let loading: Promise<readonly Mailbox[]> | null = null
let inside = $state.raw<Readonly<Record<string, Inside>>>({})
const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Null until they are loaded. */
export const knownMailboxes = (): readonly Mailbox[] | null => mailboxes

export function loadMailboxes({ again = false }: { again?: boolean } = {}): Promise<readonly Mailbox[]> {
  if (again || loading === null) loading = load()
  return loading
}

async function load(): Promise<readonly Mailbox[]> {
  const found: Mailbox[] = []
  for await (const mailbox of mailroom.mailboxes.list({ limit: 200 })) {
    found.push(mailbox)
    if (found.length >= mailboxesMax) break
  }
  mailboxes = found
  return found
}

export const mailboxOf = (address: string): Mailbox | null =>
  mailboxes?.find((mailbox) => mailbox.address === address) ?? null

export const foldersOf = (address: string): readonly Folder[] => inside[address]?.folders ?? []
export const labelsOf = (address: string): readonly Label[] => inside[address]?.labels ?? []

/** Reads folders, counts and labels of a mailbox anew. */
export async function loadFolders(address: string): Promise<void> {
  const mailbox = (await loadMailboxes()).find((each) => each.address === address)
  const [{ folders }, labels] = await Promise.all([
    mailroom.mailboxes.folders.list(address),
    // Labels are for the mailboxes of agents.
    mailbox?.kind === 'agent' ? mailroom.mailboxes.labels.list(address).then((found) => found.labels) : [],
  ])
  inside = { ...inside, [address]: { folders, labels } }
}

/** Mail came, went or was read: what the navigation counts is read again in a moment. */
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
  /** Messages that lie in another folder now. */
  readonly moved: readonly string[]
}
const listeners = new Set<(change: Change) => void>()
const windows = new BroadcastChannel('mailroom.mail')
windows.onmessage = ({ data }) => {
  const change = data as Change
  mailChanged(change.address)
  for (const hear of listeners) hear(change)
}

/** Mail was changed by this window: the others of the browser are told. */
export function mailChangedHere(address: string, moved: readonly string[] = []): void {
  mailChanged(address)
  windows.postMessage({ address, moved: [...moved] } satisfies Change)
}

/** Hears of what another window changes while a component is shown: call it where the component begins. */
export function onChangedElsewhere(hear: (change: Change) => void): void {
  $effect(() => {
    listeners.add(hear)
    return () => void listeners.delete(hear)
  })
}

/** How a folder is named in addresses of the dashboard: its role, else its path. */
export const folderKey = ({ role, path }: Pick<Folder, 'role' | 'path'>): string => role ?? path
