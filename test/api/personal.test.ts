import { spawn } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { Binary, type Collection, Db, type Document } from 'mongodb'
import { Secret, TOTP } from 'otpauth'
import { runCommand } from '../../cli/command-line.ts'
import { verifyAudit } from '../../core/access/audit.ts'
import { administrator } from '../../core/access/principal.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { createAppPassword } from '../../core/account/login.ts'
import { issueTestKey } from '../../core/account/sandboxes.ts'
import { claimAttempts, deliverLocally } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { keepReports } from '../../core/deliverability/report-arrivals.ts'
import { changeMetadata } from '../../core/imap/metadata.ts'
import { makeLink } from '../../core/people/mailed-links.ts'
import { joinAccount } from '../../core/people/members.ts'
import { makeRequest } from '../../core/people/requests.ts'
import { eraseUnclaimed, sweepErasures } from '../../core/personal/erase.ts'
import { makeExports } from '../../core/personal/export-jobs.ts'
import { dayMs, minuteMs, secondMs } from '../../core/process/clock.ts'
import { sweepSearch } from '../../core/search/sweep.ts'
import { stepBatches } from '../../core/send/batches.ts'
import { sendNotice } from '../../core/send/notice.ts'
import { settleDue } from '../../core/send/settle.ts'
import { sweepArrivals } from '../../core/upkeep/sweep.ts'
import { publishTxt } from '../../core/zones/system-records.ts'
import { zoneKeyDoc } from '../../core/zones/zone-keys.ts'
import { newId } from '../../schemas/ids.ts'
import { agentScopes, allScopes } from '../../schemas/scopes.ts'
import type { CollectionName } from '../../store/collections.ts'
import { removeDriveEntry } from '../../store/drive.ts'
import { ownerOf, personal } from '../../store/personal.ts'
import { eventually } from '../eventually.ts'
import { feedback, mailWith } from '../mail/report/report-mails.ts'
import { type Authenticator, createAuthenticator } from '../peers/authenticator.ts'
import { connectProgram } from '../peers/oauth.ts'
import { expectRefusal, type Person } from '../peers/person.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { unzip } from '../peers/zip.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { putText } from '../start/drive.ts'
import { type KnownPerson, makePerson, newPerson, signedIn, testPassword } from '../start/people.ts'

/** An account with a record of every kind that an account may have, and the values by which they are recognized. */
type Filled = Tenant & {
  readonly call: Call
  readonly name: string
  /** Its own ids and addresses: after an erasure, no record may contain one of them. */
  readonly marks: ReadonlySet<string>
  readonly sandboxId: string
  readonly testKey: string
  /** The owner, who is in no other account and has a record of every kind that a person may have. */
  readonly owner: KnownPerson & { readonly device: Authenticator }
  /** Words that it wrote or received, which an export must contain. */
  readonly words: readonly string[]
}

const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const idForm = /\b(?:key|apr|mbx|msg|thr|em|bat|evt|whk|dlv|int|fld|att|exp|blb|seg|rec|clm)_[0-9a-hjkmnp-tv-z]{26}/g

/** Collections whose records disappear by themselves: change notes are overwritten, request rates and failed logins expire. */
const passing: readonly string[] = ['changeNotes', 'requestRates', 'failedLogins']

/** The collections that belong to accounts, with their declarations of personal data. */
const rows = (Object.entries(personal) as [CollectionName, (typeof personal)[CollectionName]][]).flatMap(
  ([name, row]) => (row.of === 'account' ? [{ name, row }] : []),
)

