/** Certificates for tests, self-signed or of an authority of the test. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generate } from 'selfsigned'

/** A key and its certificate, as PEM. */
export type Pair = { readonly key: string; readonly cert: string }

const dayMs = 86_400_000

/** A certificate for names, self-signed unless an authority is given. */
export async function makeCertificate(
  names: readonly string[],
  { authority, days = 30 }: { readonly authority?: Pair; readonly days?: number } = {},
): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'server' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 2 * dayMs),
    notAfterDate: new Date(Date.now() + days * dayMs),
    extensions: [{ name: 'subjectAltName', altNames: names.map((value) => ({ type: 2 as const, value })) }],
    ...(authority !== undefined && { ca: authority }),
  })
  return { key: made.private, cert: made.cert }
}

export async function makeAuthority(): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: 'authority of the tests' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { key: made.private, cert: made.cert }
}

/** Puts a certificate into a data folder as an administrator does: one file after the other, each replaced atomically. */
export async function writeCertificate(data: string, { key, cert }: Pair): Promise<void> {
  const folder = path.join(data, 'tls')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [name, text] of [
    ['key.pem', key],
    ['cert.pem', cert],
  ] as const) {
    await writeFile(path.join(folder, `${name}.new`), text, { mode: 0o600 })
    await rename(path.join(folder, `${name}.new`), path.join(folder, name))
  }
}
