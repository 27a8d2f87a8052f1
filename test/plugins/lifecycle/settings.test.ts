import { expect } from 'chai'
import type { Plugin } from '../../../plugins/haraka.d.ts'
import { keepSettings } from '../../../plugins/lifecycle/settings.ts'

describe("Haraka's settings", () => {
  const options = { booleans: ['+main.redis_publish'] }
  const cases: readonly (readonly [
    what: string,
    first: readonly unknown[],
    second: readonly unknown[],
    asked: number,
  ])[] = [
    ['the same are asked for once', ['results.ini', options], ['results.ini', { ...options }], 1],
    ['a value too', ['me'], ['me'], 1],
    ['what is not there too', ['nothing'], ['nothing'], 1],
    ['others are asked for', ['results.ini'], ['connection.ini'], 2],
    ['the same in another form are asked for', ['plugins'], ['plugins', 'list'], 2],
    ['with other options they are asked for', ['results.ini', options], ['results.ini', { booleans: [] }], 2],
    ['who is to be told of changes is told', ['me', () => undefined], ['me', () => undefined], 2],
  ]
  for (const [what, first, second, count] of cases)
    it(what, () => {
      const asked: unknown[] = []
      const config = {
        get(...what: readonly unknown[]) {
          asked.push(what)
          return what[0] === 'nothing' ? null : { what }
        },
      }
      keepSettings({ haraka_require: () => ({ config }) } as unknown as Plugin)
      const answers = [config.get(...first), config.get(...second)]
      expect(asked).to.have.length(count)
      expect(answers[0] === answers[1]).to.equal(count === 1)
    })
})
