import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { makeFolders } from '../../cli/instance.ts'
import { Failure } from '../../schemas/failures.ts'

describe('the folders of an instance', () => {
  let root: string
  let data: string
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'mailroom-folders-'))
    data = path.join(root, 'data')
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const modeOf = async (folder: string) => ((await stat(folder)).mode & 0o7777).toString(8)
  const refusalOf = async (folder: string) => {
    const error: unknown = await makeFolders(folder).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(Failure)
    const { message, fix } = error as Failure
    return `${message} ${fix}`
  }

  it('are their owner’s alone when they are new', async () => {
    await makeFolders(data)
    expect([await modeOf(data), await modeOf(path.join(data, 'engine'))]).to.deep.equal(['700', '700'])
  })

  for (const mode of [0o700, 0o701, 0o710, 0o711, 0o740, 0o750, 0o755, 0o770, 0o775, 0o777, 0o2775]) {
    it(`become their owner’s alone when they are there with mode ${mode.toString(8)}`, async () => {
      for (const folder of [data, path.join(data, 'engine')]) {
        await mkdir(folder)
        await chmod(folder, mode)
      }
      await makeFolders(data)
      expect([await modeOf(data), await modeOf(path.join(data, 'engine'))]).to.deep.equal(['700', '700'])
    })
  }

  it('may be reached by a link', async () => {
    await mkdir(data, { mode: 0o755 })
    await symlink(data, path.join(root, 'link'))
    await makeFolders(path.join(root, 'link'))
    expect(await modeOf(data)).to.equal('700')
  })

  it('stay narrower than they must be', async () => {
    await mkdir(path.join(data, 'engine'), { recursive: true })
    await chmod(data, 0o500)
    await makeFolders(data)
    expect(await modeOf(data)).to.equal('500')
  })

  it('that belong to everybody are refused, and stay as they are', async () => {
    await mkdir(data)
    await chmod(data, 0o1777)
    expect(await refusalOf(data))
      .to.include(data)
      .and.include('MAILROOM_DATA')
    expect(await modeOf(data)).to.equal('1777')
  })

  it('that belong to somebody else are refused, and stay as they are', async () => {
    const others = await ofSomebodyElse()
    const before = await modeOf(others)
    expect(await refusalOf(others))
      .to.include(`"chown ${process.getuid?.()} ${others}"`)
      .and.include('MAILROOM_DATA')
    expect(await modeOf(others)).to.equal(before)
  })

  it('inside it that belong to somebody else are refused', async function () {
    if (process.getuid?.() !== 0) return this.skip()
    await makeFolders(data)
    await chown(path.join(data, 'engine'), 65_534, 65_534)
    expect(await refusalOf(data)).to.include(path.join(data, 'engine'))
  })

  /** A folder of another user: who may not give one away takes one of the administrator. */
  async function ofSomebodyElse(): Promise<string> {
    if (process.getuid?.() !== 0) return '/usr'
    await mkdir(data, { mode: 0o755 })
    await chown(data, 65_534, 65_534)
    return data
  }
})
