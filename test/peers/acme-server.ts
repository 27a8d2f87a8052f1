/**
 * A certificate authority that speaks ACME (RFC 8555) with renewal information (RFC 9773): it verifies every signature and nonce,
 * checks challenges over HTTP and in the DNS, and issues certificates. It can be set to refuse.
 */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as x509 from '@peculiar/x509'
import { request } from 'undici'

/** An error that is sent in place of an answer. */
export type Refused = {
  readonly status: number
  readonly type: string
  readonly detail: string
  readonly retryAfter?: string
}

export type AcmeServer = {
  readonly directory: string
  /** Its root certificate, as PEM. */
  readonly root: string
  /** The names that were ordered, with repeats. */
  readonly ordered: readonly string[]
  /** The `replaces` fields of orders. */
  readonly replaced: readonly string[]
  readonly accounts: number
  /** Forgets all accounts. */
  forget(): void
  /** The challenges that were checked, as `<type> <name>`. */
  readonly looked: readonly string[]
  /** Names whose orders are refused, with the error. */
  readonly refuse: Map<string, Refused>
  /** Names whose orders stay at `processing`. */
  readonly held: Set<string>
  /** How long certificates are valid. */
  lifetimeMs: number
  /** The suggested renewal window of its certificates; null: it does not offer renewal information. */
  suggests: { readonly start: string; readonly end: string } | null
  close(): Promise<void>
}

type Jwk = { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string }
type Order = {
  readonly id: string
  readonly name: string
  readonly account: string
  readonly token: string
  challenge: { type: string; status: 'pending' | 'valid' | 'invalid'; error?: object }
  finalized: Uint8Array | null
  certificate: string | null
}
type Signed = { readonly payload: { readonly [name: string]: unknown }; readonly account: string; readonly jwk: Jwk }

class Problem extends Error {
  readonly refused: Refused
  constructor(refused: Refused) {
    super(refused.detail)
    this.refused = refused
  }
}

