import { expect } from 'chai'
import { logIn } from '../../core/account/login.ts'
import type { Context } from '../../core/process/context.ts'
import { submit } from '../../core/send/submit.ts'
import { findUsageOf } from '../../store/usage.ts'
import { hangAt } from '../peers/database-proxy.ts'
import { type Nodes, openNodes } from '../start/nodes.ts'

describe('a node that hangs or ends during a submission', () => {
  let nodes: Nodes
  let { door, tenant, proxy, node, later } = {} as Nodes
  let letters = 0

  before(async () => {
    nodes = await openNodes()
    ;({ door, tenant, proxy, node, later } = nodes)
  })
  afterEach(() => proxy?.follow(null))
  after(() => nodes?.close())

  function newLetter() {
    const to = `ada${++letters}@remote.example`
    const raw = Buffer.from(
      `From: ${tenant.address}\r\nTo: ${to}\r\nSubject: Once\r\nMessage-ID: <${letters}@x.example>\r\n\r\nHi\r\n`,
    )
    return { raw, reversePath: tenant.address, recipients: [to], peerAddress: '127.0.0.1' }
  }
  async function submitOn(ctx: Context, letter: ReturnType<typeof newLetter>) {
    const login = await logIn(ctx, {
      user: tenant.address,
      password: tenant.key,
      scope: 'mail:send',
      peerAddress: letter.peerAddress,
    })
    return submit(ctx, login, letter)
  }
  /** Returns the account's count of sends in the month, and how many allowances are open. */
  async function sentInMonth() {
    const found = await findUsageOf(door.ctx.store, `${tenant.accountId}:`)
    const month = found.find(({ _id }) => /:\d{4}-\d{2}$/.test(_id))
    return { sent: month?.counts.sent ?? 0, open: month?.open?.length ?? 0 }
  }
  const sendsTo = ({ recipients: [to] }: ReturnType<typeof newLetter>) =>
    door.ctx.store.emails.countDocuments({ accountId: tenant.accountId, 'recipients.email': to! })

  it('uses no allowance and sends nothing when another node has taken it over and it ends right after', async () => {
    await submitOn(node.ctx, newLetter())
    await node.ctx.background.done()
    const [letter, before] = [newLetter(), await sentInMonth()]
    const { wake, hanging } = hangAt(proxy, (name) => name === 'bulkWrite')
    const hung = submitOn(node.ctx, letter).catch((error: unknown) => error)
    await hanging
    const { id } = await submitOn(later.ctx, letter)
    proxy.follow(() => ({ kind: 'cut', done: false }))
    wake()
    expect(await hung).to.be.instanceOf(Error)
    expect(await sendsTo(letter)).to.equal(1)
    expect(await sentInMonth()).to.deep.equal({ sent: Number(before.sent) + 1, open: 0 })
    expect(await submitOn(later.ctx, letter)).to.deep.equal({ id, isWaiting: false })
  })

  it('stores the answer for a repeat together with the send', async () => {
    await submitOn(node.ctx, newLetter())
    await node.ctx.background.done()
    const letter = newLetter()
    const { promise: until, resolve: wake } = Promise.withResolvers<void>()
    let isCommitted = false
    proxy.follow((name, _, message) => {
      if (isCommitted) return { kind: 'delay', until }
      // Other writes may come first, because writes that nobody waits for are made a moment later.
      isCommitted = name === 'bulkWrite' && message.includes('.emails\0')
      return null
    })
    const { id } = await submitOn(node.ctx, letter)
    expect(await submitOn(door.ctx, letter)).to.deep.equal({ id, isWaiting: false })
    expect(await sendsTo(letter)).to.equal(1)
    wake()
  })
})
