import { expect } from 'chai'
import { openExtractor } from '../../start/extraction.ts'
import { hostileFiles } from './hostile.ts'

/** The tests read smaller files; `npm run check -- extraction` reads them in full size, and those that exceed a limit at any size. */
const scale = 0.02
const limits = { memoryBytesMax: 320 * 1024 * 1024, cpuMsMax: 5_000 }
/** How many bytes may be written between two checks of the memory. */
const betweenLooks = 64 * 1024 * 1024

describe('core/extraction: hostile files', () => {
  const extractor = openExtractor(limits)
  after(() => extractor.close())

  for (const [what, make, name] of hostileFiles) {
    it(`${what} takes no more than the limits`, async () => {
      const content = make(scale)
      const before = extractor.costs.length
      const found = await extractor.read(content, { name, contentType: 'application/octet-stream' })
      expect(found?.text.length ?? 0).to.be.at.most(20_000)
      for (const { cpuMs, peakBytes } of extractor.costs.slice(before)) {
        expect(cpuMs).to.be.at.most(limits.cpuMsMax * 1.5)
        expect(peakBytes).to.be.at.most(limits.memoryBytesMax + betweenLooks)
      }
      expect((await extractor.read('and the next one'))?.text).to.equal('and the next one')
    })
  }

  it('a script in a PDF is not run, and its words are read', async () => {
    const [, make, name] = hostileFiles.find(([what]) => what === 'a script') ?? expect.fail()
    expect((await extractor.read(make(1), { name }))?.text).to.equal('Words')
  })
})
