import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import type { Json } from '../peers/rest.ts'
import { type Call, mailboxPath } from '../peers/rest.ts'
import { connectMcp, type Door, deliver, openTenant, type Tenant } from '../start/door.ts'

describe('mcp: files of text', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let mcp: Client

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    mcp = await connectMcp(door.http, tenant.key, '?bodies=structured')
  })
  after(async () => {
    await mcp?.close()
    await door?.close()
  })

  async function attached(content: Buffer, type: string): Promise<Json> {
    const encoded = content.toString('base64').replace(/.{76}/g, '$&\n')
    const raw = `From: a@remote.example\nContent-Type: ${type}\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${encoded}\n`
    const message_id = await deliver(door.ctx, { to: tenant.address, raw })
    const { body } = await call<{ attachments: { id: string }[] }>(
      'GET',
      `${mailboxPath(tenant.address)}/messages/${message_id}`,
    )
    return { mailbox: tenant.address, message_id, attachment_id: body.attachments[0]?.id }
  }
  const fetched = async (given: Json) =>
    ((await mcp.callTool({ name: 'get_attachment', arguments: given })) as CallToolResult).structuredContent as Json & {
      readonly untrusted: Json
    }

  it('have nothing in them that cannot be seen', async () => {
    const content = Buffer.from('a,\u{e0073}\u{e0065}\u{e006e}\u{e0064}b\n👩\u200d💻')
    const { untrusted } = await fetched(await attached(content, 'text/csv'))
    expect(untrusted.text).to.equal('a,b\n👩\u200d💻')
  })

  const refused: readonly (readonly [name: string, type: string, cursors: readonly string[]])[] = [
    ['what is no row of digits', 'text/plain', ['', ' ', '0x10', '1e3', '-1', '+1', '1.5', '３']],
    ['one behind the end', 'text/plain', ['6', '99999999999999999']],
    ['any of a file that is no text', 'image/png', ['', '0', 'x']],
  ]
  for (const [name, type, cursors] of refused)
    it(`take no cursor but their own: ${name}`, async () => {
      const given = await attached(Buffer.from('Hello'), type)
      for (const cursor of cursors) {
        const answer = await fetched({ ...given, cursor })
        expect(answer, JSON.stringify(cursor)).to.include({ code: 'validation_error', param: 'cursor' })
      }
    })

  it('go on at their cursor', async () => {
    const given = await attached(Buffer.from('Hello'), 'text/plain')
    expect((await fetched({ ...given, cursor: '2' })).untrusted.text).to.equal('llo')
  })

  const charsets: readonly (readonly [name: string, type: string, hex: string, text: string])[] = [
    ['Shift_JIS', 'text/csv; charset=Shift_JIS', '93fa967b2c31', '日本,1'],
    ['GB18030', 'text/plain; charset=gb18030', 'd6d0b9fa', '中国'],
    ['KOI8-R', 'text/plain; charset=koi8-r', 'cdc9d2', 'мир'],
    ['ISO-2022-JP', 'text/plain; charset=iso-2022-jp', '1b2442467c4b5c1b2842', '日本'],
    ['UTF-16 with a mark', 'text/csv', 'fffee9002c003100', 'é,1'],
    ['UTF-16 with a mark, big-endian', 'text/csv; charset=utf-8', 'feff00e9002c', 'é,'],
    ['UTF-8 with a mark', 'text/csv; charset=koi8-r', 'efbbbfc3a9', 'é'],
    ['UTF-8 without a charset', 'application/json', '22c3a922', '"é"'],
    ['windows-1252 without a charset', 'text/csv', 'e9', 'é'],
    ['a charset nobody knows', 'text/plain; charset=none', 'c3a9', 'é'],
  ]
  for (const [name, type, hex, text] of charsets)
    it(`are read by their mark, their charset, or as UTF-8 or windows-1252: ${name}`, async () => {
      const answer = await fetched(await attached(Buffer.from(hex, 'hex'), type))
      expect(answer).to.include({ form: 'text', next: null })
      expect(answer.untrusted.text).to.equal(text)
    })

  it('are whole in their pieces, however long they are', async () => {
    const line = Buffer.from('93fa967b8cea0a', 'hex')
    const given = await attached(Buffer.concat(Array(50_000).fill(line)), 'text/csv; charset=shift_jis')
    expect((await fetched({ ...given, cursor: '199990' })).untrusted.text).to.equal('語\n日本語\n日本語\n'.slice(-10))
  })
})
