/** The TypeScript client against the service, as its own users drive it, and over a gateway that fails. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { signatureHeaders, signingSecret } from '../../core/notify/signature.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import {
  ApiError,
  attachment,
  ConnectionError,
  Mailroom,
  type MailroomEvent,
  type MessagesListResult as MessageList,
  type MessageSummary,
  type RequestOptions,
  WaitTimeoutError,
} from '../../sdk/index.ts'
import { createInbox, inboxFixtures } from '../../sdk/testing.ts'
import { toldOf } from '../documents.ts'
import { type Fault, type FaultyGateway, openFaultyGateway } from '../peers/faulty-gateway.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { newPerson } from '../start/people.ts'
import { installPackage, modules, otherNodes, runProgram } from './runtimes.ts'
import { expected, openStage, verdict } from './stage.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const mail = (subject: string, body: string) =>
  `From: Shop <shop@remote.example>\r\nTo: agent@tenant.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replaceAll(' ', '.')}@remote.example>\r\n\r\n${body}\r\n`

describe('sdk: the TypeScript client', () => {
  let door: Door
  let tenant: Tenant
  let gateway: FaultyGateway
  let client: Mailroom

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    gateway = await openFaultyGateway(door.http)
  })
  after(async () => {
    await gateway?.close()
    await door?.close()
  })
  beforeEach(() => {
    gateway.next()
    client = new Mailroom({ apiKey: tenant.key, baseUrl: gateway.http })
  })

  /** What a call was refused with. */
  async function refusal(call: Promise<unknown>): Promise<ApiError> {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(ApiError)
    return error as ApiError
  }

  it('acts in the session of a person, in a page of the service', async () => {
    const { cookie } = await newPerson(door, { accountId: tenant.accountId })
    const page = { baseUrl: door.http, headers: { cookie: cookie ?? '' } }
    const { csrfToken } = await new Mailroom(page).session.get()
    const address = 'session@tenant.example'
    expect((await refusal(new Mailroom(page).mailboxes.create({ address }))).code).to.equal('forbidden')
    expect((await refusal(new Mailroom({ ...page, csrfToken: 'x' }).mailboxes.create({ address }))).code).to.equal(
      'forbidden',
    )
    const person = new Mailroom({ ...page, csrfToken })
    expect((await person.mailboxes.create({ address })).address).to.equal(address)
    expect((await person.mailboxes.delete(address)).deleted).to.equal(true)
  })

  describe('the way of an agent', () => {
    it('signs up without a key, waits for its first mail, and answers it', async () => {
      const {
        api_key: apiKey,
        address,
        claim_url: claimUrl,
      } = await new Mailroom({ baseUrl: door.http }).signup.create()
      expect(claimUrl).to.match(/^http/)
      const agent = new Mailroom({ apiKey, baseUrl: door.http })
      const waiting = agent.waitForCode(address, { timeout: 30, subject: 'code' })
      await door.nextRequests()
      await deliver(door.ctx, { to: address, raw: mail('Other news', 'Nothing to see') })
      await deliver(door.ctx, { to: address, raw: mail('Your code', 'Your verification code is 482913.') })
      const { code, message } = await waiting
      expect(code).to.equal('482913')
      expect(message.subject).to.equal('Your code')
      const full = await agent.mailboxes.messages.get(address, message.message_id)
      expect(full.text).to.include('482913')
      const refused = await refusal(agent.mailboxes.messages.reply(address, message.message_id, { text: 'Thanks' }))
      expect(refused).to.include({ statusCode: 403, code: 'CLAIM_REQUIRED' })
    })

    it('sends with an attachment, and reads it again as a stream', async () => {
      const file = await attachment('notes.txt', new Blob(['line\n'.repeat(10_000)], { type: 'text/plain' }))
      const { address } = tenant
      const sent = await client.mailboxes.messages.send(address, {
        to: address,
        subject: 'Notes',
        text: 'Attached.',
        attachments: [file],
      })
      expect(sent.status).to.equal('queued')
      expect(sent).to.not.have.property('success')
      const { attachments, message_id: id } = await client.mailboxes.messages.get(address, sent.message_id ?? '')
      const download = await client.mailboxes.messages.attachment(address, id, attachments[0]?.id ?? '')
      expect(download).to.include({ name: 'notes.txt', size: 50_000 })
      let bytes = 0
      for await (const chunk of download.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
      expect(bytes).to.equal(50_000)
    })

    it('reads no file again that is the same', async () => {
      const { address } = tenant
      const sent = await client.mailboxes.messages.send(address, { to: address, subject: 'Same', text: 'x' })
      const read = (ifNoneMatch?: string) =>
        client.mailboxes.messages.raw(address, sent.message_id ?? '', {}, { ...(ifNoneMatch && { ifNoneMatch }) })
      const first = await read()
      expect(first.isUnchanged).to.equal(false)
      const text = await first.text()
      const again = await read(first.etag ?? '')
      expect(again).to.include({ isUnchanged: true, etag: first.etag })
      expect((await again.bytes()).length).to.equal(0)
      const other = await read('"another"')
      expect(other.isUnchanged).to.equal(false)
      expect(await other.text()).to.equal(text)
    })

    it('takes streams, bytes and texts as attachments', async () => {
      const stream = new Response('of a stream').body as ReadableStream<Uint8Array>
      const made = await Promise.all([
        attachment('a', 'text'),
        attachment('b', new Uint8Array([0, 255])),
        attachment('c', stream, { contentType: 'text/plain' }),
      ])
      expect(made.map(({ content }) => Buffer.from(content, 'base64').toString('latin1'))).to.deep.equal([
        'text',
        '\0\xff',
        'of a stream',
      ])
      expect(made[2]).to.include({ contentType: 'text/plain' })
    })

    it('goes through all pages, or takes the first', async () => {
      const { address } = await client.mailboxes.create({ address: 'pages@tenant.example' })
      for (let n = 0; n < 5; n++) await deliver(door.ctx, { to: address, raw: mail(`Mail ${n}`, 'x') })
      const list = client.mailboxes.messages.list(address, { limit: 2 })
      const first = await list
      expect(first.messages.map(({ subject }) => subject)).to.deep.equal(['Mail 4', 'Mail 3'])
      let isSettled = false
      const settled = await list.finally(() => {
        isSettled = true
      })
      expect(isSettled).to.equal(true)
      expect(settled.messages.map(({ subject }) => subject)).to.deep.equal(['Mail 4', 'Mail 3'])
      const refused = await client.mailboxes.messages.list('nobody@tenant.example').catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(ApiError).and.include({ code: 'mailbox_not_found' })
      const all: MessageSummary[] = []
      for await (const message of list) all.push(message)
      expect(all.map(({ subject }) => subject)).to.deep.equal(['Mail 4', 'Mail 3', 'Mail 2', 'Mail 1', 'Mail 0'])
      let pages = 0
      for await (const page of client.mailboxes.messages.list(address, { limit: 2 }).pages()) {
        pages += 1
        if (page.messages.some(({ subject }) => subject === 'Mail 2')) break
      }
      expect(pages).to.equal(2)
      const subjects: (string | null)[] = []
      let next: string | null = null
      do {
        const page: MessageList = await client.mailboxes.messages.list(address, { limit: 2, label: null, before: next })
        subjects.push(...page.messages.map(({ subject }) => subject))
        next = page.next
      } while (next !== null)
      expect(subjects).to.deep.equal(all.map(({ subject }) => subject))
    })

    it('iterates over the messages of a conversation, page by page', async () => {
      const { address } = await client.mailboxes.create({ address: 'conversation@tenant.example' })
      const ids: string[] = []
      for (const n of [1, 2, 3]) {
        const fields = `Message-ID: <c${n}@remote.example>\nReferences: <c1@remote.example>\nSubject: Talk`
        const raw = `From: Ann <ann@remote.example>\nTo: ${address}\n${fields}\n\nWord ${n}\n`
        ids.push(await deliver(door.ctx, { to: address, raw }))
      }
      const { thread_id: threadId } = await client.mailboxes.messages.get(address, ids[0] ?? '')
      const read = async (limit: number) => {
        const found: string[] = []
        for await (const message of client.mailboxes.threads.get(address, threadId, { limit }))
          found.push(message.message_id)
        return found
      }
      expect(await read(50)).to.deep.equal(ids)
      expect(await read(1), 'from the end').to.deep.equal(ids.toReversed())
    })

    it('takes a Date wherever it takes a time, and refuses one that is no time', async () => {
      const { address } = await client.mailboxes.create({ address: 'dates@tenant.example' })
      await deliver(door.ctx, { to: address, raw: mail('Dated', 'Your verification code is 482913.') })
      const { messages } = await client.mailboxes.messages.list(address)
      const at = new Date(messages[0]?.received_at ?? '')
      // Ids, by which lists go, may be up to a second ahead after tests that moved a clock by less (schemas/ids.ts).
      const later = new Date(at.getTime() + minuteMs)
      const subjects = async (params: { since?: Date; until?: Date }) =>
        (await client.mailboxes.messages.list(address, params)).messages.map(({ subject }) => subject)
      expect(await subjects({ since: at, until: later })).to.deep.equal(['Dated'])
      expect(await subjects({ since: later })).to.deep.equal([])
      expect((await client.waitForCode(address, { since: at, timeout: 5 })).code).to.equal('482913')
      expect((await client.waitForMessage(address, { since: at, claim: 60, timeout: 5 })).subject).to.equal('Dated')
      expect((await client.usage.daily({ since: at })).days).to.have.length(1)
      const sendAt = new Date(Date.now() + 3_600_000)
      const sent = await client.mailboxes.messages.send(address, { to: address, text: 'x', sendAt })
      expect(sent.sendAt).to.equal(sendAt.toISOString())
      const foreign = runInContext(`new Date(${sendAt.getTime()})`, createContext()) as Date
      expect((await client.emails.update(sent.id, { sendAt: foreign })).sendAt).to.equal(sendAt.toISOString())
      const none = new Date('next week')
      const calls = [
        () => client.mailboxes.update(address, { autoReply: { enabled: true, subject: '', text: 'x', until: none } }),
        () => client.mailboxes.messages.list(address, { since: none }).then(),
      ]
      for (const call of calls) {
        const error = await call().catch((reason: unknown) => reason)
        expect(error).to.be.instanceOf(TypeError)
        expect(String(error)).to.match(/"(until|since)" is a Date that is no time/)
      }
      expect((await client.mailboxes.get(address)).autoReply).to.equal(null)
    })

    it('goes through events backwards, and forward from a cursor', async () => {
      const { cursor } = await client.events.list({ limit: 1 })
      for (let n = 0; n < 3; n++) await client.mailboxes.create({ address: `forward${n}@tenant.example` })
      const made = async (params: { after?: string; wait?: number }) => {
        const seen: string[] = []
        for await (const event of client.events.list({ ...params, type: 'mailbox.created', limit: 1 })) {
          if (event.type === 'mailbox.created') seen.push(String(event.data.address))
          if (seen.length === 3) break
        }
        return seen
      }
      const forward = [0, 1, 2].map((n) => `forward${n}@tenant.example`)
      expect(await made({ after: cursor })).to.deep.equal(forward)
      expect(await made({ after: cursor, wait: 1 })).to.deep.equal(forward)
      expect(await made({})).to.deep.equal(forward.toReversed())
    })

    it('reads a file of JSON byte for byte', async () => {
      const content = new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0xe9, 0x7d])
      const file = await attachment('latin.json', content, { contentType: 'application/json' })
      const { address } = tenant
      const sent = await client.mailboxes.messages.send(address, { to: address, text: 'x', attachments: [file] })
      const { attachments, message_id: id } = await client.mailboxes.messages.get(address, sent.message_id ?? '')
      const download = await client.mailboxes.messages.attachment(address, id, attachments[0]?.id ?? '')
      expect(download.contentType).to.equal('application/json')
      expect([...(await download.bytes())]).to.deep.equal([...content])
    })

    it('stops reading a file when it is aborted', async () => {
      const file = await attachment('large.bin', new Uint8Array(8 * 1024 * 1024))
      const { address } = tenant
      const sent = await client.mailboxes.messages.send(address, { to: address, text: 'x', attachments: [file] })
      const { attachments, message_id: id } = await client.mailboxes.messages.get(address, sent.message_id ?? '')
      const stopping = new AbortController()
      const { signal } = stopping
      const download = await client.mailboxes.messages.attachment(address, id, attachments[0]?.id ?? '', { signal })
      stopping.abort(new Error('enough'))
      const ended = await download.bytes().then(
        () => 'read',
        (error: unknown) => String(error),
      )
      expect(ended).to.equal('Error: enough')
    })
  })

  describe('files that do not come whole', () => {
    const read = async (fault: Fault, options?: RequestOptions): Promise<unknown> => {
      const { address } = tenant
      const file = await attachment('half.bin', new Uint8Array(200_000))
      const sent = await client.mailboxes.messages.send(address, { to: address, text: 'x', attachments: [file] })
      const { attachments, message_id: id } = await client.mailboxes.messages.get(address, sent.message_id ?? '')
      gateway.next(fault)
      const download = await client.mailboxes.messages.attachment(address, id, attachments[0]?.id ?? '', options)
      return download.bytes().catch((error: unknown) => error)
    }

    it('are an error of the connection where they are cut', async () => {
      expect(await read('cut answer')).to.be.instanceOf(ConnectionError)
    })

    it('are one where they stand still', async () => {
      const error = await read('stuck answer', { timeoutMs: 5_000 })
      expect(error).to.be.instanceOf(ConnectionError)
      expect(String(error)).to.include('5000 ms')
    })
  })

  describe('answers that are errors', () => {
    it('have code, fix, status and request id', async () => {
      const error = await refusal(client.mailboxes.get('nobody@tenant.example'))
      expect(error).to.include({ statusCode: 404, code: 'mailbox_not_found', name: 'ApiError' })
      expect(error.message).to.include('nobody@tenant.example')
      expect(error.fix).to.be.a('string')
      expect(error.docs).to.include('#mailbox_not_found')
      expect(error.requestId).to.be.a('string')
    })

    it('name the field and the scope at fault', async () => {
      const wrong = await refusal(client.mailboxes.messages.list(tenant.address, { limit: 0 }).then())
      expect(wrong).to.include({ code: 'validation_error', param: 'limit' })
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mailboxes:read'] })
      const narrow = new Mailroom({ apiKey, baseUrl: door.http })
      const missing = await refusal(narrow.mailboxes.messages.list(tenant.address).then())
      expect(missing).to.include({ code: 'insufficient_scope', requiredScope: 'mail:read' })
    })

    it('say what is wrong without a key, and with a wrong one', async () => {
      expect(await refusal(new Mailroom({ baseUrl: door.http }).account.get())).to.include({ code: 'missing_api_key' })
      const wrong = new Mailroom({ apiKey: 'svc_live_wrong', baseUrl: door.http })
      expect(await refusal(wrong.account.get())).to.include({ statusCode: 401, code: 'invalid_api_key' })
      const readFromAFile = new Mailroom({ apiKey: `${tenant.key}\n`, baseUrl: door.http })
      expect((await readFromAFile.account.get()).id).to.equal(tenant.accountId)
    })

    it('say that an address is not that of the API', async () => {
      for (const body of ['<!doctype html><p>Hello</p>', '', 'null', '"hello"']) {
        gateway.next({ status: 200, body })
        const error = await client.account.get().catch((reason: unknown) => reason)
        expect(error, body).to.be.instanceOf(ConnectionError)
        expect(String(error)).to.include('set "baseUrl"')
      }
    })

    it('say what is wrong with an address that is none, and with what cannot be a key, without telling it', async () => {
      for (const baseUrl of ['mail.example.com', '', 'http://'])
        expect(() => new Mailroom({ baseUrl }), baseUrl).to.throw(TypeError, /write "baseUrl" like https:/)
      for (const within of ['/api/v1', '/mail//api/v1/mailboxes/a@b.example', '/api/mcp/'])
        expect(() => new Mailroom({ baseUrl: `https://mail.example.com${within}` }), within).to.throw(
          TypeError,
          `write "baseUrl" as https://mail.example.com${within.startsWith('/mail') ? '/mail' : ''}.`,
        )
      expect(() => new Mailroom({ baseUrl: 'https://mail.example.com/api/v1x' })).to.not.throw()
      for (const apiKey of [`${tenant.key}\u2026`, `${tenant.key}\nx`]) {
        const error = await new Mailroom({ apiKey, baseUrl: door.http }).account
          .get()
          .catch((reason: unknown) => reason)
        expect(error).to.be.instanceOf(TypeError)
        expect(String(error)).to.include('pass it exactly as it was shown').and.not.include(tenant.key)
      }
    })
  })

  describe('a gateway that fails', () => {
    const send = () =>
      client.mailboxes.messages.send(tenant.address, { to: tenant.address, subject: 'Once', text: 'Once' })

    it('is asked again for what it answers 5xx or cuts, and sends go out once', async () => {
      gateway.next({ status: 503 }, 'cut', 'cut answer')
      const before = gateway.seen.length
      const sent = await new Mailroom({
        apiKey: tenant.key,
        baseUrl: gateway.http,
        retries: 3,
      }).mailboxes.messages.send(tenant.address, { to: tenant.address, subject: 'Once', text: 'Once' })
      const tries = gateway.seen.slice(before)
      expect(tries).to.have.length(4)
      expect(new Set(tries.map(({ headers }) => headers['idempotency-key'])).size).to.equal(1)
      const { messages } = await client.mailboxes.messages.list(tenant.address, { subject: 'Once', folder: 'sent' })
      expect(messages.map(({ message_id: id }) => id)).to.deep.equal([sent.message_id])
    })

    it('is asked again for a send where there is no cryptography, as in Node 18, and it goes out once', async () => {
      const { crypto } = globalThis
      Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
      try {
        gateway.next('cut answer')
        const subject = 'Without cryptography'
        await client.mailboxes.messages.send(tenant.address, { to: tenant.address, subject, text: 'x' })
        const { emails } = await client.emails.list()
        expect(emails.filter((email) => email.subject === subject)).to.have.length(1)
      } finally {
        Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true })
      }
    })

    it('takes a header of the caller for its own, however its name is written', async () => {
      const body = { to: tenant.address, subject: 'By header', text: 'x' }
      const ids: string[] = []
      for (const name of ['Idempotency-Key', 'idempotency-key', 'IDEMPOTENCY-KEY']) {
        const sent = await client.mailboxes.messages.send(tenant.address, body, { headers: { [name]: 'by-header' } })
        ids.push(sent.id)
      }
      expect(new Set(ids).size).to.equal(1)
      const other = new Mailroom({
        apiKey: 'svc_live_wrong',
        baseUrl: gateway.http,
        headers: { Authorization: `Bearer ${tenant.key}` },
      })
      expect((await other.account.get()).id).to.equal(tenant.accountId)
    })

    it('is asked with the key of the caller, or not at all if a header cannot carry that', async () => {
      const body = { to: tenant.address, subject: 'By key', text: 'x' }
      const send = (idempotencyKey: string) => client.mailboxes.messages.send(tenant.address, body, { idempotencyKey })
      expect((await send('Größe-66')).id).to.equal((await send('Größe-66')).id)
      const before = gateway.seen.length
      for (const key of ['order-€', 'order\n66']) {
        const error = await send(key).catch((reason: unknown) => reason)
        expect(error).to.be.instanceOf(TypeError)
        expect(String(error)).to.include('idempotency key').and.include('ASCII')
      }
      expect(gateway.seen.length).to.equal(before)
    })

    it('tells who listens of each answer, and which was a replay', async () => {
      const seen: { status: number; isReplayed: boolean }[] = []
      const listening = new Mailroom({
        apiKey: tenant.key,
        baseUrl: gateway.http,
        onAnswer: ({ status, isReplayed }) => seen.push({ status, isReplayed }),
      })
      const body = { to: tenant.address, subject: 'Again', text: 'Again' }
      await listening.mailboxes.messages.send(tenant.address, body, { idempotencyKey: 'again' })
      await listening.mailboxes.messages.send(tenant.address, body, { idempotencyKey: 'again' })
      expect(seen).to.deep.equal([
        { status: 202, isReplayed: false },
        { status: 202, isReplayed: true },
      ])
    })

    it('is not asked again, nor blamed, where who listens fails', async () => {
      const broken = new Error('the log is full')
      const before = gateway.seen.length
      const listening = new Mailroom({
        apiKey: tenant.key,
        baseUrl: gateway.http,
        onAnswer: () => {
          throw broken
        },
      })
      expect(await listening.account.get().catch((error: unknown) => error)).to.equal(broken)
      expect(gateway.seen.length - before).to.equal(1)
    })

    it('is given the time it asks for with 429, and not when that is long', async () => {
      gateway.next({ status: 429, headers: { 'retry-after': '0' } })
      expect((await send()).status).to.equal('queued')
      gateway.next({ status: 429, headers: { 'retry-after': '3600' } })
      expect(await refusal(send())).to.include({ statusCode: 429, retryAfter: 3_600 })
    })

    it('is not asked twice for what might be done twice', async () => {
      gateway.next({ status: 503 })
      const before = gateway.seen.length
      expect(await refusal(client.mailboxes.update(tenant.address, { displayName: 'Other' }))).to.include({
        statusCode: 503,
      })
      gateway.next('cut')
      const cut = await client.mailboxes
        .update(tenant.address, { displayName: 'Other' })
        .catch((error: unknown) => error)
      expect(cut).to.be.instanceOf(ConnectionError)
      expect(gateway.seen.length - before).to.equal(2)
    })

    it('is given up on after the time that a call may take', async () => {
      expect((await client.account.get({ timeoutMs: Number.POSITIVE_INFINITY })).id).to.equal(tenant.accountId)
      gateway.next('silence')
      const silent = await client.account.get({ timeoutMs: 20, retries: 0 }).catch((error: unknown) => error)
      expect(silent).to.be.instanceOf(ConnectionError)
      expect(String(silent)).to.include('20 ms')
    })

    it('is left at once by a call that is aborted', async () => {
      const stopping = new AbortController()
      const waiting = client.waitForMessage(tenant.address, { timeout: 50 }, { signal: stopping.signal })
      await door.nextRequests()
      stopping.abort(new Error('enough'))
      expect(String(await waiting.catch((error: unknown) => error))).to.equal('Error: enough')
      const before = client.account.get({ signal: AbortSignal.abort(new Error('before')) })
      expect(String(await before.catch((error: unknown) => error))).to.equal('Error: before')
    })
  })

  describe('waits', () => {
    it('end with what came and did not fit', async () => {
      const { address } = await client.mailboxes.create({ address: 'waits@tenant.example' })
      const waiting = client.waitForMessage(address, { subject: 'wanted', timeout: 1 })
      await door.nextRequests()
      await deliver(door.ctx, { to: address, raw: mail('Another', 'x') })
      const error = await waiting.catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(WaitTimeoutError)
      expect((error as WaitTimeoutError).nearMisses[0]?.why).to.include('subject')
    })

    for (const [what, claim] of [
      ['read', {}],
      ['claim', { claim: 600 }],
    ] as const)
      it(`find what came while their connection was cut: ${what}`, async () => {
        const { address } = await client.mailboxes.create({ address: `cut-${what}s@tenant.example` })
        await deliver(door.ctx, { to: address, raw: mail('Before', 'x') })
        const waiting = client.waitForMessage(address, { timeout: 30, ...claim })
        await Promise.race([door.nextRequests(2), waiting])
        gateway.next({ status: 503, headers: { 'retry-after': '1' } })
        gateway.cut()
        await deliver(door.ctx, { to: address, raw: mail('Meanwhile', 'x') })
        expect((await waiting).subject).to.equal('Meanwhile')
      })

    it('take parts of seconds, and ask once where they have no time', async () => {
      const { address } = await client.mailboxes.create({ address: 'short-waits@tenant.example' })
      const { cursor: since } = await client.mailboxes.messages.list(address)
      const error = await client.waitForMessage(address, { timeout: 0.5 }).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(WaitTimeoutError)
      const late = await client.waitForMessage(address, { timeout: 1.5 }).catch((reason: unknown) => reason)
      expect(late).to.be.instanceOf(WaitTimeoutError)
      await deliver(door.ctx, { to: address, raw: mail('There', 'x') })
      expect((await client.waitForMessage(address, { since, timeout: 0 })).subject).to.equal('There')
    })

    it('get distinct messages where they claim them, and give back what does not fit', async () => {
      const { address } = await client.mailboxes.create({ address: 'claims@tenant.example' })
      const { cursor: since } = await client.mailboxes.messages.list(address)
      const codes = ['482911', '482912', '482913']
      const waiting = codes.map(() => client.waitForCode(address, { since, claim: 600, timeout: 30 }))
      for (const code of codes)
        await deliver(door.ctx, { to: address, raw: mail(`Code ${code}`, `Your verification code is ${code}.`) })
      const found = await Promise.all(waiting)
      expect(found.map(({ code }) => code).toSorted()).to.deep.equal(codes)
      await deliver(door.ctx, { to: address, raw: mail('Hello', 'No link here') })
      const late = await client
        .waitForLink(address, { since, claim: 600, timeout: 0 })
        .catch((reason: unknown) => reason)
      expect(late).to.be.instanceOf(WaitTimeoutError)
      const free = await client.waitForMessage(address, { since, claim: 600, timeout: 5 })
      expect(free.subject).to.equal('Hello')
    })

    it('prefer a link to the domain that vouches for the author', async () => {
      const { address } = await client.mailboxes.create({ address: 'own-links@tenant.example' })
      const { cursor: since } = await client.mailboxes.messages.list(address)
      const own = 'https://remote.example/verify?token=abc123def456'
      const links = `Confirm your address: https://elsewhere.example/verify?token=abc123def456\r\n\r\nPlease verify your email address: ${own}`
      await deliver(door.ctx, { to: address, raw: mail('Two links', links), verdict })
      const { url, message } = await client.waitForLink(address, { since, timeout: 5 })
      expect(message.verification?.links.map(({ same_org: isOwn }) => isOwn)).to.deep.equal([false, true])
      expect(url).to.equal(own)
    })

    it('find a link behind much mail without one in one request', async () => {
      const { address } = await client.mailboxes.create({ address: 'many-links@tenant.example' })
      const { cursor: since } = await client.mailboxes.messages.list(address)
      for (let n = 0; n < 20; n++) await deliver(door.ctx, { to: address, raw: mail(`No link ${n}`, 'Hello') })
      const url = 'https://remote.example/verify?token=abc123def456'
      await deliver(door.ctx, { to: address, raw: mail('Link', `Please verify your email address: ${url}`) })
      const before = gateway.seen.length
      expect((await client.waitForLink(address, { since, timeout: 30 })).url).to.equal(url)
      expect(gateway.seen.length - before).to.equal(1)
      const late = await client.waitForLink(address, { since, subject: 'No link', timeout: 0 }).catch((e: unknown) => e)
      expect((late as WaitTimeoutError).nearMisses.map(({ why }) => why)).to.include('has_link: it contains no link.')
    })

    it('find the link of a mail, past one without', async () => {
      const { address } = await client.mailboxes.create({ address: 'links@tenant.example' })
      const waiting = client.waitForLink(address, { timeout: 30 })
      await door.nextRequests()
      await deliver(door.ctx, { to: address, raw: mail('No link', 'Hello') })
      await deliver(door.ctx, {
        to: address,
        raw: mail('Verify', 'Please verify your email address: https://remote.example/verify?token=abc123def456'),
      })
      expect((await waiting).url).to.equal('https://remote.example/verify?token=abc123def456')
    })
  })

  it('streams events in their order, each once, over connections that are cut', async () => {
    const { address } = await client.mailboxes.create({ address: 'stream@tenant.example' })
    const stopping = new AbortController()
    const seen: string[] = []
    const reading = (async () => {
      const stream = client.events.stream({ type: 'message.received', mailbox: address }, { signal: stopping.signal })
      for await (const event of stream) {
        seen.push(subjectOf(event))
        if (seen.length === 3) {
          gateway.next('cut', { status: 503 })
          gateway.cut()
        }
        if (seen.length === 6) break
      }
    })()
    await door.nextRequests()
    for (let n = 0; n < 6; n++) await deliver(door.ctx, { to: address, raw: mail(`Event ${n}`, 'x') })
    const { messages } = await client.mailboxes.messages.list(address)
    await announceArrivals(
      door.ctx,
      await toldOf(
        door.ctx,
        messages.map(({ message_id: id }) => id),
      ),
    )
    await reading
    expect(seen).to.deep.equal([0, 1, 2, 3, 4, 5].map((n) => `Event ${n}`))
  })

  const subjectOf = (event: MailroomEvent): string =>
    event.type === 'message.received' ? (event.data.subject ?? '') : event.type

  describe('testing', () => {
    it('makes an inbox that is there for one test', async () => {
      const inbox = await createInbox(client)
      expect(inbox.address).to.match(/^test-[a-z0-9]{10}@tenant\.example$/)
      await deliver(door.ctx, { to: inbox.address, raw: mail('Code', 'Your code: 771204') })
      expect((await inbox.waitForCode({ timeout: 20 })).code).to.equal('771204')
      await inbox.remove()
      expect(await refusal(client.mailboxes.get(inbox.address))).to.include({ code: 'mailbox_not_found' })
    })

    it('gives it as a fixture, and takes it away when the test fails', async () => {
      const fixtures = inboxFixtures({ apiKey: tenant.key, baseUrl: door.http, domain: 'tenant.example', prefix: 'f' })
      let address = ''
      let isFailed = false
      await fixtures.mail({}, async (made) => {
        await fixtures
          .inbox({ mail: made }, async (inbox) => {
            address = inbox.address
            throw new Error('the test failed')
          })
          .catch(() => {
            isFailed = true
          })
      })
      expect(isFailed).to.equal(true)
      expect(await refusal(client.mailboxes.get(address))).to.include({ code: 'mailbox_not_found' })
    })
  })

  it('does not compile with wrong fields', () => {
    // The compiler refuses a directive that has nothing to expect.
    const calls = [
      // @ts-expect-error no such filter
      () => client.mailboxes.messages.list('a@b.example', { subjects: 'x' }),
      // @ts-expect-error a number
      () => client.mailboxes.messages.list('a@b.example', { limit: '2' }),
      // @ts-expect-error the mailbox is missing
      () => client.mailboxes.messages.get(),
      // @ts-expect-error a list of addresses
      () => client.mailboxes.messages.send('a@b.example', { to: 7, subject: 'x' }),
      // @ts-expect-error a trial has no status
      async () => (await client.mailboxes.messages.send('a@b.example', { to: 'c@d.example', dryRun: true })).status,
      // @ts-expect-error no field of an answer
      async () => (await client.account.get()).nmae,
    ]
    expect(calls).to.have.length(6)
  })

  describe('the package', () => {
    let folder: string

    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'mailroom-sdk-'))
      await installPackage(folder)
    })
    after(() => rm(folder, { recursive: true, force: true }))

    for (const [what, file] of Object.entries(modules))
      it(`is used as ${what}, in this Node and in the one of the machine`, async () => {
        const stage = await openStage(door.http, async (to, raw) => {
          const id = await deliver(door.ctx, { to, raw, verdict })
          await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
        })
        try {
          const given = { folder, file, stage, key: tenant.key, domain: 'tenant.example' }
          for (const node of [process.execPath, ...otherNodes()])
            expect(await runProgram([node], given), node).to.deep.equal(expected)
        } finally {
          await stage.close()
        }
      })

    it('needs nothing that browsers and edge runtimes do not have', async () => {
      const { AbortController, Blob, Headers, ReadableStream, Response, TextDecoder, TextEncoder, URL } = globalThis
      const { btoa, clearTimeout, crypto, fetch, setTimeout } = globalThis
      const web = { AbortController, Blob, Headers, ReadableStream, Response, TextDecoder, TextEncoder, URL }
      const context = createContext({ ...web, btoa, clearTimeout, crypto, fetch, setTimeout })
      const modules = new Map<string, { exports: Record<string, unknown> }>()
      const load = (file: string): Record<string, unknown> => {
        const known = modules.get(file)
        if (known !== undefined) return known.exports
        const module = { exports: {} }
        modules.set(file, module)
        const text = `(function (exports, require, module) {${readFileSync(file, 'utf8')}\n})`
        const define = runInContext(text, context) as (...given: readonly unknown[]) => void
        define(module.exports, (name: string) => load(path.resolve(path.dirname(file), name)), module)
        return module.exports
      }
      const loaded = load(path.join(folder, 'node_modules/mailroom-sdk/dist/cjs/index.js')) as {
        Mailroom: typeof Mailroom
      }
      const inBrowser = new loaded.Mailroom({ apiKey: tenant.key, baseUrl: door.http })
      const sent = await inBrowser.mailboxes.messages.send(tenant.address, {
        to: tenant.address,
        subject: 'From afar',
        text: 'Hello',
      })
      expect(sent.status).to.equal('queued')
    })

    it('verifies webhooks in Express, Koa, Next.js and Cloudflare Workers as the samples say', async () => {
      for (const name of ['express', 'koa'])
        await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name))
      const packing = ['pack', '--dry-run', '--json', '--ignore-scripts']
      const [packed] = JSON.parse(spawnSync('npm', packing, { cwd: path.join(root, 'sdk'), encoding: 'utf8' }).stdout)
      const files = (packed.files as { path: string }[]).map((file) => file.path)
      expect(files).to.include.members(['express', 'koa', 'next', 'cloudflare'].map((name) => `samples/${name}.js`))
      await cp(path.join(root, 'sdk/samples'), path.join(folder, 'samples'), { recursive: true })
      const sample = async (name: string) => import(path.join(folder, 'samples', `${name}.js`))
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      const heard: string[] = []
      const handle = async ({ id }: { readonly id: string }) => void heard.push(id)
      const late: Promise<unknown>[] = []
      const worker = (await sample('cloudflare')).webhookWorker(handle)
      const route = (await sample('next')).webhookRoute({ secret, handle })
      const servers = [
        createServer((await sample('express')).webhookApp({ secret, handle })),
        createServer((await sample('koa')).webhookApp({ secret, handle }).callback()),
      ]
      const ask: ((request: RequestInit) => Promise<Response>)[] = [
        async (init) =>
          worker.fetch(
            new Request('https://worker.example/', init),
            { WEBHOOK_SECRET: secret },
            { waitUntil: (work: Promise<unknown>) => late.push(work) },
          ),
        async (init) => route(new Request('https://next.example/', init)),
      ]
      for (const server of servers) {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const { port } = server.address() as AddressInfo
        ask.push((init) => fetch(`http://127.0.0.1:${port}/webhooks/mailroom`, init))
      }
      try {
        for (const [n, each] of ask.entries()) {
          const body = JSON.stringify({ id: `evt_${n}`, type: 'message.received', created_at: 'now', data: {} })
          const headers = signatureHeaders({ id: `evt_${n}`, body, secrets: [signingSecret(secret)], at: new Date() })
          const type = { 'content-type': 'application/json' }
          expect((await each({ method: 'POST', headers: { ...headers, ...type }, body })).status).to.equal(200)
          const forged = await each({
            method: 'POST',
            headers: { ...headers, ...type },
            body: body.replace('now', 'then'),
          })
          expect(forged.status).to.equal(400)
        }
        await Promise.all(late)
        expect(heard).to.deep.equal(['evt_0', 'evt_1', 'evt_2', 'evt_3'])
      } finally {
        for (const server of servers) server.closeAllConnections()
        for (const server of servers) server.close()
      }
    })

    it('has types that refuse a wrong field', async () => {
      const uses = (field: string) =>
        `import { Mailroom } from 'mailroom-sdk'\nexport const made = new Mailroom().mailboxes.create({ ${field}: 'a@tenant.example' })\n`
      const compile = async (file: string, text: string) => {
        await writeFile(path.join(folder, file), text)
        const given = [
          '--noEmit',
          '--strict',
          '--module',
          'nodenext',
          '--lib',
          'es2022,dom,dom.asynciterable',
          '--types',
          '',
        ]
        const { status, stdout } = spawnSync('tsc', [...given, file], { cwd: folder, encoding: 'utf8' })
        return { status, stdout }
      }
      for (const kind of ['mts', 'cts'])
        expect(await compile(`right.${kind}`, uses('address'))).to.deep.equal({ status: 0, stdout: '' })
      const wrong = await compile('wrong.mts', uses('adress'))
      expect(wrong.stdout).to.match(/'adress' does not exist in type 'MailboxesCreateParams'/)
      expect(wrong.status).to.not.equal(0)
    })

    it('is below 15 KB compressed, all that it can do', async () => {
      const files = globSync(path.join(folder, 'node_modules/mailroom-sdk/dist/esm/**/*.js'))
      const text = await Promise.all(files.map((file) => readFile(file, 'utf8')))
      expect(gzipSync(text.join('')).length).to.be.below(15 * 1024)
    })
  })
})
