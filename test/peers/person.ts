/** A person at a browser: keeps the session cookie, and sends the CSRF token. */
import { expect } from 'chai'
import { type Answer, client, type Json } from './rest.ts'

export type Person = {
  /** Makes a request with the cookie, and with the token if it changes something. */
  readonly ask: <T = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<T>>
  /** The Cookie field; null when nobody is signed in. */
  cookie: string | null
}

/** Opens a browser, in which nobody is signed in unless `cookie` is given. */
export function browser(http: string, cookie: string | null = null): Person {
  const call = client(http)
  const person: Person = {
    cookie,
    async ask(method, path, body, headers = {}) {
      const own: Record<string, string> = person.cookie === null ? {} : { cookie: person.cookie }
      if (method !== 'GET' && person.cookie !== null) own['x-csrf-token'] = await csrfToken()
      const answer = await call(method, path, body, { ...own, ...headers })
      const set = answer.headers.get('set-cookie')
      if (set !== null) {
        const [pair = ''] = set.split(';')
        person.cookie = pair.endsWith('=') ? null : pair
      }
      return answer as never
    },
  }
  const csrfToken = async () => {
    const { body } = await call<{ csrfToken?: string }>('GET', '/api/v1/session', undefined, {
      cookie: person.cookie ?? '',
    })
    return body.csrfToken ?? ''
  }
  return person
}

/** Expects that an answer is this refusal. */
export function expectRefusal({ status, body }: Answer<unknown>, expected: readonly [number, string]): void {
  expect([status, (body as { code?: string }).code]).to.deep.equal(expected)
}
