/** Runs the scenarios for authorization servers of the protocol's conformance suite against ours; a scripted person consents. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { allowAll, ask, sendJson } from '../peers/oauth.ts'
import { makeTenant, openDoor } from '../start/door.ts'
import { newPerson } from '../start/people.ts'
import { newest, report, runPackage, scenariosIn } from './mcp.ts'

/** Runs both scenarios. Returns 0 if they passed. */
export async function run(): Promise<number> {
  const door = await openDoor({ isNamed: true })
  const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'))
  try {
    const { accountId } = await makeTenant(door, { name: 'conformance' })
    const { cookie } = await newPerson(door, { accountId })
    const { baseUrl } = door.ctx
    const port = await freePort()
    const { body } = await sendJson(`${baseUrl}/oauth/register`, {
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
    })
    const settings = { url: baseUrl, 'client-id': body.client_id, resource: `${baseUrl}/api/mcp`, port }
    const given = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    const args = ['authorization', ...given, '--output-dir', folder]
    const output = await runPackage(newest, args, (text) => {
      const asked = /^http\S+\/oauth\/authorize\?\S+/m.exec(text)
      if (asked !== null) void allowAll(cookie, asked[0]).then((told) => ask(told.href))
    })
    const scenarios = await scenariosIn(folder)
    if (scenarios.length !== 2) throw new Error(`Not both were run: ${output}`)
    return report({ name: 'authorization server', notApplicable: {} }, scenarios) === 0 ? 0 : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
    await door.close()
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
