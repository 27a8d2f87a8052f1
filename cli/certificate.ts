/** The initial certificate: if there is none, the first start creates a self-signed one. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type CertificateFiles, certificateFiles, readCertificateFiles } from '../core/certificates/files.ts'
import type { Settings } from '../schemas/settings.ts'

/** Key and certificate as PEM. */
export type SelfSigned = { readonly key: string; readonly cert: string }

/**
 * Ensures that there is a certificate to serve with: the one in the settings, or a new one for the host name. Returns its files. Fails
 * with `conflict` if it cannot be used.
 */
export async function ensureCertificate(settings: Settings): Promise<CertificateFiles> {
  const files = certificateFiles(settings)
  const isOurs = settings.tls.certificate === null
  const isMissing = (await readIfThere(files.cert)) === null || (await readIfThere(files.key)) === null
  if (isOurs && isMissing) await writeSelfSigned(files, settings.hostname ?? hostname())
  await readCertificateFiles(files)
  return files
}

async function writeSelfSigned(files: CertificateFiles, hostname: string): Promise<void> {
  await mkdir(path.dirname(files.key), { recursive: true, mode: 0o700 })
  const { key, cert } = await makeSelfSigned(hostname)
  // Key first: a certificate without its key would look complete.
  await writeWhole(files.key, key)
  await writeWhole(files.cert, cert)
}

/** Runs in a separate process, because the library is large and a service needs it only once. */
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
