/** Generates large messages with the structures that cost a mail server the most. */
import { randomBytes } from 'node:crypto'

export type Shape = 'attachment' | 'text' | 'html' | 'deep'
export const shapes: readonly Shape[] = ['attachment', 'text', 'html', 'deep']

/** The number of nested multiparts. */
const levels = 20
/** The number of parts at each level. */
const partsEach = 8
const attachmentsMax = 4
const words =
  'order invoice parcel meeting station harbour copper window silent gentle river report answer weekly'.split(' ')

/** A message of about `sizeBytes` with CRLF line ends. `number` makes it different from all others. */
export function largeMail(shape: Shape, sizeBytes: number, number: number): Buffer {
  const head = [
    'From: Sender <sender@load.test>',
    'To: Agent <agent@bench.test>',
    `Subject: ${shape} number ${number}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${number}.${shape}.${Date.now()}@load.test>`,
    // The key is not published, but the verifier hashes the body all the same.
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=load.test; s=bench; h=from:to:subject;',
    ` bh=${'A'.repeat(43)}=; b=${'A'.repeat(342)}==`,
    'MIME-Version: 1.0',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n`), ...bodies[shape](sizeBytes)])
}

const bodies: { readonly [shape in Shape]: (sizeBytes: number) => Buffer[] } = {
  attachment: (sizeBytes) => {
    const files = Array.from({ length: attachmentsMax }, (_, n) => [
      Buffer.from(`--b\r\nContent-Type: application/octet-stream; name=file${n}.bin\r\n`),
      Buffer.from('Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
      base64(sizeBytes / attachmentsMax),
    ])
    return [
      Buffer.from('Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the files.\r\n'),
      ...files.flat(),
      Buffer.from('--b--\r\n'),
    ]
  },
  text: (sizeBytes) => [Buffer.from('Content-Type: text/plain; charset=utf-8\r\n\r\n'), prose(sizeBytes)],
  html: (sizeBytes) => [
    Buffer.from('Content-Type: text/html; charset=utf-8\r\n\r\n<html><body>\r\n'),
    markup(sizeBytes),
    Buffer.from('</body></html>\r\n'),
  ],
  deep: (sizeBytes) => {
    const part = prose(sizeBytes / levels / partsEach)
    const open = (level: number) =>
      Buffer.from(`Content-Type: multipart/mixed; boundary=level${level}\r\n\r\n--level${level}\r\n`)
    const texts = (level: number) =>
      Array.from({ length: partsEach }, () => [Buffer.from(`\r\n--level${level}\r\n\r\n`), part]).flat()
    const levelsDown = Array.from({ length: levels }, (_, level) => level)
    return [
      ...levelsDown.map(open),
      Buffer.from('\r\nThe innermost.\r\n'),
      ...levelsDown.reverse().flatMap((level) => [...texts(level), Buffer.from(`\r\n--level${level}--\r\n`)]),
    ]
  },
}

function base64(sizeBytes: number): Buffer {
  const lines = randomBytes((sizeBytes / 78) * 57).toString('base64')
  return Buffer.from(lines.replaceAll(/.{76}/g, '$&\r\n'))
}

function prose(sizeBytes: number): Buffer {
  return repeated(sizeBytes, (n) => `${wordsFrom(n, 11)} überall ${n}\r\n`)
}

function markup(sizeBytes: number): Buffer {
  return repeated(
    sizeBytes,
    (n) => `<p class="a${n % 7}">${wordsFrom(n, 6)} <b>${n}</b> <a href="https://load.test/${n}">on</a></p>\r\n`,
  )
}

/** Lines of at most `sizeBytes` in all; after 256 KiB they repeat. */
function repeated(sizeBytes: number, line: (n: number) => string): Buffer {
  const lines: Buffer[] = []
  let left = Math.min(sizeBytes, 256 * 1024)
  for (let n = 0; left > 0; n++) {
    const next = Buffer.from(line(n))
    left -= next.length
    if (left >= 0) lines.push(next)
  }
  const block = Buffer.concat(lines)
  return Buffer.concat(Array.from({ length: Math.floor(sizeBytes / block.length) }, () => block))
}

const wordsFrom = (n: number, count: number) =>
  Array.from({ length: count }, (_, i) => words[(n * 7 + i * (1 + (n % 5))) % words.length]).join(' ')
