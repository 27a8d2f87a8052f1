import { stsLabel } from './sts-policy.ts'

/** Labels of the host names, each `<label>.<domain>`, at which the service answers for a domain of ours. */
export const servedLabels: readonly string[] = [stsLabel, 'autoconfig', 'autodiscover']
