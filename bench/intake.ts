/**
 * Measures Intake: how many records per second are made of mail that arrives as fast as it is accepted, and at a steady rate, how
 * soon after the 250 of a message its record is posted to the webhook; with and without a PDF, with and without Lens. See README.md.
 */
import { parseArgs } from 'node:util'
import { client } from '../test/peers/rest.ts'
import type { Service } from '../test/start/service.ts'
import { type AnnouncedArrivals, announcedArrivals } from './announced-arrivals.ts'
import { shown, table } from './figures.ts'
import { cpuMs } from './processes.ts'
import { forgetEventLimits, type Sender } from './senders.ts'
import { withWebhookService } from './webhook-service.ts'

/** Messages per second at the steady rate: plain ones, and ones with a PDF. */
const plainPerSecond = 20
const pdfPerSecond = 4

/** Runs the bench. Options: --quick, --count N (mails of a burst), --seconds N (of a steady rate), --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const options = {
    quick: { type: 'boolean', default: false },
    count: { type: 'string' },
    seconds: { type: 'string' },
    profile: { type: 'string' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const { quick } = values
  const count = Number(values.count ?? (quick ? 200 : 2_000))
  const seconds = Number(values.seconds ?? (quick ? 5 : 60))
  await withWebhookService(values.profile, async ({ service, ctx, sink, senders, url }) => {
    for (const sender of senders) await watch(service, sender, url)
    const rows: string[][] = []
    for (const [what, enabled, raw] of kinds) {
      const isPlain = raw === plain
      for (const { mailbox, key } of senders) await setLens(service, { address: mailbox.address, key, enabled })
      const measure = async (name: string, mails: number, perSecond: number | null) => {
        await forgetEventLimits(ctx)
        const mailOf = (n: number, subject: string) => {
          const { address } = senders[n % senders.length]!.mailbox
          return { address, raw: raw(address, subject) }
        }
        return announcedArrivals(
          { smtp: service.smtp, sink },
          { name: `${what} ${name}`, count: mails, perSecond, mailOf },
        )
      }
      await measure('warm', 20, plainPerSecond)
      const pids = [service.process.pid ?? 0]
      const cpu = cpuMs(pids)
      const mails = isPlain ? count : Math.ceil(count / 4)
      const burst = await measure('burst', mails, null)
      const cpuEach = (cpuMs(pids) - cpu) / mails
      const rate = isPlain ? plainPerSecond : pdfPerSecond
      rows.push(rowOf(what, burst, cpuEach, await measure('steady', rate * seconds, rate)))
    }
    const head = ['', 'accepted/s', 'records/s', 'CPU ms each', 'mails/s', 'p50 ms', 'p99 ms', 'max ms']
    console.log(
      `\nA burst of ${count} mails (with a PDF a quarter), then ${seconds} s at a steady rate.\n\n${table(head, rows)}`,
    )
  })
}

const rowOf = (what: string, burst: AnnouncedArrivals, cpuEach: number, steady: AnnouncedArrivals) => [
  what,
  ...[burst.acceptedPerSecond, burst.announcedPerSecond, cpuEach].map(shown),
  ...[steady.acceptedPerSecond, steady.p50Ms, steady.p99Ms, steady.maxMs].map(shown),
]

const fields = [
  { key: 'invoice_number', type: 'text', description: 'Number of the invoice' },
  { key: 'total', type: 'number', description: 'Total amount' },
  { key: 'due_date', type: 'date', description: 'Date by which it is to be paid' },
  { key: 'email', type: 'email address', description: 'Address for questions' },
]

async function watch(service: Service, { key, mailbox }: Sender, url: string): Promise<void> {
  const delivery = { type: 'webhook', url }
  const { status } = await client(service.http, key)('POST', '/api/v1/intake', { mailbox: mailbox.address, delivery })
  if (status !== 201) throw new Error(`Intake answered ${status}.`)
}

async function setLens(
  service: Service,
  { address, key, enabled }: { address: string; key: string; enabled: boolean },
): Promise<void> {
  const change = { lens: { enabled, fields } }
  const { status } = await client(service.http, key)('PATCH', `/api/v1/intake/${encodeURIComponent(address)}`, change)
  if (status !== 200) throw new Error(`Intake answered ${status}.`)
}

const invoice = [
  'Invoice number: 2026-0417',
  'Total: 1,204.50 EUR',
  'Payable by 5 December 2026',
  'Questions: billing@remote.example',
]
const body = `Hello,\r\n\r\nplease find our invoice.\r\n\r\n${invoice.join('\r\n')}\r\n\r\nOn Monday, Bob <bob@x.example> wrote:\r\n${'> Where is the invoice?\r\n'.repeat(20)}`
const head = (address: string, subject: string) =>
  `From: Carol <carol@remote.example>\r\nTo: ${address}\r\nSubject: ${subject}\r\nDate: Fri, 20 Nov 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n`

function plain(address: string, subject: string): string {
  return `${head(address, subject)}Content-Type: text/plain; charset=utf-8\r\n\r\n${body}`
}

function withPdf(address: string, subject: string): string {
  const text = `--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}\r\n`
  const file = `--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="invoice.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${pdf}\r\n--b--\r\n`
  return `${head(address, subject)}Content-Type: multipart/mixed; boundary=b\r\n\r\n${text}${file}`
}

/** The kinds of mail, with and without Lens. */
const kinds = [
  ['without a file', false, plain],
  ['without a file, Lens', true, plain],
  ['with a PDF, Lens', true, withPdf],
] as const

/** A PDF of four pages of text, in base64 lines. */
const pdf = pdfOf(
  Array.from({ length: 4 }, () => [...invoice, ...Array.from({ length: 30 }, (_, n) => `Item ${n}: paper`)]),
)

function pdfOf(pages: readonly (readonly string[])[]): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, n) => {
      const stream = `BT /F1 11 Tf 50 800 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * n} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, n) => {
    const at = file.length
    file += `${n + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return (
    Buffer.from(file)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\r\n')
}
