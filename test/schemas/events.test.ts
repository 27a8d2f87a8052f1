import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { eventKinds } from '../../schemas/events.ts'

describe('schemas: events', () => {
  it('stand in docs/webhooks.md as they are declared', () => {
    const needs = { messageEvents: 'message events', intake: 'Intake' } as const
    const rows = Object.entries(eventKinds).map(([type, { when, access, plan }]) => {
      const by = access === 'partner' ? 'partner keys' : access === 'account key' ? 'any account key' : `\`${access}\``
      return `| \`${type}\` | ${when} | ${by} | ${plan === null ? '' : needs[plan]} |`
    })
    const page = readFileSync('docs/webhooks.md', 'utf8')
    expect(page.split('\n').filter((line) => /^\| `[a-z]+\.[a-z_]+` \|/.test(line))).to.deep.equal(rows)
  })
})
