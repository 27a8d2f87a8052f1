/**
 * The certificate of the settings' files, or the self-signed one of the first start. Files may be replaced while the service
 * runs: one that cannot be used is told of and not taken, and what was read before stays.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../../schemas/failures.ts'
import type { Settings } from '../../schemas/settings.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type CertificateFiles = { readonly key: string; readonly cert: string }

/** A certificate with its chain, its own certificate first, and its private key; both as PEM. */
export type Certificate = { readonly key: string; readonly chain: string; readonly leaf: X509Certificate }

/** How soon a replaced file is seen. */
const lookMs = 2 * secondMs

/** Where key and certificate lie. Fails with `validation_error` when the settings name one file of the two. */
export function certificateFiles({ data, tls }: Pick<Settings, 'data' | 'tls'>): CertificateFiles {
  if ((tls.key === null) !== (tls.certificate === null))
    throw new Failure('validation_error', 'Of tls.key and tls.certificate only one is set.', {
      fix: 'Set both or neither.',
    })
  const folder = path.join(data, 'tls')
  return { key: tls.key ?? path.join(folder, 'key.pem'), cert: tls.certificate ?? path.join(folder, 'cert.pem') }
}

/** Reads the files. Fails with `conflict` when they cannot be read or used, and says why. */
export async function readCertificateFiles(files: CertificateFiles): Promise<Certificate> {
  const [key, chain] = await Promise.all([readText(files.key), readText(files.cert)])
  return certificateOf({ key, chain }, files)
}

/**
 * A certificate of which key and chain belong together. `names` are what a failure calls them. Fails with `conflict` when
 * either is no PEM, the key needs a passphrase, or the key is another's.
 */
export function certificateOf(
  { key, chain }: Pick<Certificate, 'key' | 'chain'>,
  names: CertificateFiles,
): Certificate {
  const leaf = parsed(() => new X509Certificate(chain), {
    message: `${names.cert} holds no certificate in PEM.`,
    fix: 'Put the certificate there, then those it was signed with, each from its BEGIN to its END CERTIFICATE line.',
  })
  const isLocked = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(key)
  const privateKey = parsed(() => createPrivateKey(key), {
    message: isLocked
      ? `The private key in ${names.key} has a passphrase.`
      : `${names.key} holds no private key in PEM.`,
    fix: isLocked
      ? 'Write the key without one: openssl pkey -in KEY -out KEY-WITHOUT'
      : 'Put the private key there that the certificate was ordered with.',
  })
  if (!leaf.checkPrivateKey(privateKey))
    throw new Failure('conflict', `The private key in ${names.key} is not that of the certificate in ${names.cert}.`, {
      fix: 'Put the key there that the certificate was ordered with, or the certificate of this key.',
    })
  return { key, chain, leaf }
}

/** The host names that it is for. */
export function namesOf({ leaf }: Certificate): readonly string[] {
  return [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g)].map(([, name = '']) => name)
}

/** Whether it was signed with its own key, so that nobody else vouches for it. */
export const isSelfSigned = ({ leaf }: Certificate): boolean =>
  leaf.issuer === leaf.subject && leaf.verify(leaf.publicKey)

/** Whether it is for a name, which may be a wildcard. */
export const isFor = (certificate: Certificate, name: string): boolean =>
  certificate.leaf.checkHost(name) !== undefined || namesOf(certificate).includes(name)

/** Whether it is valid at a time for a name. */
export function vouchesFor(certificate: Certificate, name: string, at: Date): boolean {
  const { validFromDate, validToDate } = certificate.leaf
  return isFor(certificate, name) && validFromDate <= at && at < validToDate
}

/** Looks at the files again and again, and tells of those that were replaced. Returns what ends it. */
export function watchCertificateFiles(
  { log }: Pick<Context, 'log'>,
  files: CertificateFiles,
  onReplaced: (certificate: Certificate) => void,
): () => void {
  let seen: string | null = null
  let refused: string | null = null
  async function look(): Promise<void> {
    const signature = await signatureOf(files)
    seen ??= signature
    if (signature === seen) return
    try {
      const certificate = await readCertificateFiles(files)
      // What was written meanwhile is looked at the next time.
      seen = signature
      onReplaced(certificate)
    } catch (error) {
      // Of two files one is replaced first: only what lasts is wrong.
      if (signature === refused) {
        seen = signature
        log.error({ err: error }, 'the replaced certificate is not taken; the one before stays')
      }
      refused = signature
    }
  }
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look).catch((error: unknown) => log.error({ err: error }, 'certificate files'))
  }, lookMs).unref()
  looking = look()
  return () => clearInterval(timer)
}

/** Another one whenever a file was replaced or written. */
async function signatureOf({ key, cert }: CertificateFiles): Promise<string> {
  const signatures = [key, cert].map((file) =>
    stat(file, { bigint: true }).then(
      ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
      (error: NodeJS.ErrnoException) => error.code ?? 'unreadable',
    ),
  )
  return (await Promise.all(signatures)).join('\n')
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('conflict', `${file} cannot be read: ${error.code ?? error.message}.`, {
      fix: 'Put the file there, and let the user of the service read it.',
    })
  })
}

function parsed<T>(parse: () => T, { message, fix }: { readonly message: string; readonly fix: string }): T {
  try {
    return parse()
  } catch {
    throw new Failure('conflict', message, { fix })
  }
}
