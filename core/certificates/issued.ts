/** Certificates as stored in the database: the key is sealed, so that only nodes of this service can use it. */
import { fromBinary } from '../../store/bytes.ts'
import type { IssuedCertificate } from '../../store/certificates.ts'
import { type Sealed, sealedFor, toSealed } from '../../store/sealed.ts'
import type { Context } from '../process/context.ts'
import { type Certificate, certificateOf } from './files.ts'

/** Seals the private key of a name's certificate. */
export function sealKey({ secrets }: Pick<Context, 'secrets'>, name: string, key: string): Sealed {
  return toSealed(secrets.seal(key, sealedFor.certificate(name)))
}

/** The private key of a name's certificate, as PEM. */
export function openKey({ secrets }: Pick<Context, 'secrets'>, name: string, sealed: Sealed): string {
  return secrets.open(fromBinary(sealed), sealedFor.certificate(name))
}

/** The certificate issued to a name, ready to use. Fails with `conflict` if its key belongs to another certificate. */
export function openIssued(
  ctx: Pick<Context, 'secrets'>,
  name: string,
  { key, chain }: Pick<IssuedCertificate, 'key' | 'chain'>,
): Certificate {
  return certificateOf({ key: openKey(ctx, name, key), chain }, { key: `the order of ${name}`, cert: 'its answer' })
}
