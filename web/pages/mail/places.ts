/** URLs of the mail pages: the mailbox, the folder, the message, the search, and what is being written. */
import { linkTo, match, place, segment } from '../../app/router.svelte.ts'

/** Stands for the inboxes of all mailboxes in place of an address. */
export const everywhere = 'all'

export type MailPlace = {
  readonly address: string
  readonly folder: string
  readonly message: string | null
  readonly q: string
  readonly label: string
  /** What is being written: `new`, `reply`, `reply-all`, `forward`, or the id of a draft. */
  readonly write: string | null
  /** The mailbox of the open message if the list is of all mailboxes. */
  readonly of: string | null
}

export function mailPlace(): MailPlace {
  const { path, query } = place()
  const {
    address = everywhere,
    folder = 'inbox',
    message = null,
  } = match('/mail/:address?/:folder?/:message?', path) ?? {}
  return {
    address,
    folder,
    message,
    q: query.get('q') ?? '',
    label: query.get('label') ?? '',
    write: query.get('write'),
    of: query.get('of'),
  }
}

/** Returns the URL of a place. Parts that are not given are left out or get their default. */
export function mailLink({ address, folder, message, q, label, write, of }: Partial<MailPlace>): string {
  const parts = ['/mail', segment(address ?? everywhere), segment(folder ?? 'inbox')]
  if (message != null) parts.push(segment(message))
  return linkTo(parts.join('/'), { q, label, write, of })
}
