/**
 * A remote mail server that records when it accepted each mail. It answers slowly, so that a kill can cut off its answer.
 */
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { type SmtpSink, startSmtpSink } from '../peers/receivers.ts'
import type { Random } from './random.ts'

export type Receipt = { readonly messageId: string; readonly recipient: string; readonly at: number }
export type Remote = { readonly port: number; readonly receipts: readonly Receipt[]; close(): Promise<void> }

const answerMsMax = 80

export async function startRemote(random: Random): Promise<Remote> {
  const receipts: Receipt[] = []
  function onData(stream: SMTPServerDataStream, { envelope }: SMTPServerSession, done: () => void): void {
    let text = ''
    stream.on('data', (part: Buffer) => {
      text += part.toString('latin1')
    })
    stream.on('end', () => {
      const [, messageId = ''] = /^Message-ID:\s*<([^>]+)>/im.exec(text) ?? []
      for (const { address } of envelope.rcptTo) receipts.push({ messageId, recipient: address, at: Date.now() })
      setTimeout(done, random.below(answerMsMax))
    })
  }
  const sink: SmtpSink = await startSmtpSink({ onData })
  return { port: sink.port, receipts, close: sink.close }
}
