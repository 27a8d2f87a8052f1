/** What a session wants to be told without asking (RFC 5465): of which folders which events. */
import type { Item } from '../fetch/items.ts'

const messageEvents = ['MessageNew', 'MessageExpunge', 'FlagChange'] as const
const folderEvents = ['MailboxName', 'SubscriptionChange', 'MailboxMetadataChange', 'ServerMetadataChange'] as const

/** The events that can be asked for. Annotations, of which AnnotationChange would tell, are not kept. */
export const notifyEvents = [...messageEvents, ...folderEvents] as const
export type NotifyEvent = (typeof notifyEvents)[number]

/** Events of which the selected folder can tell. */
export const isMessageEvent = (event: NotifyEvent): boolean => messageEvents.some((each) => each === event)

/** The folders of a group (RFC 5465 6), apart from the one that is selected. */
export type FolderFilter =
  | { readonly kind: 'INBOXES' | 'PERSONAL' | 'SUBSCRIBED' }
  | { readonly kind: 'MAILBOXES' | 'SUBTREE'; readonly paths: readonly string[] }

/** No events: the folders are left out of the groups that follow. */
export type EventGroup = { readonly filter: FolderFilter; readonly events: ReadonlySet<NotifyEvent> }

/** What is told of the selected folder: what left at once, or with the next command that allows it. */
export type SelectedGroup = {
  readonly isDelayed: boolean
  readonly events: ReadonlySet<NotifyEvent>
  /** What is told of each new message. */
  readonly items: readonly Item[]
}

export type NotifyRequest = { readonly selected: SelectedGroup | null; readonly groups: readonly EventGroup[] }

type FolderFacts = { readonly path: string; readonly isInbox: boolean; readonly isSubscribed: boolean }

/** The events that are told of a folder: those of all groups that it is in, up to one without events. */
export function eventsOf(groups: readonly EventGroup[], folder: FolderFacts): ReadonlySet<NotifyEvent> {
  const events = new Set<NotifyEvent>()
  for (const group of groups) {
    if (!isIn(group.filter, folder)) continue
    if (group.events.size === 0) break
    for (const event of group.events) events.add(event)
  }
  return events
}

function isIn(filter: FolderFilter, { path, isInbox, isSubscribed }: FolderFacts): boolean {
  switch (filter.kind) {
    case 'PERSONAL':
      return true
    case 'INBOXES':
      return isInbox
    case 'SUBSCRIBED':
      return isSubscribed
    case 'MAILBOXES':
      return filter.paths.includes(path)
    case 'SUBTREE':
      return filter.paths.some((root) => root === '' || path === root || path.startsWith(`${root}/`))
  }
}
