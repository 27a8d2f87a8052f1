/** `server.json`, which an operator publishes in the registry of MCP servers. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { serviceVersion } from '../../operations/version.ts'

type Variable = { readonly description: string; readonly isRequired: boolean }
type Remote = {
  readonly type: string
  readonly url: string
  readonly variables: Readonly<Record<string, Variable>>
  readonly headers: readonly { readonly name: string; readonly isRequired: boolean; readonly isSecret: boolean }[]
}
type Listing = {
  readonly $schema: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly version: string
  readonly remotes: readonly Remote[]
}

describe('server.json', () => {
  const listing: Listing = JSON.parse(readFileSync(new URL('../../server.json', import.meta.url), 'utf8'))
  const [remote] = listing.remotes

  it('has the version of the service', () => expect(listing.version).to.equal(serviceVersion()))

  it('keeps to what the registry takes', () => {
    expect(listing.$schema).to.match(
      /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\d-]+\/server\.schema\.json$/,
    )
    expect(listing.name).to.match(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    for (const text of [listing.title, listing.description]) expect(text.length).to.be.within(1, 100)
  })

  it('leads to the endpoint by variables that it explains, and needs no key', () => {
    expect(listing.remotes).to.have.length(1)
    expect(remote?.type).to.equal('streamable-http')
    const names = [...(remote?.url ?? '').matchAll(/\{([a-zA-Z_]+)\}/g)].map(([, name]) => name)
    expect(Object.keys(remote?.variables ?? {})).to.deep.equal(names)
    expect(remote?.url.replace('{host}', 'mail.example.com')).to.equal('https://mail.example.com/api/mcp')
    expect(remote?.headers.map(({ name, isRequired, isSecret }) => [name, isRequired, isSecret])).to.deep.equal([
      ['Authorization', false, true],
    ])
  })
})
