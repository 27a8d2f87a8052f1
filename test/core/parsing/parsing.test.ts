import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { attachmentIdOf } from '../../../core/parsing/attachment-ids.ts'
import { jobs } from '../../../core/parsing/jobs.ts'
import { createParsing, type Parsing, type ParsingLimits, parsingLimits } from '../../../core/parsing/parsing.ts'
import { Failure } from '../../../schemas/failures.ts'

const messageOf = (bytes: number) =>
  Buffer.from(`Subject: big\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<b>Grüße</b>${'x'.repeat(bytes)}\r\n`)

describe('core/parsing/parsing', () => {
  const opened: Parsing[] = []
  const errors: unknown[] = []
  const open = (limits: Partial<ParsingLimits> = {}): Parsing => {
    const parsing = createParsing({ limits: { ...parsingLimits, ...limits }, onError: (error) => errors.push(error) })
    opened.push(parsing)
    return parsing
  }
  const inThreads = {
    inlineBytes: {
      arrival: 0,
      content: 0,
      description: 0,
      file: 0,
      files: 0,
      forwarding: 0,
      intake: 0,
      json: 0,
      lens: 0,
      markdown: 0,
      reading: 0,
      reports: 0,
      text: 0,
    },
  }
  const raw = messageOf(100)
  const arrive = (parsing: Parsing, bytes = raw) =>
    parsing.run('arrival', { raw: bytes, prefix: 'a@b', transactionId: 't' })
  const refused = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(Failure).with.property('code', 'unavailable')
  }

  afterEach(() => Promise.all(opened.splice(0).map((parsing) => parsing.close())))

  it('a worker thread gives the same answer as this thread, and the caller keeps its bytes', async () => {
    const parsing = open(inThreads)
    const before = Buffer.from(raw)
    const { fingerprint, ...arrival } = await arrive(parsing)
    const { fingerprint: expected, ...same } = jobs.arrival({ raw, prefix: 'a@b', transactionId: 't' })
    expect(arrival).to.deep.equal(same)
    expect(Buffer.from(fingerprint)).to.deep.equal(expected)
    expect(raw.equals(before)).to.equal(true)
    expect(await parsing.run('text', { raw })).to.deep.equal(jobs.text({ raw }))
  })

  it('a text file is decoded by its byte order mark, else its charset, in pieces', async () => {
    const file = Buffer.from('93fa967b8cea', 'hex')
    const inner = `Content-Type: text/csv; charset=shift_jis\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${file.toString('base64')}`
    const message = Buffer.from(
      `Content-Type: multipart/mixed; boundary=a\n\n--a\n${inner}\n--a\nContent-Type: message/rfc822\n\n${inner}\n--a--\n`,
    )
    for (const attachmentId of ['1', '2/1'].map((partId) => attachmentIdOf('msg_1', partId))) {
      const found = jobs.content({ raw: message, messageId: 'msg_1', attachmentId })
      expect(found).to.deep.include({ charset: 'shift_jis', bytes: file })
    }
    const parsing = open(inThreads)
    const piece = (raw: Buffer, charset: string | null, from: number, maxChars: number) =>
      parsing.run('file', { raw, charset, from, maxChars })
    expect(await piece(file, 'shift_jis', 1, 2)).to.deep.equal({ text: '本語', chars: 3 })
    expect(await piece(Buffer.from('\ufeffa😀', 'utf16le'), 'koi8-r', 0, 2)).to.deep.equal({ text: 'a', chars: 3 })
    expect(await piece(Buffer.from('\ufeffé'), null, 0, 9)).to.deep.equal({ text: 'é', chars: 1 })
  })

  it('more jobs than threads wait for their turn', async () => {
    const parsing = open(inThreads)
    const sizes = Array.from({ length: 20 }, (_, n) => n * 1000)
    const arrivals = await Promise.all(sizes.map((size) => arrive(parsing, messageOf(size))))
    expect(arrivals.map(({ snippet }) => snippet.length)).to.deep.equal(sizes.map((size) => Math.min(200, 5 + size)))
  })

  it('too many jobs are refused', async () => {
    const parsing = open({ ...inThreads, workersMax: 1, waitingMax: 2 })
    const taken = [arrive(parsing), arrive(parsing), arrive(parsing)]
    await refused(arrive(parsing))
    expect(await Promise.all(taken)).to.have.length(3)
  })

  it('a job that takes too long fails, and the next one has a new thread', async () => {
    const parsing = open({ ...inThreads, workersMax: 1, jobMs: 1 })
    await refused(arrive(parsing))
    expect(String(errors.at(-1))).to.match(/over 1 ms/)
    await refused(arrive(parsing))
  })

  it('a thread that runs out of memory fails its job alone', async () => {
    const parsing = open({ ...inThreads, workersMax: 1, heapMb: 24 })
    const large = Buffer.from(`Content-Type: text/html\r\n\r\n${'<p title=x>&'.repeat(80_000)}`)
    const attachmentsUrl = 'http://x.example/'
    await refused(
      parsing.run('reading', { raw: large, messageId: 'msg_0', view: 'full', attachmentId: null, attachmentsUrl }),
    )
    expect(await arrive(parsing)).to.include({ snippet: `Grüße${'x'.repeat(100)}` })
  })

  it('idle threads end, and others start when they are needed', async () => {
    const ends: Promise<unknown>[] = []
    const note = (message: unknown) => ends.push(once((message as { readonly worker: Worker }).worker, 'exit'))
    channel('worker_threads').subscribe(note)
    const parsing = open({ ...inThreads, idleMs: 10 })
    await arrive(parsing)
    await Promise.all(ends)
    expect((await arrive(parsing)).parsed.subject).to.equal('big')
    channel('worker_threads').unsubscribe(note)
    expect(ends).to.have.length(2)
  })

  it('closing fails running jobs', async () => {
    const parsing = open({ ...inThreads, workersMax: 1 })
    const work = [refused(arrive(parsing)), refused(arrive(parsing))]
    await parsing.close()
    await Promise.all(work)
    await refused(arrive(parsing))
  })
})
