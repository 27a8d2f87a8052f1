import type { StsPolicies } from '../../../core/deliver/mta-sts.ts'

/** Policies for tests: every domain enforces one that names these servers; null: no domain has one. */
export function stsNaming(servers: readonly string[] | null): StsPolicies {
  return {
    enforced: async () => servers,
    reported: async () =>
      servers === null ? null : { mode: 'enforce', servers, maxAgeSeconds: 86_400, problem: null },
  }
}
