import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { limits } from '../../engine/limits.ts'
import { eventually } from '../eventually.ts'
import { exit, launch, startEngine, temporaryFolder } from '../start/engine.ts'

describe('an engine that is left', () => {
  it('serves its clients until they have gone, and then goes', async () => {
    const engine = await startEngine()
    const leftAt = performance.now()
    engine.process.disconnect()
    // It looks for clients every 10 ms.
    for (let n = 0; n < 30; n++) {
      await engine.db.collection('c').insertOne({ written: 'late' })
      await delay(10)
    }
    expect(engine.process.exitCode).to.equal(null)
    await engine.client.close()
    expect(await exit(engine.process)).to.equal(0)
    // When the time for those who stay is over, it stops whoever is there.
    expect(performance.now() - leftAt).to.be.lessThan(limits.orphanMs)
  })

  it('is waited for by the next one, which says so', async () => {
    const dir = temporaryFolder()
    const first = await startEngine({ dir })
    const second = launch(dir, join(dir, 'second.sock'), ['--lock-wait-ms', '120000'])
    let text = ''
    second.stderr?.on('data', (chunk) => {
      text += chunk
    })
    await eventually('it says so', () => text.includes('the data folder is in use: waiting'))
    const ready = once(second, 'message')
    await first.stop()
    expect((await ready)[0]).to.deep.equal({ ready: true })
    second.send({ stop: true })
    expect(await exit(second)).to.equal(0)
  })
})
