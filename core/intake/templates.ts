/** Lists of fields that are offered at set-up (interface.md, Lens field definition). */
import { type LensTemplate, lensTemplates } from '../../mail/lens/templates.ts'

/** The templates, in the order in which they are offered. */
export function listTemplates(): readonly LensTemplate[] {
  return lensTemplates
}
