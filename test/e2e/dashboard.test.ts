/** A person and their agent, from nothing: a started service, the link to claim an account, and the dashboard in a real browser. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { eventually } from '../eventually.ts'
import { type SmtpSink, startSmtpSink } from '../peers/receivers.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { openWindow } from '../start/browser.ts'
import { type Service, startService } from '../start/service.ts'

const email = 'carol@remote.test'
const password = 'correct horse battery staple'

describe('the dashboard of a started service', () => {
  let service: Service
  let sink: SmtpSink
  let page: Page
  let close: () => Promise<void>
  let address: string
  let claimUrl: string
  let agent: Call

  before(async () => {
    sink = await startSmtpSink()
    service = await startService({ env: { MAILROOM_OUTBOUND_ROUTES: `{"remote.test": "127.0.0.1:${sink.port}"}` } })
    ;({ page, close } = await openWindow({ faults: ['status of 401', 'status of 404', 'status of 503'] }))
  })
  after(async () => {
    try {
      await close?.()
    } finally {
      await service?.dispose()
      await sink?.close()
    }
  })

  const isOf = (raw: Buffer, text: string) => raw.toString().includes(text)

  it('says that it is being made, until it is there', async () => {
    await eventually('the dashboard', async () => {
      const { status, headers } = await fetch(`${service.http}/app`, { redirect: 'manual' })
      if (status === 503) expect(headers.get('retry-after')).to.match(/^\d+$/)
      return status !== 503
    })
  })

  it('is reached by the link with which an agent hands its account over', async () => {
    type Signup = { address: string; api_key: string; claim_url: string }
    const { body } = await client(service.http)<Signup>('POST', '/api/v1/signup', { name: 'parcels' })
    ;({ address, claim_url: claimUrl } = body)
    agent = client(service.http, body.api_key)
    await page.goto(claimUrl)
    await page.getByText(address).waitFor()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Name').fill('Carol')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
    const mailed = await eventually('the link', async () => sink.mails.find(({ to }) => to.includes(email)))
    const text = mailed.raw.toString().replaceAll('=\r\n', '')
    await page.goto(/http:\S+\/verify\/[\w-]{43}/.exec(text)?.[0] ?? `no link in ${text}`)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Claim it as ${email}` }).click()
    await page.getByRole('status').filter({ hasText: 'The account is yours.' }).waitFor()
    await page.getByRole('heading', { name: 'All inboxes' }).waitFor()
  })

  it('shows mail that comes while it is open, answers it by keyboard, and sees it delivered', async () => {
    const raw = `From: Carol <${email}>\r\nTo: ${address}\r\nSubject: Order 66\r\nMessage-ID: <one@remote.test>\r\n\r\nWhere is it?\r\n`
    await sendMail(service.smtp, { from: email, to: address, raw: Buffer.from(raw) })
    await page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: 'Order 66' }).waitFor()
    const { keyboard } = page
    await keyboard.press('j')
    await page.getByText('Where is it?').last().waitFor()
    await keyboard.press('r')
    await page.locator('[name="body"]:focus').waitFor()
    await keyboard.type('It comes tomorrow.')
    await keyboard.press('Control+Enter')
    const answer = await eventually('the answer', async () =>
      sink.mails.find(({ raw }) => isOf(raw, 'It comes tomorrow.')),
    )
    expect(answer.raw.toString()).to.include('In-Reply-To: <one@remote.test>')
    await page.getByRole('button', { name: 'Show this message' }).last().click()
    await page.getByRole('region', { name: 'Delivery' }).getByText('delivered', { exact: true }).waitFor()
    // The agent sees the same.
    const { body } = await agent<{ messages: { subject: string }[] }>(
      'GET',
      `${mailboxPath(address)}/messages?folder=sent`,
    )
    expect(body.messages.map(({ subject }) => subject)).to.deep.equal(['Re: Order 66'])
  })

  it('makes a key that works, and takes it away again', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('API keys')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('second bot')
    await dialog.getByLabel(address).check()
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('heading', { name: 'This is the key' }).waitFor()
    const key = (await dialog.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? ''
    const used = async () => (await client(service.http, key)('GET', `${mailboxPath(address)}/messages`)).status
    expect(await used()).to.equal(200)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Revoke: second bot' }).click()
    await page.getByRole('status').filter({ hasText: 'is revoked' }).getByRole('button', { name: 'Dismiss' }).click()
    await eventually('the end of the key', async () => (await used()) === 401)
  })
})
