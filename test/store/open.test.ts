import { channel } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { isUnavailable, openStore, type Store } from '../../store/open.ts'
import { type Started, startEngine, url } from '../start/engine.ts'

const commands = 20
const patienceMs = 60_000

describe('store: open', () => {
  const sockets: Socket[] = []
  const used = (count: number) => Promise.all(Array.from({ length: count }, () => store.ping()))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const note = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket)
  let engine: Started
  let store: Store

  before(async () => {
    engine = await startEngine()
    channel('net.client.socket').subscribe(note)
    store = await openStore({ url: url(engine.socket), role: 'test' })
  })
  after(async () => {
    channel('net.client.socket').unsubscribe(note)
    await store?.close()
    await engine?.stop()
  })

  it('answers commands whose connections end just as they are written', async () => {
    await used(commands)
    cut()
    const outcomes = Promise.allSettled(Array.from({ length: commands }, () => store.ping()))
    const settled = await Promise.race([outcomes, sleep(patienceMs)])
    expect(settled).to.be.an('array', 'nothing was answered')
    await store.ping()
  })

  it('knows what is wrong when the connection of a bulk write ends', async () => {
    await used(1)
    cut()
    const all = { updateMany: { filter: { _id: 'nobody' }, update: { $set: { until: new Date() } } } }
    const outcome = await store.searchMerges.bulkWrite([all]).catch((error: unknown) => error)
    expect(outcome).to.be.an('error')
    expect(isUnavailable(outcome)).to.equal(true)
  })
})
