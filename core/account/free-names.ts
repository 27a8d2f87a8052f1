/** Names below the shared domain that the service gives to accounts whose own name may be any text. */
import { Failure } from '../../schemas/failures.ts'
import { takeSubdomain } from '../mailbox/domains.ts'
import { servedLabels } from '../mailbox/served-labels.ts'
import type { Context } from '../process/context.ts'
import { nameServersOf, serviceNames } from '../process/service-names.ts'

/** A DNS label of 3 to 40 characters of a-z, 0-9 and - (decisions.md 3, Signup), not in the form of an A-label (RFC 5891 4.2.3.1). */
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
 * Whether no account may have a name: people could mistake it for the service, or a host of the service has it, for which a reader of
 * the mail at that name could get a certificate issued.
 */
export function isReserved(ctx: Context, name: string): boolean {
  const below = `.${ctx.settings.sharedDomain}`
  const hosts = [...serviceNames(ctx), ...nameServersOf(ctx)].map((host) => host.toLowerCase())
  const own = hosts.filter((host) => host.endsWith(below)).map((host) => host.slice(0, -below.length).split('.').at(-1))
  return reservedNames.has(name) || servedLabels.includes(name) || own.includes(name)
}

/** The label below the shared domain under which sandboxes have their names. */
export const sandboxLabel = 'test'
const labelMax = 40
const namesMax = 1_000

/** Makes a DNS label from a name, which may be any text; returns `otherwise` when no usable character is left. */
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
 * Takes `<label>.<parent>` for an account; appends a number to the label while that name is taken, or is one that a signup could not
 * get. Returns the domain. Fails with `unavailable`.
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
