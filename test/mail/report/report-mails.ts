/** Mails with DMARC and TLS reports in the forms that large receivers send them in, about `own.example`. */
import { gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'

export type Attached = {
  readonly type: string
  readonly name: string
  readonly bytes: Buffer
  readonly disposition?: string
}

/** A mail with files. `type` is that of the whole, with its parameters but the boundary. */
export function mailWith(
  files: readonly Attached[],
  {
    from = 'noreply@receiver.example',
    to = 'reports@own.example',
    subject = 'Report',
    type = 'multipart/mixed',
    text = 'This is a report.',
  } = {},
): Buffer {
  const parts = files.map(
    ({ type: fileType, name, bytes, disposition = 'attachment' }) =>
      `--=_b\nContent-Type: ${fileType}; name="${name}"\nContent-Disposition: ${disposition}; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${bytes.toString('base64').replace(/.{76}/g, '$&\n')}\n`,
  )
  const head = `From: ${from}\nTo: ${to}\nSubject: ${subject}\nDate: Sun, 22 Nov 2026 00:10:00 +0000\nMessage-ID: <${subject.length}.${bytesOf(files)}@receiver.example>\nMIME-Version: 1.0\nContent-Type: ${type}; boundary="=_b"\n\n`
  const first = text === '' ? '' : `--=_b\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`
  return Buffer.from(`${head}${first}${parts.join('')}--=_b--\n`.replaceAll('\n', '\r\n'))
}

const bytesOf = (files: readonly Attached[]) => files.reduce((sum, { bytes }) => sum + bytes.length, 0)

/** A mail that is nothing but one file. */
export function mailOf({ type, name, bytes }: Attached, subject = 'Report'): Buffer {
  const head = `From: noreply@receiver.example\nTo: reports@own.example\nSubject: ${subject}\nMIME-Version: 1.0\nContent-Type: ${type}; name="${name}"\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n`
  return Buffer.from(`${head}${bytes.toString('base64').replace(/.{76}/g, '$&\n')}\n`.replaceAll('\n', '\r\n'))
}

export async function zipOf(files: { readonly [name: string]: Buffer | string }): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name)
    else zip.addBuffer(Buffer.from(content), name)
  }
  zip.end()
  const pieces: Buffer[] = []
  for await (const piece of zip.outputStream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

export const gz = (text: string | Buffer): Buffer => gzipSync(text)

export const day = { begin: 1795219200, end: 1795305599 } as const // 2026-11-21

/** A record in the order of the schema; `extra` stands after what the receiver evaluated. */
export const record = ({
  ip = '192.0.2.10',
  count = 1,
  disposition = 'none',
  dkim = 'pass',
  spf = 'pass',
  headerFrom = 'own.example',
  reasons = '',
  identifiers = '',
  auth = '<dkim><domain>own.example</domain><result>pass</result><selector>mr1r</selector></dkim><spf><domain>own.example</domain><result>pass</result></spf>',
}: {
  readonly [name: string]: string | number
} = {}) => `  <record>
    <row>
      <source_ip>${ip}</source_ip>
      <count>${count}</count>
      <policy_evaluated>
        <disposition>${disposition}</disposition>
        <dkim>${dkim}</dkim>
        <spf>${spf}</spf>${reasons}
      </policy_evaluated>
    </row>
    <identifiers>${identifiers}<header_from>${headerFrom}</header_from></identifiers>
    <auth_results>${auth}</auth_results>
  </record>
`

export const feedback = ({
  org = 'receiver.example',
  email = 'noreply@receiver.example',
  id = '1',
  domain = 'own.example',
  begin = day.begin,
  end = day.end,
  records = record(),
}: {
  readonly [name: string]: string | number
} = {}) => `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <report_metadata>
    <org_name>${org}</org_name>
    <email>${email}</email>
    <report_id>${id}</report_id>
    <date_range>
      <begin>${begin}</begin>
      <end>${end}</end>
    </date_range>
  </report_metadata>
  <policy_published>
    <domain>${domain}</domain>
    <adkim>r</adkim>
    <aspf>r</aspf>
    <p>none</p>
    <sp>none</sp>
    <pct>100</pct>
  </policy_published>
${records}</feedback>
`

export const tlsReport = ({
  org = 'Google Inc.',
  id = '2026-11-21T00:00:00Z_own.example',
  domain = 'own.example',
  policy = { 'policy-type': 'sts', 'policy-string': ['version: STSv1', 'mode: enforce', 'mx: mx.own.example'] },
  successful = 12,
  failed = 0,
  details = [] as readonly object[],
  from = '2026-11-21T00:00:00Z',
  until = '2026-11-21T23:59:59Z',
} = {}) =>
  JSON.stringify({
    'organization-name': org,
    'date-range': { 'start-datetime': from, 'end-datetime': until },
    'contact-info': 'smtp-tls-reporting@google.com',
    'report-id': id,
    policies: [
      {
        policy: { ...policy, 'policy-domain': domain },
        summary: { 'total-successful-session-count': successful, 'total-failure-session-count': failed },
        ...(details.length > 0 && { 'failure-details': details }),
      },
    ],
  })
