import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { eventKinds, eventTypes } from '../../schemas/events.ts'
import { validate } from '../../schemas/validate.ts'
import { EventEnvelope } from '../../schemas/webhooks.ts'

describe('schemas: events', () => {
  const page = readFileSync('docs/events.md', 'utf8')
  const samples = [...page.matchAll(/^## (\S+)\n[^#]*?```json\n([^`]*)```/gm)]

  it('each stands in docs/events.md', () => {
    expect(samples.map(([, type]) => type)).to.deep.equal(eventTypes)
  })

  for (const type of eventTypes)
    it(`the sample of ${type} is as its schema says`, () => {
      const [, , text = ''] = samples.find(([, name]) => name === type) ?? []
      const envelope = validate(EventEnvelope, JSON.parse(text))
      expect(envelope.type).to.equal(type)
      validate<unknown>(eventKinds[type].data, envelope.data)
    })
})
