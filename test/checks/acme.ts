/**
 * `npm run check -- acme`: a whole service against Pebble, the small authority of Let's Encrypt, which refuses nonces and is otherwise
 * as difficult as a client must bear. Pebble is `pebble` on the path, or what PEBBLE names:
 * `go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { renewNow } from '../../core/certificates/overview.ts'
import { closeContext } from '../../core/process/context.ts'
import { eventually } from '../eventually.ts'
import { makeAuthority, makeCertificate, type Pair } from '../peers/certificates.ts'
import { freePort } from '../peers/free-port.ts'
import { startNameServer } from '../peers/name-server.ts'
import { contextOf, startService } from '../start/service.ts'

const hostname = 'mx.pebble.example'

type Pebble = { readonly directory: string; readonly management: string; readonly process: ChildProcess }

/** @returns whether certificates came, hold at the doors, and were renewed; true also where there is no Pebble */
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
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-pebble-'))
  const authority = await makeAuthority()
  const dns = await startNameServer({ [`A ${hostname}`]: ['127.0.0.1'] })
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const pebble = await startPebble(program, { folder, authority, dns: dns.address, httpPort })
  const trusted = path.join(folder, 'authority.pem')
  await writeFile(trusted, authority.cert)
  const service = await startService({
    only: null,
    env: {
      MAILROOM_HOSTNAME: hostname,
      MAILROOM_HTTP_PORT: String(httpPort),
      MAILROOM_HTTPS_PORT: String(httpsPort),
      MAILROOM_ACME_DIRECTORY: pebble.directory,
      MAILROOM_ACME_EMAIL: 'admin@pebble.example',
      MAILROOM_RESOLVER: JSON.stringify([dns.address]),
      NODE_EXTRA_CA_CERTS: trusted,
    },
  })
  try {
    const ca = await rootOf(pebble, authority)
    const ports = [httpsPort, Number(service.imaps?.split(':')[1]), Number(service.submissions?.split(':')[1])]
    const serialAt = (port: number) => verifiedSerial({ port, ca })
    const first = await eventually('the first certificate', () => serialAt(httpsPort))
    for (const port of ports)
      await eventually(`the same at ${port}`, async () => (await serialAt(port)) === first || null)
    console.log(`issued: ${first}`)
    const ctx = await contextOf(service)
    await renewNow(ctx, hostname)
    const second = await eventually('another certificate', async () => {
      const serial = await serialAt(httpsPort)
      return serial === first ? null : serial
    })
    for (const port of ports)
      await eventually(`the same at ${port}`, async () => (await serialAt(port)) === second || null)
    console.log(`renewed: ${second}`)
    await closeContext(ctx)
    return true
  } catch (error) {
    console.log(error instanceof Error ? error.message : error)
    console.log(service.logs())
    return false
  } finally {
    await service.dispose()
    pebble.process.kill()
    await dns.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function startPebble(
  program: string,
  given: { readonly folder: string; readonly authority: Pair; readonly dns: string; readonly httpPort: number },
): Promise<Pebble> {
  const { folder, authority, dns, httpPort } = given
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

/** The certificate that Pebble's are verified with. */
async function rootOf({ management }: Pebble, authority: Pair): Promise<string> {
  const dispatcher = new Agent({ connect: { ca: authority.cert } })
  const { body } = await request(`${management}/roots/0`, { dispatcher })
  return body.text()
}

/** The number of the certificate that a door shows, when it is verified; else null. */
function verifiedSerial({ port, ca }: { readonly port: number; readonly ca: string }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ca, servername: hostname })
    const answer = (serial: string | null) => {
      socket.destroy()
      resolve(serial)
    }
    socket.once('secureConnect', () => answer(socket.getPeerCertificate().serialNumber))
    socket.once('error', () => answer(null))
  })
}
