/** The certificate for STARTTLS: the first start makes a self-signed one, which an administrator replaces. */
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type CertificateFiles = { readonly key: string; readonly cert: string }
/** As PEM. */
export type SelfSigned = { readonly key: string; readonly cert: string }

export function certificateFiles(dataFolder: string): CertificateFiles {
  const folder = path.join(dataFolder, 'tls')
  return { key: path.join(folder, 'key.pem'), cert: path.join(folder, 'cert.pem') }
}

/** Makes key and certificate for a host name when there are none. Returns where they are. */
export async function ensureCertificate(dataFolder: string, hostname: string): Promise<CertificateFiles> {
  const files = certificateFiles(dataFolder)
  if ((await readIfThere(files.cert)) !== null && (await readIfThere(files.key)) !== null) return files
  await mkdir(path.dirname(files.key), { recursive: true, mode: 0o700 })
  const { key, cert } = await makeSelfSigned(hostname)
  // Key first: a certificate without its key would look complete.
  await writeWhole(files.key, key)
  await writeWhole(files.cert, cert)
  return files
}

/** Subject and end of a certificate; null when there is none. */
export async function readCertificate(file: string): Promise<{ subject: string; validTo: Date } | null> {
  const pem = await readIfThere(file)
  if (pem === null) return null
  const certificate = new X509Certificate(pem)
  return { subject: certificate.subject, validTo: new Date(certificate.validTo) }
}

/** By a process of its own: the library for this is large, and a service needs it once. */
async function makeSelfSigned(hostname: string): Promise<SelfSigned> {
  const script = fileURLToPath(new URL('./self-signed.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, hostname])
  return JSON.parse(stdout) as SelfSigned
}

async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.new`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await rename(draft, file)
}

async function readIfThere(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
