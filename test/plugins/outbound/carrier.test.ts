import { expect } from 'chai'
import type { Attempt } from '../../../core/deliver/attempt.ts'
import { createCarrier } from '../../../plugins/outbound/carrier.ts'
import { anyTlsPolicy } from '../../../plugins/outbound/tls-policy.ts'
import { threadMs } from '../../processor-time.ts'
import { type Door, openDoor } from '../../start/door.ts'

describe('the carrier', function () {
  this.timeout(120_000)
  let door: Door

  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  it('takes a further server in the same time, however many are in backoff', async () => {
    const carrier = createCarrier(door.ctx)
    const attempt = { sender: 'a@us.test', recipient: 'b@remote.test', domain: 'remote.test' } as Attempt
    const raw = Buffer.from('Subject: x\r\n\r\nx\r\n')
    let servers = 0
    /** Sends to so many servers that cannot be reached. Returns the processor time of it. */
    const sendTo = async (count: number): Promise<number> => {
      const began = threadMs()
      for (let left = count; left > 0; left -= 100)
        await Promise.all(
          Array.from({ length: 100 }, () => {
            servers += 1
            const route = { name: `mx${servers}.test`, address: '127.0.0.1', port: 1 }
            return carrier.send(attempt, raw, { route, policy: anyTlsPolicy })
          }),
        )
      return threadMs() - began
    }
    await sendTo(8_000)
    const few = await sendTo(2_000)
    // Looking at all servers for each further one takes fifteen times as long.
    expect(await sendTo(2_000)).to.be.below(5 * few)
    carrier.close()
  })
})
