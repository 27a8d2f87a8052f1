/** A program that connects by OAuth, and the browser of the person who consents, without a library. */
import { createHash, randomBytes } from 'node:crypto'
import type { Json } from './rest.ts'

export type Parameters = { readonly [name: string]: string | undefined }
export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Json; readonly text: string }

/** Makes a verifier and its challenge (RFC 7636). */
export function newProof(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Makes a request without following redirects. */
export async function ask(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {}, text }
}

/** Sends a form, as programs do to the token endpoint. */
export const sendForm = (url: string, fields: Parameters, headers: Record<string, string> = {}): Promise<Reply> =>
  ask(url, { method: 'POST', body: new URLSearchParams(defined(fields)), headers })

export const sendJson = (url: string, body: unknown): Promise<Reply> =>
  ask(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

/** The URL of an endpoint with its parameters; an undefined one is left out. */
export const urlOf = (endpoint: string, fields: Parameters): string =>
  `${endpoint}?${new URLSearchParams(defined(fields))}`

const defined = (fields: Parameters): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** A browser that keeps cookies by their paths. */
export type Browsing = {
  get(url: string): Promise<Reply>
  post(url: string, fields: URLSearchParams): Promise<Reply>
  /** The Cookie field for a URL. */
  cookieFor(url: string): string
}

/** Opens a browser; `session` is the session cookie of the signed-in person. */
export function browse(session: string | null = null): Browsing {
  const jar = new Map<string, { readonly value: string; readonly path: string }>()
  if (session !== null) {
    const [name = '', value = ''] = session.split('=')
    jar.set(name, { value, path: '/' })
  }
  const cookieFor = (url: string) =>
    [...jar]
      .filter(([, { path }]) => new URL(url).pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  const send = async (url: string, init: RequestInit) => {
    const reply = await ask(url, { ...init, headers: { accept: 'text/html', cookie: cookieFor(url), ...init.headers } })
    for (const cookie of reply.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const at = pair.indexOf('=')
      const path = attributes.find((each) => each.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
      if (pair.slice(at + 1) === '') jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), { value: pair.slice(at + 1), path })
    }
    return reply
  }
  return {
    cookieFor,
    get: (url) => send(url, {}),
    post: (url, fields) => send(url, { method: 'POST', body: fields }),
  }
}

/** Returns the fields that the consent form of a page sends: hidden fields and checked boxes, with some changed. */
export function formOn(page: string, changed: { readonly [name: string]: readonly string[] } = {}): URLSearchParams {
  const forms = page.split('<form').slice(1)
  const form = forms.find((each) => each.includes('name="decision"')) ?? ''
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].map(([, attributes = '']) => {
    const of = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''
    const isSent = of('type') === 'hidden' || / checked/.test(attributes)
    return { name: of('name'), value: of('value').replaceAll('&#39;', "'").replaceAll('&amp;', '&'), isSent }
  })
  const fields = new URLSearchParams()
  for (const { name, value, isSent } of inputs) if (isSent && !(name in changed)) fields.append(name, value)
  for (const [name, values] of Object.entries(changed)) for (const value of values) fields.append(name, value)
  return fields
}

/** Follows a program's authorization request as a person who allows everything. Returns the URL that leads back to the program. */
export async function allowAll(session: string | null, asked: string): Promise<URL> {
  const browser = browse(session)
  const begun = await browser.get(asked)
  const page = new URL(String(begun.headers.get('location')), asked).href
  const decided = await browser.post(page, formOn((await browser.get(page)).text, { decision: ['allow'] }))
  const led = await browser.get(String(decided.headers.get('location')))
  return new URL(String(led.headers.get('location')))
}

/** Connects a new program as a person who allows everything: the whole flow, without checking the answers in between. */
export async function connectProgram(
  baseUrl: string,
  { session, name }: { session: string | null; name: string },
): Promise<Reply> {
  const redirect_uri = 'https://program.example/callback'
  const registered = await sendJson(`${baseUrl}/oauth/register`, { client_name: name, redirect_uris: [redirect_uri] })
  const client_id = String(registered.body.client_id)
  const { verifier, challenge } = newProof()
  const resource = `${baseUrl}/api/mcp`
  const asked = urlOf(`${baseUrl}/oauth/authorize`, {
    client_id,
    redirect_uri,
    resource,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const code = (await allowAll(session, asked)).searchParams.get('code') ?? undefined
  const grant = { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier, resource }
  return sendForm(`${baseUrl}/oauth/token`, grant)
}
