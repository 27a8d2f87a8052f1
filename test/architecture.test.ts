import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const root = fileURLToPath(new URL('..', import.meta.url))
const table = importTable(readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'))
const folders = [...table.keys()].filter((folder) => readdirSync(root).includes(folder))
const files = folders.flatMap((folder) => sources(folder))
const imports = new Map(files.map((file) => [file, localImports(file)]))

/** The rows `| folders | may import |` of the document; `everything` and `nothing of ours` are words. */
function importTable(text: string): Map<string, readonly string[] | 'everything'> {
  const rows = text.matchAll(/^\| ([a-z, ]+) \| ([a-z, ]+) \|$/gm)
  return new Map(
    [...rows].flatMap(([, names = '', allowed = '']) => {
      const may = allowed === 'everything' ? allowed : allowed === 'nothing of ours' ? [] : allowed.split(', ')
      return names.split(', ').map((name): [string, readonly string[] | 'everything'] => [name, may])
    }),
  )
}

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js)$/.test(file) && !file.includes('node_modules'))
    .map((file) => path.posix.join(folder, file))
}

function localImports(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const specifiers = text.matchAll(
    /^(?:import|export)\b[^'"]*?\bfrom\s*['"](\.[^'"]+)['"]|^import\s+['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm,
  )
  return [...specifiers].map(([, from, bare, dynamic]) =>
    path.posix.normalize(path.posix.join(path.posix.dirname(file), from ?? bare ?? dynamic ?? '')),
  )
}

describe('architecture', () => {
  it('has an import table', () => {
    expect([...table.keys()]).to.include.members([
      'schemas',
      'mail',
      'store',
      'core',
      'operations',
      'api',
      'plugins',
      'cli',
    ])
    expect(files.length).to.be.greaterThan(50)
  })

  for (const folder of folders) {
    it(`${folder} imports only what it may`, () => {
      const may = table.get(folder)
      const wrong = files
        .filter((file) => file.startsWith(`${folder}/`))
        .flatMap((file) =>
          (imports.get(file) ?? []).map((target) => ({ file, target, folder: target.split('/')[0] ?? '' })),
        )
        .filter(({ folder: target }) => target !== folder && may !== 'everything' && !may?.includes(target))
      expect(wrong).to.deep.equal([])
    })
  }

  it('has no import cycles', () => {
    const cycles: string[][] = []
    const done = new Set<string>()
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file])
      else if (!done.has(file)) for (const target of imports.get(file) ?? []) visit(target, [...trail, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(cycles).to.deep.equal([])
  })

  it('only store imports the database driver', () => {
    const others = files.filter(
      (file) =>
        !/^(store|engine|cli|test)\//.test(file) &&
        /from '(mongodb|bson)'/.test(readFileSync(path.join(root, file), 'utf8')),
    )
    expect(others).to.deep.equal([])
  })

  it('has no attic', () => {
    const attics = files.filter((file) => /(^|\/)(utils?|helpers?|common)(\/|\.[jt]s$)/.test(file))
    expect(attics).to.deep.equal([])
  })
})
