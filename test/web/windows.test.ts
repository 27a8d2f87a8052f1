/** The dashboard in several windows, and what is done in it twice, in a hurry, or while the service is away. */
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { joinAccount } from '../../core/people/members.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import { settleDue } from '../../core/send/settle.ts'
import { failures } from '../../schemas/failures.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { de } from '../../web/words/de/all.ts'
import { eventually } from '../eventually.ts'
import { client, mailboxPath } from '../peers/rest.ts'
import { type DashboardDoor, fieldTime, openDashboard, shown, type Viewer } from '../start/dashboard.ts'
import { deliver, makeKey, makeTenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'

describe('web: windows', () => {
  let door: DashboardDoor
  let viewer: Viewer
  let page: Page
  let box: string
  let call: ReturnType<typeof client>

  before(async () => {
    door = await openDashboard()
    call = client(door.http, door.tenant.key)
    box = `/mail/${encodeURIComponent(door.tenant.address)}`
  })
  after(() => door?.close())
  beforeEach(async () => {
    viewer = await door.view({ faults: ['ERR_FAILED', 'status of 403', 'status of 502'] })
    ;({ page } = viewer)
    page.setDefaultTimeout(30_000)
  })
  afterEach(() => viewer?.close())

  let mails = 0
  const write = (subject: string) =>
    deliver(door.ctx, {
      to: door.tenant.address,
      from: 'delivered@simulator.invalid',
      raw: `From: Ann <delivered@simulator.invalid>\nTo: ${door.tenant.address}\nSubject: ${subject}\nMessage-ID: <w${++mails}@remote.example>\n\nIt is ready.\n`,
    })
  const rowOn = (on: Page, subject: string) =>
    on.getByRole('region', { name: 'Messages' }).getByRole('link', { name: subject })
  const begun = () => page.locator('[role="dialog"] form:not([inert])').waitFor()
  const body = () => page.getByRole('textbox', { name: 'Message' })
  type Listed = { readonly message_id: string; readonly subject: string }
  const listed = async (query = '') => {
    const path = `${mailboxPath(door.tenant.address)}/messages${query}`
    return (await call<{ messages: readonly Listed[] }>('GET', path)).body.messages
  }
  const sends = (subject: string) => door.ctx.store.emails.countDocuments({ subject })
  async function another(path: string): Promise<Page> {
    const other = await viewer.context.newPage()
    other.setDefaultTimeout(30_000)
    await other.goto(viewer.at(path))
    return other
  }

  describe('writing', () => {
    let desk: string
    before(async () => {
      desk = `desk@${door.tenant.address.split('@')[1]}`
      await call('POST', '/api/v1/mailboxes', { address: desk, kind: 'person' })
    })
    async function begin(subject: string): Promise<void> {
      await page.goto(viewer.at(`/mail/${desk}?write=new`))
      await begun()
      await page.getByRole('combobox', { name: 'To' }).fill('delivered@simulator.invalid')
      await page.getByRole('textbox', { name: 'Subject' }).fill(subject)
      await body().fill('Hello')
    }

    it('a mail is sent once, whatever is pressed while it is on its way', async () => {
      await begin('Once')
      const held: (() => void)[] = []
      let asked = 0
      await page.route('**/send', async (route) => {
        asked += 1
        await new Promise<void>((resolve) => held.push(resolve))
        await route.continue()
      })
      await page.keyboard.press('Control+Enter')
      await eventually('the request', async () => held.length > 0)
      await page.keyboard.type('!')
      await page.keyboard.press('Control+Enter')
      for (const release of held) release()
      await page.getByText('On its way.').waitFor()
      expect([asked, await sends('Once')]).to.deep.equal([1, 1])
    })

    it('a mail whose answer was lost is not sent twice by who sends it again', async () => {
      await begin('Lost answer')
      await page.route('**/send', async (route) => {
        await route.fetch()
        await route.abort()
      })
      await page.keyboard.press('Control+Enter')
      await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
      expect(await body().inputValue()).to.equal('Hello')
      await page.unroute('**/send')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('On its way.').waitFor()
      expect(await sends('Lost answer')).to.equal(1)
    })

    it('a mail that is to be planned is not sent before its time was chosen', async () => {
      await begin('Planned')
      await page.getByRole('button', { name: 'Send later' }).click()
      await body().press('Control+Enter')
      await page.locator('input[type="datetime-local"]:focus').waitFor()
      await page.locator('input[type="datetime-local"]').fill('2199-01-02T03:04')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await body().press('Control+Enter')
      await page.getByText('On its way.').waitFor()
      expect(await sends('Planned')).to.equal(1)
    })

    it('a mail that was planned is a draft again by the way back, also where it had not been kept yet', async () => {
      await page.goto(viewer.at(`${box}?write=new`))
      await begun()
      await page.getByRole('combobox', { name: 'To' }).fill('delivered@simulator.invalid')
      await page.getByRole('textbox', { name: 'Subject' }).fill('Back again')
      await page.getByRole('button', { name: 'Send later' }).click()
      const at = new Date(door.ctx.clock.now().getTime() + dayMs)
      await page.locator('input[type="datetime-local"]').fill(await fieldTime(page, at))
      await body().fill('Not yet')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await begun()
      await eventually('the draft', async () => (await body().inputValue()) === 'Not yet')
      expect(await page.getByRole('textbox', { name: 'Subject' }).inputValue()).to.equal('Back again')
      expect(
        await door.ctx.store.emails.countDocuments({ scheduledFor: { $exists: true }, subject: 'Back again' }),
      ).to.equal(0)
    })

    it('an answer to all names each of them once', async () => {
      const { address } = door.tenant
      const raw = `From: Ann <ann@remote.example>\nTo: ${address}, bob@remote.example\nCc: Bob@remote.example, ann@remote.example\nSubject: To all\n\nHi\n`
      await deliver(door.ctx, { to: address, from: 'ann@remote.example', raw })
      await page.goto(viewer.at(box))
      await rowOn(page, 'To all').click()
      await page.getByRole('button', { name: 'Reply to all' }).click()
      await begun()
      const fields = [
        page.getByRole('combobox', { name: 'To' }),
        page.getByRole('combobox', { name: 'Cc', exact: true }),
      ]
      expect(await Promise.all(fields.map((field) => field.inputValue()))).to.deep.equal([
        'Ann <ann@remote.example>',
        'bob@remote.example',
      ])
    })
  })

  it('what an agent sends comes to Sent while that is open', async () => {
    await page.goto(viewer.at(`${box}/sent`))
    await shown(page)
    await call('POST', `${mailboxPath(door.tenant.address)}/send`, {
      to: ['delivered@simulator.invalid'],
      subject: 'By an agent',
      text: 'Hello',
    })
    await carryOutgoing(door.ctx)
    door.advance(minuteMs)
    await settleDue(door.ctx)
    await rowOn(page, 'By an agent').waitFor()
  })

  describe('drafts', () => {
    async function openDraft(subject: string): Promise<void> {
      const fields = { to: ['delivered@simulator.invalid'], subject, html: '<p>The price is <b>five</b>.</p>' }
      await call('POST', `${mailboxPath(door.tenant.address)}/drafts`, fields)
      await page.goto(viewer.at(`${box}/drafts`))
      await rowOn(page, subject).click()
      await page.getByRole('button', { name: 'Go on writing' }).waitFor()
    }

    it('one with HTML keeps it while its text is not changed, and is gone from the list once it was sent', async () => {
      await openDraft('With HTML')
      await page.keyboard.press('Enter')
      await begun()
      await page.getByRole('textbox', { name: 'Subject' }).fill('With HTML still')
      await page.keyboard.press('Control+Enter')
      await page.getByText('On its way.').waitFor()
      await rowOn(page, 'With HTML').waitFor({ state: 'detached' })
      expect(await page.getByText('There is no message').count()).to.equal(0)
      const [sent] = await listed('?folder=sent')
      const { body: whole } = await call('GET', `${mailboxPath(door.tenant.address)}/messages/${sent?.message_id}`)
      expect(whole.subject).to.equal('With HTML still')
      expect(whole.html).to.contain('<p>The price is <b>five</b>.</p>')
    })

    it('one that was thrown away comes back, and the keys of a button are its own', async () => {
      await openDraft('Thrown away')
      await page.getByRole('button', { name: 'Go on writing' }).press('Enter')
      await begun()
      await page.getByRole('button', { name: 'Throw the draft away' }).press('Enter')
      await rowOn(page, 'Thrown away').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo z' }).press('Enter')
      await begun()
      expect(await body().inputValue()).to.contain('The price is five.')
      await page.getByRole('button', { name: 'Send', exact: true }).press('Escape')
      await page.locator('[role="dialog"]').waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Thrown away' }).waitFor()
      await page.getByRole('button', { name: 'Move to Trash' }).press('Enter')
      await page.getByText('Moved to Trash.').waitFor()
    })
  })

  it('what was put away from a label comes back to the folders in which it was', async () => {
    const path = mailboxPath(door.tenant.address)
    await write('Two folders')
    const id = (await listed()).find(({ subject }) => subject === 'Two folders')?.message_id
    const answer = await call('POST', `${path}/messages/${id}/reply`, { text: 'Thank you.' })
    const third = await call('POST', `${path}/messages/${id}/reply`, { text: 'Thank you again.' })
    const ids = [id, answer.body.message_id as string, third.body.message_id as string]
    for (const each of ids)
      await eventually('the label', async () => {
        const { status } = await call('PATCH', `${path}/messages/${each}`, { addLabels: ['project'] })
        return status === 200
      })
    // The conversation does not show mail in Trash, and the label does.
    await call('PATCH', `${path}/messages/${ids[1]}`, { folder: 'trash' })
    const folders = () =>
      Promise.all(ids.map(async (each) => (await call('GET', `${path}/messages/${each}`)).body.folder as string))
    await page.goto(viewer.at(`${box}?label=project`))
    await rowOn(page, 'Two folders').click()
    await page.getByText('2 messages').waitFor()
    await page.keyboard.press('e')
    await page.getByText('Archived.').waitFor()
    expect(await folders()).to.deep.equal(['Archive', 'Archive', 'Archive'])
    await page.keyboard.press('z')
    await eventually('the way back', async () => (await folders()).every((folder) => folder !== 'Archive'))
    expect(await folders()).to.deep.equal(['INBOX', 'Trash', 'Sent'])
  })

  it('what was marked as spam comes back to the folder in which it was, and teaches nothing before it stays there', async () => {
    const path = mailboxPath(door.tenant.address)
    const lessons = async () =>
      (await door.ctx.store.mailboxes.findOne({ _id: door.tenant.mailboxId }))?.lessons?.map(({ address, spam }) => [
        address,
        spam,
      ]) ?? []
    await call('POST', `${path}/folders`, { name: 'Projects' })
    for (const folder of ['Projects', 'Trash']) {
      const subject = `Judged in ${folder}`
      const raw = `From: Eve <eve@remote.example>\nSubject: ${subject}\n\nBuy now.\n`
      await deliver(door.ctx, { to: door.tenant.address, from: 'eve@remote.example', raw })
      const id = (await listed()).find((each) => each.subject === subject)?.message_id
      await call('PATCH', `${path}/messages/${id}`, { folder })
      const folderNow = async () => (await call('GET', `${path}/messages/${id}`)).body.folder as string
      await page.goto(viewer.at(`${box}/${folder === 'Trash' ? 'trash' : folder}`))
      await rowOn(page, subject).click()
      await page.getByRole('heading', { name: subject }).waitFor()
      await page.keyboard.press('!')
      await page.getByText('Marked as spam.').waitFor()
      expect(await folderNow()).to.equal('Spam')
      await page.keyboard.press('z')
      await eventually('the way back', async () => (await folderNow()) !== 'Spam')
      await rowOn(page, subject).waitFor()
      expect(await folderNow()).to.equal(folder)
    }
    expect(await lessons()).to.deep.equal([])
    await page.getByRole('heading', { name: 'Judged in Trash' }).waitFor()
    await page.keyboard.press('!')
    await page.getByText('Marked as spam.').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await eventually('the lesson', async () => (await lessons()).length > 0)
    expect(await lessons()).to.deep.equal([['eve@remote.example', true]])
  })

  for (const [name, how] of [
    ['the key', () => page.keyboard.press('!')],
    ['the button', () => page.getByRole('button', { name: 'It is no spam' }).click()],
  ] as const)
    it(`what is marked as no spam by ${name} leaves Spam, and its sender is welcome`, async () => {
      const path = mailboxPath(door.tenant.address)
      const sender = `${name.replace(' ', '-')}@kind.example`
      const ids: string[] = []
      for (const subject of ['Kind words', 'Kind words again']) {
        const raw = `From: Fay <${sender}>\nSubject: ${subject} by ${name}\n\nThank you.\n`
        ids.push(await deliver(door.ctx, { to: door.tenant.address, from: sender, raw }))
        await call('PATCH', `${path}/messages/${ids.at(-1)}`, { folder: 'spam' })
      }
      const foldersNow = () =>
        Promise.all(ids.map(async (id) => (await call('GET', `${path}/messages/${id}`)).body.folder as string))
      await page.goto(viewer.at(`${box}/spam`))
      // First the upper row, after which the other one is opened, and then the last one.
      for (const subject of [`Kind words again by ${name}`, `Kind words by ${name}`]) {
        await rowOn(page, subject).click()
        await page.getByRole('heading', { name: subject }).waitFor()
        await how()
        await page.getByText('Marked as no spam.').last().waitFor()
        await page.getByRole('button', { name: 'Dismiss' }).last().click()
      }
      await eventually('the way back', async () => !(await foldersNow()).includes('Spam'))
      expect(await foldersNow()).to.deep.equal(['INBOX', 'INBOX'])
      const { lessons = [] } = (await door.ctx.store.mailboxes.findOne({ _id: door.tenant.mailboxId })) ?? {}
      expect(lessons.filter(({ address }) => address === sender).map(({ spam }) => spam)).to.deep.equal([false])
    })

  it('what was marked as no spam stays in Spam and teaches nothing if that is undone', async () => {
    const path = mailboxPath(door.tenant.address)
    const raw = 'From: Gil <gil@kind.example>\nSubject: Judged kindly\n\nThank you.\n'
    const id = await deliver(door.ctx, { to: door.tenant.address, from: 'gil@kind.example', raw })
    await call('PATCH', `${path}/messages/${id}`, { folder: 'spam' })
    await page.goto(viewer.at(`${box}/spam`))
    await rowOn(page, 'Judged kindly').click()
    await page.getByRole('heading', { name: 'Judged kindly' }).waitFor()
    await page.keyboard.press('!')
    await page.getByText('Marked as no spam.').waitFor()
    await rowOn(page, 'Judged kindly').waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    await rowOn(page, 'Judged kindly').waitFor()
    expect((await call('GET', `${path}/messages/${id}`)).body.folder).to.equal('Spam')
    const { lessons = [] } = (await door.ctx.store.mailboxes.findOne({ _id: door.tenant.mailboxId })) ?? {}
    expect(lessons.filter(({ address }) => address === 'gil@kind.example')).to.deep.equal([])
  })

  it('what was removed comes back on its own page when that is undone on the page of another', async () => {
    const urls = ['https://one.example/hook', 'https://two.example/hook'] as const
    const answers = await Promise.all(
      urls.map((url) => call<{ id: string }>('POST', '/api/v1/webhooks', { url, events: ['message.received'] })),
    )
    const headingOf = (url: string) => page.getByRole('heading', { name: url })
    await page.goto(viewer.at(`/webhooks/${answers[0]?.body.id}`))
    await headingOf(urls[0]).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: urls[1] }).click()
    await headingOf(urls[1]).waitFor()
    await page.keyboard.press('z')
    await headingOf(urls[0]).waitFor()
    expect(await headingOf(urls[1]).count()).to.equal(0)
  })

  it('in the mailbox of a person a conversation shows all messages of its row, which are read, and unread again when told', async () => {
    const address = `home@${door.tenant.address.split('@')[1]}`
    await call('POST', '/api/v1/mailboxes', { address, kind: 'person' })
    for (const n of [0, 1, 2]) {
      const fields = `Message-ID: <home${n}@kind.example>\nReferences: <home0@kind.example>`
      const raw = `From: Jo <jo@kind.example>\nSubject: At home\n${fields}\n\nWord ${n}.\n`
      await deliver(door.ctx, { to: address, from: 'jo@kind.example', raw })
    }
    const seen = async () =>
      (await call<{ messages: { seen: boolean }[] }>('GET', `${mailboxPath(address)}/messages`)).body.messages.map(
        (message) => message.seen,
      )
    await page.goto(viewer.at(`/mail/${encodeURIComponent(address)}/inbox`))
    await rowOn(page, 'At home').click()
    await page.getByText('3 messages').waitFor()
    await eventually('all read', async () => (await seen()).every(Boolean))
    await page.keyboard.press('u')
    await eventually('the newest unread', async () => (await seen()).includes(false))
    await page.getByRole('button', { name: 'Mark as read' }).waitFor()
    expect(await seen()).to.deep.equal([false, true, true])
  })

  it('in Trash a conversation shows all messages of its row, also while others of it are elsewhere', async () => {
    const ids: string[] = []
    for (const n of [0, 1, 2]) {
      const fields = `Message-ID: <bin${n}@kind.example>\nReferences: <bin0@kind.example>`
      const raw = `From: Kit <kit@kind.example>\nSubject: In the bin\n${fields}\n\nWord ${n}.\n`
      ids.push(await deliver(door.ctx, { to: door.tenant.address, from: 'kit@kind.example', raw }))
    }
    for (const id of ids.slice(1)) await call('DELETE', `${mailboxPath(door.tenant.address)}/messages/${id}`)
    await page.goto(viewer.at(`${box}/trash`))
    await rowOn(page, 'In the bin').click()
    await page.getByText('3 messages').waitFor()
  })

  it('the text of an automatic reply changes without its end, to the millisecond', async () => {
    const path = mailboxPath(door.tenant.address)
    const until = new Date(Math.ceil(Date.now() / dayMs) * dayMs + dayMs - 1).toISOString()
    await call('PATCH', path, { autoReply: { enabled: true, subject: 'Away', text: 'Until tomorrow.', until } })
    await page.goto(viewer.at(`/mailboxes/${encodeURIComponent(door.tenant.address)}/reply`))
    await page.getByRole('textbox', { name: 'Text' }).fill('Until tomorrow night.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const { autoReply } = (await call<{ autoReply: object }>('GET', path)).body
    expect(autoReply).to.deep.include({ text: 'Until tomorrow night.', until })
    await call('PATCH', path, { autoReply: null })
  })

  it('a new template is open once it is saved, and can be changed', async () => {
    await page.goto(viewer.at('/templates/new'))
    await page.getByRole('textbox', { name: 'Name' }).fill('greeting')
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hello {{who}}')
    await page.getByRole('textbox', { name: 'Text' }).fill('Welcome')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'greeting' }).waitFor()
    await page.getByRole('textbox', { name: 'who' }).waitFor()
    await page.getByRole('textbox', { name: 'Subject' }).fill('Good day {{who}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(
      'the change',
      async () => (await call('GET', '/api/v1/templates/greeting')).body.subject === 'Good day {{who}}',
    )
  })

  it('mail in Trash is not deleted at once where the list of folders is missing', async () => {
    const path = mailboxPath(door.tenant.address)
    const raw = 'From: Hal <hal@kind.example>\nSubject: Thrown away\n\nStill of use.\n'
    const id = await deliver(door.ctx, { to: door.tenant.address, from: 'hal@kind.example', raw })
    await call('DELETE', `${path}/messages/${id}`)
    await page.route('**/folders', (route) => route.abort())
    await page.goto(viewer.at(`${box}/trash`))
    await rowOn(page, 'Thrown away').click()
    await page.getByRole('heading', { name: 'Thrown away' }).waitFor()
    await page.keyboard.press('#')
    await page.getByText('Deleted for good.').waitFor()
    await page.keyboard.press('z')
    await rowOn(page, 'Thrown away').waitFor()
    expect((await call('GET', `${path}/messages/${id}`)).body.folder).to.equal('Trash')
  })

  it('of a conversation with a label only what is in Trash is deleted for good, and only the rest moves to Trash', async () => {
    const path = mailboxPath(door.tenant.address)
    const folderOf = async (id: string) => (await call('GET', `${path}/messages/${id}`)).body.folder ?? null
    for (const [label, inTrash] of [
      ['older', 0],
      ['newer', 1],
    ] as const) {
      const ids: string[] = []
      for (const n of [0, 1]) {
        const fields = `Message-ID: <${label}${n}@kind.example>\nReferences: <${label}0@kind.example>`
        const raw = `From: Ida <ida@kind.example>\nSubject: Labelled ${label}\n${fields}\n\nWord ${n}.\n`
        const id = await deliver(door.ctx, { to: door.tenant.address, from: 'ida@kind.example', raw })
        ids.push(id)
        await call('PATCH', `${path}/messages/${id}`, { addLabels: [label], ...(n === inTrash && { folder: 'trash' }) })
      }
      await page.goto(viewer.at(`${box}?label=${label}`))
      await rowOn(page, `Labelled ${label}`).click()
      await page.getByRole('heading', { name: `Labelled ${label}` }).waitFor()
      await page.keyboard.press('#')
      await page.getByText(inTrash === 1 ? 'Deleted for good.' : 'Moved to Trash.').waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).click()
      const expected = inTrash === 1 ? ['INBOX', null] : ['Trash', 'Trash']
      await eventually('the end', async () => {
        const now = await Promise.all(ids.map(folderOf))
        return now[1] === expected[1] && (now[0] === expected[0] || now[0] === null)
      })
      expect(await Promise.all(ids.map(folderOf))).to.deep.equal(expected)
    }
  })

  it('what is deleted for good in a search of all mailboxes is deleted in its own, whichever is read next', async () => {
    const other = `other@${door.tenant.address.split('@')[1]}`
    await call('POST', '/api/v1/mailboxes', { address: other })
    const paths: string[] = []
    for (const to of [other, door.tenant.address]) {
      const raw = `From: Ann <delivered@simulator.invalid>\nSubject: Shredded ${paths.length}\n\nIt is over.\n`
      const path = `${mailboxPath(to)}/messages/${await deliver(door.ctx, { to, raw })}`
      paths.push(path)
      await call('PATCH', path, { folder: 'trash' })
    }
    await eventually('the index', async () => {
      const { messages } = (await call<{ messages: readonly Listed[] }>('GET', '/api/v1/search?q=in:trash+shredded'))
        .body
      return messages.length === 2
    })
    await page.goto(viewer.at('/mail/all/inbox?q=in:trash+shredded'))
    await rowOn(page, 'Shredded 1').click()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByRole('heading', { name: 'Shredded 0' }).waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await eventually('the deletion', async () => (await call('GET', paths[1] as string)).status === 404)
    expect((await call('GET', paths[0] as string)).status).to.equal(200)
  })

  it('behind more requests than a page holds the decided ones and the oldest are found, and stay while it looks again', async () => {
    const { accountId, address, mailboxId } = door.tenant
    const ask = async (count: number, subject: string) => {
      const key = { kind: 'agent', scopes: agentScopes, mailboxIds: [mailboxId], approval: 'required' } as const
      const asAgent = client(door.http, (await makeKey(door.ctx, { accountId, ...key })).apiKey)
      for (let n = 1; n <= count; n++) {
        const asked = { to: 'a@else.example', subject: `${subject} ${n}`, text: 'Ten euros.' }
        const { status } = await asAgent('POST', `${mailboxPath(address)}/send`, asked)
        expect(status).to.equal(202)
      }
    }
    await ask(1, 'Decided')
    const [first] = (await call('GET', '/api/v1/approvals')).body.approvals as { id: string; hash: string }[]
    await call('POST', `/api/v1/approvals/${first?.id}`, { decision: 'refuse', hash: first?.hash })
    await ask(1, 'Oldest')
    await ask(100, 'Newer')
    await page.clock.install()
    await page.goto(viewer.at('/approvals?show=decided'))
    await page.getByText('Decided 1').waitFor()
    await page.goto(viewer.at('/approvals'))
    await page.getByText('Newer 100').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('Oldest 1').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const again = page.waitForResponse((answer) => /\/approvals\?.*limit=200/.test(answer.url()))
    await page.clock.fastForward(16_000)
    await again
    expect(
      asked.filter((url) => url.includes('/approvals?')),
      'both pages are asked for at once',
    ).to.have.length(1)
    await page.getByText('Oldest 1').click()
    await page.getByRole('heading', { name: 'Oldest 1' }).waitFor()
  })

  it('what is asked for of a list does not come into the list of another filter', async () => {
    for (let n = 1; n <= 51; n++) await call('PATCH', mailboxPath(door.tenant.address), { displayName: `Desk ${n}` })
    await page.goto(viewer.at('/audit?action=mailboxes.update'))
    const rows = (action: string) => page.getByRole('table').getByRole('link', { name: action, exact: true })
    await rows('mailboxes.update').first().waitFor()
    const older = Promise.withResolvers<Route>()
    await page.route(/\/audit\?.*before=/, (route) => older.resolve(route))
    await page.getByRole('button', { name: 'Show more' }).click()
    const route = await older.promise
    const filter = page.getByRole('searchbox', { name: 'Action: messages.send' })
    await filter.fill('mailboxes.create')
    await filter.press('Enter')
    await rows('mailboxes.update').first().waitFor({ state: 'detached' })
    const came = page.waitForEvent('requestfinished', (request) => request.url().includes('before='))
    await route.continue()
    await came
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await rows('mailboxes.update').count()).to.equal(0)
  })

  it('what is removed while more of its list is on the way does not come back with it', async () => {
    for (let n = 1; n <= 101; n++) await call('POST', '/api/v1/suppressions', { email: `gone${n}@else.example` })
    await page.goto(viewer.at('/suppressions'))
    const cell = (n: number) => page.getByRole('cell', { name: `gone${n}@else.example`, exact: true })
    await cell(101).waitFor()
    const older = Promise.withResolvers<Route>()
    await page.route(/\/suppressions\?.*before=/, (route) => older.resolve(route))
    await page.getByRole('button', { name: 'Show more' }).click()
    const route = await older.promise
    await page
      .getByRole('row')
      .filter({ has: cell(101) })
      .getByRole('button')
      .click()
    await cell(101).waitFor({ state: 'detached' })
    await route.continue()
    await cell(1).waitFor()
    expect(await cell(101).count()).to.equal(0)
  })

  it('a list that is asked to look again while it looks shows what it found', async () => {
    const { accountId, address, mailboxId } = door.tenant
    const key = { kind: 'agent', scopes: agentScopes, mailboxIds: [mailboxId], approval: 'required' } as const
    const asAgent = client(door.http, (await makeKey(door.ctx, { accountId, ...key })).apiKey)
    await page.clock.install()
    await page.goto(viewer.at('/approvals'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.bones').waitFor({ state: 'detached' })
    const asked = { to: 'a@else.example', subject: 'Asked meanwhile', text: 'Ten euros.' }
    expect((await asAgent('POST', `${mailboxPath(address)}/send`, asked)).status).to.equal(202)
    const looks: Route[] = []
    await page.route(/\/approvals\?/, (route) => void looks.push(route))
    await page.clock.fastForward(16_000)
    await eventually('a look', async () => looks.length === 1)
    await page.clock.fastForward(16_000)
    await page.clock.fastForward(16_000)
    await looks[0]?.continue()
    await page.getByText('Asked meanwhile').waitFor()
    await eventually('one more look', async () => looks.length === 2)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('a list that is asked to look again while it looks does not show again what was decided meanwhile', async () => {
    const { accountId, address, mailboxId } = door.tenant
    const key = { kind: 'agent', scopes: agentScopes, mailboxIds: [mailboxId], approval: 'required' } as const
    const asAgent = client(door.http, (await makeKey(door.ctx, { accountId, ...key })).apiKey)
    const asked = { to: 'delivered@simulator.invalid', subject: 'Decided meanwhile', text: 'Twelve euros.' }
    expect((await asAgent('POST', `${mailboxPath(address)}/send`, asked)).status).to.equal(202)
    await page.clock.install()
    await page.goto(viewer.at('/approvals'))
    const row = page.getByRole('link', { name: 'Decided meanwhile' })
    await row.waitFor()
    // The newest request is the first.
    await page.keyboard.press('j')
    await page.getByText('Twelve euros.').waitFor()
    const looks: Route[] = []
    await page.route(/\/approvals\?/, (route) => void looks.push(route))
    await page.clock.fastForward(16_000)
    await eventually('a look', async () => looks.length === 1)
    const older = await looks[0]?.fetch()
    await page.keyboard.press('Control+Enter')
    await row.waitFor({ state: 'detached' })
    // The browser has given this request up.
    await looks[0]?.fulfill({ response: older }).catch(() => undefined)
    await eventually('a further look', async () => looks.length === 2)
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await row.count()).to.equal(0)
    await looks[1]?.continue()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('what one window does with a mail the others show', async () => {
    await write('In both')
    await write('The newest')
    await page.goto(viewer.at(box))
    await rowOn(page, 'In both').waitFor()
    const others = [await another(box), await another('/mail')]
    for (const other of others) await rowOn(other, 'In both').waitFor()
    await rowOn(page, 'In both').click()
    await page.getByRole('heading', { name: 'In both' }).waitFor()
    await page.keyboard.press('s')
    await rowOn(others[0] as Page, 'In both')
      .getByLabel('Flagged')
      .waitFor()
    await page.keyboard.press('e')
    for (const other of others) await rowOn(other, 'In both').waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    for (const other of others) await rowOn(other, 'In both').waitFor()
  })

  it('a window that listens after another one was closed shows what came in between', async () => {
    await write('Before both')
    const first = await viewer.context.newPage()
    await Promise.all([first.waitForResponse('**/events/stream**'), first.goto(viewer.at(box))])
    await page.goto(viewer.at(box))
    await rowOn(page, 'Before both').waitFor()
    await write('While both listen')
    await rowOn(page, 'While both listen').waitFor()
    const asked: URL[] = []
    let release = (): void => undefined
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/events/stream**', async (route) => {
      asked.push(new URL(route.request().url()))
      await isReleased
      await route.continue()
    })
    await first.close()
    await eventually('the other window asks for events', async () => asked.length > 0)
    await write('In between')
    await eventually('its event', async () => {
      type Events = { readonly events: readonly { readonly data: Listed }[] }
      const { events } = (await call<Events>('GET', '/api/v1/events?type=message.received')).body
      return events.some(({ data }) => data.subject === 'In between')
    })
    release()
    await rowOn(page, 'In between').waitFor()
  })

  it('a window that one comes back to shows what a program did meanwhile', async () => {
    const path = mailboxPath(door.tenant.address)
    await write('Done by a program')
    await page.goto(viewer.at(box))
    await rowOn(page, 'Done by a program').waitFor()
    const [newest] = await listed()
    expect((await call('PATCH', `${path}/messages/${newest?.message_id}`, { folder: 'archive' })).status).to.equal(200)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await rowOn(page, 'Done by a program').waitFor({ state: 'detached' })
  })

  it('where one window goes on to another account the others follow, and change nothing in it before', async () => {
    const own = await makeTenant(door, { name: 'own' })
    await joinAccount(door.ctx, { accountId: own.accountId, personId: viewer.person.id, role: 'owner' })
    await page.goto(viewer.at('/mail'))
    const other = await another('/keys')
    await other.getByRole('heading', { name: 'API keys' }).first().waitFor()
    // As a page without a script does it, which tells nobody.
    const { csrfToken } = (await (await page.request.get(`${door.ctx.baseUrl}/api/v1/session`)).json()) as {
      csrfToken: string
    }
    const changed = await page.request.patch(`${door.ctx.baseUrl}/api/v1/session`, {
      headers: { 'x-csrf-token': csrfToken },
      data: { account: own.accountId },
    })
    expect(changed.status()).to.equal(200)
    const make = { headers: { 'x-csrf-token': csrfToken }, data: { name: 'stale' } }
    const refused = await page.request.post(`${door.ctx.baseUrl}/api/v1/keys`, make)
    expect(refused.status()).to.equal(403)
    await page.reload()
    await other.getByText('Another window switched to this account').waitFor()
    await other.getByRole('complementary').getByText('own', { exact: true }).waitFor()
  })

  it('what waits for its time to be undone is done before one signs out', async () => {
    const { accountId } = door.tenant
    const { apiKey } = await makeKey(door.ctx, { accountId, name: 'in a hurry' })
    const used = () => client(door.http, apiKey)('GET', '/api/v1/mailboxes')
    await page.goto(viewer.at('/keys'))
    await page.getByRole('button', { name: 'Revoke: in a hurry' }).click()
    expect((await used()).status).to.equal(200)
    await page.getByRole('button', { name: 'You and your settings' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect((await used()).status).to.equal(401)
  })

  it('all that was done in a row is undone, and an error that was pointed at stays as long as another', async () => {
    const { accountId } = door.tenant
    const names = [1, 2, 3, 4, 5, 6].map((n) => `taken back ${n}`)
    const keys = await Promise.all(names.map((name) => makeKey(door.ctx, { accountId, name })))
    await page.clock.install()
    await page.goto(viewer.at('/keys'))
    const revoke = (name: string) => page.getByRole('button', { name: `Revoke: ${name}` })
    await revoke('taken back 1').waitFor()
    const status = page.getByRole('region', { name: 'Notices' }).getByRole('status')
    expect(await status.count(), 'a region that is told of before its first notice').to.equal(1)
    for (const name of names) await revoke(name).click()
    await status.getByText('taken back 6').waitFor()
    for (const _ of names) await page.keyboard.press('z')
    for (const name of names) await revoke(name).waitFor()
    await page.clock.fastForward(9_000)
    for (const { apiKey } of keys)
      expect((await client(door.http, apiKey)('GET', '/api/v1/mailboxes')).status).to.equal(200)
    await page.route('**/api/v1/keys/*', (route) => route.abort())
    await revoke('taken back 1').click()
    await page.clock.fastForward(9_000)
    const alert = page.getByRole('region', { name: 'Notices' }).getByRole('alert')
    await alert.hover()
    await page.mouse.move(5, 5)
    await page.clock.fastForward(10_000)
    expect(await alert.count()).to.equal(1)
    await page.clock.fastForward(6_000)
    await alert.waitFor({ state: 'detached' })
  })

  it('a mark that could not be set is not shown as set, and a body that did not come says so', async () => {
    await write('Marks')
    await page.goto(viewer.at(box))
    await rowOn(page, 'Marks').click()
    const flag = page.getByRole('button', { name: 'Flag', exact: true })
    await flag.waitFor()
    const away = '**/messages/msg_*'
    await page.route(away, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()))
    await page.route(`${away}/raw`, (route) => route.abort())
    await flag.click()
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor()
    expect(await flag.getAttribute('aria-pressed')).to.equal('false')
    expect(await rowOn(page, 'Marks').getByLabel('Flagged').count()).to.equal(0)
    await page.getByRole('button', { name: 'Raw', exact: true }).click()
    const again = page.getByRole('article').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute(`${away}/raw`)
    await again.click()
    await page.getByText('Message-ID: <w').waitFor()
  })

  it('says in German what an error is about, and the rest as English', async () => {
    expect(Object.keys(de.problem.codes ?? {})).to.have.members(Object.keys(failures))
    const german = await door.view({ locale: 'de-DE', faults: ['status of 404', 'status of 400', 'status of 502'] })
    await german.page.goto(german.at('/webhooks/whk_nothing'))
    const alert = german.page.getByRole('alert').first()
    await alert.getByText('Das gibt es hier nicht, oder nicht mehr.').waitFor()
    await alert.locator('[lang="en"]').getByText('whk_nothing').waitFor()
    await german.close()
  })

  it('says that the service is away where something before it answers, and of nothing typed', async () => {
    await page.route('**/api/v1/session', (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }))
    await page.goto(viewer.at('/mail'))
    const alert = page.getByRole('alert')
    await alert.getByText('a proxy in front of it answered with status 502').waitFor()
    expect(await alert.textContent()).not.to.contain('typed')
    await page.unroute('**/api/v1/session')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'All inboxes' }).waitFor()
  })
})
