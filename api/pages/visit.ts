/**
 * The requests of a person's browser. Forms carry a token that no page of another site knows. Answers are pages, or redirects to the
 * next one. A form calls an operation, like every other caller, so that each rule is in one place.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { takeAnonymous } from '../../core/access/request-rates.ts'
import { findSession, type Session } from '../../core/access/sessions.ts'
import { inSomeAccount } from '../../core/people/people.ts'
import type { Context } from '../../core/process/context.ts'
import type { InFlight } from '../../core/process/in-flight.ts'
import { type Caller, callerIn, userAgentOf } from '../../operations/admit.ts'
import { invoke } from '../../operations/invoke.ts'
import type { Access, Operation } from '../../operations/registry.ts'
import { attributesOf, cookieOf, sessionTokenOf } from '../../operations/session-cookie.ts'
import { Failure, failures } from '../../schemas/failures.ts'
import { readForm } from '../input.ts'
import { refusalAnswer } from '../refusals.ts'
import type { Exchange, Route } from '../routes.ts'
import { type Refusal, refusalOf } from './controls.ts'
import { html } from './html.ts'
import { type Page, showPage } from './page.ts'
import { placeOf, signInFor } from './places.ts'

/** What a page knows about its visitor and the request. */
export type Visit = {
  readonly ctx: Context
  readonly path: string
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  /** Empty unless a form was sent. */
  readonly form: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly peerAddress: string
  readonly userAgent: string
  readonly session: Session | null
  /** The token that the forms of the page carry. */
  readonly token: string
  /** Identifies the session, or the browser if nobody is signed in: a passkey ceremony has to end in the one in which it began. */
  readonly binding: string
  /** Calls an operation and returns its answer. `input` includes the path fields. */
  ask<T>(operation: Operation, input?: { readonly [field: string]: unknown }): Promise<T>
  setCookie(cookie: string): void
}

/** The rows in the answer of a list operation. */
export type Rows<K extends string, T> = { readonly [P in K]: readonly T[] }

/** A redirect to another page. */
export type Elsewhere = { readonly location: string }

export type PageRoute = {
  readonly path: string
  show?(visit: Visit): Promise<Page | Elsewhere> | Page | Elsewhere
  send?(visit: Visit): Promise<Page | Elsewhere>
}

/** Does what a form requests. A refusal is shown on the page of the form; internal errors have a page of their own. */
export async function refused(
  act: () => Promise<Page | Elsewhere>,
  show: (refusal: Refusal) => Promise<Page | Elsewhere> | Page | Elsewhere,
): Promise<Page | Elsewhere> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Failure) || failures[error.code].http >= 500) throw error
    return show(refusalOf(error))
  }
}

/** The device's answer, as the script of the pages puts it into the form; null if it is not JSON. */
export function credentialOf(form: URLSearchParams): unknown {
  try {
    return JSON.parse(form.get('credential') ?? '')
  } catch {
    return null
  }
}

export type PageOptions = { readonly inFlight: InFlight; readonly checkOutput: boolean }

/** The routes of pages. */
export function routesOf(pages: readonly PageRoute[], options: PageOptions): readonly Route[] {
  return pages.flatMap(({ path, show, send }): readonly Route[] => [
    ...(show === undefined ? [] : [{ method: 'GET', path, serve: serving(show, options, noForm) } as const]),
    ...(send === undefined ? [] : [{ method: 'POST', path, serve: serving(send, options, soundForm) } as const]),
  ])
}

type FormReader = (exchange: Exchange, token: string, options: PageOptions) => Promise<URLSearchParams>

const noForm: FormReader = async () => new URLSearchParams()

/** Reads the form of a request. Fails with `forbidden` if a page of another site or of another session made it. */
const soundForm: FormReader = async ({ req, state }, token, options) => {
  const form = await readForm(req, options)
  const [own, brought] = [Buffer.from(token), Buffer.from(form.get('csrf') ?? '')]
  if (own.length === brought.length && timingSafeEqual(own, brought)) return form
  await takeAnonymous(state.ctx, state.peerAddress)
  throw new Failure('forbidden', 'This page is too old, or cookies are turned off.', {
    fix: 'Allow cookies for this site, go back, load the page again, and send the form once more.',
  })
}

