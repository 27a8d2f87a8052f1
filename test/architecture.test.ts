import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

type Allowed = readonly string[] | 'everything'

const root = fileURLToPath(new URL('..', import.meta.url))
const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8')
const tables = importTables(architecture)
const folders = [...tables.folders.keys()].filter((folder) => existsSync(path.join(root, folder)))
const files = folders.flatMap((folder) => sources(folder))
const imports = new Map(files.map((file) => [file, localImports(file)]))

/** Reads the rows `| places | may import |` of the document; the second cell may also be `everything`, `nothing` or `nothing of ours`. */
function importTables(text: string): { folders: Map<string, Allowed>; rooms: Map<string, Allowed> } {
  const rows = [...text.matchAll(/^\| ([a-z, /]+) \| ([a-z, ]+) \|$/gm)].flatMap(([, names = '', allowed = '']) => {
    const may = allowed === 'everything' ? allowed : allowed.startsWith('nothing') ? [] : allowed.split(', ')
    return names.split(', ').map((name): [string, Allowed] => [name, may])
  })
  return {
    folders: new Map(rows.filter(([name]) => !name.includes('/'))),
    rooms: new Map(rows.filter(([name]) => name.includes('/'))),
  }
}

/** Returns the chains `Walk: file → file ⇢ file` of the document as pairs of adjacent files. */
function walksIn(text: string): { from: string; by: '→' | '⇢'; to: string }[][] {
  return [...text.matchAll(/^Walk: (.+(?:\n(?:→|⇢).+)*)$/gm)].map(([, chain = '']) => {
    const parts = chain.replaceAll('\n', ' ').split(/ (→|⇢) /)
    const names = parts.filter((_, n) => n % 2 === 0).map((name) => `${name.replaceAll('`', '').trim()}.ts`)
    return names.slice(1).map((to, n) => ({ from: names[n]!, by: parts[2 * n + 1] as '→' | '⇢', to }))
  })
}

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js|svelte)$/.test(file) && !file.includes('node_modules'))
    .map((file) => path.posix.join(folder, file))
}

function localImports(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const specifiers = text.matchAll(
    /^\s*(?:import|export)\b[^'"]*?\bfrom\s*['"](\.[^'"]+)['"]|^\s*import\s+['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/gm,
  )
  return [...specifiers].map(([, from, bare, dynamic]) =>
    path.posix.normalize(path.posix.join(path.posix.dirname(file), from ?? bare ?? dynamic ?? '')),
  )
}

/** Returns what the files of a place import from other places; `placeOf` returns the place of a file. */
function importsOf(place: string, placeOf: (file: string) => string): { file: string; target: string; to: string }[] {
  return files
    .filter((file) => file.startsWith(`${place}/`))
    .flatMap((file) => (imports.get(file) ?? []).map((target) => ({ file, target, to: placeOf(target) })))
    .filter(({ target }) => !target.startsWith(`${place}/`))
}

