import { expect } from 'chai'
import { administrator, type Principal } from '../../../core/access/principal.ts'
import { createAlias, deleteAlias } from '../../../core/mailbox/aliases.ts'
import { createMailbox } from '../../../core/mailbox/mailboxes.ts'
import { eventually } from '../../eventually.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Service, startService } from '../../start/haraka.ts'

describe('mail to aliases', () => {
  let service: Service
  let owner: Principal
  let domain: string
  let second: string

  before(async () => {
    service = await startService({ limits: { smtp: { hops: 5 } } })
    owner = administrator(service.principal.account)
    domain = service.address.split('@')[1] ?? ''
    second = `second@${domain}`
    await createMailbox(service.ctx, owner, { address: second })
  })
  after(() => service?.stop())

  let counter = 0
  const hand = async (to: readonly string[], header = '') => {
    const client = await SmtpClient.hello(service.smtp)
    const subject = `alias ${counter++}`
    const { text } = await client.send(to, `${header}Subject: ${subject}\r\n\r\nx\r\n`)
    client.destroy()
    return { text, subject }
  }
  const copies = async (subject: string) => {
    const found = await service.ctx.store.messages.find({ accountId: owner.accountId, subject }).toArray()
    return found.map(({ mailbox }) => mailbox).sort()
  }
  const alias = (name: string, targets: readonly string[]) => createAlias(service.ctx, owner, { alias: name, targets })
  const refused = async (address: string) => {
    const client = await SmtpClient.hello(service.smtp)
    await client.say('MAIL FROM:<a@elsewhere.test>')
    const { text } = await client.say(`RCPT TO:<${address}>`)
    client.destroy()
    return text
  }

  it('is stored in each mailbox once, however many of its addresses are named', async () => {
    await alias(`team@${domain}`, [service.address, second])
    const { text, subject } = await hand([`team@${domain}`, service.address, `team+x@${domain}`])
    expect(text).to.match(/^250 /)
    expect(await copies(subject)).to.deep.equal([service.address, second].sort())
  })

  it('finds the catch-all when nobody has the address, and the exact one when somebody has', async () => {
    await alias(`*@${domain}`, [second])
    const caught = await hand([`whoever@${domain}`])
    expect(await copies(caught.subject)).to.deep.equal([second])
    const exact = await hand([service.address.replace('@', '+tag@')])
    expect(await copies(exact.subject)).to.deep.equal([service.address])
    await deleteAlias(service.ctx, owner, `*@${domain}`)
    await eventually('nobody has it', async () => /^550 5\.1\.1 /.test(await refused(`whoever@${domain}`)))
  })

  const loops: readonly (readonly [string, () => string, RegExp])[] = [
    ['that was at the address before', () => `Delivered-To: TEAM@${domain}\r\n`, /^554 5\.4\.6 /],
    ['that was at another address of ours', () => `Delivered-To: <${second}>\r\n`, /^250 /],
    ['with as many hops as allowed', () => 'Received: x\r\n'.repeat(5), /^250 /],
    ['with one hop more', () => 'Received: x\r\n'.repeat(6), /^554 5\.4\.6 /],
  ]
  for (const [what, header, answer] of loops)
    it(`a message ${what}: ${answer.source}`, async () => {
      expect((await hand([`team@${domain}`], header())).text).to.match(answer)
    })

  it('is delivered only to those who do not have it yet, if it arrives again', async () => {
    const header = `Delivered-To: ${second}\r\n`
    const { text, subject } = await hand([second, service.address], header)
    expect(text).to.match(/^250 /)
    expect(await copies(subject)).to.deep.equal([service.address])
    expect((await hand([second], header)).text).to.match(/^554 5\.4\.6 /)
  })

  it('is refused at RCPT while one of the mailboxes is full', async () => {
    const { folders, mailboxes } = service.ctx.store
    const doc = await mailboxes.findOne({ address: second, accountId: owner.accountId })
    await folders.updateOne({ mailboxId: doc?._id ?? '', path: 'Archive' }, { $set: { bytes: 6 * 1024 ** 3 } })
    await eventually('it is full', async () => /^452 4\.2\.2 .*full/.test(await refused(`team@${domain}`)))
    expect(await refused(service.address)).to.match(/^250 /)
  })
})
