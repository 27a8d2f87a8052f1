/**
 * `npm run check -- dns`: our DNS server against other programs, each if it is installed (Debian's bind9, bind9-dnsutils and knot).
 * It must give the same answers as BIND from the same zone, serve transfers to BIND and Knot as secondaries that receive NOTIFY,
 * and produce signatures that delv accepts, also from a secondary and in each state of a key rollover.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { rotateZoneKey, rotateZoneKeys } from '../../core/domains/zone-key-rotation.ts'
import type { Context } from '../../core/process/context.ts'
import { createKept } from '../../core/process/kept.ts'
import { keysOf, zoneKeyDoc, zoneKeyId, zoneKeyText } from '../../core/zones/zone-keys.ts'
import { oddZone } from '../dns/zones.ts'
import { eventually } from '../eventually.ts'
import { startNameServer } from '../peers/name-server.ts'
import { type DnsDoor, openDnsDoor, tenantZone } from '../start/dns.ts'

const execute = promisify(execFile)
const programMs = 30_000
const secret = 'c2VjcmV0IG9mIHRoZSBjaGVjaywgMzIgYnl0ZXMuLi4='
const keyText = `hmac-sha256:transfer.example:${secret}`
const { origin } = oddZone

/** The queries sent to both our server and BIND. */
const questions: readonly (readonly [name: string, type: string])[] = [
  ...['www', 'mx', 'long', 'c', 'b.c', 'x.c', 'any.wild', 'a.b.wild', '*.wild', 'host.wild', 'x.host.wild'].flatMap(
    (name) => ['A', 'AAAA', 'TXT', 'MX', 'TYPE65280'].map((type) => [`${name}.${origin}`, type] as const),
  ),
  ...['empty.wild', 'x.empty.wild', 'any.alias', 'one', 'two', 'outside', 'dangling', 'to-cut', 'nothing', 'WwW'].map(
    (name) => [`${name}.${origin}`, 'A'] as const,
  ),
  ...['www.sub', 'sub', 'ns.sub', 'a.deeper.sub'].flatMap((name) =>
    ['A', 'NS', 'DS'].map((type) => [`${name}.${origin}`, type] as const),
  ),
  ...['SOA', 'NS', 'MX', 'TXT', 'CAA', 'A', 'DS', 'CNAME', 'SRV'].map((type) => [origin, type] as const),
  [`_imaps._tcp.${origin}`, 'SRV'],
]

/** Queries and what delv must report for them: everything is signed except names below a delegation. */
const signedQuestions: readonly (readonly [name: string, type: string, expected: RegExp])[] = [
  [origin, 'SOA', /fully validated/],
  [origin, 'DNSKEY', /fully validated/],
  [origin, 'MX', /fully validated/],
  [origin, 'AAAA', /negative response, fully validated/],
  [`www.${origin}`, 'A', /fully validated/],
  [`long.${origin}`, 'TXT', /fully validated/],
  [`_imaps._tcp.${origin}`, 'SRV', /fully validated/],
  [`any.wild.${origin}`, 'A', /fully validated/],
  [`a.b.wild.${origin}`, 'A', /fully validated/],
  [`one.${origin}`, 'A', /fully validated/],
  [`any.alias.${origin}`, 'A', /fully validated/],
  [`b.c.${origin}`, 'A', /negative response, fully validated/],
  [`www.${origin}`, 'CAA', /negative response, fully validated/],
  [`any.wild.${origin}`, 'MX', /negative response, fully validated/],
  [`nothing.${origin}`, 'A', /negative response, fully validated/],
  [`x.y.z.nothing.${origin}`, 'TXT', /negative response, fully validated/],
  [`sub.${origin}`, 'DS', /negative response, fully validated/],
]

