/** A person and their agent from scratch: a started service, the claim link of an account, and the dashboard in a real browser. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { changeAccountPlans } from '../../core/account/plans.ts'
import type { Domain } from '../../schemas/domains.ts'
import { eventually } from '../eventually.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { type SmtpSink, startSmtpSink, startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { openWindow } from '../start/browser.ts'
import { inContext, type Service, startService } from '../start/service.ts'

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
  let names: NameServer
  let hook: WebhookReceiver
  let isWell = false

  before(async () => {
    sink = await startSmtpSink()
    hook = await startWebhookReceiver(() => (isWell ? 200 : 503))
    names = await startNameServer({})
    names.ttlSeconds = 0
    service = await startService({
      env: {
        MAILROOM_HOSTNAME: 'mx.mailroom.test',
        MAILROOM_OUTBOUND_ROUTES: `{"remote.test": "127.0.0.1:${sink.port}"}`,
        MAILROOM_RESOLVER: JSON.stringify([names.address]),
        MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
      },
    })
    ;({ page, close } = await openWindow({ faults: ['status of 401', 'status of 404', 'status of 503'] }))
    page.setDefaultTimeout(30_000)
  })
  after(async () => {
    try {
      await close?.()
    } finally {
      await service?.dispose()
      await Promise.all([sink?.close(), hook?.close(), names?.stop()])
    }
  })

  const isOf = (raw: Buffer, text: string) => raw.toString().includes(text)

  it('answers 503 with Retry-After until it has been built', async () => {
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
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    const mailed = await eventually('the link', async () => sink.mails.find(({ to }) => to.includes(email)))
    const text = mailed.raw.toString().replaceAll('=\r\n', '')
    await page.goto(/http:\S+\/verify\/[\w-]{43}/.exec(text)?.[0] ?? `no link in ${text}`)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Claim it as ${email}` }).click()
    await page.getByRole('status').filter({ hasText: 'The account is yours.' }).waitFor()
    await page.getByRole('heading', { name: 'All inboxes' }).waitFor()
  })

  it('shows mail that arrives while it is open, answers it by keyboard, and shows the delivery', async () => {
    const raw = `From: Carol <${email}>\r\nTo: ${address}\r\nSubject: Order 66\r\nMessage-ID: <one@remote.test>\r\n\r\nWhere is it?\r\n`
    await sendMail(service.smtp, { from: email, to: address, raw: Buffer.from(raw) })
    await page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: 'Order 66' }).waitFor()
    const { keyboard } = page
    await keyboard.press('j')
    await page.getByRole('button', { name: 'Reply', exact: true }).waitFor()
    await page.locator('.pane').getByText('Where is it?').waitFor()
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
    // The agent sees the same message.
    const { body } = await agent<{ messages: { subject: string }[] }>(
      'GET',
      `${mailboxPath(address)}/messages?folder=sent`,
    )
    expect(body.messages.map(({ subject }) => subject)).to.deep.equal(['Re: Order 66'])
  })

  it('makes a key whose sends need approval, approves one by keyboard, and revokes the key', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('API keys')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('second bot')
    await dialog.getByLabel(address).check()
    await dialog.getByLabel('What it sends waits until a person has approved it').check()
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('heading', { name: 'This is the key' }).waitFor()
    const key = (await dialog.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? ''
    const bot = client(service.http, key)
    const used = async () => (await bot('GET', `${mailboxPath(address)}/messages`)).status
    expect(await used()).to.equal(200)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()

    const asked = { to: email, subject: 'An offer', text: 'Ten euros.' }
    expect((await bot('POST', `${mailboxPath(address)}/send`, asked)).status).to.equal(202)
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByText('An offer').waitFor()
    expect(sink.mails.some(({ raw }) => isOf(raw, 'Ten euros.'))).to.equal(false)
    await page.keyboard.press('j')
    await page.getByText('Ten euros.').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved. It is on its way.').waitFor()
    await eventually('the offer', async () => sink.mails.find(({ raw }) => isOf(raw, 'Ten euros.')))

    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Revoke: second bot' }).click()
    const revoked = page.getByRole('status').locator('.notice').filter({ hasText: 'is revoked' })
    await revoked.getByRole('button', { name: 'Dismiss' }).click()
    await eventually('the end of the key', async () => (await used()) === 401)
  })

  it('finds mail with the search operators', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('link', { name: 'Order 66' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('subject:order from:carol -subject:offer')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: 'Order 66' }).waitFor()
    expect(new URL(page.url()).searchParams.get('q')).to.equal('subject:order from:carol -subject:offer')
  })

  it('shows a failed webhook delivery, and sends it again', async () => {
    await page.goto(`${service.http}/app/webhooks?make=webhook`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill(hook.url)
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: hook.url }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await dialog.getByRole('button', { name: 'Send a test' }).click()
    const delivery = page.getByRole('article')
    await delivery.locator('summary').filter({ hasText: '503' }).waitFor()
    isWell = true
    await delivery.getByRole('button', { name: 'Send again' }).click()
    await delivery.getByText('taken', { exact: true }).waitFor()
    expect(hook.requests[1]?.body).to.equal(hook.requests[0]?.body)
  })

  it('adds a custom domain, shows when its DNS breaks, and repairs it', async () => {
    const { id } = (await agent<{ id: string }>('GET', '/api/v1/account')).body
    await inContext(service, (ctx) => changeAccountPlans(ctx, id, { agentsPlan: 'scale' }))
    await page.goto(`${service.http}/app/domains?make=domain`)
    await page.getByLabel('Domain', { exact: true }).fill('parcels.example')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('heading', { name: 'parcels.example' }).waitFor()
    // Asks from the page, because the agent's key cannot see domains.
    const { records } = await page.evaluate<Domain>(
      "fetch('/api/v1/domains/parcels.example').then((answer) => answer.json())",
    )
    const zone: Record<string, string[]> = {}
    for (const { type, name, value } of records) zone[`${type} ${name}`] = [...(zone[`${type} ${name}`] ?? []), value]
    const check = async (shown: string) => {
      await page.getByRole('button', { name: 'Check the DNS' }).click()
      await page.getByRole('status').filter({ hasText: shown }).getByRole('button', { name: 'Dismiss' }).click()
    }
    names.zone = zone
    await check('Every record is right.')
    const { 'MX parcels.example': _, ...without } = zone
    names.zone = without
    await check('One record is not right yet.')
    const broken = page.getByRole('listitem').filter({ hasText: 'What to change' })
    await broken.getByText('missing').waitFor()
    expect(await broken.getByText('Publish the MX record').count()).to.equal(1)
    names.zone = zone
    await check('Every record is right.')
    await broken.waitFor({ state: 'detached' })
  })
})
