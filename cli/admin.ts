/** What an administrator does: accounts, domains, keys, mailboxes, the audit trail. Needs the database to be up. */
import { connect } from 'node:net'
import type { Command } from 'commander'
import { verifyAudit } from '../core/access/audit.ts'
import { createKey, listKeys, revokeKey } from '../core/access/keys.ts'
import { administrator } from '../core/access/principal.ts'
import { claimByToken, createAccount, getAccount, listAccounts } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { pauseSending, resumeSending, verifyPhone } from '../core/account/reputation.ts'
import { createDomain, listDomains } from '../core/mailbox/domains.ts'
import { createMailbox, getMailbox, listMailboxes } from '../core/mailbox/mailboxes.ts'
import { after, dayMs } from '../core/process/clock.ts'
import { type Context, closeContext, openContext } from '../core/process/context.ts'
import { normaliseAddress } from '../mail/message/address.ts'
import { Failure } from '../schemas/failures.ts'
import { type AgentsPlanName, agentsPlanNames, type MailPlanName, mailPlanNames } from '../schemas/plans.ts'
import { agentScopes, allScopes, type KeyKind, keyKinds, type Scope } from '../schemas/scopes.ts'
import type { Settings } from '../schemas/settings.ts'
import { enginePaths, engineUrl } from './instance.ts'

const listMax = 200
const nameMax = 200
const keyDaysMax = 36_500

/** Adds the commands. Each prints one line of JSON per record, so that scripts can read them. */
export function addAdminCommands(program: Command, settingsNow: () => Settings): void {
  const withContext =
    <A extends unknown[]>(work: (ctx: Context, ...args: A) => Promise<void>) =>
    async (...args: A) => {
      const ctx = await openAdminContext(settingsNow())
      try {
        await work(ctx, ...args)
      } finally {
        await closeContext(ctx)
      }
    }

  const account = program.command('account').description('accounts')
  account
    .command('create <name>')
    .description('make an account')
    .option('--owner <email>', 'who owns it')
    .option('--plan <plan>', `mail plan: ${mailPlanNames.join(', ')} or none`, 'business')
    .option('--agents-plan <plan>', `Agents plan: ${agentsPlanNames.join(', ')} or none`, 'scale')
    .action(
      withContext(async (ctx, given: string, options: { owner?: string; plan: string; agentsPlan: string }) => {
        const name = given.trim()
        if (name === '' || name.length > nameMax)
          throw new Failure('validation_error', `The name must have 1 to ${nameMax} characters.`)
        const owner = options.owner === undefined ? null : person(options.owner)
        const plan = oneOfOrNone<MailPlanName>(options.plan, mailPlanNames, '--plan')
        const agentsPlan = oneOfOrNone<AgentsPlanName>(options.agentsPlan, agentsPlanNames, '--agents-plan')
        print(await createAccount(ctx, { name, owner, plan, agentsPlan }))
      }),
    )
  account
    .command('list')
    .description('the newest accounts')
    .action(withContext(async (ctx) => print(...(await listAccounts(ctx, listMax)))))
  account
    .command('claim <link> <owner>')
    .description('give an unclaimed account to its owner (an e-mail address), by its claim link')
    .action(
      withContext(async (ctx, link: string, owner: string) =>
        print(await claimByToken(ctx, { token: link.slice(link.lastIndexOf('/') + 1), owner: person(owner) })),
      ),
    )

  account
    .command('pause <account> <reason>')
    .description('stop its sending')
    .action(
      withContext(async (ctx, id: string, reason: string) => {
        const { id: accountId } = await getAccount(ctx, id)
        print({ account: accountId, paused: await pauseSending(ctx, accountId, reason) })
      }),
    )
  account
    .command('resume <account>')
    .description('let it send again')
    .action(
      withContext(async (ctx, id: string) => {
        const { id: accountId } = await getAccount(ctx, id)
        print({ account: accountId, resumed: await resumeSending(ctx, accountId, 'resumed by an administrator') })
      }),
    )

  account
    .command('phone <account>')
    .description("note that its owner's phone number was verified")
    .action(
      withContext(async (ctx, id: string) => {
        const { id: accountId } = await getAccount(ctx, id)
        print({ account: accountId, phoneVerified: await verifyPhone(ctx, accountId) })
      }),
    )

  const domain = program.command('domain').description('domains')
  domain
    .command('create <domain>')
    .description('put a domain on an account, with fresh DKIM keys')
    .requiredOption('--account <id>', 'whose it is')
    .option('--verified', 'its DNS points here: receive and send for it now', false)
    .action(
      withContext(
        async (ctx, name: string, { account: accountId, verified }: { account: string; verified: boolean }) => {
          await getAccount(ctx, accountId)
          const { _id, status, dkim } = await createDomain(ctx, { domain: name, accountId, verified })
          const records = dkim.map(({ selector, publicRecord }) => ({
            type: 'TXT',
            name: `${selector}._domainkey.${_id}`,
            value: publicRecord,
          }))
          print({ domain: _id, status, records })
        },
      ),
    )
  domain
    .command('list <account>')
    .description('the domains of an account')
    .action(
      withContext(async (ctx, accountId: string) => {
        await getAccount(ctx, accountId)
        print(...(await listDomains(ctx, accountId)))
      }),
    )

  program
    .command('password <account> <address>')
    .description('make a password for a mail program, for one mailbox; it is shown this once')
    .option('--name <name>', 'what it is for', 'mail program')
    .action(
      withContext(async (ctx, accountId: string, address: string, { name }: { name: string }) =>
        print(await createAppPassword(ctx, { account: await getAccount(ctx, accountId), address, name })),
      ),
    )

  const key = program.command('key').description('API keys')
  key
    .command('create <account>')
    .description('make a key; it is shown this once')
    .option('--name <name>', 'what it is for', 'command line')
    .option('--kind <kind>', keyKinds.join(' or '), 'account')
    .option('--scopes <scopes>', 'comma-separated; default: all that the kind may hold')
    .option('--mailboxes <addresses>', 'comma-separated addresses an agent key is granted')
    .option('--days <days>', 'days until it expires')
    .action(
      withContext(
        async (
          ctx,
          accountId: string,
          options: { name: string; kind: string; scopes?: string; mailboxes?: string; days?: string },
        ) => {
          const kind = oneOf<KeyKind>(options.kind, keyKinds, '--kind')
          const principal = administrator(await getAccount(ctx, accountId))
          const held = kind === 'agent' ? agentScopes : allScopes
          const scopes =
            options.scopes === undefined
              ? held
              : split(options.scopes).map((scope) => oneOf<Scope>(scope, allScopes, '--scopes'))
          if (scopes.length === 0) throw new Failure('validation_error', '--scopes names no scope.')
          // A key that was to reach a few mailboxes must not come out as one that reaches all.
          if (kind === 'account' && options.mailboxes !== undefined)
            throw new Failure(
              'validation_error',
              '--mailboxes goes with --kind agent: an account key reaches them all.',
            )
          const granted = await Promise.all(
            split(options.mailboxes ?? '').map((address) => getMailbox(ctx, principal, address)),
          )
          const expiresAt = options.days === undefined ? null : after(ctx.clock.now(), daysOf(options.days) * dayMs)
          const { apiKey, key: made } = await createKey(ctx, {
            accountId,
            kind,
            name: options.name,
            scopes,
            mailboxIds: granted.map(({ id }) => id),
            expiresAt,
          })
          print({ ...made, apiKey })
        },
      ),
    )
  key
    .command('list <account>')
    .description('the keys of an account')
    .action(
      withContext(async (ctx, accountId: string) => {
        await getAccount(ctx, accountId)
        print(...(await listKeys(ctx, accountId)))
      }),
    )
  key
    .command('revoke <account> <key>')
    .description('end a key at once')
    .action(withContext(async (ctx, accountId: string, keyId: string) => revokeKey(ctx, { accountId, keyId })))

  const mailbox = program.command('mailbox').description('mailboxes')
  mailbox
    .command('create <account> <address>')
    .description('make a mailbox on a domain of the account')
    .option('--name <name>', 'the name recipients see')
    .option('--person', 'for a person, not an agent', false)
    .action(
      withContext(
        async (ctx, accountId: string, address: string, { name, person }: { name?: string; person: boolean }) => {
          const principal = administrator(await getAccount(ctx, accountId))
          print(
            await createMailbox(ctx, principal, {
              address,
              displayName: name ?? null,
              kind: person ? 'person' : 'agent',
            }),
          )
        },
      ),
    )
  mailbox
    .command('list <account>')
    .description('the newest mailboxes of an account')
    .action(
      withContext(async (ctx, accountId: string) => {
        const principal = administrator(await getAccount(ctx, accountId))
        print(...(await listMailboxes(ctx, principal, { limit: listMax })).items)
      }),
    )

  program
    .command('audit')
    .description('the audit trail')
    .command('verify <account>')
    .description('check the hash chain')
    .action(
      withContext(async (ctx, accountId: string) => {
        await getAccount(ctx, accountId)
        const { entries, broken } = await verifyAudit(ctx, accountId)
        print({ entries, broken })
        if (broken !== null) process.exitCode = 1
      }),
    )
}

