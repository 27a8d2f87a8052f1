/** The pages beside mail, as people use them: keys, domains, webhooks, Intake, and the service. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { administrator } from '../../core/access/principal.ts'
import { createAccount, getAccount } from '../../core/account/accounts.ts'
import { raiseLimit } from '../../core/account/plans.ts'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { deriveRecords } from '../../core/intake/derive.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { dayMs, hourMs, minuteMs } from '../../core/process/clock.ts'
import { createKept } from '../../core/process/kept.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import type { Alias } from '../../schemas/aliases.ts'
import type { Domain } from '../../schemas/domains.ts'
import type { Email } from '../../schemas/sending.ts'
import { toldOf } from '../documents.ts'
import { eventually } from '../eventually.ts'
import { inheritedNames } from '../inherited-names.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { expectAccessible } from '../start/browser.ts'
import {
  type DashboardDoor,
  expectGoodPage,
  fieldTime,
  keepGermanPicture,
  leadTo,
  openDashboard,
  shown,
  type Viewer,
} from '../start/dashboard.ts'
import { connectMcp, deliver, makeKey, makeTenant, type Tenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { newPerson } from '../start/people.ts'

const bill = `From: Bills <bills@remote.example>
Subject: Invoice INV-2041
Message-ID: <bill@remote.example>

Dear customer,

Invoice number: INV-2041
Invoice date: 14 October 2026
Total amount due: EUR 1,240.50

Please pay within 30 days.
`

describe('web: pages', () => {
  let door: DashboardDoor
  let viewer: Viewer
  let page: Page
  let call: Call
  let names: NameServer
  let hook: WebhookReceiver
  let isWell = false

  before(async () => {
    door = await openDashboard()
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    names = await startNameServer({})
    names.ttlSeconds = 0
    const resolver = createResolver([names.address], createKept(door.ctx.clock, answersPolicy))
    Object.assign(door.ctx, { resolver, hostname: 'mx.mailroom.test' })
    hook = await startWebhookReceiver(() => (isWell ? 200 : 503))
    call = client(door.http, door.tenant.key)
    viewer = await door.view({ faults: ['status of 404'] })
    ;({ page } = viewer)
    page.setDefaultTimeout(30_000)
    const [owner] = await door.ctx.store.people.find().sort({ _id: -1 }).limit(1).toArray()
    Object.assign(door.ctx.settings, { administrators: [owner?.email] })
  })
  after(async () => {
    try {
      await viewer?.close()
    } finally {
      await Promise.all([hook?.close(), names?.stop()])
      await door?.close()
    }
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const notice = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text })

  it('a key is made, used, and revoked with a way back', async () => {
    await page.goto(viewer.at('/keys?make=key'))
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('support bot')
    await dialog.getByLabel(door.tenant.address).check()
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('heading', { name: 'This is the key' }).waitFor()
    const key = (await dialog.getByRole('group', { name: 'API key', exact: true }).textContent()) ?? ''
    const used = () => client(door.http, key)('GET', `${mailboxPath(door.tenant.address)}/messages`)
    expect((await used()).status).to.equal(200)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    const revoke = page.getByRole('button', { name: 'Revoke: support bot' })
    await revoke.click()
    await button('Undo z').click()
    expect((await used()).status).to.equal(200)
    await revoke.click()
    await notice('is revoked').getByRole('button', { name: 'Dismiss' }).click()
    await eventually('the end of the key', async () => (await used()).status === 401)
  })

  it('a domain is added, verified, broken and repaired', async () => {
    await page.goto(viewer.at('/domains?make=domain'))
    await page.getByLabel('Domain', { exact: true }).fill('shop.example')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('heading', { name: 'shop.example' }).waitFor()
    const { records } = (await call<Domain>('GET', '/api/v1/domains/shop.example')).body
    const zone: Record<string, string[]> = {}
    for (const { type, name, value } of records) zone[`${type} ${name}`] = [...(zone[`${type} ${name}`] ?? []), value]
    names.zone = zone
    await button('Check the DNS').click()
    await notice('Every record is right.').waitFor()
    await page.getByText('verified', { exact: true }).waitFor()
    const { 'MX shop.example': mx, ...without } = zone
    names.zone = without
    await button('Check the DNS').click()
    await notice('One record is not right yet.').waitFor()
    const broken = page.getByRole('listitem').filter({ hasText: mx?.[0] ?? '' })
    await broken.getByText('missing').waitFor()
    expect(await broken.textContent()).to.include('What to change')
    await expectGoodPage(page, 'domain broken')
    names.zone = zone
    await button('Check the DNS').click()
    await broken.getByText('right', { exact: true }).waitFor()
  })

  it('what receivers report of a domain is drawn day by day', async () => {
    const { accountId } = door.tenant
    const about = { accountId, domain: 'shop.example', reporter: 'remote.example', organisation: 'Remote' } as const
    const row = { source: '192.0.2.7', disposition: 'none', overrides: [], headerFrom: 'shop.example' } as const
    const results = { dkimResults: [], spfResults: [] }
    const reports = [30, 20].map((count, n) => {
      const from = new Date(Date.now() - (n + 1) * dayMs)
      const rows = [
        { ...row, ...results, count, dkim: true, spf: true },
        { ...row, ...results, count: n + 1, dkim: false, spf: false },
      ]
      const times = { from, until: from, receivedAt: from, expiresAt: new Date(Date.now() + dayMs) }
      return { ...about, ...times, _id: `reported ${n}`, reportId: `${n}`, kind: 'dmarc' as const, rows, omitted: 0 }
    })
    await door.ctx.store.domainReports.insertMany(reports)
    await page.goto(viewer.at('/domains/shop.example/reports'))
    await page.getByRole('heading', { name: 'Mail of each day' }).waitFor()
    await page.locator('canvas').waitFor()
    await page.getByText('As a table').click()
    const cells = await page.getByRole('table').first().locator('tbody td').allTextContents()
    expect(cells.map((cell) => cell.trim())).to.deep.equal(['20', '2', '30', '1'])
    const drawn = () =>
      page.evaluate(`(() => {
        const { width, height } = document.querySelector('canvas')
        const { data } = document.querySelector('canvas').getContext('2d').getImageData(0, 0, width, height)
        return data.reduce((sum, value) => sum + value, 0)
      })()`)
    const inLight = await drawn()
    await expectGoodPage(page, 'reports of days')
    await page.getByRole('button', { name: 'You and your settings' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await eventually('it is drawn in the colours that were chosen', async () => (await drawn()) !== inLight)
    await page.evaluate(`localStorage.removeItem('mailroom.theme')`)
  })

  it('a webhook fails, shows what it answered, and is sent again', async () => {
    await page.goto(viewer.at('/webhooks?make=webhook'))
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill(hook.url)
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByRole('heading', { name: 'The signing secret' }).waitFor()
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: hook.url }).click()
    await button('Send a test').click()
    await dialog.getByRole('button', { name: 'Send a test' }).click()
    const delivery = page.getByRole('article')
    await delivery.getByText('failed', { exact: true }).waitFor()
    await delivery.locator('summary').filter({ hasText: '503' }).waitFor()
    await delivery.getByRole('group', { name: 'Body', exact: true }).getByText('message.received').waitFor()
    await expectGoodPage(page, 'webhook failed')
    isWell = true
    await button('Send again').click()
    await delivery.getByText('taken', { exact: true }).waitFor()
    expect(hook.requests).to.have.length(2)
    expect(hook.requests[1]?.body).to.equal(hook.requests[0]?.body)
  })

  it('nothing moves for who wants it still, neither what loads nor colours that change', async () => {
    const moving = (before = '') => page.evaluate(`${before}; document.getAnimations().length`)
    const inTheme = (theme: string) =>
      `document.documentElement.dataset.theme = '${theme}'; getComputedStyle(document.body).color`
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const looked = Promise.withResolvers<void>()
    await page.route('**/api/v1/emails*', async (route) => {
      await looked.promise
      await route.continue()
    })
    await leadTo(page, viewer.at('/sends'))
    await page.locator('.bones').waitFor()
    expect(await moving(), 'while it loads').to.equal(0)
    looked.resolve()
    await shown(page)
    await page.unroute('**/api/v1/emails*')
    expect(await moving(`${inTheme('light')}; ${inTheme('dark')}`), 'from light to dark').to.equal(0)
    await page.evaluate(inTheme('auto'))
  })

  it('the frame around the pages is a good one on a phone too', async () => {
    const usual = page.viewportSize()
    await page.setViewportSize({ width: 390, height: 844 })
    await leadTo(page, viewer.at('/keys'))
    await shown(page)
    await expectAccessible(page, 'frame of a phone')
    await button('Menu').click()
    await expectAccessible(page, 'menu of a phone')
    await page.setViewportSize(usual ?? { width: 1280, height: 800 })
  })

  describe('when the service does not answer, or does not know the person any more', () => {
    let tenant: Tenant
    let away: Viewer
    before(async () => {
      tenant = await makeTenant(door, { name: 'away' })
    })
    beforeEach(async () => {
      away = await door.view({ accountId: tenant.accountId, faults: ['ERR_INTERNET_DISCONNECTED', 'status of 401'] })
    })
    afterEach(() => away?.close())

    it('of a look at a domain that came to nothing no result is told', async () => {
      await away.page.goto(away.at('/domains/away.example'))
      const check = away.page.getByRole('button', { name: 'Check the DNS' })
      await check.waitFor()
      await away.context.setOffline(true)
      await check.click()
      await away.page.getByText('The service cannot be reached.').waitFor()
      await check.waitFor()
      expect(
        await away.page
          .getByRole('status')
          .filter({ hasText: /records? (?:is|are)/ })
          .count(),
      ).to.equal(0)
    })

    it('a page that was not opened before says so, and is there when the service is', async () => {
      await away.page.goto(away.at('/domains'))
      await shown(away.page)
      await away.context.setOffline(true)
      await away.page.getByRole('link', { name: 'Usage' }).click()
      await away.page.getByText('The service cannot be reached.').waitFor()
      await away.context.setOffline(false)
      await away.page.getByRole('button', { name: 'Try again' }).click()
      await away.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    })

    it('the page for signing in follows what is refused, and leads back', async () => {
      await away.page.goto(away.at('/domains/away.example?from=a%40b.example'))
      const check = away.page.getByRole('button', { name: 'Check the DNS' })
      await check.waitFor()
      await away.context.clearCookies()
      await check.click()
      await away.page.waitForURL((url) => url.pathname === '/sign-in')
      const next = new URL(away.page.url()).searchParams.get('next')
      expect(next).to.equal('/app/domains/away.example?from=a%40b.example')
    })
  })

  it('long words keep within a narrow window', async () => {
    const { accountId, key } = await makeTenant(door, { name: 'wide' })
    const address = `${'x'.repeat(60)}@wide.example`
    await client(door.http, key)('POST', '/api/v1/mailboxes', { address, displayName: 'Donaudampfschiff'.repeat(12) })
    const letter = { alias: 'long', subject: 'Donaudampfschiff'.repeat(12), text: `{{${'y'.repeat(60)}}}` }
    await client(door.http, key)('POST', '/api/v1/templates', letter)
    const wide = await door.view({ accountId })
    await wide.page.setViewportSize({ width: 360, height: 740 })
    for (const path of [`/mailboxes/${address}`, '/usage', '/templates/long']) {
      await wide.page.goto(wide.at(path))
      await shown(wide.page)
      const beyond = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('main'))`
      expect(await wide.page.evaluate(beyond), path).to.equal(0)
    }
    await wide.close()
  })

  it('what a long neighbour presses stays whole, in tables and beside the navigation', async () => {
    const { accountId, key, address } = await makeTenant(door, { name: 'pressed' })
    const asOwner = client(door.http, key)
    const to = `${'x'.repeat(60)}@${'y'.repeat(60)}.${'z'.repeat(60)}.example`
    const letter = { to, subject: 'Donaudampfschiff'.repeat(12), text: 'Hello' }
    await asOwner('POST', `${mailboxPath(address)}/send`, letter)
    await asOwner('POST', '/api/v1/mailboxes', { address: `${'x'.repeat(60)}@pressed.example` })
    const pressed = await door.view({ accountId })
    const box = async (locator: ReturnType<Page['locator']>) =>
      (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await pressed.page.goto(pressed.at('/events?type=mailbox.created'))
    await shown(pressed.page)
    for (const word of ['td a', 'td time']) {
      const lines = `document.querySelector('${word}').getClientRects().length`
      expect(await pressed.page.evaluate(lines), word).to.equal(1)
    }
    await pressed.page.setViewportSize({ width: 360, height: 740 })
    await pressed.page.goto(pressed.at('/sends'))
    await shown(pressed.page)
    const subject = await box(pressed.page.getByRole('link', { name: letter.subject }))
    const sender = await box(pressed.page.getByRole('cell').getByText(address, { exact: true }))
    expect(sender.y, 'the sender stands below the subject').to.be.at.least(subject.y + subject.height)
    await pressed.page.setViewportSize({ width: 1280, height: 800 })
    await pressed.page.evaluate(`localStorage.setItem('mailroom.language', 'de')`)
    await pressed.page.reload()
    await shown(pressed.page)
    const aside = await box(pressed.page.locator('aside'))
    for (const name of ['Suchen oder gehe zu …', 'Verbundene Programme']) {
      const { x, width } = await box(pressed.page.locator('aside').getByText(name, { exact: true }).locator('..'))
      expect(x + width, name).to.be.at.most(aside.x + aside.width)
    }
    await pressed.close()
  })

  it('of many mailboxes the oldest is found, opened and chosen like the others', async () => {
    const { ctx } = door
    const { accountId, address, key } = await makeTenant(door, { name: 'many' })
    for (const figure of ['inboxes', 'inboxCreationsPerDay'] as const)
      await raiseLimit(ctx, accountId, { figure, to: 1_000 })
    const asAdministrator = administrator(await getAccount(ctx, accountId))
    const later = Array.from({ length: 500 }, (_, n) => `later${n}@many.example`)
    const made = await Promise.all(later.map((each) => createMailbox(ctx, asAdministrator, { address: each })))
    const mailboxIds = made.slice(0, 6).map(({ id }) => id)
    await makeKey(ctx, { accountId, kind: 'agent', scopes: ['mail:read'], mailboxIds })
    await Promise.all(later.slice(0, 100).map(() => makeKey(ctx, { accountId, expiresAt: new Date(0) })))
    await deliver(ctx, { to: address, raw: bill })
    const many = await door.view({ accountId })
    const on = many.page
    await on.goto(many.at('/mailboxes'))
    const rows = on.getByRole('table').getByRole('row')
    const button = on.getByRole('button', { name: 'Show more' })
    await button.click()
    await eventually('two hundred rows', async () => (await rows.count()) === 201)
    await on.getByRole('searchbox', { name: 'Find a mailbox' }).fill(address)
    await on.getByRole('table').getByRole('link', { name: address }).waitFor()
    await button.waitFor({ state: 'detached' })
    await leadTo(on, many.at(`/mail/${address}`))
    await on.getByRole('link', { name: 'Invoice INV-2041' }).waitFor()
    expect(await on.getByRole('combobox', { name: 'Mailbox' }).inputValue()).to.equal(address)
    await on.keyboard.press('Control+k')
    const palette = on.getByRole('dialog', { name: 'Commands' })
    await palette.getByText('more: type a part of the name').waitFor()
    expect(await palette.getByRole('option').count()).to.equal(100)
    await palette.getByRole('option', { name: 'Go to API keys' }).waitFor()
    await palette.getByRole('combobox').fill(address)
    await palette.getByRole('option', { name: `Mailbox ${address}` }).waitFor()
    await on.keyboard.press('Escape')
    await leadTo(on, many.at('/keys?make=key'))
    const boxes = on.getByRole('group', { name: 'Mailboxes' })
    await boxes.getByText('451 more').waitFor()
    expect(await boxes.getByRole('checkbox').count()).to.equal(50)
    await boxes.getByRole('searchbox', { name: 'Find a mailbox' }).fill(address)
    await boxes.getByRole('checkbox', { name: address }).check()
    await boxes.getByRole('searchbox').clear()
    await boxes.getByText('1 is chosen').waitFor()
    expect(await boxes.getByRole('checkbox', { name: address }).isChecked()).to.equal(true)
    await on.keyboard.press('Escape')
    await on.getByText('No key of these is in use any more.').waitFor()
    await button.click()
    await on.getByRole('cell').getByText('6 mailboxes').click()
    await on.getByText('later0@many.example').waitFor()
    const asOwner = client(door.http, key)
    for (const mailbox of later.slice(0, 101))
      await asOwner('POST', '/api/v1/intake', { mailbox, delivery: { type: 'api' } })
    await leadTo(on, many.at('/intake'))
    const watched = on.getByRole('heading', { level: 2 }).filter({ hasText: '@many.example' })
    await watched.first().waitFor()
    expect(await watched.count()).to.equal(12)
    await button.click()
    await eventually('twelve more', async () => (await watched.count()) === 24)
    expect(await on.getByRole('combobox', { name: 'Mailbox' }).getByRole('option').count()).to.equal(102)
    await many.close()
  })

  it('a variable of a template may have any name', async () => {
    const { accountId, key } = await makeTenant(door, { name: 'naming' })
    const text = inheritedNames.map((name) => `{{${name}}}`).join(' ')
    await client(door.http, key)('POST', '/api/v1/templates', { alias: 'named', subject: 'Named', text })
    const writer = await door.view({ accountId })
    await writer.page.goto(writer.at('/templates/named'))
    for (const name of inheritedNames) {
      const field = writer.page.getByLabel(name, { exact: true })
      expect(await field.inputValue(), name).to.equal('')
      await field.fill(`a ${name}`)
    }
    await writer.page.getByText(inheritedNames.map((name) => `a ${name}`).join(' '), { exact: true }).waitFor()
    await writer.close()
  })

  it('what was changed in a template and not saved yet stays when it is paused, and is not left unasked', async () => {
    const { accountId, key } = await makeTenant(door, { name: 'pausing' })
    await client(door.http, key)('POST', '/api/v1/templates', { alias: 'offer', subject: 'Offer', text: 'Hello' })
    const writer = await door.view({ accountId })
    const text = writer.page.getByLabel('Plain text')
    let isAsked = false
    let answer = (): void => undefined
    await writer.page.route('**/api/v1/templates/offer', async (route) => {
      isAsked = true
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      await route.continue()
    })
    await writer.page.goto(writer.at('/templates/offer'))
    await writer.page.getByRole('status', { name: 'Loading' }).first().waitFor()
    await eventually('the template is asked for', () => isAsked)
    expect(await text.count(), 'nothing is written in before it is there').to.equal(0)
    await writer.page.unroute('**/api/v1/templates/offer')
    answer()
    await text.fill('Good morning')
    await writer.page.getByRole('button', { name: 'Pause' }).click()
    await writer.page.getByRole('button', { name: 'Activate' }).waitFor()
    expect(await text.inputValue()).to.equal('Good morning')
    const questions: string[] = []
    writer.page.on('dialog', async (dialog) => {
      questions.push(dialog.message())
      await dialog.dismiss()
    })
    await writer.page.getByRole('link', { name: 'Usage' }).click()
    expect(questions).to.deep.equal(['Your changes to the template are not saved. Leave anyway?'])
    await writer.page.getByRole('button', { name: 'Save' }).click()
    await writer.page.getByText('Saved.').waitFor()
    expect(await door.ctx.store.templates.findOne({ accountId })).to.include({ text: 'Good morning', status: 'paused' })
    await writer.page.getByRole('button', { name: 'Undo' }).last().click()
    await eventually('what stood there', async () => (await text.inputValue()) === 'Hello')
    await writer.page.getByRole('link', { name: 'Usage' }).click()
    await writer.page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    expect(questions).to.have.length(1)
    await writer.close()
  })

  it('says what was done on the page that led here', async () => {
    await page.goto(viewer.at('?done=claimed'))
    await notice('The account is yours.').getByRole('button', { name: 'Dismiss' }).click()
    expect(new URL(page.url()).search).to.equal('')
  })

  it('an alias is made, and removed with a way back', async () => {
    await page.goto(viewer.at('/aliases?make=alias'))
    const dialog = page.getByRole('dialog')
    const alias = `sales@${door.tenant.address.split('@')[1]}`
    await dialog.getByLabel('Address').fill(alias)
    await dialog.getByLabel(door.tenant.address).check()
    await dialog.getByRole('button', { name: 'New alias' }).click()
    await notice('reaches your mailboxes').getByRole('button', { name: 'Dismiss' }).click()
    const known = async () => (await call<{ aliases: Alias[] }>('GET', '/api/v1/aliases')).body.aliases
    expect((await known())[0])
      .to.include({ alias })
      .and.deep.include({ targets: [door.tenant.address] })
    await page.getByRole('button', { name: `Remove: ${alias}` }).click()
    await button('Undo z').click()
    await page.getByRole('button', { name: `Remove: ${alias}` }).waitFor()
    expect(await known()).to.have.length(1)
  })

  it('a send shows what became of it for each recipient', async () => {
    const to = ['delivered@simulator.invalid', 'bounced@simulator.invalid']
    await call('POST', `${mailboxPath(door.tenant.address)}/send`, { to, subject: 'Two at once', text: 'Hello' })
    await page.goto(viewer.at('/sends'))
    const row = page.getByRole('row').filter({ hasText: 'Two at once' })
    await row.getByText('2 waiting').waitFor()
    await carryOutgoing(door.ctx)
    await row.getByText('bounced', { exact: false }).first().waitFor()
    await row.getByRole('link', { name: 'Two at once' }).click()
    const bounced = page.getByRole('row').filter({ hasText: 'bounced@simulator.invalid' })
    await bounced.getByText('bounced', { exact: true }).waitFor()
    const [sent] = (await call<{ emails: Email[] }>('GET', '/api/v1/emails')).body.emails
    const answer = sent?.recipients.find(({ email }) => email === to[1])?.response ?? ''
    expect(answer).to.match(/^5/)
    expect(await bounced.textContent()).to.include(answer)
    expect(new URL(page.url()).pathname).to.equal(`/app/sends/${sent?.id}`)
    await expectGoodPage(page, 'send')
    await page.getByRole('link', { name: 'Show the message' }).click()
    await page.getByRole('heading', { name: 'Two at once' }).waitFor()
    await page.goto(viewer.at('/sends/em_00000000000000000000000000'))
    await page.getByText('There is no email em_00000000000000000000000000.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Sends' }).waitFor()
  })

  it('a planned send goes at another time, or not at all and is a draft again', async () => {
    const { address } = door.tenant
    const fields = { to: ['delivered@simulator.invalid'], subject: 'Not before May', text: 'Hello' }
    const { body: draft } = await call<{ message_id: string }>('POST', `${mailboxPath(address)}/drafts`, fields)
    const sendAt = new Date(door.ctx.clock.now().getTime() + hourMs).toISOString()
    const path = `${mailboxPath(address)}/drafts/${draft.message_id}/send`
    const { body: planned } = await call<{ id: string }>('POST', path, { sendAt })
    await page.goto(viewer.at(`/sends/${planned.id}`))
    const dialog = page.getByRole('dialog')
    await button('Another time').click()
    await dialog.getByLabel('Planned for').fill('2020-01-02T03:04')
    await dialog.getByRole('button', { name: 'Another time' }).click()
    await dialog.locator('input:focus:invalid').waitFor()
    await expectGoodPage(page, 'planned send')
    const later = new Date(Math.ceil(Date.parse(sendAt) / hourMs) * hourMs + hourMs)
    await dialog.getByLabel('Planned for').fill(await fieldTime(page, later))
    await dialog.getByRole('button', { name: 'Another time' }).click()
    await notice('It goes out at the new time.').waitFor()
    const listed = async () =>
      (await call<{ scheduled: { sendAt: string }[] }>('GET', `${mailboxPath(address)}/scheduled`)).body.scheduled
    expect((await listed())[0]?.sendAt).to.equal(later.toISOString())
    await button('Do not send').click()
    await dialog.getByRole('button', { name: 'Do not send' }).click()
    await notice('is a draft again').waitFor()
    const form = page.locator('[role="dialog"] form:not([inert])')
    expect(await form.getByRole('textbox', { name: 'Subject' }).inputValue()).to.equal('Not before May')
    expect(await listed()).to.deep.equal([])
  })

  it('a planned send of no mailbox is kept from going out', async () => {
    const sendAt = new Date(door.ctx.clock.now().getTime() + hourMs).toISOString()
    const from = door.tenant.address.replace(/^.*@/, 'orders@')
    const mail = { from, to: 'delivered@simulator.invalid', subject: 'Your order', text: 'Hello', sendAt }
    const { body: planned } = await call<{ id: string }>('POST', '/api/v1/emails', mail)
    await page.goto(viewer.at(`/sends/${planned.id}`))
    await button('Do not send').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Do not send' }).click()
    await notice('It does not go out.').waitFor()
    const { body } = await call<Email>('GET', `/api/v1/emails/${planned.id}`)
    expect(body.recipients[0]).to.include({ status: 'failed', reason: 'cancelled' })
  })

  it('what Lens read is marked where it stands', async () => {
    await page.goto(viewer.at('/intake?make=intake'))
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByLabel('Begin with').selectOption('Invoice')
    await expectGoodPage(page, 'intake set-up')
    await dialog.getByRole('button', { name: 'Begin to watch' }).click()
    await notice('The mailbox is watched.').waitFor()
    const id = await deliver(door.ctx, { to: door.tenant.address, from: 'bills@remote.example', raw: bill })
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]), deriveRecords)
    await page.getByRole('link', { name: 'Invoice INV-2041' }).click()
    const value = page.getByRole('button').filter({ hasText: '1240.5' })
    await value.click()
    const marked = page.locator('mark.chosen').filter({ hasText: '1,240.50' })
    await marked.waitFor()
    await expectGoodPage(page, 'intake record')
  })

  it('an administrator answers a request, and others have no such page', async () => {
    const asker = await newPerson(door, { accountId: door.tenant.accountId })
    await asker.ask('POST', '/api/v1/account/requests', {
      kind: 'limit',
      text: 'We need 100 mailboxes for the winter.',
    })
    await page.goto(viewer.at('/administration/requests'))
    const request = page.getByRole('article').filter({ hasText: '100 mailboxes' })
    await expectGoodPage(page, 'administration requests')
    await request.getByLabel('Answer').fill('You have them.')
    await request.getByRole('button', { name: 'Grant' }).click()
    await notice('It is granted').waitFor()
    type Requests = { requests: { status: string; answer: string }[] }
    const { requests } = (await asker.ask<Requests>('GET', '/api/v1/account/requests')).body
    expect(requests[0]).to.include({ status: 'granted', answer: 'You have them.' })
    const other = await door.view()
    await other.page.goto(other.at('/administration/requests'))
    await other.page.getByRole('heading', { name: 'Your role may not see this page' }).waitFor()
    expect(await other.page.getByRole('link', { name: 'Outbox' }).count()).to.equal(0)
    await other.close()
  })

  describe('keep to WCAG 2.2 AA', () => {
    before(fill)
    const first = async <K extends string>(path: string, key: K) =>
      (await call<Record<K, { id: string }[]>>('GET', path)).body[key][0]?.id ?? ''
    const full: readonly (readonly [name: string, path: string | (() => Promise<string> | string)])[] = [
      ['keys', '/keys'],
      ['key making', '/keys?make=key'],
      ['webhooks', '/webhooks'],
      ['webhook', async () => `/webhooks/${await first('/api/v1/webhooks', 'webhooks')}`],
      ['webhook making', '/webhooks?make=webhook'],
      ['events', '/events'],
      ['event', async () => `/events/${await first('/api/v1/events', 'events')}`],
      ['mailbox', () => `/mailboxes/${encodeURIComponent(door.tenant.address)}`],
      ['mailbox making', '/mailboxes?make=new'],
      ['domains', '/domains'],
      ['domain making', '/domains?make=domain'],
      ['domain', '/domains/shop.example'],
      ['dns', '/domains/shop.example/dns'],
      ['reports', '/domains/shop.example/reports'],
      ['intake', '/intake'],
      ['intake making', '/intake?make=intake'],
      ['templates', '/templates'],
      ['template', '/templates/welcome'],
      ['template making', '/templates/new'],
      ['batches', '/batches'],
      [
        'batch',
        async () => `/batches/${encodeURIComponent(door.tenant.address)}/${await first('/api/v1/batches', 'batches')}`,
      ],
      ['suppressions', '/suppressions'],
      ['suppression making', '/suppressions?make=suppression'],
      ['aliases', '/aliases'],
      ['alias making', '/aliases?make=alias'],
      ['sends', '/sends'],
      ['usage', '/usage'],
      ['people', '/people'],
      ['person inviting', '/people?make=member'],
      ['audit', '/audit'],
      ['account', '/account'],
      ['limit asking', '/account?make=limit'],
      ['security', '/security'],
      ['programs', '/programs'],
      ['administration accounts', '/administration/accounts'],
      ['administration account', () => `/administration/accounts/${door.tenant.accountId}`],
      ['administration outbox', '/administration/outbox'],
      ['administration service', '/administration/service'],
    ]
    for (const [name, path] of full)
      it(name, async () => good(page, name, viewer.at(typeof path === 'string' ? path : await path())))

    it('a page without links is scrolled by keyboard where it is longer than a phone', async () => {
      const usual = page.viewportSize()
      await page.setViewportSize({ width: 360, height: 640 })
      await leadTo(page, viewer.at('/administration/outbox'))
      await shown(page)
      await page.getByText('slow.example').first().waitFor()
      await expectAccessible(page, 'outbox of a phone')
      await page.evaluate('document.activeElement.blur()')
      const isReached = () => page.evaluate<boolean>(`document.activeElement === document.querySelector('main')`)
      // The link past the navigation and the button that opens the menu come before it.
      for (let tabs = 0; tabs < 3 && !(await isReached()); tabs += 1) await page.keyboard.press('Tab')
      await page.keyboard.press('End')
      await eventually('it is scrolled', () => page.evaluate<boolean>(`document.querySelector('main').scrollTop > 0`))
      await page.setViewportSize(usual ?? { width: 1280, height: 800 })
    })

    it('an address of nothing', async () => {
      await page.goto(viewer.at('/no/such/page'))
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
      await expectGoodPage(page, 'no page')
    })

    describe('with nothing in them', () => {
      let tenant: Tenant
      let fresh: Viewer
      before(async () => {
        tenant = await makeTenant(door, { name: 'fresh' })
        fresh = await door.view({ accountId: tenant.accountId, faults: ['status of 404'] })
      })
      after(() => fresh?.close())
      const empty: readonly (readonly [name: string, samples: readonly string[]])[] = [
        ['keys', []],
        ['webhooks', ['curl']],
        ['intake', ['curl']],
        ['templates', ['curl']],
        ['aliases', ['curl', 'MCP']],
        // Each of the next fills the one before it too, and the last keeps mail from the recipient of all.
        ['sends', ['curl', 'MCP']],
        ['batches', ['curl', 'MCP']],
        ['mail', ['curl', 'MCP']],
        ['suppressions', ['curl']],
      ]
      for (const [name, samples] of empty)
        it(`${name}: what is shown to begin with does so`, async () => {
          await good(fresh.page, `${name} empty`, fresh.at(`/${name}`))
          await beginsBy(fresh.page, samples, tenant.key)
        })

      it('mailboxes and domains of an account that has none', async () => {
        const { id: accountId } = await createAccount(door.ctx, { name: 'bare', owner: null })
        const { apiKey } = await makeKey(door.ctx, { accountId })
        const bare = await door.view({ accountId })
        await bare.page.goto(bare.at('/mailboxes'))
        await bare.page.getByRole('link', { name: 'Add a domain' }).waitFor()
        await good(bare.page, 'domains empty', bare.at('/domains'))
        await beginsBy(bare.page, ['curl', 'MCP'], apiKey)
        await createDomain(door.ctx, { domain: 'bare.example', accountId, verified: true })
        await good(bare.page, 'mailboxes empty', bare.at('/mailboxes'))
        await beginsBy(bare.page, ['curl', 'MCP'], apiKey)
        await bare.close()
      })

      /** Takes the samples of a page as a reader does, and expects that they do what they are for, or did it before. */
      async function beginsBy(opened: Page, samples: readonly string[], key: string): Promise<void> {
        const tabs = opened.getByRole('tab')
        expect(await tabs.allTextContents()).to.deep.equal(samples)
        const texts: string[] = []
        for (const name of samples) {
          await tabs.filter({ hasText: name }).click()
          texts.push((await opened.getByRole('tabpanel').locator('pre').textContent()) ?? '')
        }
        for (const [n, text] of texts.entries()) {
          const answer = samples[n] === 'MCP' ? await calledByMcp(text, key) : await calledByCurl(text, key)
          expect(answer, text).to.match(n === 0 ? /^done/ : /^(?:done|conflict: )/)
        }
      }

      async function calledByCurl(text: string, key: string): Promise<string> {
        const { stdout } = await promisify(execFile)('bash', ['-c', `${text} --silent`], {
          env: { ...process.env, MAILROOM_API_KEY: key },
        })
        return (JSON.parse(stdout) as { success: boolean }).success ? 'done' : stdout
      }

      async function calledByMcp(text: string, key: string): Promise<string> {
        const { params } = JSON.parse(text) as { params: { name: string; arguments: Record<string, unknown> } }
        const mcp = await connectMcp(door.http, key)
        const { isError, content } = await mcp.callTool(params)
        await mcp.close()
        const [{ text: said }] = content as [{ text: string }]
        return isError ? said : 'done'
      }
    })
  })

  async function good(opened: Page, name: string, address: string): Promise<void> {
    await leadTo(opened, address)
    await shown(opened)
    await expectGoodPage(opened, name)
    await keepGermanPicture(opened, name)
  }

  /** Puts something into every page, with a history of some weeks. */
  async function fill(): Promise<void> {
    const { accountId, address, mailboxId } = door.tenant
    const { store, clock } = door.ctx
    const now = clock.now()
    const letter = {
      subject: 'Welcome, {{name}}',
      html: '<h1>Hello {{name}}</h1><p>Good to see you.</p>',
      text: 'Hello {{name}}',
    }
    await call('POST', '/api/v1/templates', { alias: 'welcome', ...letter })
    await call('POST', `${mailboxPath(address)}/send-batch`, {
      ...letter,
      recipients: ['delivered', 'bounced', 'complained'].map((local) => ({
        email: `${local}@simulator.invalid`,
        fields: { name: 'Ann' },
      })),
      idempotencyKey: 'welcome',
    })
    await call('POST', `${mailboxPath(address)}/send`, {
      to: ['a@slow.example', 'b@slow.example', 'c@else.example'],
      text: 'x',
    })
    await call('POST', '/api/v1/suppressions', { email: 'ann@remote.example' })
    const [hookId] = (await store.webhooks.find({ accountId }).toArray()).map(({ _id }) => _id)
    const expiresAt = new Date(now.getTime() + 90 * dayMs)
    const days = Array.from({ length: 29 }, (_, n) =>
      new Date(now.getTime() - (n + 1) * dayMs).toISOString().slice(0, 10),
    )
    await store.usage.insertMany(
      days.flatMap((day, n) => {
        const sent = 40 + ((n * 37) % 60)
        const counts = {
          sent,
          received: 90 + ((n * 53) % 80),
          delivered: sent - 3,
          bounced: n % 4,
          complained: n % 9 === 0 ? 1 : 0,
          bytes: sent * 9_000,
        }
        const hours = Object.fromEntries(
          ['h08', 'h14'].map((hour) => [hour, { delivered: sent, failed: n % 6 === 0 ? 12 : 1, ms: sent * 80 }]),
        )
        return [
          { _id: `${accountId}:daily:${mailboxId}:${day}`, counts, expiresAt },
          { _id: `${accountId}:attempts:${hookId}:${day}`, counts: hours, expiresAt } as never,
        ]
      }),
    )
    const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs)
    for (const [n, process] of ['service', 'smtp', 'imap'].entries())
      await store.processHours.insertOne({
        _id: `${new Date(hour.getTime() - hourMs).toISOString()}:mail-1:${process}:${100 + n}`,
        host: 'mail-1',
        process,
        pid: 100 + n,
        startedAt: new Date(now.getTime() - 3 * dayMs),
        hour: new Date(hour.getTime() - hourMs),
        samples: Array.from({ length: 60 }, (_, minute) => ({
          at: new Date(now.getTime() - (59 - minute) * minuteMs),
          memoryBytes: (90 + n * 20 + (minute % 13)) * 1024 * 1024,
          eventLoopMs: 1 + ((minute * 7) % 11),
          databaseMs: 0.4 + ((minute * 3) % 5) / 2,
        })),
        expiresAt,
      })
    for (const code of ['550 5.1.1', '550 5.1.1', '550 5.7.1', '535 5.7.8']) door.ctx.vitals.noteRefusal(code)
    await door.ctx.vitals.write()
  }
})
