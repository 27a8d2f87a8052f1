import { expect } from 'chai'
import { lensTemplates } from '../../../mail/lens/templates.ts'
import { LensField, LensFields, lensFieldsMax, lensFieldTypes } from '../../../schemas/intake.ts'
import { isValid } from '../../../schemas/validate.ts'

describe('mail/lens/templates', () => {
  it('are the five of the contract', () =>
    expect(lensTemplates.map(({ name }) => name)).to.deep.equal([
      'Invoice',
      'Order',
      'Support ticket',
      'Lead',
      'Job application',
    ]))

  for (const { name, fields } of lensTemplates)
    it(`${name} has fields that a configuration takes`, () => {
      expect(isValid(LensFields, fields)).to.equal(true)
      expect(new Set(fields.map(({ key }) => key)).size).to.equal(fields.length)
    })

  it('use every type', () =>
    expect(new Set(lensTemplates.flatMap(({ fields }) => fields.map(({ type }) => type)))).to.have.all.keys(
      ...lensFieldTypes,
    ))

  const field = { key: 'total', type: 'number', description: 'Total amount' }
  const taken: readonly (readonly [string, unknown, boolean])[] = [
    ['a field', field, true],
    ['a key in any language', { ...field, key: 'número de factura' }, true],
    ['a key that is a property of objects', { ...field, key: '__proto__' }, false],
    ['a key with a dot, which databases take for a path', { ...field, key: 'a.b' }, false],
    ['a key that ends in a blank', { ...field, key: 'a ' }, false],
    ['a key without letters', { ...field, key: '4711' }, false],
    ['an unknown type', { ...field, type: 'money' }, false],
    ['no description', { key: 'total', type: 'number' }, false],
    ['a description of two lines', { ...field, description: 'Total\namount' }, false],
    ['a long key', { ...field, key: 'a'.repeat(65) }, false],
  ]
  for (const [name, value, isTaken] of taken)
    it(`${name}: ${isTaken ? 'taken' : 'refused'}`, () => expect(isValid(LensField, value)).to.equal(isTaken))

  it('a list of more fields than one mailbox may have is refused', () =>
    expect(isValid(LensFields, Array(lensFieldsMax + 1).fill(field))).to.equal(false))
})
