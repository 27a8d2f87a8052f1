import { findPerson } from '../../store/people.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { signInChangedNotice } from './notices.ts'

/**
 * Begins work in the background, so that the time of the answer does not reveal whether an address is a person's. Failures are logged;
 * a person whose mail does not come asks again.
 */
export function afterwards(ctx: Context, work: () => Promise<void>): Promise<void> {
  return ctx.background.begin('people', () =>
    work().catch((error: unknown) => ctx.log.error({ err: error }, 'a mail to a person could not be sent')),
  )
}

/** Begins to notify a person by mail that a way to sign in was changed, in case somebody else changed it. */
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
