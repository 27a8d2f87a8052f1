/** A Koa application with a fixed answer for each route, which shows the cost of HTTP alone. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import { answerParent } from './child.ts'

export type KoaRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly status: number
  readonly body: string
}

answerParent(serve)

/** Serves the routes. Returns the address of the server. */
async function serve(routes: readonly KoaRoute[]): Promise<string> {
  const router = new Router()
  for (const { method, path, status, body } of routes)
    router.register(path, [method], async (koa) => {
      if (method === 'POST') for await (const _piece of koa.req);
      koa.status = status
      koa.type = 'application/json'
      koa.body = body
    })
  const server = createServer(new Koa().use(router.routes()).callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
