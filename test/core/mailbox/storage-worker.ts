/**
 * Uses mailboxes at random until it is killed: mail arrives and is announced, messages are moved, flagged, deleted and
 * sent. Started by storage-limit.test.ts as `node storage-worker.ts DATA URL KEY SEED`.
 */

import { authenticate } from '../../../core/access/principal.ts'
import { listMailboxes } from '../../../core/mailbox/mailboxes.ts'
import { changeMessage, deleteMessage } from '../../../core/mailbox/message-changes.ts'
import { listMessages } from '../../../core/read/list.ts'
import { announceArrivals } from '../../../core/receive/announce.ts'
import { sendMessage } from '../../../core/send/send.ts'
import { createRandom } from '../../crash/random.ts'
import { toldOf } from '../../documents.ts'
import { deliver } from '../../start/door.ts'
import { contextOf } from '../../start/service.ts'

const workers = 6
const folders = ['INBOX', 'Archive', 'Trash', 'Spam'] as const

const [data = '', url = '', key = '', seed = '0'] = process.argv.slice(2)
const random = createRandom(Number(seed))
const ctx = await contextOf({ data, url })
const principal = await authenticate(ctx, key)
const { items } = await listMailboxes(ctx, principal, { limit: 10 })
const addresses = items.map(({ address }) => address)

const pick = <T>(from: readonly T[]): T => from[random.below(from.length)]!

async function anyMessage(): Promise<{ address: string; messageId: string } | null> {
  const address = pick(addresses)
  const page = await listMessages(ctx, principal, { address, folder: pick(folders), limit: 20 })
  return page.items.length === 0 ? null : { address, messageId: pick(page.items).id }
}

async function arrive(): Promise<void> {
  const body = 'x'.repeat(random.below(5_000))
  const raw = `From: s${random.below(5)}@remote.example\nSubject: ${random.below(1_000_000)}\n\n${body}\n`
  const id = await deliver(ctx, { to: pick(addresses), raw })
  if (random.below(3) > 0) await announceArrivals(ctx, await toldOf(ctx, [id]))
}

async function change(): Promise<void> {
  const message = await anyMessage()
  if (message === null) return
  const seen = random.below(2) === 0
  await changeMessage(ctx, principal, { ...message, ...(random.below(2) === 0 ? { seen } : { folder: pick(folders) }) })
}

async function remove(): Promise<void> {
  const message = await anyMessage()
  if (message !== null) await deleteMessage(ctx, principal, { ...message, permanent: random.below(2) === 0 })
}

async function send(): Promise<void> {
  const to = [{ name: '', address: `r${random.below(3)}@remote.example` }]
  await sendMessage(ctx, principal, {
    address: pick(addresses),
    to,
    subject: 'x',
    text: 'x'.repeat(random.below(3_000)),
  })
}

async function work(): Promise<never> {
  for (;;) {
    // Acts on messages moved or deleted meanwhile are refused, and so are sends beyond the recipients per minute.
    await pick([arrive, arrive, arrive, change, change, remove, send])().catch(() => undefined)
    process.stdout.write('.')
  }
}

await Promise.all(Array.from({ length: workers }, work))
