/** What the documentation tells administrators: each command is one of the program, each settings file is read. */
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { type CommandEntry, commands } from '../../cli/commands.ts'
import { loadSettings } from '../../cli/settings.ts'

const pages = ['README.md', ...globSync('docs/**/*.md')].map((page) => ({ page, text: readFileSync(page, 'utf8') }))
const fences = /^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm

const samplesOf = (text: string) => [...text.matchAll(fences)].map(([, kind = '', code = '']) => [kind, code] as const)

/** The commands of a page: those between backticks, and the lines of its samples, fenced or indented. */
function callsIn(text: string): readonly string[] {
  const indented = [...text.replace(fences, '').matchAll(/^ {4}(.*)$/gm)].map(([, line = '']) => line)
  const samples = [...samplesOf(text).flatMap(([, code]) => code.split('\n')), ...indented]
  const inline = [...text.replace(fences, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  return [...samples, ...inline].flatMap((line) => /^(?:npx )?mailroom ([a-z].*)$/.exec(line.trim())?.[1] ?? [])
}

/** What is wrong with a call as the documentation writes it; null: nothing. */
function faultOf(call: string): string | null {
  const tokens = (call.split(/\s#|\s[>|]\s/)[0] ?? '').match(/"[^"]*"|'[^']*'|(?:\$\([^)]*\)|\S)+/g) ?? []
  const entry = commands.findLast(({ call: own }) => wordsOf(own).every((word, n) => word === tokens[n]))
  if (entry === undefined) return 'no such command'
  const flags = (entry.options ?? []).map(({ flags: own }) => own.split(/[ ,]/)[0])
  const unknown = tokens.find((token) => token.startsWith('--') && !flags.includes(token))
  const cut = tokens.find((token) => /^[^"'$]*[&;?]/.test(token))
  if (cut !== undefined) return `a shell cuts ${cut}, which is not in quotes`
  return unknown === undefined ? tooMany(entry, tokens) : `no option ${unknown}`
}

const wordsOf = (call: string) => call.split(' ').filter((word) => /^[a-z]/.test(word))
const argumentsOf = (call: string) => call.split(' ').filter((word) => /^[<[]/.test(word))

function tooMany({ call, options = [] }: CommandEntry, tokens: readonly string[]): string | null {
  const takesValue = (flag = '') => options.some(({ flags }) => flags.startsWith(`${flag} <`))
  const given = tokens
    .slice(wordsOf(call).length)
    .filter((token, n, all) => !token.startsWith('--') && !takesValue(all[n - 1]))
  const own = argumentsOf(call)
  return own.at(-1)?.includes('...') || given.length <= own.length ? null : `more than ${own.length} arguments`
}

describe('what the documentation tells administrators', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailroom-administration-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('are commands of the program, with its options', () => {
    const calls = pages.flatMap(({ page, text }) => callsIn(text).map((call) => ({ page, call })))
    const faults = calls.flatMap(({ page, call }) => {
      const fault = faultOf(call)
      return fault === null ? [] : [`${page}: mailroom ${call}: ${fault}`]
    })
    expect(faults).to.deep.equal([])
    expect(calls.length).to.be.greaterThan(50)
  })

  it('are samples that run as they are copied: by npx, in the folder of the project', () => {
    const lines = pages.flatMap(({ page, text }) =>
      samplesOf(text).flatMap(([, code]) => code.split('\n').map((line) => `${page}: ${line}`)),
    )
    expect(lines.filter((line) => /: mailroom [a-z]/.test(line))).to.deep.equal([])
  })

  it('are settings', async () => {
    const files = pages.flatMap(({ text }) => samplesOf(text).filter(([kind]) => kind === 'yaml'))
    expect(files).not.to.deep.equal([])
    for (const [n, [, yaml]] of files.entries()) {
      const file = path.join(folder, `${n}.yaml`)
      await writeFile(file, yaml)
      expect(() => loadSettings({ file, env: {} }), yaml).not.to.throw()
    }
  })
})
