/**
 * The samples of the guides do what the guides say: each request with curl, the TypeScript and Python of each page, and each call of
 * a tool, against the door; an answer that is shown has the fields of the one that came.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { createKept } from '../../core/process/kept.ts'
import type { Verdict } from '../../core/receive/sender-verdict.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { connectMcp, type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { makePartner } from '../start/partners.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const python = process.env.MAILROOM_PYTHON ?? 'python3'

type Sample = { readonly info: string; readonly code: string }

const samplesOf = (markdown: string): readonly Sample[] =>
  [...markdown.matchAll(/^```(\S[^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', code = '']) => ({ info, code }))

/** A request of a page; what is left out (…) or needs another program is only read. */
const isRequest = ({ info, code }: Sample) => info === 'sh' && code.startsWith('curl ') && !code.includes('…')

/** What is known of a sender who publishes nothing. */
const unknownSender: Verdict = {
  authentication: {
    spf: 'none',
    dkim: [],
    dmarc: 'none',
    arc: 'none',
    alignedFrom: null,
    perhapsAligned: false,
    infos: [],
  },
  cuts: [],
  suspicion: null,
}

/** Guides, and the pages beside them that lead through something. */
const guides = globSync(['docs/guides/*.md', 'docs/domains.md', 'docs/partners.md', 'docs/webhooks.md'], { cwd: root })

