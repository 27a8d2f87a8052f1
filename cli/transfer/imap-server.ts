/** Another IMAP server: an account there, a connection that is re-established when it is cut, and the mapping of its folders and flags. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import type { SystemFlag } from '../../core/imap/flags.ts'
import { Failure } from '../../schemas/failures.ts'
import { errorText, type Io, sentence } from '../io.ts'

export type ImapAccount = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, if the server offers it. */
  readonly isSecure: boolean
  readonly user: string
  readonly password: string
  /** Whether the server's certificate is verified. */
  readonly isVerified: boolean
}

const triesMax = 6
const pauseMs = 500

/** Our folders for the special-use folders of other servers. */
export const specialPaths: { readonly [use: string]: string } = {
  '\\Sent': 'Sent',
  '\\Drafts': 'Drafts',
  '\\Trash': 'Trash',
  '\\Junk': 'Spam',
  '\\Archive': 'Archive',
}

export const flagOf: { readonly [flag: string]: SystemFlag } = {
  '\\Seen': 'seen',
  '\\Answered': 'answered',
  '\\Flagged': 'flagged',
  '\\Deleted': 'deleted',
  '\\Draft': 'draft',
}

export type ImapOptions = {
  readonly user: string
  readonly port: string
  readonly starttls: boolean
  readonly insecure: boolean
}

/** The account that the options name. Its password comes from the environment variable, or from a prompt on standard input. */
export async function accountOf(
  io: Io,
  host: string,
  { user, port, starttls, insecure }: ImapOptions,
  variable: string,
): Promise<ImapAccount> {
  const wanted = { host, port: portOf(port, starttls), isSecure: !starttls, user, isVerified: !insecure }
  return { ...wanted, password: io.env[variable] ?? (await askFor(`Password of ${user} at ${host}: `, variable)) }
}

export type Connection = {
  /**
   * Does some work on the connection. If it is cut, it is re-established and the work is repeated; after several attempts without
   * success in a row this fails.
   */
  run<T>(work: (client: ImapFlow) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function createConnection(account: ImapAccount, say: (text: string) => void): Connection {
  let client: ImapFlow | null = null

  async function open(): Promise<ImapFlow> {
    if (client?.usable === true) return client
    client?.close()
    const { host, port, isSecure, user, password: pass, isVerified } = account
    const fresh = new ImapFlow({
      host,
      port,
      secure: isSecure,
      auth: { user, pass },
      tls: { rejectUnauthorized: isVerified },
      logger: false,
    })
    // The operation in progress reports the error.
    fresh.on('error', () => undefined)
    await fresh.connect()
    client = fresh
    return fresh
  }

  return {
    async run(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await work(await open())
        } catch (error) {
          if (client?.usable === true) throw error
          const wrong = refusalOf(error, account)
          if (wrong !== null) throw wrong
          if (tries >= triesMax) throw gone(error, account)
          say(
            `The connection to ${account.host} was cut: ${error instanceof Error ? error.message : error}; trying again\n`,
          )
          await sleep(pauseMs * tries)
        }
      }
    },
    async close() {
      await client?.logout().catch(() => client?.close())
    },
  }
}

type ServerError = Error & {
  readonly code?: string
  readonly authenticationFailed?: boolean
  readonly responseText?: string
}

/** The failure for errors that a retry does not fix: the login, or the certificate of the server. */
function refusalOf(error: unknown, { host, user }: ImapAccount): Failure | null {
  if (!(error instanceof Error)) return null
  const { code = '', authenticationFailed, responseText, message } = error as ServerError
  if (authenticationFailed === true)
    return new Failure(
      'validation_error',
      sentence(`The server ${host} refuses the login of ${user}: ${responseText ?? message}`),
      {
        cause: error,
        fix: 'Give the user name and password with which mail programs log in there.',
      },
    )
  if (!/CERT|^UNABLE_TO_/.test(code)) return null
  return new Failure('validation_error', `The certificate of ${host} cannot be verified (${code}).`, {
    cause: error,
    fix: 'Use the host name in its certificate; --insecure accepts it unverified.',
  })
}

function gone(error: unknown, { host, port }: ImapAccount): Failure {
  return new Failure(
    'unavailable',
    sentence(`The server ${host} cannot be reached at port ${port}: ${errorText(error)}`),
    {
      cause: error,
      fix: 'Check that an IMAP server answers there, and run the command again: it continues with what is missing.',
    },
  )
}

/** Runs `work` with the folder selected, read-only by default. */
export async function inFolder<T>(
  client: ImapFlow,
  path: string,
  work: (mailbox: { readonly exists: number; readonly uidValidity: bigint }) => Promise<T>,
  { readOnly = true } = {},
): Promise<T> {
  const lock = await client.getMailboxLock(path, { readOnly })
  try {
    if (!client.mailbox) throw new Error(`The folder ${path} could not be opened.`)
    return await work(client.mailbox)
  } finally {
    lock.release()
  }
}

function portOf(text: string, isStartTls: boolean): number {
  const port = text === '' ? (isStartTls ? 143 : 993) : Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Failure('validation_error', `"${text}" is not a port.`, { fix: 'Give a number from 1 to 65535.' })
}

/** Prompts for a password, which is not echoed. */
async function askFor(question: string, variable: string): Promise<string> {
  const { stdin, stderr } = process
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY })
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const none = new Failure('validation_error', 'There is no password.', {
    fix: `Type it at the prompt, or set ${variable}.`,
  })
  reader.once('close', () => reject(none))
  stderr.write(question)
  try {
    return await Promise.race([reader.question(''), ended])
  } finally {
    ended.catch(() => undefined)
    reader.close()
    stderr.write('\n')
  }
}
