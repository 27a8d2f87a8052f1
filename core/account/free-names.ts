/** Names below the shared domain that the service gives to accounts whose own name may be any text. */
import { Failure } from '../../schemas/failures.ts'
import { takeSubdomain } from '../mailbox/domains.ts'
import { servedLabels } from '../mailbox/served-labels.ts'
import type { Context } from '../process/context.ts'
import { nameServersOf, serviceNames } from '../process/service-names.ts'

/** A DNS label of 3 to 40 of a-z 0-9 - (decisions.md 3, Signup), not in the form of an A-label (RFC 5891 4.2.3.1). */
export const nameForm = /^(?=.{3,40}$)(?!..--)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
/** Names that people could take for the service itself. */
const reservedNames: ReadonlySet<string> = new Set([
  'postmaster',
  'abuse',
  'admin',
  'administrator',
  'root',
  'hostmaster',
  'webmaster',
  'security',
  'support',
  'mail',
  'smtp',
  'imap',
  'www',
  'api',
  'mcp',
  'test',
  'mailroom',
  'noreply',
  'no-reply',
  'mailer-daemon',
])

/**
 * Whether a name is nobody's: people could take it for the service, or a host of the service lies there, for which whoever reads
 * the mail of that name could have a certificate issued.
 */
export function isReserved(ctx: Context, name: string): boolean {
  const below = `.${ctx.settings.sharedDomain}`
  const hosts = [...serviceNames(ctx), ...nameServersOf(ctx)].map((host) => host.toLowerCase())
  const own = hosts.filter((host) => host.endsWith(below)).map((host) => host.slice(0, -below.length).split('.').at(-1))
  return reservedNames.has(name) || servedLabels.includes(name) || own.includes(name)
}

/** Below it lie the names of sandboxes. */
export const sandboxLabel = 'test'
const labelMax = 40
const namesMax = 1_000

/** A DNS label made of a name, which may be any text; `otherwise` where nothing is left of it. */
export function labelOf(name: string, otherwise: string): string {
  const label = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, labelMax)
    .replaceAll(/^-+|-+$/g, '')
  return label === '' ? otherwise : label
}

/**
 * Takes `<label>.<parent>` for an account, with a number behind the label when that is taken, or is no name that a signup could
 * have. Returns the domain. Fails with `unavailable`.
 */
export async function takeFreeName(
  ctx: Context,
  { accountId, label, parent }: { readonly accountId: string; readonly label: string; readonly parent: string },
): Promise<string> {
  for (let n = 1; n <= namesMax; n++) {
    const suffix = n === 1 ? '' : `-${n}`
    const name = `${label.slice(0, labelMax - suffix.length)}${suffix}`
    if (parent === ctx.settings.sharedDomain && (isReserved(ctx, name) || !nameForm.test(name))) continue
    const domain = `${name}.${parent}`
    if (await takeSubdomain(ctx, { domain, accountId })) return domain
  }
  throw new Failure('unavailable', 'No free name was found for the account.', { retryAfter: 1 })
}