describe('personal data', () => {
  let door: Door
  let bystander: Filled
  /** An account of other people, who correspond with people of this one. */
  let elsewhere: Tenant
  before(async () => {
    door = await openDoor({ isNamed: true })
    Object.assign(door.ctx.settings.limits.logins, { slowMs: 0 })
    elsewhere = await makeTenant(door, { name: 'elsewhere' })
    bystander = await fill('bystander')
  })
  after(() => door?.close())

  /** Uses an account through the API in every way. */
  async function fill(name: string): Promise<Filled> {
    const { ctx, http } = door
    const tenant = await makeTenant(door, { name })
    const { accountId, address } = tenant
    const call = client(http, tenant.key)
    const box = mailboxPath(address)
    const marks = new Set([accountId, tenant.mailboxId, address, `${name}.example`])
    const words: string[] = []
    const word = (text: string) => {
      const own = `${text}of${name}`
      words.push(own)
      return own
    }
    const made = async (method: string, at: string, body?: unknown, headers?: Record<string, string>) => {
      const answer = await call<Json>(method, at, body, headers)
      expect(answer.status, `${method} ${at} ${JSON.stringify(answer.body)}`).to.be.below(300)
      for (const [id] of JSON.stringify(answer.body).matchAll(idForm)) marks.add(id)
      return answer.body
    }
    const other = `second@${name}.example`
    await made('POST', '/api/v1/mailboxes', { address: other, displayName: word('secondname') })
    await made('PATCH', box, { signature: word('signature') })
    await made('PUT', `${box}/lists`, { receiveBlock: [`${word('blocked')}@remote.example`] })
    await made('POST', '/api/v1/webhooks', {
      url: `https://${word('hook')}.invalid/`,
      events: ['message.received', 'message.sent'],
    })
    await made('POST', '/api/v1/aliases', { alias: `info@${name}.example`, targets: [address] })
    marks.add(other).add(`info@${name}.example`)
    await made('POST', '/api/v1/templates', { alias: 'welcome', subject: word('templatesubject'), text: 'Hi {{name}}' })
    await made('POST', '/api/v1/suppressions', { email: `${word('gone')}@remote.example` })
    await made('POST', '/api/v1/intake', {
      mailbox: address,
      delivery: { type: 'webhook', url: `https://${word('intakehook')}.invalid/` },
      lens: { enabled: true, fields: [{ key: word('lenskey'), type: 'text', description: word('lensfield') }] },
    })
    const raw = (subject: string, body: string) =>
      `From: ${word('author')}@remote.example\nSubject: ${subject}\nMessage-ID: <${subject}@remote.example>\n\n${body}\n`
    const first = await deliver(ctx, {
      to: address,
      raw: raw(word('first'), `${word('bodytext')}\nFrom here\n>From there`),
    })
    // A message of several chunks, and one that two mailboxes of the account share.
    marks.add(first).add(
      await deliver(ctx, {
        to: other,
        raw: raw(word('large'), `${word('largetext')} ${'0123456789abcdef'.repeat(150_000)}`),
      }),
    )
    await made('PATCH', `${box}/messages/${first}`, { addLabels: [word('label')], flagged: true })
    await made('POST', `${box}/messages/${first}/claim`, { ttl: 60 })
    await made(
      'POST',
      `${box}/messages/${first}/reply`,
      { text: word('replytext') },
      { 'Idempotency-Key': `${name}-1` },
    )
    await made('POST', `${box}/folders`, { name: word('folder') })
    const noted = new Map([[`/private/vendor/${word('entry')}`, Buffer.from('a value')]])
    await changeMetadata(ctx, { _id: tenant.mailboxId, accountId }, null, noted)
    await made('POST', `${box}/drafts`, { to: 'dora@remote.example', subject: word('draft'), text: 'Later' })
    await made('POST', `${box}/send`, {
      to: 'eve@remote.example',
      subject: word('scheduled'),
      text: 'x',
      sendAt: new Date(ctx.clock.now().getTime() + dayMs).toISOString(),
    })
    await made('POST', `${box}/send`, { to: bystander?.address ?? address, subject: word('inhouse'), text: 'x' })
    await made('POST', '/api/v1/emails', {
      from: address,
      to: 'frank@remote.example',
      subject: word('transactional'),
      text: word('transactionaltext'),
    })
    await made('POST', `${box}/send-batch`, {
      subject: word('batch'),
      text: 'Hi {{n}}',
      idempotencyKey: name,
      recipients: [{ email: 'gina@remote.example', fields: { n: word('field') } }],
    })
    const wanted = { accountId, kind: 'agent', name: word('keyname'), scopes: agentScopes } as const
    const waiting = await makeKey(ctx, { ...wanted, mailboxIds: [tenant.mailboxId], approval: 'required' })
    const asked = await client(http, waiting.apiKey)<Json>('POST', `${box}/send`, {
      to: 'hans@remote.example',
      subject: word('waiting'),
      text: 'x',
    })
    for (const [id] of JSON.stringify(asked.body).matchAll(idForm)) marks.add(id)
    await createAppPassword(ctx, { account: await getAccount(ctx, accountId), address, name: word('program') })
    const about = { domain: `${name}.example`, accountId }
    const now = Math.floor(ctx.clock.now().getTime() / 1_000)
    const xml = feedback({ org: word('reporter'), id: name, domain: about.domain, begin: now - 86_400, end: now })
    const reportMail = mailWith([{ type: 'text/xml', name: 'report.xml', bytes: Buffer.from(xml) }])
    await keepReports(ctx, {
      raw: reportMail,
      about: [about],
      sender: { alignedFrom: 'receiver.example', perhapsAligned: false, dkim: [] },
    })
    const owner = await makePerson(door, { role: 'owner', accountId, email: `${word('person')}@remote.example` })
    const person = await signedIn(door, owner, accountId)
    const connected = await connectProgram(ctx.baseUrl, { session: person.cookie, name: 'A program' })
    expect(connected.status, connected.text).to.equal(200)
    const device = await usePerson(owner, person)
    marks.add(owner.id)
    const account = await getAccount(ctx, accountId)
    const {
      apiKey: testKey,
      key,
      domain: testDomain,
    } = await issueTestKey(ctx, account, {
      kind: 'account',
      name: word('testkey'),
      scopes: allScopes,
      mailboxes: [],
      expiresAt: null,
    })
    marks.add(key.id).add(testDomain)
    const principal = administrator(account)
    const invitationId = newId('inv', ctx.clock.now())
    const email = `${word('invited')}@remote.example`
    await zoneKeyDoc(ctx, { origin: `${name}.example`, accountId })
    await makeLink(ctx, { kind: 'invitation', email, accountId, role: 'reader', invitationId })
    marks.add(invitationId)
    marks.add((await makeRequest(ctx, principal, { kind: 'limit', text: word('request') })).id)
    await publishTxt(ctx, `_acme-challenge.${name}.example`, [word('proof')])
    await putText(ctx, accountId, `${word('drivefolder')}/note.txt`, word('drivetext'))
    await made('POST', '/api/v1/domains', { domain: `${word('wish')}.example` })
    await ctx.background.done()
    // The work that other processes do by themselves.
    door.advance(40 * secondMs)
    await stepBatches(ctx)
    await ctx.background.done()
    for (const attempt of await claimAttempts(ctx, { owner: 'test', max: 500 })) {
      const isNotice = attempt.recipient === owner.email
      const outcome = (await deliverLocally(ctx, attempt)) ?? (isNotice ? bounced() : null)
      if (outcome !== null) await recordOutcome(ctx, attempt, outcome)
    }
    await settleDue(ctx)
    await sweepArrivals(ctx)
    for (const { intake_id: id } of await intakeOf(call)) marks.add(String(id))
    await sweepSearch(ctx)
    await ctx.background.done()
    await made('GET', `${box}/messages`)
    await made('GET', '/api/v1/emails')
    await made('GET', '/api/v1/events')
    return { ...tenant, call, name, marks, words, owner: { ...owner, device }, sandboxId: key.accountId, testKey }
  }

  /** The records of Intake, once there are some. */
  const intakeOf = (call: Call) =>
    eventually('the records of Intake', async () => {
      const { body } = await call<{ messages: readonly Json[] }>('GET', '/api/v1/intake/messages')
      return body.messages.length > 0 && body.messages
    })

  /** Does everything that a person may do; each act leaves a record, and mail to the person. */
  async function usePerson({ email }: KnownPerson, { ask }: Person): Promise<Authenticator> {
    const { ctx, http } = door
    const { secret } = (await ask<{ secret: string }>('POST', '/api/v1/people/me/totp')).body
    const code = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: ctx.clock.now().getTime() })
    expect((await ask('POST', '/api/v1/people/me/totp', { code })).status).to.equal(201)
    const passkeys = '/api/v1/people/me/passkeys'
    const { options } = (await ask<{ options: { challenge: string } }>('POST', passkeys)).body
    const device = createAuthenticator()
    const credential = device.create(options, here())
    expect((await ask('POST', passkeys, { credential })).status).to.equal(201)
    const asked = await ask('POST', '/api/v1/account/requests', { kind: 'phone', phone: '+33123456789' })
    expect(asked.status, JSON.stringify(asked.body)).to.equal(201)
    // A link mailed to the address, which is counted, and an invitation by another account.
    expect((await client(http)('POST', '/api/v1/people/reset', { email })).status).to.equal(202)
    const { accountId } = elsewhere
    const invitationId = newId('inv', ctx.clock.now())
    await makeLink(ctx, { kind: 'invitation', email, accountId, role: 'reader', invitationId })
    return device
  }
  const here = () => ({ origin: door.ctx.baseUrl, rpId: 'localhost' })
  /** The reply of the server of the person's address to notices. */
  const bounced = () =>
    ({ status: 'bounced', response: '550 5.1.1 nobody', mx: null, tls: false, at: door.ctx.clock.now() }) as const

  async function signInByPasskey({ owner: { device } }: Filled) {
    const visitor = client(door.http)
    const { body } = await visitor<{ attempt: string; options: { challenge: string } }>(
      'POST',
      '/api/v1/session/passkey',
    )
    const { attempt, options } = body
    const passkey = { attempt, credential: device.get(options, here()) }
    return visitor<ErrorBody>('POST', '/api/v1/session', { passkey })
  }

  /** How many documents each collection finds for an account. */
  async function countsOf(tenant: Tenant): Promise<Readonly<Record<string, number>>> {
    const owner = await ownerOf(door.ctx.store, tenant.accountId)
    const counted = rows.flatMap(({ name, row }) => {
      const filter = row.find?.(owner) as Document | undefined
      return filter === undefined ? [] : [{ name, filter }]
    })
    const counts = await Promise.all(
      counted.map(({ name, filter }) => (door.ctx.store[name] as unknown as Collection).countDocuments(filter)),
    )
    return Object.fromEntries(counted.map(({ name }, n) => [name, counts[n] ?? 0]))
  }

  /** The places in the database that contain one of these words: collection and document. */
  async function tracesOf(marks: Iterable<string>): Promise<string[]> {
    const found: string[] = []
    const words = [...marks]
    for (const { name } of await door.ctx.store.db.listCollections({}, { nameOnly: true }).toArray()) {
      if (passing.includes(name)) continue
      for await (const { data: _, ...doc } of door.ctx.store.db.collection(name).find()) {
        const text = JSON.stringify(doc)
        // What another account wrote or received belongs to that account, whoever sent it.
        if ([bystander.accountId, bystander.mailboxId].some((own) => !words.includes(own) && text.includes(own)))
          continue
        const mark = words.find((each) => text.includes(each))
        if (mark !== undefined) found.push(`${name}: ${mark} in ${text.slice(0, 200)}`)
      }
    }
    return found
  }

  describe('an export', () => {
    it('covers every collection of the account, and each has documents here', async () => {
      const empty = Object.entries(await countsOf(bystander)).flatMap(([name, count]) => (count === 0 ? [name] : []))
      expect(empty).to.deep.equal([])
      for (const { name, row } of rows)
        if (row.find === null) {
          expect(row.because, name).to.be.a('string')
          const text = await tracesIn(name, bystander)
          if (name !== 'exports' && name !== 'lanes') expect(text, name).to.equal(true)
        }
    })

    it('contains everything: mail as mbox, the rest as JSON, and no secret', async () => {
      const { call, words, marks, address, key, name } = bystander
      expect((await call<ErrorBody>('GET', '/api/v1/account/export')).body.code).to.equal('not_found')
      const asked = await call<Json>('POST', '/api/v1/account/export')
      expect([asked.status, asked.body.url]).to.deep.equal([202, null])
      const again = await call<Json>('POST', '/api/v1/account/export')
      expect(again.body.id).to.equal(asked.body.id)
      const done = await finished(call)
      // Acts of the account meanwhile, such as the request for the export, are exported too.
      expect(done.progress.written).to.be.at.least(done.progress.total).and.above(30)
      const response = await fetch(done.url)
      expect(response.headers.get('content-type')).to.equal('application/zip')
      expect(response.headers.get('content-disposition')).to.match(
        /^attachment; filename="mailroom-export-\d{4}-\d\d-\d\d\.zip"$/,
      )
      const archive = Buffer.from(await response.arrayBuffer())
      expect(archive.length)
        .to.equal(done.size)
        .and.equal(Number(response.headers.get('content-length')))
      const files = unzip(archive)
      const shown = rows.filter(({ row }) => row.find !== null).map(({ name: each }) => `data/${each}.json`)
      const ofSandbox = [...files.keys()].filter((each) => each.startsWith('sandbox/mail/agent@'))
      expect(ofSandbox).to.have.length(1)
      expect([...files.keys()]).to.have.members([
        'README.txt',
        `mail/${address}.mbox`,
        `mail/second@${name}.example.mbox`,
        'mail/sends.mbox',
        `drive/drivefolderof${name}/note.txt`,
        ...shown,
        ...ofSandbox,
        ...['mail/sends.mbox', ...shown].map((each) => `sandbox/${each}`),
      ])
      const text = [...files.values()].join('\n')
      expect(words.filter((each) => !text.includes(each))).to.deep.equal([])
      // The ids of a message's parts are generated when it is shown.
      expect([...marks].filter((each) => !/^att_/.test(each) && !text.includes(each))).to.deep.equal([])
      for (const each of shown) expect(JSON.parse(String(files.get(each))), each).to.be.an('array').and.not.be.empty
      expect(text).not.to.include(key)
      for (const secret of ['"hash":"', '"secret"', '"privateKey"', '"claimHash"', '"passwordHash"', '"recovery"'])
        expect(
          text.replaceAll(/"(?:previousHash|hash)":"[0-9a-f]{64}"|"(?:previousHash|hash)":""/g, ''),
          secret,
        ).not.to.include(secret)
      const mail = String(files.get(`mail/${address}.mbox`))
      expect(mail).to.include('\n>From here\n>>From there\n')
      expect(mail).to.match(
        /^From sender@remote\.example \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\nReturn-Path: <sender@remote\.example>\n/,
      )
    })

    it('can be downloaded with its link alone, for a day', async () => {
      const { url } = await finished(bystander.call)
      // Not the last letter, because some of its bits are unused.
      const forged = url.replace(/.(?=.$)/, (last) => (last === 'A' ? 'B' : 'A'))
      expect((await fetch(forged)).status).to.equal(404)
      expect((await fetch(`${door.http}/exports/nothing`)).status).to.equal(404)
      // Guesses are counted.
      const { http } = door.ctx.settings.limits
      const { requestsPerAddressPerMinute: before } = http
      Object.assign(http, { requestsPerAddressPerMinute: 1 })
      try {
        door.advance(minuteMs)
        const statuses: number[] = []
        // One of them may start a new minute.
        for (const guess of ['a', 'b', 'c']) statuses.push((await fetch(`${door.http}/exports/${guess}`)).status)
        expect(statuses).to.include(429)
      } finally {
        Object.assign(http, { requestsPerAddressPerMinute: before })
      }
      door.advance(dayMs - 2 * minuteMs)
      expect((await fetch(url, { method: 'HEAD' })).status).to.equal(200)
      door.advance(2 * minuteMs)
      expect((await fetch(url)).status).to.equal(404)
    })

    it('is written to a folder by the command line, with the same files', async () => {
      const { settings } = door.ctx
      const env = { MAILROOM_DATA: settings.data, MONGODB_URL: settings.mongodbUrl ?? '' }
      const folder = path.join(settings.data, 'exported')
      const run = async (...args: string[]) => {
        const out: string[] = []
        const err: string[] = []
        const code = await runCommand(['account', 'export', ...args], {
          env,
          out: (text) => void out.push(text),
          err: (text) => void err.push(text),
        })
        return { code, out: out.join(''), err: err.join('') }
      }
      const { code, out } = await run('bystander', '--to', folder)
      expect(code).to.equal(0)
      expect(JSON.parse(out)).to.include({ account: bystander.accountId, folder })
      await bystander.call('POST', '/api/v1/account/export')
      const { url } = await finished(bystander.call)
      const files = unzip(Buffer.from(await (await fetch(url)).arrayBuffer()))
      const written = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.'))
      expect(written).to.have.members([...files.keys()])
      for (const name of written.filter((each) => each.endsWith('.mbox') || each.endsWith('messages.json')))
        expect((await readFile(path.join(folder, name))).equals(files.get(name)!), name).to.equal(true)
      expect((await stat(path.join(folder, 'data/messages.json'))).mode & 0o077).to.equal(0)
      expect((await run('bystander', '--to', folder)).err).to.match(/already exists\. Name a folder/)
      expect((await run('nobody', '--to', `${folder}2`)).err).to.match(/There is no account nobody\./)
    })

    it('starts again if its process has died', async () => {
      const { store } = door.ctx
      const { body } = await bystander.call<{ id: string }>('POST', '/api/v1/account/export')
      const { url: whole } = await finished(bystander.call)
      const good = Buffer.from(await (await fetch(whole)).arrayBuffer())
      // The state after a process was killed after its first chunk.
      await store.exports.updateOne(
        { _id: body.id },
        { $set: { state: 'running', token: 'dead', chunks: 1, dueAt: door.ctx.clock.now() } },
      )
      expect((await bystander.call<Json>('GET', '/api/v1/account/export')).body).to.deep.include({
        state: 'running',
        url: null,
      })
      expect(await makeExports(door.ctx)).to.equal(1)
      const { url } = await finished(bystander.call)
      const files = unzip(Buffer.from(await (await fetch(url)).arrayBuffer()))
      expect([...files.keys()]).to.deep.equal([...unzip(good).keys()])
    })

    it('is reported as failed when each process that made it died', async () => {
      const { ctx } = door
      const { accountId, key } = await makeTenant(door, { name: 'deadly' })
      const call = client(door.http, key)
      const { body } = await call<{ id: string }>('POST', '/api/v1/account/export')
      await finished(call)
      const due = { state: 'running', token: 'dead', chunks: 1, dueAt: ctx.clock.now() } as const
      const leave = (tries: number) =>
        ctx.store.exports.updateOne({ accountId, _id: body.id }, { $set: { ...due, tries } })
      const state = async () => (await call<{ state: string }>('GET', '/api/v1/account/export')).body.state
      // As its last process leaves it, and the one before.
      await leave(2)
      expect([await makeExports(ctx), await state()]).to.deep.equal([1, 'done'])
      await leave(3)
      await makeExports(ctx)
      expect(await state()).to.equal('failed')
      expect(door.logs()).to.include('each process that made it ended before it was done')
      expect((await call('POST', '/api/v1/account/export')).status, 'asked for again').to.equal(202)
      expect((await finished(call)).url).to.be.a('string')
    })

    it('contains each Drive file as it is when it is exported, and skips one that has been deleted', async () => {
      const { ctx } = door
      const { accountId, address, key } = await makeTenant(door, { name: 'drawers' })
      const removed = await putText(ctx, accountId, 'a-removed.txt', 'removed')
      await putText(ctx, accountId, 'b-replaced.txt', 'before')
      await putText(ctx, accountId, 'c-kept.txt', 'kept')
      await deliver(ctx, { to: address, raw: 'Subject: First of all\n\nHi\n' })
      // Messages are exported first.
      const { db } = ctx.store
      const command: typeof db.command = async (asked: Document, options) => {
        if (asked.find === 'blobs') {
          Reflect.deleteProperty(db, 'command')
          const entry = await ctx.store.driveEntries.findOne({ accountId, _id: removed })
          await removeDriveEntry(ctx.store, entry!)
          await putText(ctx, accountId, 'b-replaced.txt', 'what stands there now')
        }
        return Db.prototype.command.call(db, asked, options)
      }
      Object.assign(db, { command })
      const call = client(door.http, key)
      await call('POST', '/api/v1/account/export')
      const { url } = await finished(call)
      const files = unzip(Buffer.from(await (await fetch(url)).arrayBuffer()))
      const texts = ['a-removed', 'b-replaced', 'c-kept'].map((name) => String(files.get(`drive/${name}.txt`)))
      expect(texts).to.deep.equal(['', 'what stands there now', 'kept'])
    })

    it('is made once for simultaneous requests', async () => {
      door.advance(dayMs)
      const asked = await Promise.all(
        Array.from({ length: 20 }, () => bystander.call<Json>('POST', '/api/v1/account/export')),
      )
      expect(asked.map(({ status }) => status)).to.deep.equal(asked.map(() => 202))
      // One export may have been finished before the last request.
      expect(new Set(asked.map(({ body }) => body.id)).size).to.be.below(4)
      await finished(bystander.call)
    })

    it('fails, and says so, when the bytes of a mail cannot be read', async () => {
      const { store, clock } = door.ctx
      const broken = await makeTenant(door, { name: 'broken' })
      const call = client(door.http, broken.key)
      await deliver(door.ctx, { to: broken.address, raw: `Subject: One\n\n${'Hi '.repeat(1_000)}\n` })
      const message = await store.messages.findOne({ mailboxId: broken.mailboxId })
      const good = await store.blobs.findOne({ _id: `${message!.blob.id}#0` })
      await store.blobs.updateOne(
        { _id: `${message!.blob.id}#0` },
        { $set: { data: new Binary(Buffer.from('no zstd')), zstd: true } },
      )
      expect((await call('POST', '/api/v1/account/export')).status).to.equal(202)
      const state = async () => (await call<{ state: string }>('GET', '/api/v1/account/export')).body.state
      await eventually('the end of its tries', async () => {
        // A failed export is due again when its lease ends.
        await store.exports.updateOne(
          { accountId: broken.accountId, tries: { $gt: 0 }, dueAt: { $exists: true } },
          { $set: { dueAt: clock.now() } },
        )
        await makeExports(door.ctx)
        return (await state()) === 'failed'
      })
      expect(door.logs()).to.include('an export failed')
      await store.blobs.updateOne({ _id: good!._id }, { $set: good! })
    })

    it('can be requested by owners and by account keys that may read everything, a few times a day', async () => {
      const agent = await makeKey(door.ctx, { accountId: bystander.accountId, kind: 'agent', scopes: agentScopes })
      const some = await makeKey(door.ctx, { accountId: bystander.accountId, scopes: ['mail:read'] })
      const visited = await makeTenant(door, { name: 'visited' })
      for (const [method, at] of [
        ['POST', '/api/v1/account/export'],
        ['GET', '/api/v1/account/export'],
      ] as const) {
        expect((await client(door.http, agent.apiKey)<ErrorBody>(method, at)).status, at).to.equal(403)
        expect((await client(door.http, some.apiKey)<ErrorBody>(method, at)).body.code, at).to.equal(
          'insufficient_scope',
        )
        expect((await client(door.http)<ErrorBody>(method, at)).body.code, at).to.equal('missing_api_key')
        for (const role of ['member', 'reader'] as const) {
          const { ask } = await newPerson(door, { accountId: visited.accountId, role })
          expect((await ask(method, at)).status, `${role} ${at}`).to.equal(403)
        }
      }
      door.advance(dayMs)
      const owner = await signedIn(door, bystander.owner, bystander.accountId)
      for (let n = 0; n < 5; n++) {
        expect((await owner.ask('POST', '/api/v1/account/export')).status).to.equal(202)
        await finished(bystander.call)
      }
      expect((await bystander.call<ErrorBody>('POST', '/api/v1/account/export')).body.code).to.equal('rate_limited')
    })
  })

  describe('an erasure', () => {
    let filled: Filled
    before(async () => {
      filled = await fill('erased')
    })

    const wanted = { confirm: 'erased', password: testPassword }
    const path = '/api/v1/account/erase'

    it('can be requested only by a signed-in owner', async () => {
      const { accountId, call } = filled
      const agent = await makeKey(door.ctx, { accountId, kind: 'agent', scopes: agentScopes })
      for (const [who, asks] of [
        ['an account key', call],
        ['an agent key', client(door.http, agent.apiKey)],
        ['a test key', client(door.http, filled.testKey)],
        ['a member', (await newPerson(door, { accountId, role: 'member' })).ask],
        ['a reader', (await newPerson(door, { accountId, role: 'reader' })).ask],
        ['a person without an account', (await newPerson(door)).ask],
      ] as const)
        expect((await asks('POST', path, wanted)).status, who).to.equal(403)
      expectRefusal(await client(door.http)('POST', path, wanted), [401, 'unauthorized'])
      const other = await newPerson(door, { accountId: elsewhere.accountId })
      expectRefusal(await other.ask('POST', path, wanted), [400, 'validation_error'])
      expect((await call('GET', '/api/v1/account')).status).to.equal(200)
    })

    it('needs the name of the account, and the password', async () => {
      const { ask } = await signedIn(door, filled.owner, filled.accountId)
      for (const confirm of ['', 'Erased', 'erased ', 'bystander', filled.accountId]) {
        const { body } = await ask<ErrorBody>('POST', path, { ...wanted, confirm })
        expect([body.code, body.param], confirm).to.deep.equal(['validation_error', 'confirm'])
      }
      const { password, ...nameAlone } = wanted
      expectRefusal(await ask('POST', path, { password }), [400, 'validation_error'])
      expectRefusal(await ask('POST', path, nameAlone), [400, 'validation_error'])
      expectRefusal(await ask('POST', path, { ...wanted, password: 'wrong password' }), [401, 'unauthorized'])
      expect((await ask('GET', '/api/v1/account')).status).to.equal(200)
    })

    it('ends key and address at once, and leaves no trace in any collection', async () => {
      const { accountId, address, call, marks, words, owner, sandboxId } = filled
      const { ask } = await signedIn(door, owner, accountId)
      const guest = await newPerson(door, { accountId, role: 'member' })
      await joinAccount(door.ctx, { accountId: elsewhere.accountId, personId: guest.id, role: 'reader' })
      const others = await countsOf(bystander)
      const { mailboxIds } = await ownerOf(door.ctx.store, bystander.accountId)
      // Its mail to others belongs to them; the sender was told the id of the delivered message.
      const toOthers = new Set(await door.ctx.store.messages.distinct('_id', { mailboxId: { $in: [...mailboxIds] } }))
      expect((await tracesOf(marks)).length).to.be.above(30)
      expect((await ask('POST', path, wanted)).status).to.equal(202)
      expect((await call<ErrorBody>('GET', '/api/v1/account')).body.code).to.equal('invalid_api_key')
      expect((await client(door.http, filled.testKey)<ErrorBody>('GET', '/api/v1/account')).body.code).to.equal(
        'invalid_api_key',
      )
      // The owner can no longer sign in, in any way; a person who is in another account too stays there.
      expectRefusal(await ask('GET', '/api/v1/session'), [401, 'unauthorized'])
      const signIn = { email: owner.email, password: owner.password }
      expectRefusal(await client(door.http)('POST', '/api/v1/session', signIn), [401, 'unauthorized'])
      expectRefusal(await signInByPasskey(filled), [401, 'unauthorized'])
      expectRefusal(await guest.ask('GET', '/api/v1/mailboxes'), [403, 'forbidden'])
      const late = await deliver(door.ctx, { to: address, raw: 'Subject: Late\n\nHi\n' }).catch(
        (error: { code: string }) => error.code,
      )
      expect(late).to.equal('mailbox_not_found')
      // The sandbox is erased too.
      expect(await sweepErasures(door.ctx)).to.equal(2)
      door.advance(6 * minuteMs)
      expect(await sweepErasures(door.ctx)).to.equal(2)
      expect(await sweepErasures(door.ctx)).to.equal(0)
      // Under the account's id remain only the fact that it existed, and its audit without names.
      const remains = [...marks].filter((mark) => mark !== accountId && !toOthers.has(mark))
      expect(await tracesOf([...remains, ...words])).to.deep.equal([])
      const own = [...(await tracesOf([accountId])), ...(await tracesOf([sandboxId]))]
      expect(own.filter((trace) => !/^(accounts|audit):/.test(trace))).to.deep.equal([])
      const { body } = await guest.ask<{ account: { id: string }; accounts: { id: string }[] }>(
        'GET',
        '/api/v1/session',
      )
      expect([body.account, ...body.accounts].map(({ id }) => id)).to.deep.equal(Array(2).fill(elsewhere.accountId))
      const { email, password } = guest
      expect((await client(door.http)('POST', '/api/v1/session', { email, password })).status).to.equal(201)
      expect(await countsOf(bystander)).to.deep.equal(others)
      expect(await orphans()).to.deep.equal([])
      const { verified } = await audited(accountId)
      expect(verified.broken).to.equal(null)
      expect(verified.entries).to.be.above(15)
    })

    it('never frees the address or the name of the account for others', async () => {
      const signedUp = await client(door.http)<{ address: string; api_key: string }>('POST', '/api/v1/signup', {
        name: 'vanished',
      })
      expect(signedUp.status).to.equal(201)
      const { body: account } = await client(door.http, signedUp.body.api_key)<{ id: string }>('GET', '/api/v1/account')
      door.advance(8 * dayMs)
      expect(await eraseUnclaimed(door.ctx)).to.equal(1)
      door.advance(6 * minuteMs)
      expect(await sweepErasures(door.ctx)).to.equal(1)
      expect(await tracesOf(['vanished'])).to.deep.equal([])
      expect((await tracesOf([account.id])).filter((trace) => !/^(accounts|audit):/.test(trace))).to.deep.equal([])
      for (let n = 0; n < 2; n++) {
        const again = await client(door.http)<ErrorBody>('POST', '/api/v1/signup', { name: 'vanished' })
        expect(again.body.code).to.equal('conflict')
      }
      expect((await client(door.http)('POST', '/api/v1/signup', { name: 'vanished-2' })).status).to.equal(201)
    })

    it('keeps people who have joined another account meanwhile, and erases those whose accounts are both erased', async () => {
      const { ctx, http } = door
      const { store } = ctx
      const [one, two] = [await makeTenant(door, { name: 'one' }), await makeTenant(door, { name: 'two' })]
      const [leaving, ending] = [await newPerson(door, one), await newPerson(door, one)]
      await joinAccount(ctx, { accountId: two.accountId, personId: ending.id, role: 'owner' })
      const erases = async (name: string, { accountId }: Tenant, person: KnownPerson) => {
        const { ask } = await signedIn(door, person, accountId)
        const { status } = await ask('POST', path, { confirm: name, password: testPassword })
        expect(status).to.equal(202)
      }
      const signsIn = async ({ email, password }: KnownPerson) =>
        (await client(http)('POST', '/api/v1/session', { email, password })).status
      await erases('one', one, ending)
      expect([await signsIn(leaving), await signsIn(ending)]).to.deep.equal([401, 201])
      await erases('two', two, ending)
      expect(await signsIn(ending)).to.equal(401)
      // Work in progress when access ended: a request that joined an account, and a notice.
      await joinAccount(ctx, { accountId: elsewhere.accountId, personId: leaving.id, role: 'reader' })
      for (const { email: to } of [leaving, ending]) await sendNotice(ctx, { to, subject: 'Late', text: 'Hi' })
      await ctx.background.done()
      expect(await sweepErasures(ctx)).to.equal(2)
      await sendNotice(ctx, { to: ending.email, subject: 'Later', text: 'Hi' })
      await ctx.background.done()
      door.advance(6 * minuteMs)
      expect(await sweepErasures(ctx)).to.equal(2)
      expect([await signsIn(leaving), await signsIn(ending)]).to.deep.equal([201, 401])
      expect(await tracesOf([ending.id, ending.email])).to.deep.equal([])
      expect(await store.emails.countDocuments({ noticeTo: leaving.email })).to.equal(1)
      expect(await orphans()).to.deep.equal([])
    })

    it('of a person requires the password and that the person is in no account, and leaves no trace', async () => {
      const { store } = door.ctx
      const known = await makePerson(door)
      const me = '/api/v1/people/me/erase'
      const { password } = known
      const one = await makeTenant(door, { name: 'left-by-one' })
      await newPerson(door, one)
      await joinAccount(door.ctx, { accountId: one.accountId, personId: known.id, role: 'reader' })
      const [person, other] = [await signedIn(door, known), await signedIn(door, known)]
      const device = createAuthenticator()
      const passkeys = '/api/v1/people/me/passkeys'
      const { body } = await person.ask<{ options: { challenge: string } }>('POST', passkeys)
      const credential = device.create(body.options, { origin: door.ctx.baseUrl, rpId: 'localhost' })
      expect((await person.ask('POST', passkeys, { credential })).status).to.equal(201)
      await person.ask('POST', '/api/v1/people/me/totp')
      await client(door.http)('POST', '/api/v1/people/reset', { email: known.email })
      await door.ctx.background.done()
      expectRefusal(await person.ask('POST', me, { password }), [409, 'conflict'])
      expect((await person.ask('DELETE', `/api/v1/people/me/accounts/${one.accountId}`)).status).to.equal(200)
      expectRefusal(await person.ask('POST', me, { password: 'wrong password' }), [401, 'unauthorized'])
      expectRefusal(await person.ask('POST', me), [400, 'validation_error'])
      expect((await other.ask('GET', '/api/v1/session')).status).to.equal(200)
      expect((await person.ask('POST', me, { password })).body).to.include({ deleted: true })
      expect(person.cookie).to.equal(null)
      expectRefusal(await other.ask('GET', '/api/v1/session'), [401, 'unauthorized'])
      const signedUp = await client(door.http)('POST', '/api/v1/session', { email: known.email, password })
      expectRefusal(signedUp, [401, 'unauthorized'])
      expect(await tracesOf([known.email, device.id])).to.deep.equal([])
      // A person's acts in an account stay in the audit of the account, without addresses and targets.
      const acts = await store.audit.find({ accountId: one.accountId, userId: known.id }).toArray()
      expect(acts.map(({ action, personal }) => [action, personal])).to.deep.include(['people.leave', null])
      expect((await tracesOf([known.id])).filter((trace) => !trace.startsWith('audit:'))).to.deep.equal([])
      expect(await store.people.countDocuments({ _id: known.id })).to.equal(0)
      expect(await orphans()).to.deep.equal([])
    })

    it('of a person who is joining an account leaves either a member or nobody, never a membership without a person', async () => {
      const { store } = door.ctx
      const { accountId } = await makeTenant(door, { name: 'joined' })
      const host = await newPerson(door, { accountId })
      const members = async () => {
        const { body } = await host.ask<{ members: { email: string }[] }>('GET', '/api/v1/account/members')
        const stored = (await store.accounts.findOne({ _id: accountId }))?.members ?? []
        expect(stored, 'everybody is there').to.have.length(body.members.length)
        return body.members.map(({ email }) => email)
      }
      const invited = async () => {
        const known = await makePerson(door)
        const person = await signedIn(door, known)
        const invitationId = newId('inv', door.ctx.clock.now())
        const link = { kind: 'invitation', email: known.email, accountId, role: 'owner', invitationId } as const
        const token = (await makeLink(door.ctx, link)).split('/').at(-1)
        return {
          known,
          person,
          accept: () => person.ask('POST', '/api/v1/people/invitation', { token }),
          erase: () => person.ask('POST', '/api/v1/people/me/erase', { password: known.password }),
        }
      }
      const joining = await invited()
      const { body } = await joining.person.ask<{ secret: string }>('POST', '/api/v1/people/me/totp')
      const code = TOTP.generate({ secret: Secret.fromBase32(body.secret), timestamp: door.ctx.clock.now().getTime() })
      expect((await joining.person.ask('POST', '/api/v1/people/me/totp', { code })).status).to.equal(201)
      beforeNext(store.templates, 'find', async () => expect((await joining.accept()).status).to.equal(200))
      expectRefusal(await joining.erase(), [409, 'conflict'])
      expect(await members()).to.include(joining.known.email)
      expect(await store.authenticators.countDocuments({ _id: joining.known.id })).to.equal(1)

      const leaving = await invited()
      beforeNext(store.accounts, 'updateOne', async () => expect((await leaving.erase()).status).to.equal(200))
      expectRefusal(await leaving.accept(), [401, 'unauthorized'])
      expect(await members()).not.to.include(leaving.known.email)
    })

    it('removes what the service wrote about it to people outside the account', async () => {
      const { accountId, address } = await makeTenant(door, { name: 'telling' })
      const { ask } = await newPerson(door, { accountId })
      const [waiting, withdrawn] = ['waiting@invited.example', 'withdrawn@invited.example']
      const members = '/api/v1/account/members'
      await ask('POST', members, { email: waiting, role: 'reader' })
      const { id } = (await ask<{ id: string }>('POST', members, { email: withdrawn, role: 'reader' })).body
      await ask('DELETE', `${members}/${id}`)
      await ask('POST', '/api/v1/intake', { mailbox: address, delivery: { type: 'api' } })
      expect((await ask('POST', `/api/v1/intake/${address}/test`)).status).to.equal(202)
      await door.ctx.background.done()
      const told = () => door.ctx.store.emails.countDocuments({ noticeTo: { $in: [waiting, withdrawn, address] } })
      expect(await told()).to.equal(3)
      expect((await ask('POST', path, { confirm: 'telling', password: testPassword })).status).to.equal(202)
      expect(await sweepErasures(door.ctx)).to.equal(1)
      expect(await told()).to.equal(0)
      door.advance(6 * minuteMs)
      expect(await sweepErasures(door.ctx)).to.equal(1)
      expect(await tracesOf([waiting, withdrawn])).to.deep.equal([])
      expect(await orphans()).to.deep.equal([])
    })

    it('removes what is left of an account that was claimed into it', async () => {
      const { accountId } = await makeTenant(door, { name: 'claiming' })
      const { ask } = await newPerson(door, { accountId })
      const signedUp = await client(door.http)<{ address: string; api_key: string; claim_url: string }>(
        'POST',
        '/api/v1/signup',
      )
      const { address, api_key, claim_url } = signedUp.body
      const agent = client(door.http, api_key)
      const { body: joined } = await agent<{ id: string }>('GET', '/api/v1/account')
      const token = claim_url.slice(claim_url.lastIndexOf('/') + 1)
      expect((await ask('POST', '/api/v1/claims', { token, account: accountId })).status).to.equal(200)
      const claimed = await door.ctx.store.accounts.findOne({ _id: joined.id })
      expect([claimed?.status, claimed?.movedTo]).to.deep.equal(['moved', accountId])
      expect((await ask('POST', path, { confirm: 'claiming', password: testPassword })).status).to.equal(202)
      expect((await agent('GET', '/api/v1/account')).status).to.equal(401)
      expect(await sweepErasures(door.ctx)).to.equal(2)
      door.advance(6 * minuteMs)
      expect(await sweepErasures(door.ctx)).to.equal(2)
      const own = [...(await tracesOf([joined.id])), ...(await tracesOf([accountId]))]
      expect(own.filter((trace) => !/^(accounts|audit):/.test(trace))).to.deep.equal([])
      expect(own.filter((trace) => trace.startsWith('accounts:'))).to.have.length(2)
      expect(await tracesOf([address])).to.deep.equal([])
      for (const id of [joined.id, accountId]) await audited(id)
    })

    it('resumes after a kill -9 in the middle', async () => {
      const { store, settings } = door.ctx
      const killed = await fill('killed')
      const { accountId, marks, words } = killed
      const at = door.ctx.clock.now()
      const many = Array.from({ length: 10_000 }, (_, n) => ({
        _id: `${accountId}:p${n}@remote.example`,
        accountId,
        email: `p${n}@remote.example`,
        reason: 'manual' as const,
        detail: null,
        at,
      }))
      await store.suppressions.insertMany(many, { ordered: false })
      const child = spawn(process.execPath, [bin, 'account', 'erase', 'killed', '--confirm', 'killed'], {
        env: { ...process.env, MAILROOM_DATA: settings.data, MONGODB_URL: settings.mongodbUrl ?? '' },
        stdio: 'ignore',
      })
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
      const left = () => store.suppressions.countDocuments({ accountId })
      await eventually('the middle', async () => (await left()) < many.length)
      child.kill('SIGKILL')
      expect(await ended).to.equal('SIGKILL')
      expect(await left()).to.be.above(0)
      expect((await killed.call('GET', '/api/v1/account')).status).to.equal(401)
      door.advance(6 * minuteMs)
      expect(await sweepErasures(door.ctx)).to.equal(2)
      const { mailboxIds } = await ownerOf(store, bystander.accountId)
      const toOthers = new Set(await store.messages.distinct('_id', { mailboxId: { $in: [...mailboxIds] } }))
      const remains = [...marks].filter((mark) => mark !== accountId && !toOthers.has(mark))
      expect(await tracesOf([...remains, ...words])).to.deep.equal([])
      expect(await orphans()).to.deep.equal([])
    })
  })

  /** Blobs and index words that no message, send or segment uses. */
  async function orphans(): Promise<string[]> {
    const { store } = door.ctx
    const used = new Set([
      ...(await store.messages.distinct('blob.id')),
      ...(await store.emails.distinct('blob.id')),
      ...(await store.searchSegments.distinct('_id')),
      ...(await store.exports.distinct('_id')),
    ])
    const parts = [store.blobs, store.searchTexts, store.searchBlocks, store.exportChunks] as unknown as Collection[]
    const ids = (await Promise.all(parts.map((each) => each.distinct('_id')))).flat().map(String)
    return ids.filter((id) => !used.has(id.split('#')[0] ?? ''))
  }

  async function audited(accountId: string) {
    const entries = await door.ctx.store.audit.find({ accountId }).toArray()
    for (const { keyId, personal, salt, requestId } of entries)
      expect([keyId, personal, salt, requestId]).to.deep.equal([null, null, null, ''])
    return { verified: await verifyAudit(door.ctx, accountId) }
  }

  const finished = (call: Call) =>
    eventually('an export', async () => {
      const { body } = await call<{
        state: string
        url: string
        size: number
        progress: { written: number; total: number }
      }>('GET', '/api/v1/account/export')
      expect(body.state).not.to.equal('failed')
      return body.state === 'done' ? { ...body, url: `${door.http}${new URL(body.url).pathname}` } : null
    })

  /** Whether a collection that is not exported has any record of an account. */
  async function tracesIn(name: CollectionName, { accountId, marks }: Filled): Promise<boolean> {
    const words = [accountId, ...marks]
    for await (const { data: _, ...doc } of (door.ctx.store[name] as unknown as Collection).find())
      if (words.some((word) => JSON.stringify(doc).includes(word))) return true
    return false
  }
})

/** Runs `act` before the next `find` or `updateOne` of a collection. */
function beforeNext(collection: object, name: 'find' | 'updateOne', act: () => Promise<unknown>): void {
  const call = (...args: unknown[]) => Reflect.get(collection, name).apply(collection, args)
  const value = (...args: unknown[]) => {
    Reflect.deleteProperty(collection, name)
    if (name === 'updateOne') return act().then(() => call(...args))
    const cursor = call(...args)
    const toArray = cursor.toArray.bind(cursor)
    return Object.assign(cursor, { toArray: () => act().then(toArray) })
  }
  Object.defineProperty(collection, name, { value, configurable: true })
}
