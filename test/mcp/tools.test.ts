/** What is listed: the tools of the contract, their size, their schemas, and which of them a connection and a credential get. */
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { RE2JS } from 're2js'
import type { Principal } from '../../core/access/principal.ts'
import { choiceOf } from '../../mcp/choice.ts'
import { isListed } from '../../mcp/credential.ts'
import { argumentSchema, isPortable } from '../../mcp/slim.ts'
import { toolsetOf, toolsOf } from '../../mcp/tools.ts'
import { operations } from '../../operations/all.ts'
import { Failure } from '../../schemas/failures.ts'
import { type JsonSchema, nullable, object, optional, propertiesOf, string, unlisted } from '../../schemas/infer.ts'
import { agentScopes, allScopes, type KeyKind, type Scope } from '../../schemas/scopes.ts'

const catalogue = toolsOf(operations)

/** interface.md, MCP tools. */
const contract = `
list_mailboxes list_domains get_account_summary get_setup_summary
list_messages read_message get_thread search_messages search_all_mailboxes list_folders get_contacts get_attachment
send_message send_batch get_batch_status
create_draft update_draft send_draft list_scheduled cancel_scheduled
flag_message label_message mark_all_read move_message restore_message mark_spam delete_message empty_trash
list_aliases create_alias delete_alias
list_dns_records create_dns_record update_dns_record delete_dns_record
get_delivery_status
drive_list_files drive_download_file
create_mailbox update_mailbox`
  .trim()
  .split(/\s+/)

describe('mcp/tools: the contract', () => {
  for (const name of contract) it(name, () => expect(catalogue.has(name)).to.equal(true))

  it('its list is the one that is walked here', function () {
    const page = new URL('../../../shared/spec/interface.md', import.meta.url)
    if (!existsSync(page)) this.skip()
    const [, list = ''] = /^### MCP tools\n(.*?)\nMCP tools enforce/ms.exec(readFileSync(page, 'utf8')) ?? []
    const named = [...list.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name)
    expect([...new Set(named)]).to.have.members(contract)
  })

  it('beyond it there is what agents ask for elsewhere', () =>
    expect([...catalogue.keys()].filter((name) => !contract.includes(name))).to.include.members([
      'wait_for_message',
      'claim_next_message',
      'get_verification_code',
      'forward_message',
      'list_drafts',
      'delete_draft',
      'list_labels',
      'sign_up',
    ]))
})

const principalWith = (kind: KeyKind, scopes: readonly Scope[], agentsPlan: string | null = 'scale') =>
  ({ kind, scopes, account: { plan: agentsPlan === null ? 'starter' : null, agentsPlan } }) as unknown as Principal

const agent = principalWith('agent', agentScopes)
const listedFor = (principal: Principal | null) =>
  [...catalogue.values()].filter((bound) => isListed(principal, bound)).map(({ listed }) => listed)

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('mcp/tools: what a list costs', () => {
  it('an agent key reads at most 25 kB of names, descriptions and arguments', () => {
    const told = listedFor(agent).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    expect(bytesOf(told)).to.be.at.most(25_000)
  })

  it('with titles, hints and results it is at most 60 kB', () =>
    expect(bytesOf(listedFor(agent))).to.be.at.most(60_000))

  it('comes in the same order each time', () =>
    expect([...toolsOf(operations).keys()]).to.deep.equal([...catalogue.keys()]))
})

/** Every schema within a schema, itself included, with where it stands. */
function schemasIn(schema: JsonSchema, at = ''): readonly (readonly [at: string, schema: JsonSchema])[] {
  const {
    $defs = {},
    additionalProperties,
    anyOf = [],
    items,
    properties = {},
    propertyNames,
  } = schema as {
    readonly [keyword: string]: JsonSchema | readonly JsonSchema[]
  }
  const named = [...Object.entries(properties), ...Object.entries($defs), ...Object.entries(anyOf)]
  const single = { items, additionalProperties, propertyNames }
  return [
    [at, schema],
    ...[...named, ...Object.entries(single)].flatMap(([name, each]) =>
      typeof each === 'object' && each !== null ? schemasIn(each as JsonSchema, `${at}/${name}`) : [],
    ),
  ]
}

