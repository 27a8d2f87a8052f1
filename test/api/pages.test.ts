import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { joinAccount } from '../../core/people/members.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { eventually } from '../eventually.ts'
import { inheritedNames } from '../inherited-names.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { addAuthenticator, expectAccessible, openWindow } from '../start/browser.ts'
import { type Door, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { makePerson, signedIn, testPassword } from '../start/people.ts'

describe('pages', () => {
  let door: Door
  let tenant: Tenant
  /** Calls with the key of the account whose mailbox receives the mail of all people here. */
  let call: Call

  before(async () => {
    door = await openDoor({ isNamed: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    call = client(door.http, tenant.key)
    await call('POST', '/api/v1/aliases', { alias: '*@tenant.example', targets: [tenant.address] })
  })
  after(() => door?.close())

  let addresses = 0
  const newAddress = () => `reader${++addresses}@tenant.example`
  const at = (path: string) => `${door.ctx.baseUrl}${path}`
  const pathOf = (page: Page) => page.url().replace(door.ctx.baseUrl, '')

  /** The link in the newest message to an address, from its mailbox. */
  async function linkTo(email: string): Promise<string> {
    await carryOutgoing(door.ctx)
    const path = `${mailboxPath(tenant.address)}/messages`
    const found = await call<{ messages: { message_id: string }[] }>('GET', `${path}?to=${encodeURIComponent(email)}`)
    const mail = await call<{ text: string }>('GET', `${path}/${found.body.messages[0]?.message_id}`)
    return /^http:\S+\/[\w-]{43}$/m.exec(mail.body.text)?.[0] ?? `no link in ${mail.body.text}`
  }

  type Window = Awaited<ReturnType<typeof openWindow>>
  /** Opens a window, and closes it when the steps are done. */
  const inWindow =
    (steps: (page: Page, window: Window) => Promise<void>, options?: Parameters<typeof openWindow>[0]) => async () => {
      const window = await openWindow(options)
      try {
        await steps(window.page, window)
      } catch (error) {
        await window.context.close()
        throw error
      }
      await window.close()
    }

  async function signIn(
    page: Page,
    { email, password = testPassword }: { email: string; password?: string },
  ): Promise<void> {
    await page.goto(at('/sign-in?next=%2Fsettings'))
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  /** Submits the form that has the focus, as a person does without a mouse. */
  const send = (page: Page) => Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  /** Moves the focus by the keyboard to the control with a name, or to the button with a text. */
  async function tabTo(page: Page, control: string): Promise<void> {
    for (let presses = 0; presses < 20; presses++) {
      const focused = page.locator(':focus')
      if ((await focused.count()) > 0) {
        const names = await focused.evaluate((element) => [element.getAttribute('name'), element.textContent])
        if (names.includes(control)) return
      }
      await page.keyboard.press('Tab')
    }
    throw new Error(`The keyboard does not lead to "${control}".`)
  }
  const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click()
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
  const codeOf = (secret: string) =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: door.ctx.clock.now().getTime() })

  it(
    'signing in and out, and where one is led',
    inWindow(async (page) => {
      const known = await makePerson(door)
      await page.goto(at('/settings/security'))
      expect(pathOf(page)).to.equal('/sign-in?next=%2Fsettings%2Fsecurity')
      await page.getByLabel('E-mail address').fill(known.email)
      await page.getByLabel('Password').fill('wrong')
      await expectAccessible(page, 'sign-in')
      await send(page)
      expect(await page.getByRole('alert').first().textContent()).to.include('The address or the password is wrong.')
      expect(await page.title()).to.match(/^Not done: /)
      expect(await page.getByLabel('E-mail address').inputValue()).to.equal(known.email)
      expect(await page.getByLabel('Password').inputValue()).to.equal('')
      await expectAccessible(page, 'sign-in refused')
      await page.getByLabel('Password').fill(testPassword)
      await send(page)
      await page.getByRole('heading', { name: 'Security' }).waitFor()
      expect(pathOf(page)).to.equal('/settings/security')
      const usual = page.viewportSize()
      await page.setViewportSize({ width: 360, height: 740 })
      const link = (name: string) => page.getByRole('link', { name, exact: true }).boundingBox()
      const [first, second] = [await link('You'), await link('Security')]
      expect(second?.y, 'links beside each other on a phone').to.equal(first?.y)
      await page.setViewportSize(usual ?? { width: 1000, height: 900 })
      await signOut(page)
      expect(await page.getByRole('status').textContent()).to.equal('You are signed out.')
      await page.goto(at('/settings'))
      expect(pathOf(page)).to.equal('/sign-in?next=%2Fsettings')
    }),
  )

  /** An account created by an agent. */
  async function signup(): Promise<{ address: string; claimPath: string; call: Call }> {
    const { body } = await client(door.http)<{ address: string; api_key: string; claim_url: string }>(
      'POST',
      '/api/v1/signup',
    )
    const { pathname } = new URL(body.claim_url)
    return { address: body.address, claimPath: pathname, call: client(door.http, body.api_key) }
  }
  const statusOf = async (own: Call) => (await own<{ status: string }>('GET', '/api/v1/account')).body.status

  it(
    'an account is claimed by signing up, with the keyboard alone and the link out of a mailbox',
    inWindow(
      async (page) => {
        const made = await signup()
        const email = newAddress()
        await page.goto(at(made.claimPath))
        expect(await page.getByText(made.address).count()).to.equal(1)
        await expectAccessible(page, 'claim')
        // Past the link to the content and into the form.
        await tabTo(page, 'email')
        await page.keyboard.type(email)
        await tabTo(page, 'name')
        await page.keyboard.type('Ann <b>Reader</b>')
        await tabTo(page, 'password')
        await page.keyboard.type('short')
        await send(page)
        expect(await page.locator('#password-error').textContent()).to.include('5 characters')
        expect(await page.locator(':focus').getAttribute('id')).to.equal('password')
        await expectAccessible(page, 'sign-up refused')
        await page.keyboard.type(testPassword)
        await send(page)
        expect(await heading(page)).to.equal('Check your mail')
        await expectAccessible(page, 'sign-up mailed')

        await page.goto(await linkTo(email))
        await expectAccessible(page, 'verify')
        await tabTo(page, 'password')
        await page.keyboard.type('not the one')
        await send(page)
        expect(await page.getByRole('alert').textContent()).to.include('This is not the password of this sign-up.')
        await tabTo(page, 'password')
        await page.keyboard.type(testPassword)
        await send(page)

        expect(pathOf(page)).to.equal(`${made.claimPath}?done=verified`)
        expect(await page.getByRole('status').textContent()).to.include('Your address is verified')
        await expectAccessible(page, 'claim signed in')
        expect(await statusOf(made.call)).to.equal('unclaimed')
        await tabTo(page, `Claim it as ${email}`)
        await send(page)
        expect(pathOf(page)).to.equal('/app?done=claimed')
        await page.goto(at('/settings'))
        expect(await page.getByLabel('Name').inputValue()).to.equal('Ann <b>Reader</b>')
        await expectAccessible(page, 'you with account')
        expect((await made.call('GET', '/api/v1/account')).body).to.include({ status: 'active', owner: email })

        expect((await page.goto(at(made.claimPath)))?.status()).to.equal(404)
        await expectAccessible(page, 'claim used')
        // The browser logs refusals such as this one, and there is no dashboard behind this door.
      },
      { faults: ['401', '404', '503'] },
    ),
  )

  it(
    'an account is claimed into another, without JavaScript',
    inWindow(
      async (page) => {
        const [first, second] = [await signup(), await signup()]
        const known = await makePerson(door)
        for (const { claimPath } of [first, second]) {
          await page.goto(at(claimPath))
          if ((await page.getByRole('link', { name: 'Sign in to claim it' }).count()) > 0) {
            await page.getByRole('link', { name: 'Sign in to claim it' }).click()
            expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).to.equal(0)
            await page.getByLabel('E-mail address').fill(known.email)
            await page.getByLabel('Password').fill(testPassword)
            await page.getByRole('button', { name: 'Sign in', exact: true }).click()
          }
          const into = page.getByLabel('Into your account')
          if ((await into.count()) > 0) await into.check()
          await page.getByRole('button', { name: `Claim it as ${known.email}` }).click()
          expect(pathOf(page)).to.equal('/app?done=claimed')
        }
        const accounts = await Promise.all(
          [first, second].map(async ({ call: own }) => (await own('GET', '/api/v1/account')).body.id),
        )
        expect(accounts[0]).to.equal(accounts[1])
      },
      { javaScriptEnabled: false, faults: ['503'] },
    ),
  )

  describe('a program that opens a link without submitting the form', () => {
    const scanners: readonly (readonly [string, RequestInit])[] = [
      ['GET', {}],
      ['HEAD', { method: 'HEAD' }],
      ['GET again', {}],
      ['a POST without a token', { method: 'POST', body: new URLSearchParams() }],
      ['a POST with a made-up token', { method: 'POST', body: new URLSearchParams({ csrf: 'x'.repeat(43) }) }],
      ['a POST of JSON', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
      ['a POST of nothing', { method: 'POST' }],
    ]
    for (const [name, init] of scanners)
      it(`${name} claims nothing, verifies nothing, and uses no link up`, async () => {
        const { claimPath, call: own } = await signup()
        const email = newAddress()
        await client(door.http)('POST', '/api/v1/people', { email, password: testPassword, name: 'Ann' })
        const verify = new URL(await linkTo(email)).pathname
        const known = await makePerson(door, { email: newAddress() })
        await client(door.http)('POST', '/api/v1/people/reset', { email: known.email })
        const reset = new URL(await linkTo(known.email)).pathname
        for (const path of [claimPath, verify, reset]) {
          const answer = await fetch(door.http + path, { redirect: 'manual', ...init })
          expect(answer.status, path).to.be.oneOf(init.method === 'POST' ? [400, 403] : [200])
        }
        expect(await statusOf(own)).to.equal('unclaimed')
        const token = (path: string) => path.slice(path.lastIndexOf('/') + 1)
        const ask = client(door.http)
        expect((await ask('POST', '/api/v1/people/verify', { token: token(verify) })).status).to.equal(200)
        const given = { token: token(reset), password: 'another good one' }
        expect((await ask('POST', '/api/v1/people/reset', given)).status).to.equal(200)
      })
  })

  it('no page can be framed, cached or load anything from elsewhere', async () => {
    const { claimPath } = await signup()
    for (const path of ['/sign-in', '/reset', claimPath, '/invitation/x', '/verify/x', '/reset/x']) {
      const { headers } = await fetch(door.http + path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path).to.include("default-src 'none'").and.include("frame-ancestors 'none'")
      expect(policy, path).not.to.match(/unsafe|https?:|\*/)
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('cache-control')).to.equal('no-store')
    }
  })

  it('input is shown as text on every page', async () => {
    const evil = `"><script>x</script>'&`
    const known = await makePerson(door)
    const person = await signedIn(door, known)
    await person.ask('PATCH', '/api/v1/people/me', { name: evil })
    for (const path of ['/settings', '/settings/security', `/sign-in?next=${encodeURIComponent(evil)}`]) {
      const text = await (await fetch(door.http + path, { headers: { cookie: person.cookie ?? '' } })).text()
      expect(text, path).not.to.include('<script>x')
    }
  })

  it('a page says nothing of a word for what was done that it does not know', async () => {
    const person = await signedIn(door, await makePerson(door))
    for (const path of ['/sign-in', '/settings']) {
      const headers = path === '/settings' ? { cookie: person.cookie ?? '' } : undefined
      for (const done of ['nothing', ...inheritedNames]) {
        const response = await fetch(`${door.http}${path}?done=${done}`, { headers })
        expect(response.status, done).to.equal(200)
        expect(await response.text(), done).not.to.include('class="notice"')
      }
    }
  })

  it('no page redirects to another site', async () => {
    const wanted = [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/%2f/evil.example',
      '/settings/../..//evil',
      'javascript:x',
      '/settings\n//x',
      '/api/v1/session',
      '/sign-out',
      '/app/../../evil',
      '/app//evil.example',
      '/app?x=//evil.example',
      '/app?x=1; Domain=evil.example',
      '/app/mail?x=1\r\nSet-Cookie: y',
      '/apps',
      '',
    ]
    const known = await makePerson(door)
    const { cookie } = await signedIn(door, known)
    for (const next of wanted) {
      const path = `${door.http}/sign-in?next=${encodeURIComponent(next)}`
      const answer = await fetch(path, { redirect: 'manual', headers: { cookie: cookie ?? '' } })
      expect([answer.status, answer.headers.get('location')], next).to.deep.equal([303, '/app'])
    }
  })

  it('the sign-in returns to the requested page of the dashboard', async () => {
    const { cookie } = await signedIn(door, await makePerson(door))
    for (const next of [
      '/app',
      '/app/mail/agent%40tenant.example/inbox/msg_1',
      '/app/domains/own.example',
      '/app/mail?q=is%3Aunread+ann&of=a%40b.example',
    ]) {
      const path = `${door.http}/sign-in?next=${encodeURIComponent(next)}`
      const answer = await fetch(path, { redirect: 'manual', headers: { cookie: cookie ?? '' } })
      expect(answer.headers.get('location')).to.equal(next)
    }
  })

  it(
    'a code is not taken for a password that is not the person’s any more',
    inWindow(async (page) => {
      const known = await makePerson(door)
      const { ask } = await signedIn(door, known)
      const totp = '/api/v1/people/me/totp'
      const { secret } = (await ask<{ secret: string }>('POST', totp)).body
      const { body } = await ask<{ recoveryCodes: string[] }>('POST', totp, { code: codeOf(secret) })
      await signIn(page, known)
      expect(await heading(page)).to.equal('Enter your code')
      const change = { password: 'a new password', currentPassword: known.password }
      expect((await ask('PATCH', '/api/v1/people/me', change)).status).to.equal(200)
      await page.getByRole('textbox', { name: 'Code' }).fill(body.recoveryCodes[0] ?? '')
      await send(page)
      expect(await heading(page)).to.equal('Sign in')
      expect(await page.locator('.notice.bad').textContent()).to.include(
        'Sign in with your address and password again.',
      )
    }),
  )

  it(
    'an authenticator app is set up, asked for, and removed',
    inWindow(async (page) => {
      const known = await makePerson(door)
      await signIn(page, known)
      await page.goto(at('/settings/security'))
      await expectAccessible(page, 'security')
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
      await expectAccessible(page, 'app')
      const secret = (await page.locator('#secret').textContent())?.replaceAll(' ', '') ?? ''
      await page.getByRole('textbox', { name: 'Code' }).fill('000000')
      await send(page)
      expect(await page.locator('#code-error').textContent()).to.include('This code is wrong')
      expect(await page.getByRole('textbox', { name: 'Code' }).getAttribute('aria-invalid')).to.equal('true')
      expect(await page.locator('#secret').textContent()).to.include(secret.slice(0, 4))
      const code = codeOf(secret)
      await page.getByRole('textbox', { name: 'Code' }).fill(code)
      await send(page)
      expect(await heading(page)).to.equal('Your recovery codes')
      await expectAccessible(page, 'recovery codes')
      const codes = await page.locator('.codes li').allTextContents()
      expect(codes).to.have.length(10)
      await signOut(page)

      await signIn(page, known)
      expect(await heading(page)).to.equal('Enter your code')
      await expectAccessible(page, 'code')
      await page.getByRole('textbox', { name: 'Code' }).fill(code)
      await send(page)
      expect(await page.locator('#code-error').textContent()).to.include('used before')
      await page.getByRole('textbox', { name: 'Code' }).fill(codes[0] ?? '')
      await send(page)
      expect(await heading(page)).to.equal('You')
      await page.goto(at('/settings/security'))
      expect(await page.getByText('recovery codes left').textContent()).to.include('9')
      await page.getByText('Remove the app').first().click()
      await expectAccessible(page, 'security with app')
      await page
        .getByLabel('Code')
        .last()
        .fill(codes[1] ?? '')
      await page.getByRole('button', { name: 'Remove the app' }).click()
      expect(await page.getByRole('status').textContent()).to.include('The authenticator app is removed.')
    }),
  )

  it(
    'a passkey is added, signs in, and is removed',
    inWindow(async (page) => {
      const known = await makePerson(door)
      await addAuthenticator(page)
      await signIn(page, known)
      await page.goto(at('/settings/security'))
      await page.getByLabel('Name of the passkey').fill('Laptop')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      expect(await page.getByRole('status').textContent()).to.include('The passkey is added.')
      await expectAccessible(page, 'security with passkey')
      await signOut(page)
      await page.goto(at('/sign-in?next=%2Fsettings'))
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByRole('heading', { name: 'You', exact: true }).waitFor()
      expect(await page.getByText(known.email).count()).to.equal(1)
      await page.goto(at('/settings/security'))
      await page.getByRole('button', { name: 'Remove Laptop' }).click()
      expect(await page.getByRole('status').textContent()).to.equal('The passkey is removed.')
      await signOut(page)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByRole('alert').filter({ hasText: 'not known here' }).waitFor()
    }),
  )

  it(
    'keys and app passwords are made, work, and are revoked',
    inWindow(async (page) => {
      const known = await makePerson(door, { role: 'owner', accountId: tenant.accountId })
      await signIn(page, known)
      await page.getByRole('link', { name: 'Developers' }).click()
      await page.getByRole('link', { name: 'Make a key' }).click()
      await page.getByLabel('Name').fill('support bot')
      await page.getByLabel('domains:write').check()
      await page.getByLabel(tenant.address).check()
      await expectAccessible(page, 'new key')
      await page.getByRole('button', { name: 'Make the key' }).click()
      expect(await page.locator('#scopes-error').textContent()).to.include('domains:write')
      expect(await page.getByLabel('Name').inputValue()).to.equal('support bot')
      expect(await page.getByLabel(tenant.address).isChecked()).to.equal(true)
      await expectAccessible(page, 'new key refused')
      await page.getByLabel('domains:write').uncheck()
      await page.getByLabel('Last day').fill('2099-12-31')
      await page.getByRole('button', { name: 'Make the key' }).click()
      const key = (await page.locator('#secret').textContent()) ?? ''
      expect(key).to.match(/^svc_live_/)
      await expectAccessible(page, 'key made')
      const own = client(door.http, key)
      expect((await own('GET', mailboxPath(tenant.address))).status).to.equal(200)
      expect((await own('GET', '/api/v1/aliases')).status).to.equal(403)

      await page.getByRole('link', { name: 'I have copied it' }).click()
      await page.getByLabel('Name of the program').fill('Thunderbird')
      await page.getByRole('button', { name: 'Make an app password' }).click()
      expect(await page.locator('#secret').textContent()).to.match(/^svc_app_/)
      await page.getByRole('link', { name: 'I have copied it' }).click()
      await expectAccessible(page, 'developers')
      await page.getByRole('button', { name: 'Revoke Thunderbird' }).click()
      expect(await page.getByText('It has no app password.').count()).to.equal(1)
      await page.getByRole('button', { name: 'Revoke support bot' }).click()
      expect(await page.getByRole('status').textContent()).to.include('It is revoked')
      expect((await own('GET', mailboxPath(tenant.address))).status).to.equal(401)
    }),
  )

  it(
    'somebody is invited, joins, gets another role and is removed',
    inWindow(
      async (page) => {
        const owner = await makePerson(door, { role: 'owner', accountId: tenant.accountId })
        const email = newAddress()
        await signIn(page, owner)
        await page.getByRole('link', { name: 'Members' }).click()
        await page.getByLabel('E-mail address').fill('nobody@')
        await page
          .locator('form[method=post]')
          .last()
          .evaluate((form) => form.setAttribute('novalidate', ''))
        await page.getByRole('button', { name: 'Invite' }).click()
        expect(await page.locator('#email-error').count()).to.equal(1)
        await page.getByLabel('E-mail address').fill(email)
        await page.getByLabel('Reader').check()
        await page.getByRole('button', { name: 'Invite' }).click()
        expect(await page.getByRole('status').textContent()).to.equal('The invitation is on its way.')
        await signOut(page)

        const link = await linkTo(email)
        await page.goto(link)
        await expectAccessible(page, 'invitation')
        await page.getByLabel('Your name').fill('Ben')
        await page.getByLabel('Password').fill('short')
        await send(page)
        expect(await page.locator('#password-error').textContent()).to.include('5 characters')
        await page.getByLabel('Password').fill(testPassword)
        await send(page)
        expect(pathOf(page)).to.equal('/app?done=joined')
        await page.goto(at('/settings'))
        await page.getByRole('link', { name: 'Members' }).click()
        expect(await page.getByText('Your role is reader.').count()).to.equal(1)
        await page.getByRole('link', { name: 'Developers' }).click()
        expect(await page.getByText('Owners of the account make and revoke keys.').count()).to.equal(1)
        expect(await page.getByRole('button', { name: 'Make an app password' }).count()).to.equal(0)
        await signOut(page)

        await signIn(page, owner)
        await page.getByRole('link', { name: 'Members' }).click()
        await expectAccessible(page, 'members')
        await page.getByLabel(`Role of ${email}`, { exact: true }).selectOption('member')
        await page.getByRole('button', { name: `Set the role of ${email}` }).click()
        expect(await page.getByRole('status').textContent()).to.equal('The role is changed.')
        expect(await page.getByLabel(`Role of ${email}`, { exact: true }).inputValue()).to.equal('member')
        await page.getByRole('button', { name: `Remove ${email}` }).click()
        expect(await page.getByRole('status').textContent()).to.equal('Removed.')
        expect(await page.getByText(email).count()).to.equal(0)
      },
      { faults: ['503'] },
    ),
  )

  it(
    'an account is left by who is in it, but not by its last owner',
    inWindow(
      async (page) => {
        const left = await makeTenant(door, { name: 'left' })
        const own = await makeTenant(door, { name: 'kept' })
        const person = await makePerson(door, { role: 'reader', accountId: left.accountId })
        await joinAccount(door.ctx, { accountId: own.accountId, personId: person.id, role: 'owner' })
        const leave = async (name: string) => {
          await page
            .locator('summary')
            .and(page.getByLabel(`Leave ${name}`, { exact: true }))
            .press('Enter')
          await page.getByRole('button', { name: `Leave this account (${name})` }).click()
        }
        await signIn(page, person)
        await page.goto(at('/settings'))
        await leave('kept')
        expect(await page.getByRole('alert').textContent()).to.include('Make another member an owner first.')
        await leave('left')
        expect(await page.getByRole('status').textContent()).to.equal('You have left the account.')
        await expectAccessible(page, 'you after leaving')
        expect(await page.getByRole('button', { name: 'Leave this account (left)' }).count()).to.equal(0)
        expect(await page.getByText('Current account').count()).to.equal(1)
      },
      { faults: ['409'] },
    ),
  )

  it(
    'mail of an agent is read, approved and refused',
    inWindow(async (page) => {
      const own = await makeTenant(door, { name: 'asking' })
      const owner = await makePerson(door, { role: 'owner', accountId: own.accountId })
      const wanted = {
        accountId: own.accountId,
        kind: 'agent',
        scopes: agentScopes,
        mailboxIds: [own.mailboxId],
      } as const
      const agent = client(door.http, (await makeKey(door.ctx, wanted)).apiKey)
      const ask = async (subject: string) => {
        const mail = { to: 'b@remote.example', subject, text: 'Ten euros.\n<b>Now</b>' }
        const { body } = await agent<{ id: string }>('POST', `${mailboxPath(own.address)}/send`, mail)
        return async () =>
          (await agent<{ approval?: object }>('GET', `/api/v1/emails/${body.id}`)).body.approval as { status: string }
      }
      await signIn(page, owner)
      await page.getByRole('link', { name: 'Approvals' }).click()
      await page.getByRole('button', { name: 'Require approval for all agents' }).click()
      expect(await page.getByRole('status').textContent()).to.equal('The setting is changed.')
      const [first, second] = [await ask('Offer'), await ask('Spam')]
      await page.reload()
      await expectAccessible(page, 'approvals')
      await page.getByRole('link', { name: 'Offer' }).click()
      expect(await page.locator('pre').textContent()).to.equal('Ten euros.\n<b>Now</b>')
      await expectAccessible(page, 'approval')
      await page.getByRole('button', { name: 'Approve and send' }).click()
      expect(await page.getByRole('status').textContent()).to.include('The mail is approved')
      expect(await first()).to.include({ status: 'approved' })
      await page.getByRole('link', { name: 'Spam' }).click()
      await page.getByLabel('Message to the agent').fill('No spam')
      await page.getByRole('button', { name: 'Refuse' }).click()
      expect(await second()).to.include({ status: 'refused', reason: 'No spam' })
      expect(await page.getByText('No mail is waiting.').count()).to.equal(1)
    }),
  )

  it(
    'an account is exported, and erased with the name and the password',
    inWindow(async (page) => {
      const own = await makeTenant(door, { name: 'leaving' })
      const owner = await makePerson(door, { role: 'owner', accountId: own.accountId })
      const member = await makePerson(door, { role: 'member', accountId: own.accountId })
      await signIn(page, member)
      await page.getByRole('link', { name: 'Export and erase' }).click()
      expect(await page.getByText('Your role is member.').count()).to.equal(1)
      expect(await page.getByRole('button', { name: 'Erase the account' }).count()).to.equal(0)
      await signOut(page)

      await signIn(page, owner)
      await page.getByRole('link', { name: 'Export and erase' }).click()
      await page.getByRole('button', { name: 'Make an export' }).click()
      expect(await page.getByRole('status').textContent()).to.include('The export is being made.')
      const link = page.getByRole('link', { name: 'Download the export' })
      await eventually('the export', async () => {
        await page.goto(at('/settings/personal'))
        return (await link.count()) === 1
      })
      const file = await fetch((await link.getAttribute('href')) ?? '')
      expect([file.status, file.headers.get('content-type')]).to.deep.equal([200, 'application/zip'])
      await file.body?.cancel()
      await expectAccessible(page, 'export and erase')
      const erase = async (confirm: string, password: string) => {
        await page.getByLabel('Name of the account').fill(confirm)
        await page.getByLabel('Your password').fill(password)
        await page.getByRole('button', { name: 'Erase the account' }).click()
      }
      await erase('leavin', testPassword)
      expect(await page.locator('#confirm-error').textContent()).to.include('must be the name of the account')
      await expectAccessible(page, 'erase refused')
      await erase('leaving', 'wrong')
      expect(await page.getByRole('alert').textContent()).to.include('password is wrong')
      expect(await page.getByLabel('Name of the account').inputValue()).to.equal('leaving')
      expect((await client(door.http, own.key)('GET', '/api/v1/account')).status).to.equal(200)
      await erase('leaving', testPassword)
      expect(await heading(page)).to.equal('The account is being erased')
      await expectAccessible(page, 'account erased')
      expect((await client(door.http, own.key)('GET', '/api/v1/account')).status).to.equal(401)
      await page.getByRole('link', { name: 'To your other accounts' }).click()
      expect(pathOf(page)).to.equal('/sign-in?next=%2Fsettings')
    }),
  )

  it(
    'who is in no account is erased with the password',
    inWindow(async (page) => {
      const known = await makePerson(door)
      await signIn(page, known)
      await page.getByRole('link', { name: 'Export and erase' }).click()
      await expectAccessible(page, 'erase yourself')
      const erase = async (password: string) => {
        await page.getByLabel('Your password').fill(password)
        await page.getByRole('button', { name: 'Erase my data' }).click()
      }
      await erase('wrong password')
      expect(await page.getByRole('alert').textContent()).to.include('password is wrong')
      await erase(known.password)
      expect(await heading(page)).to.equal('Your data is erased')
      await expectAccessible(page, 'erased')
      await page.goto(at('/settings'))
      expect(pathOf(page)).to.equal('/sign-in?next=%2Fsettings')
    }),
  )

  it(
    'a forgotten password',
    inWindow(async (page) => {
      const { email } = await makePerson(door, { email: newAddress() })
      await page.goto(at('/sign-in'))
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await expectAccessible(page, 'reset')
      await page.getByLabel('E-mail address').fill(email)
      await send(page)
      expect(await heading(page)).to.equal('Check your mail')
      const link = await linkTo(email)
      await page.goto(link)
      await page.getByLabel('New password').fill('short')
      await send(page)
      expect(await page.locator('#password-error').textContent()).to.include('5 characters')
      await expectAccessible(page, 'new password refused')
      await page.getByLabel('New password').fill('an entirely new one')
      await send(page)
      expect(await page.getByRole('status').textContent()).to.equal('Your new password is set. Sign in with it.')
      await signIn(page, { email, password: 'an entirely new one' })
      expect(await heading(page)).to.equal('You')
      await expectAccessible(page, 'you')
      expect((await fetch(link)).status).to.equal(404)
      await page.setContent(await (await fetch(link)).text())
      expect(await heading(page)).to.equal('This link cannot be used')
    }),
  )
})
