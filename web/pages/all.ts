/** Every page of the dashboard, once: addresses, navigation, command palette and the title of the window follow from this table. */
import Inbox from '@lucide/svelte/icons/inbox'
import Mailbox from '@lucide/svelte/icons/mailbox'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import type { Component } from 'svelte'
import type { Words } from '../app/language.ts'
import type { Role } from '../app/session.svelte.ts'

export type PageEntry = {
  /** Below /app; a segment `:name` is a parameter, `:name?` one that may be missing. */
  readonly path: string
  readonly title: (words: Words) => string
  readonly load: () => Promise<{ readonly default: Component }>
  /** Where it stands in the navigation; without it the page is reached from others. */
  readonly navigation?: {
    readonly group: NavigationGroup
    readonly icon: Component
    /** What follows `g` in the shortcut that leads there. */
    readonly key?: string
    /** Shown below the entry while one of its pages is open, such as folders. */
    readonly more?: () => Promise<{ readonly default: Component }>
  }
  /** The least role that sees it (default: everybody who may read). */
  readonly role?: Role
  /** Whether it takes the whole height and scrolls by itself. */
  readonly isFull?: boolean
}

export type NavigationGroup = 'mail' | 'sending' | 'building' | 'account' | 'administration'

/** In the order of the navigation. */
export const pages: readonly PageEntry[] = [
  {
    path: '/mail/:address?/:folder?/:message?',
    title: ({ mail }) => mail.title,
    load: () => import('./mail/Mail.svelte'),
    navigation: { group: 'mail', icon: Inbox, key: 'i', more: () => import('./mail/Folders.svelte') },
    isFull: true,
  },
  {
    path: '/approvals/:id?',
    title: ({ approvals }) => approvals.title,
    load: () => import('./approvals/Approvals.svelte'),
    navigation: { group: 'mail', icon: ShieldCheck, key: 'a' },
  },
  {
    path: '/mailboxes',
    title: ({ mailboxes }) => mailboxes.title,
    load: () => import('./mailboxes/Mailboxes.svelte'),
    navigation: { group: 'mail', icon: Mailbox, key: 'm' },
  },
  {
    path: '/mailboxes/:address/:part?',
    title: ({ mailboxes }) => mailboxes.title,
    load: () => import('./mailboxes/Mailbox.svelte'),
  },
]
