/** What must be true of the account of a round when no work is left. Each check returns the violations it found. */
import { shownToPartner } from '../../core/notify/partner-events.ts'
import type { Context } from '../../core/process/context.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { deriveId } from '../../schemas/ids.ts'
import { readBlob } from '../../store/blobs.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import type { Received } from '../peers/receivers.ts'
import { client } from '../peers/rest.ts'
import type { Kill } from './crash.ts'
import type { Send, Sent } from './load.ts'
import { heard, type Owner } from './owner.ts'
import type { Receipt } from './remote.ts'

export type Counts = {
  /** Messages and sends that were acknowledged and are missing, or are stored more than once. */
  readonly lost: number
  readonly duplicates: number
  /** Mail that was delivered more than once because a kill cut off the answer to it. */
  readonly ambiguous: number
}
export type Finding = Counts & { readonly violations: readonly string[] }

/** The documents that a round left, read once for all checks. */
export type Remains = {
  readonly owner: Owner
  readonly sent: Sent
  readonly kills: readonly Kill[]
  readonly receipts: readonly Receipt[]
  readonly messages: readonly MessageDoc[]
  readonly emails: readonly EmailDoc[]
  readonly events: readonly EventDoc[]
  /** What its partner was told. */
  readonly told: readonly EventDoc[]
  /** The ids of events for which an endpoint of the owner or of its partner has a delivery. */
  readonly planned: ReadonlySet<string>
}

/** The kills after which the answer to a delivery attempt may be unknown. */
const cutsAnswers = new Set(['engine', 'smtp', 'supervisor'])
/**
 * An answer that came this long before a kill is on disk; this long after a kill, attempts that were in flight have ended.
 */
const cutMs = { before: 1_500, after: 3_000 } as const
const sampleMax = 8
const readersMax = 8
const pageSize = 100

export async function readRemains(
  ctx: Context,
  { owner, sent, kills, receipts }: Pick<Remains, 'owner' | 'sent' | 'kills' | 'receipts'>,
): Promise<Remains> {
  const { accountId, partnerId, mailboxes } = owner
  const { store } = ctx
  const [messages, emails, events, told, deliveries] = await Promise.all([
    store.messages.find({ mailboxId: { $in: mailboxes.map(({ id }) => id) } }).toArray(),
    store.emails.find({ accountId }).toArray(),
    store.events.find({ accountId }).sort({ accountId: 1, seq: 1 }).toArray(),
    store.events.find({ accountId: partnerId }).sort({ accountId: 1, seq: 1 }).toArray(),
    store.deliveries.find({ accountId: { $in: [accountId, partnerId] } }, { projection: { eventId: 1 } }).toArray(),
  ])
  const planned = new Set(deliveries.map(({ eventId }) => eventId))
  return { owner, sent, kills, receipts, messages, emails, events, told, planned }
}

export function checkRemains(remains: Remains): Finding {
  const findings = [checkArrivals(remains), checkSends(remains), checkSink(remains), checkEvents(remains)]
  const sum = (count: keyof Counts) => findings.reduce((total, finding) => total + finding[count], 0)
  return {
    lost: sum('lost'),
    duplicates: sum('duplicates'),
    ambiguous: sum('ambiguous'),
    violations: findings.flatMap(({ violations }) => violations),
  }
}

/** Each acknowledged message is in each of its inboxes exactly once, and no other message is there. */
function checkArrivals({ owner, sent, messages }: Remains): Finding {
  const expected = [
    ...sent.letters.flatMap(({ messageId, to }) => to.map((address) => `${messageId} in ${address}`)),
    ...sent.sends.flatMap((send) =>
      own(owner, send.recipients).map((address) => `${headerOf(owner, send)} in ${address}`),
    ),
  ]
  const there = messages
    .filter(({ fingerprint }) => fingerprint !== undefined)
    .map(({ messageIdHeader, mailbox }) => `${messageIdHeader} in ${mailbox}`)
  return compare('message', expected, there)
}

/** Each Idempotency-Key has one `emails` document, which is delivered to all its recipients and has one copy in Sent. */
function checkSends({ sent, emails, messages }: Remains): Finding {
  const accepted = compare(
    'accepted send',
    sent.sends.map(({ subject }) => subject),
    emails.map(({ subject }) => subject ?? ''),
  )
  const copies = compare(
    'Sent copy',
    emails.map(({ messageId }) => messageId ?? ''),
    messages.filter(({ emailId }) => emailId !== undefined).map(({ _id }) => _id),
  )
  const unfinished = emails.flatMap(({ subject, recipients, todoAt }) => [
    ...recipients
      .filter(({ status }) => status !== 'delivered')
      .map(({ email, status }) => `${subject} to ${email} ended as ${status}`),
    ...(todoAt === undefined ? [] : [`${subject} was never settled`]),
  ])
  return merge(accepted, copies, violationsOnly(unfinished))
}

