/** `mailroom db backup`. */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Settings } from '../schemas/settings.ts'
import { backUp } from '../store/database-copy.ts'
import { isServing, notRunning } from './admin-context.ts'
import { embeddedSettings, explained, progressEveryMs, remindOfSecrets } from './database.ts'
import { enginePaths, engineUrl } from './instance.ts'
import { type Io, print } from './io.ts'

const mebibyte = 1024 * 1024

export const backup = explained(async (io: Io, name: string) => {
  const settings = embeddedSettings(io)
  const file = path.resolve(name)
  if (!(await isServing(settings.data))) throw notRunning(settings)
  const shown = setInterval(() => showCopy(io, settings, file), progressEveryMs)
  await backUp({ url: engineUrl(settings.data), file }).finally(() => clearInterval(shown))
  print(io, { backup: file })
  remindOfSecrets(io, settings)
})

/** Prints the progress of a backup, which grows under another name until it is complete. */
function showCopy({ err }: Io, { data }: Settings, file: string): void {
  const sizes = [`${file}.partial`, path.join(enginePaths(data).folder, 'engine.db')].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0,
  )
  err(`${sizes.map((bytes) => `${Math.round(bytes / mebibyte)} MiB`).join(' of ')}\n`)
}
