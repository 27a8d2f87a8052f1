/**
 * The certificate authority named in the settings, reached by ACME (RFC 8555). The key of our account there is stored sealed in the
 * database, so all nodes use the same account. If the authority refuses something, this throws a `Refusal` with its words.
 */
import { generateKeyPairSync, type X509Certificate } from 'node:crypto'
import type * as acme from 'acme-client'
import { fromBinary } from '../../store/bytes.ts'
import { claimState } from '../../store/records.ts'
import { acmeAccountName, sealedFor, toSealed } from '../../store/sealed.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { perProcess } from '../process/per-process.ts'

export type Authority = {
  /** Orders a certificate for a name; `replaces` is the certificate that it replaces, if any. */
  order(name: string, replaces: X509Certificate | null): Promise<acme.Order>
  readOrder(url: string): Promise<acme.Order>
  /** The authorization for the only name of an order, with the challenges that can prove that the name is ours. */
  authorization(order: acme.Order): Promise<acme.Authorization>
  /** The answer to a challenge: for HTTP-01 what its URL returns, for DNS-01 the value of the TXT record. */
  answerTo(challenge: Challenge): Promise<string>
  /** Tells the authority that the answer is ready to be checked. */
  answered(challenge: Challenge): Promise<void>
  /** Submits the signing request for the certificate, which will have this key. */
  finalize(order: acme.Order, name: string, key: string): Promise<void>
  /** The certificate with its chain, as PEM. */
  download(order: acme.Order): Promise<string>
  /** When the authority suggests renewing a certificate (RFC 9773); null if it suggests nothing. */
  renewalWindow(leaf: X509Certificate): Promise<RenewalWindow | null>
}

export type Challenge = acme.Authorization['challenges'][number]
export type RenewalWindow = { readonly from: Date; readonly to: Date }

/** Why the authority did not do what we asked for. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Whether the same request may be repeated: the authority did not answer, is down, or limits our rate for now. */
  readonly isTemporary: boolean
  /** How long to wait before the next request; 0 if the authority did not say. */
  readonly retryAfterMs: number
  /** Whether the authority does not know our account any more. */
  readonly isUnknownAccount: boolean

  constructor(message: string, { isTemporary = false, retryAfterMs = 0, isUnknownAccount = false } = {}) {
    super(message)
    this.isTemporary = isTemporary
    this.retryAfterMs = retryAfterMs
    this.isUnknownAccount = isUnknownAccount
  }
}

const requestMs = 30 * secondMs
/** A chain has a few kilobytes. */
const answerBytesMax = 1024 * 1024

/** A new private key of a certificate or an account, as PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
}

const state = perProcess(() => ({ ending: new AbortController(), opened: new Map<string, Promise<Authority>>() }))

/** The authority of a directory, with our account there. Fails with a `Refusal`. */
export function authorityAt(ctx: Context, directory: string): Promise<Authority> {
  const { opened } = state(ctx)
  const known = opened.get(directory)
  if (known !== undefined) return known
  const opening = open(ctx, directory)
  opened.set(directory, opening)
  opening.catch(() => opened.delete(directory))
  return opening
}

/** Forgets our account there, so that the next request opens it anew. */
export function forgetAccount(ctx: Context, directory: string): void {
  state(ctx).opened.delete(directory)
}

/** Aborts the requests of this process to authorities, because the process is ending. */
export function endRequests(ctx: Context): void {
  state(ctx).ending.abort()
}

export function isEnding(ctx: Context): boolean {
  return state(ctx).ending.signal.aborted
}

const load = loadOnce(async () => {
  const library = await import('acme-client')
  const { defaults, interceptors } = library.axios
  Object.assign(defaults, { timeout: requestMs, maxContentLength: answerBytesMax })
  // The library's own handler would wait out Retry-After within the request, and loses the reason why there was no answer.
  interceptors.response.clear()
  interceptors.response.use(null, (error: Failed) => {
    const { response } = error
    if (response === undefined)
      throw new Refusal(`The authority did not answer: ${error.message}`, { isTemporary: true })
    const isNonce = response.data?.type === `${problems}badNonce`
    // The library itself replaces an expired nonce (RFC 8555 6.5).
    if (response.status < 400 || isNonce) return response
    throw refusalOf(response)
  })
  return library
})

type Problem = { readonly type?: string; readonly detail?: string }
type Response = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly data?: Problem & { readonly subproblems?: readonly Problem[] }
}
type Failed = Error & { readonly response?: Response }

const problems = 'urn:ietf:params:acme:error:'

