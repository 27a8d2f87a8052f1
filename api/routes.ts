/** Which handler serves a method and a path. A segment in braces takes any one segment; written-out ones come first. */
export type Parameters = { readonly [name: string]: string }
export type Served<H> = { readonly handler: H; readonly parameters: Parameters }
/** `allow` is empty for a path that nobody serves. */
export type Unserved = { readonly handler: null; readonly allow: readonly string[] }

type Leaf<H> = { readonly segments: readonly string[]; readonly handlers: Map<string, H> }

export type Routes<H> = {
  add(method: string, path: string, handler: H): void
  /** Finds by an undecoded path. Parameters come decoded; a path that cannot be decoded is nobody's. */
  find(method: string, path: string): Served<H> | Unserved
}

/** An empty table. */
export function createRoutes<H>(): Routes<H> {
  const byLength = new Map<number, Leaf<H>[]>()
  return {
    add(method, path, handler) {
      const segments = path.split('/')
      const leaves = byLength.get(segments.length) ?? []
      const leaf = leaves.find((each) => each.segments.join('/') === path) ?? {
        segments,
        handlers: new Map<string, H>(),
      }
      leaf.handlers.set(method, handler)
      if (!leaves.includes(leaf)) leaves.push(leaf)
      leaves.sort((a, b) => (rank(a.segments) < rank(b.segments) ? -1 : 1))
      byLength.set(segments.length, leaves)
    },
    find(method, path) {
      const actual = path.split('/')
      const matching = (byLength.get(actual.length) ?? []).filter(({ segments }) => matches(segments, actual))
      for (const { segments, handlers } of matching) {
        const handler = handlers.get(method === 'HEAD' ? 'GET' : method)
        if (handler === undefined) continue
        const parameters = parametersOf(segments, actual)
        return parameters === null ? { handler: null, allow: [] } : { handler, parameters }
      }
      const methods = new Set(matching.flatMap(({ handlers }) => [...handlers.keys()]))
      if (methods.size === 0) return { handler: null, allow: [] }
      return { handler: null, allow: [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort() }
    },
  }
}

const isParameter = (segment: string) => segment.startsWith('{')

/** Sorts written-out segments before parameters, from the left. */
function rank(segments: readonly string[]): string {
  return segments.map((segment) => (isParameter(segment) ? '1' : '0')).join('')
}

function matches(segments: readonly string[], actual: readonly string[]): boolean {
  return segments.every((segment, n) => (isParameter(segment) ? actual[n] !== '' : segment === actual[n]))
}

function parametersOf(segments: readonly string[], actual: readonly string[]): Parameters | null {
  try {
    return Object.fromEntries(
      segments.flatMap((segment, n) =>
        isParameter(segment) ? [[segment.slice(1, -1), decodeURIComponent(actual[n] ?? '')]] : [],
      ),
    )
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}