describe('the samples of the guides', () => {
  let door: Door
  let tenant: Tenant
  let folder: string
  let environment: NodeJS.ProcessEnv
  let names: NameServer

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    folder = await mkdtemp(path.join(tmpdir(), 'mailroom-samples-'))
    // Of domains that are verified nothing is published.
    names = await startNameServer({})
    Object.assign(door.ctx, { resolver: createResolver([names.address], createKept(door.ctx.clock, answersPolicy)) })
    // Endpoints of the samples are names that nobody has.
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    environment = {
      ...process.env,
      ADDRESS: tenant.address,
      MAILROOM_API_KEY: tenant.key,
      PARTNER_KEY: (await makePartner(door, 'partner')).liveKey,
      PYTHONPATH: path.join(root, 'sdk/python'),
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const raw = (subject: string, text: string) =>
      `From: Shop <no-reply@shop.example>\nTo: ${tenant.address}\nSubject: ${subject}\nMessage-ID: <${subject.length}@shop.example>\n\n${text}\n`
    await deliver(door.ctx, {
      to: tenant.address,
      raw: raw('Your code', 'Your verification code is 482913.'),
      verdict: unknownSender,
    })
  })
  after(async () => {
    await door?.close()
    await names?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** The sample as a reader has it: with the address of the service and of the package. */
  const filledIn = (code: string) =>
    code
      .replaceAll('http://127.0.0.1:8080', door.http)
      .replaceAll("'mailroom-sdk'", `'${pathToFileURL(path.join(root, 'sdk/index.ts'))}'`)

  /** The fields that are shown and that the answer does not have; of a list the first entry counts. */
  function missing(shown: unknown, answer: unknown, at = ''): string[] {
    if (Array.isArray(shown))
      return Array.isArray(answer) && (shown.length === 0 || answer.length > 0)
        ? shown.length === 0
          ? []
          : missing(shown[0], answer[0], `${at}[0]`)
        : [at]
    if (shown === null || typeof shown !== 'object') return typeof answer === 'object' && answer !== null ? [at] : []
    if (answer === null || typeof answer !== 'object') return [at]
    return Object.entries(shown).flatMap(([name, value]) =>
      name in answer ? missing(value, (answer as Record<string, unknown>)[name], `${at}.${name}`) : [`${at}.${name}`],
    )
  }

  for (const guide of guides)
    it(guide, async () => {
      const samples = samplesOf(await readFile(path.join(root, guide), 'utf8'))
      for (const [n, sample] of samples.entries()) {
        if (isRequest(sample)) {
          const { stdout } = await run('bash', ['-c', filledIn(`set -e; ${sample.code}`)], { env: environment })
          const answer = JSON.parse(stdout) as { success: boolean }
          expect(answer.success, `${sample.code}\n${stdout}`).to.equal(true)
          const next = samples[n + 1]
          if (next?.info === 'json') expect(missing(JSON.parse(next.code), answer), stdout).to.deep.equal([])
        }
        if (sample.info === 'json tool') {
          const mcp = await connectMcp(door.http, tenant.key)
          const call = JSON.parse(sample.code) as { name: string; arguments: Record<string, unknown> }
          const withMailbox = { ...call, arguments: { mailbox: tenant.address, ...call.arguments } }
          const result = await mcp.callTool(withMailbox)
          await mcp.close()
          expect(result.isError ?? false, JSON.stringify(result.content)).to.equal(false)
        }
      }
      await runTypeScript(guide, samples)
    })

  it('the page on MCP connects programs without a key by the URL that the resource names, to the letter (RFC 9728 3.3)', async () => {
    const { baseUrl } = door.ctx
    const page = await readFile(path.join(root, 'docs/mcp.md'), 'utf8')
    const [, withoutKey = ''] = /^## Connecting without a key$([\s\S]*?)^## /m.exec(page) ?? []
    const urls = withoutKey.match(/https:\/\/mail\.example\.com[^\s"`]*/g) ?? []
    expect(urls).to.have.lengthOf.above(4)
    for (const url of new Set(urls)) {
      const { headers } = await fetch(url.replace('https://mail.example.com', door.http), { method: 'POST' })
      const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? []
      const { resource } = (await (await fetch(metadata.replace(baseUrl, door.http))).json()) as {
        readonly resource: string
      }
      expect(url).to.equal(resource.replace(baseUrl, 'https://mail.example.com'))
    }
  })

  /** The samples of a page are one program. */
  async function runTypeScript(guide: string, samples: readonly Sample[]): Promise<void> {
    const code = samples.filter(({ info }) => info === 'ts').map((sample) => filledIn(sample.code))
    if (code.length === 0) return
    const file = path.join(folder, `${guide.replace(/\W/g, '-')}.ts`)
    await writeFile(file, code.join('\n'))
    const { ADDRESS, MAILROOM_API_KEY } = process.env
    const { log } = console
    Object.assign(process.env, { ADDRESS: tenant.address, MAILROOM_API_KEY: tenant.key })
    console.log = () => undefined
    try {
      await import(pathToFileURL(file).href)
    } finally {
      console.log = log
      for (const [name, value] of Object.entries({ ADDRESS, MAILROOM_API_KEY }))
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    }
  }

  it('in TypeScript, as a strict compiler reads it', async () => {
    const compiled = path.join(folder, 'compiled')
    await mkdir(compiled)
    await writeFile(path.join(compiled, 'package.json'), '{"type": "module"}')
    const own = path.join(root, 'sdk/index.ts')
    for (const guide of guides) {
      const samples = samplesOf(await readFile(path.join(root, guide), 'utf8')).filter(({ info }) => info === 'ts')
      if (samples.length === 0) continue
      const code = samples.map((sample) => sample.code.replaceAll("'mailroom-sdk'", `'${own}'`)).join('\n')
      await writeFile(path.join(compiled, `${guide.replace(/\W/g, '-')}.ts`), code)
    }
    const given = [
      ...['--noEmit', '--strict', '--allowImportingTsExtensions', '--skipLibCheck', '--module', 'nodenext'],
      ...['--target', 'es2022', '--lib', 'es2023,dom,dom.asynciterable'],
      ...['--types', 'node', '--typeRoots', path.join(root, 'node_modules/@types')],
    ]
    const { stdout } = spawnSync('tsc', [...given, ...globSync('*.ts', { cwd: compiled })], {
      cwd: compiled,
      encoding: 'utf8',
    })
    expect(stdout).to.equal('')
  })

  it('in Python, where there is one with httpx', async function () {
    try {
      execFileSync(python, ['-c', 'import sys, httpx; assert sys.version_info >= (3, 11)'], { stdio: 'ignore' })
    } catch {
      console.log(`  skipped: ${python} is not there, is older than 3.11, or has no httpx`)
      this.skip()
    }
    for (const guide of guides) {
      const samples = samplesOf(await readFile(path.join(root, guide), 'utf8'))
      const code = samples.filter(({ info }) => info === 'python').map((sample) => filledIn(sample.code))
      if (code.length > 0) await run(python, ['-c', code.join('\n')], { env: environment })
    }
  })

  it('there are samples of each kind', async () => {
    const all = (await Promise.all(guides.map((guide) => readFile(path.join(root, guide), 'utf8')))).flatMap(samplesOf)
    expect(all.filter(isRequest).length).to.be.greaterThan(8)
    for (const kind of ['ts', 'python', 'json tool']) expect(all.map(({ info }) => info)).to.include(kind)
  })
})
