/** Puts files into Drive as the command line does. */
import { folderAt, putFile } from '../../core/drive/put.ts'
import type { Context } from '../../core/process/context.ts'

/** Puts a text into Drive at a path. Returns the id of the file. */
export async function putText(ctx: Context, accountId: string, at: string, text: string): Promise<string> {
  const path = at.split('/')
  const name = path.pop() ?? ''
  const content = Buffer.from(text)
  const { entry } = await putFile(
    ctx,
    { accountId, parentId: await folderAt(ctx, accountId, path) },
    {
      name,
      contentType: 'text/plain',
      sizeBytes: content.length,
      modifiedAt: ctx.clock.now(),
      source: text,
      read: async function* (from) {
        yield content.subarray(from)
      },
    },
  )
  return entry._id
}
