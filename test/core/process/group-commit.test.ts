import { expect } from 'chai'
import { MongoNetworkError } from 'mongodb'
import { createGroupCommit, isolateFailures } from '../../../core/process/group-commit.ts'

describe('gather', () => {
  const groups: number[][] = []
  const doubled = async (items: readonly number[]) => {
    groups.push([...items])
    if (items.includes(13)) throw new Error('unlucky')
    if (items.includes(0)) throw new MongoNetworkError('away')
    return items.map((item) => item * 2)
  }
  const told = (item: Promise<number>) => item.catch((error: Error) => error.message)
  beforeEach(() => groups.splice(0))

  const cases = [
    ['writes together what is asked for at once', [1, 2], [2, 4], [[1, 2]]],
    ['keeps what fails from failing others', [1, 13, 2], [2, 'unlucky', 4], [[1, 13, 2], [1], [13], [2]]],
    ['tries nothing alone while the database is away', [1, 0], ['away', 'away'], [[1, 0]]],
    ['writes no more than so many at once', [1, 2, 3, 4], [2, 4, 6, 8], [[1, 2, 3], [4]]],
  ] as const
  for (const [name, items, answers, written] of cases) {
    it(name, async () => {
      const gather = createGroupCommit(3, isolateFailures(doubled))
      expect(await Promise.all(items.map((item) => told(gather(item))))).to.deep.equal(answers)
      expect(groups).to.deep.equal(written)
    })
  }
})
