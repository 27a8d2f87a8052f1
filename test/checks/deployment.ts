/**
 * `npm run check -- deployment [URL] [--rounds 3] [--seed N]`: checks on the MongoDB deployment at URL what Mailroom promises for
 * several nodes.
 *
 * First come the main operations over two nodes: mail that one node accepts is listed by the other at once, waits wake up, each clock
 * exists once, limits hold exactly, and a revoked key stops working everywhere within a second. Then come crash rounds over four nodes
 * (test/crash/nodes.ts) with all their checks. The databases have unique names and are dropped afterwards. Without a URL the check
 * uses the embedded engine over TCP.
 */
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { MongoClient } from 'mongodb'
import { revokeKey } from '../../core/access/keys.ts'
import { changeAccountPlans } from '../../core/account/plans.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { engineOverTcp, playNodes } from '../crash/nodes.ts'
import { makeOwner, type Owner } from '../crash/owner.ts'
import { eventually } from '../eventually.ts'
import { startWebhookReceiver } from '../peers/receivers.ts'
import { client, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { makeKey } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

const usage = 'usage: npm run check -- deployment [URL] [--rounds 3] [--seed N]'
const mails = 20
const wakeMs = 2_000
const revokedMs = 1_000
/** How many more endpoints the plan under test (schemas/plans.ts) allows: one exists already. */
const endpointsMore = 1
const clocks = 7

/** @returns whether everything held */
export async function run(args: readonly string[]): Promise<boolean> {
  const { url, rounds, seed } = readOptions(args)
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-deployment-'))
  const own = url === null ? await engineOverTcp(folder, null) : null
  const at = url ?? own!.url
  try {
    console.log(`deployment  ${await describe(at)}`)
    const job = await onDatabase(at, (database) => mainJob(database, folder))
    for (const [name, wrong] of job)
      console.log(`${wrong === null ? 'ok ' : 'BAD'}  ${name}${wrong === null ? '' : `: ${wrong}`}`)
    const volume = { senders: 12, lettersEach: 5, clients: 4, sendsEach: 5 }
    const played = await onDatabase(at, (database) =>
      playNodes({ rounds, seed, volume, patience: 3, url: database, faults: false }, (round, number) => {
        const { victim, letters, sends, lost, duplicates, ambiguous, violations } = round
        const counts = `${letters} letters, ${sends} sends, ${lost} lost, ${duplicates} double, ${ambiguous} ambiguous`
        console.log(`round ${number + 1}  ${victim}: ${counts}`)
        for (const violation of violations) console.log(`     ${violation}`)
      }),
    )
    for (const violation of played.violations) console.log(`BAD  ${violation}`)
    const isSound = played.violations.length === 0 && played.rounds.every(({ violations }) => violations.length === 0)
    return isSound && job.every(([, wrong]) => wrong === null)
  } finally {
    await own?.engine.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** What was checked, and what was wrong with it; null if nothing was. */
type Finding = readonly [name: string, wrong: string | null]

async function mainJob(url: string, folder: string): Promise<readonly Finding[]> {
  const hooks = await startWebhookReceiver()
  const first = await nodeOf(url, path.join(folder, 'first'), null)
  const second = await nodeOf(url, path.join(folder, 'second'), first)
  const ctx = await contextOf({ data: first.data, url })
  try {
    const owner = await makeOwner({ ...first, url }, { name: 'deployment', url: hooks.url })
    const job = { ctx, owner, nodes: [first, second] as const, hooks: hooks.url }
    const findings: Finding[] = []
    for (const [name, ask] of questions) findings.push([name, await ask(job).catch((error: unknown) => String(error))])
    return findings
  } finally {
    await closeContext(ctx)
    await Promise.all([first.stop(), second.stop(), hooks.close()])
  }
}

type Job = {
  readonly ctx: Context
  readonly owner: Owner
  readonly nodes: readonly [Service, Service]
  readonly hooks: string
}

const questions: readonly (readonly [string, (job: Job) => Promise<string | null>])[] = [
  [
    'mail that one node accepts is listed by the other at once',
    async ({ owner, nodes }) => {
      for (let n = 0; n < mails; n++) {
        const [taker, lister] = n % 2 === 0 ? nodes : ([nodes[1], nodes[0]] as const)
        await deliver(taker, owner, `listed ${n}`)
        if (!(await subjects(lister, owner)).includes(`listed ${n}`)) return `"listed ${n}" was missing after its 250`
      }
      return null
    },
  ],
  [
    'who waits at one node is woken by mail to the other',
    async ({ owner, nodes: [first, second] }) => {
      const waiting = client(second.http, owner.apiKey)<{ message: { subject: string } | null }>(
        'GET',
        `${mailboxPath(owner.mailboxes[0].address)}/wait?subject=woken&timeout=30`,
      )
      await deliver(first, owner, 'woken')
      const acceptedAt = performance.now()
      const { body } = await waiting
      const tookMs = performance.now() - acceptedAt
      if (body.message?.subject !== 'woken') return `the answer was ${JSON.stringify(body)}`
      return tookMs < wakeMs ? null : `it took ${Math.round(tookMs)} ms`
    },
  ],
  [
    'each clock is there once',
    async ({ ctx }) => {
      const jobs = await ctx.store.db.collection('agendaJobs').find().toArray()
      const names = new Set(jobs.map(({ name }) => String(name)))
      return names.size === clocks && jobs.length === clocks ? null : `${jobs.length} of ${names.size} names`
    },
  ],
  [
    'a limit holds exactly, asked of both nodes at once',
    async ({ ctx, owner, nodes, hooks }) => {
      await changeAccountPlans(ctx, owner.accountId, { plan: null, agentsPlan: 'free' })
      const asked = Array.from({ length: 20 }, (_, n) =>
        client(nodes[n % 2]!.http, owner.apiKey)('POST', '/api/v1/webhooks', {
          url: `${hooks}/${n}`,
          events: ['message.received'],
        }),
      )
      const answers = await Promise.all(asked)
      const made = answers.filter(({ status }) => status === 201).length
      const refused = JSON.stringify(answers.find(({ status }) => status !== 201)?.body)
      return made === endpointsMore ? null : `${made} endpoints were made, ${endpointsMore} was left: ${refused}`
    },
  ],
  [
    'a key that is revoked by one process stops at both nodes within a second',
    async ({ ctx, owner: { accountId }, nodes }) => {
      const made = await makeKey(ctx, { accountId })
      const ask = async () =>
        Promise.all(nodes.map(async ({ http }) => (await client(http, made.apiKey)('GET', '/api/v1/mailboxes')).status))
      const before = await ask()
      if (before.some((status) => status !== 200)) return `a new key got ${before.join(' and ')}`
      await revokeKey(ctx, { accountId, keyId: made.key.id })
      const revokedAt = performance.now()
      await eventually('both refuse it', async () => (await ask()).every((status) => status === 401), 10 * revokedMs)
      const tookMs = performance.now() - revokedAt
      return tookMs < revokedMs ? null : `it took ${Math.round(tookMs)} ms`
    },
  ],
]

async function deliver({ smtp }: Service, { mailboxes }: Owner, subject: string): Promise<void> {
  const to = mailboxes[0].address
  const from = 'stranger@remote.test'
  const raw = `From: ${from}\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${randomBytes(8).toString('hex')}@remote.test>\r\n\r\nHi\r\n`
  await sendMail(smtp, { from, to, raw: Buffer.from(raw) })
}

async function subjects({ http }: Service, { apiKey, mailboxes }: Owner): Promise<readonly string[]> {
  type Listing = { readonly messages: readonly { readonly subject: string }[] }
  const { body } = await client(http, apiKey)<Listing>('GET', `${mailboxPath(mailboxes[0].address)}/messages?limit=100`)
  return body.messages.map(({ subject }) => subject)
}

async function nodeOf(url: string, data: string, first: Service | null): Promise<Service> {
  const key = path.join('secrets', 'master.key')
  await mkdir(path.join(data, 'secrets'), { recursive: true, mode: 0o700 })
  if (first !== null) await copyFile(path.join(first.data, key), path.join(data, key))
  return startService({
    data,
    env: { MONGODB_URL: url, MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true', MAILROOM_LOG_LEVEL: 'warn' },
  })
}

async function describe(url: string): Promise<string> {
  const mongo = await new MongoClient(url, { serverSelectionTimeoutMS: 10_000 }).connect()
  try {
    const { version, product } = await mongo.db().command({ buildInfo: 1 })
    const { setName, msg } = await mongo.db().command({ hello: 1 })
    const kind =
      setName !== undefined ? `replica set ${setName}` : msg === 'isdbgrid' ? 'sharded cluster' : 'one server'
    return `${version}, ${kind}${product === undefined ? '' : `, ${product}`}`
  } finally {
    await mongo.close()
  }
}

/** Runs `work` on a database of its own and drops the database afterwards. */
async function onDatabase<Result>(url: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const name = `mailroom_check_${randomBytes(4).toString('hex')}`
  // The user authenticates against the database named in the URL, unless the URL has an `authSource`.
  const [, scheme = '', hosts = '', named = '', query = ''] =
    /^(mongodb(?:\+srv)?:\/\/)([^/?]+)\/?([^?]*)\??(.*)$/.exec(url) ?? []
  const source = query.includes('authSource=') || !hosts.includes('@') ? '' : `authSource=${named || 'admin'}`
  const options = [query, source].filter((part) => part !== '').join('&')
  const own = `${scheme}${hosts}/${name}${options === '' ? '' : `?${options}`}`
  try {
    return await work(own)
  } finally {
    const mongo = await new MongoClient(own).connect()
    await mongo.db().dropDatabase()
    await mongo.close()
  }
}

function readOptions(args: readonly string[]): {
  readonly url: string | null
  readonly rounds: number
  readonly seed: number
} {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
  const [url = null, ...others] = positionals
  if (others.length > 0 || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) throw new Error(usage)
  return { url, rounds, seed }
}
