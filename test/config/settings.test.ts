import { expect } from 'chai'
import { loadSettings } from '../../cli/settings.ts'
import { listSettings, variableOf } from '../../schemas/settings.ts'

describe('an empty variable', () => {
  const optional = listSettings().filter((setting) => setting.default === null && !setting.refusesEmpty)
  for (const { name } of optional)
    it(`stands for none: ${variableOf(name)}`, () => {
      const read = (env: { readonly [variable: string]: string }) => loadSettings({ file: null, env })
      expect(read({ [variableOf(name)]: '' })).to.deep.equal(read({}))
    })
})
