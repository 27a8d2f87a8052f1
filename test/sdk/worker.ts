/** The program in workerd, the runtime of Cloudflare Workers, as its simulator Miniflare starts it. */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { ProgramOptions } from './runtimes.ts'

/** What of Miniflare is used; npm installs it for this alone. */
type Miniflare = {
  dispatchFetch(url: string, init: RequestInit): Promise<Response>
  dispose(): Promise<void>
}
type MiniflareModule = { readonly Miniflare: new (options: object) => Miniflare }

const entry = `import * as sdk from './node_modules/mailroom-sdk/dist/esm/index.js'
import './node_modules/mailroom-sdk/dist/esm/testing.js'
import { use } from './program.js'
export default {
  async fetch(request) {
    try {
      return Response.json(await use(sdk, await request.json()))
    } catch (error) {
      return new Response(String(error.stack), { status: 500 })
    }
  },
}
`

/** Runs the program in a worker, which has no environment. `runtime` is the folder in which Miniflare is installed. */
export async function runInWorker({ runtime, folder, stage, key, domain }: WorkerOptions): Promise<unknown> {
  const { Miniflare } = createRequire(path.join(runtime, 'package.json'))('miniflare') as MiniflareModule
  const files = globSync(path.join(folder, 'node_modules/mailroom-sdk/dist/esm/**/*.js'))
  const modules = [...files, path.join(folder, 'program.js')].map(async (file) => ({
    type: 'ESModule',
    path: file,
    contents: await readFile(file, 'utf8'),
  }))
  const worker = new Miniflare({
    modulesRoot: folder,
    modules: [
      { type: 'ESModule', path: path.join(folder, 'worker.js'), contents: entry },
      ...(await Promise.all(modules)),
    ],
    // The newest behaviour that the installed workerd has.
    compatibilityDate: compatibilityDate(runtime),
  })
  try {
    const body = JSON.stringify({ ...stage, key, domain, hasEnvironment: false })
    const answer = await worker.dispatchFetch('http://worker.example/', { method: 'POST', body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return JSON.parse(text)
  } finally {
    await worker.dispose()
  }
}

type WorkerOptions = Omit<ProgramOptions, 'file'> & { readonly runtime: string }

/** A version of workerd names the day up to which its behaviour is known: 1.20260426.1. */
function compatibilityDate(runtime: string): string {
  const require = createRequire(createRequire(path.join(runtime, 'package.json')).resolve('miniflare'))
  const { version } = require('workerd/package.json') as { readonly version: string }
  return version.replace(/^\d+\.(\d{4})(\d\d)(\d\d)\..*$/, '$1-$2-$3')
}
