/** The addresses and ports on which the settings say that the service listens, and the failures when it cannot listen there. */
import { Failure } from './failures.ts'
import { type Settings, variableOf } from './settings.ts'

export type Door = {
  /** The setting `<name>.port` holds its port. */
  readonly name: string
  /** The part that opens it; null: it is open whichever parts run. */
  readonly part: 'api' | 'smtp' | 'imap' | 'dns' | null
  /** The setting that holds its host. */
  readonly hostSetting: string
  readonly host: string
  /** Null: it is closed. */
  readonly port: number | null
}

/** Every door, in the order in which it is shown. */
export function doorsOf(settings: Settings): readonly Door[] {
  const { http, https, smtp, submission, submissions, imap, imaps, dns, metrics } = settings
  const mail = { hostSetting: 'smtp.host', host: smtp.host }
  return [
    { name: 'http', part: 'api', hostSetting: 'http.host', host: http.host, port: http.port },
    { name: 'https', part: 'api', hostSetting: 'https.host', host: https.host, port: https.port },
    { name: 'smtp', part: 'smtp', ...mail, port: smtp.port },
    { name: 'submission', part: 'smtp', ...mail, port: submission.port },
    { name: 'submissions', part: 'smtp', ...mail, port: submissions.port },
    { name: 'imap', part: 'imap', ...mail, port: imap.port },
    { name: 'imaps', part: 'imap', ...mail, port: imaps.port },
    { name: 'dns', part: 'dns', hostSetting: 'dns.host', host: dns.host, port: dns.port },
    { name: 'metrics', part: null, hostSetting: 'metrics.host', host: metrics.host, port: metrics.port },
  ]
}

/** The error of Node for a socket that could not be opened. */
type ListenError = NodeJS.ErrnoException & { readonly port: number }
/** The error of Node for a host whose address could not be found. */
type LookupError = NodeJS.ErrnoException & { readonly hostname: string }

/** Turns an error at start into the `conflict` that names the setting of the door that could not be opened; returns others unchanged. */
export function listenFailure(error: unknown, settings: Settings): unknown {
  if (isLookupError(error)) {
    const door = doorsOf(settings).find(({ host, port }) => port !== null && host === error.hostname)
    return door === undefined ? error : cannotListen(door, error)
  }
  if (!isListenError(error)) return error
  const door = doorsOf(settings).find(({ port }) => port === error.port)
  if (door === undefined) return error
  const { name, host, port, hostSetting } = door
  const setting = `${name}.port`
  if (error.code === 'EADDRINUSE')
    return new Failure('conflict', `${setting} is ${port}, which another program uses on ${host} (${error.code}).`, {
      cause: error,
      fix: `End that program, or set ${setting} (${variableOf(setting)}) to another port; 0 means any free one.`,
    })
  if (error.code === 'EACCES')
    return new Failure('conflict', `${setting} is ${port}, which this user may not open (${error.code}).`, {
      cause: error,
      fix: `Give the process the right to open ports below 1024, or set ${setting} (${variableOf(setting)}) to a higher one.`,
    })
  return cannotListen({ hostSetting, host }, error)
}

/** The `conflict` for a host on which nothing can listen. */
export function cannotListen(
  { hostSetting, host }: Pick<Door, 'hostSetting' | 'host'>,
  error: NodeJS.ErrnoException,
): Failure {
  return new Failure('conflict', `${hostSetting} is ${host}, where this machine cannot listen (${error.code}).`, {
    cause: error,
    fix: `Set ${hostSetting} to an address of this machine, such as 127.0.0.1.`,
  })
}

function isListenError(error: unknown): error is ListenError {
  const { syscall, port } = (error ?? {}) as Partial<ListenError>
  return (syscall === 'listen' || syscall === 'bind') && typeof port === 'number'
}

function isLookupError(error: unknown): error is LookupError {
  const { syscall, hostname } = (error ?? {}) as Partial<LookupError>
  return syscall === 'getaddrinfo' && typeof hostname === 'string'
}
