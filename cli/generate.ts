/** Documents that are derived from the code: written by `npm run generate`, compared by `--check`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { operations } from '../operations/all.ts'
import { checkOperations } from '../operations/check.ts'
import { openApi } from '../operations/openapi.ts'
import { serviceVersion } from '../operations/version.ts'
import { failures, fixOfTheCause } from '../schemas/failures.ts'
import { listSettings, variableOf } from '../schemas/settings.ts'
import { enginePage } from './engine-page.ts'
import type { Io } from './io.ts'

const folder = fileURLToPath(new URL('../docs/', import.meta.url))

/**
 * Writes every derived document. With `check` it writes none and returns status 1 when one is out of date. Throws when the
 * operations are not sound.
 */
export async function generate({ err }: Io, { check = false }: { readonly check?: boolean }): Promise<number> {
  checkOperations(operations)
  if (!check) await writeDocuments()
  const stale = check ? await staleDocuments() : []
  for (const file of stale) err(`${file} is out of date: run npm run generate.\n`)
  return stale.length === 0 ? 0 : 1
}

async function writeDocuments(): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of documents()) await writeFile(path.join(folder, name), text)
}

async function staleDocuments(): Promise<readonly string[]> {
  const stale: string[] = []
  for (const [name, text] of documents()) {
    const there = await readFile(path.join(folder, name), 'utf8').catch(() => '')
    if (there !== text) stale.push(`docs/${name}`)
  }
  return stale
}

function documents(): readonly (readonly [name: string, text: string])[] {
  return [
    [
      'openapi.json',
      `${JSON.stringify(openApi(operations, { baseUrl: 'http://127.0.0.1:8080', version: serviceVersion() }), null, 2)}\n`,
    ],
    ['engine.md', enginePage()],
    ['errors.md', errorsPage()],
    ['settings.md', settingsPage()],
  ]
}

function errorsPage(): string {
  const rows = Object.entries(failures).map(
    ([code, { http, smtp, imap, when, fix }]) =>
      `## ${code}\n\n${when} ${fix ?? fixOfTheCause}\n\nHTTP ${http}, SMTP ${smtp}, IMAP ${imap}.\n`,
  )
  return `# Errors\n\nGenerated from \`schemas/failures.ts\`. Branch on the code.\n\n${rows.join('\n')}`
}

function settingsPage(): string {
  const rows = listSettings().map(
    ({ name, unit, about, default: initial }) =>
      `| \`${name}\` | \`${variableOf(name)}\` | \`${JSON.stringify(initial)}\`${unit === undefined ? '' : ` ${unit}`} | ${about} |`,
  )
  return `# Settings\n\nGenerated from \`schemas/settings.ts\`. They live in \`config/mailroom.yaml\`; the environment overrides; an unknown one refuses to start.\n\n| Setting | Environment | Default | |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
