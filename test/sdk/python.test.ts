/** The Python package against the service, where there is a Python with httpx (MAILROOM_PYTHON, else python3). */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { signatureHeaders, signingSecret } from '../../core/notify/signature.ts'
import { type Fault, type FaultyGateway, openFaultyGateway } from '../peers/faulty-gateway.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { verdict } from './stage.ts'

const python = process.env.MAILROOM_PYTHON ?? 'python3'
const folder = fileURLToPath(new URL('../../sdk/python', import.meta.url))

/** Reads the types of all methods, in the module and the class where they are written, as a type checker does. */
const readTypes = `
import inspect, json, typing
from mailroom_sdk import attachment
from mailroom_sdk.async_transport import AsyncPageList
from mailroom_sdk.generated import async_groups, groups, types
from mailroom_sdk.transport import PageList

read = 0
returned = []
items = []
for module in (groups, async_groups):
    for group in vars(module).values():
        if not inspect.isclass(group) or group.__module__ != module.__name__:
            continue
        for method in vars(group).values():
            if not inspect.isfunction(method):
                continue
            for form in (method, *typing.get_overloads(method)):
                told = typing.get_type_hints(form, vars(module), vars(group)).get("return")
                read += 1
                if typing.get_origin(told) in (PageList, AsyncPageList):
                    page, item = typing.get_args(told)
                    fields = typing.get_type_hints(page, vars(types))
                    items.append(list[item] in fields.values())
for form in typing.get_overloads(groups.MailboxesMessages.send):
    told = typing.get_type_hints(form)["return"]
    returned.append(" | ".join(each.__name__ for each in typing.get_args(told) or (told,)))
taken = typing.get_args(typing.get_args(types.AttachmentsInput)[0])
made = typing.get_type_hints(attachment)["return"] in taken
before = typing.get_type_hints(groups.MailboxesMessages.list, vars(groups))["before"]
takes_null = type(None) in typing.get_args(before)
print(json.dumps({"items": items, "takesNull": takes_null, "send": returned, "attachment": made, "read": read}))
`

/** Why the tests cannot run; null when they can. */
function missing(): string | null {
  try {
    execFileSync(python, ['-c', 'import sys, httpx; assert sys.version_info >= (3, 11)'], { stdio: 'ignore' })
    return null
  } catch {
    return `skipped: ${python} is not there, is older than 3.11, or has no httpx`
  }
}

it('sdk: what is written for Python has no words of JSON', () => {
  for (const name of globSync('mailroom_sdk/generated/*.py', { cwd: folder }))
    expect(readFileSync(path.join(folder, name), 'utf8'), name).to.not.match(/\[[^\]\n]*\b(?:null|true|false)\b/)
})

it('sdk: what is written for Python is Python, where there is one', function () {
  const known = spawnSync(python, ['--version'])
  if (known.status !== 0) {
    console.log(`  skipped: ${python} is not there`)
    this.skip()
  }
  const parse = 'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)'
  const files = globSync('mailroom_sdk/**/*.py', { cwd: folder })
  expect(files).to.include('mailroom_sdk/generated/groups.py')
  const { status, stderr } = spawnSync(python, ['-c', parse, ...files], { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).to.equal(0)
})

describe('sdk: the Python package', () => {
  let door: Door
  let tenant: Tenant
  let gateway: FaultyGateway

  before(async function () {
    const why = missing()
    if (why !== null) {
      console.log(`  ${why}`)
      this.skip()
    }
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    gateway = await openFaultyGateway(door.http)
  })
  after(async () => {
    await gateway?.close()
    await door?.close()
  })

  /** Runs a scenario, and does what it asks for: has mail arrive, cuts connections. Returns what it said at last. */
  async function run(scenario: string, input = ''): Promise<string> {
    const given = [path.join(folder, 'tests/scenarios.py'), scenario, gateway.http, tenant.key, tenant.address]
    const child = spawn(python, given, { env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' } })
    if (input !== '') child.stdin.end(input)
    const said: string[] = []
    child.stderr.on('data', (text: Buffer) => said.push(String(text)))
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{')) return line
      const { cut, to, subject, text }: { cut?: true; to: string; subject: string; text: string } = JSON.parse(line)
      if (cut === true) {
        gateway.next('cut', { status: 503 })
        gateway.cut()
        child.stdin.write('cut\n')
        continue
      }
      await deliver(door.ctx, { to, raw: `From: shop@remote.example\nSubject: ${subject}\n\n${text}\n`, verdict })
    }
    return said.join('')
  }

  const body = JSON.stringify({ id: 'evt_1', type: 'message.received', created_at: 'now', data: {} })
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const signed = () => {
    const delivery = { id: 'evt_1', body, secrets: [signingSecret(secret)], at: new Date() }
    const { 'x-service-signature': _, ...standard } = signatureHeaders(delivery) as Record<string, string>
    return JSON.stringify({ ...standard, 'x-body': body, 'x-secret': secret })
  }

  it('has types that mean something where they are written', () => {
    const environment = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }
    const { status, stdout, stderr } = spawnSync(python, ['-c', readTypes], { env: environment, encoding: 'utf8' })
    expect([status, stderr]).to.deep.equal([0, ''])
    const { items, takesNull, send, attachment, read } = JSON.parse(stdout) as {
      items: boolean[]
      takesNull: boolean
      send: string[]
      attachment: boolean
      read: number
    }
    expect([items.length > 60, new Set(items)], 'the items of lists').to.deep.equal([true, new Set([true])])
    expect(takesNull, 'null for the first page').to.equal(true)
    expect(send).to.deep.equal(['SendResult', 'DryRun', 'SendResult | DryRun'])
    expect(attachment, 'an attachment that was made is one that a send takes').to.equal(true)
    expect(read).to.be.greaterThan(400)
  })

  const scenarios: readonly (readonly [what: string, name: string, faults: readonly Fault[], input?: () => string])[] =
    [
      ['makes a mailbox, waits for a code, reads pages and files', 'way', []],
      ['takes a datetime wherever it takes a time, if it names its zone', 'times', []],
      [
        'tells what was wrong',
        'errors',
        ['pass', 'pass', 'pass', 'pass', { status: 308, headers: { location: 'https://other.example/' } }],
      ],
      ['makes a send again where it was cut, and it goes out once', 'retries', [{ status: 503 }, 'cut', 'cut answer']],
      ['takes a header of the caller for its own, however its name is written', 'headers', []],
      [
        'does not repeat what might be done twice',
        'once',
        ['cut', { status: 429, headers: { 'retry-after': '3600' } }],
      ],
      [
        'tells of files that do not come whole, and of what is not the API',
        'files',
        ['pass', 'pass', 'cut answer', 'cut answer', 'stuck answer', { status: 200, body: '<p>Hello</p>' }],
      ],
      ['finds what came while a wait was cut', 'cut_wait', ['pass', { status: 503 }]],
      ['finds and claims what came while a wait was cut', 'cut_claim', ['pass', { status: 503 }]],
      ['does so for asyncio', 'asyncio_cut_wait', ['pass', { status: 503 }]],
      ['follows events over a connection that is cut', 'stream', []],
      ['verifies webhooks', 'webhook', [], signed],
      ['does the same for asyncio', 'asyncio_way', []],
      ['answers beside as many waits as there are', 'asyncio_many', []],
    ]
  for (const [what, name, faults, input] of scenarios)
    it(what, async () => {
      gateway.next(...faults)
      expect(await run(name, input?.())).to.equal('passed')
    })
})
