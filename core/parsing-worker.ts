/** The thread that reads large messages: one job at a time, as `core/parsing.ts` sends them. */
import { parentPort } from 'node:worker_threads'
import { type JobName, jobs } from './parsing-jobs.ts'

parentPort?.on('message', ({ name, input }: { name: JobName; input: { raw: Uint8Array } }) => {
  const { buffer, byteOffset, length } = input.raw
  const run = jobs[name] as (input: unknown) => unknown
  parentPort?.postMessage(run({ ...input, raw: Buffer.from(buffer, byteOffset, length) }))
})
