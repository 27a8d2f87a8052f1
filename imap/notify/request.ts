/** What a session asks NOTIFY for (RFC 5465): which events of which folders. */
import type { Item } from '../fetch/items.ts'

const messageEvents = ['MessageNew', 'MessageExpunge', 'FlagChange'] as const
const folderEvents = ['MailboxName', 'SubscriptionChange', 'MailboxMetadataChange', 'ServerMetadataChange'] as const

/** The supported events. AnnotationChange is missing because annotations are not supported. */
export const notifyEvents = [...messageEvents, ...folderEvents] as const
export type NotifyEvent = (typeof notifyEvents)[number]

/** Whether an event can be asked of the selected folder. */
export const isMessageEvent = (event: NotifyEvent): boolean => messageEvents.some((each) => each === event)

/** The folders of a group (RFC 5465 6), other than the selected one. */
export type FolderFilter =
  | { readonly kind: 'INBOXES' | 'PERSONAL' | 'SUBSCRIBED' }
  | { readonly kind: 'MAILBOXES' | 'SUBTREE'; readonly paths: readonly string[] }

/** A group of folders and their events. Without events, the folders are excluded from the groups that follow. */
export type EventGroup = { readonly filter: FolderFilter; readonly events: ReadonlySet<NotifyEvent> }

/** The events of the selected folder. With `isDelayed`, EXPUNGE waits for the next command that allows it. */
export type SelectedGroup = {
  readonly isDelayed: boolean
  readonly events: ReadonlySet<NotifyEvent>
  /** The FETCH items sent for each new message. */
  readonly items: readonly Item[]
}

export type NotifyRequest = { readonly selected: SelectedGroup | null; readonly groups: readonly EventGroup[] }

type FolderFacts = { readonly path: string; readonly isInbox: boolean; readonly isSubscribed: boolean }

/** Returns the events of a folder: those of all groups that contain it, up to the first group without events. */
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
