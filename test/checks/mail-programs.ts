/**
 * `npm run check -- mail-programs`: existing mail programs against a whole service, in both directions: curl, Python's imaplib
 * and mbsync, each if it is installed.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { administrator } from '../../core/access/principal.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { createAppPassword } from '../../core/account/login.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { closeContext } from '../../core/process/context.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

const execute = promisify(execFile)
const domain = 'programs.example'
const programMs = 60_000

type Login = { readonly address: string; readonly password: string }
type Where = { readonly dir: string; readonly service: Service; readonly port: string }
type Program = {
  readonly name: string
  readonly version: readonly string[]
  /** Rejects if the check fails. */
  readonly check: (where: Where, login: Login) => Promise<void>
}

const programs: readonly Program[] = [
  { name: 'curl', version: ['--version'], check: checkCurl },
  { name: 'python3', version: ['-c', 'import imaplib'], check: checkPython },
  { name: 'mbsync', version: ['--version'], check: checkMbsync },
]

/** @returns whether every installed program passed its check */
export async function run(): Promise<boolean> {
  const service = await startService({ only: null, env: { MAILROOM_LOG_LEVEL: 'warn' } })
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-programs-'))
  try {
    const where = { dir, service, port: service.imaps?.split(':')[1] ?? '' }
    const logins = await makeMailboxes(service)
    let isWell = await report('autoconfig', () => checkAutoconfig(where, logins[0]!))
    for (const [n, { name, version, check }] of programs.entries()) {
      const isThere = await execute(name, [...version]).then(
        () => true,
        () => false,
      )
      if (!isThere) console.log(`${name}: not installed`)
      else isWell = (await report(name, () => check(where, logins[n]!))) && isWell
    }
    return isWell
  } finally {
    await rm(dir, { recursive: true, force: true })
    await service.dispose()
  }
}

async function report(name: string, check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    console.log(`${name}: ok`)
    return true
  } catch (error) {
    console.log(`${name}: ${error instanceof Error ? error.message : error}`)
    return false
  }
}

async function makeMailboxes(service: Service): Promise<readonly Login[]> {
  const ctx = await contextOf(service)
  const account = await createAccount(ctx, { name: 'programs', owner: null })
  await createDomain(ctx, { domain, accountId: account.id, verified: true })
  const logins: Login[] = []
  for (const { name } of programs) {
    const address = `${name}@${domain}`
    await createMailbox(ctx, administrator(account), { address })
    const { password } = await createAppPassword(ctx, { account, address, name })
    logins.push({ address, password })
  }
  await closeContext(ctx)
  return logins
}

const mail = (subject: string) =>
  `From: ann@remote.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@remote.example>\r\n\r\nHello\r\n`

function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what} is ${JSON.stringify(found)} and should be ${JSON.stringify(expected)}`)
}

const call = async (program: string, args: readonly string[]) =>
  (await execute(program, [...args], { timeout: programMs })).stdout

async function checkAutoconfig({ service, port }: Where, { address }: Login): Promise<void> {
  const response = await fetch(`${service.http}/mail/config-v1.1.xml?emailaddress=${address}`)
  const [, told] = /<incomingServer type="imap">.*?<port>(\d+)</s.exec(await response.text()) ?? []
  expectEqual('the port', told, port)
}

async function checkCurl({ dir, port }: Where, { address, password }: Login): Promise<void> {
  const file = path.join(dir, 'curl.eml')
  await writeFile(file, mail('curl'))
  const curl = (folder: string, ...args: readonly string[]) =>
    call('curl', ['-sSk', '--user', `${address}:${password}`, `imaps://127.0.0.1:${port}/${folder}`, ...args])
  await curl('INBOX', '-T', file)
  expectEqual('the message', await curl('INBOX;MAILINDEX=1'), mail('curl'))
  await curl('INBOX', '-X', 'STORE 1 +FLAGS (\\Flagged Label)')
  expectEqual('the search', (await curl('INBOX?FLAGGED%20KEYWORD%20Label')).trim(), '* SEARCH 1')
  await curl('INBOX', '-X', 'MOVE 1 Archive')
  expectEqual('the folder', (await curl('', '-X', 'STATUS Archive (MESSAGES)')).trim(), '* STATUS Archive (MESSAGES 1)')
}

