/**
 * The folder that Haraka runs in (`haraka -c DIR`). It is created anew at each start from `config/haraka` and the settings, so that
 * the settings are the only place to configure anything. Nothing in it is worth keeping.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { networksOf } from '../core/access/network.ts'
import type { Context } from '../core/process/context.ts'
import { authorityOf } from '../schemas/authority.ts'
import { lineCharsMax } from './submission/auth.ts'

type Settings = Context['settings']

/** Haraka's level for each of ours. Its notices make several lines per session, so they count as debug. */
const logLevels: { readonly [level in Settings['log']['level']]: string } = {
  trace: 'protocol',
  debug: 'info',
  info: 'warn',
  warn: 'warn',
  error: 'error',
  silent: 'emerg',
}

/**
 * Writes the instance folder `dir` of the checkout `repository`; `tls` names the PEM files of the service's certificate.
 * Replaces what was there before. Rejects if a template names a value that does not exist.
 */
export async function writeInstance({
  dir,
  settings,
  repository,
  tls,
}: {
  readonly dir: string
  readonly settings: Settings
  readonly repository: string
  readonly tls: { readonly key: string; readonly cert: string }
}): Promise<void> {
  const config = join(dir, 'config')
  const spoolDir = join(dir, 'spool')
  await rm(config, { recursive: true, force: true })
  await Promise.all([config, spoolDir].map((folder) => mkdir(folder, { recursive: true })))
  const { host, proxies } = settings.smtp
  networksOf('smtp.proxies', proxies)
  await fillTemplates(join(repository, 'config', 'haraka'), config, {
    listen: [settings.smtp, settings.submission, settings.submissions]
      .flatMap(({ port }) => (port === null ? [] : [authorityOf(host, port)]))
      .join(','),
    // -1 is no port: with 0, every listener on a free port would speak TLS.
    tlsPort: String(settings.submissions.port ?? -1),
    hostname: settings.hostname ?? hostname(),
    spoolDir: resolve(spoolDir),
    // Includes the CRLF; plugins/submission limits commands other than AUTH further.
    commandBytes: String(lineCharsMax + 2),
    lineBytes: String(settings.limits.smtp.lineBytes),
    isProxied: String(proxies.length > 0),
    proxyHosts: proxies.map((proxy) => `hosts[]=${networkOf(proxy)}`).join('\n'),
    logLevel: logLevels[settings.log.level],
    key: resolve(tls.key),
    cert: resolve(tls.cert),
  })
  // Without a key any client on loopback could send INTERNALCMD commands. Nobody needs to know this key.
  await writeFile(join(config, 'internalcmd_key'), randomBytes(32).toString('hex'), { mode: 0o600 })
  await link(join(repository, 'plugins'), join(dir, 'plugins'))
}

/** An address as a network of its own: Haraka would take a bare IPv6 address for a /64. */
function networkOf(proxy: string): string {
  return proxy.includes('/') ? proxy : `${proxy}/${proxy.includes(':') ? 128 : 32}`
}

async function fillTemplates(from: string, to: string, values: { readonly [name: string]: string }): Promise<void> {
  for (const file of await readdir(from)) {
    const template = await readFile(join(from, file), 'utf8')
    const text = template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`config/haraka/${file} names an unknown value: ${name}`)
      return value
    })
    await writeFile(join(to, file), text)
  }
}

async function link(target: string, path: string): Promise<void> {
  await rm(path, { force: true }) // removes only the link, not its target
  await symlink(resolve(target), path, 'dir')
}
