import { lookup } from 'node:dns/promises'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { expect } from 'chai'
import ipaddr from 'ipaddr.js'
import { closeContext } from '../../core/process/context.ts'
import { eventually } from '../eventually.ts'
import { client } from '../peers/rest.ts'
import { makeTenant } from '../start/door.ts'
import { contextOf, type Service } from '../start/service.ts'
import { useSharedService } from '../start/shared-service.ts'

describe('webhooks to host names', () => {
  let service: Service
  useSharedService((shared) => {
    service = shared.service
  })

  it('that resolve to private addresses are not connected to', async function () {
    const name = await privateName()
    if (name === null) return this.skip()
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as { port: number }
    const ctx = await contextOf(service)
    try {
      const tenant = await makeTenant({ ctx, http: service.http }, { name: 'names' })
      const call = client(service.http, tenant.key)
      const made = await call<{ id: string }>('POST', '/api/v1/webhooks', {
        url: `https://${name}:${port}/x`,
        events: ['mailbox.created'],
      })
      expect(made.status).to.equal(201)
      await call('POST', '/api/v1/mailboxes', { address: 'new@names.example' })
      const attempt = await eventually('an attempt', async () => {
        const delivery = await ctx.store.deliveries.findOne({ webhookId: made.body.id })
        return delivery?.attempts[0]
      })
      expect(attempt.error).to.contain('does not resolve to a public address')
      expect(connections).to.equal(0)
    } finally {
      await closeContext(ctx)
      server.close()
    }
  })

  /** A host name that is allowed in a webhook URL but resolves only to private addresses of this machine. */
  async function privateName(): Promise<string | null> {
    for (const name of [hostname(), 'ip6-localhost', 'ip6-loopback', 'localhost.localdomain']) {
      const found = await lookup(name, { all: true }).catch(() => [])
      if (found.length > 0 && found.every(({ address }) => ipaddr.process(address).range() !== 'unicast')) return name
    }
    return null
  }
})
