/** A Haraka plugin for bench/haraka-alone.ts: it accepts every recipient, and appends each message to the file `mail`. */
import { fdatasync, openSync, write } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Connection, Plugin } from '../../plugins/haraka.d.ts'
import { accept, hook } from '../../plugins/hook.ts'

const file = openSync(path.join(process.env.HARAKA ?? '.', 'mail'), 'a')
const [append, sync] = [promisify(write), promisify(fdatasync)]

export function register(this: Plugin): void {
  this.register_hook('rcpt', 'take')
  this.register_hook('queue', 'keep')
}

export const take = hook(() => accept())

/** queue: answers once the message is on disk. */
export const keep = hook(async ({ transaction }: Connection) => {
  const { message_stream: stream } = transaction as unknown as { message_stream: MessageStream }
  await append(file, await new Promise<Buffer>((resolve) => stream.get_data(resolve)))
  await sync(file)
  return accept()
})

type MessageStream = { get_data(done: (data: Buffer) => void): void }
