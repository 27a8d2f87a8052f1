/** The worker thread for large messages: it runs one job at a time, as `core/parsing/parsing.ts` sends them. */
import { parentPort } from 'node:worker_threads'
import { type DecodedAttachment, type JobName, jobs } from './jobs.ts'

parentPort?.on('message', async ({ name, input }: { name: JobName; input: { raw: Uint8Array } }) => {
  const { buffer, byteOffset, length } = input.raw
  const run = jobs[name] as (input: unknown) => unknown
  const result = await run({ ...input, raw: Buffer.from(buffer, byteOffset, length) })
  parentPort?.postMessage(result, name === 'content' ? ownMemory(result as DecodedAttachment | null) : [])
})

/** The memory of decoded content, to be transferred without a copy. */
function ownMemory(content: DecodedAttachment | null): ArrayBuffer[] {
  const { buffer, byteLength } = content?.bytes ?? {}
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}
