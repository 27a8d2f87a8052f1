import { expect } from 'chai'
import { MongoNetworkError } from 'mongodb'
import { beginIdempotent } from '../../../core/access/idempotency.ts'
import { newId } from '../../../schemas/ids.ts'
import { eventually } from '../../eventually.ts'
import { type Door, openDoor } from '../../start/door.ts'

describe('idempotency marks', () => {
  let door: Door
  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  it('are released once the database is back, so that a repeat need not wait', async () => {
    const { ctx } = door
    const { idempotency } = ctx.store
    let failures = 2
    const updateOne = async (...args: Parameters<typeof idempotency.updateOne>) => {
      if (failures > 0) {
        failures -= 1
        throw new MongoNetworkError('the connection is gone')
      }
      return idempotency.updateOne(...args)
    }
    const unlucky = { ...ctx.store, idempotency: Object.assign(Object.create(idempotency), { updateOne }) }
    const request = { accountId: newId('acc', new Date()), keyId: 'key_1', path: '/', key: 'once', fingerprint: 'same' }
    const first = await beginIdempotent({ ...ctx, store: unlucky }, request)
    if (first.done) throw new Error('It was done before it began.')
    await first.release()
    const again = () => beginIdempotent(ctx, request).catch((error: { code: string }) => error.code)
    expect(await again()).to.equal('idempotency_in_progress')
    const second = await eventually('a repeat goes on', async () => {
      const answer = await again()
      return typeof answer === 'string' ? null : answer
    })
    expect(second).to.include({ done: false, onceId: first.onceId })
  })
})
