import { mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeInstance } from '../../plugins/instance.ts'
import { defaultSettings, type SettingsChange } from '../default-settings.ts'

const repository = process.cwd()

describe('writeInstance', () => {
  let data: string
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'mailroom-instance-'))
  })
  afterEach(() => rm(data, { recursive: true }))

  async function write(change: SettingsChange = {}): Promise<(file: string) => Promise<string>> {
    const dir = join(data, 'haraka')
    const tls = { key: join(data, 'key.pem'), cert: join(data, 'cert.pem') }
    await writeInstance({ dir, settings: defaultSettings({ data, ...change }), repository, tls })
    return (file) => readFile(join(dir, 'config', file), 'utf8')
  }

  it('writes what the settings say', async () => {
    const read = await write({ hostname: 'mx.mail.test', smtp: { host: '::1', port: 2600 } })
    expect(await read('smtp.ini'))
      .to.include('listen=[::1]:2600')
      .and.include('nodes=0')
    expect(await read('me')).to.equal('mx.mail.test\n')
    expect(await read('connection.ini')).to.include('data_line_length=65536')
    expect(await read('tls.ini')).to.include(`key=${data}/key.pem`)
  })

  it('leaves no value open', async () => {
    const read = await write()
    for (const file of await readdir(join(data, 'haraka', 'config'))) expect(await read(file)).not.to.include('${')
  })

  it('replaces what was there, and links to the plugins', async () => {
    await write({ hostname: 'old.test' })
    await writeFile(join(data, 'haraka', 'config', 'host_list'), 'left over')
    const read = await write({ hostname: 'new.test' })
    expect(await read('me')).to.equal('new.test\n')
    expect(await readdir(join(data, 'haraka', 'config'))).not.to.include('host_list')
    expect(await realpath(await readlink(join(data, 'haraka', 'plugins')))).to.equal(join(repository, 'plugins'))
    expect(await readdir(join(repository, 'plugins'))).to.include('instance.ts')
  })

  it('refuses load balancers that are no addresses or networks', async () => {
    for (const proxy of ['192.0.2.300', '192.0.2.0/33']) {
      const error: unknown = await write({ smtp: { proxies: [proxy] } }).catch((reason: unknown) => reason)
      expect(String(error)).to.include(`smtp.proxies: ${proxy} is neither an address nor a network`)
    }
  })

  it('lets nobody give INTERNALCMD orders', async () => {
    const first = await (await write())('internalcmd_key')
    const second = await (await write())('internalcmd_key')
    expect(first)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(second)
  })
})
