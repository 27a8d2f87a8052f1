/** `mailroom doctor`: checks what an instance needs, and says plainly what is wrong. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { certificateFiles, namesOf, readCertificateFiles } from '../core/certificates/files.ts'
import { type CertificateState, certificateStates } from '../core/certificates/overview.ts'
import { query } from '../core/dns/query.ts'
import { createResolver, DnsError, isAbsent } from '../core/dns/resolver.ts'
import { type Context, closeContext } from '../core/process/context.ts'
import { authorityOf } from '../schemas/authority.ts'
import { type Door, doorsOf } from '../schemas/doors.ts'
import { imapPort, imapsPort, type Settings, submissionPort, submissionsPort } from '../schemas/settings.ts'
import { countLanes } from '../store/outbox.ts'
import { openAdminContext } from './admin-context.ts'
import { errorText, type Io, sentence } from './io.ts'

type Finding = { readonly what: string; readonly ok: boolean; readonly detail: string }

const program = fileURLToPath(new URL('./bin.js', import.meta.url))
const connectMs = 2_000
const expirySoonMs = 14 * 86_400_000

/** Checks the instance, or the mail of a domain. Returns status 1 if anything is wrong. */
export async function doctor(io: Io, domain?: string, options: { readonly to?: string } = {}): Promise<number> {
  if (domain === undefined) return doctorOfInstance(io)
  return (await import('./domain-doctor.ts')).doctorDomain(io, domain, options)
}

/** Prints a line for each check. */
async function doctorOfInstance(io: Io): Promise<number> {
  const settings = io.settings()
  const checks = [
    ...doorsOf(settings).flatMap((door) => port(door, settings)),
    certificate(settings),
    disk(settings),
    nameServer(settings),
    dns(settings),
    database(settings),
  ]
  const findings = (await Promise.all(checks)).flat()
  for (const { what, ok, detail } of findings) io.out(`${ok ? 'ok  ' : 'BAD '} ${what}: ${detail}\n`)
  io.out(connecting(settings))
  return findings.every(({ ok }) => ok) ? 0 : 1
}

/** How programs connect to the MCP endpoint; docs/mcp.md says more. */
function connecting({ baseUrl, http }: Settings): string {
  const base = baseUrl ?? (http.port === 0 ? null : `http://${authorityOf(http.host, http.port)}`)
  if (base === null) return ''
  const url = `${base}/api/mcp`
  return [
    '',
    'MCP clients connect by this URL, with an API key (npx mailroom key create):',
    `  ${url}`,
    `  claude mcp add --transport http mailroom "${url}?bodies=structured" --header "Authorization: Bearer <API_KEY>"`,
    'Clients that start programs instead (Claude Desktop):',
    // Not npx: in the folder where such a client starts it, npx would fetch somebody else's package.
    `  MAILROOM_URL=${base} MAILROOM_API_KEY=<API_KEY> node "${program}" mcp`,
    'docs/mcp.md has the settings of Cursor, VS Code, ChatGPT and others.',
    '',
  ].join('\n')
}

/** Default ports of doors that also get any free port if inbound mail does, unless they have another port (cli/instance.ts). */
const usualPorts: ReadonlyMap<string, number> = new Map([
  ['submission', submissionPort],
  ['submissions', submissionsPort],
  ['imap', imapPort],
  ['imaps', imapsPort],
])

/** Checks a door; nothing for a closed one. The DNS server has a check of its own (`nameServer`). */
function port({ name, host, port: number }: Door, { smtp }: Settings): readonly Promise<Finding>[] {
  if (number === null || name === 'dns') return []
  const what = `port ${name}`
  if (number === 0 || (smtp.port === 0 && usualPorts.get(name) === number))
    return [Promise.resolve({ what, ok: true, detail: 'any free port; the ready line names it' })]
  return [answering(what, host, number)]
}

function answering(what: string, host: string, number: number): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: number, timeout: connectMs })
    const answer = (ok: boolean, detail: string) => {
      socket.destroy()
      resolve({ what, ok, detail: `${authorityOf(host, number)} ${detail}` })
    }
    socket.on('connect', () => answer(true, 'answers'))
    socket.on('timeout', () => answer(false, 'does not answer'))
    socket.on('error', (error) => answer(false, error.message))
  })
}

