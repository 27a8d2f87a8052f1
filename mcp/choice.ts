/** What a connection requests in its URL or headers: a subset of the tools, and the part of a result that holds the bodies of mail. */
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../schemas/failures.ts'
import { twice, unknown } from '../schemas/refusals.ts'
import { type BoundTool, toolsetOf } from './tools.ts'
import type { BodiesIn } from './trust.ts'

export type Choice = {
  /** Whether the connection wants this tool. */
  has(bound: BoundTool): boolean
  /** The filters as they were written, for the failure of an excluded tool; empty without any. */
  readonly written: string
  /**
   * The part of a result that holds the bodies of mail; each is included once. Most clients show their model the text, some only the
   * structured content.
   */
  readonly bodies: BodiesIn
}

/** The names in the query, and the headers with the same meaning; the query takes precedence. */
const names = {
  tools: 'x-mcp-tools',
  toolsets: 'x-mcp-toolsets',
  readonly: 'x-mcp-readonly',
  bodies: 'x-mcp-bodies',
} as const
type Name = keyof typeof names

/** Stands for every tool that changes nothing. */
const reading = 'read'
/** Stands for every tool. */
const all = 'all'
/** Longer than all names together. */
const writtenMax = 4_000

/** The choice of a connection that requests nothing. */
const everything: Choice = { written: '', bodies: 'text', has: () => true }

/**
 * Reads the choice of a connection: `tools` and `toolsets` are lists of names, and a tool named by either is included; `readonly`
 * keeps of these only the tools that change nothing. Fails with `validation_error` for unknown names, because a misspelt filter would
 * let through what it should exclude.
 */
export function choiceOf(
  catalogue: ReadonlyMap<string, BoundTool>,
  { query, headers }: { readonly query: URLSearchParams; readonly headers: IncomingHttpHeaders },
): Choice {
  for (const name of query.keys()) {
    if (!Object.hasOwn(names, name)) throw unknown('query parameter', name, Object.keys(names))
    if (query.getAll(name).length > 1) throw twice(name)
  }
  const said = (name: Name) => {
    const header = headers[names[name]]
    return (query.get(name) ?? (typeof header === 'string' ? header : '')).trim()
  }
  if (query.size === 0 && Object.values(names).every((name) => headers[name] === undefined)) return everything
  const toolsets = [...new Set([...catalogue.values()].map(toolsetOf))]
  const wanted = listed('tools', said('tools'), [...catalogue.keys(), reading, all])
  const sets = listed('toolsets', said('toolsets'), [...toolsets, all])
  const readsAlone = oneOf('readonly', said('readonly'), ['false', 'true']) === 'true'
  const isAll = (wanted.length === 0 && sets.length === 0) || [...wanted, ...sets].includes(all)
  const filters = (['tools', 'toolsets', 'readonly'] as const).filter((name) => said(name) !== '')
  return {
    written: filters.map((name) => `${name}=${said(name)}`).join('&'),
    bodies: oneOf('bodies', said('bodies'), ['text', 'structured']) === 'structured' ? 'structured' : 'text',
    has(bound) {
      const { effect, name } = bound.tool
      if (readsAlone && effect !== 'read') return false
      return (
        isAll ||
        wanted.includes(name) ||
        sets.includes(toolsetOf(bound)) ||
        (effect === 'read' && wanted.includes(reading))
      )
    },
  }
}

function listed(param: Name, text: string, known: readonly string[]): readonly string[] {
  if (text.length > writtenMax)
    throw new Failure('validation_error', `"${param}" has more than ${writtenMax} characters.`, {
      param,
      fix: `Name each one once, or leave "${param}" out to include all.`,
    })
  const parts = text.split(',').map((part) => part.trim())
  const given = parts.filter((part) => part !== '')
  for (const name of given)
    if (!known.includes(name)) throw unknown(param === 'tools' ? 'tool' : 'toolset', name, known, param)
  return given
}

function oneOf(param: Name, text: string, known: readonly string[]): string {
  if (text !== '' && !known.includes(text)) throw unknown(`value of "${param}"`, text, known, param)
  return text
}