/** @returns whether every check of an installed program passed */
export async function run(): Promise<boolean> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-dns-'))
  const [bind, knot, ownBind] = [await freePort(), await freePort(), await freePort()]
  const dns = await openDnsDoor({
    transferKeys: [keyText],
    secondaries: [`127.0.0.1:${bind}`, `127.0.0.1:${knot}`],
    rateLimit: { answersPerSecond: 0, networkPerSecond: 0, slip: 2, exempt: [] },
  })
  const processes: ChildProcess[] = []
  const begin = (program: string, args: readonly string[]) => {
    const child = spawn(program, [...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    processes.push(child)
    return child
  }
  try {
    const accountId = await dns.serve(oddZone)
    const where: Where = { dir, dns, begin, bind, knot, ownBind, accountId }
    let isWell = true
    for (const { name, program, check } of checks) {
      const isThere = await execute('which', [program]).then(
        () => true,
        () => false,
      )
      if (!isThere) console.log(`${name}: ${program} is not installed`)
      else isWell = (await report(name, () => check(where))) && isWell
    }
    return isWell
  } finally {
    for (const child of processes) await ended(child)
    await dns.close()
    await rm(dir, { recursive: true, force: true })
  }
}

type Where = {
  readonly dir: string
  readonly dns: DnsDoor
  readonly begin: (program: string, args: readonly string[]) => ChildProcess
  /** The account that owns the zone. */
  readonly accountId: string
  /** The ports of the two secondaries, and of a BIND that serves a copy of the zone. */
  readonly bind: number
  readonly knot: number
  readonly ownBind: number
}

const checks: readonly {
  readonly name: string
  readonly program: string
  /** Rejects if the check fails. */
  readonly check: (where: Where) => Promise<void>
}[] = [
  { name: 'a transfer, by named-checkzone', program: 'named-checkzone', check: checkTransfer },
  { name: 'the same answers as BIND', program: 'named', check: checkAnswers },
  { name: 'an update, by nsupdate', program: 'nsupdate', check: checkUpdate },
  { name: 'BIND as a secondary', program: 'named', check: checkBind },
  { name: 'Knot as a secondary', program: 'knotd', check: checkKnot },
  { name: 'signatures, by delv', program: 'delv', check: checkSignatures },
  { name: 'a change of the key, by delv', program: 'delv', check: checkKeyChange },
]

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

const call = async (program: string, args: readonly string[]) =>
  (await execute(program, [...args], { timeout: programMs, maxBuffer: 64 * 1024 * 1024 })).stdout

const dig = (port: number, ...args: readonly string[]) =>
  call('dig', ['@127.0.0.1', '-p', String(port), '+norecurse', '+nocookie', ...args])

/** Writes the transferred zone to a file, without its closing SOA. */
async function transferredTo(file: string, port: number): Promise<void> {
  const text = await dig(port, '+onesoa', '+nocomments', '+nocmd', '+nostats', '-y', keyText, origin, 'AXFR')
  if (!text.includes('SOA')) throw new Error(`The transfer brings: ${text}`)
  await writeFile(file, text.replace(/^.*\bTSIG\b.*$/gm, ''))
}

async function checkTransfer({ dir, dns }: Where): Promise<void> {
  const file = path.join(dir, 'copy.zone')
  await transferredTo(file, dns.server.port)
  // `local`: the addresses of servers outside the zone cannot be looked up here.
  await call('named-checkzone', ['-i', 'local', '-k', 'fail', origin, file])
}

async function checkAnswers({ dir, dns, begin, ownBind }: Where): Promise<void> {
  await transferredTo(path.join(dir, 'copy.zone'), dns.server.port)
  const config = `options { directory "${dir}"; listen-on port ${ownBind} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no;
    minimal-responses no-auth; pid-file none; session-keyfile none; dnssec-validation no; check-names primary ignore; };
  controls { };
  zone "${origin}" { type primary; file "copy.zone"; check-integrity no; };`
  await startNamed({ dir, begin }, 'own', config, ownBind)
  const different: string[] = []
  for (const [name, type] of questions) {
    const [ours, theirs] = await Promise.all([dns.server.port, ownBind].map((port) => seen(port, name, type)))
    if (ours !== theirs) different.push(`${name} ${type}\n--- ours\n${ours}\n--- BIND\n${theirs}`)
  }
  if (different.length > 0) throw new Error(`${different.length} answers differ:\n${different.join('\n')}`)
}

/** The code, flags and records of an answer. Servers may differ in the TTLs of negative answers and in the order of records. */
async function seen(port: number, name: string, type: string): Promise<string> {
  // BIND writes names in the case of the zone, our server in the case of the question.
  const text = (await dig(port, '+bufsize=1232', name, type)).replace(/^[^;].*/gm, (line) => line.toLowerCase())
  const [, status] = /status: (\w+)/.exec(text) ?? []
  const [, flags] = /flags: ([a-z ]*);/.exec(text) ?? []
  const sections = ['ANSWER', 'AUTHORITY', 'ADDITIONAL'].map((section) => {
    const [, lines = ''] = new RegExp(`;; ${section} SECTION:\\n([\\s\\S]*?)\\n\\n`).exec(text) ?? []
    const records = lines.split('\n').map((line) => line.replace(/\t+| +/g, ' '))
    return records
      .map((line) => (/ soa /.test(line) ? line.replace(/ \d+ in/, ' in') : line))
      .sort()
      .join('\n')
  })
  return [status, flags, ...sections].join('\n')
}

async function startNamed(
  { dir, begin }: Pick<Where, 'dir' | 'begin'>,
  name: string,
  config: string,
  port: number,
): Promise<void> {
  const file = path.join(dir, `${name}.conf`)
  await writeFile(file, config)
  const child = begin('named', ['-c', file, '-g'])
  let said = ''
  child.stderr!.on('data', (text: Buffer) => {
    said += text.toString()
  })
  await eventually(`named answers (${said})`, () =>
    dig(port, '+tries=1', '+time=1', origin, 'SOA').then(
      () => true,
      () => false,
    ),
  )
}

/** Our server does not accept updates: it must refuse one and leave the zone unchanged. */
async function checkUpdate({ dir, dns }: Where): Promise<void> {
  const file = path.join(dir, 'update')
  await writeFile(
    file,
    `server 127.0.0.1 ${dns.server.port}\nzone ${origin}\nupdate add x.${origin} 60 A 192.0.2.1\nsend\n`,
  )
  const said = await execute('nsupdate', ['-v', file], { timeout: programMs }).then(
    () => 'it was taken',
    (error: { stderr?: string }) => error.stderr ?? '',
  )
  if (!said.includes('NOTIMP')) throw new Error(`nsupdate says: ${said}`)
}

const serialOf = async (port: number, zone: string) => Number((await dig(port, '+short', zone, 'SOA')).split(' ')[2])

/** Checks that the secondary has our zone and receives a change by NOTIFY, without polling. */
async function follows({ dns }: Where, port: number): Promise<void> {
  const agrees = async () => {
    // The secondary may not answer yet.
    const theirs = await serialOf(port, tenantZone).catch(() => null)
    return theirs === (await serialOf(dns.server.port, tenantZone))
  }
  await dns.put({ name: 'first', type: 'A', value: '192.0.2.1' })
  await eventually('the secondary has the zone', agrees)
  await dns.put({ name: 'changed', type: 'A', value: '192.0.2.77' })
  await eventually('the secondary has heard of the change', agrees)
  const found = (await dig(port, '+short', `changed.${tenantZone}`, 'A')).trim()
  if (found !== '192.0.2.77' && !found.includes('192.0.2.77')) throw new Error(`It answers ${found}.`)
}

async function checkBind(where: Where): Promise<void> {
  const { dir, dns, bind } = where
  const zone = (name: string) =>
    `zone "${name}" { type secondary; file "${name}.copy"; primaries { 127.0.0.1 port ${dns.server.port} key transfer.example; }; };`
  const config = `options { directory "${dir}"; listen-on port ${bind} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no;
    pid-file none; session-keyfile none; dnssec-validation no; };
  controls { };
  key transfer.example { algorithm hmac-sha256; secret "${secret}"; };
  ${zone(tenantZone)} ${zone(origin)}`
  await startNamed(where, 'secondary', config, bind)
  await follows(where, bind)
}

async function checkKnot(where: Where): Promise<void> {
  const { dir, dns, begin, knot } = where
  const file = path.join(dir, 'knot.conf')
  await mkdir(path.join(dir, 'knot'))
  await writeFile(
    file,
    `server:
    rundir: "${dir}/knot"
    listen: 127.0.0.1@${knot}
log:
  - target: stderr
    any: warning
database:
    storage: "${dir}/knot"
key:
  - id: transfer.example
    algorithm: hmac-sha256
    secret: ${secret}
remote:
  - id: ours
    address: 127.0.0.1@${dns.server.port}
    key: transfer.example
acl:
  - id: told
    address: 127.0.0.1
    key: transfer.example
    action: notify
zone:
  - domain: ${tenantZone}
    storage: "${dir}/knot"
    master: ours
    acl: told
`,
  )
  begin('knotd', ['-c', file])
  await follows(where, knot)
}

/** Checks the signed zone of another process, as served by that process and by a secondary. */
async function checkSignatures(where: Where): Promise<void> {
  const { dir, dns, accountId } = where
  const secondary = await freePort()
  const { ctx, server } = await dns.another({
    dnssec: true,
    transferKeys: [keyText],
    secondaries: [`127.0.0.1:${secondary}`],
  })
  const ds = await dsOf(ctx, accountId)
  await validated(dir, server.port, ds)
  const config = `options { directory "${dir}"; listen-on port ${secondary} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no;
    pid-file none; session-keyfile none; dnssec-validation no; };
  controls { };
  key transfer.example { algorithm hmac-sha256; secret "${secret}"; };
  zone "${origin}" { type secondary; file "signed.copy"; masterfile-format text; primaries { 127.0.0.1 port ${server.port} key transfer.example; }; };`
  await startNamed(where, 'signed', config, secondary)
  await eventually('the secondary has the signed zone', async () => (await serialOf(secondary, origin)) > 0)
  await validated(dir, secondary, ds)
  const file = path.join(dir, 'signed.zone')
  await transferredTo(file, server.port)
  await call('dnssec-verify', ['-o', origin, '-z', file])
}

/**
 * Checks every state of a key rollover, for a validator that knows the old key, the new one or both. Signatures are made for the
 * present time, so the clock stands still.
 */
async function checkKeyChange({ dir, dns, accountId }: Where): Promise<void> {
  const parent = await startNameServer({})
  const { ctx, server } = await dns.another({ dnssec: true })
  Object.assign(ctx, { resolver: createResolver([parent.address], createKept(ctx.machineClock, answersPolicy)) })
  const zone = { origin, accountId }
  const stateIs = async (state: string | undefined) => {
    const { next } = await zoneKeyDoc(ctx, zone)
    if (next?.state !== state) throw new Error(`The change is in ${next?.state}, not in ${state}.`)
  }
  const goOn = async () => {
    await ctx.store.zoneKeys.updateOne({ _id: zoneKeyId(zone) }, { $set: { 'next.dueAt': new Date(0) } })
    await rotateZoneKeys(ctx)
  }
  const before = await dsOf(ctx, accountId)
  await rotateZoneKey(ctx, zone)
  await stateIs('published')
  await validated(dir, server.port, before)
  await goOn()
  const after = await dsOf(ctx, accountId)
  for (const state of ['signing', 'vouched']) {
    await stateIs(state)
    for (const ds of [before, after]) await validated(dir, server.port, ds)
    await goOn()
  }
  await stateIs(undefined)
  await validated(dir, server.port, after)
  await parent.stop()
}

async function dsOf(ctx: Context, accountId: string): Promise<string> {
  return zoneKeyText(keysOf(ctx, await zoneKeyDoc(ctx, { origin, accountId })).signing).ds
}

/** Rejects if delv, with the key of a DS record as its trust anchor, reports anything but what is expected. */
async function validated(dir: string, port: number, ds: string): Promise<void> {
  const anchor = path.join(dir, 'anchor')
  const [tag, algorithm, digestType, digest] = ds.split(' ')
  await writeFile(anchor, `trust-anchors { ${origin}. static-ds ${tag} ${algorithm} ${digestType} "${digest}"; };\n`)
  const wrong: string[] = []
  for (const [name, type, expected] of signedQuestions) {
    const args = ['@127.0.0.1', '-p', String(port), '-a', anchor, `+root=${origin}`, name, type]
    const { stdout, stderr } = await execute('delv', args, { timeout: programMs }).catch((error) => error)
    if (!expected.test(stdout + stderr)) wrong.push(`delv says of ${name} ${type}: ${stdout}${stderr}`)
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
}
