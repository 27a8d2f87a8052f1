/** docs/engine.md: which parts of MongoDB the embedded engine offers, generated from the tables that drive it. */
import { accumulators } from '../engine/aggregate/accumulators.ts'
import { expressionNames } from '../engine/aggregate/expression.ts'
import { reshapeNames } from '../engine/aggregate/reshape.ts'
import { stageNames } from '../engine/aggregate/stages.ts'
import { type Command, commonFields, type FieldRule } from '../engine/commands/command.ts'
import { featureVersion } from '../engine/commands/hello.ts'
import { commands } from '../engine/commands/table.ts'
import { limits } from '../engine/limits.ts'
import { fieldOperators, topLevelOperators } from '../engine/match/names.ts'
import { updateOperatorNames } from '../engine/update/compile.ts'
import { operationFields } from '../engine/writer/bulkOperations.ts'
import { indexOptions } from '../engine/writer/indexSpec.ts'
import { deleteFields, updateFields } from '../engine/writer/update.ts'
import { specFailures, specRun } from './spec-failures.ts'

const MiB = 1024 * 1024

/** The page as Markdown. */
export function enginePage(): string {
  return `${[
    introduction,
    '## Commands',
    'Any other command is refused with CommandNotFound (59), and any other field with 40415.',
    ...commands.toSorted((a, b) => (a.names[0]! < b.names[0]! ? -1 : 1)).map(commandSection),
    '### Fields of every command',
    ...fieldLists(commonFields),
    '### Statements',
    `For \`update\`: ${codes(updateFields)}. For \`delete\`: ${codes(deleteFields)}. For \`bulkWrite\`: ${bulkOperations()}. The collation may only be the simple one.`,
    '## Indexes',
    'Single, compound and multikey, ascending and descending. Text, geospatial, hashed, wildcard and clustered indexes are refused with CannotCreateIndex (67).',
    ruled(indexOptions),
    '## Query operators',
    'At the top level:',
    ruled(topLevelOperators),
    'Under a field:',
    ruled(fieldOperators),
    'Any other is refused with BadValue (2).',
    '## Update operators',
    `${codes(updateOperatorNames)}; any other is refused with FailedToParse (9). Also replacements, and pipelines of ${codes(reshapeNames)}. Paths may hold \`$\`, \`$[]\` and \`$[name]\`.`,
    '## Aggregation',
    `Stages: ${codes(stageNames)}. \`$out\` does not accept time series options. \`$changeStream\` is refused with 40573, any other with 40324.`,
    `Accumulators of \`$group\`: ${codes(Object.keys(accumulators))}.`,
    `Expressions: ${codes(expressionNames)}; any other is refused with InvalidPipelineOperator (168).`,
    '## Limits',
    limitsTable(),
    '## Known differences',
    differences,
    "## The driver's specification tests",
    specTests(),
  ].join('\n\n')}\n`
}

const differences = `- An updated document has its fields whose names look like array positions ("0", "17") first, in numeric order.
- A finite Decimal128 outside the range of normal doubles is refused in an indexed field.
- \`listDatabases\` shows 0 for the size of each database: they share one file.
- \`update\` and \`delete\` with \`multi\` yield after every 1,000 documents, as MongoDB may: commands in between see a partial result.
- A \`bulkWrite\` is one commit up to ${limits.writeChunk} operations or changed documents, and ${limits.writeChunkBytes / MiB} MiB of inserts; it yields there and continues in another commit.
- The results of a \`bulkWrite\` take at most ${limits.bulkResultBytes / MiB} MiB: after that the next operation fails with ExceededMemoryLimit (146), and no further one is tried. A command that inserts into an invalid collection name is refused as a whole.
- \`$merge\` and \`$out\` write in batches; \`$out\` replaces the collection in one step at its end.

What MongoDB refuses is refused with the same code: the rules are in \`test/engine/refusals/\`, each with its source.
\`npm run check -- differential URL\` runs them, and random documents and commands, against the engine and the server at URL, and
prints every difference between the answers.`

