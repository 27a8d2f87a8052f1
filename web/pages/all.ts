/** Every page of the dashboard: URLs, navigation, command palette and window titles are derived from this table. */
import Activity from '@lucide/svelte/icons/activity'
import AtSign from '@lucide/svelte/icons/at-sign'
import Ban from '@lucide/svelte/icons/ban'
import Building2 from '@lucide/svelte/icons/building-2'
import ChartColumn from '@lucide/svelte/icons/chart-column'
import Cpu from '@lucide/svelte/icons/cpu'
import Globe from '@lucide/svelte/icons/globe'
import Inbox from '@lucide/svelte/icons/inbox'
import KeyRound from '@lucide/svelte/icons/key-round'
import Layers from '@lucide/svelte/icons/layers'
import LayoutTemplate from '@lucide/svelte/icons/layout-template'
import LockKeyhole from '@lucide/svelte/icons/lock-keyhole'
import MailCheck from '@lucide/svelte/icons/mail-check'
import Mailbox from '@lucide/svelte/icons/mailbox'
import MessagesSquare from '@lucide/svelte/icons/messages-square'
import Plug from '@lucide/svelte/icons/plug'
import ScanText from '@lucide/svelte/icons/scan-text'
import ScrollText from '@lucide/svelte/icons/scroll-text'
import Send from '@lucide/svelte/icons/send'
import Settings2 from '@lucide/svelte/icons/settings-2'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import Users from '@lucide/svelte/icons/users'
import Webhook from '@lucide/svelte/icons/webhook'
import type { Component } from 'svelte'
import type { Words } from '../app/language.ts'
import type { Role } from '../app/session.svelte.ts'

export type PageEntry = {
  /** The path below /app. A segment `:name` is a parameter, `:name?` an optional one. */
  readonly path: string
  readonly title: (words: Words) => string
  readonly load: () => Promise<{ readonly default: Component }>
  /** Its place in the navigation; a page without one is reached from other pages. */
  readonly navigation?: {
    readonly group: NavigationGroup
    readonly icon: Component
    /** The key that follows `g` in its shortcut. */
    readonly key?: string
    /** Shown below the entry while one of its pages is open, such as folders. */
    readonly more?: () => Promise<{ readonly default: Component }>
  }
  /** The lowest role that may see it (default: reader); or `administrator`, who need not be in an account. */
  readonly role?: Role | 'administrator'
  /** Whether it is about the person, who need not be in an account. */
  readonly isPersonal?: boolean
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
  {
    path: '/aliases',
    title: ({ aliases }) => aliases.title,
    load: () => import('./aliases/Aliases.svelte'),
    navigation: { group: 'mail', icon: AtSign },
  },
  {
    path: '/sends',
    title: ({ sends }) => sends.title,
    load: () => import('./sends/Sends.svelte'),
    navigation: { group: 'sending', icon: MailCheck, key: 's' },
  },
  {
    path: '/sends/:id',
    title: ({ sends }) => sends.title,
    load: () => import('./sends/Send.svelte'),
  },
  {
    path: '/domains',
    title: ({ domains }) => domains.title,
    load: () => import('./domains/Domains.svelte'),
    navigation: { group: 'sending', icon: Globe, key: 'd' },
  },
  {
    path: '/domains/:domain/:part?',
    title: ({ domains }) => domains.title,
    load: () => import('./domains/Domain.svelte'),
  },
  {
    path: '/templates',
    title: ({ templates }) => templates.title,
    load: () => import('./templates/Templates.svelte'),
    navigation: { group: 'sending', icon: LayoutTemplate },
  },
  {
    path: '/templates/:alias',
    title: ({ templates }) => templates.title,
    load: () => import('./templates/Template.svelte'),
  },
  {
    path: '/batches',
    title: ({ batches }) => batches.title,
    load: () => import('./batches/Batches.svelte'),
    navigation: { group: 'sending', icon: Layers },
  },
  {
    path: '/batches/:address/:id',
    title: ({ batches }) => batches.title,
    load: () => import('./batches/Batch.svelte'),
  },
  {
    path: '/suppressions',
    title: ({ suppressions }) => suppressions.title,
    load: () => import('./suppressions/Suppressions.svelte'),
    navigation: { group: 'sending', icon: Ban },
  },
  {
    path: '/keys',
    title: ({ keys }) => keys.title,
    load: () => import('./keys/Keys.svelte'),
    navigation: { group: 'building', icon: KeyRound, key: 'k' },
    role: 'owner',
  },
  {
    path: '/webhooks',
    title: ({ webhooks }) => webhooks.title,
    load: () => import('./webhooks/Webhooks.svelte'),
    navigation: { group: 'building', icon: Webhook, key: 'w' },
  },
  {
    path: '/webhooks/:id/:delivery?',
    title: ({ webhooks }) => webhooks.title,
    load: () => import('./webhooks/Webhook.svelte'),
  },
  {
    path: '/events/:id?',
    title: ({ events }) => events.title,
    load: () => import('./events/Events.svelte'),
    navigation: { group: 'building', icon: Activity, key: 'e' },
  },
  {
    path: '/intake',
    title: ({ intake }) => intake.title,
    load: () => import('./intake/Intakes.svelte'),
    navigation: { group: 'building', icon: ScanText, key: 'l' },
  },
  {
    path: '/intake/:id',
    title: ({ intake }) => intake.title,
    load: () => import('./intake/Record.svelte'),
  },
  {
    path: '/programs',
    title: ({ programs }) => programs.title,
    load: () => import('./programs/Programs.svelte'),
    navigation: { group: 'building', icon: Plug },
  },
  {
    path: '/usage',
    title: ({ usage }) => usage.title,
    load: () => import('./usage/Usage.svelte'),
    navigation: { group: 'account', icon: ChartColumn, key: 'u' },
  },
  {
    path: '/people',
    title: ({ people }) => people.title,
    load: () => import('./people/People.svelte'),
    navigation: { group: 'account', icon: Users, key: 'p' },
    role: 'owner',
  },
  {
    path: '/audit',
    title: ({ audit }) => audit.title,
    load: () => import('./audit/Audit.svelte'),
    navigation: { group: 'account', icon: ScrollText },
  },
  {
    path: '/account',
    title: ({ account }) => account.title,
    load: () => import('./account/Account.svelte'),
    navigation: { group: 'account', icon: Settings2 },
  },
  {
    path: '/security',
    title: ({ security }) => security.title,
    load: () => import('./account/Security.svelte'),
    navigation: { group: 'account', icon: LockKeyhole },
    isPersonal: true,
  },
  {
    path: '/administration/accounts',
    title: ({ administration }) => administration.accounts,
    load: () => import('./administration/Accounts.svelte'),
    navigation: { group: 'administration', icon: Building2 },
    role: 'administrator',
  },
  {
    path: '/administration/accounts/:id',
    title: ({ administration }) => administration.accounts,
    load: () => import('./administration/Account.svelte'),
    role: 'administrator',
  },
  {
    path: '/administration/requests',
    title: ({ administration }) => administration.requests,
    load: () => import('./administration/Requests.svelte'),
    navigation: { group: 'administration', icon: MessagesSquare },
    role: 'administrator',
  },
  {
    path: '/administration/outbox',
    title: ({ administration }) => administration.outbox,
    load: () => import('./administration/Outbox.svelte'),
    navigation: { group: 'administration', icon: Send },
    role: 'administrator',
  },
  {
    path: '/administration/service',
    title: ({ administration }) => administration.service,
    load: () => import('./administration/Service.svelte'),
    navigation: { group: 'administration', icon: Cpu },
    role: 'administrator',
  },
]
