/** A service with an account whose Drive is empty, and the command line on it; the memory of both is watched. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Mailroom } from '../../sdk/index.ts'
import { type Memory, watchMemory } from '../memory.ts'
import { makeTenant } from './door.ts'
import { inContext, startService } from './service.ts'

const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))

export type DriveService = Awaited<ReturnType<typeof startDriveService>>
export type Running = { readonly child: ChildProcess; readonly ended: Promise<Ended> }
export type Ended = {
  readonly code: number | null
  readonly record: Readonly<Record<string, unknown>>
  readonly err: string
}

export async function startDriveService() {
  let service = await startService()
  const other = await inContext(service, (ctx) => makeTenant({ ctx, http: service.http }, { name: 'other' }))
  const tenant = await inContext(service, (ctx) => makeTenant({ ctx, http: service.http }, { name: 'tenant' }))
  const memory: Memory[] = []
  let watched = watchMemory(service.process.pid ?? 0)

  function command(verb: 'put' | 'remove', what: string): Running {
    const child = spawn(process.execPath, [bin, 'drive', verb, tenant.accountId, what], {
      env: { ...process.env, MAILROOM_DATA: service.data },
    })
    const looking = watchMemory(child.pid ?? 0)
    let [out, err] = ['', '']
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString()
    })
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString()
    })
    const ended = once(child, 'close').then(([code]): Ended => {
      looking.stop()
      const peaks = looking.seen().map(({ peakMb }) => peakMb)
      memory.push({ name: `drive ${verb}`, idleMb: idleOfCommandMb, peakMb: Math.max(...peaks) })
      return { code: code as number | null, record: out === '' ? {} : JSON.parse(out), err }
    })
    return { child, ended }
  }

  let idleOfCommandMb = Number.NaN
  return {
    service: () => service,
    tenant,
    other,
    command,
    /** Starts to count growth of memory. */
    isIdle() {
      idleOfCommandMb = Math.max(...memory.splice(0).map(({ peakMb }) => peakMb))
      watched.stop()
      watched = watchMemory(service.process.pid ?? 0)
    },
    memory: () => [...memory, ...watched.seen()],
    mail: () => new Mailroom({ apiKey: tenant.key, baseUrl: service.http }),
    async usedBytes() {
      return (await this.mail().usage.get()).storage.used
    },
    /** Kills the first process; all others end with it. */
    async kill() {
      const exited = once(service.process, 'exit')
      service.process.kill('SIGKILL')
      await exited
    },
    async startAgain() {
      service = await startService({ data: service.data })
      watched.stop()
      memory.push(...watched.seen())
      watched = watchMemory(service.process.pid ?? 0)
    },
    async dispose() {
      watched.stop()
      await service.dispose()
    },
  }
}