/** The database of the running instance in the data folder, or the one of MONGODB_URL. Fails with `unavailable`. */
export async function openAdminContext(settings: Settings): Promise<Context> {
  const mongodbUrl = settings.mongodbUrl ?? engineUrl(settings.data)
  // Asked first: the driver waits long for a socket that is not there, and a context makes secrets in a mistyped folder.
  if (settings.mongodbUrl === null && !(await answers(enginePaths(settings.data).socket)))
    throw new Failure('unavailable', `The service is not running on ${settings.data}: start it, or set MAILROOM_DATA.`)
  return openContext({ settings: { ...settings, mongodbUrl, log: { level: 'error' } }, role: 'admin' }).catch(
    (error: unknown) => {
      throw new Failure(
        'unavailable',
        `The database does not answer: is the service running on ${settings.data}? (${error instanceof Error ? error.message : String(error)})`,
      )
    },
  )
}

/** Whether somebody listens on the socket. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function print(...records: readonly object[]): void {
  for (const each of records) console.log(JSON.stringify(each))
}

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** The mail address of a person. */
function person(text: string): string {
  const address = normaliseAddress(text)
  if (address === null) throw new Failure('validation_error', `"${text}" is not a mail address.`)
  return address
}

function daysOf(text: string): number {
  const days = Number(text)
  if (!(days > 0 && days <= keyDaysMax))
    throw new Failure('validation_error', `--days must be a number above 0, at most ${keyDaysMax}.`)
  return days
}

function oneOf<T extends string>(text: string, known: readonly T[], option: string): T {
  const found = known.find((name) => name === text)
  if (found === undefined) throw new Failure('validation_error', `${option} must be one of: ${known.join(', ')}.`)
  return found
}

function oneOfOrNone<T extends string>(text: string, known: readonly T[], option: string): T | null {
  return text === 'none' ? null : oneOf(text, known, option)
}
