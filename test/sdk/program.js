/**
 * A program that uses the package in any runtime: `sdk` is what the package exports, and all else that it needs is `fetch`. It asks
 * the stage (stage.ts) for what others do, such as a mail that arrives. Returns what it saw; `expected` of the stage says what is right.
 */
export async function use(sdk, { http, gateway, stage, key, domain, hasEnvironment }) {
  const ask = async (what, given = {}) => {
    const answer = await fetch(`${stage}/${what}`, { method: 'POST', body: JSON.stringify(given) })
    return answer.json()
  }
  const mail = new sdk.Mailroom({ apiKey: key, baseUrl: gateway })
  const name = Math.random().toString(36).slice(2, 12)
  const { address } = await mail.mailboxes.create({ address: `${name}@${domain}` })
  return {
    readme: await readme(sdk, { ask, http, hasEnvironment }),
    file: await file({ ask, mail, address }),
    events: await events({ ask, mail, address }),
    aborted: await aborted({ ask, mail, address }),
    webhooks: await webhooks(sdk, { ask }),
    sent: await sent({ ask, mail, address }),
    redirected: await redirected({ ask, mail }),
  }
}

const everything = new Date(0).toISOString()

/** The ten calls of the README, in its order. Where there is an environment, the service is named there. */
async function readme({ Mailroom }, { ask, http, hasEnvironment }) {
  const client = (apiKey) => new Mailroom({ apiKey, ...(!hasEnvironment && { baseUrl: http }) })
  const { api_key: key, address } = await client().signup.create()
  await ask('mail', { to: address, subject: 'Is it on its way?', text: 'Order 66, please.' })
  const { mailboxes, webhooks, events } = client(key)
  const own = mailboxes.messages
  const { message_id: id } = await client(key).waitForMessage(address, { since: everything, timeout: 50 })
  const { messages } = await own.list(address)
  const { text } = await own.get(address, id, { view: 'text' })
  const raw = await (await own.raw(address, id)).text()
  const { seen, labels } = await own.update(address, id, { seen: true, addLabels: ['order'] })
  const { status } = await own.reply(address, id, { text: 'On its way.' })
  const { code, fix } = await own.send(address, { to: 'stranger@example.com', text: 'Hi' }).catch((error) => error)
  const { secret } = await webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] })
  let found = []
  // The event is told a moment after the mail is there.
  while (found.length === 0) found = (await events.list({ type: 'message.received' })).events
  const read = [messages.length, text, raw.includes('\r\nSubject: Is it on its way?\r\n'), seen, labels, status]
  return [...read, code, typeof fix, secret.slice(0, 6), found.map(({ data }) => data.subject)]
}

/** An attachment, piece by piece as it comes. */
async function file({ ask, mail, address }) {
  const { messages } = mail.mailboxes
  await ask('mail', { to: address, subject: 'A file', attachment: 'notes.bin' })
  const { message_id: id } = await mail.waitForMessage(address, { since: everything, subject: 'A file' })
  const { attachments } = await messages.get(address, id)
  const download = await messages.attachment(address, id, attachments[0].id)
  const reader = download.body.getReader()
  let [bytes, sum, pieces] = [0, 0, 0]
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces += 1
    bytes += piece.value.length
    for (const byte of piece.value) sum += byte
  }
  return { name: download.name, bytes, sum, isInPieces: pieces > 1 }
}

/** Events over a connection that is cut twice; after the second cut the service cannot be reached, and then answers an error. */
async function events({ ask, mail, address }) {
  const arrive = async (...subjects) => {
    for (const subject of subjects) await ask('mail', { to: address, subject, text: 'x' })
  }
  const [{ cursor: after }] = (await mail.events.list({ mailbox: address, limit: 1 })).events
  const seen = []
  await arrive('Event 0', 'Event 1')
  for await (const { data } of mail.events.stream({ type: 'message.received', mailbox: address, after })) {
    seen.push(data.subject)
    if (seen.length === 2) {
      await ask('cut')
      await arrive('Event 2', 'Event 3')
    }
    if (seen.length === 4) {
      await ask('cut', { faults: ['cut', { status: 503 }] })
      await arrive('Event 4', 'Event 5')
    }
    if (seen.length === 6) break
  }
  return seen
}

/** A wait, and a stream of events, that are left while they are under way. */
async function aborted({ ask, mail, address }) {
  const leave = async (path, begin) => {
    const stopping = new AbortController()
    const left = begin({ signal: stopping.signal }).then(
      () => 'it ended',
      (error) => error.message,
    )
    await ask('asked', { path })
    stopping.abort(new Error(`left ${path}`))
    return left
  }
  const wait = (options) => mail.waitForMessage(address, { subject: 'never', timeout: 50 }, options)
  const listen = async (options) => {
    for await (const event of mail.events.stream({ type: 'domain.verified' }, options)) return event
  }
  return [await leave('/wait', wait), await leave('/events/stream', listen)]
}

async function webhooks({ verifyWebhook, WebhookError }, { ask }) {
  const { headers, body, secret } = await ask('webhook')
  const { id } = await verifyWebhook({ body, headers: new Headers(headers), secret })
  const tampered = body.replace('message.received', 'message.sent')
  const forged = await verifyWebhook({ body: tampered, headers, secret }).catch((error) => error)
  return [id, forged instanceof WebhookError, forged.statusCode]
}

/** A send whose answer is cut, so that it is made again. */
async function sent({ ask, mail, address }) {
  const subject = `Once, from ${address}`
  await ask('faults', ['cut answer'])
  const { status } = await mail.mailboxes.messages.send(address, { to: address, subject, text: 'x' })
  const { emails } = await mail.emails.list()
  return [status, emails.filter((email) => email.subject === subject).length]
}

/** An answer that leads elsewhere, where the key must not go. */
async function redirected({ ask, mail }) {
  const at = await ask('faults', [{ status: 307, headers: { location: '/elsewhere' } }])
  const error = await mail.account.get({ retries: 0 }).catch((reason) => reason)
  return [error.name, await ask('seen', { path: '/elsewhere', since: at.seen })]
}
