import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { runCommand } from '../../cli/command-line.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { rotateZoneKeys } from '../../core/domains/zone-key-rotation.ts'
import { dayMs, hourMs } from '../../core/process/clock.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import type { Json } from '../peers/rest.ts'
import { openReadyDatabase, type ReadyDatabase } from '../start/ready-database.ts'
import { contextOf } from '../start/service.ts'

describe('the commands for the keys of zones', () => {
  let database: ReadyDatabase
  let data: string
  let parent: NameServer
  let ctx: Context
  let aheadMs = 0

  const settings = () => ({ MAILROOM_DNS_DNSSEC: 'true', MAILROOM_RESOLVER: JSON.stringify([parent.address]) })

  before(async () => {
    parent = await startNameServer({})
    parent.ttlSeconds = 0
    database = await openReadyDatabase()
    data = await mkdtemp(path.join(tmpdir(), 'mailroom-zone-keys-'))
    const clock = { now: () => new Date(Date.now() + aheadMs) }
    ctx = await contextOf({ data, url: database.url }, clock, undefined, settings())
    const { id: accountId } = await createAccount(ctx, { name: 'keys', owner: null })
    for (const domain of ['keys.test', 'other.test']) await createDomain(ctx, { domain, accountId, verified: true })
  })
  after(async () => {
    await closeContext(ctx)
    database?.release()
    await parent?.stop()
    await rm(data, { recursive: true, force: true })
  })

  async function mailroom(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const said = { out: '', err: '' }
    const env = { ...process.env, MAILROOM_DATA: data, MONGODB_URL: database.url, ...settings(), ...more }
    const code = await runCommand(args, {
      env,
      out: (text) => {
        said.out += text
      },
      err: (text) => {
        said.err += text
      },
    })
    return { code, ...said }
  }
  type Shown = { readonly ds: string; readonly dnskey: string; readonly change?: Json }
  /** What a command about a domain shows. */
  async function shown(command: string): Promise<Shown> {
    const { code, out, err } = await mailroom(['domain', command, 'keys.test'])
    expect(code, err).to.equal(0)
    return JSON.parse(out) as Shown
  }
  async function refused(args: readonly string[], says: RegExp): Promise<void> {
    const { code, out, err } = await mailroom(args)
    expect([code, out]).to.deep.equal([1, ''])
    expect(err).to.match(says)
  }
  /** The clock that goes on with changes takes its turn after so long. */
  async function pass(ms: number): Promise<void> {
    aheadMs += ms
    await rotateZoneKeys(ctx)
  }

  const commands = ['ds', 'rotate-dnssec', 'ds-published']
  for (const command of commands) {
    const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
      ['no domain', [], /^error: missing required argument 'domain'/],
      [
        'one too many',
        ['keys.test', 'other.test'],
        /^error: too many arguments for '.*'\. Expected 1 argument but got 2/,
      ],
      ['what is no domain', ['no domain'], /^"no domain" is not a valid domain.*\. .+\.$/m],
      ['an empty name', [''], /^The argument "domain" is empty\. Write it as in "mailroom domain /],
      ['an address', ['me@keys.test'], /^"me@keys\.test" is not a valid domain.*\. .+\.$/m],
      [
        'an unknown domain',
        ['nobodys.test'],
        /^No zone of nobodys\.test is served here\. Name a domain that belongs to an account/,
      ],
      ['a name in a zone', ['www.keys.test'], /^No zone of www\.keys\.test is served here\. Name a domain/],
    ]
    for (const [name, args, says] of refusals)
      it(`domain ${command} refuses ${name}, and says what to change`, () =>
        refused(['domain', command, ...args], says))
    it(`domain ${command} refuses where zones are not signed`, async () => {
      const { code, err } = await mailroom(['domain', command, 'keys.test'], { MAILROOM_DNS_DNSSEC: 'false' })
      expect(code).to.equal(1)
      expect(err).to.match(/^Zones are not signed: .* unreachable\. Set dns\.dnssec to true and restart the service/)
    })
  }

  it('take a name in any letters, and with a dot at its end', async () => {
    const { ds } = await shown('ds')
    for (const name of ['KEYS.Test', 'keys.test.']) {
      const { out, err } = await mailroom(['domain', 'ds', name])
      expect(err).to.equal('')
      expect(JSON.parse(out)).to.include({ domain: 'keys.test', ds })
    }
  })

  it('change the key step by step, and refuse each that comes too early', async () => {
    const tooEarly = /^No new key of keys\.test waits for a DS record\. Run "mailroom domain ds" to see how far/
    const goesOn = /^The key of keys\.test is already being changed\. Run "mailroom domain ds" to see how far that is/
    const confirm = ['domain', 'ds-published', 'keys.test']
    const rotate = ['domain', 'rotate-dnssec', 'keys.test']
    const first = await shown('ds')
    expect(first).to.not.have.property('change')
    await refused(confirm, tooEarly)

    const published = await shown('rotate-dnssec')
    expect(published).to.include({ ds: first.ds, dnskey: first.dnskey })
    expect(published.change).to.include({ state: 'published', waits: 'until no resolver knows only the earlier keys' })
    await refused(rotate, goesOn)
    await refused(confirm, tooEarly)

    // The zone above names the old key: the registrar has to be given the record that is shown.
    parent.zone = { 'DS keys.test': [first.ds] }
    await pass(27 * hourMs)
    const signing = await shown('ds')
    expect(signing.ds).to.not.equal(first.ds)
    expect(signing.change).to.include({ state: 'signing', waits: 'for the DS record at the registrar' })
    await refused(rotate, goesOn)

    parent.zone = { 'DS keys.test': [signing.ds] }
    const vouched = await shown('ds-published')
    expect(vouched.ds).to.equal(signing.ds)
    expect(vouched.change).to.include({
      state: 'vouched',
      waits: 'until no resolver has records that the old key signed',
    })
    await refused(confirm, tooEarly)

    await pass(9 * dayMs)
    const last = await shown('ds')
    expect(last).to.deep.equal({ domain: 'keys.test', ds: signing.ds, dnskey: signing.dnskey })
    await refused(confirm, tooEarly)
    const noted = await ctx.store.audit
      .find({ action: /dnssec|ds_published/ })
      .sort({ _id: 1 })
      .toArray()
    const actions = noted.map(({ action }) => action)
    expect(actions).to.deep.equal(['domains.rotate_dnssec', 'domains.ds_published'])
  })
})
