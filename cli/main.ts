/** `mailroom`: the command line. Serves, and lets an administrator look and act. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import { addAdminCommands } from './admin.ts'
import { addDatabaseCommands } from './database.ts'
import { doctor } from './doctor.ts'
import { checkGenerated, writeGenerated } from './generate.ts'
import { type PartName, partNames, serve } from './serve.ts'
import { runService } from './service.ts'
import { loadSettings, SettingsError } from './settings.ts'

const program = new Command('mailroom')
  .description('Real mailboxes for software agents.')
  .version(serviceVersion())
  .option('--config <file>', 'the settings file (default: config/mailroom.yaml)')

function settingsNow(): Settings {
  const named = program.opts<{ config?: string }>().config
  const shipped = fileURLToPath(new URL('../config/mailroom.yaml', import.meta.url))
  const file = named === undefined ? shipped : path.resolve(named)
  return loadSettings({ file: existsSync(file) || named !== undefined ? file : null, env: process.env })
}

function parseParts(text: string): PartName[] {
  return text.split(',').map((name) => {
    const part = partNames.find((known) => known === name.trim())
    if (part === undefined) throw new InvalidArgumentError(`Parts are: ${partNames.join(', ')}.`)
    return part
  })
}

program
  .command('serve')
  .description('run the whole service')
  .option('--only <parts>', `only these parts, such as "smtp" (${partNames.join(', ')})`, parseParts)
  .action(({ only }: { only?: PartName[] }) => serve(settingsNow(), only ?? partNames))

program
  .command('run-service', { hidden: true })
  .action(() => runService(JSON.parse(process.env.MAILROOM_SETTINGS ?? 'null') as Settings))

program
  .command('doctor')
  .description('look for what is wrong: ports, certificate, database, DNS, queue')
  .action(async () => {
    process.exitCode = (await doctor(settingsNow())) ? 0 : 1
  })

program
  .command('generate')
  .description('write the documents that are derived from the code')
  .option('--check', 'only say which are out of date')
  .action(async ({ check }: { check?: boolean }) => {
    if (check !== true) return writeGenerated()
    const stale = await checkGenerated()
    for (const file of stale) console.error(`${file} is out of date: run npm run generate.`)
    process.exitCode = stale.length === 0 ? 0 : 1
  })

addAdminCommands(program, settingsNow)
addDatabaseCommands(program, settingsNow)

try {
  await program.parseAsync()
} catch (error) {
  const expected = error instanceof SettingsError || error instanceof Failure
  console.error(expected ? error.message : error)
  const failed = error instanceof Error ? error.message : String(error)
  // To the supervisor of a part, which tells why it could not start.
  if (process.send === undefined) process.exit(1)
  process.send({ failed }, () => process.exit(1))
} finally {
  // The starter's channel only tells that it died; it keeps nobody waiting.
  process.channel?.unref()
}
