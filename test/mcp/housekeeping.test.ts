import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { announceArrivals } from '../../core/receive/announce.ts'
import { connectMcp, type Door, deliver, openTenant, type Tenant } from '../start/door.ts'

type Fields = { readonly [name: string]: unknown }

describe('mcp: housekeeping', () => {
  let door: Door
  let tenant: Tenant
  let mcp: Client
  let id: string

  before(async () => {
    ;({ door, tenant } = await openTenant())
    mcp = await connectMcp(door.http, tenant.key)
    id = await deliver(door.ctx, { to: tenant.address, raw: 'From: ada@remote.example\nSubject: Hello\n\nx\n' })
    await announceArrivals(door.ctx, [id])
  })
  after(async () => {
    await mcp?.close()
    await door?.close()
  })

  async function use(name: string, given: Fields = {}): Promise<Fields> {
    const result = (await mcp.callTool({ name, arguments: { mailbox: tenant.address, ...given } })) as CallToolResult
    return result.structuredContent as Fields
  }

  it('list_folders', async () => {
    const { folders } = (await use('list_folders')) as { folders: Fields[] }
    expect(folders[0]).to.deep.equal({ path: 'INBOX', role: 'inbox', total: 1, unread: 1 })
  })

  it('label_message adds and removes', async () => {
    expect((await use('label_message', { message_id: id, addLabels: ['a', 'b'] })).labels).to.deep.equal(['a', 'b'])
    expect((await use('label_message', { message_id: id, removeLabels: ['b'] })).labels).to.deep.equal(['a'])
  })

  it('get_thread keeps what strangers wrote apart', async () => {
    const { thread_id } = (await use('read_message', { message_id: id })) as { thread_id: string }
    const thread = await use('get_thread', { thread_id })
    expect(thread).to.deep.include({ thread_id, message_count: 1, labels: ['a'], awaiting: 'us' })
    expect((thread.untrusted as Fields).subject).to.equal('Hello')
    expect(thread.messages).to.have.length(1)
  })

  it('mark_all_read', async () => {
    expect(await use('mark_all_read', { folder: 'inbox' })).to.deep.equal({ success: true, updated: 1 })
  })

  it('delete_message, restore_message, empty_trash', async () => {
    expect((await use('delete_message', { message_id: id })).folder).to.equal('Trash')
    expect((await use('restore_message', { message_id: id })).folder).to.equal('INBOX')
    await use('delete_message', { message_id: id })
    expect(await use('empty_trash')).to.deep.equal({ success: true, deleted: 1 })
  })
})