/** Every accepted send reached each remote recipient; more than once only if a kill may have cut off the answer. */
function checkSink({ owner, sent, kills, receipts }: Remains): Finding {
  const byMail = Map.groupBy(receipts, ({ messageId, recipient }) => `${messageId} to ${recipient}`)
  const violations: string[] = []
  let lost = 0
  let duplicates = 0
  let ambiguous = 0
  const isCut = ({ at }: Receipt) =>
    kills.some((kill) => cutsAnswers.has(kill.victim) && at > kill.at - cutMs.before && at < kill.at + cutMs.after)
  for (const send of sent.sends) {
    const ours = new Set(own(owner, send.recipients))
    for (const recipient of send.recipients.filter((address) => !ours.has(address))) {
      const taken = byMail.get(`${headerOf(owner, send)} to ${recipient}`) ?? []
      const earlier = taken.toSorted((a, b) => a.at - b.at).slice(0, -1)
      if (taken.length === 0) {
        lost += 1
        violations.push(`${send.subject} never reached ${recipient}`)
      } else if (earlier.every(isCut)) ambiguous += earlier.length
      else {
        duplicates += earlier.length
        violations.push(`${send.subject} reached ${recipient} ${taken.length} times: ${timesOf(taken, kills)}`)
      }
    }
  }
  return { lost, duplicates, ambiguous, violations }
}

function timesOf(receipts: readonly Receipt[], kills: readonly Kill[]): string {
  const moments = [
    ...receipts.map(({ at }) => ({ at, what: 'taken' })),
    ...kills.map(({ at, victim }) => ({ at, what: `${victim} killed` })),
  ].sort((a, b) => a.at - b.at)
  return moments.map(({ at, what }) => `${what} at ${at - moments[0]!.at} ms`).join(', ')
}

/**
 * Everything that happened has one event, which was delivered to the endpoint, and one copy for the partner, which was delivered to
 * its endpoint; the numbers of each have no gap and no repeat.
 */
function checkEvents({ messages, emails, events, told, planned, sent }: Remains): Finding {
  const of = (type: string) => events.filter((event) => event.type === type)
  const received = compare(
    'message.received',
    messages.filter(({ fingerprint }) => fingerprint !== undefined).map(({ _id }) => _id),
    of('message.received').map(({ data }) => String(data.message_id)),
  )
  const delivered = compare(
    'email.delivered',
    sent.sends.flatMap(({ emailId, recipients }) => recipients.map((address) => `${emailId} to ${address}`)),
    of('email.delivered').map(({ data }) => `${data.email_id} to ${(data.to as string[])[0]}`),
  )
  const left = compare(
    'message.sent',
    emails.map(({ messageId }) => messageId ?? ''),
    of('message.sent').map(({ data }) => String(data.message_id)),
  )
  const copied = compare(
    'event of the partner',
    events.filter(({ type }) => shownToPartner(type, {}) !== null).map(({ _id }) => deriveId('evt', _id, 'partner')),
    told.filter(({ mailboxId }) => mailboxId !== null).map(({ _id }) => _id),
  )
  const misnumbered = [events, told].flatMap((all) =>
    all.filter(({ seq }, n) => seq !== n + 1).map(({ _id, seq }) => `${_id} has the number ${seq}`),
  )
  const untold = [...events, ...told]
    .filter(({ _id, type }) => heard.some((name) => name === type) && !planned.has(_id))
    .map(({ _id, type }) => `${type} ${_id} was never planned for the endpoint`)
  // The event of a message that is already counted as lost or double is not counted as another violation.
  return violationsOnly([
    ...received.violations,
    ...delivered.violations,
    ...left.violations,
    ...copied.violations,
    ...misnumbered,
    ...untold,
  ])
}

/** Every event that was to be delivered was posted, always with the same id and body, and nothing else was. */
export async function checkHooks(ctx: Context, requests: readonly Received[]): Promise<string[]> {
  const bodies = new Map<string, string>()
  const violations: string[] = []
  for await (const { eventId, body } of ctx.store.deliveries.find({})) bodies.set(eventId, body)
  const posted = new Set<string>()
  for (const { headers, body } of requests) {
    const id = String(headers['webhook-id'])
    posted.add(id)
    if (bodies.get(id) !== body) violations.push(`the event ${id} was posted with another body than is recorded`)
  }
  for (const id of bodies.keys()) if (!posted.has(id)) violations.push(`the event ${id} was never posted`)
  return violations
}

/** The counters of each folder match its messages, and no reservation is open. */
export async function checkFolders(
  ctx: Context,
  { mailboxes }: Owner,
  messages: readonly MessageDoc[],
): Promise<string[]> {
  const folders = await ctx.store.folders.find({ mailboxId: { $in: mailboxes.map(({ id }) => id) } }).toArray()
  return folders.flatMap(({ _id, path, total, unread, bytes, open, mailboxId }) => {
    const inside = messages.filter(({ folderId }) => folderId === _id)
    const real = {
      total: inside.length,
      unread: inside.filter(({ seen }) => !seen).length,
      bytes: inside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      open: 0,
    }
    const said = { total, unread, bytes, open: open.length }
    const same = JSON.stringify(real) === JSON.stringify(said)
    return same ? [] : [`${path} of ${mailboxId} says ${JSON.stringify(said)} and has ${JSON.stringify(real)}`]
  })
}