/** RFC 8555 6.6, 6.7 */
function refusalOf({ status, headers, data }: Response): Refusal {
  return new Refusal(`The authority refuses: ${wordsOf(data ?? {}) ?? `HTTP ${status}`}`, {
    isTemporary: status === 429 || status >= 500,
    retryAfterMs: retryAfterOf(headers['retry-after']),
    isUnknownAccount: data?.type === `${problems}accountDoesNotExist`,
  })
}

/** The words of a problem document, at most `wordsMax` characters; null if it says nothing. */
export function wordsOf({ type, detail, subproblems = [] }: NonNullable<Response['data']>): string | null {
  const own = [detail, ...subproblems.map((each) => each.detail)].filter((text) => text !== undefined)
  const kind = type?.startsWith(problems) === true ? [`(${type.slice(problems.length)})`] : []
  const words = [own.join('; '), ...kind].filter((text) => text !== '').join(' ')
  return words === '' ? null : words.replaceAll(/\s+/g, ' ').slice(0, wordsMax)
}

const wordsMax = 500

function retryAfterOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now())
}

async function open(ctx: Context, directory: string): Promise<Authority> {
  const { axios, crypto, Client } = await load()
  // The library is loaded once per process, so all its requests share the process's signal.
  axios.defaults.signal = state(ctx).ending.signal
  const accountKey = await accountKeyOf(ctx, directory)
  const client = new Client({ directoryUrl: directory, accountKey })
  const { email } = ctx.settings.acme
  await client.createAccount({
    termsOfServiceAgreed: true,
    ...(email !== null && { contact: [`mailto:${email}`] }),
  })
  return {
    async order(name, replaces) {
      const predecessor = replaces === null || (await renewalInfoUrl()) === null ? null : ariId(replaces)
      const identifiers = [{ type: 'dns', value: name }]
      const asked = { identifiers, ...(predecessor !== null && { replaces: predecessor }) }
      return client.createOrder(asked)
    },
    readOrder: (url) => client.getOrder({ url } as acme.Order),
    async authorization(order) {
      const [authorization] = await client.getAuthorizations(order)
      if (authorization === undefined) throw new Refusal('The order has no authorization.')
      return authorization
    },
    answerTo: (challenge) => client.getChallengeKeyAuthorization(challenge),
    async answered(challenge) {
      await client.completeChallenge(challenge)
    },
    async finalize(order, name, key) {
      const [, request] = await crypto.createCsr({ altNames: [name] }, key)
      await client.finalizeOrder(order, request)
    },
    download: (order) => client.getCertificate(order),
    async renewalWindow(leaf) {
      const [url, id] = [await renewalInfoUrl(), ariId(leaf)]
      if (url === null || id === null) return null
      const { data } = await axios.get<RenewalInfo>(`${url.replace(/\/$/, '')}/${id}`)
      const [from, to] = [data.suggestedWindow?.start, data.suggestedWindow?.end].map((text) => new Date(text ?? ''))
      if (from === undefined || to === undefined || !(from <= to)) return null
      return { from, to }
    },
  }

  async function renewalInfoUrl(): Promise<string | null> {
    const { data } = await axios.get<{ readonly renewalInfo?: string }>(directory)
    return data.renewalInfo ?? null
  }
}

type RenewalInfo = { readonly suggestedWindow?: { readonly start?: string; readonly end?: string } }

/** The key of our account at an authority. If several nodes make one at the same time, all use the first. */
async function accountKeyOf(ctx: Context, directory: string): Promise<string> {
  const made = toSealed(ctx.secrets.seal(newPrivateKey(), sealedFor.acmeAccount))
  const sealed = await claimState(ctx.store, acmeAccountName(directory), made)
  return ctx.secrets.open(fromBinary(sealed), sealedFor.acmeAccount)
}

/**
 * The identifier of a certificate at its authority: the key identifier of its issuer and its serial number (RFC 9773 4.1). Null
 * if the certificate does not name the key of its issuer.
 */
export function ariId({ raw, serialNumber }: Pick<X509Certificate, 'raw' | 'serialNumber'>): string | null {
  const at = raw.indexOf(authorityKeyIdentifier)
  if (at < 0) return null
  // OCTET STRING { SEQUENCE { [0] keyIdentifier ... } }, each with a length of one byte
  const value = raw.subarray(at + authorityKeyIdentifier.length)
  const [octets, , sequence, , tag, length = 0] = value
  if (octets !== 0x04 || sequence !== 0x30 || tag !== 0x80) return null
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`
  const number = Buffer.from(hex, 'hex')
  // As in DER, where the first bit of a number that is not negative is 0.
  const signed = (number[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), number]) : number
  return `${value.subarray(6, 6 + length).toString('base64url')}.${signed.toString('base64url')}`
}

/** The object identifier 2.5.29.35 in DER. */
const authorityKeyIdentifier = Buffer.from('0603551d23', 'hex')
