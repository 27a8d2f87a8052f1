/** Every operation, in the order of the reference. A new one is listed here. */
import { claimAccount, getAccount, getUsage } from './account.ts'
import { listEvents } from './events.ts'
import { createMailbox, deleteMailbox, getMailbox, listMailboxes, updateMailbox } from './mailboxes.ts'
import { deleteMessage, getAttachment, getMessage, getRawMessage, listMessages, updateMessage } from './messages.ts'
import type { Operation } from './registry.ts'
import { replyMessage, sendMessage } from './sending.ts'
import { createSignup } from './signup.ts'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, updateWebhook } from './webhooks.ts'

export const operations: readonly Operation[] = [
  createSignup,
  claimAccount,
  getAccount,
  getUsage,
  listMailboxes,
  createMailbox,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  listMessages,
  getMessage,
  getRawMessage,
  getAttachment,
  updateMessage,
  deleteMessage,
  sendMessage,
  replyMessage,
  listEvents,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
]
