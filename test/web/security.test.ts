/** How a person signs in, set up in the dashboard and then used: an authenticator app, recovery codes, passkeys. By keyboard. */
import { expect } from 'chai'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { joinAccount } from '../../core/people/members.ts'
import { client, mailboxPath } from '../peers/rest.ts'
import { addAuthenticator, expectAccessible, openWindow } from '../start/browser.ts'
import { type DashboardDoor, expectGoodPage, openDashboard, type Viewer } from '../start/dashboard.ts'
import { makeTenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { signedIn, testPassword } from '../start/people.ts'

/** RFC 6238: a code is that of half a minute. */
const stepMs = 30_000

describe('web: security', () => {
  let door: DashboardDoor
  let viewer: Viewer
  let page: Page

  before(async () => {
    door = await openDashboard()
  })
  after(() => door?.close())
  // Wrong codes are part of what is shown here.
  beforeEach(async () => {
    viewer = await door.view({ faults: ['status of 400'] })
    ;({ page } = viewer)
    page.setDefaultTimeout(30_000)
  })
  afterEach(() => viewer?.close())

  const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
  const notice = (text: string) => page.getByRole('status').filter({ hasText: text })
  const wrong = (text: string) => page.getByText(text, { exact: false }).first().waitFor()
  /** Types into the field that has the focus, as the page gives it. */
  async function type(field: string, text: string): Promise<void> {
    await page.getByRole('textbox', { name: field }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  const openSecurity = () => page.goto(viewer.at('/security'))
  /** A code that was not used before. */
  function nextCode(secret: string): string {
    door.advance(stepMs)
    return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: door.ctx.clock.now().getTime() })
  }
  async function signOut(): Promise<void> {
    await press('You and your settings')
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  async function signIn(): Promise<void> {
    await page.getByLabel('E-mail address').fill(viewer.person.email)
    await page.getByLabel('Password').fill(testPassword)
    await page.keyboard.press('Enter')
  }
  const isIn = () => page.getByRole('heading', { name: 'All inboxes' }).waitFor()
  const recoveryCodes = async () => {
    const shown = page.getByRole('group', { name: 'Recovery codes', exact: true })
    return ((await shown.textContent()) ?? '').trim().split('\n')
  }

  it('an authenticator app is set up, asked for, and turned off', async () => {
    await openSecurity()
    await press('Set up')
    const shown = page.getByRole('group', { name: 'Secret', exact: true })
    const secret = (await shown.textContent()) ?? ''
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor()
    await type('Code', '000000')
    await wrong('This code is wrong')
    await expectGoodPage(page, 'security, app')
    const first = nextCode(secret)
    await type('Code', first)
    const codes = await recoveryCodes()
    expect(codes).to.have.length(10)
    await expectGoodPage(page, 'security, recovery codes')
    await page.keyboard.press('Enter')
    await page.getByText('10 recovery codes are left').waitFor()
    expect(await page.getByText(codes[0] ?? '').count()).to.equal(0)

    await signOut()
    await signIn()
    await type('Code', first)
    await wrong('used before')
    await type('Code', nextCode(secret))
    await isIn()

    const [once = '', twice = '', old = ''] = codes
    await signOut()
    await signIn()
    await type('Code', once)
    await isIn()
    await signOut()
    await signIn()
    await type('Code', once)
    await wrong('used before')
    await type('Code', twice)
    await isIn()

    await openSecurity()
    await page.getByText('8 recovery codes are left').waitFor()
    await press('New recovery codes')
    await type('Code', nextCode(secret))
    const [anew = '', ...others] = await recoveryCodes()
    expect(others).to.have.length(9)
    await page.keyboard.press('Enter')
    await press('Turn off')
    await type('Code', old)
    await wrong('This code is wrong')
    await press('Cancel')
    await page.getByText('10 recovery codes are left').waitFor()
    const [last] = (await door.ctx.store.authenticators.findOne({ _id: viewer.person.id }))?.recovery ?? []
    if (last === undefined) throw new Error('There are no recovery codes.')
    await door.ctx.store.authenticators.updateOne({ _id: viewer.person.id }, { $set: { recovery: [last] } })
    for (const [language, text] of [
      ['de', '1 Wiederherstellungscode ist übrig.'],
      ['en', '1 recovery code is left.'],
    ] as const) {
      await page.evaluate(`localStorage.setItem('mailroom.language', '${language}')`)
      await page.reload()
      await page.getByText(text).waitFor()
    }
    await press('Turn off')
    await type('Code', anew)
    await notice('The authenticator app is turned off.').waitFor()
    await page.getByText('Signing in needs no code.').waitFor()
    await signOut()
    await signIn()
    await isIn()
  })

  it('a passkey is added, signs in, and is removed with a way back', async () => {
    const device = await addAuthenticator(page)
    await openSecurity()
    await device.verifies(false)
    const field = page.locator('section').filter({ hasText: 'Passkeys' }).getByRole('textbox', { name: 'Name' })
    await field.fill('Laptop')
    await field.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'The device did not create a passkey.' }).waitFor()
    await device.verifies(true)
    await field.press('Enter')
    await notice('The passkey is added.').waitFor()
    const removing = page.getByRole('button', { name: 'Remove: Laptop' })
    await removing.waitFor()
    await expectGoodPage(page, 'security, passkey')

    await signOut()
    await press('Sign in with a passkey')
    await isIn()
    await openSecurity()
    await page.getByText('last used').waitFor()
    await removing.press('Enter')
    await notice('The passkey "Laptop" is removed.').waitFor()
    await page.keyboard.press('z')
    await removing.waitFor()
    await removing.press('Enter')
    // What is read anew behind the removal would be refused to who has signed out meanwhile.
    const readAnew = page.waitForResponse(
      (answer) => answer.request().method() === 'GET' && new URL(answer.url()).pathname.endsWith('/passkeys'),
    )
    await press('Dismiss')
    await page.getByText('There is none yet.').waitFor()
    await readAnew
    await signOut()
    await press('Sign in with a passkey')
    await page.getByRole('alert').filter({ hasText: 'not known here' }).waitFor()
  })

  it('the link that verifies an address opens the dashboard, and used again says what to do', async () => {
    const { address, key } = door.tenant
    const call = client(door.http, key)
    await client(door.http)('POST', '/api/v1/people', { email: address, password: testPassword, name: 'Ann' })
    await carryOutgoing(door.ctx)
    const messages = `${mailboxPath(address)}/messages`
    const { body } = await call<{ messages: { message_id: string }[] }>('GET', messages)
    const mail = await call<{ text: string }>('GET', `${messages}/${body.messages[0]?.message_id}`)
    const link = /^http:\S+\/verify\/[\w-]{43}$/m.exec(mail.body.text)?.[0] ?? `no link in ${mail.body.text}`
    const { page: unknown, close } = await openWindow({ faults: ['status of 404'] })
    await unknown.goto(link)
    await expectAccessible(unknown, 'verify')
    await unknown.keyboard.type(testPassword)
    await unknown.keyboard.press('Enter')
    const told = unknown.getByRole('status').filter({ hasText: 'Your address is verified, and you are signed in.' })
    await told.waitFor()
    await unknown.getByRole('heading', { name: 'You are in no account yet' }).waitFor()
    await unknown.getByRole('link', { name: 'You and your security' }).press('Enter')
    await unknown.getByText('Signing in needs no code.').waitFor()
    await unknown.goto(link)
    await unknown.getByRole('heading', { name: 'This link cannot be used' }).waitFor()
    await expectAccessible(unknown, 'verify used')
    await unknown.getByRole('link', { name: 'To your mail' }).press('Enter')
    await unknown.getByRole('heading', { name: 'You are in no account yet' }).waitFor()
    await close()
  })

  it('an account is left, and another one is gone on in; the last owner stays', async () => {
    await viewer.close()
    viewer = await door.view({ role: 'reader', faults: ['status of 409'] })
    ;({ page } = viewer)
    const own = await makeTenant(door, { name: 'own' })
    await joinAccount(door.ctx, { accountId: own.accountId, personId: viewer.person.id, role: 'owner' })
    await openSecurity()
    await press('Leave: own')
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).press('Enter')
    await wrong('This is the last owner of the account')
    await expectGoodPage(page, 'security, last owner')
    await press('Cancel')
    await press('Leave: tenant')
    await expectGoodPage(page, 'security, leave')
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).press('Enter')
    await notice('You have left the account.').waitFor()
    await isIn()
    expect(await page.getByRole('complementary').getByText('own', { exact: true }).count()).to.be.greaterThan(0)
    await openSecurity()
    await page.getByRole('button', { name: 'Leave: own', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Leave: tenant' }).count()).to.equal(0)
  })

  it('an account is erased, one stays in the other; out of every account one erases oneself', async () => {
    await viewer.close()
    const [own, second] = [await makeTenant(door, { name: 'erased' }), await makeTenant(door, { name: 'second' })]
    viewer = await door.view({ accountId: own.accountId, faults: ['status of 401', 'status of 400', 'status of 404'] })
    ;({ page } = viewer)
    await joinAccount(door.ctx, { accountId: second.accountId, personId: viewer.person.id, role: 'reader' })
    await openSecurity()
    await press('Erase yourself')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You can erase yourself once you are in no account').waitFor()
    expect(await dialog.getByRole('listitem').allTextContents()).to.have.length(2)
    expect(await dialog.getByRole('textbox').count(), 'no password is asked for').to.equal(0)
    await expectGoodPage(page, 'security, in accounts')
    await dialog.getByRole('link', { name: 'Erase the account' }).press('Enter')
    await dialog.getByText('You remain a member of your other accounts.').waitFor()
    await expectGoodPage(page, 'account, erase')
    await type('Name of the account', 'other')
    await dialog.getByLabel('Your password').fill('wrong password')
    await page.keyboard.press('Enter')
    await wrong('The current password is wrong.')
    await dialog.getByLabel('Your password').fill(testPassword)
    await page.keyboard.press('Enter')
    await wrong('must be the name of the account, "erased"')
    await dialog.getByLabel('Name of the account').fill('erased')
    await page.keyboard.press('Enter')
    await notice('The account is being erased.').waitFor()
    expect((await client(door.http, own.key)('GET', '/api/v1/account')).status).to.equal(401)
    await openSecurity()
    await press('Leave: second')
    await dialog.getByRole('button', { name: 'Leave', exact: true }).press('Enter')
    await page.getByRole('heading', { name: 'You are in no account yet' }).waitFor()
    await openSecurity()
    await press('Erase yourself')
    await expectGoodPage(page, 'security, erase')
    await type('Your password', 'wrong password')
    await wrong('The current password is wrong.')
    await dialog.getByLabel('Your password').fill(testPassword)
    await page.keyboard.press('Enter')
    await notice('Your personal data is erased').waitFor()
    expect(await door.ctx.store.people.countDocuments({ _id: viewer.person.id })).to.equal(0)
    await signIn()
    await page.getByRole('alert').filter({ hasText: 'The address or the password' }).waitFor()
  })

  it('the last account of a person is erased with the person', async () => {
    await viewer.close()
    const own = await makeTenant(door, { name: 'last' })
    viewer = await door.view({ accountId: own.accountId, faults: ['status of 404'] })
    ;({ page } = viewer)
    await page.goto(viewer.at('/account'))
    await page.getByRole('link', { name: 'Erase the account' }).press('Enter')
    await page.getByText('you will no longer be able to sign in').waitFor()
    await type('Name of the account', 'last')
    await page.getByLabel('Your password').fill(testPassword)
    await page.keyboard.press('Enter')
    await notice('The account is being erased, and your personal data with it.').waitFor()
  })

  it('a session elsewhere is ended there', async () => {
    const elsewhere = await signedIn(door, viewer.person)
    expect((await elsewhere.ask('GET', '/api/v1/session')).status).to.equal(200)
    await openSecurity()
    await press('End')
    await notice('The session has ended.').waitFor()
    expect((await elsewhere.ask('GET', '/api/v1/session')).status).to.equal(401)
  })
})
