/** Reads messages with mailparser, in a thread of its own: it may crash or hang there. */
import { parentPort } from 'node:worker_threads'
import { type AddressObject, type EmailAddress, simpleParser } from 'mailparser'
import { digest, type Reading, textOf } from './reading.ts'

parentPort?.on('message', async (raw: Uint8Array) => {
  parentPort?.postMessage(await read(Buffer.from(raw)))
})

async function read(raw: Buffer): Promise<Reading> {
  const { attachments, cc, date, from, messageId, references, subject, text, to } = await simpleParser(raw, {
    keepCidLinks: true,
    skipHtmlToText: true,
    skipImageLinks: true,
    skipTextToHtml: true,
  })
  return {
    subject: subject ?? '',
    from: mailboxesOf(from),
    to: mailboxesOf(to),
    cc: mailboxesOf(cc),
    date: date?.toISOString() ?? null,
    messageId: withoutBrackets(messageId ?? ''),
    references: [references ?? []].flat().map(withoutBrackets),
    attachments: attachments.map(({ content, contentType, filename }) => ({
      name: filename ?? '',
      contentType,
      sha256: digest(content),
    })),
    text: textOf(text ?? ''),
  }
}

function mailboxesOf(fields: AddressObject | AddressObject[] | undefined): Reading['from'] {
  const members = ({ group, ...mailbox }: EmailAddress) => group ?? [mailbox]
  return [fields ?? []]
    .flat()
    .flatMap(({ value }) => value.flatMap(members))
    .map(({ address = '', name }) => ({ name, address }))
}

const withoutBrackets = (id: string) => id.replace(/^<|>$/g, '')
