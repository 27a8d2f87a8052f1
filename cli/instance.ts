/** The places of a running instance inside the data folder, and its actual ports. */
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { createServer, isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cannotListen, doorsOf } from '../schemas/doors.ts'
import { Failure } from '../schemas/failures.ts'
import { dnsPort, imapPort, imapsPort, type Settings, submissionPort, submissionsPort } from '../schemas/settings.ts'
import type { PartName } from './parts.ts'

/** A unix socket's path has to fit 108 bytes including its terminator (sun_path); the driver requires it to end in `.sock`. */
const socketPathMax = 104

/**
 * The embedded engine's folder and socket. The socket is in the temporary folder if the path of the data folder is too long, or contains
 * a `%`, which the driver would read as the beginning of an escape.
 */
export function enginePaths(dataFolder: string): { folder: string; socket: string } {
  const folder = path.join(dataFolder, 'engine')
  const near = path.join(folder, 'engine.sock')
  if (Buffer.byteLength(near) <= socketPathMax && !near.includes('%')) return { folder, socket: near }
  const name = createHash('sha256').update(near).digest('hex').slice(0, 16)
  return { folder, socket: path.join(tmpdir(), `mailroom-${name}`, 'engine.sock') }
}

/** The connection string of the embedded engine. */
export function engineUrl(dataFolder: string): string {
  return `mongodb://${encodeURIComponent(enginePaths(dataFolder).socket)}/mailroom`
}

/**
 * Makes the folders of an instance, accessible only to their owner. Fails with `forbidden` if one cannot be made, or exists and belongs
 * to another user, or to everybody.
 */
export async function makeFolders(dataFolder: string): Promise<void> {
  const { folder, socket } = enginePaths(dataFolder)
  for (const wanted of [dataFolder, folder, path.dirname(socket)]) await makePrivate(wanted)
}

async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: privateMode }).catch((error: NodeJS.ErrnoException) => {
    throw new Failure('forbidden', `The folder ${folder} cannot be made (${error.code}).`, {
      cause: error,
      fix: 'Make it for the user of the service, or set MAILROOM_DATA to a folder that can be written.',
    })
  })
  const { mode, uid } = await stat(folder)
  const user = process.getuid?.() ?? uid
  if (uid !== user)
    throw new Failure(
      'forbidden',
      `The folder ${folder} belongs to another user (uid ${uid}), who could read what is kept there.`,
      { fix: `Run "chown ${user} ${folder}", or set MAILROOM_DATA to another folder, such as one inside it.` },
    )
  if ((mode & forOthers) === 0) return
  if ((mode & sticky) !== 0 || path.dirname(folder) === folder)
    throw new Failure('forbidden', `The folder ${folder} is for all users of this machine.`, {
      fix: 'Set MAILROOM_DATA to a folder that nothing else uses, such as one inside it.',
    })
  await chmod(folder, privateMode)
}

const privateMode = 0o700
const forOthers = 0o077
const sticky = 0o1000

/**
 * Returns the settings with a free port wherever any port was allowed. Mail programs and DNS follow inbound mail: if its port may be
 * any, so may theirs, unless they were given one.
 */
export async function withPorts(settings: Settings): Promise<Settings> {
  const candidates = openPorts()
  const port = async (wanted: number, at: HostSetting) =>
    wanted === 0 ? freePort(candidates, { at, host: settings[at].host }) : wanted
  const { http, https, metrics, smtp, submission, submissions, imap, imaps, dns } = settings
  const besideMail = async (wanted: number | null, usual: number, at: HostSetting = 'smtp') => {
    if (wanted === null) return null
    return port(smtp.port === 0 && wanted === usual ? 0 : wanted, at)
  }
  return {
    ...settings,
    http: { ...http, port: await port(http.port, 'http') },
    https: { ...https, port: https.port === null ? null : await port(https.port, 'https') },
    smtp: { ...smtp, port: await port(smtp.port, 'smtp') },
    metrics: { ...metrics, port: metrics.port === null ? null : await port(metrics.port, 'metrics') },
    submission: { port: await besideMail(submission.port, submissionPort) },
    submissions: { port: await besideMail(submissions.port, submissionsPort) },
    imap: { port: await besideMail(imap.port, imapPort) },
    imaps: { port: await besideMail(imaps.port, imapsPort) },
    dns: { ...dns, port: await besideMail(dns.port, dnsPort, 'dns') },
  }
}

/** Fails with `conflict` if two doors of running parts have the same port, because the later one would only report that it is in use. */
export function refuseSharedPorts(settings: Settings, parts: readonly PartName[]): void {
  const open = doorsOf(settings).filter(({ part, port }) => port !== null && (part === null || parts.includes(part)))
  for (const [n, door] of open.entries()) {
    const other = open.slice(0, n).find(({ host, port }) => port === door.port && host === door.host)
    if (other === undefined) continue
    throw new Failure('conflict', `${other.name}.port and ${door.name}.port are both ${door.port}.`, {
      fix: 'Give each a port of its own.',
    })
  }
}

/** The group of settings whose `host` a door uses. */
type HostSetting = 'http' | 'https' | 'smtp' | 'metrics' | 'dns'

/**
 * A part listens seconds after its port was chosen. So that nothing takes the port meanwhile, it is below those that the system gives to
 * outgoing connections, and instances that start together, whose process ids differ, look in different places.
 */
const openPortMin = 10_000
const openPortEnd = 32_768
/** More than the nine that an instance can have, because instances that start together have adjacent process ids. */
const portsOfInstance = 11

function* openPorts(): Generator<number> {
  const size = openPortEnd - openPortMin
  const first = (process.pid * portsOfInstance) % size
  for (let tried = 0; tried < size; tried += 1) yield openPortMin + ((first + tried) % size)
}

async function freePort(
  candidates: Iterator<number>,
  { at, host }: { readonly at: HostSetting; readonly host: string },
): Promise<number> {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw cannotListen({ hostSetting: `${at}.host`, host }, error)
  }
  for (let next = candidates.next(); next.done !== true; next = candidates.next())
    if (await isFree(next.value, host).catch(refuse)) return next.value
  throw new Failure('conflict', `On ${host} no port from ${openPortMin} to ${openPortEnd - 1} is free.`, {
    fix: 'Set http.port and smtp.port to ports that are free.',
  })
}

/** Whether the port is free, over both TCP and UDP. Rejects if this machine cannot listen on the host. */
function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const tcp = createServer()
    const udp = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    const taken = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error))
    tcp.on('error', taken)
    udp.on('error', (error) => tcp.close(() => taken(error)))
    tcp.listen(port, host, () => udp.bind(port, host, () => udp.close(() => tcp.close(() => resolve(true)))))
  })
}
