/**
 * The certificate from the files in the settings, or the self-signed one made at the first start. Files may be replaced while the
 * service runs. A replacement that cannot be used is logged and ignored, and the certificate read before stays in use.
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

/** How often the files are checked for replacement. */
const lookMs = 2 * secondMs

/** The paths of key and certificate. Fails with `validation_error` if the settings name only one of the two files. */
export function certificateFiles({ data, tls }: Pick<Settings, 'data' | 'tls'>): CertificateFiles {
  if ((tls.key === null) !== (tls.certificate === null))
    throw new Failure('validation_error', 'Only one of tls.key and tls.certificate is set.', {
      fix: 'Set both of them, or neither.',
    })
  const folder = path.join(data, 'tls')
  return { key: tls.key ?? path.join(folder, 'key.pem'), cert: tls.certificate ?? path.join(folder, 'cert.pem') }
}

/** Reads the files. Fails with `conflict`, which says why, if they cannot be read or used. */
export async function readCertificateFiles(files: CertificateFiles): Promise<Certificate> {
  const [key, chain] = await Promise.all([readText(files.key), readText(files.cert)])
  return certificateOf({ key, chain }, files)
}

/**
 * Parses a certificate and checks that the key belongs to it. Failures use `names` for the two files. Fails with `conflict` if
 * either is not PEM, the key needs a passphrase, or the key belongs to another certificate.
 */
export function certificateOf(
  { key, chain }: Pick<Certificate, 'key' | 'chain'>,
  names: CertificateFiles,
): Certificate {
  const leaf = parsed(() => new X509Certificate(chain), {
    message: `${names.cert} holds no certificate in PEM.`,
    fix: 'Put the certificate there, followed by those that signed it, each from its BEGIN to its END CERTIFICATE line.',
  })
  const isLocked = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(key)
  const privateKey = parsed(() => createPrivateKey(key), {
    message: isLocked
      ? `The private key in ${names.key} has a passphrase.`
      : `${names.key} holds no private key in PEM.`,
    fix: isLocked
      ? 'Write the key without a passphrase: openssl pkey -in KEY -out KEY-WITHOUT'
      : 'Put the private key there with which the certificate was ordered.',
  })
  if (!leaf.checkPrivateKey(privateKey))
    throw new Failure('conflict', `The private key in ${names.key} is not that of the certificate in ${names.cert}.`, {
      fix: 'Put the key there with which the certificate was ordered, or the certificate that belongs to this key.',
    })
  return { key, chain, leaf }
}

/** The host names in a certificate. */
export function namesOf({ leaf }: Certificate): readonly string[] {
  return [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g)].map(([, name = '']) => name)
}

/** Whether a certificate was signed with its own key, so that no authority vouches for it. */
export const isSelfSigned = ({ leaf }: Certificate): boolean =>
  leaf.issuer === leaf.subject && leaf.verify(leaf.publicKey)

/** Whether a certificate is for a name, which may be a wildcard. */
export const isFor = (certificate: Certificate, name: string): boolean =>
  certificate.leaf.checkHost(name) !== undefined || namesOf(certificate).includes(name)

/** Whether a certificate is for a name and valid at a time. */
export function vouchesFor(certificate: Certificate, name: string, at: Date): boolean {
  const { validFromDate, validToDate } = certificate.leaf
  return isFor(certificate, name) && validFromDate <= at && at < validToDate
}

/** Checks the files every `lookMs` and calls back with a replaced certificate. Returns a function that stops this. */
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
      // If a file was written while we read, the signature differs again at the next check.
      seen = signature
      onReplaced(certificate)
    } catch (error) {
      // One of the two files is replaced before the other, so only a state that lasts until the next check is an error.
      if (signature === refused) {
        seen = signature
        log.error(
          { err: error },
          'the replaced certificate files cannot be used; the previous certificate stays in use',
        )
      }
      refused = signature
    }
  }
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: unknown) => log.error({ err: error }, 'certificate files could not be checked'))
  }, lookMs).unref()
  looking = look()
  return () => clearInterval(timer)
}

/** A text that changes whenever a file is replaced or written. */
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
      fix: 'Put the file there, and give the user that the service runs as permission to read it.',
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