describe('mcp/tools: each tool', () => {
  const patterns = new Set<string>()
  for (const { listed } of catalogue.values()) {
    const { name, description = '', inputSchema, outputSchema = {}, title } = listed
    it(`${name} has a title, says when to use it, and describes each argument`, () => {
      expect(title).to.match(/^[A-Z][a-z ]+$/)
      expect(description).to.match(/^[A-Z].*[.)]$/)
      for (const [argument, schema] of Object.entries(propertiesOf(inputSchema as JsonSchema)))
        expect(
          schemasIn(schema).some(([, each]) => String(each.description ?? '') !== ''),
          argument,
        ).to.equal(true)
    })
    it(`${name} lists schemas that clients of any language read`, () => {
      const schemas = [...schemasIn(inputSchema as JsonSchema), ...schemasIn(outputSchema as JsonSchema)]
      const defs = [inputSchema, outputSchema].flatMap((schema) => Object.keys((schema as JsonSchema).$defs ?? {}))
      for (const [at, schema] of schemas) {
        expect(
          Object.keys(schema).filter((keyword) => keyword.startsWith('x-')),
          at,
        ).to.deep.equal([])
        if (typeof schema.$ref === 'string') expect(defs).to.include(schema.$ref.replace('#/$defs/', ''))
        if (typeof schema.pattern === 'string') patterns.add(schema.pattern)
      }
      expect(inputSchema).to.include({ type: 'object', additionalProperties: false })
    })
  }

  it('the tools that descriptions name exist', () => {
    const words = [...catalogue.values()].flatMap(
      ({ listed }) => listed.description?.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [],
    )
    const fields = operations.flatMap(({ input, output }) =>
      [...schemasIn(input), ...schemasIn(output)].flatMap(([, each]) => Object.keys(propertiesOf(each))),
    )
    for (const word of words) expect(catalogue.has(word) || fields.includes(word), word).to.equal(true)
  })

  it('its patterns are read by ECMAScript and RE2', () => {
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern, 'u'), pattern).not.to.throw()
      expect(() => RE2JS.compile(pattern), pattern).not.to.throw()
    }
  })
})

describe('mcp/slim', () => {
  const portable: readonly (readonly [pattern: string, isPortable: boolean])[] = [
    ['^[^\\x00-\\x1f\\x7f]*$', true],
    ['^\\d{4}-(0[1-9]|1[0-2])$', true],
    ['^\\p{L}+$', false],
    ['^(?=.*a)b', false],
    ['(?<year>\\d+)', false],
    ['(a)\\1', false],
    ['[\\u0000-\\u001f]', false],
  ]
  for (const [pattern, expected] of portable)
    it(`${pattern} is ${expected ? '' : 'not '}read everywhere`, () => {
      expect(isPortable(pattern)).to.equal(expected)
      expect(propertiesOf(argumentSchema(object({ a: string({ pattern }) }))).a).to.deep.equal({
        type: 'string',
        ...(expected && { pattern }),
      })
    })

  it('what stands in a schema twice is written once, and keeps a description of its own', () => {
    const person = object({ name: string(), address: string(), note: optional(string()) })
    const both = object({ from: { ...person, description: 'Who.' }, to: { ...person, description: 'Whom.' } })
    const { properties, $defs } = argumentSchema(both) as {
      properties: JsonSchema
      $defs: { [name: string]: JsonSchema }
    }
    expect(properties).to.deep.equal({
      from: { description: 'Who.', $ref: '#/$defs/a' },
      to: { description: 'Whom.', $ref: '#/$defs/a' },
    })
    expect(Object.keys(propertiesOf($defs.a ?? {}))).to.deep.equal(['name', 'address', 'note'])
  })

  it('a form that is not listed is left out, and an object keeps its description alone', () => {
    const text = string({ description: 'Text.' })
    const loose = { anyOf: [text, unlisted(object({ text }))], description: 'Either.' }
    const whole = unlisted(object({ text }, { description: '{text}.' }))
    expect(propertiesOf(argumentSchema(object({ loose, whole, perhaps: nullable(whole) })))).to.deep.equal({
      loose: { type: 'string', description: 'Either.' },
      whole: { type: 'object', description: '{text}.' },
      perhaps: { anyOf: [{ type: 'object', description: '{text}.' }, { type: 'null' }] },
    })
  })
})