/**
 * The API lists what the store has, and the bytes are those that were sent: compared in all blobs, and in a sample over
 * REST.
 */
export async function checkReading(
  ctx: Context,
  http: string,
  { owner, sent, messages }: Pick<Remains, 'owner' | 'sent' | 'messages'>,
): Promise<string[]> {
  const letters = new Map(sent.letters.map((letter) => [letter.messageId, letter]))
  const arrived = messages.filter(({ messageIdHeader = '' }) => letters.has(messageIdHeader))
  const violations: string[] = []
  // One mail in two mailboxes has one blob.
  const unread = [...new Map(arrived.map((message) => [message.blob.id, message])).values()]
  await Promise.all(
    Array.from({ length: readersMax }, async () => {
      for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
        const { blob, messageIdHeader = '' } = next
        const bytes = await readBlob(ctx.store, blob)
        if (bytes === null || !bytes.equals(letters.get(messageIdHeader)!.raw))
          violations.push(`the bytes of ${messageIdHeader} are ${bytes === null ? 'gone' : 'others'}`)
      }
    }),
  )
  const large = arrived.toSorted((a, b) => b.sizeBytes - a.sizeBytes).slice(0, sampleMax / 2)
  for (const { _id, mailbox, messageIdHeader = '' } of [...large, ...arrived.slice(-sampleMax / 2)]) {
    const answer = await fetch(`${http}/api/v1/mailboxes/${mailbox}/messages/${_id}/raw`, {
      headers: { 'x-api-key': owner.apiKey },
    })
    if (!Buffer.from(await answer.arrayBuffer()).equals(letters.get(messageIdHeader)!.raw))
      violations.push(`REST gives other bytes of ${messageIdHeader} (${answer.status})`)
  }
  for (const { id, address } of owner.mailboxes) {
    const here = messages.filter(({ mailboxId, fingerprint }) => mailboxId === id && fingerprint !== undefined)
    const listed = await listAll(http, owner, address)
    violations.push(
      ...compare(
        'listed message',
        here.map(({ _id }) => _id),
        listed,
      ).violations,
    )
  }
  return violations
}

type Listing = { readonly messages: readonly { readonly message_id: string }[]; readonly next: string | null }

async function listAll(http: string, { apiKey }: Owner, address: string): Promise<string[]> {
  const ids: string[] = []
  let before = ''
  do {
    const page = `folder=inbox&limit=${pageSize}${before === '' ? '' : `&before=${before}`}`
    const { status, body } = await client(http, apiKey)<Listing>('GET', `/api/v1/mailboxes/${address}/messages?${page}`)
    if (status !== 200) throw new Error(`The list of ${address} was answered ${status}.`)
    ids.push(...body.messages.map(({ message_id }) => message_id))
    before = body.next ?? ''
  } while (before !== '')
  return ids
}

/** The database validates every collection: all documents can be decoded, and the indexes agree with them. */
export async function checkDatabase(ctx: Context): Promise<string[]> {
  const violations: string[] = []
  const names = (await ctx.store.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  for (const name of names) {
    const { valid, errors } = await ctx.store.db.command({ validate: name })
    if (valid !== true) violations.push(`collection ${name}: ${(errors as string[]).join('; ')}`)
  }
  return violations
}

/** Compares two lists that should hold the same elements, each once. */
function compare(what: string, expected: readonly string[], there: readonly string[]): Finding {
  const counts = new Map<string, number>()
  for (const each of there) counts.set(each, (counts.get(each) ?? 0) + 1)
  const wanted = new Set(expected)
  const missing = [...wanted].filter((each) => !counts.has(each))
  const twice = [...counts].filter(([, count]) => count > 1)
  const strange = [...counts.keys()].filter((each) => !wanted.has(each))
  return {
    lost: missing.length,
    duplicates: twice.reduce((sum, [, count]) => sum + count - 1, 0),
    ambiguous: 0,
    violations: [
      ...missing.map((each) => `${what} ${each} is missing`),
      ...twice.map(([each, count]) => `${what} ${each} is there ${count} times`),
      ...strange.map((each) => `${what} ${each} belongs to nothing that was acknowledged`),
    ],
  }
}

function merge(...findings: readonly Finding[]): Finding {
  return {
    lost: findings.reduce((sum, { lost }) => sum + lost, 0),
    duplicates: findings.reduce((sum, { duplicates }) => sum + duplicates, 0),
    ambiguous: findings.reduce((sum, { ambiguous }) => sum + ambiguous, 0),
    violations: findings.flatMap(({ violations }) => violations),
  }
}

const violationsOnly = (violations: readonly string[]): Finding => ({
  lost: 0,
  duplicates: 0,
  ambiguous: 0,
  violations,
})

function own({ mailboxes }: Owner, addresses: readonly string[]): string[] {
  return addresses.filter((address) => mailboxes.some((mailbox) => mailbox.address === address))
}

/** The Message-ID of a send is its id at the sender's domain (decisions.md 4, Message-ID). */
const headerOf = ({ mailboxes }: Owner, { emailId }: Send) => `${emailId}@${splitAddress(mailboxes[0].address).domain}`