function serving(
  answer: (visit: Visit) => Promise<Page | Elsewhere> | Page | Elsewhere,
  options: PageOptions,
  readForm: FormReader,
): Route['serve'] {
  return async (exchange) => {
    try {
      respond(exchange, await answer(await visitOf(exchange, options, readForm)))
    } catch (error) {
      if (isSignedOut(error) && exchange.method !== 'POST') return leadTo(exchange, signInFor(placeOf(exchange.path)))
      respond(exchange, refusalPage(exchange, error))
    }
  }
}

const isSignedOut = (error: unknown) => error instanceof Failure && error.code === 'unauthorized'

function respond(exchange: Exchange, answer: Page | Elsewhere): void {
  if ('location' in answer) leadTo(exchange, answer.location)
  else showPage(exchange, answer)
}

/** Redirects with See Other (RFC 9110 15.4.4), so that reloading the page does not send the form again. */
function leadTo(exchange: Exchange, location: string): void {
  exchange.status = 303
  exchange.set('Location', location)
  exchange.body = ''
}

function refusalPage({ state }: Exchange, error: unknown): Page {
  const { status, headers, body } = refusalAnswer(state.ctx, error)
  Object.assign(state.headers, headers)
  return {
    title: status >= 500 ? 'This did not work' : 'This cannot be done',
    status,
    content: html`<div class="notice bad" role="alert"><p>${body.error} ${body.fix}</p></div>
<p><a href="/settings">To the settings</a></p>`,
  }
}

const visitCookie = 'mailroom_visit'

async function visitOf(exchange: Exchange, options: PageOptions, readForm: FormReader): Promise<Visit> {
  const { params, querystring, req, state, path } = exchange
  const { ctx, headers, hungUp, peerAddress } = state
  const sessionToken = sessionTokenOf(req.headers)
  const userAgent = userAgentOf(req.headers)
  const found = sessionToken === null ? null : await findSession(ctx, sessionToken, { peerAddress, userAgent })
  if (found === null) await takeAnonymous(ctx, peerAddress)
  const session = found === null || exchange.method === 'POST' ? found : await inSomeAccount(ctx, found)
  const binding = session?.id ?? visitorOf(exchange)
  const token = session?.csrfToken ?? ctx.secrets.tag(binding, 'visit').toString('base64url')
  return {
    ctx,
    path,
    params,
    query: new URLSearchParams(querystring),
    form: await readForm(exchange, token, options),
    headers: req.headers,
    req,
    res: exchange.res,
    peerAddress,
    userAgent,
    session,
    token,
    binding,
    setCookie(cookie) {
      headers['Set-Cookie'] = cookie
    },
    async ask<T>(operation: Operation, input: { readonly [field: string]: unknown } = {}) {
      const { access, pathFields } = operation
      const caller = callerOf(session, access)
      const { body } = await invoke(ctx, operation, caller.principal, {
        path: Object.fromEntries(pathFields.map((name) => [name, String(input[name] ?? '')])),
        session: caller.session,
        headers,
        peerAddress,
        userAgent,
        hungUp,
        checkOutput: options.checkOutput,
        input: () => input,
      })
      return body as T
    },
  }
}

function callerOf(session: Session | null, access: Access): Caller {
  if (access === 'public') return { principal: null, session: null }
  if (session === null) throw new Failure('unauthorized')
  return callerIn(session, access)
}

/** The id of a browser in which nobody is signed in, from a session cookie that is set if the browser has none. */
function visitorOf({ req, state }: Exchange): string {
  const known = cookieOf(req.headers, visitCookie)
  if (known !== null && /^[\w-]{22}$/.test(known)) return known
  const visitor = randomBytes(16).toString('base64url')
  state.headers['Set-Cookie'] = `${visitCookie}=${visitor}; ${attributesOf(state.ctx)}`
  return visitor
}
