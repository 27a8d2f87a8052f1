/**
 * Every setting, declared once with its schema, default, unit and reason (decisions.md 5). `config/mailroom.yaml` and the
 * environment set values; an unknown setting stops the start; `docs/settings.md` is generated from this file.
 */
import {
  among,
  array,
  boolean,
  form,
  type Infer,
  integer,
  nullable,
  number,
  oneOf,
  record,
  type Schema,
  string,
} from './infer.ts'

export type Setting<T = unknown> = {
  readonly schema: Schema<T>
  readonly default: T
  readonly unit?: string
  readonly about: string
  /** Whether an empty variable is refused. Otherwise it stands for null, where the setting may be null. */
  readonly refusesEmpty?: boolean
}
type Tree = { readonly [name: string]: Setting | Tree }

const KiB = 1024
const MiB = KiB * KiB

function setting<T>(schema: Schema<T>, initial: T, about: string, unit?: string): Setting<T> {
  return { schema, default: initial, about, ...(unit !== undefined && { unit }) }
}

const portPattern = '(?!0+$)(\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])'
const hostAndPort = (example: string) => string(form(`^[^\\s/]+:${portPattern}$`, 'a host and its port', example))
/** A DNS name has at most 253 characters (RFC 1035 2.3.4), and so has the name server `ns1.` of the host. */
const hostnameMax = 249
const dotted = (label: string) => `^${label}(\\.${label})*$`
const emailAddress = string(form('^[^@\\s]+@[^@\\s]+$', 'an e-mail address', 'ann@example.com'))
const MasterKey = string(
  form(
    '^([A-Za-z0-9+/]{43}=|[0-9a-fA-F]{64})$',
    '32 random bytes in base64 or hexadecimal digits',
    'bmV2ZXIgdXNlIHRoaXMgZXhhbXBsZSBhcyBhIGtleSE=',
  ),
)
/** Not empty, because an empty host means all addresses of the machine. */
const host = (about: string) => setting(string({ minLength: 1 }), '127.0.0.1', about)
const port = (initial: number, about: string) =>
  setting(integer({ minimum: 0, maximum: 65535 }), initial, `${about} 0 means any free port.`)
const optionalPort = (initial: number | null, about: string) =>
  setting<number | null>(nullable(integer({ minimum: 0, maximum: 65535 })), initial, about)
const count = (initial: number, about: string, unit?: string) => setting(integer({ minimum: 0 }), initial, about, unit)
/** A count that must not be 0, because nothing would work then. */
const atLeastOne = (initial: number, about: string) => setting(integer({ minimum: 1 }), initial, about)
const bytes = (initial: number, about: string) => count(initial, about, 'bytes')
/** Node fires a timer longer than 2^31 - 1 ms at once; that is a little more than 24 days. */
const timerMaxDays = 24
const daySeconds = 86_400
/** A time for a timer. */
const timer = (initial: number, about: string, { minimum = 1 } = {}) =>
  setting(integer({ minimum, maximum: timerMaxDays * daySeconds }), initial, about, 'seconds')
const timerMs = (initial: number, about: string, { minimum = 1 } = {}) =>
  setting(integer({ minimum, maximum: timerMaxDays * daySeconds * 1_000 }), initial, about, 'milliseconds')
/** A hundred years: adding it to a time, or subtracting it, has to give a valid time. */
const spanMaxDays = 36_500
/** A time span that is added to another time, or subtracted from it. */
const Days = (minimum: number) => integer({ minimum, maximum: spanMaxDays })
const days = (initial: number, about: string) => setting(Days(0), initial, about, 'days')
const Seconds = (minimum: number) => integer({ minimum, maximum: spanMaxDays * daySeconds })
const seconds = (initial: number, about: string) => setting(Seconds(0), initial, about, 'seconds')
const urlHost = `([^\\s/?#:@[\\]]+|\\[[0-9a-fA-F:.]+\\])(:${portPattern})?`
const webUrl = (noun: string, example: string, rest = '([/?#]\\S*)?') =>
  string(form(`^https?://${urlHost}${rest}$`, noun, example))