const script = `
import imaplib, ssl, sys
port, user, password = sys.argv[1:]
context = ssl._create_unverified_context()
client = imaplib.IMAP4_SSL('127.0.0.1', int(port), ssl_context=context)
def ok(answer):
    assert answer[0] == 'OK', answer
    return answer[1]
ok(client.login(user, password))
ok(client.append('INBOX', '(\\\\Seen)', None, b'Subject: python\\r\\n\\r\\nHello\\r\\n'))
assert ok(client.select('INBOX')) == [b'1']
assert ok(client.uid('SEARCH', 'SUBJECT', 'python')) == [b'1']
assert b'Hello' in ok(client.fetch('1', '(FLAGS BODY.PEEK[TEXT])'))[0][1]
ok(client.create('Sub/folder'))
ok(client.copy('1', 'Sub/folder'))
ok(client.store('1', '+FLAGS', '(\\\\Deleted)'))
assert ok(client.expunge()) == [b'1']
assert ok(client.select('Sub/folder')) == [b'1']
assert ok(client.sort('(SUBJECT)', 'UTF-8', 'ALL')) == [b'1']
ok(client.close())
ok(client.delete('Sub/folder'))
client.logout()
`

async function checkPython({ port }: Where, { address, password }: Login): Promise<void> {
  await call('python3', ['-c', script, port, address, password])
}

async function checkMbsync({ dir, service, port }: Where, { address, password }: Login): Promise<void> {
  const inbox = path.join(dir, 'box', 'INBOX')
  for (const name of ['cur', 'new', 'tmp']) await mkdir(path.join(inbox, name), { recursive: true })
  const config = path.join(dir, 'mbsyncrc')
  await writeFile(
    config,
    `IMAPStore far
Host 127.0.0.1
Port ${port}
User ${address}
Pass ${password}
SSLType IMAPS
CertificateFile ${path.join(service.data, 'tls', 'cert.pem')}

MaildirStore near
Path ${dir}/box/
Inbox ${inbox}
SubFolders Verbatim

Channel all
Far :far:
Near :near:
Patterns *
Create Both
Expunge Both
SyncState ${dir}/state/
`,
  )
  await mkdir(path.join(dir, 'state'))
  const sync = () => call('mbsync', ['-c', config, 'all'])
  const curl = (folder: string, ...args: readonly string[]) =>
    call('curl', ['-sSk', '--user', `${address}:${password}`, `imaps://127.0.0.1:${port}/${folder}`, ...args])
  await writeFile(path.join(inbox, 'new', '1.near.host'), mail('near').replaceAll('\r\n', '\n'))
  const file = path.join(dir, 'far.eml')
  await writeFile(file, mail('far'))
  await curl('INBOX', '-T', file)
  await sync()
  expectEqual('the mail here', await countIn(inbox), 2)
  expectEqual('the mail there', (await curl('INBOX?SUBJECT%20near')).trim(), '* SEARCH 2')
  await curl('INBOX', '-X', 'STORE 1 +FLAGS.SILENT (\\Flagged)')
  const near = await namesIn(inbox).then((names) => names.find(({ file }) => file.startsWith('1.near')))
  await rename(path.join(inbox, near?.in ?? '', near?.file ?? ''), path.join(inbox, 'cur', '1.near.host:2,RS'))
  const made = path.join(dir, 'box', 'Made', 'new')
  for (const name of ['cur', 'new', 'tmp']) await mkdir(path.join(made, '..', name), { recursive: true })
  await writeFile(path.join(made, '2.near.host'), mail('made').replaceAll('\r\n', '\n'))
  await curl('', '-X', 'CREATE Projects')
  await sync()
  const flags = (await namesIn(inbox)).map(({ file }) => file.split(',').at(-1)).sort()
  // What curl brings is read.
  expectEqual('the flags here', flags, ['FS', 'RS'])
  expectEqual('the flags there', (await curl('INBOX?ANSWERED%20SEEN')).trim(), '* SEARCH 2')
  expectEqual('the folder there', (await curl('', '-X', 'STATUS Made (MESSAGES)')).trim(), '* STATUS Made (MESSAGES 1)')
  expectEqual('the folder here', await countIn(path.join(dir, 'box', 'Projects')), 0)
  await curl('INBOX', '-X', 'STORE 1:* +FLAGS (\\Deleted)')
  await sync()
  expectEqual('what is left here', await countIn(inbox), 0)
  expectEqual('what is left there', (await curl('INBOX?ALL')).trim(), '* SEARCH')
}

const countIn = async (maildir: string): Promise<number> => (await namesIn(maildir)).length

async function namesIn(maildir: string): Promise<readonly { readonly in: string; readonly file: string }[]> {
  const lists = await Promise.all(
    ['cur', 'new'].map(async (name) => (await readdir(path.join(maildir, name))).map((file) => ({ in: name, file }))),
  )
  return lists.flat()
}
