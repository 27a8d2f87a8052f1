import { expect } from 'chai'
import { deriveThreads } from '../../core/mailbox/threading.ts'
import { sweepArrivals } from '../../core/upkeep/sweep.ts'
import { type Announcer, startAnnouncer } from '../../jobs/announcer.ts'
import { eventually } from '../eventually.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openTenant, type Tenant } from '../start/door.ts'

const dayMs = 86_400_000

type Thread = {
  thread_id: string
  subject: string | null
  participants: { address: string }[]
  message_count: number
  last_message_at: string
  labels: string[]
  awaiting: string
}
type Summary = { message_id: string; thread_id: string; folder: string; subject: string }
type Whole = Thread & { messages: Summary[]; next: string | null }

let letters = 0

/** A message. `id` is its Message-ID, and `headers` are additional header lines. */
function letter({
  id = `l${letters++}@remote.example`,
  from = 'ada@remote.example',
  to = 'agent@tenant.example',
  subject = 'Plan',
  headers = [],
}: {
  id?: string
  from?: string
  to?: string
  subject?: string
  headers?: readonly string[]
} = {}): string {
  return [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, `Message-ID: <${id}>`, ...headers, '', id, ''].join('\n')
}

describe('api: threads', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let box: string
  let announcer: Announcer

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    box = mailboxPath(tenant.address)
    announcer = startAnnouncer(door.ctx)
  })
  after(async () => {
    await announcer?.stop()
    await door?.close()
  })

  const arrive = async (raw: string) => {
    const id = await deliver(door.ctx, { to: tenant.address, raw })
    const { body } = await call<Summary>('GET', `${box}/messages/${id}?view=headers`)
    const thread = await eventually('the thread knows of it', async () => {
      const found = await door.ctx.store.threads.findOne({ _id: body.thread_id })
      return found !== null && found.lastMessageId >= id && found
    })
    return { id, threadId: body.thread_id, thread }
  }
  const threadAt = async (threadId: string) => (await call<Whole>('GET', `${box}/threads/${threadId}`)).body
  const list = async (query = '') => (await call<{ threads: Thread[] }>('GET', `${box}/threads?${query}`)).body.threads
  const idsOf = async (query: string) => (await list(query)).map(({ thread_id }) => thread_id)

  it('is read with the bodies of its messages, cut where they are long', async () => {
    const html = (body: string) => `Content-Type: text/html\n\n${body}`
    const { threadId, id } = await arrive(
      `From: a@r.example\nMessage-ID: <v1@r>\n${html('<b>One</b> <i hidden>x</i>')}`,
    )
    await arrive(
      `From: a@r.example\nIn-Reply-To: <v1@r>\n${html(`<a href="https://x.example/a">Two</a> ${'a '.repeat(90)}`)}`,
    )
    const at = `${box}/threads/${threadId}`
    type Read = {
      messages: { message_id: string; markdown?: string; text?: string; truncated: boolean; next: string }[]
    }
    const { messages } = (await call<Read>('GET', `${at}?view=markdown&max_chars=40`)).body
    expect(messages.map(({ markdown, truncated }) => [markdown, truncated])).to.deep.equal([
      ['**One**', false],
      ['[Two](https://x.example/a) a a a a a a a', true],
    ])
    const last = messages[1]
    const rest = await call<{ markdown: string }>(
      'GET',
      `${box}/messages/${last?.message_id}?view=markdown&cursor=${last?.next}`,
    )
    expect(rest.body.markdown).to.match(/^(?: a)+$/)
    expect((await call<Read>('GET', at)).body.messages[0])
      .to.include({ message_id: id })
      .and.not.have.any.keys('text', 'next')
    expect((await call('GET', `${at}?view=full`)).status).to.equal(400)
  })

  describe('a message joins', () => {
    const orders = [
      ['others that answer a mail which never came', ['<a', '<a'], 1],
      ['its answers that came before it', ['<b', 'b'], 1],
      ['the copy of itself that came by a list', ['c', 'c'], 1],
      ['none that names another root', ['<d', '<e'], 2],
    ] as const
    for (const [name, letters, count] of orders) {
      it(name, async () => {
        const threads: string[] = []
        for (const [n, each] of letters.entries()) {
          const root = `orders-${each.replace('<', '')}@remote.example`
          const raw = each.startsWith('<')
            ? letter({ subject: `Words ${n}`, headers: [`References: <${root}>`] })
            : letter({ id: root, subject: `Words ${n}` })
          threads.push((await arrive(raw)).threadId)
        }
        expect(new Set(threads).size).to.equal(count)
        if (count === 1) expect(await threadAt(threads[0]!)).to.include({ message_count: letters.length })
      })
    }

    it('the thread that References names, nearest first, and shows all oldest first', async () => {
      const first = await arrive(letter({ id: 'root@remote.example' }))
      const second = await arrive(
        letter({ id: 'reply@remote.example', subject: 'Re: Plan', headers: ['References: <root@remote.example>'] }),
      )
      const third = await arrive(
        letter({ subject: 'Other words', headers: ['References: <nobody@x.example> <reply@remote.example>'] }),
      )
      expect([second.threadId, third.threadId]).to.deep.equal([first.threadId, first.threadId])
      const whole = await threadAt(first.threadId)
      expect(whole.messages.map(({ message_id }) => message_id)).to.deep.equal([first.id, second.id, third.id])
      expect(whole).to.deep.include({ subject: 'Plan', message_count: 3, labels: [], awaiting: 'us', next: null })
      expect(whole.participants.map(({ address }) => address)).to.deep.equal(['ada@remote.example', tenant.address])
    })

    it('the thread that In-Reply-To names', async () => {
      const first = await arrive(letter({ id: 'asked@remote.example', subject: 'Question' }))
      const second = await arrive(letter({ subject: 'Answer', headers: ['In-Reply-To: <asked@remote.example>'] }))
      expect(second.threadId).to.equal(first.threadId)
    })

    const bySubject: readonly (readonly [string, Parameters<typeof letter>[0], number, boolean])[] = [
      ['an answer without References, of a participant', { subject: 'Re: Rent for May' }, 1, true],
      ['in another language', { subject: 'AW: Rent for May' }, 1, true],
      ['in other case and spaces', { subject: 'RE:  rent  FOR may' }, 1, true],
      [
        'whose References are unknown',
        { subject: 'Re: Rent for May', headers: ['References: <x@y.example>'] },
        1,
        true,
      ],
      ['of somebody else', { subject: 'Re: Rent for May', from: 'eve@remote.example' }, 1, false],
      ['that is not a reply', { subject: 'Rent for May' }, 1, false],
      ['after 31 days', { subject: 'Re: Rent for May' }, 31, false],
    ]
    for (const [what, answer, days, joins] of bySubject) {
      it(`${joins ? '' : 'not '}by its subject: ${what}`, async () => {
        const first = await arrive(letter({ subject: 'Rent for May' }))
        door.advance(days * dayMs)
        const second = await arrive(letter(answer))
        expect(second.threadId === first.threadId).to.equal(joins)
      })
    }

    it('by its subject a thread that started just before it', async () => {
      const [first, second] = [letter({ subject: 'At once' }), letter({ subject: 'Re: At once' })]
      const ids = [
        await deliver(door.ctx, { to: tenant.address, raw: first }),
        await deliver(door.ctx, { to: tenant.address, raw: second }),
      ]
      const threads = ids.map(async (id) => (await call<Summary>('GET', `${box}/messages/${id}`)).body.thread_id)
      expect(new Set(await Promise.all(threads)).size).to.equal(1)
    })

    it('the thread that In-Reply-To names if its References are unknown', async () => {
      const first = await arrive(letter({ id: 'known@remote.example', subject: 'Known' }))
      const headers = ['References: <unknown@remote.example>', 'In-Reply-To: <known@remote.example>']
      expect((await arrive(letter({ subject: 'Other', headers }))).threadId).to.equal(first.threadId)
    })

    it('not the thread of another mailbox', async () => {
      const other = await makeTenant(door, { name: 'elsewhere' })
      await deliver(door.ctx, { to: other.address, raw: letter({ id: 'there@remote.example' }) })
      const here = await arrive(letter({ headers: ['References: <there@remote.example>'] }))
      expect(here.thread.messageCount).to.equal(1)
    })
  })

  describe('are right after', () => {
    it('labels, moves and deletes; Trash and Spam do not count', async () => {
      const { id: first, threadId } = await arrive(letter({ id: 'count@remote.example', subject: 'Counting' }))
      const reference = { subject: 'Re: Counting', headers: ['References: <count@remote.example>'] }
      const { id: second } = await arrive(letter(reference))
      const { id: third } = await arrive(letter(reference))
      await call('PATCH', `${box}/messages/${second}`, { addLabels: ['todo', 'b'] })
      expect((await threadAt(threadId)).labels).to.deep.equal(['b', 'todo'])
      await call('DELETE', `${box}/messages/${third}`)
      const shown = await threadAt(threadId)
      expect([shown.message_count, shown.messages.map(({ message_id }) => message_id)]).to.deep.equal([
        2,
        [first, second],
      ])
      await call('PATCH', `${box}/messages/${second}`, { folder: 'spam', removeLabels: ['b', 'todo'] })
      expect(await threadAt(threadId)).to.deep.include({ message_count: 1, labels: [] })
      await call('POST', `${box}/messages/${third}/restore`)
      expect((await threadAt(threadId)).message_count).to.equal(2)
    })

    it('all messages were moved to Trash and deleted', async () => {
      const { id, threadId } = await arrive(letter({ subject: 'Going' }))
      await call('DELETE', `${box}/messages/${id}`)
      expect(await idsOf('')).not.to.include(threadId)
      expect(await idsOf('folder=trash')).to.include(threadId)
      expect(await threadAt(threadId)).to.deep.include({ message_count: 1, awaiting: 'none' })
      await call('POST', `${box}/trash/empty`)
      expect(await idsOf('folder=trash')).not.to.include(threadId)
      expect((await call<ErrorBody>('GET', `${box}/threads/${threadId}`)).body.code).to.equal('not_found')
    })

    it('a crash before anything was derived', async () => {
      await announcer.stop()
      const id = await deliver(door.ctx, { to: tenant.address, raw: letter({ subject: 'Crashed' }) })
      const { thread_id } = (await call<Summary>('GET', `${box}/messages/${id}?view=headers`)).body
      expect(await idsOf('')).not.to.include(thread_id)
      door.advance(31_000)
      await sweepArrivals(door.ctx)
      expect(await idsOf('')).to.include(thread_id)
      announcer = startAnnouncer(door.ctx)
    })

    it('20 changes at once, by several processes', async () => {
      const { id, threadId } = await arrive(letter({ subject: 'Busy' }))
      const elsewhere = { ...door.ctx, store: { ...door.ctx.store } }
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          await call('PATCH', `${box}/messages/${id}`, { addLabels: [`l${n}`] })
          await deriveThreads(n % 2 === 0 ? elsewhere : door.ctx, [{ mailboxId: tenant.mailboxId, threadId }])
        }),
      )
      expect((await threadAt(threadId)).labels).to.have.length(20)
    })
  })

  describe('await', () => {
    it('us after theirs, them after ours', async () => {
      const { id, threadId } = await arrive(letter({ subject: 'Your turn' }))
      expect((await threadAt(threadId)).awaiting).to.equal('us')
      const { status } = await call('POST', `${box}/messages/${id}/reply`, { text: 'Done.' })
      expect(status).to.equal(202)
      const whole = await threadAt(threadId)
      expect([whole.awaiting, whole.message_count, whole.messages.at(-1)?.folder]).to.deep.equal(['them', 2, 'Sent'])
    })

    it('nobody once the last message was archived', async () => {
      const { id, threadId } = await arrive(letter({ subject: 'Filed' }))
      await call('PATCH', `${box}/messages/${id}`, { folder: 'archive' })
      expect((await threadAt(threadId)).awaiting).to.equal('none')
    })
  })

  describe('are listed', () => {
    let own: Tenant
    let ownCall: Call
    const listed = async (query: string) =>
      (await ownCall<{ threads: Thread[]; next: string | null }>('GET', `${mailboxPath(own.address)}/threads?${query}`))
        .body

    before(async () => {
      own = await makeTenant(door, { name: 'lists' })
      ownCall = client(door.http, own.key)
      const subjects = ['One', 'Two', 'Three', 'Four', 'Five']
      for (const [n, subject] of subjects.entries()) {
        const from = n === 1 ? 'Eve <eve@remote.example>' : 'ada@remote.example'
        const raw = letter({ id: `list${n}@remote.example`, subject, from, to: own.address })
        const id = await deliver(door.ctx, { to: own.address, raw })
        if (n === 2)
          await ownCall('PATCH', `${mailboxPath(own.address)}/messages/${id}`, {
            flagged: true,
            seen: true,
            addLabels: ['x'],
          })
        if (n === 3) await ownCall('PATCH', `${mailboxPath(own.address)}/messages/${id}`, { folder: 'archive' })
        door.advance(1_000)
      }
      await deliver(door.ctx, {
        to: own.address,
        raw: letter({ subject: 'Re: One', to: own.address, headers: ['References: <list0@remote.example>'] }),
      })
      door.advance(31_000)
      await sweepArrivals(door.ctx)
    })

    it('by their newest message, in stable pages', async () => {
      const seen: (string | null)[] = []
      let query = 'limit=2'
      for (;;) {
        const { threads, next } = await listed(query)
        seen.push(...threads.map(({ subject }) => subject))
        if (next === null) break
        query = `limit=2&before=${next}`
      }
      expect(seen).to.deep.equal(['One', 'Five', 'Four', 'Three', 'Two'])
    })

    const filters: readonly (readonly [string, readonly string[]])[] = [
      ['folder=archive', ['Four']],
      ['folder=INBOX&unread=true', ['One', 'Five', 'Two']],
      ['unread=false', ['Three']],
      ['flagged=true', ['Three']],
      ['label=x', ['Three']],
      ['label=x&unread=true', []],
      ['from=EVE@remote.example', ['Two']],
      ['to=agent@lists.example&flagged=true', ['Three']],
      ['subject=fIv', ['Five']],
      ['subject=Five%00', []],
      ['has_attachment=true', []],
      ['has_attachment=false&limit=1', ['One']],
      ['until=2020-01-01T00:00:00Z', []],
      ['since=2020-01-01T00:00:00Z&from=eve@remote.example', ['Two']],
    ]
    for (const [query, expected] of filters) {
      it(query, async () => {
        expect((await listed(query)).threads.map(({ subject }) => subject)).to.deep.equal(expected)
      })
    }

    it('and each is read in pages from the end', async () => {
      const [{ thread_id } = { thread_id: '' }] = (await listed('limit=1')).threads
      const where = `${mailboxPath(own.address)}/threads/${thread_id}`
      const last = (await ownCall<Whole>('GET', `${where}?limit=1`)).body
      const first = (await ownCall<Whole>('GET', `${where}?limit=1&before=${last.next}`)).body
      expect([last.messages[0]?.subject, first.messages[0]?.subject, first.next]).to.deep.equal([
        'Re: One',
        'One',
        null,
      ])
    })

    const refusals: readonly (readonly [string, number, string])[] = [
      ['threads?before=x', 400, 'validation_error'],
      ['threads?limit=0', 400, 'validation_error'],
      ['threads?thread_id=x', 400, 'validation_error'],
      ['threads?folder=nowhere', 404, 'not_found'],
      ['threads/thr_none', 404, 'not_found'],
    ]
    for (const [where, status, code] of refusals) {
      it(`${where}: ${code}`, async () => {
        const answer = await call<ErrorBody>('GET', `${box}/${where}`)
        expect([answer.status, answer.body.code]).to.deep.equal([status, code])
      })
    }

    it('but not for another tenant', async () => {
      const [{ thread_id } = { thread_id: '' }] = (await listed('limit=1')).threads
      expect((await call<ErrorBody>('GET', `${mailboxPath(own.address)}/threads`)).body.code).to.equal(
        'mailbox_not_found',
      )
      expect((await call<ErrorBody>('GET', `${box}/threads/${thread_id}`)).body.code).to.equal('not_found')
    })
  })
})
