import type { Context } from '../process/context.ts'

/**
 * Begins what must not show in the time of an answer: whether an address is known. What fails is logged; the person asks
 * again for a mail that does not come.
 */
export function afterwards(ctx: Context, work: () => Promise<void>): Promise<void> {
  return ctx.background.begin('people', () =>
    work().catch((error: unknown) => ctx.log.error({ err: error }, 'a mail to a person could not be sent')),
  )
}
