/** A part that hangs is killed and started again, while the others keep running. */
import { expect } from 'chai'
import { canFindProcesses, findPart, listens, type Victim } from '../crash/parts.ts'
import { eventually } from '../eventually.ts'
import { sendMail } from '../peers/send-mail.ts'
import { makeTenant } from '../start/door.ts'
import { inContext, type Service, startService } from '../start/service.ts'

/** How long a part may be silent, with a margin for a busy machine that starts the next one late. */
const withinMs = 170_000

describe('a part that hangs', () => {
  let service: Service

  before(async function () {
    if (!canFindProcesses) this.skip()
    service = await startService({ only: null })
  })
  after(() => service?.dispose())

  it('is started again, and no other', async function () {
    this.timeout(2 * withinMs)
    const { data, http, smtp } = service
    const { address: to } = await inContext(service, (ctx) => makeTenant({ ctx, http }, { name: 'hung' }))
    const pids = (parts: readonly Victim[]) => parts.map((part) => findPart(data, part))
    const others = pids(['engine', 'service', 'supervisor'])
    const hung = findPart(data, 'smtp')!
    process.kill(hung, 'SIGSTOP')
    await eventually('another process', () => ![null, hung].includes(findPart(data, 'smtp')), withinMs)
    await eventually('its door', () => listens(smtp))
    await sendMail(smtp, { from: 'a@remote.example', to, raw: Buffer.from('Subject: Again\r\n\r\nHi\r\n') })
    expect(pids(['engine', 'service', 'supervisor'])).to.deep.equal(others)
    expect(service.logs()).to.contain('part does not respond any more; killing it')
    for (const part of ['imap', 'dns']) expect(service.logs()).not.to.match(new RegExp(`"part":"${part}".*part ended`))
  })
})
