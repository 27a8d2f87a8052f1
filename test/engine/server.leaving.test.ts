import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { exit, launch, startEngine, temporaryFolder } from '../start/engine.ts'

describe('an engine that is left', () => {
  it('serves its clients until they have gone, and then goes', async () => {
    const engine = await startEngine()
    engine.process.disconnect()
    await delay(200)
    await engine.db.collection('c').insertOne({ written: 'late' })
    expect(engine.process.exitCode).to.equal(null)
    await engine.client.close()
    const closedAt = Date.now()
    expect(await exit(engine.process)).to.equal(0)
    expect(Date.now() - closedAt).to.be.lessThan(1_500)
  })

  it('is waited for by the next one, which says so', async () => {
    const dir = temporaryFolder()
    const first = await startEngine({ dir })
    const second = launch(dir, join(dir, 'second.sock'), ['--lock-wait-ms', '20000'])
    let text = ''
    second.stderr?.on('data', (chunk) => {
      text += chunk
    })
    for (const until = Date.now() + 4_000; !text.includes('in use') && Date.now() < until; ) await delay(20)
    expect(text).to.match(/the data folder is in use: waiting/)
    const ready = once(second, 'message')
    await first.stop()
    expect((await ready)[0]).to.deep.equal({ ready: true })
    second.send({ stop: true })
    expect(await exit(second)).to.equal(0)
  })
})
