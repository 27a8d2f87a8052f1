/** A script that creates a self-signed certificate for the given host name (cli/certificate.ts). */
import { generate } from 'selfsigned'
import type { SelfSigned } from './certificate.ts'

const validDays = 3650
const dayMs = 86_400_000
const [hostname = ''] = process.argv.slice(2)
const now = new Date()

const { private: key, cert } = await generate([{ name: 'commonName', value: hostname }], {
  keySize: 2048,
  algorithm: 'sha256',
  notBeforeDate: now,
  notAfterDate: new Date(now.getTime() + validDays * dayMs),
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: hostname }] }],
})
process.stdout.write(JSON.stringify({ key, cert } satisfies SelfSigned))
