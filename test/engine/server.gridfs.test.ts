import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect } from 'chai'
import { GridFSBucket, type ObjectId } from 'mongodb'
import { type Started, startEngine } from '../start/engine.ts'
import { failure } from './failure.ts'

describe('engine: under GridFS', () => {
  let engine: Started
  let bucket: GridFSBucket
  const content = randomBytes(1_000_000)
  let id: ObjectId
  before(async () => {
    engine = await startEngine()
    bucket = new GridFSBucket(engine.db)
    const upload = bucket.openUploadStream('file.bin', { metadata: { kind: 'test' } })
    id = upload.id
    await pipeline(Readable.from(content), upload)
  })
  after(() => engine.stop())

  it('gives a file back byte for byte', async () => {
    expect((await buffer(bucket.openDownloadStream(id))).equals(content)).to.equal(true)
  })

  it('gives a range of it', async () => {
    const part = await buffer(bucket.openDownloadStream(id, { start: 300_000, end: 600_000 }))
    expect(part.equals(content.subarray(300_000, 600_000))).to.equal(true)
  })

  it('finds by name, newest first', async () => {
    await pipeline(Readable.from([Buffer.from('newer')]), bucket.openUploadStream('file.bin'))
    expect(String(await buffer(bucket.openDownloadStreamByName('file.bin')))).to.equal('newer')
    expect((await buffer(bucket.openDownloadStreamByName('file.bin', { revision: 0 }))).length).to.equal(content.length)
  })

  it('makes its indexes, the one of the chunks unique', async () => {
    const indexes = await engine.db.collection('fs.chunks').indexes()
    expect(indexes).to.deep.include({ v: 2, key: { files_id: 1, n: 1 }, name: 'files_id_1_n_1', unique: true })
  })

  it('renames, deletes, and drops', async () => {
    await bucket.rename(id, 'other.bin')
    expect(await bucket.find({ filename: 'other.bin' }).toArray()).to.have.length(1)
    await bucket.delete(id)
    expect(await engine.db.collection('fs.chunks').countDocuments({ files_id: id })).to.equal(0)
    expect(String(await failure(buffer(bucket.openDownloadStream(id))))).to.match(/FileNotFound/)
    await bucket.drop()
    expect(await engine.db.listCollections().toArray()).to.deep.equal([])
  })
})
