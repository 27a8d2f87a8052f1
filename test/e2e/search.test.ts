import { expect } from 'chai'
import { type Context, closeContext } from '../../core/process/context.ts'
import { eventually } from '../eventually.ts'
import { client, mailboxPath } from '../peers/rest.ts'
import { mimeFixtures, sendMail } from '../peers/send-mail.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service } from '../start/service.ts'
import { useSharedService } from '../start/shared-service.ts'

type Hits = { readonly messages: readonly { readonly message_id: string; readonly folder: string }[] }

/** The time within which a new message must be found by its change note: the sweep handles only older messages. */
const soonMs = 25_000

describe('search of a running service', () => {
  let service: Service
  let ctx: Context
  let own: Tenant
  let foreign: Tenant
  useSharedService((shared) => {
    service = shared.service
  })
  before(async () => {
    ctx = await contextOf(service)
    own = await makeTenant({ ctx, http: service.http }, { name: 'searcher' })
    foreign = await makeTenant({ ctx, http: service.http }, { name: 'elsewhere' })
  })
  after(async () => {
    if (ctx !== undefined) await closeContext(ctx)
  })

  const search = async ({ key, address }: Tenant, q: string) =>
    (await client(service.http, key)<Hits>('GET', `${mailboxPath(address)}/search?q=${encodeURIComponent(q)}`)).body
      .messages

  it('finds a message soon after its 250, in the mailbox that received it', async () => {
    const raw = Buffer.from(
      `From: Zoë <zoe@remote.test>\r\nTo: ${own.address}\r\nSubject: Plan\r\n\r\nA quixotic plan.\r\n`,
    )
    await sendMail(service.smtp, { from: 'zoe@remote.test', to: own.address, raw })
    await eventually('found', async () => (await search(own, 'quixotic from:zoe')).length === 1, soonMs)
    expect(await search(foreign, 'quixotic')).to.deep.equal([])
    const { body } = await client(service.http, foreign.key)<Hits>('GET', '/api/v1/search?q=quixotic')
    expect(body.messages).to.deep.equal([])
  })

  it('finds sent messages', async () => {
    const call = client(service.http, own.key)
    const sent = await call('POST', `${mailboxPath(own.address)}/send`, {
      to: 'delivered@simulator.invalid',
      subject: 'Outgoing',
      text: 'An unmistakable reply.',
    })
    expect(sent.status).to.equal(202)
    const found = await eventually('the Sent copy', async () => (await search(own, 'unmistakable'))[0])
    expect(found.folder).to.equal('Sent')
  })

  it('indexes every fixture message', async () => {
    const fixtures = mimeFixtures()
    const accepted = await Promise.all(
      fixtures.map(({ raw }) =>
        sendMail(service.smtp, { from: 'any@remote.test', to: foreign.address, raw }).then(
          () => 1,
          () => 0,
        ),
      ),
    )
    const count = accepted.reduce((sum, each) => sum + each, 0)
    const inIndex = async () => {
      const segments = await ctx.store.searchSegments.find({ mailboxId: foreign.mailboxId }).toArray()
      return segments.reduce((sum, segment) => sum + segment.count, 0)
    }
    await eventually('all are indexed', async () => (await inIndex()) >= count)
    expect(service.logs()).not.to.match(/is not searched|(?:indexing|merging) failed/)
  })
})
