/** The parts of the service that can run alone; the database runs whenever one of them needs it. */
import { unknown } from '../schemas/refusals.ts'

export const partNames = ['api', 'jobs', 'smtp', 'imap', 'dns'] as const
export type PartName = (typeof partNames)[number]

/** Reads a comma-separated list. Fails with `validation_error`. */
export function partsOf(list: string): PartName[] {
  return list.split(',').map((item) => {
    const part = partNames.find((known) => known === item.trim())
    if (part === undefined) throw unknown('part', item.trim(), partNames)
    return part
  })
}
