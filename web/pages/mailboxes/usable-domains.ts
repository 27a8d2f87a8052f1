import { mailroom } from '../../app/client.ts'

/** Returns the account's own domains on which it may have mailboxes: those that are or were verified. */
export async function usableDomains(signal: AbortSignal): Promise<readonly string[]> {
  const { domains } = await mailroom.domains.list({ limit: 200 }, { signal })
  return domains.filter(({ status }) => status !== 'pending').map(({ domain }) => domain)
}
