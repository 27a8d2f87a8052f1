/**
 * The load while processes are killed: strangers send mail in, and the owner sends mail out. Both repeat until they succeed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, client } from '../peers/rest.ts'
import { handInForSure, type Letter, writeLetter } from './letters.ts'
import type { Owner } from './owner.ts'
import type { Random } from './random.ts'

export type Volume = {
  readonly senders: number
  readonly lettersEach: number
  readonly clients: number
  readonly sendsEach: number
}

/** A send that was answered 202. */
export type Send = {
  readonly emailId: string
  readonly messageId: string
  readonly subject: string
  readonly recipients: readonly string[]
  readonly tries: number
}

/** What was acknowledged, what was not, and how many tries it took. */
export type Sent = {
  readonly letters: readonly Letter[]
  readonly sends: readonly Send[]
  readonly tries: number
  readonly failures: readonly string[]
}

/** The current addresses of the service; they change when it is started again. */
export type Place = { readonly smtp: string; readonly http: string }

const pauseMsMax = 120
const retryMs = 100
/** The pause before a repeat: the Retry-After of `idempotency_in_progress`. */
const stillRunningMs = 1_000
const acceptedWithinMs = 120_000

/** Runs the whole load. Resolves when everything was acknowledged or given up. */
export async function playLoad(
  place: () => Place,
  { owner, name, volume, random }: { owner: Owner; name: string; volume: Volume; random: Random },
): Promise<Sent> {
  const letters: Letter[] = []
  const sends: Send[] = []
  const failures: string[] = []
  let tries = 0
  const noteFailure = (what: string) => (error: unknown) => failures.push(`${what} was never taken: ${String(error)}`)

  async function stranger(n: number): Promise<void> {
    for (let k = 0; k < volume.lettersEach; k++) {
      await sleep(random.below(pauseMsMax))
      const [first, second] = owner.mailboxes
      const to = [[first.address], [second.address], [first.address, second.address]][random.below(3)]!
      const letter = writeLetter(random, { name: `${name}-in-${n}-${k}`, to })
      await handInForSure(() => place().smtp, letter, acceptedWithinMs).then((took) => {
        tries += took
        letters.push(letter)
      }, noteFailure(letter.messageId))
    }
  }

  async function agent(n: number): Promise<void> {
    for (let k = 0; k < volume.sendsEach; k++) {
      await sleep(random.below(pauseMsMax))
      const subject = `${name}-out-${n}-${k}`
      const remote = [`${subject}@remote.test`, `${subject}-too@remote.test`]
      const recipients = [remote.slice(0, 1), remote, [remote[0]!, owner.mailboxes[1].address]][random.below(3)]!
      await sendForSure(place, owner, { subject, recipients }).then((send) => {
        tries += send.tries
        sends.push(send)
      }, noteFailure(subject))
    }
  }

  await Promise.all([
    ...Array.from({ length: volume.senders }, (_, n) => stranger(n)),
    ...Array.from({ length: volume.clients }, (_, n) => agent(n)),
  ])
  return { letters, sends, tries, failures }
}

type Accepted = { readonly id: string; readonly message_id: string }

/** Repeats a send with the same Idempotency-Key until the answer is 202. */
async function sendForSure(
  place: () => Place,
  { apiKey, mailboxes }: Owner,
  { subject, recipients }: { subject: string; recipients: readonly string[] },
): Promise<Send> {
  const end = Date.now() + acceptedWithinMs
  for (let tries = 1; ; tries++) {
    const answer = await client(place().http, apiKey)<Accepted>(
      'POST',
      `/api/v1/mailboxes/${mailboxes[0].address}/send`,
      { to: recipients, subject, text: `This is ${subject}.` },
      { 'idempotency-key': subject },
    ).catch((error: unknown) => error as Error)
    if (!(answer instanceof Error) && answer.status === 202) {
      const { id: emailId, message_id: messageId } = answer.body
      return { emailId, messageId, subject, recipients, tries }
    }
    const again = answer instanceof Error || answer.status >= 500 || isStillRunning(answer)
    if (!again || Date.now() > end)
      throw answer instanceof Error ? answer : new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    await sleep(!(answer instanceof Error) && isStillRunning(answer) ? stillRunningMs : retryMs)
  }
}

const isStillRunning = ({ status, body }: Answer<object>) =>
  status === 409 && 'code' in body && body.code === 'idempotency_in_progress'
