/** Loads what SORT and THREAD need of the messages that a search found. */
import { bySize, heldMessages, type Reading, shownMessages } from '../../core/imap/contents.ts'
import { searchFields } from '../../core/imap/search-fields.ts'
import { readAddressItems, splitAddress } from '../../mail/message/address.ts'
import { firstHeader, readHeaders } from '../../mail/message/headers.ts'
import type { Session } from '../session.ts'
import type { Uid } from '../wire/numbers.ts'
import type { AddressField, Sortable } from './sort.ts'

const atOnce = 500

/** Whether addresses are needed, and how bytes are read for them. If the bytes cannot be read, the document's addresses are used. */
type Needs = { readonly addresses: boolean; readonly reading: Reading }

export async function sortables(session: Session, uids: readonly Uid[], needs: Needs): Promise<readonly Sortable[]> {
  const { ctx, folder } = session
  const { table, folder: ref } = folder.view
  const found: Sortable[] = []
  for (let n = 0; n < uids.length; n += atOnce) {
    const batch = await searchFields(ctx, ref, uids.slice(n, n + atOnce))
    const rare = needs.addresses ? batch.filter(({ namesMore }) => namesMore === true) : []
    const firsts = await firstsOf(
      session,
      rare.map(({ uid }) => uid),
      needs.reading,
    )
    for (const fields of batch) {
      const uid = fields.uid as Uid
      const index = table.indexOf(uid)
      const own = firsts.get(uid)
      const [sizeBytes, receivedAt] = [table.sizeAt(index), table.dateAt(index)]
      if (index >= 0) found.push({ uid, sizeBytes, receivedAt, fields, ...(own !== undefined && { firsts: own }) })
    }
  }
  return found
}

/** Returns the first local part, or group name, of each address field, by UID (RFC 5256 3). */
async function firstsOf(
  { ctx, folder }: Session,
  uids: readonly number[],
  reading: Reading,
): Promise<ReadonlyMap<number, Record<AddressField, string>>> {
  const found = new Map<number, Record<AddressField, string>>()
  if (uids.length === 0) return found
  for (const group of bySize(await heldMessages(ctx, folder.view.folder, uids))) {
    const shown = await shownMessages(ctx, group, reading)
    for (const { _id, uid } of group) {
      const bytes = shown.get(_id)
      if (bytes === undefined) continue
      const { fields } = readHeaders(bytes)
      const of = (name: AddressField) => firstOf(firstHeader(fields, name)?.rawValue ?? '')
      found.set(uid, { from: of('from'), to: of('to'), cc: of('cc') })
    }
  }
  return found
}

function firstOf(headerValue: string): string {
  const [item] = readAddressItems(headerValue)
  if (item === undefined || 'groupEnd' in item) return ''
  return 'group' in item ? item.group : splitAddress(item.address).local
}
