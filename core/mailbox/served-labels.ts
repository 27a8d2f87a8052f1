import { stsLabel } from './sts-policy.ts'

/** What a domain here serves under names of its own, each this label and the domain. */
export const servedLabels: readonly string[] = [stsLabel, 'autoconfig', 'autodiscover']
