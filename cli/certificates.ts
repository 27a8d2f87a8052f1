/** `mailroom certificates`. */
import { certificateStates, renewNow } from '../core/certificates/overview.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

type Options = { readonly renew?: string }

export const certificates = withContext(async (ctx, io, { renew }: Options) => {
  if (renew !== undefined) await renewNow(ctx, renew)
  print(io, ...(await certificateStates(ctx)))
})
