/** Migrates stored documents from older schema versions to the current one, one collection at a time. */
import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import { newId } from '../schemas/ids.ts'
import { chained, type NewAudit } from './audit-hash.ts'
import { type CollectionName, collections } from './collections.ts'
import type { AuditDoc, AuditPersonal, UsageDoc } from './documents/accounts.ts'
import type { DomainClaimDoc, DomainDoc } from './documents/domains.ts'
import type { BlobDoc } from './documents/mail.ts'

/** One step migrates a collection from version `to - 1` to `to`. It must be safe to repeat, because a crash repeats it. */
type Migration = { readonly collection: CollectionName; readonly to: number; readonly run: (db: Db) => Promise<void> }

/** In order of release. */
const migrations: readonly Migration[] = [
  {
    // Version 1 counts the sent and received mail of an Agents plan in two counters.
    collection: 'usage',
    to: 2,
    async run(db) {
      const sum = { $add: [{ $ifNull: ['$counts.sentAsAgent', 0] }, { $ifNull: ['$counts.received', 0] }] }
      await db
        .collection('usage')
        .updateMany({ 'counts.agentEmails': { $exists: false } }, [{ $set: { 'counts.agentEmails': sum } }])
    },
  },
  {
    // In version 2 the counters of each day have a document of their own. The figures of mailboxes keep that form.
    collection: 'usage',
    to: 3,
    async run(db) {
      const usage = db.collection<UsageDoc>('usage')
      const ofDays = { _id: { $regex: /:\d{4}-\d{2}-\d{2}$/, $not: /:daily:/ } }
      for await (const { _id, counts, open = [], expiresAt } of usage.find(ofDays)) {
        const field = `d${_id.slice(-2)}`
        const opened = open.map((take) => ({ ...take, counter: `${field}.${take.counter}` }))
        await usage.updateOne(
          { _id: _id.slice(0, -3) },
          {
            $set: { [`counts.${field}`]: counts },
            $max: { expiresAt },
            ...(opened.length > 0 && { $addToSet: { open: { $each: opened } } }),
          },
          { upsert: true },
        )
        await usage.deleteOne({ _id })
      }
    },
  },
  {
    // Version 1 hashes addresses and targets directly, so that no person can be erased.
    collection: 'audit',
    to: 2,
    async run(db) {
      type Before = Omit<NewAudit, 'personal'> & AuditPersonal & Pick<AuditDoc, 'seq'>
      const before = { personalDigest: { $exists: false } }
      let last: AuditDoc | null = null
      for await (const entry of db.collection<Before>('audit').find(before).sort({ accountId: 1, seq: 1 })) {
        const { target, address, ...rest } = entry
        const { accountId, _id, seq } = entry
        if (last?.accountId !== accountId)
          last = await db.collection<AuditDoc>('audit').findOne({ accountId, seq: seq - 1 })
        last = chained({ ...rest, personal: { target, address } }, last?.hash ?? '')
        await db.collection<AuditDoc>('audit').replaceOne({ accountId, _id }, last)
      }
    },
  },
  {
    // Version 1 has no `dueAt` on endpoints. It is set on all, so an endpoint without waiting deliveries is looked at once.
    collection: 'webhooks',
    to: 2,
    run: async (db) =>
      void (await db.collection('webhooks').updateMany({ dueAt: { $exists: false } }, { $set: { dueAt: new Date() } })),
  },
  {
    // Version 1 keeps the log for ever, and has deliveries of events only.
    collection: 'deliveries',
    to: 2,
    async run(db) {
      const expiresAt = new Date(Date.now() + 30 * 86_400_000)
      const deliveries = db.collection('deliveries')
      await deliveries.updateMany({ expiresAt: { $exists: false } }, { $set: { expiresAt, origin: 'event' } })
      if (await deliveries.indexExists('nextAt_1')) await deliveries.dropIndex('nextAt_1')
    },
  },
  {
    // Version 1 has no claims: a domain belongs to one account even before it is verified. Nor does it watch the DNS of domains.
    collection: 'domains',
    to: 2,
    async run(db) {
      const domains = db.collection<Omit<DomainDoc, 'status'> & { readonly status: string }>('domains')
      const claims = db.collection<DomainClaimDoc>('domainClaims')
      const now = new Date()
      const isOwn = { parent: null, accountId: { $ne: null }, status: { $ne: 'removed' } } as const
      const watch = { looks: [], lookedAt: null, dueAt: now, pauseMs: 0, rev: 0 }
      for await (const doc of domains.find({ ...isOwn, watch: { $exists: false } })) {
        const { _id: domain, accountId, dkim, defaultDisplayName, createdAt } = doc
        const added = { token: randomBytes(32).toString('base64url'), watch }
        if (doc.status === 'pending') {
          const claim = { accountId: accountId ?? '', domain, dkim, defaultDisplayName, createdAt, ...added }
          await claims.updateOne(
            { accountId: claim.accountId, domain },
            { $setOnInsert: { _id: newId('clm', createdAt), ...claim } },
            { upsert: true },
          )
          await domains.deleteOne({ _id: domain })
        } else await domains.updateOne({ _id: domain }, { $set: added })
      }
    },
  },
  {
    // In version 1 only the messages record how many chunks a blob has.
    collection: 'blobs',
    to: 2,
    async run(db) {
      const blobs = db.collection<Pick<BlobDoc, '_id' | 'chunks'>>('blobs')
      const later = blobs.find({ _id: { $regex: '#[1-9]' } }, { projection: { _id: 1 } }).sort({ _id: 1 })
      for await (const { _id } of later) {
        const [id, n] = _id.split('#')
        await blobs.updateOne({ _id: `${id}#0` }, { $max: { chunks: Number(n) + 1 } })
      }
    },
  },
  // Version 1 keeps the notes in an ordinary collection of another name; version 2 has a capped one.
  { collection: 'changes', to: 2, run: async (db) => void (await db.dropCollection('changes')) },
]

/**
 * Runs the missing steps and stores the versions reached. Rejects when the database has a newer version than this program.
 */
export async function migrate(db: Db): Promise<void> {
  const state = db.collection<{ _id: string; value: { [collection: string]: number } }>('state')
  const reached = (await state.findOne({ _id: 'schemaVersions' }))?.value ?? {}
  for (const [name, { version }] of Object.entries(collections)) {
    const from = reached[name] ?? version
    if (from > version)
      throw new Error(
        `The database has version ${from} of "${name}", but this program only knows version ${version}: run a newer Mailroom.`,
      )
    for (const step of migrations)
      if (step.collection === name && step.to > from && step.to <= version) await step.run(db)
  }
  const versions = Object.fromEntries(Object.entries(collections).map(([name, { version }]) => [name, version]))
  if (JSON.stringify(versions) === JSON.stringify(reached)) return
  // The condition on the stored versions keeps a process that was suspended meanwhile from recording lower versions.
  const before = Object.keys(reached).length === 0 ? { $exists: false } : reached
  await state.updateOne({ _id: 'schemaVersions', value: before }, { $set: { value: versions } }, { upsert: true })
}