describe('mcp/choice', () => {
  const chosen = (search: string, headers: { [name: string]: string } = {}) => {
    const choice = choiceOf(catalogue, { query: new URLSearchParams(search), headers })
    return [...catalogue.values()].filter((bound) => choice.has(bound))
  }
  const namesOf = (search: string, headers?: { [name: string]: string }) =>
    chosen(search, headers).map(({ tool }) => tool.name)

  it('without a word it is every tool', () => {
    expect(chosen('')).to.have.length(catalogue.size)
    expect(chosen('?tools=all&readonly=false')).to.have.length(catalogue.size)
  })

  it('readonly and tools=read leave what changes nothing', () => {
    for (const search of ['?readonly=true', '?tools=read']) {
      expect(chosen(search).every(({ tool }) => tool.effect === 'read')).to.equal(true)
      expect(namesOf(search))
        .to.include.members(['read_message', 'get_verification_code'])
        .and.not.include('send_message')
    }
  })

  it('toolsets are sets of tools by what they are about', () => {
    const sets = new Map(['mail', 'drafts', 'sending'].map((name) => [name, namesOf(`?toolsets=${name}`)]))
    expect(sets.get('mail')).to.include.members(['list_messages', 'flag_message']).and.not.include('send_message')
    expect(sets.get('drafts')).to.have.members([
      'list_drafts',
      'create_draft',
      'update_draft',
      'send_draft',
      'delete_draft',
    ])
    expect(namesOf('?toolsets=mail,drafts')).to.have.members([
      ...(sets.get('mail') ?? []),
      ...(sets.get('drafts') ?? []),
    ])
    const named = /only these sets: (.*);/.exec(readFileSync('docs/mcp.md', 'utf8'))?.[1]?.match(/[a-z]+/g)
    // That of a signup is at an address of its own.
    expect(named).to.have.members(
      [...new Set([...catalogue.values()].map(toolsetOf))].filter((set) => set !== 'signup'),
    )
  })

  it('tools and toolsets add up, readonly takes away, and the query goes before the headers', () => {
    expect(namesOf('?tools=send_draft,%20read_message')).to.have.members(['read_message', 'send_draft'])
    expect(namesOf('?tools=send_message&toolsets=drafts')).to.include.members(['send_message', 'create_draft'])
    expect(namesOf('?toolsets=drafts&readonly=true')).to.deep.equal(['list_drafts'])
    const headers = { 'x-mcp-toolsets': 'drafts', 'x-mcp-readonly': 'true' }
    expect(namesOf('', headers)).to.deep.equal(['list_drafts'])
    expect(namesOf('?readonly=false', headers)).to.include('send_draft')
  })

  const refused: readonly (readonly [search: string, param: string, fix: RegExp])[] = [
    ['?tools=read_mesage', 'tools', /"read_message"/],
    ['?toolsets=mial', 'toolsets', /"mail"/],
    ['?readonly=yes', 'readonly', /Leave "yes" out/],
    ['?readOnly=true', 'readOnly', /"readonly"/],
    ['?bodies=html', 'bodies', /./],
    ['?color=red', 'color', /./],
    ['?readonly=false&readonly=true', 'readonly', /one value/],
    ['?tools=read&tools=send_message', 'tools', /one value/],
    [`?tools=${'a,'.repeat(5_000)}`, 'tools', /./],
  ]
  for (const [search, param, fix] of refused)
    it(`refuses ${search.slice(0, 30)}, so that nothing gets through that was to be kept out`, () => {
      const refusal = (() => {
        try {
          return chosen(search)
        } catch (error) {
          return error
        }
      })()
      expect(refusal).to.be.instanceOf(Failure)
      expect((refusal as Failure).detail.param).to.equal(param)
      expect((refusal as Failure).fix).to.match(fix)
    })
})

describe('mcp/credential', () => {
  const names = (principal: Principal | null) => listedFor(principal).map(({ name }) => name)
  const cases: readonly (readonly [who: string, Principal | null, has: readonly string[], lacks: readonly string[]])[] =
    [
      ['an account key', principalWith('account', allScopes), ['list_aliases', 'send_message'], ['sign_up']],
      ['an agent key', agent, ['send_message', 'create_mailbox'], ['list_aliases', 'sign_up']],
      [
        'a key that reads',
        principalWith('agent', ['mail:read']),
        ['read_message', 'list_drafts'],
        ['flag_message', 'send_message', 'claim_next_message', 'list_mailboxes'],
      ],
      ['a key without scopes', principalWith('account', []), ['get_account_summary'], ['read_message']],
      ['a plan without MCP', principalWith('account', allScopes, null), [], ['get_account_summary', 'read_message']],
      ['nobody', null, ['sign_up'], ['get_account_summary', 'read_message']],
    ]
  for (const [who, principal, has, lacks] of cases)
    it(`${who} sees what it may use`, () => {
      expect(names(principal)).to.include.members([...has])
      for (const name of lacks) expect(names(principal)).not.to.include(name)
    })
})
