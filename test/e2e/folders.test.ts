import { expect } from 'chai'
import { eventually } from '../eventually.ts'
import { client } from '../peers/rest.ts'
import { asSent, sendMail } from '../peers/send-mail.ts'
import type { Service } from '../start/service.ts'
import { useSharedService } from '../start/shared-service.ts'

type Call = ReturnType<typeof client>
type Thread = { thread_id: string; message_count: number; awaiting: string; labels: string[] }
type Folder = { path: string; total: number; unread: number }

describe('folders and threads of a running service', () => {
  let service: Service
  let call: Call
  let address: string
  let box: string

  useSharedService((shared) => {
    service = shared.service
  })
  before(async () => {
    const { body } = await client(service.http)<{ api_key: string }>('POST', '/api/v1/signup', { name: 'folders' })
    call = client(service.http, body.api_key)
    const { body: list } = await call<{ mailboxes: { address: string }[] }>('GET', '/api/v1/mailboxes')
    address = list.mailboxes[0]?.address ?? ''
    box = `/api/v1/mailboxes/${encodeURIComponent(address)}`
  })

  const send = (n: number, lines: readonly string[]) =>
    sendMail(service.smtp, {
      from: 'ada@remote.example',
      to: address,
      raw: asSent(
        Buffer.from(
          [
            `From: ada@remote.example`,
            `To: ${address}`,
            `Message-ID: <m${n}@remote.example>`,
            ...lines,
            '',
            `${n}`,
          ].join('\n'),
        ),
      ),
    })
  const threads = async (query = '') =>
    (await call<{ threads: Thread[] }>('GET', `${box}/threads?${query}`)).body.threads
  const inbox = async () => {
    const { folders } = (await call<{ folders: Folder[] }>('GET', `${box}/folders`)).body
    return folders.find(({ path }) => path === 'INBOX')
  }

  it('an incoming message joins its thread, by reference or by subject', async () => {
    await send(1, ['Subject: Offer'])
    await eventually('the thread', async () => (await threads()).length === 1)
    await send(2, ['Subject: Other', 'References: <m1@remote.example>'])
    await send(3, ['Subject: Re: Offer'])
    await send(4, ['Subject: Offer'])
    const counts = await eventually('both threads', async () => {
      const found = (await threads()).map(({ message_count }) => message_count).sort()
      return found.join() === '1,3' && found
    })
    expect(counts).to.deep.equal([1, 3])
    expect(await inbox()).to.include({ total: 4, unread: 4 })
  })

  it('changes are visible at once in folders, labels and threads', async () => {
    const { body } = await call<{ messages: { message_id: string; thread_id: string }[] }>('GET', `${box}/messages`)
    const [newest] = body.messages
    const path = `${box}/messages/${newest?.message_id}`
    await call('PATCH', path, { seen: true, addLabels: ['todo'] })
    expect(await inbox()).to.include({ total: 4, unread: 3 })
    expect((await call('GET', `${box}/labels`)).body.labels).to.deep.equal([{ label: 'todo', count: 1 }])
    expect((await threads('label=todo')).map(({ thread_id }) => thread_id)).to.deep.equal([newest?.thread_id])
    await call('DELETE', path)
    expect((await threads()).map(({ message_count }) => message_count)).to.deep.equal([3])
    expect((await call('POST', `${box}/trash/empty`)).body.deleted).to.equal(1)
    expect((await call('GET', `${box}/labels`)).body.labels).to.deep.equal([])
    expect(await inbox()).to.include({ total: 3, unread: 3 })
  })
})
