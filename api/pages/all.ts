/** All pages, and the files that they load. */
import type { Route } from '../routes.ts'
import { claimPages } from './claim.ts'
import { consentPages } from './consent.ts'
import { invitationPages } from './invitation.ts'
import { fileRoutes } from './page.ts'
import { resetPages } from './reset.ts'
import { approvalsPages } from './settings/approvals.ts'
import { developersPages } from './settings/developers.ts'
import { membersPages } from './settings/members.ts'
import { personalPages } from './settings/personal.ts'
import { programsPages } from './settings/programs.ts'
import { securityPages } from './settings/security.ts'
import { youPages } from './settings/you.ts'
import { signInPages } from './sign-in.ts'
import { signUpPages } from './sign-up.ts'
import { unsubscribeRoutes } from './unsubscribe.ts'
import { type PageOptions, type PageRoute, routesOf } from './visit.ts'

const pages: readonly PageRoute[] = [
  ...claimPages,
  ...consentPages,
  ...invitationPages,
  ...signInPages,
  ...signUpPages,
  ...resetPages,
  ...youPages,
  ...securityPages,
  ...approvalsPages,
  ...developersPages,
  ...programsPages,
  ...membersPages,
  ...personalPages,
]

export function pageRoutes(options: PageOptions): readonly Route[] {
  return [...fileRoutes(), ...unsubscribeRoutes, ...routesOf(pages, options)]
}
