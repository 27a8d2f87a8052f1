import { expect } from 'chai'
import { cont, deny, denysoft, denysoftdisconnect, ok } from 'haraka-constants'
import type { Plugin } from '../../plugins/haraka.d.ts'
import { accept, hook, pass, refuse } from '../../plugins/hook.ts'
import { Failure } from '../../schemas/failures.ts'
import { mailboxFull } from '../../schemas/refusals.ts'

const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(resolve, value))
const fail = (error: unknown) => () => {
  throw error
}

describe('hook', () => {
  /** Runs a hook once. Returns what it answered, how often, and what it logged. */
  async function run(decide: Parameters<typeof hook<object>>[0], next: () => void = () => undefined) {
    const answers: (readonly [number | undefined, unknown])[] = []
    const logged: unknown[] = []
    const plugin: Plugin = {
      register_hook: () => undefined,
      haraka_require: () => undefined,
      logwarn: () => undefined,
      logerror: (...parts) => logged.push(...parts),
    }
    const answer = (retval?: number, message?: unknown) => {
      answers.push([retval, message])
      next()
    }
    hook(decide).call(plugin, answer, {}, undefined)
    await later(null)
    await later(null)
    return { answers, logged, message: answers[0]?.[1] as { code: number; reply: string } }
  }

  const cases = [
    ['nothing', () => undefined, cont],
    ['pass', () => pass, cont],
    ['accept', () => accept('yes'), ok],
    ['accept, later', () => later(accept('yes')), ok],
    ['a soft refusal', () => refuse({ code: 452, enhanced: '4.5.3', text: 'full' }), denysoft],
    ['a refusal', () => refuse({ code: 552, enhanced: '5.3.4', text: 'big' }), deny],
    [
      'a refusal that ends the session',
      () => refuse({ code: 421, enhanced: '4.7.0', text: 'x' }, { disconnect: true }),
      denysoftdisconnect,
    ],
    ['a Failure', fail(new Failure('mailbox_not_found')), deny],
    ['a Failure, later', () => later(null).then(fail(mailboxFull('a@x.example'))), denysoft],
    ['a Failure that waiting does not mend', fail(new Failure('send_rate_limited', 'No.', { retryAfter: null })), deny],
    ['an error', fail(new TypeError('a fault')), denysoft],
    ['an error, later', () => later(null).then(fail(new TypeError('a fault'))), denysoft],
    ['something thrown that is no error', fail(null), denysoft],
  ] as const
  for (const [name, decide, retval] of cases) {
    it(`answers once: ${name}`, async () => {
      const { answers } = await run(decide)
      expect(answers.map(([given]) => given)).to.deep.equal([retval])
    })
  }

  it('gives the peer the row of a Failure and says nothing in the log', async () => {
    const { message, logged } = await run(fail(mailboxFull('a@x.example')))
    expect(message).to.include({ code: 452, reply: '4.2.2 The mailbox a@x.example is full.' })
    expect(logged).to.deep.equal([])
  })

  it('tells the log in one line what went wrong, and the peer that it should come back', async () => {
    const error = new TypeError('a fault', { cause: new Error('its cause') })
    const { message, logged } = await run(fail(error))
    expect(message.code).to.equal(451)
    expect(message.reply)
      .to.match(/^4\.3\.0 /)
      .and.not.include('fault')
    expect(logged).to.have.length(1)
    expect(logged[0])
      .to.match(/^TypeError: a fault at .*its cause/)
      .and.not.include('\n')
  })

  it('survives a next that throws, and does not call it again', async () => {
    const error = new Error('in Haraka')
    const { answers, logged } = await run(() => later(accept()), fail(error))
    expect(answers.length).to.equal(1)
    expect(logged).to.have.length(1)
    expect(logged[0]).to.match(/^Error: in Haraka at /)
  })
})
