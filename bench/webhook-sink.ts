/** A webhook receiver in a process of its own. It answers 200 at once, and records when the first body for each message came. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerParent } from './child.ts'

export type SinkQuestion = 'port' | 'reset' | 'received'
export type SinkAnswer = {
  readonly port: number
  readonly count: number
  /** When the first and the last body came, and when the body for each message came, by its subject; ms since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
  readonly times: { readonly [subject: string]: number }
}

const subjectOf = /"subject":"(bench [^"]+)"/
let count = 0
let firstAt = 0
let lastAt = 0
let times: { [subject: string]: number } = {}

const nowMs = () => performance.timeOrigin + performance.now()
const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    lastAt = nowMs()
    if (count === 0) firstAt = lastAt
    count += 1
    const subject = subjectOf.exec(body)?.[1]
    if (subject !== undefined) times[subject] ??= lastAt
    response.end('ok')
  })
})
server.keepAliveTimeout = 60_000
const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

answerParent<SinkQuestion, SinkAnswer>(async (question) => {
  await listening
  if (question === 'reset') {
    count = 0
    times = {}
  }
  return {
    port: (server.address() as AddressInfo).port,
    count,
    firstAt,
    lastAt,
    times: question === 'received' ? times : {},
  }
})
