/** Documents that are derived from the code: written by `npm run generate`, compared by `--check`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { operations } from '../operations/all.ts'
import { checkOperations } from '../operations/check.ts'
import { components } from '../operations/components.ts'
import { openApi } from '../operations/openapi.ts'
import { serviceVersion } from '../operations/version.ts'
import { type Metric, metrics, processMetrics, processNames } from '../schemas/metrics.ts'
import {
  agentsPlans,
  figureNames,
  figures,
  mailPlans,
  ownDomainsOfMailPlans,
  sharedDomainSendsPerDay,
  unclaimedDays,
  unclaimedRepliesPerDay,
  warmUpStart,
  withoutAgentsPlan,
} from '../schemas/plans.ts'
import { listSettings, variableOf } from '../schemas/settings.ts'
import { enginePage } from './engine-page.ts'
import type { Io } from './io.ts'
import { asText, errorsPage, eventsPage, exampleBaseUrl, operationsPage } from './reference-pages.ts'
import { pythonFiles } from './sdk/python.ts'
import { typescriptFiles } from './sdk/typescript.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Writes every derived document. With `check` it writes nothing, and returns status 1 if one is out of date. Throws if the operations are
 * not valid.
 */
export async function generate({ err }: Io, { check = false }: { readonly check?: boolean }): Promise<number> {
  checkOperations(operations)
  if (!check) await writeDocuments()
  const stale = check ? await staleDocuments() : []
  for (const file of stale) err(`${file} is out of date: run npm run generate.\n`)
  return stale.length === 0 ? 0 : 1
}

async function writeDocuments(): Promise<void> {
  for (const [name, text] of documents()) {
    const file = path.join(root, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

async function staleDocuments(): Promise<readonly string[]> {
  const stale: string[] = []
  for (const [name, text] of documents()) {
    const there = await readFile(path.join(root, name), 'utf8').catch(() => '')
    if (there !== text) stale.push(name)
  }
  return stale
}

/** The documents by their paths from the root of the project. */
function documents(): readonly (readonly [name: string, text: string])[] {
  return [
    [
      'docs/openapi.json',
      `${JSON.stringify(openApi(operations, { baseUrl: exampleBaseUrl, version: serviceVersion() }), null, 2)}\n`,
    ],
    ['docs/engine.md', enginePage()],
    ['docs/api.md', operationsPage(operations)],
    ['docs/errors.md', errorsPage()],
    ['docs/events.md', eventsPage()],
    ['docs/plans.md', plansPage()],
    ['docs/metrics.md', metricsPage()],
    ['docs/settings.md', settingsPage()],
    ...[...typescriptFiles(operations, components)].map(([name, text]) => [`sdk/generated/${name}`, text] as const),
    ...[...pythonFiles(operations, components)].map(
      ([name, text]) => [`sdk/python/mailroom_sdk/generated/${name}`, text] as const,
    ),
  ]
}

function metricsPage(): string {
  const declared: readonly (readonly [string, Metric])[] = Object.entries(metrics)
  const rows = declared.map(([name, { kind, about, from, labels }]) => {
    const told = Object.entries(labels).map(([label, values]) => ` \`${label}\`: ${values}.`)
    return `| \`${name}\` | ${kind} | ${from.join(', ')} | ${asText(about)}${told.join('')} |`
  })
  const own = Object.entries(processMetrics).map(([name, about]) => `| \`${name}\` | ${about} |`)
  return `# Metrics\n\nGenerated from \`schemas/metrics.ts\`. Each has the label \`process\`: the process that counted (${processNames.join(', ')}). [Running Mailroom](operating.md) says how to scrape them, [\`grafana-dashboard.json\`](grafana-dashboard.json) shows them in Grafana.\n\n| Metric | Kind | Counted by | |\n|---|---|---|---|\n${rows.join('\n')}\n\nFor each process, among other metrics of \`prom-client\`:\n\n| Metric | |\n|---|---|\n${own.join('\n')}\n`
}

function plansPage(): string {
  const raisable = figureNames.map((name) => `| \`${name}\` | ${figures[name]} |`)
  return `# Plans

Generated from \`schemas/plans.ts\`. An account has an Agents plan, a mail plan, or both; with both, the larger figure applies. Months and
days are in UTC. \`mailroom account plan\` changes the plans of an account, which takes effect at once in every process. After a change to a
smaller plan the account keeps what exceeds it, but cannot add more.

## Agents plans

${planTable(agentsPlans)}

\`emailsPerMonth\` counts sent and received e-mails. Sending pauses when they exceed the figure by more than a tenth; receiving continues.

## Mail plans

${planTable(mailPlans)}

## On every plan

| what | limit |
|---|---|
| an unclaimed account | ${unclaimedRepliesPerDay} replies in a day to people who wrote first, and no other sends; it is removed after ${unclaimedDays} days |
| the free address below the shared domain, once claimed | ${sharedDomainSendsPerDay} recipients in a day; own domains have no such limit |
| an account created by signup | ${warmUpStart} recipients in a day at first, doubled after each day of sending without problems |

An account with a mail plan may have ${ownDomainsOfMailPlans} domains of its own. Without an Agents plan it also has these figures:

${planTable({ 'without an Agents plan': withoutAgentsPlan })}

## Figures of one account

\`mailroom account raise <account> <figure> <number>\` grants an account more than its plans include; \`plan\` in place of the number ends
that. A figure below that of the plans has no effect.

| figure | what it counts |
|---|---|
${raisable.join('\n')}
`
}

function planTable(plans: { readonly [plan: string]: object }): string {
  const names = Object.keys(plans)
  const columns = Object.values(plans).map((plan) => Object.entries(plan))
  const rows = (columns[0] ?? []).map(([figure], n) => {
    const values = columns.map((column) => figureText(figure, column[n]?.[1]))
    return `| \`${figure}\` | ${values.join(' | ')} |`
  })
  return [`| | ${names.join(' | ')} |`, `|---|${names.map(() => '---').join('|')}|`, ...rows].join('\n')
}

function figureText(figure: string, value: unknown): string {
  if (value === null) return 'no limit'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return figure.endsWith('Bytes') ? `${Number(value) / 2 ** 30} GB` : Number(value).toLocaleString('en-US')
}

function settingsPage(): string {
  const rows = listSettings().map(
    ({ name, unit, about, default: initial }) =>
      `| \`${name}\` | \`${variableOf(name)}\` | \`${JSON.stringify(initial)}\`${unit === undefined ? '' : ` ${unit}`} | ${asText(about)} |`,
  )
  return `# Settings\n\nGenerated from \`schemas/settings.ts\`. They are read from \`config/mailroom.yaml\`; the environment overrides them; an unknown setting stops the start.
Write a list in a variable as \`MAILROOM_RESOLVER='[192.0.2.1:53, 192.0.2.2:53]'\`, and names with values as
\`MAILROOM_OUTBOUND_ROUTES='{example.org: "127.0.0.1:2526"}'\`.\n\n| Setting | Environment | Default | |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