const introduction = `# The embedded engine

Generated from the tables that drive it (\`engine/commands/table.ts\` and others). It speaks the MongoDB wire protocol over a
unix socket, and over TCP with a login if that is enabled, as a standalone server of version ${featureVersion}, and needs nothing
installed. **One node: no replication, no failover.**
With \`MONGODB_URL\` set, the service does not start it, and it refuses to start.

Each command, field, operator and option is implemented, or listed as harmless (accepted, because it makes no difference on
one node), or refused with the code MongoDB has for it. Nothing is silently ignored. There are no transactions, no change
streams, no views, no collations but the simple one, no server-side JavaScript, no users and roles: whoever can open the
socket, or log in, has access to everything.

Every write is on disk before it is acknowledged, whatever its write concern says.

## Backup, check, move

| Command | |
|---|---|
| \`mailroom db backup FILE\` | copies all data to a new file while the service runs: a consistent snapshot, readable only by its owner |
| \`mailroom db verify [FILE]\` | rebuilds every index from the documents and compares, for the stopped service or a backup; status 1 if anything is wrong |
| \`mailroom db move URL\` | moves the database to a MongoDB deployment while mail keeps arriving; \`mailroom db move embedded\` moves it back. See [Moving the database](moving.md) |
| \`mailroom db export URL\` | copies the current data into a MongoDB deployment whose database is empty; the service may run |
| \`mailroom db import URL\` | the opposite, into an empty data folder; the service must be stopped |

To restore a backup: stop the service, move the folder \`engine\` of the data folder away, and put the file in its place as
\`engine/engine.db\`, owned by the user of the service. The key in \`secrets\` is not part of any of these: back it up too. \`verify\` finds torn indexes, broken
structure and documents that cannot be read; a bit that flips inside a text is not noticed.`

function commandSection(command: Command): string {
  const [name, ...others] = command.names
  const also = others.length === 0 ? '' : ` (also ${codes(others)})`
  return [`### ${name}${also}`, ...fieldLists(command.fields)].join('\n\n')
}

function fieldLists(fields: Readonly<Record<string, FieldRule>>): string[] {
  const all = Object.entries(fields)
  const implemented = all.filter(([, { rule }]) => rule === 'implemented').map(([field]) => field)
  const explained = (wanted: 'harmless' | 'refused') =>
    all.flatMap(([field, rule]) => (rule.rule === wanted ? [`\`${field}\` (${rule.why})`] : [])).join(', ')
  const lines = [
    ['Implemented', codes(implemented)],
    ['Harmless', explained('harmless')],
    ['Refused', explained('refused')],
  ]
    .filter(([, names]) => names !== '')
    .map(([title, names]) => `- ${title}: ${names}`)
  return lines.length === 0 ? ['No fields of its own.'] : [lines.join('\n')]
}

function bulkOperations(): string {
  return Object.entries(operationFields)
    .map(([kind, fields]) => `\`${kind}\` with ${codes(Object.keys(fields))}`)
    .join('; ')
}

function ruled(rules: Readonly<Record<string, 'implemented' | 'harmless' | 'refused'>>): string {
  return (['implemented', 'harmless', 'refused'] as const)
    .map((wanted) => [wanted, Object.keys(rules).filter((name) => rules[name] === wanted)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([rule, names]) => `- ${rule[0]!.toUpperCase()}${rule.slice(1)}: ${codes(names)}`)
    .join('\n')
}

function limitsTable(): string {
  const rows: (readonly [string, string | number])[] = [
    ['One document', `${limits.documentBytes / MiB} MiB, ${limits.depth} levels`],
    ['One message', `${limits.messageBytes} bytes`],
    ['Requests held at once', `${limits.requestBytes / MiB} MiB; past it sockets are not read`],
    ['Operations of one write', limits.writeBatch],
    ['Indexes of a collection', `${limits.indexesPerCollection}, of at most ${limits.fieldsPerIndex} fields`],
    ['One index key', `${limits.keyBytes / 1024} KiB`],
    ['A sort that no index serves', `${limits.sortBytes / MiB} MiB`],
    ['Open cursors', `${limits.cursors}, idle for at most ${limits.cursorIdleMs / 60_000} minutes`],
    ['Sessions', `${limits.sessions}, idle for at most ${limits.sessionIdleMs / 60_000} minutes`],
  ]
  return ['| | |', '|---|---|', ...rows.map(([what, limit]) => `| ${what} | ${limit} |`)].join('\n')
}

function specTests(): string {
  const count = (failures: typeof specFailures) => failures.flatMap(({ cases }) => Object.values(cases).flat()).length
  const { eligible, otherServers, failpoints } = specRun
  const passed = eligible - count(specFailures)
  const ofDriver = count(specFailures.filter(({ driver }) => driver))
  const rows = specFailures.flatMap(({ reason, cases }) =>
    Object.entries(cases).flatMap(([file, names]) => names.map((name) => `| ${file} | ${name} | ${reason} |`)),
  )
  return [
    `The unified cases of CRUD, GridFS, collection management, run-command and read/write concern that are meant for a standalone server of version ${featureVersion}: **${passed} of ${eligible} pass** (${percent(passed, eligible)}); ${ofDriver} of the others fail on any server, because the driver does (without these: ${percent(passed, eligible - ofDriver)}). ${otherServers} more are for other servers or versions, ${failpoints} need failpoints.`,
    ['| File | Case | Why not |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}

function codes(names: Iterable<string>): string {
  return [...names]
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(', ')
}
