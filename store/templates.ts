/** Templates of transactional mail. `_id` is `<account id>:<alias>`. */
import type { TemplateDoc } from './documents/sending.ts'
import { isDuplicate, type Store } from './open.ts'
import { type Portion, readOne, readPortion } from './reads.ts'

const idOf = (accountId: string, alias: string) => `${accountId}:${alias}`

/** Inserts a template. Returns false when the account has a template of that alias. */
export async function insertTemplate(store: Store, template: Omit<TemplateDoc, '_id'>): Promise<boolean> {
  try {
    await store.templates.insertOne({ _id: idOf(template.accountId, template.alias), ...template })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findTemplate(
  store: Store,
  { accountId, alias }: { accountId: string; alias: string },
): Promise<TemplateDoc | null> {
  return readOne(store, 'templates', { accountId, _id: idOf(accountId, alias) })
}

/** A portion of the templates of an account sorted by alias, starting after the alias `after`. */
export function listTemplates(
  store: Store,
  { accountId, after, limit }: { accountId: string; after: string | null; limit: number },
): Promise<Portion<TemplateDoc>> {
  return readPortion(
    store,
    'templates',
    { accountId, ...(after !== null && { alias: { $gt: after } }) },
    { sort: { accountId: 1, alias: 1 }, limit },
  )
}

/** Changes a template. Returns the changed template; null when there is none. */
export function updateTemplate(
  store: Store,
  { accountId, alias }: { accountId: string; alias: string },
  change: Partial<Pick<TemplateDoc, 'subject' | 'html' | 'text' | 'status'>> & { readonly updatedAt: Date },
): Promise<TemplateDoc | null> {
  return store.templates.findOneAndUpdate(
    { accountId, _id: idOf(accountId, alias) },
    { $set: change },
    { returnDocument: 'after' },
  )
}

/** Deletes a template. Returns false when there is no such template. */
export async function deleteTemplate(
  store: Store,
  { accountId, alias }: { accountId: string; alias: string },
): Promise<boolean> {
  const { deletedCount } = await store.templates.deleteOne({ accountId, _id: idOf(accountId, alias) })
  return deletedCount === 1
}