describe('architecture', () => {
  it('has import tables', () => {
    expect([...tables.folders.keys()]).to.include.members([
      'schemas',
      'mail',
      'store',
      'core',
      'operations',
      'api',
      'cli',
    ])
    expect([...tables.rooms.keys()]).to.include.members(['core/receive', 'mail/message', 'plugins/outbound/smtp'])
    expect(files.length).to.be.greaterThan(50)
  })

  for (const folder of folders) {
    it(`${folder} imports only what it may`, () => {
      const may = tables.folders.get(folder)
      const wrong = importsOf(folder, (file) => file.split('/')[0] ?? '').filter(
        ({ to }) => may !== 'everything' && !may?.includes(to),
      )
      expect(wrong).to.deep.equal([])
    })
  }

  for (const [room, may] of tables.rooms) {
    it(`${room} imports only what it may`, () => {
      const top = room.split('/')[0] ?? ''
      const roomOf = (file: string) => (file.split('/').length === 2 ? 'ground' : (file.split('/')[1] ?? ''))
      const wrong = importsOf(room, roomOf).filter(
        ({ target, to }) => target.startsWith(`${top}/`) && !may.includes(to),
      )
      expect(
        files.some((file) => file.startsWith(`${room}/`)),
        `${room} is there`,
      ).to.equal(true)
      expect(wrong).to.deep.equal([])
    })
  }

  for (const top of ['core', 'mail']) {
    it(`every file of ${top} lies in a room of the table`, () => {
      const ground = ['mail/limits.ts', 'mail/slices.ts', 'mail/domain.ts']
      const homeless = files
        .filter((file) => file.startsWith(`${top}/`) && !tables.rooms.has(path.posix.dirname(file)))
        .filter((file) => !ground.includes(file))
      expect(homeless).to.deep.equal([])
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

  describe('walks', () => {
    const walks = walksIn(architecture)

    it('lead along each of the paths', () => {
      const paths = architecture.slice(architecture.indexOf('## 3. Paths')).split(/^\*\*/m)
      const walked = paths.filter((text) => text.includes('\nWalk: ')).map((text) => text.slice(0, text.indexOf('.')))
      expect(walked).to.deep.equal([
        'Inbound message',
        'Send (REST, MCP, SMTP submission, batch, schedule: one function)',
        'Reports about our domains',
        'Webhook',
        'What a partner is told',
        'Automatic replies',
        'Intake',
        'Search',
        'Wait',
        'IMAP',
        'A domain',
        'DNS question',
        'The master key',
        'A database that moves',
        'A file of Drive',
        'Mail from elsewhere',
        'MCP tool call and REST request',
        'A program connects (OAuth)',
        'Dashboard',
        'Certificates',
        'The database, asked by many nodes',
      ])
    })

    for (const step of walks.flat()) {
      it(`${step.from} ${step.by} ${step.to}`, () => {
        expect(existsSync(path.join(root, step.from)), step.from).to.equal(true)
        expect(existsSync(path.join(root, step.to)), step.to).to.equal(true)
        expect(imports.get(step.from)?.includes(step.to) ?? false).to.equal(step.by === '→')
      })
    }
  })

  it('lists all per-process state at Context', () => {
    const text = readFileSync(path.join(root, 'core/process/context.ts'), 'utf8')
    const comment = text.slice(text.indexOf('a process has one of each'), text.indexOf('export type Context'))
    const listed = [...comment.matchAll(/\b[a-z]+\/[a-z-]+\b(?!\.ts)/g)].map(([name]) => `core/${name}.ts`)
    const makers = files.filter((file) => /= perProcess\(/.test(readFileSync(path.join(root, file), 'utf8')))
    expect([...new Set(listed)].filter((file) => !file.startsWith('core/core')).sort()).to.deep.equal(makers.sort())
  })

  it('only store imports the database driver', () => {
    const others = files.filter(
      (file) =>
        !/^(store|engine|cli|test)\//.test(file) &&
        /from '(mongodb|bson)'/.test(readFileSync(path.join(root, file), 'utf8')),
    )
    expect(others).to.deep.equal([])
  })

  it('has no folder or file for leftovers, such as utils', () => {
    const attics = files.filter((file) => /(^|\/)(utils?|helpers?|common)(\/|\.[jt]s$)/.test(file))
    expect(attics).to.deep.equal([])
  })

  describe('libraries', () => {
    const chapter = architecture.slice(architecture.indexOf('## 7. Libraries'))
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
      readonly devDependencies: Readonly<Record<string, string>>
    }
    /** The packages in the first column of the table under a heading. */
    const packagesUnder = (heading: string): string[] => {
      const [, rows = ''] = chapter.split(`\n| ${heading} | what it does here |\n|---|---|\n`)
      const first = rows.split('\n\n', 1).flatMap((table) => table.split('\n').map((row) => row.split('|')[1] ?? ''))
      return first.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    }

    it('lists every dependency, and none that is gone', () => {
      expect(packagesUnder('package')).to.have.members(Object.keys(dependencies))
    })

    it('lists every development dependency but types, and none that is gone', () => {
      const tools = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'))
      expect(packagesUnder('package of tests and tools')).to.have.members(tools)
    })

    it('points at files that are there', () => {
      const names = [...chapter.matchAll(/`([a-z]+\/[a-z/.-]+)`/g)].map(([, name = '']) => name)
      const missing = names.filter((name) => ![name, `${name}.ts`].some((file) => existsSync(path.join(root, file))))
      expect(names.length).to.be.greaterThan(20)
      expect(missing).to.deep.equal([])
    })
  })
})
