/** Which key of a zone the DS records in the parent zone name. */
import { DnsError, isAbsent, type Records } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'

/** `new`: every resolver finds the record; `none`: all find no DS record; `old`: one finds only other records; `unknown`: they disagree. */
export type Delegation = 'new' | 'old' | 'none' | 'unknown'

/** Queries each resolver for the DS records of a domain, and looks for one with this data (RFC 4034 5.1). */
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
