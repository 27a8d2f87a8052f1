/** Which handler serves a method and a path: `@koa/router`, set to match paths exactly. */
import { Router, type RouterContext } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../core/process/context.ts'
import type { AnswerHeaders, Method } from '../operations/registry.ts'

/** The state of a request in the door, besides that of Koa. */
export type RequestState = {
  /** The context of this request. */
  ctx: Context
  peerAddress: string
  /** Headers that are sent whatever happens. */
  headers: AnswerHeaders
  /** Aborted when the caller has hung up. */
  hungUp: AbortSignal
}

/** A request and its answer. */
export type Exchange = RouterContext<RequestState>

export type Route = {
  readonly method: Method
  /**
   * A segment in braces is a parameter: it matches any one segment that is not empty, and is passed decoded. With dots at its end,
   * such as `{rest...}`, it matches all segments that follow, as they are.
   */
  readonly path: string
  serve(exchange: Exchange): Promise<void> | void
}

/**
 * Builds the middleware that serves the routes. If several routes match a path, the one with the fewest parameters serves it; HEAD is
 * served like GET. A path that no route matches, or that cannot be read, goes to the next middleware. The matcher of a place is built
 * at the first request for it: building all of them would be a good part of a start.
 */
export function createRouting(routes: readonly Route[]): Middleware<RequestState> {
  const places = placesOf(routes)
  const dispatchers = new Map<readonly Route[], Middleware<RequestState>>()
  const dispatcherFor = (path: string) => {
    const taking = places.get(placeOf(path)) ?? routes
    const dispatcher = dispatchers.get(taking) ?? dispatcherOf(taking)
    dispatchers.set(taking, dispatcher)
    return dispatcher
  }
  // The router would pass a parameter on undecoded if it cannot decode it.
  return (koa, next) => (hasReadablePath(koa) ? dispatcherFor(koa.path)(koa, next) : next())
}

function dispatcherOf(routes: readonly Route[]): Middleware<RequestState> {
  const router = new Router<RequestState>({ exclusive: 'specificity', sensitive: true, strict: true })
  for (const { method, path, serve } of routes) {
    const pattern = path.replaceAll(/\{(\w+)\.\.\.\}/g, '*$1').replaceAll(/\{(\w+)\}/g, ':$1')
    router[method.toLowerCase() as Lowercase<Method>](path, pattern, (exchange) => serve(exchange))
  }
  return router.routes() as Middleware<RequestState>
}

/** The segments of a path such as `/api/v1/mailboxes`, including the empty one in front. */
const resourceSegments = 4

/** The number of segments of a path, and the resource of the API that it is about. Koa gives null for a target without a path. */
function placeOf(path: string | null): string {
  const segments = (path ?? '').split('/')
  return `${segments.length} ${segments.slice(0, resourceSegments).join('/')}`
}

/**
 * Groups the routes by the place of the paths that they match, because a router compares a path with each of its routes. A route that
 * matches paths of several places is in each of their groups.
 */
function placesOf(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  const takesAnyLength = ({ path }: Route) => path.includes('...}')
  const isOfOne = (route: Route) =>
    !takesAnyLength(route) && !route.path.split('/', resourceSegments).some((segment) => segment.includes('{'))
  const others = routes.filter((route) => !isOfOne(route))
  const lengthOf = ({ path }: Route) => path.split('/').length
  const places = Map.groupBy(routes.filter(isOfOne), ({ path }) => placeOf(path))
  return new Map(
    [...places].map(([place, own]) => [
      place,
      [...own, ...others.filter((other) => takesAnyLength(other) || lengthOf(other) === lengthOf(own[0]!))],
    ]),
  )
}

/** The path of the route that serves a request, with its parameters in braces; null if none does. */
export function routeOf(koa: KoaContext): string | null {
  return (koa as Exchange).routerName ?? null
}

/** The methods that the path of a request supports, sorted; empty if no route matches it. */
export function allowedMethods(koa: KoaContext): readonly string[] {
  const { matched = [] } = koa as Exchange
  const methods = matched.flatMap((route) => route.methods)
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort()
}

/** Whether the request target can be read, and its path decoded. */
function hasReadablePath(koa: KoaContext): boolean {
  try {
    decodeURIComponent(koa.path)
    return true
  } catch (error) {
    if (error instanceof URIError || (error as NodeJS.ErrnoException).code === 'ERR_INVALID_URL') return false
    throw error
  }
}
