/**
 * `npm run check -- acme`: a whole service against Pebble, Let's Encrypt's test authority, which rejects nonces at random and is
 * deliberately strict in other ways. Pebble is `pebble` on the PATH, or the program that PEBBLE names:
 * `go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { createAccount } from '../../core/account/accounts.ts'
import { certificateStates, renewNow } from '../../core/certificates/overview.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { zoneChanged } from '../../core/zones/served-zones.ts'
import { newId } from '../../schemas/ids.ts'
import { eventually } from '../eventually.ts'
import { makeAuthority, makeCertificate, type Pair } from '../peers/certificates.ts'
import { freePort } from '../peers/free-port.ts'
import { startNameServer } from '../peers/name-server.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

const domain = 'pebble.example'
const hostname = `mx.${domain}`
const trustedFile = 'authority.pem'
/** Generous, because the service looks for new domain names only once a minute. */
const certificateMs = 240_000

type Pebble = { readonly directory: string; readonly management: string; readonly process: ChildProcess }

type Where = { readonly program: string; readonly folder: string; readonly authority: Pair }

/** @returns whether certificates were issued, verify at every door and were renewed; also true if Pebble is not installed */
export async function run(): Promise<boolean> {
  const program = process.env.PEBBLE ?? 'pebble'
  const isThere = await promisify(execFile)(program, ['-version']).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  )
  if (!isThere) {
    console.log(`${program}: not installed`)
    return true
  }
  let isWell = true
  for (const check of [overHttp, inOurZone]) {
    const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-pebble-'))
    const authority = await makeAuthority()
    await writeFile(path.join(folder, trustedFile), authority.cert)
    isWell = (await check({ program, folder, authority })) && isWell
    await rm(folder, { recursive: true, force: true })
  }
  return isWell
}

/** Checks the certificate of the host name, issued by HTTP-01, at every door, and its renewal. */
async function overHttp(where: Where): Promise<boolean> {
  const dns = await startNameServer({ [`A ${hostname}`]: ['127.0.0.1'] })
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const pebble = await startPebble(where, { dns: dns.address, httpPort })
  const service = await startService({
    only: null,
    env: {
      ...environment(where, pebble),
      MAILROOM_HTTP_PORT: String(httpPort),
      MAILROOM_HTTPS_PORT: String(httpsPort),
      MAILROOM_RESOLVER: JSON.stringify([dns.address]),
    },
  })
  const isWell = await ended(service, pebble, async (ctx) => {
    const ca = await rootOf(pebble, where.authority)
    const ports = [httpsPort, Number(service.imaps?.split(':')[1]), Number(service.submissions?.split(':')[1])]
    const serialAt = (port: number) => verifiedSerial({ port, ca, name: hostname })
    const first = await eventually('the first certificate', () => serialAt(httpsPort))
    for (const port of ports)
      await eventually(`the same at ${port}`, async () => (await serialAt(port)) === first || null)
    console.log(`HTTP-01, issued: ${first}`)
    await renewNow(ctx, hostname)
    const second = await eventually('another certificate', async () => {
      const serial = await serialAt(httpsPort)
      return serial === first ? null : serial
    })
    for (const port of ports)
      await eventually(`the same at ${port}`, async () => (await serialAt(port)) === second || null)
    console.log(`HTTP-01, renewed: ${second}`)
  })
  await dns.stop()
  return isWell
}

/**
 * Checks certificates issued by DNS-01: that of the mail server, those of a domain's own hosts, and its wildcard certificate. Pebble
 * queries the service's own DNS server, over TCP where the answer is too long for UDP, and nothing answers it over HTTP.
 */
