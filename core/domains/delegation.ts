/** What the zone above a domain says of the key that it is signed with, by its DS records. */
import { DnsError, isAbsent, type Records } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'

/** `new`: every resolver finds the record; `none`: all find none at all; `old`: one finds others alone; `unknown`: they do not agree. */
export type Delegation = 'new' | 'old' | 'none' | 'unknown'

/** Asks each resolver for the DS records of a domain, and looks for one with these data (RFC 4034 5.1). */
export async function delegationOf(ctx: Context, domain: string, ds: Buffer): Promise<Delegation> {
  const answers = (await ctx.resolver.askEach(domain, 'DS')).map((answer) => {
    if (answer instanceof DnsError) return isAbsent(answer) ? 'none' : 'unknown'
    if (answer.records.length === 0) return 'none'
    return answer.records.some((record) => dataOf(record).equals(ds)) ? 'new' : 'old'
  })
  if (answers.includes('old')) return 'old'
  const [first = 'unknown'] = answers
  return answers.every((each) => each === first) ? first : 'unknown'
}

function dataOf({ keyTag, algorithm, digestType, digest }: Records['DS']): Buffer {
  const head = Buffer.from([keyTag >> 8, keyTag & 0xff, algorithm, digestType])
  return Buffer.concat([head, digest])
}
