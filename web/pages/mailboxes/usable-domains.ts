import { mailroom } from '../../app/client.ts'

/** The names on which the account may have mailboxes. */
export async function usableDomains(signal: AbortSignal): Promise<readonly string[]> {
  const { domains } = await mailroom.domains.list({ limit: 200 }, { signal })
  return domains.filter(({ status }) => status !== 'pending').map(({ domain }) => domain)
}