async function inOurZone(where: Where): Promise<boolean> {
  const [httpsPort, dnsPort] = [await freePort(), await freePort()]
  const dns = `127.0.0.1:${dnsPort}`
  const pebble = await startPebble(where, { dns, httpPort: await freePort() })
  const service = await startService({
    only: null,
    env: {
      ...environment(where, pebble),
      MAILROOM_ACME_CHALLENGE: 'dns-01',
      MAILROOM_ACME_NAMES: JSON.stringify([`*.${domain}`]),
      MAILROOM_HTTPS_PORT: String(httpsPort),
      MAILROOM_DNS_PORT: String(dnsPort),
      MAILROOM_RESOLVER: JSON.stringify([dns]),
    },
  })
  return ended(service, pebble, async (ctx) => {
    const ca = await rootOf(pebble, where.authority)
    const { id: accountId } = await createAccount(ctx, { name: 'pebble', owner: null })
    await createDomain(ctx, { domain, accountId, verified: true })
    const createdAt = ctx.clock.now()
    const record = { domain, accountId, ttlSeconds: 60, priority: null, managed: null, purpose: null, createdAt }
    const long = range(6).map((n) => ({ name: '_acme-challenge', type: 'TXT' as const, value: `${n}`.repeat(250) }))
    await ctx.store.zoneRecords.insertMany(
      [{ name: 'mx', type: 'A' as const, value: '127.0.0.1' }, ...long].map((each) => ({
        ...record,
        ...each,
        _id: newId('rec', createdAt),
      })),
    )
    await zoneChanged(ctx, { domain, accountId })
    const cut = await seenBy('dig', [
      '@127.0.0.1',
      '-p',
      String(dnsPort),
      '+ignore',
      '+bufsize=1232',
      `_acme-challenge.${domain}`,
      'TXT',
    ])
    if (cut !== null && !/flags:[^;]* tc/.test(cut)) throw new Error(`The answer over UDP is not cut:\n${cut}`)
    // Orders placed before the zone existed have failed.
    const again = new Set<string>()
    const ordered = async (name: string) => {
      const state = (await certificateStates(ctx)).find((each) => each.name === name)
      if (state?.state === 'failing' && !again.has(name)) await renewNow(ctx, name)
      if (state?.state === 'failing') again.add(name)
      return state?.state === 'valid'
    }
    for (const name of [hostname, `mta-sts.${domain}`, `autoconfig.${domain}`, `*.${domain}`])
      await eventually(`the certificate of ${name}`, () => ordered(name), certificateMs)
    for (const name of [hostname, `mta-sts.${domain}`, `autoconfig.${domain}`, `any.${domain}`]) {
      const serial = await eventually(`${name} over HTTPS`, () => verifiedSerial({ port: httpsPort, ca, name }))
      console.log(`DNS-01, ${name}: ${serial}`)
    }
    const left = await ctx.store.zoneRecords.countDocuments({ domain, purpose: 'proof' })
    if (left > 0) throw new Error(`${left} records of challenges stay in the zone.`)
  })
}

/** Runs `work` and then stops the service and Pebble. Returns whether `work` succeeded. */
async function ended(service: Service, pebble: Pebble, work: (ctx: Context) => Promise<void>): Promise<boolean> {
  try {
    const ctx = await contextOf(service)
    await work(ctx).finally(() => closeContext(ctx))
    return true
  } catch (error) {
    return failed(error, service)
  } finally {
    await service.dispose()
    pebble.process.kill()
  }
}

const range = (count: number) => [...Array(count).keys()]

function environment({ folder }: Where, { directory }: Pebble): Record<string, string> {
  return {
    MAILROOM_HOSTNAME: hostname,
    MAILROOM_ACME_DIRECTORY: directory,
    MAILROOM_ACME_EMAIL: `admin@${domain}`,
    NODE_EXTRA_CA_CERTS: path.join(folder, trustedFile),
  }
}

function failed(error: unknown, service: Service): false {
  console.log(error instanceof Error ? error.message : error)
  console.log(service.logs())
  return false
}

/** Returns the output of a program; null if it is not installed. */
async function seenBy(program: string, args: readonly string[]): Promise<string | null> {
  return promisify(execFile)(program, [...args]).then(
    ({ stdout }) => stdout,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )
}

async function startPebble(
  { program, folder, authority }: Where,
  { dns, httpPort }: { readonly dns: string; readonly httpPort: number },
): Promise<Pebble> {
  const [port, managementPort] = [await freePort(), await freePort()]
  const { key, cert } = await makeCertificate(['localhost'], { authority })
  const [config, keyFile, certFile] = ['config.json', 'key.pem', 'cert.pem'].map((name) => path.join(folder, name))
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: certFile,
    privateKey: keyFile,
    httpPort,
    tlsPort: 5001,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  await Promise.all([
    writeFile(config!, JSON.stringify({ pebble: settings })),
    writeFile(keyFile!, key),
    writeFile(certFile!, cert),
  ])
  const child = spawn(program, ['-config', config!, '-dnsserver', dns], {
    stdio: 'ignore',
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20' },
  })
  const management = `https://localhost:${managementPort}`
  const pebble = { directory: `https://localhost:${port}/dir`, management, process: child }
  await eventually('Pebble answers', () => rootOf(pebble, authority).catch(() => null))
  return pebble
}

/** The root certificate that verifies those Pebble issues. */
async function rootOf({ management }: Pebble, authority: Pair): Promise<string> {
  const dispatcher = new Agent({ connect: { ca: authority.cert } })
  const { body } = await request(`${management}/roots/0`, { dispatcher })
  return body.text()
}

/** Returns the serial number of the certificate that a door presents; null if it does not verify. */
function verifiedSerial({ port, ca, name }: { port: number; ca: string; name: string }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ca, servername: name })
    const answer = (serial: string | null) => {
      socket.destroy()
      resolve(serial)
    }
    socket.once('secureConnect', () => answer(socket.getPeerCertificate().serialNumber))
    socket.once('error', () => answer(null))
  })
}
