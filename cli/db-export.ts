/** `mailroom db export`. */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Settings } from '../schemas/settings.ts'
import { backUp, copyDatabase } from '../store/database-copy.ts'
import { isServing } from './admin-context.ts'
import { embeddedSettings, explained, printCopied, progressOn, remindOfSecrets, withEngine } from './database.ts'
import { enginePaths, engineUrl } from './instance.ts'
import type { Io } from './io.ts'

export const exportTo = explained(async (io: Io, url: string) => {
  const settings = embeddedSettings(io)
  // A running service keeps writing, so the export is made from a backup, which is a consistent snapshot.
  const copy = (from: string) => copyDatabase({ from, to: url, onProgress: progressOn(io) })
  const copied = (await isServing(settings.data))
    ? await withSnapshot(settings, (snapshot) => withEngine(snapshot, copy))
    : await withEngine(enginePaths(settings.data).folder, copy)
  printCopied(io, copied)
  remindOfSecrets(io, settings)
})

/** Makes a backup in a temporary folder inside the data folder, which is removed in any case, even on a signal. */
async function withSnapshot<Result>(settings: Settings, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(settings.data, 'export-'))
  const give = (signal: NodeJS.Signals) => {
    rmSync(folder, { recursive: true, force: true })
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, give)
  try {
    await backUp({ url: engineUrl(settings.data), file: path.join(folder, 'engine.db') })
    return await work(folder)
  } finally {
    for (const signal of signals) process.off(signal, give)
    await rm(folder, { recursive: true, force: true })
  }
}
