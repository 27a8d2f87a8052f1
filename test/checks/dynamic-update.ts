/**
 * `npm run check -- dynamic-update`: domains whose zones BIND and Knot serve, each if it is installed. Records of every type are added,
 * changed and removed by dynamic updates, and read back by a zone transfer.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { administrator } from '../../core/access/principal.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { setBackend, updateBackend } from '../../core/domains/dns-backend.ts'
import { domainInUse } from '../../core/domains/domain-list.ts'
import { createRecord, deleteRecord, listRecords, type NewRecord, updateRecord } from '../../core/zones/records.ts'
import { eventually } from '../eventually.ts'
import { type Door, makeTenant, openDoor } from '../start/door.ts'

const execute = promisify(execFile)
const key = 'hmac-sha256:mailroom:c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0'
const [, , secret = ''] = key.split(':')

type Place = { readonly dir: string; readonly port: number; readonly zone: string }
type Server = {
  readonly name: string
  readonly program: string
  /** Writes the server's configuration. Returns its arguments. */
  readonly configure: (place: Place) => Promise<readonly string[]>
}

const zoneText = (zone: string) =>
  `$ORIGIN ${zone}.\n$TTL 60\n@ SOA ns.${zone}. root.${zone}. 1 60 60 600 60\n@ NS ns.${zone}.\nns A 127.0.0.1\n`

const servers: readonly Server[] = [
  {
    name: 'BIND',
    program: 'named',
    async configure({ dir, port, zone }) {
      await writeFile(path.join(dir, 'zone.db'), zoneText(zone))
      const config = path.join(dir, 'named.conf')
      await writeFile(
        config,
        `key mailroom { algorithm hmac-sha256; secret "${secret}"; };
options { directory "${dir}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; pid-file "${dir}/pid"; session-keyfile "${dir}/session"; recursion no; allow-transfer { key mailroom; }; };
controls { };
zone "${zone}" { type primary; file "${dir}/zone.db"; allow-update { key mailroom; }; };
`,
      )
      return ['-g', '-c', config]
    },
  },
  {
    name: 'Knot',
    program: 'knotd',
    async configure({ dir, port, zone }) {
      await writeFile(path.join(dir, `${zone}.zone`), zoneText(zone))
      const config = path.join(dir, 'knot.conf')
      await writeFile(
        config,
        `server:
  rundir: "${dir}"
  listen: 127.0.0.1@${port}
database:
  storage: "${dir}"
key:
  - id: mailroom
    algorithm: hmac-sha256
    secret: ${secret}
acl:
  - id: mailroom
    key: mailroom
    action: [update, transfer]
zone:
  - domain: ${zone}
    storage: "${dir}"
    acl: mailroom
`,
      )
      return ['-c', config]
    },
  },
]

/** @returns whether every installed server accepted every update */
export async function run(): Promise<boolean> {
  const door = await openDoor()
  Object.assign(door.ctx, { hostname: 'mx.mailroom.test' })
  let isWell = true
  try {
    for (const server of servers) {
      const isThere = await execute('which', [server.program]).then(
        () => true,
        () => false,
      )
      if (!isThere) console.log(`${server.name}: not installed`)
      else isWell = (await tried(door, server)) && isWell
    }
    return isWell
  } finally {
    await door.close()
  }
}

async function tried(door: Door, server: Server): Promise<boolean> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-update-'))
  const zone = `${server.program}.example`
  const place = { dir, port: await freePort(), zone }
  const child = spawn(server.program, await server.configure(place), { stdio: 'ignore' })
  try {
    await eventually(`${server.name} answers`, () => transferred(place).catch(() => null), 20_000)
    await update(door, place)
    console.log(`${server.name}: well`)
    return true
  } catch (error) {
    console.log(`${server.name}: ${error instanceof Error ? error.message : error}`)
    return false
  } finally {
    await ended(child)
    await rm(dir, { recursive: true, force: true })
  }
}

const samples: readonly NewRecord[] = [
  { type: 'A', name: 'www', value: '192.0.2.1' },
  { type: 'AAAA', name: 'www', value: '2001:db8::1', ttlSeconds: 120 },
  { type: 'CNAME', name: 'shop', value: 'www.example.net' },
  { type: 'MX', name: 'sub', value: '5 mx.example.net' },
  { type: 'TXT', name: 'long', value: `${'x'.repeat(300)} "quoted" \\ é` },
  { type: 'SRV', name: '_sip._tcp', value: '1 2 5060 sip.example.net' },
  { type: 'CAA', name: '@', value: '0 issue "letsencrypt.org"' },
  { type: 'NS', name: 'deep', value: 'ns1.example.net' },
  { type: 'A', name: '*.any', value: '192.0.2.2' },
]

/** Adds, changes and removes records, and compares the server's zone with our own records after each step. */
async function update(door: Door, place: Place): Promise<void> {
  const { ctx } = door
  const { zone: domain } = place
  const { accountId } = await makeTenant(door, { name: domain.replace('.example', '') })
  const principal = administrator(await getAccount(ctx, accountId))
  await setBackend(ctx, await domainInUse(ctx, domain), updateBackend(ctx, { server: `127.0.0.1:${place.port}`, key }))
  const same = async (what: string) => {
    const { items } = await listRecords(ctx, principal, { domain, limit: 200 })
    const kept = items.length
    const there = await transferred(place)
    // Besides ours, the transfer has the SOA record twice, the NS record and the address of the server.
    if (there.length !== kept + 4)
      throw new Error(`${what}: ${kept} records here, there ${there.length - 4}:\n${there.join('\n')}`)
  }
  await same('at the beginning')
  for (const record of samples) {
    const { after } = await createRecord(ctx, principal, { domain, ...record, force: true })
    await same(`${record.type} put in`)
    await updateRecord(ctx, principal, { domain, id: after!.id, ttlSeconds: 777, force: true })
    await same(`${record.type} with another time to live`)
    if (!(await transferred(place)).some((line) => line.includes(' 777 '))) throw new Error(`${record.type}: no 777`)
    await deleteRecord(ctx, principal, { domain, id: after!.id, force: true })
    await same(`${record.type} taken out`)
  }
}

/** The zone as a transfer returns it, one record per line. */
async function transferred({ port, zone }: Place): Promise<readonly string[]> {
  const { stdout } = await execute('dig', [
    '@127.0.0.1',
    '-p',
    String(port),
    '-y',
    key,
    '+onesoa',
    '+nocomments',
    '+nostats',
    '+nocmd',
    zone,
    'AXFR',
  ])
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(';') && !/\sTSIG\s/.test(line))
  if (lines.length === 0) throw new Error('no transfer')
  return [...lines.map((line) => line.replaceAll(/\s+/g, ' ')), 'SOA again']
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill()
  await new Promise((resolve) => child.once('exit', resolve))
}