const problems = 'urn:ietf:params:acme:error:'
const types = ['http-01', 'dns-01']
const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Starts it. It fetches challenges from `httpPort` in place of port 80; `texts` returns the TXT records of a name; `now` is its clock. */
export async function startAcmeServer({
  httpPort,
  texts = async () => [],
  now = Date.now,
}: {
  readonly httpPort: () => number
  readonly texts?: (name: string) => Promise<readonly string[]>
  readonly now?: () => number
}): Promise<AcmeServer> {
  const keys = await crypto.subtle.generateKey(curve, true, ['sign', 'verify'])
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=authority of the tests',
    keys,
    signingAlgorithm: curve,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const accounts = new Map<string, Jwk>()
  const orders = new Map<string, Order>()
  const nonces = new Set<string>()
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const told = {
    directory: `${base}/directory`,
    root: root.toString('pem'),
    ordered: [] as string[],
    replaced: [] as string[],
    looked: [] as string[],
    refuse: new Map<string, Refused>(),
    held: new Set<string>(),
    lifetimeMs: 90 * 86_400_000,
    suggests: null as AcmeServer['suggests'],
    get accounts() {
      return accounts.size
    },
    forget: () => accounts.clear(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = randomBytes(12).toString('base64url')
    nonces.add(nonce)
    response.setHeader('Replay-Nonce', nonce)
    try {
      const { status = 200, location, body } = await answer(request)
      if (location !== undefined) response.setHeader('Location', location)
      const isText = typeof body === 'string'
      response.writeHead(status, { 'Content-Type': isText ? 'application/pem-certificate-chain' : 'application/json' })
      response.end(isText ? body : JSON.stringify(body ?? {}))
    } catch (error) {
      const { status, type, detail, retryAfter } =
        error instanceof Problem ? error.refused : { status: 500, type: 'serverInternal', detail: String(error) }
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter)
      response.writeHead(status, { 'Content-Type': 'application/problem+json' })
      response.end(JSON.stringify({ type: problems + type, detail, status }))
    }
  }

  type Answer = { readonly status?: number; readonly location?: string; readonly body?: unknown }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const [, what = '', id = '', type = ''] = (request.url ?? '').split('/')
    if (what === 'directory') return { body: directory() }
    if (what === 'nonce') return {}
    if (what === 'renewal-info') return { body: { suggestedWindow: told.suggests } }
    const { payload, account, jwk } = await signedBody(request, what === 'new-account')
    if (what === 'new-account') return register(jwk, payload)
    if (what === 'account') return { body: { status: 'valid' } }
    if (what === 'new-order') return begin(account, payload)
    const order = orders.get(id)
    if (order === undefined || order.account !== account) throw refusal(404, 'malformed', 'There is no such order.')
    if (what === 'authz') return { body: authorizationOf(order) }
    if (what === 'challenge') return { body: await look(order, type, jwk) }
    if (what === 'finalize') await finalize(order, String(payload.csr))
    if (what === 'certificate') return { body: order.certificate }
    return { body: await shown(order) }
  }

  function directory() {
    const at = (path: string) => `${base}/${path}`
    return {
      newNonce: at('nonce'),
      newAccount: at('new-account'),
      newOrder: at('new-order'),
      ...(told.suggests !== null && { renewalInfo: at('renewal-info') }),
    }
  }

  /** RFC 8555 6.2 to 6.5 */
  async function signedBody(request: IncomingMessage, isNew: boolean): Promise<Signed> {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { [part: string]: string }
    const header = JSON.parse(decoded(body.protected)) as {
      alg: string
      nonce: string
      url: string
      kid?: string
      jwk?: Jwk
    }
    const account = header.kid?.split('/').at(-1) ?? ''
    const jwk = isNew ? header.jwk : accounts.get(account)
    if (jwk === undefined) throw refusal(400, 'accountDoesNotExist', 'There is no such account.')
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const signed = Buffer.from(`${body.protected}.${body.payload}`)
    const signature = Buffer.from(body.signature ?? '', 'base64url')
    const isSigned = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
    if (!isSigned || header.alg !== 'ES256') throw refusal(401, 'unauthorized', 'The signature is wrong.')
    if (header.url !== `${base}${request.url}`) throw refusal(401, 'unauthorized', 'The URL is another.')
    if (!nonces.delete(header.nonce)) throw refusal(400, 'badNonce', 'The nonce is not known.')
    return { payload: body.payload === '' ? {} : JSON.parse(decoded(body.payload)), account, jwk }
  }

  function register(jwk: Jwk, { termsOfServiceAgreed, contact }: Signed['payload']): Answer {
    if (termsOfServiceAgreed !== true) throw refusal(403, 'userActionRequired', 'Agree to the terms.')
    const id = thumbprint(jwk)
    const status = accounts.has(id) ? 200 : 201
    accounts.set(id, jwk)
    return { status, location: `${base}/account/${id}`, body: { status: 'valid', contact } }
  }

  function begin(account: string, { identifiers, replaces }: Signed['payload']): Answer {
    const [{ value: name = '' } = {}] = identifiers as { value?: string }[]
    told.ordered.push(name)
    if (typeof replaces === 'string') told.replaced.push(replaces)
    const refused = told.refuse.get(name)
    if (refused !== undefined) throw new Problem(refused)
    const id = String(orders.size + 1)
    const challenge = { type: '', status: 'pending' as const }
    const token = randomBytes(16).toString('base64url')
    const order = { id, name, account, token, challenge, finalized: null, certificate: null }
    orders.set(id, order)
    return { status: 201, location: `${base}/order/${id}`, body: orderOf(order) }
  }

  function orderOf({ id, name, challenge, finalized, certificate }: Order) {
    const proved = { pending: 'pending', valid: 'ready', invalid: 'invalid' }[challenge.status]
    const status = finalized === null ? proved : certificate === null ? 'processing' : 'valid'
    return {
      status,
      identifiers: [{ type: 'dns', value: name }],
      authorizations: [`${base}/authz/${id}`],
      finalize: `${base}/finalize/${id}`,
      ...(certificate !== null && { certificate: `${base}/certificate/${id}` }),
    }
  }

  async function shown(order: Order) {
    if (order.finalized !== null && order.certificate === null && !told.held.has(order.name))
      order.certificate = await issue(order.name, order.finalized)
    return orderOf(order)
  }

  function authorizationOf({ id, name, token, challenge }: Order) {
    // RFC 8555 7.1.3
    const wildcard = name.startsWith('*.')
    const challenges = types.slice(wildcard ? 1 : 0).map((type) => {
      const own = type === challenge.type ? challenge : { status: 'pending' }
      return { ...own, type, token, url: `${base}/challenge/${id}/${type}` }
    })
    const identifier = { type: 'dns', value: wildcard ? name.slice(2) : name }
    return { status: challenge.status, identifier, ...(wildcard && { wildcard }), challenges }
  }

  /** RFC 8555 8.3, 8.4 */
  async function look(order: Order, type: string, jwk: Jwk) {
    told.looked.push(`${type} ${order.name}`)
    const expected = `${order.token}.${thumbprint(jwk)}`
    const digest = createHash('sha256').update(expected).digest('base64url')
    const isThere =
      type === 'dns-01'
        ? (await texts(`_acme-challenge.${order.name.replace('*.', '')}`)).includes(digest)
        : (await textAt(order.name, order.token)) === expected
    order.challenge = isThere
      ? { type, status: 'valid' }
      : {
          type,
          status: 'invalid',
          error: { type: `${problems}unauthorized`, detail: `${order.name} answers otherwise` },
        }
    return { type, status: order.challenge.status, token: order.token, url: `${base}/challenge/${order.id}/${type}` }
  }

  async function textAt(host: string, token: string): Promise<string> {
    const url = `http://127.0.0.1:${httpPort()}/.well-known/acme-challenge/${token}`
    const { body } = await request(url, { headers: { host } })
    return (await body.text()).trim()
  }

  async function finalize(order: Order, csr: string): Promise<void> {
    if (order.challenge.status !== 'valid') throw refusal(403, 'orderNotReady', 'The order is not ready.')
    const bytes = Buffer.from(csr, 'base64url')
    const asked = new x509.Pkcs10CertificateRequest(bytes)
    const alternative = asked.getExtension('2.5.29.17') as x509.SubjectAlternativeNameExtension | null
    const names = alternative?.names.toJSON().map(({ value }) => value)
    if (!(await asked.verify()) || names?.join() !== order.name) throw refusal(400, 'badCSR', 'The request is wrong.')
    order.finalized = bytes
  }

  async function issue(name: string, csr: Uint8Array): Promise<string> {
    const request = new x509.Pkcs10CertificateRequest(csr)
    const at = now()
    const leaf = await x509.X509CertificateGenerator.create({
      subject: '',
      issuer: root.subject,
      serialNumber: randomBytes(16).toString('hex'),
      notBefore: new Date(at - 60_000),
      notAfter: new Date(at + told.lifetimeMs),
      publicKey: await request.publicKey.export(),
      signingKey: keys.privateKey,
      signingAlgorithm: curve,
      extensions: [
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      ],
    })
    return `${leaf.toString('pem')}\n${root.toString('pem')}\n`
  }

  return told
}

const decoded = (text = '') => Buffer.from(text, 'base64url').toString()
const refusal = (status: number, type: string, detail: string) => new Problem({ status, type, detail })

/** RFC 7638 */
function thumbprint({ crv, kty, x, y }: Jwk): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}
