/** `mailroom secrets`: which master key seals the secrets, and how to change it. */
import { keyStatus, rotateMasterKey } from '../core/upkeep/key-rotation.ts'
import { withContext } from './admin-context.ts'
import { paced } from './database.ts'
import { print } from './io.ts'

/** Returns status 1 if something is sealed with a key other than the current one. */
export const status = withContext(async (ctx, io) => {
  const { keys, since, isThrough, holders } = await keyStatus(ctx)
  print(io, ...keys)
  for (const { host, role, keyIds, sealsWith, seenAt } of holders.filter(({ role: own }) => own !== 'admin'))
    print(io, { host, process: role, keys: keyIds, sealsWith, seenAt })
  print(io, { allSealedWithCurrent: isThrough, since })
  return isThrough ? 0 : 1
})

/** Returns status 1 if something is left that no key opens. */
export const rotate = withContext(async (ctx, io) => {
  const everySecond = paced()
  const { key, renewed, unreadable } = await rotateMasterKey(ctx, (progress) =>
    everySecond(() => {
      if (progress.step === 'sealing') io.err(`${progress.collection}: ${progress.renewed} sealed anew\n`)
      else io.err(`waiting for ${progress.holders.map(({ host, role }) => `${role} on ${host}`).join(', ')}\n`)
    }),
  )
  for (const place of unreadable) print(io, { unreadable: place })
  print(io, { key, sealedAnew: renewed })
  const { folder, isFile } = ctx.keyring.given()
  if (isFile)
    io.err(
      `Copy ${folder} to a safe place. Earlier keys stay there, because earlier backups are sealed with them; remove them once no such backup is needed and mailroom secrets status shows nothing sealed with them.\n`,
    )
  return unreadable.length === 0 ? 0 : 1
})
