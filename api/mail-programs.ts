/**
 * Documents with which mail programs configure themselves: autoconfig (Thunderbird and others) and autodiscover (Outlook and
 * others). They do not reveal which mailboxes exist: every address gets the same answer.
 */
import { takeAnonymous } from '../core/access/request-rates.ts'
import type { Context } from '../core/process/context.ts'
import type { InFlight } from '../core/process/in-flight.ts'
import { Failure } from '../schemas/failures.ts'
import { readText } from './input.ts'
import { type Html, html } from './pages/html.ts'
import type { Exchange, Route } from './routes.ts'

/** Largest autodiscover request; real ones have less than 1 KiB. */
const requestBytes = 16 * 1024

export function mailProgramRoutes(inFlight: InFlight): readonly Route[] {
  return [
    ...['/.well-known/autoconfig/mail/config-v1.1.xml', '/mail/config-v1.1.xml'].map(
      (path): Route => ({ method: 'GET', path, serve: autoconfig }),
    ),
    ...['/autodiscover/autodiscover.xml', '/Autodiscover/Autodiscover.xml'].map(
      (path): Route => ({ method: 'POST', path, serve: (exchange) => autodiscover(exchange, inFlight) }),
    ),
  ]
}

type Server = { readonly port: number; readonly isTls: boolean }
type Servers = { readonly reading: readonly Server[]; readonly sending: readonly Server[] }

/** The servers to read and submit mail, TLS from the first byte before STARTTLS. Fails with `not_found` if IMAP is off. */
function serversOf({ settings }: Context): Servers {
  const { imap, imaps, submission, submissions } = settings
  const some = (tls: number | null, plain: number | null) =>
    [
      { port: tls, isTls: true },
      { port: plain, isTls: false },
    ].filter((server): server is Server => server.port !== null)
  const servers = { reading: some(imaps.port, imap.port), sending: some(submissions.port, submission.port) }
  if (servers.reading.length === 0)
    throw new Failure('not_found', 'Mail programs cannot read mail here: IMAP is off.', {
      fix: 'Set imaps.port or imap.port, or read mail by the API.',
    })
  return servers
}

/** The address in a text; null if it is not one for programs, which would not be well-formed in a document either. */
const addressOf = (text: string | null) =>
  /^[^\s\p{C}@]{1,255}@[^\s\p{C}@]{1,255}$/u.exec(text?.trim() ?? '')?.[0] ?? null

/** The domain, if its documents are requested at its own `autoconfig.` host. */
const domainOf = (host: string) => /^autoconfig\.(.+)$/i.exec(host)?.[1]?.toLowerCase() ?? null

/** https://wiki.mozilla.org/Thunderbird:Autoconfiguration:ConfigFileFormat */
async function autoconfig(exchange: Exchange): Promise<void> {
  const { ctx, peerAddress } = exchange.state
  await takeAnonymous(ctx, peerAddress)
  const { reading, sending } = serversOf(ctx)
  const address = addressOf(exchange.URL.searchParams.get('emailaddress'))
  const domain = address?.split('@')[1] ?? domainOf(exchange.hostname) ?? ctx.hostname
  // The placeholder is for programs that do not give an address.
  const user = address ?? '%EMAILADDRESS%'
  const server = ({ port, isTls }: Server) => html`
      <hostname>${ctx.hostname}</hostname>
      <port>${port}</port>
      <socketType>${isTls ? 'SSL' : 'STARTTLS'}</socketType>
      <username>${user}</username>
      <authentication>password-cleartext</authentication>`
  answer(
    exchange,
    html`<clientConfig version="1.1">
  <emailProvider id="${domain}">
    <domain>${domain}</domain>
    <displayName>${ctx.hostname}</displayName>
    <displayShortName>${ctx.hostname}</displayShortName>${reading.map(
      (each) => html`
    <incomingServer type="imap">${server(each)}
    </incomingServer>`,
    )}${sending.map(
      (each) => html`
    <outgoingServer type="smtp">${server(each)}
    </outgoingServer>`,
    )}
  </emailProvider>
</clientConfig>
`,
  )
}

/** MS-OXDSCLI 2.2.4 (the response), 3.1.5 (the request names the address). */
async function autodiscover(exchange: Exchange, inFlight: InFlight): Promise<void> {
  const { ctx, peerAddress } = exchange.state
  await takeAnonymous(ctx, peerAddress)
  const { reading, sending } = serversOf(ctx)
  const request = await readText(exchange.req, { limitBytes: requestBytes, inFlight })
  const address = addressOf(withoutEntities(/<EMailAddress>([^<]{1,600})<\/EMailAddress>/i.exec(request)?.[1] ?? ''))
  if (address === null)
    throw new Failure('invalid_request', 'The request contains no email address.', {
      fix: 'Send an Autodiscover request with an EMailAddress in it.',
    })
  const protocol = (type: string, [first]: readonly Server[]) =>
    first === undefined
      ? null
      : html`
      <Protocol>
        <Type>${type}</Type>
        <Server>${ctx.hostname}</Server>
        <Port>${first.port}</Port>
        <DomainRequired>off</DomainRequired>
        <LoginName>${address}</LoginName>
        <SPA>off</SPA>
        <SSL>${first.isTls ? 'on' : 'off'}</SSL>
        <Encryption>${first.isTls ? 'SSL' : 'TLS'}</Encryption>
        <AuthRequired>on</AuthRequired>
      </Protocol>`
  answer(
    exchange,
    html`<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006">
  <Response xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a">
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>${protocol('IMAP', reading)}${protocol('SMTP', sending)}
    </Account>
  </Response>
</Autodiscover>
`,
  )
}

const entities: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const withoutEntities = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')

function answer(exchange: Exchange, document: Html): void {
  exchange.body = `<?xml version="1.0" encoding="utf-8"?>\n${document}`
  exchange.type = 'text/xml; charset=utf-8'
}