const networks = (about: string) =>
  setting<readonly string[]>(
    array(string(form('^[0-9a-fA-F:.]+(/\\d+)?$', 'an IP address or network', '192.0.2.0/24'))),
    [],
    about,
  )
/** An empty variable, as files of variables write it for a setting that is not set, stands for null. */
const optionalString = (about: string) => setting<string | null>(nullable(string({ minLength: 1 })), null, about)

/** What an MTA-STS policy asks of senders (RFC 8461 3.2). */
export const stsModes = ['none', 'testing', 'enforce'] as const
export type StsMode = (typeof stsModes)[number]

/** Default ports on which mail programs submit and read mail. */
export const submissionPort = 2587
export const submissionsPort = 2465
export const imapPort = 2143
export const imapsPort = 2993
/** Default port of the DNS server. */
export const dnsPort = 2053

export const settings = {
  data: setting(
    string({ minLength: 1 }),
    './data',
    'Folder for everything that the service writes: database, queue, certificates, secrets, logs.',
  ),
  mongodbUrl: setting<string | null>(
    nullable(
      string(form('^mongodb(\\+srv)?://', 'the URL of a MongoDB deployment', 'mongodb://127.0.0.1:27017/mailroom')),
    ),
    null,
    'URL of a MongoDB deployment to use instead of the embedded engine, which then does not start. Its variable is MONGODB_URL.',
  ),
  database: {
    host: host('Where the embedded engine listens for tools, if it has a port.'),
    port: optionalPort(
      null,
      'Port on which the embedded engine lets tools log in over TCP (SCRAM-SHA-256, not encrypted; the password is in data/secrets/database.password). Without it, only the unix socket is open. 0 means any free port.',
    ),
    user: setting(string({ minLength: 1 }), 'mailroom', 'The user name with which tools log in.'),
  },
  secrets: {
    masterKey: {
      ...setting<string | null>(
        nullable(MasterKey),
        null,
        'The key that seals secrets in the database: 32 random bytes in base64 or hexadecimal digits, the same on all nodes. Better set by its variable than in a file. Without it: master.key in secrets.folder, which the first start creates.',
      ),
      // An empty value was not filled in: each node would create its own key, in a folder that may disappear with the node.
      refusesEmpty: true,
    },
    previousKeys: setting<readonly string[]>(
      array(MasterKey),
      [],
      'Earlier values of secrets.masterKey, for secrets that are still sealed with them (`mailroom secrets status`).',
    ),
    folder: optionalString(
      'Folder of key files: master.key, and others that end in .key, which are used like secrets.previousKeys. Without it: the folder secrets in the data folder.',
    ),
  },
  blobs: {
    bucket: optionalString(
      'Bucket of an S3-compatible store for large bodies. Without it they go into the database. Removing this setting later leaves the bodies in the bucket unreadable. Its versioning must be off, or old versions must expire: otherwise erased mail stays in them.',
    ),
    endpoint: setting<string | null>(
      nullable(webUrl('an http or https URL', 'https://objects.example.net')),
      null,
      'Address of that store. Without it: AWS, in the region.',
    ),
    region: setting(
      string({ minLength: 1 }),
      'us-east-1',
      'The region of the bucket; stores other than AWS accept any.',
    ),
    pathStyle: setting(
      boolean(),
      false,
      'Whether the bucket is named in the path instead of the host name, as MinIO, Ceph and Garage require unless they are configured with a domain.',
    ),
    prefix: setting(string(), '', 'Prefix of the keys of all objects, such as "mailroom/".'),
    accessKeyId: optionalString(
      "Access key of the store. Without it and the secret: what the SDK finds on its own (AWS_ACCESS_KEY_ID, a profile, the machine's role).",
    ),
    secretAccessKey: optionalString('Secret of that access key. Better set by its variable than in a file.'),
    fromBytes: bytes(
      256 * KiB,
      'Bodies of this size or larger go to the store. Each of them costs a request to the store when it is written and when it is read.',
    ),
    encryption: setting<'AES256' | 'aws:kms' | null>(
      among(['AES256', 'aws:kms', null]),
      null,
      'The encryption at rest that is requested for each object. Without it: the default of the bucket.',
    ),
    kmsKey: optionalString('The key for aws:kms. Without it: the default key of the account at the store.'),
    timeoutMs: timerMs(
      20_000,
      'How long one request to the store may take, including retries; after that, mail is answered 451 and requests 503.',
    ),
  },
  baseUrl: setting<string | null>(
    nullable(webUrl('an http or https URL', 'https://mail.example.net', '(/[^\\s?#]*)?')),
    null,
    'URL under which the API is reached from outside. Without it: http://127.0.0.1:<real port>.',
  ),
  sharedDomain: setting(
    string(form(dotted('[a-z0-9]([a-z0-9-]*[a-z0-9])?'), 'a domain name in lower case', 'agents.example.net')),
    'agents.localhost',
    'The free domain of signups; each account gets a sub-domain of it.',
  ),
  hostname: setting<string | null>(
    nullable(
      string({
        ...form(dotted('[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'), 'the name of a host', 'mail.example.net'),
        maxLength: hostnameMax,
      }),
    ),
    null,
    'Name in HELO, certificates and Message-IDs. Without it: the host name of the machine.',
  ),
  administrators: setting<readonly string[]>(
    array(emailAddress),
    [],
    'The administrators of the service in the dashboard, by the addresses with which they signed up: they see all accounts and answer their requests.',
  ),
  postmaster: setting<string | null>(
    nullable(emailAddress),
    null,
    "Mailbox that receives mail to postmaster@ and abuse@ of the service's own domains. Without it: a mailbox postmaster@<sharedDomain>, which the first start creates.",
  ),
  http: {
    host: host('Address on which the API, MCP and the dashboard listen.'),
    port: port(8080, 'Port of the API, MCP and the dashboard.'),
    proxies: networks(
      'Proxies in front of the API: addresses or networks whose Forwarded or X-Forwarded-For field gives the address of the client.',
    ),
  },
  https: {
    host: host('Address on which the API, MCP and the dashboard listen with TLS, if https.port is set.'),
    port: optionalPort(
      null,
      'Port of the API, MCP and the dashboard with TLS (443 in production), and of what own domains serve: MTA-STS policies, autoconfig and autodiscover. Without it there is no TLS port. 0 means any free port.',
    ),
  },
  smtp: {
    host: host('Address on which inbound mail is accepted.'),
    port: port(2525, 'Port for inbound mail (25 in production).'),
    proxies: networks(
      'Load balancers in front of inbound mail and submission: addresses or networks whose connections begin with a PROXY line (version 1), which gives the address of the client.',
    ),
  },
  submission: {
    port: optionalPort(
      submissionPort,
      'Port on which mail programs submit mail, encrypted by STARTTLS (587 in production), on smtp.host. null turns it off; 0, or its default while smtp.port is 0, means any free port.',
    ),
  },
  submissions: {
    port: optionalPort(
      submissionsPort,
      'The same with TLS from the first byte (465 in production). null turns it off; 0, or its default while smtp.port is 0, means any free port.',
    ),
  },
  imap: {
    port: optionalPort(
      imapPort,
      'Port on which mail programs read mail, encrypted by STARTTLS (143 in production), on smtp.host. null turns it off; 0, or its default while smtp.port is 0, means any free port.',
    ),
  },
  imaps: {
    port: optionalPort(
      imapsPort,
      'The same with TLS from the first byte (993 in production). null turns it off; 0, or its default while smtp.port is 0, means any free port.',
    ),
  },
  tls: {
    certificate: optionalString(
      'PEM file with the certificate for all doors that speak TLS, followed by its chain. A replaced file takes effect without a restart. Without it: tls/cert.pem in the data folder, which the first start creates.',
    ),
    key: optionalString(
      'PEM file with the private key of that certificate. Without it: tls/key.pem in the data folder. Set both or neither.',
    ),
  },
  acme: {
    directory: setting<string | null>(
      nullable(
        webUrl('the directory URL of a certificate authority', 'https://acme-v02.api.letsencrypt.org/directory'),
      ),
      null,
      'Certificate authority that issues certificates by ACME (RFC 8555), by the URL of its directory. Setting it means agreeing to its terms of service. Without it, no certificates are ordered.',
    ),
    email: optionalString('Address to which that authority writes about its terms and about expiring certificates.'),
    names: setting<readonly string[]>(
      array(string({ minLength: 1 })),
      [],
      'Names to get certificates for, besides hostname, the host of baseUrl, and the names that own domains need. A wildcard (*.example.org) needs dns-01 whatever acme.challenge says: its zone has to be served by this service.',
    ),
    challenge: setting(
      oneOf(['http-01', 'dns-01']),
      'http-01',
      'How control over a name is proved. http-01: at port 80 of the name, which must lead to http.port. dns-01: in the zone of the name if this service serves it, and otherwise as http-01.',
    ),
  },
  mtaSts: {
    mode: setting(
      oneOf(stsModes),
      'testing',
      'What the MTA-STS policies of domains here ask of senders (RFC 8461). testing: report failures; enforce: deliver nothing without TLS and a valid certificate; none: nothing. `mailroom domain sts` sets it for one domain.',
    ),
  },
  metrics: {
    host: host(
      'Address on which Prometheus scrapes, if metrics.port is set. There is no login: only machines that may read the metrics should reach it.',
    ),
    port: optionalPort(
      null,
      'Port of GET /metrics, which answers for all processes of this installation. Without it, nothing is measured. 0 means any free port.',
    ),
  },
  traces: {
    enabled: setting(
      boolean(),
      false,
      "Whether spans are recorded for OpenTelemetry. The SDK's own environment variables, such as OTEL_EXPORTER_OTLP_ENDPOINT, say where they are sent.",
    ),
  },
  rspamd: {
    url: setting<string | null>(
      nullable(webUrl('an http or https URL', 'http://127.0.0.1:11333')),
      null,
      'Address of a Rspamd (its normal worker, such as http://127.0.0.1:11333) that scores each incoming mail. Without it: no filter.',
    ),
    spamScore: setting(number(), 6, 'Mail with this score or higher goes to Spam.'),
    timeoutMs: timerMs(10_000, 'How long Rspamd may take; mail without its answer is delivered.'),
  },
  clamav: {
    address: setting<string | null>(
      nullable(hostAndPort('127.0.0.1:3310')),
      null,
      'host:port of a clamd that scans each incoming mail; mail with a virus is refused. Without it: no scan.',
    ),
    maxBytes: bytes(
      25 * MiB,
      "Largest mail that is scanned; larger mail passes unscanned. At most clamd's StreamMaxLength.",
    ),
    timeoutMs: timerMs(30_000, 'How long a scan may take; after that, or if clamd fails, mail is answered 451.'),
  },
  dns: {
    host: host(
      'Address on which the built-in authoritative DNS server answers: on a machine with several addresses, the one that others query.',
    ),
    port: optionalPort(
      dnsPort,
      'Port of the DNS server, over UDP and TCP (53 in production). null turns it off; 0, or its default while smtp.port is 0, means any free port.',
    ),
    nameServers: setting<readonly string[]>(
      array(string({ minLength: 1 })),
      [],
      'Names of all servers of the zones, including secondaries, for the NS records; the first one is in the SOA record. Empty: ns1 of the hostname.',
    ),
    secondaries: setting<readonly string[]>(
      array(hostAndPort('192.0.2.53:53')),
      [],
      'Servers (address:port) that are notified of changes, and may transfer zones with one of the keys.',
    ),
    transferKeys: setting<readonly string[]>(
      array(
        string(
          form(
            '^hmac-sha(256|384|512):[^:]+:[A-Za-z0-9+/]+={0,2}$',
            'a TSIG key (algorithm:name:secret in base64)',
            'hmac-sha256:transfer.example:c2VjcmV0',
          ),
        ),
      ),
      [],
      'TSIG keys (algorithm:name:secret in base64) that secondaries sign with; notifications of changes are signed with the first one.',
    ),
    dnssec: setting(
      boolean(),
      false,
      'Whether zones are signed (DNSSEC, ECDSA P-256). `mailroom domain ds` shows the DS record to give to the registrar. Before you turn this off again, remove that record and wait until its TTL has passed.',
    ),
    keyDays: days(
      0,
      'How long the key of a signed zone is used before a new one replaces it, which the parent zone then has to name. 0: until an administrator changes it.',
    ),
    rateLimit: {
      answersPerSecond: count(
        20,
        'How often the same answer goes to one network (IPv4 /24, IPv6 /64) in a second over UDP; against queries with the forged address of a victim. 0: no limit.',
      ),
      networkPerSecond: count(1_000, 'All answers to one network in a second over UDP. 0: no limit.'),
      slip: count(
        2,
        'Of the answers past the limit, every n-th one is truncated instead of dropped, so that honest clients retry over TCP. 0: none.',
      ),
      exempt: networks('Addresses or networks without these limits, such as those of your own resolvers.'),
    },
  },
  domains: {
    spf: setting<string | null>(
      nullable(string(form('^[^\\s]+$', 'a mechanism of SPF', 'include:spf.example.net'))),
      null,
      'The mechanism that the SPF records of domains must contain, such as "include:spf.example.net". Without it: a:<hostname>.',
    ),
    rdapUrl: setting<string | null>(
      nullable(webUrl('an http or https URL', 'https://rdap.org')),
      null,
      'A server that says when the registration of a domain ends (RDAP, such as https://rdap.org). Without it, none is queried.',
    ),
    dkimDays: days(
      0,
      'How long DKIM keys are used before the service publishes new ones and switches to them. 0: until they are rotated by hand.',
    ),
  },
  resolver: setting<readonly string[]>(
    array(hostAndPort('127.0.0.1:53')),
    [],
    'DNS servers (host:port) for all DNS queries. Empty: those of the system.',
  ),
  deliverability: {
    addresses: setting<readonly string[]>(
      array(string({ format: 'ip' })),
      [],
      'Addresses from which mail leaves, as others see them: they mark our own mail in the reports of others, and `mailroom doctor DOMAIN` checks them. Empty: the addresses of the host name in the DNS.',
    ),
    blocklists: setting<readonly string[]>(
      array(string(form('^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$', 'the zone of a DNS blocklist', 'zen.spamhaus.org'))),
      [],
      'DNS blocklists in which `mailroom doctor DOMAIN` looks up the addresses from which mail leaves (RFC 5782). Many of them do not serve public resolvers, and charge heavy users.',
    ),
    tlsReports: setting(
      boolean(),
      true,
      'Whether domains that request it receive a daily report about TLS with their mail servers (RFC 8460).',
    ),
  },
  log: {
    level: setting(
      oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
      'info',
      'The least severe level that is logged.',
    ),
  },
  signup: {
    enabled: setting(boolean(), true, 'Whether accounts can be created without a person (POST /api/v1/signup).'),
    perAddressPerDay: count(
      20,
      'Signups in a day (UTC) from one network address; against mass signups by one machine.',
    ),
    perNetworkPerDay: count(
      100,
      'Signups in a day (UTC) from one IPv6 /64 or IPv4 /24; against mass signups from many addresses.',
    ),
    perDay: count(2_000, 'Signups in a day (UTC) altogether; against mass signups from everywhere.'),
    phoneRequired: setting(
      boolean(),
      false,
      "Whether the free address of a claimed account may send only once its owner's phone number is verified (`mailroom account phone`).",
    ),
  },
  sessions: {
    idleHours: setting(
      integer({ minimum: 1, maximum: spanMaxDays * 24 }),
      24,
      'How long a person stays signed in without a request.',
      'hours',
    ),
    days: setting(Days(1), 30, 'The longest that a person stays signed in.', 'days'),
  },
  outbound: {
    routes: setting<{ readonly [domain: string]: string }>(
      record(hostAndPort('relay.example.net:587')),
      {},
      'Relays: domain or "*" to host:port. Mail to a domain without a route goes to its MX.',
    ),
    allowPrivate: setting(
      boolean(),
      false,
      'Whether mail may go to private addresses that the DNS or a recipient names, and MTA-STS policies may come from them. Only for tests and closed networks; relays may be anywhere.',
    ),
    concurrency: atLeastOne(
      100,
      'Deliveries at once in one process, plus four times as many that take longer than 2 seconds. As many again are claimed and wait for their turn.',
    ),
    mtaSts: setting(boolean(), true, 'Whether the MTA-STS policies of domains are fetched and obeyed (RFC 8461).'),
    dane: setting(
      boolean(),
      false,
      'Whether certificates pinned in the DNS are enforced (RFC 7672). Only with a validating resolver (DNSSEC) whose answers nobody can forge on the way, such as one on this machine.',
    ),
    destinationConnections: atLeastOne(20, 'Connections to one mail server at once, from one process.'),
    destinationMessagesPerSecond: setting(
      integer({ minimum: 0 }),
      0,
      'Messages to one mail server in a second, from one process; 0: as many as it accepts.',
    ),
    connectSeconds: timer(30, 'How long a mail server may take to accept a connection.'),
    replySeconds: timer(
      300,
      'How long a mail server may take to answer (RFC 5321 4.5.3.2); after the message itself, 10 minutes.',
    ),
    leaseSeconds: timer(
      120,
      'How long a claimed recipient stays with one process; after a crash it is tried again when that time is over.',
    ),
    retrySeconds: setting<readonly number[]>(
      array(Seconds(1), { minItems: 1 }),
      [60, 300, 900, 1_800, 3_600, 7_200, 14_400],
      'Pauses after each deferral; the last one repeats.',
      'seconds',
    ),
    giveUpSeconds: seconds(172_800, 'A recipient that was deferred for this long bounces.'),
    messageSentDelaySeconds: seconds(20, 'Pause between a send and its message.sent event (interface.md, Events).'),
  },
  webhooks: {
    allowPrivate: setting(
      boolean(),
      false,
      'Whether webhooks may go to private addresses and over plain http, and metadata documents of OAuth programs may come from private addresses. Only for tests and closed networks.',
    ),
    timeoutMs: timerMs(10_000, 'How long an endpoint may take to answer.'),
    concurrency: atLeastOne(50, 'Attempts in flight at once in one process.'),
  },
  lens: {
    url: setting<string | null>(
      nullable(webUrl('an http or https URL', 'http://127.0.0.1:11434/v1')),
      null,
      'Base URL of an OpenAI-compatible endpoint (such as http://127.0.0.1:11434/v1), whose /chat/completions extracts the fields of Lens. The text of mail and attachments is sent there. Without it: the built-in rules extract them.',
    ),
    model: optionalString('Name of the model. Without it: the default of the endpoint.'),
    key: optionalString('Key of the endpoint, sent as a bearer token. Better set by its variable than in a file.'),
    timeoutMs: timerMs(
      20_000,
      'How long an answer may take; after that, or if it fails, the rules extract the fields.',
    ),
  },
  keep: {
    approvalDays: setting(
      integer({ minimum: 1, maximum: 60 }),
      7,
      'How long a send waits for the approval of a person; after that, it is not sent.',
      'days',
    ),
    discardedDays: days(30, 'How long mail stays in Trash and Spam before it is deleted.'),
    deletedMailboxDays: days(30, 'How long the mail of a deleted mailbox is kept, and its address reserved.'),
    reportDays: setting(
      integer({ minimum: 1, maximum: 800 }),
      90,
      'How long DMARC and TLS reports about domains are kept and shown.',
      'days',
    ),
  },
  limits: {
    warmUp: setting(
      boolean(),
      true,
      'Whether accounts that signed up begin with few sends a day, doubled after each clean day.',
    ),
    repliesPerThread: count(
      20,
      'Replies in a thread in an hour (UTC); against programs that reply to each other for ever.',
    ),
    smtp: {
      messageBytes: bytes(25 * MiB, 'Size of one message; against filling the disk by a single mail.'),
      headerBytes: bytes(1 * MiB, 'Size of the header of one message; against header bombs.'),
      headerCount: count(10_000, 'Header fields of one message; against header bombs.'),
      lineBytes: bytes(
        65_536,
        'Length of one line; longer lines could not be kept byte for byte, so they are refused.',
      ),
      mimeDepth: setting(
        integer({ minimum: 1, maximum: 50 }),
        40,
        'Nesting of MIME parts; against stack and time bombs.',
      ),
      hops: count(100, 'Received fields of one message; against mail loops (RFC 5321 6.3 asks for 100 and more).'),
      recipients: count(100, 'Recipients of one transaction (RFC 5321 4.5.3.1.8 asks for 100).'),
      commandSeconds: timer(
        300,
        'How long a command line may take from its first byte to its last, and the data of a message besides one second for each 4 KiB; against clients that send byte by byte.',
      ),
      connectionsPerAddress: count(
        100,
        'Connections at once from one address; against one machine taking all of them.',
      ),
      connectionsPerNetwork: count(200, 'Connections at once from one IPv6 /64 or IPv4 /24.'),
      connections: count(1_000, 'Connections at once in total.'),
      dataBytesInFlight: bytes(
        256 * MiB,
        'Message bytes held in memory over all connections. Beyond it DATA is answered 452, and so is a large message that received no data for a minute.',
      ),
      freeDiskBytes: bytes(256 * MiB, 'With less free space than this in the data folder, new mail is answered 452.'),
    },
    imap: {
      connections: count(10_000, 'Connections of mail programs that read mail at once, in one process.'),
      connectionsPerAddress: count(
        1_000,
        'Such connections at once from one address; against one machine taking all of them.',
      ),
      connectionsPerNetwork: count(2_000, 'Such connections at once from one IPv6 /64 or IPv4 /24.'),
      fetchBytesInFlight: bytes(
        256 * MiB,
        'Bytes of large messages of which clients fetch parts, held in memory until they are sent, in one process. Beyond it, FETCH is answered NO; clients that read little in the last 10 seconds are cut off first.',
      ),
      loginSeconds: timer(60, 'How long a connection may be silent before its login; against idle connections.'),
      idleSeconds: timer(
        1_860,
        'How long a connection may be silent after its login (RFC 9051 5.4 asks for 30 minutes and more).',
        { minimum: 1_800 },
      ),
    },
    dns: {
      connections: count(1_000, 'Connections of DNS clients over TCP at once, in one process.'),
      connectionsPerAddress: count(50, 'Such connections at once from one address.'),
      connectionsPerNetwork: count(200, 'Such connections at once from one IPv6 /64 or IPv4 /24.'),
      idleSeconds: setting(
        integer({ minimum: 1, maximum: 6_000 }),
        10,
        'How long such a connection may go without a complete question, or without reading its answer (RFC 7766 6.2.3).',
        'seconds',
      ),
    },
    logins: {
      failuresPerAddress: setting(
        integer({ minimum: 1 }),
        30,
        'Failed logins from one IPv4 address or IPv6 /64 in 10 minutes, over all doors; after that, its logins are refused for 15 minutes.',
      ),
      failuresPerNetwork: setting(
        integer({ minimum: 1 }),
        100,
        'The same from one IPv4 /24; against guessing from many addresses.',
      ),
      slowAfter: count(
        10,
        'Failed logins in 10 minutes, from an address or network or for one mailbox, after which logins are delayed.',
      ),
      slowMs: timerMs(1_000, 'How long they are delayed.', { minimum: 0 }),
    },
    people: {
      mailsPerAddressPerHour: setting(
        integer({ minimum: 1 }),
        5,
        'Mails in an hour (UTC) that sign-ups and forgotten passwords send to one address, whoever requests them; against flooding the mailbox of somebody else.',
      ),
      mailsPerNetworkPerHour: setting(
        integer({ minimum: 1 }),
        50,
        'The same, requested from one IPv6 /64 or IPv4 /24, to all addresses together.',
      ),
      invitationsPerDay: count(50, 'Invitations that an account may send in a day (UTC).'),
    },
    oauth: {
      registrationsPerNetworkPerHour: count(
        60,
        'Programs that one IPv6 /64 or IPv4 /24 may register for OAuth in an hour (UTC).',
      ),
      documentsPerNetworkPerHour: count(
        300,
        'Client ID metadata documents that the service fetches in an hour (UTC) on requests of one IPv6 /64 or IPv4 /24.',
      ),
    },
    http: {
      bodyBytes: bytes(1 * MiB, 'Size of a JSON body.'),
      sendBodyBytes: bytes(16 * MiB, 'Size of the JSON body of a send.'),
      bodyBytesInFlight: bytes(
        256 * MiB,
        'Bytes of long request bodies held in memory until they are complete, in one process; beyond it, requests are answered 503.',
      ),
      answerBytesInFlight: bytes(
        256 * MiB,
        'Bytes of long answers (files, bodies of large messages, pages of long records, events that a stream has not sent yet) held in memory until they are sent, in one process. Beyond it, requests are answered 503; answers of which little was read in the last 10 seconds are cut off first.',
      ),
      connections: count(10_000, 'Connections at once in total, in one process; further ones are closed.'),
      connectionsPerAddress: count(
        1_000,
        'Connections at once from one address, unless it is one of http.proxies; against one machine taking all of them.',
      ),
      connectionsPerNetwork: count(2_000, 'Connections at once from one IPv6 /64 or IPv4 /24.'),
      connectionsWithoutRequest: count(
        1_000,
        'Connections at once that have not sent a request yet; beyond it, the oldest is closed. Against idle connections.',
      ),
      headerSeconds: setting(
        integer({ minimum: 1, maximum: 300 }),
        15,
        'How long the header of a request may take to arrive; against clients that send it byte by byte.',
        'seconds',
      ),
      stalledSeconds: timer(
        60,
        'How long a client may read nothing of an answer that waits to be sent. It is cut off after twice this time at the latest; against clients that hold connections.',
      ),
      waits: count(5_000, 'Waits for mail under way at once in one process; against exhausting its memory.'),
      waitsPerKey: count(500, 'Waits for mail under way at once with one key in one process.'),
      followers: count(
        5_000,
        'Event streams and long-polls under way at once in one process; against exhausting its memory.',
      ),
      followersPerKey: count(1_000, 'Event streams and long-polls under way at once with one key in one process.'),
      requestsPerAddressPerMinute: count(
        600,
        'Requests in a minute from one address that carry no valid key; against guessing.',
      ),
      requestsPerNetworkPerMinute: count(
        1_200,
        'Requests in a minute from one IPv6 /64 or IPv4 /24 that carry no valid key; against guessing from many addresses.',
      ),
    },
  },
} as const satisfies Tree

type Values<T> = T extends Setting<infer V> ? V : { readonly [K in keyof T]: Values<T[K]> }
/** The settings of a running service. */
export type Settings = Values<typeof settings>

/** A setting with its dotted name, such as `http.port`. */
export type NamedSetting = Setting & { readonly name: string }

/** Every setting with its dotted name, in the order of declaration. */
export function listSettings(tree: Tree = settings, prefix = ''): readonly NamedSetting[] {
  return Object.entries(tree).flatMap(([name, node]) =>
    isSetting(node) ? [{ name: prefix + name, ...node }] : listSettings(node, `${prefix}${name}.`),
  )
}

/** The environment variable that overrides a setting: `http.port` is `MAILROOM_HTTP_PORT`. */
export function variableOf(name: string): string {
  if (name === 'mongodbUrl') return 'MONGODB_URL'
  return `MAILROOM_${name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll('.', '_')
    .toUpperCase()}`
}

export function isSetting(node: Setting | Tree): node is Setting {
  return typeof (node as Setting).about === 'string'
}

export type SettingValue = Infer<Setting['schema']>
