import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../eventually.ts'
import { exit, launch, startEngine, temporaryFolder } from '../start/engine.ts'

describe('an engine that is left', () => {
  it('serves its clients until they have gone, and then goes', async () => {
    const [engine, other] = await Promise.all([startEngine(), startEngine()])
    engine.process.disconnect()
    // It looks for clients every 10 ms.
    for (let n = 0; n < 20; n++) {
      await engine.db.collection('c').insertOne({ written: 'late' })
      await delay(10)
    }
    expect(engine.process.exitCode).to.equal(null)
    // One whose clients stay goes when their time is over, and so after this one.
    other.process.disconnect()
    await engine.client.close()
    const leaving = [engine, other].map(async (each) => [await exit(each.process), each])
    expect(await Promise.race(leaving)).to.deep.equal([0, engine])
    await other.client.close()
    await Promise.all(leaving)
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
