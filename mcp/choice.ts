/** What a connection asks for in its address or its headers: some of the tools, and where the bodies of mail stand. */
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../schemas/failures.ts'
import { twice, unknown } from '../schemas/refusals.ts'
import { type BoundTool, toolsetOf } from './tools.ts'
import type { BodiesIn } from './trust.ts'

export type Choice = {
  /** Whether the connection wants this tool. */
  has(bound: BoundTool): boolean
  /** As it was written, to be told to who calls another tool; empty when nothing was. */
  readonly written: string
  /**
   * Which part of a result the bodies of mail stand in: each stands once. Most clients show their model the text; some show the
   * structured content alone.
   */
  readonly bodies: BodiesIn
}

/** The names in the query, and those of the headers that say the same; the query goes first. */
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
/** More than all names together. */
const writtenMax = 4_000

/** What a connection asks for that says nothing. */
const everything: Choice = { written: '', bodies: 'text', has: () => true }

/**
 * Reads what a connection asks for: `tools` and `toolsets` are lists of names, and a tool that either names is wanted; `readonly`
 * takes of these the ones that change nothing. Fails with `validation_error` for what it does not know, since a filter that is
 * misspelt would let through what it was to keep out.
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
      fix: `Name each once, and leave "${param}" out for all.`,
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
