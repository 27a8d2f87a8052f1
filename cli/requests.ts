/** `mailroom request`: requests of people to the administrator. */
import { answerRequest, openRequests } from '../core/people/requests.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

export const list = withContext(async (ctx, io) => {
  print(io, ...(await openRequests(ctx)))
})

export const grant = withContext(async (ctx, io, requestId: string, answer: string | undefined) => {
  print(io, await answerRequest(ctx, { requestId, isGranted: true, answer: answer ?? '' }))
})

export const refuse = withContext(async (ctx, io, requestId: string, reason: string) => {
  print(io, await answerRequest(ctx, { requestId, isGranted: false, answer: reason }))
})
