import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { operations } from '../../operations/all.ts'
import { answerComponents, components, createNameFinder } from '../../operations/components.ts'
import { errorsOf } from '../../operations/errors.ts'
import { openApi } from '../../operations/openapi.ts'
import { fieldsOf, isForPeople, isStreamed, mediaTypeOf, type Operation } from '../../operations/registry.ts'
import { eventTypes } from '../../schemas/events.ts'
import { failures } from '../../schemas/failures.ts'

/** A JSON value one can walk into. */
class Node {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  at(...path: readonly (string | number)[]): Node {
    return new Node(
      path.reduce<unknown>((value, name) => (value as { [name: string]: unknown } | undefined)?.[name], this.value),
    )
  }

  get names(): string[] {
    return Object.keys((this.value ?? {}) as object)
  }
}

const document = new Node(openApi(operations, { baseUrl: 'https://mail.example', version: '1.2.3' }))

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : references(part)))
}

/** The schemas of objects in a part of the document, as text. */
function objectsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'type' in value && value.type === 'object' ? [JSON.stringify(value)] : []
  return [...own, ...Object.values(value).flatMap(objectsIn)]
}

/** All that stands under a keyword in a part of the document. */
function valuesOf(keyword: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [
    ...(name === keyword ? [part] : []),
    ...valuesOf(keyword, part),
  ])
}

/** What is no JSON and ends is bytes, of which a part may be asked for. */
const isDownload = (operation: Operation) => mediaTypeOf(operation) !== null && !isStreamed(operation)

describe('operations/openapi', () => {
  it('describes this service', () => {
    expect(document.at('openapi').value).to.equal('3.1.0')
    expect(document.at('info', 'version').value).to.equal('1.2.3')
    expect(document.at('servers', 0, 'url').value).to.equal('https://mail.example')
  })

  for (const operation of operations) {
    it(`describes ${operation.name} whole`, () => {
      const entry = document.at('paths', operation.path, operation.method.toLowerCase())
      const fields = fieldsOf(operation)
      expect(entry.at('operationId').value).to.equal(operation.name)
      const parameters = (entry.at('parameters').value as { name: string; in: string }[]).filter(
        (each) => each.in === 'path' || each.in === 'query',
      )
      expect(parameters.map(({ name }) => name)).to.deep.equal(
        fields.filter(({ from }) => from !== 'body').map(({ name }) => name),
      )
      expect(entry.at('requestBody', 'content', 'application/json', 'schema', 'properties').names).to.deep.equal(
        fields.filter(({ from }) => from === 'body').map(({ name }) => name),
      )
      const statuses = new Set<number>([
        ...operation.statuses,
        ...errorsOf(operation).map((code) => failures[code].http),
        ...(isDownload(operation) ? [206, 304, 416] : []),
      ])
      expect(entry.at('responses').names.map(Number)).to.have.members([...statuses])
      const { access } = operation
      const ofKeys = [...(isForPeople(access) ? [] : [{ bearer: [] }, { apiKey: [] }]), { session: [] }]
      expect(entry.at('security').value).to.deep.equal(
        access === 'public' ? [] : access === 'partner' ? [{ partner: [] }] : ofKeys,
      )
    })
  }

  it('is an OpenAPI 3.1 description, to the validator of others too', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document.value)))
    expect(errors ?? [], 'what the validator refuses').to.deep.equal([])
    expect(valid).to.equal(true)
    expect(validator.version).to.equal('3.1')
  })

  it('has patterns alone that Python reads too', () => {
    const patterns = valuesOf('pattern', document.value).filter((pattern) => typeof pattern === 'string')
    expect(patterns).to.have.length.above(10)
    // Python's re knows no properties of characters, which ECMAScript takes for letters where Unicode is not asked for.
    expect(patterns.filter((pattern) => /\\p\{/i.test(pattern))).to.deep.equal([])
  })

  it('gives each form of a value one type, of which languages make theirs', () => {
    const lists = valuesOf('enum', document.value).filter((values) => Array.isArray(values))
    const typesOf = (values: readonly unknown[]) =>
      new Set(values.filter((value) => value !== null).map((value) => typeof value))
    expect(lists.filter((values) => typesOf(values).size > 1)).to.deep.equal([])
    const retention = document.at('components', 'schemas', 'Intake', 'properties', 'retention')
    expect(retention.at('anyOf').value).to.deep.equal([
      { type: 'integer', enum: [7, 30, 90] },
      { type: 'string', enum: ['forever'] },
    ])
  })

  it('every reference leads somewhere', () => {
    const found = new Set(references(document.value))
    expect(found.size).to.be.above(100)
    for (const reference of found) {
      expect(reference).to.match(/^#\//)
      expect(document.at(...reference.slice(2).split('/')).value, reference).to.be.an('object')
    }
  })

  it('says each schema of an answer and each refusal once', () => {
    const answers = [
      ...operations.map(({ method, path }) => document.at('paths', path, method.toLowerCase(), 'responses').value),
      document.at('webhooks').value,
      Object.keys(answerComponents).map((name) => document.at('components', 'schemas', name).value),
    ]
    const seen = new Map<string, number>()
    for (const schema of answers.flatMap(objectsIn)) seen.set(schema, (seen.get(schema) ?? 0) + 1)
    const twice = [...seen].filter(([schema, times]) => times > 1 && schema.length > 500).map(([schema]) => schema)
    expect(twice, 'name them in operations/components.ts').to.deep.equal([])
  })

  it('gives each name to one schema, which is used', () => {
    const nameOf = createNameFinder(components)
    for (const [name, schema] of Object.entries(components)) expect(nameOf(schema)).to.equal(name)
    const used = new Set(references(document.value))
    for (const name of Object.keys(components)) expect(used).to.include(`#/components/schemas/${name}`)
  })

  it('answers are described as open to new fields, requests as closed', () => {
    expect(document.at('components', 'schemas', 'Mailbox').names).not.to.include('additionalProperties')
    expect(
      document.at(
        'paths',
        '/api/v1/mailboxes',
        'post',
        'requestBody',
        'content',
        'application/json',
        'schema',
        'additionalProperties',
      ).value,
    ).to.equal(false)
  })

  it('every success says so', () => {
    const answer = document.at(
      'paths',
      '/api/v1/mailboxes',
      'get',
      'responses',
      '200',
      'content',
      'application/json',
      'schema',
    )
    expect(answer.at('required').value).to.deep.equal(['success', 'mailboxes', 'next'])
    expect(answer.at('properties', 'mailboxes', 'items', '$ref').value).to.equal('#/components/schemas/Mailbox')
  })

  it('a file has the type that it was given, and may be asked for in parts', () => {
    const entry = document.at('paths', '/api/v1/files/{token}', 'get')
    for (const status of ['200', '206']) expect(entry.at('responses', status, 'content').names).to.deep.equal(['*/*'])
    const parameters = entry.at('parameters').value as { name: string; in: string }[]
    expect(parameters.filter(({ in: place }) => place === 'header').map(({ name }) => name)).to.deep.equal([
      'Range',
      'If-None-Match',
    ])
  })

  it('describes every kind of event as a webhook', () => {
    expect(document.at('webhooks').names).to.deep.equal(eventTypes)
  })
})
