/** Mail for the service, and a sender that follows RFC 5321 4.5.4.1: it repeats a mail until the server answers 250. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'

export type Letter = {
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

/** An answer of the server that refuses the mail. */
export class Refusal extends Error {
  readonly code: number

  constructor(code: number, line: string) {
    super(line)
    this.code = code
  }
}

const answerMs = 30_000
const retryMs = 100
const lineBytes = 76
const smallBytes = 20_000
/** Larger than one chunk of a blob. */
const largeBytes = 1_300_000

/** A mail that differs from all others. One in 25 is large. */
export function writeLetter(random: Random, { name, to }: { name: string; to: readonly string[] }): Letter {
  const messageId = `${name}@remote.test`
  const from = `${name}@remote.test`
  const size = random.below(25) === 0 ? largeBytes : random.below(smallBytes)
  const line = `.${random.token()}${'x'.repeat(lineBytes)}`.slice(0, lineBytes)
  const lines = Array.from({ length: Math.ceil(size / lineBytes) }, () => line)
  const head = [
    `From: <${from}>`,
    `To: ${to.map((address) => `<${address}>`).join(', ')}`,
    `Subject: ${name}`,
    `Message-ID: <${messageId}>`,
    'Date: Fri, 20 Nov 2026 12:00:00 +0000',
  ]
  return { messageId, from, to, raw: Buffer.from([...head, '', ...lines, ''].join('\r\n')) }
}

/**
 * Sends a mail, repeating the same bytes until the server answers 250. `smtp` gives the current address of the server. Returns
 * the number of tries. Rejects when a try is refused for good, or none succeeds within `withinMs`.
 */
export async function handInForSure(smtp: () => string, letter: Letter, withinMs: number): Promise<number> {
  const end = Date.now() + withinMs
  for (let tries = 1; ; tries++) {
    try {
      await handIn(smtp(), letter)
      return tries
    } catch (error) {
      if ((error instanceof Refusal && error.code >= 500) || Date.now() > end) throw error
      await sleep(retryMs)
    }
  }
}

/** One session with one transaction. Rejects with a Refusal, or with whatever broke the connection. */
function handIn(smtp: string, { from, to, raw }: Letter): Promise<void> {
  const stuffed = raw.toString('latin1').replaceAll('\r\n.', '\r\n..')
  const steps = [
    'EHLO remote.test',
    `MAIL FROM:<${from}>`,
    ...to.map((address) => `RCPT TO:<${address}>`),
    'DATA',
    `${stuffed}.`,
  ]
  const [host, port] = smtp.split(':')
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) })
    let text = ''
    let step = -1
    const fail = (error: Error) => {
      reject(error)
      socket.destroy()
    }
    socket.setTimeout(answerMs, () => fail(new Error(`No answer within ${answerMs} ms.`)))
    socket.on('error', fail)
    socket.on('close', () => reject(new Error('The connection was closed.')))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [reply, code] = /^(?:\d{3}-.*\r\n)*(\d{3}) .*\r\n/.exec(text) ?? []
      if (reply === undefined) return
      text = text.slice(reply.length)
      const wanted = steps[step] === 'DATA' ? 354 : step === -1 ? 220 : 250
      if (Number(code) !== wanted) return fail(new Refusal(Number(code), reply.trim()))
      step += 1
      if (step < steps.length) {
        socket.write(`${steps[step]}\r\n`, 'latin1')
        return
      }
      resolve()
      socket.end('QUIT\r\n')
    })
  })
}
