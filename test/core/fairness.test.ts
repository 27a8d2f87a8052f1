import { expect } from 'chai'
import { claimAttempts } from '../../core/outbox.ts'
import { returnPathOf } from '../../core/return-path.ts'
import { newId } from '../../schemas/ids.ts'
import type { OutboxDoc } from '../../store/documents/sending.ts'
import { insertOutbox } from '../../store/outbox.ts'
import { type Door, openDoor } from '../api/door.ts'

const backlog = 10_000
const perClaim = 50

describe('accounts take turns', () => {
  let door: Door

  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  const row = (accountId: string, at: Date): OutboxDoc => {
    const emailId = newId('em', at)
    return {
      ...{ _id: `${emailId}#0`, accountId, emailId, n: 0, recipient: 'a@remote.example' },
      sender: returnPathOf(door.ctx, { emailId, n: 0 }, 'agent@ours.example'),
      ...{ messageIdHeader: `${emailId}@ours.example`, blob: { id: newId('blb', at), chunks: 1, sizeBytes: 1 } },
      ...{ notBefore: at, createdAt: at, lease: null, attempts: 0, attempting: false },
    }
  }

  it(`a send is claimed at once, with ${backlog} of another account before it`, async () => {
    const { ctx } = door
    const [big, small] = [newId('acc', new Date()), newId('acc', new Date())]
    const long = new Date(Date.now() - 60_000)
    const rows = Array.from({ length: backlog }, () => row(big, long))
    for (let n = 0; n < backlog; n += 1_000) await insertOutbox(ctx.store, rows.slice(n, n + 1_000))
    const claim = () => claimAttempts(ctx, { owner: 'test', max: perClaim })
    expect((await claim()).map(({ accountId }) => accountId)).to.deep.equal(Array.from({ length: perClaim }, () => big))
    await insertOutbox(ctx.store, [row(small, new Date())])
    const owners = (await claim()).map(({ accountId }) => accountId)
    expect(owners.filter((owner) => owner === small)).to.have.length(1)
  })
})
