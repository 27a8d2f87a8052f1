import { expect } from 'chai'
import { createWriteCounted } from '../../store/counted-writes.ts'
import type { Store } from '../../store/open.ts'
import { updateAllIn, updateIn } from '../../store/writes.ts'
import { useStore } from '../start/store.ts'

describe('store: writes that are counted', () => {
  let store: Store
  const { fresh, insert, stored } = useStore((opened) => {
    store = opened
  })

  const ways: readonly (readonly [name: string, isTogether: boolean])[] = [
    ['in one command', true],
    ['one by one, as before MongoDB 8.0', false],
  ]
  for (const [name, isTogether] of ways) {
    describe(name, () => {
      it('tell how many documents each matched', async () => {
        const write = createWriteCounted(store.db, isTogether)
        const [a, b] = [fresh(), fresh()]
        const both = updateAllIn(store.state, { _id: { $in: [a, b] }, value: 1 }, { $set: { value: 2 } })
        const template = updateIn(store.templates, { _id: a }, { $set: { subject: 's' } })
        expect(await write([insert(a, 1), insert(b, 1), both, both, template])).to.deep.equal([1, 1, 2, 0, 0])
        expect([await stored(a), await stored(b)]).to.deep.equal([2, 2])
      })

      it('make none when a unique key refuses the first', async () => {
        const write = createWriteCounted(store.db, isTogether)
        const [there, later] = [fresh(), fresh()]
        await write([insert(there)])
        expect(await write([insert(there), insert(later)])).to.equal(null)
        expect(await stored(later)).to.equal(undefined)
      })

      it('fail with any other error', async () => {
        const write = createWriteCounted(store.db, isTogether)
        const [a, text] = [fresh(), fresh()]
        await write([insert(text, 'text')])
        const sum = updateIn(store.state, { _id: text }, { $inc: { value: 1 as never } })
        const error = await write([insert(a), sum]).catch((failed: unknown) => failed)
        expect(error).to.be.an.instanceOf(Error)
      })
    })
  }
})
