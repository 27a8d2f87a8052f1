import { readdirSync, readFileSync } from 'node:fs'

/** The 64 messages as they would arrive by SMTP: CRLF line ends, the last one present. */
export const mimeFixtures = () => messagesIn('mime')

/** Messages made here, each named after what it proves. */
export const mailFixtures = () => messagesIn('mail')

function messagesIn(folder: string): { readonly name: string; readonly raw: Buffer }[] {
  const from = new URL(`../fixtures/${folder}/`, import.meta.url)
  return readdirSync(from)
    .filter((file) => file.endsWith('.eml'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), raw: wire(readFileSync(new URL(file, from), 'latin1')) }))
}

/** Latin-1 text as message bytes, line ends made CRLF. */
export function wire(text: string): Buffer {
  const lines = text.replace(/\r?\n/g, '\r\n')
  return Buffer.from(lines.endsWith('\r\n') ? lines : `${lines}\r\n`, 'latin1')
}

/** A message with a UTF-8 text, line ends made CRLF. */
export function message(text: string): Buffer {
  return Buffer.from(text.replace(/\r?\n/g, '\r\n'))
}

/** The same for millions of lines. */
export function crlf(text: string): Buffer {
  return Buffer.from(text.replaceAll('\n', '\r\n'))
}
