/** `mailroom db import`. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { copyDatabase } from '../store/database-copy.ts'
import { embeddedSettings, explained, printCopied, progressOn, withEngine } from './database.ts'
import { enginePaths } from './instance.ts'
import type { Io } from './io.ts'

export const importFrom = explained(async (io: Io, url: string) => {
  const settings = embeddedSettings(io)
  const { folder } = enginePaths(settings.data)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copy = (to: string) => copyDatabase({ from: url, to, onProgress: progressOn(io) })
  printCopied(io, await withEngine(folder, copy))
  const secrets = path.join(settings.data, 'secrets')
  io.err(`Put the master.key that sealed its secrets into ${secrets} before the first start.\n`)
})
