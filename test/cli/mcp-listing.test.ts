/** What the registry of MCP servers is told of an instance. */
import { expect } from 'chai'
import { listingOf } from '../../cli/mcp-listing.ts'
import { serviceVersion } from '../../operations/version.ts'
import { Failure } from '../../schemas/failures.ts'

describe('mailroom mcp-listing', () => {
  const listing = listingOf('https://mail.example.org', serviceVersion())

  it('has a name that whoever has the host may publish', () =>
    expect(listing.name).to.equal('org.example.mail/mailroom'))

  it('keeps to what the registry takes', () => {
    expect(listing.$schema).to.match(
      /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\d-]+\/server\.schema\.json$/,
    )
    expect(listing.name).to.match(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    for (const text of [listing.title, listing.description]) expect(text.length).to.be.within(1, 100)
  })

  it('leads to the endpoint, and needs no key', () => {
    const [remote] = listing.remotes
    expect(remote).to.include({ type: 'streamable-http', url: 'https://mail.example.org/api/mcp' })
    expect(remote?.headers.map(({ name, isRequired, isSecret }) => [name, isRequired, isSecret])).to.deep.equal([
      ['Authorization', false, true],
    ])
  })

  it('names the port where there is one', () =>
    expect(listingOf('https://mail.example.org:8443/', '1.0.0').remotes[0]?.url).to.equal(
      'https://mail.example.org:8443/api/mcp',
    ))

  const nobodyReaches = [
    null,
    'http://mail.example.org',
    'https://192.0.2.1',
    'https://[2001:db8::1]',
    'https://localhost',
  ]
  for (const baseUrl of nobodyReaches)
    it(`there is none of ${baseUrl ?? 'no address'}`, () =>
      expect(() => listingOf(baseUrl, '1.0.0'))
        .to.throw(Failure, 'public https address')
        .with.property('code', 'validation_error'))
})
