import { findPerson } from '../../store/people.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { signInChangedNotice } from './notices.ts'

/**
 * Begins what must not show in the time of an answer: whether an address is known. What fails is logged; the person asks
 * again for a mail that does not come.
 */
export function afterwards(ctx: Context, work: () => Promise<void>): Promise<void> {
  return ctx.background.begin('people', () =>
    work().catch((error: unknown) => ctx.log.error({ err: error }, 'a mail to a person could not be sent')),
  )
}

/** Begins to tell a person by mail that a way to sign in was changed, in case it was somebody else. */
export function tellChange(
  ctx: Context,
  personId: string,
  change: Parameters<typeof signInChangedNotice>[1],
): Promise<void> {
  return afterwards(ctx, async () => {
    const person = await findPerson(ctx.store, personId)
    if (person !== null) await sendNotice(ctx, signInChangedNotice(person.email, change, ctx.baseUrl))
  })
}
