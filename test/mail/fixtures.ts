import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../fixtures/mime/', import.meta.url)

/** The 64 messages as they would arrive by SMTP: CRLF line ends, the last one present. */
export function mimeFixtures(): { readonly name: string; readonly raw: Buffer }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.eml'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), raw: wire(readFileSync(new URL(file, folder), 'latin1')) }))
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
