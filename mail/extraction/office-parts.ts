/** How the parts of an Office Open XML package find each other (ECMA-376 part 2, 9.3: relationships). */
import path from 'node:path'
import type { Package } from './package.ts'
import { readXml } from './xml.ts'

/** `kind` is the last word of the relationship's type: `officeDocument`, `header`, `comments`. */
export type Relation = { readonly id: string; readonly kind: string; readonly target: string }

/** The parts to which a part refers, in order, with their names in the package; '' stands for the package itself. */
export async function relationsOf(parts: Package, of: string): Promise<readonly Relation[]> {
  const folder = path.posix.dirname(of)
  const relations: Relation[] = []
  const source = await parts.read(path.posix.join(folder, '_rels', `${path.posix.basename(of)}.rels`))
  if (source === null) return []
  readXml(source, {
    open(name, { Id = '', Type = '', Target = '', TargetMode }) {
      if (!name.endsWith('Relationship') || TargetMode === 'External') return
      const target = path.posix.join('/', Target.startsWith('/') ? '' : folder, Target).slice(1)
      relations.push({ id: Id, kind: Type.slice(Type.lastIndexOf('/') + 1), target })
    },
  })
  return relations
}

/** The main part of the package; null when it names none. */
export async function mainPartOf(parts: Package): Promise<string | null> {
  return (await relationsOf(parts, '')).find(({ kind }) => kind === 'officeDocument')?.target ?? null
}
