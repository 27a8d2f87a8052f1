/** The client: `new Mailroom({ apiKey })`, with a group for each resource of the API. */
import { Groups } from './generated/groups.ts'
import type { MessagesWaitAndClaimParams, MessagesWaitResult } from './generated/types.ts'
import { type MailroomOptions, type RequestOptions, Transport } from './transport.ts'

/**
 * The filters of a wait, and how many seconds it may take in total (default: 60). With `claim`, the message is leased to the caller for
 * that many seconds: parallel waits receive distinct messages.
 */
export type WaitParams = Omit<MessagesWaitAndClaimParams, 'timeout'> & { readonly timeout?: number }
export type WaitedMessage = NonNullable<MessagesWaitResult['message']>

export type WaitedCode = { readonly code: string; readonly message: WaitedMessage }
export type WaitedLink = { readonly url: string; readonly message: WaitedMessage }

/** No matching message arrived in time. `nearMisses` are messages that arrived but failed a filter. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError'
  readonly nearMisses: MessagesWaitResult['near_misses']

  constructor(text: string, nearMisses: MessagesWaitResult['near_misses']) {
    super(text)
    this.nearMisses = nearMisses
  }
}

const defaultWaitSeconds = 60
/** The longest wait of one request. */
const requestWaitSeconds = 55
/** Short, so that there is soon a cursor: a request that is cut and repeated without one would miss earlier messages. */
const firstWaitSeconds = 1

export class Mailroom extends Groups {
  constructor(options: MailroomOptions = {}) {
    super(new Transport(options))
  }

  /**
   * Waits for the first message that passes all filters; without `since`, for one that is stored from now on. Note the time or a cursor
   * before you trigger the mail. Rejects with WaitTimeoutError.
   */
  async waitForMessage(address: string, params: WaitParams = {}, options?: RequestOptions): Promise<WaitedMessage> {
    return this.#waitFor(address, params, options, (message) => message)
  }

  /** Like `waitForMessage`, for a verification code. */
  async waitForCode(address: string, params: WaitParams = {}, options?: RequestOptions): Promise<WaitedCode> {
    return this.#waitFor(address, { has_code: true, ...params }, options, (message) => {
      const code = message.verification?.codes[0]?.value
      return code === undefined ? null : { code, message }
    })
  }

  /** Like `waitForMessage`, for a verification link, preferably one to the domain that vouches for the author. */
  async waitForLink(address: string, params: WaitParams = {}, options?: RequestOptions): Promise<WaitedLink> {
    return this.#waitFor(address, { has_link: true, ...params }, options, (message) => {
      const links = message.verification?.links ?? []
      const link = links.find(({ same_org: isOwn }) => isOwn) ?? links[0]
      return link === undefined ? null : { url: link.url, message }
    })
  }

  async #waitFor<T>(
    address: string,
    { timeout = defaultWaitSeconds, ...params }: WaitParams,
    options: RequestOptions | undefined,
    find: (message: WaitedMessage) => T | null,
  ): Promise<T> {
    const endsAt = Date.now() + timeout * 1_000
    const { messages } = this.mailboxes
    let since = params.since
    for (;;) {
      const most = since === undefined ? firstWaitSeconds : requestWaitSeconds
      const seconds = Math.max(1, Math.min(Math.ceil((endsAt - Date.now()) / 1_000), most))
      const query = { ...params, ...(since !== undefined && { since }), timeout: seconds }
      const isClaimed = params.claim !== undefined
      const answer = await (isClaimed
        ? messages.waitAndClaim(address, query, options)
        : messages.wait(address, query, options))
      const found = answer.message === null ? null : find(answer.message)
      if (found !== null) return found
      if (isClaimed && answer.message !== null) await messages.release(address, answer.message.message_id, options)
      if (Date.now() >= endsAt)
        throw new WaitTimeoutError(
          `No matching message arrived at ${address} within ${timeout} seconds.`,
          answer.near_misses,
        )
      since = answer.cursor
    }
  }
}

/** The content of an attachment. */
export type AttachmentContent = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>

/** Makes an attachment for a send from text, bytes, a file or a stream, which is read to its end. */
export async function attachment(
  name: string,
  content: AttachmentContent,
  { contentType }: { readonly contentType?: string } = {},
): Promise<{ readonly name: string; readonly contentType: string; readonly content: string }> {
  const known = contentType ?? (content instanceof Blob ? content.type : '')
  const bytes = new Uint8Array(await new Response(content as ConstructorParameters<typeof Response>[0]).arrayBuffer())
  return { name, contentType: known === '' ? 'application/octet-stream' : known, content: base64(bytes) }
}

/** In pieces, because a call can take only a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