async function certificate(settings: Settings): Promise<Finding> {
  const what = 'certificate'
  try {
    const files = certificateFiles(settings)
    const isYetToBeMade = settings.tls.certificate === null && !existsSync(files.cert)
    if (isYetToBeMade) return { what, ok: false, detail: 'none yet: the first start makes one' }
    const certificate = await readCertificateFiles(files)
    const { validToDate } = certificate.leaf
    return {
      what,
      ok: validToDate.getTime() - Date.now() > expirySoonMs,
      detail: `${namesOf(certificate).join(', ')}, valid until ${validToDate.toISOString()}`,
    }
  } catch (error) {
    return { what, ok: false, detail: errorText(error) }
  }
}

function orderedCertificate({ name, state, validTo, nextAt, reason }: CertificateState): Finding {
  const end = validTo === null ? 'none yet' : `valid until ${validTo.toISOString()}`
  const next = `${reason} The next try is at ${nextAt.toISOString()}.`
  return {
    what: `certificate ${name}`,
    ok: state === 'valid' || state === 'waiting',
    detail: reason === null ? end : `${end}. ${next}`,
  }
}

async function disk(settings: Settings): Promise<Finding> {
  const what = 'disk'
  try {
    const { bavail, bsize } = await statfs(settings.data)
    const freeBytes = bavail * bsize
    return {
      what,
      ok: freeBytes > settings.limits.smtp.freeDiskBytes,
      detail: `${Math.round(freeBytes / 1024 / 1024)} MiB free in ${settings.data}`,
    }
  } catch (error) {
    return { what, ok: false, detail: errorText(error) }
  }
}

/** Our server refuses questions about a domain that cannot be ours, which shows that it is running. */
async function nameServer({ dns: { host, port } }: Settings): Promise<Finding> {
  const what = 'port dns'
  if (port === null) return { what, ok: true, detail: 'off (setting dns.port)' }
  if (port === 0) return { what, ok: true, detail: 'any free port; the ready line names it' }
  const at = authorityOf(host, port)
  const failure = await query([{ address: host, port }], 'doctor.invalid', 'A').then(
    () => 'answers for a domain that is not ours: another server has the port',
    (error: unknown) => (error instanceof DnsError && error.code === 'EREFUSED' ? null : errorText(error)),
  )
  return { what, ok: failure === null, detail: `${at} ${failure ?? 'answers'}` }
}

/** The answer that there is no such record also shows that DNS works. */
async function dns(settings: Settings): Promise<Finding> {
  const what = 'DNS'
  const resolver = createResolver(settings.resolver, new Map())
  const servers = resolver.servers.join(', ')
  try {
    await resolver.resolve('example.com', 'MX')
    return { what, ok: true, detail: `${servers} answers` }
  } catch (error) {
    if (isAbsent(error)) return { what, ok: true, detail: `${servers} answers` }
    return {
      what,
      ok: false,
      detail: `${servers}: ${error instanceof Error ? error.message : String(error)}. Mail to domains without a route cannot be sent, and incoming mail cannot be verified.`,
    }
  }
}

/** Checks the object store; nothing if large bodies are in the database. */
async function objectStore({ settings, store: { objects } }: Context): Promise<Finding[]> {
  if (objects === null) return []
  const { bucket, endpoint } = settings.blobs
  const detail = await objects.reach().then(
    () => null,
    ({ message, cause }: Error) =>
      `${message} ${sentence(errorText(cause))} Large mail is answered 451 meanwhile: compare blobs.bucket, blobs.endpoint, blobs.region and the key with the store`,
  )
  return [
    {
      what: 'object store',
      ok: detail === null,
      detail: detail ?? `the bucket ${bucket} at ${endpoint ?? 'AWS'} answers`,
    },
  ]
}

async function database(settings: Settings): Promise<Finding[]> {
  try {
    const ctx = await openAdminContext(settings)
    const waiting = await countLanes(ctx.store)
    const ordered = (await certificateStates(ctx)).map(orderedCertificate)
    const objects = await objectStore(ctx)
    await closeContext(ctx)
    return [
      {
        what: 'database',
        ok: true,
        detail: settings.mongodbUrl === null ? 'the embedded engine answers' : 'MONGODB_URL answers',
      },
      { what: 'queue', ok: true, detail: `${waiting} accounts have mail waiting to go out` },
      ...objects,
      ...ordered,
    ]
  } catch (error) {
    return [{ what: 'database', ok: false, detail: errorText(error) }]
  }
}
