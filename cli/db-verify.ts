/** `mailroom db verify`. */
import path from 'node:path'
import { isSound, type Listener, verifyFile, verifyFolder } from '../engine/admin/verify.ts'
import { Failure } from '../schemas/failures.ts'
import { isServing } from './admin-context.ts'
import { embeddedSettings, explained, paced } from './database.ts'
import { enginePaths } from './instance.ts'
import { type Io, print } from './io.ts'

/** Returns status 1 if anything is wrong. */
export const verify = explained(async (io: Io, name?: string) => {
  const settings = embeddedSettings(io)
  if (name === undefined && (await isServing(settings.data)))
    throw new Failure('unavailable', `The service runs on ${settings.data}.`, {
      fix: 'Stop it, or verify a backup of it.',
    })
  const everySecond = paced()
  const listener: Listener = {
    onCollection: (findings) => print(io, findings),
    onProgress: (ns, documents) => everySecond(() => io.err(`${ns}: ${documents} documents\n`)),
  }
  const findings =
    name === undefined
      ? verifyFolder(enginePaths(settings.data).folder, listener)
      : verifyFile(path.resolve(name), listener)
  const sound = isSound(findings)
  print(io, { sound, collections: findings.collections.length, errors: findings.errors })
  return sound ? 0 : 1
})
