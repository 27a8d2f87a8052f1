/**
 * The contents of the handbook, in reading order. Each page is a Markdown file of the project, so that it reads the same in the
 * repository; `name` is its path below /docs and, for files in docs/, also the path of the file.
 */

export type Entry = {
  readonly name: string
  /** Path of its Markdown from the root of the project. */
  readonly file: string
  /** The first heading of the file. */
  readonly title: string
  /** What a reader finds there, in one sentence. */
  readonly about: string
}

type Part = {
  readonly title: string
  /** Whether it is for people who run a service: addresses in its samples are only examples. In other parts they are those of this service. */
  readonly isForOperators?: boolean
  readonly entries: readonly Entry[]
}

const page = (name: string, title: string, about: string, file = `docs/${name}.md`): Entry => ({
  name,
  file,
  title,
  about,
})

export const home = page('', 'Documentation', 'What Mailroom does, and where to start.', 'docs/README.md')

export const parts: readonly Part[] = [
  {
    title: 'Begin',
    entries: [
      home,
      page(
        'guides/quickstart',
        'Quickstart',
        'An inbox, a key and the first mail, with curl, TypeScript, Python or MCP.',
      ),
    ],
  },
  {
    title: 'Guides',
    entries: [
      page('guides/receive', 'Receive mail', 'List, read and search mail, check who wrote it, and get its files.'),
      page(
        'guides/wait',
        'Wait for a code',
        'Get the code or link of a mail that is about to arrive, and be sure that it is the right one.',
      ),
      page('guides/send', 'Send mail', 'Send a mail, reply, schedule, send exactly once, and follow the delivery.'),
      page('guides/batch', 'Send to many', 'One text for many recipients, each with their own words.'),
      page('guides/webhooks', 'Receive events by webhook', 'Create an endpoint, verify deliveries, and test it.'),
      page('guides/intake', 'Turn mail into data', 'Records and fields of arriving mail with Intake and Lens.'),
      page('domains', 'Your own domain', 'Add a domain, publish its records, verify it, and edit its DNS.'),
      page('approvals', 'Approvals', 'Have what an agent sends wait until a person has read it.'),
    ],
  },
  {
    title: 'Reference',
    entries: [
      page('api', 'API reference', 'Every operation of the REST API, with its fields, answers and failures.'),
      page('errors', 'Errors', 'Every error code: its cause, its fix, and the answer of the API.'),
      page('events', 'Events', 'Every kind of event, when it fires, and a sample of it.'),
      page('webhooks', 'Events and webhooks', 'How programs receive events: by webhook, stream or long-poll.'),
      page(
        'intake',
        'Intake and Lens',
        'How arriving mail becomes records, with the text of files and your own fields.',
      ),
      page('lens', 'Lens: fields of a mail', 'How you name fields, and how rules or a model read them from a mail.'),
      page('drive', 'Drive', 'Files for agents: how to store, list and download them.'),
      page('mcp', 'MCP', 'Connect a client of the Model Context Protocol; tools, resources and prompts.'),
      page('typescript', 'mailroom-sdk', 'The package for TypeScript and JavaScript.', 'sdk/README.md'),
      page('python', 'mailroom-sdk for Python', 'The package for Python.', 'sdk/python/README.md'),
      page(
        'understanding',
        'How mail is understood',
        'How replies, signatures and codes are recognised, and how well.',
      ),
      page('dashboard', 'The dashboard', 'What people do in a browser: mail, mailboxes, keys, domains and the rest.'),
      page('people', 'People', 'How people sign up and in, second factors, roles, and claiming an account.'),
      page('oauth', 'Programs that connect by OAuth', 'How programs act for a person without a key.'),
      page('imap', 'IMAP', 'What mail programs can do, and how they configure themselves.'),
      page('partners', 'The partner API', 'How a company creates and manages accounts for its own customers.'),
      page('plans', 'Plans', 'What each plan includes.'),
    ],
  },
  {
    title: 'Operating',
    isForOperators: true,
    entries: [
      page(
        'guides/self-hosting',
        'In production',
        'Your own server: DNS, settings, MongoDB, starting it, and checking that it works.',
      ),
      page('guides/upgrades', 'Upgrades', 'Install a new version, on one machine or on several nodes.'),
      page('guides/backups', 'Backups', 'What to back up, how to do it while the service runs, and how to restore it.'),
      page(
        'scaling',
        'More machines',
        'How a service runs on several machines, and how its data is spread over shards.',
      ),
      page('moving', 'Moving the database', 'Move the data of a service elsewhere, even while mail keeps arriving.'),
      page('operating', 'Running Mailroom', 'What to know before a service faces the internet.'),
      page('settings', 'Settings', 'Every setting, its variable and its default.'),
      page('secrets', 'The master key', 'The key that seals the secrets of a service, and how to change it.'),
      page('certificates', 'Certificates and the names of domains', 'Where certificates come from; ACME, HTTPS.'),
      page('dns', 'DNS', 'The built-in DNS server: zones, secondaries, DNSSEC.'),
      page('deliverability', 'Deliverability', 'What receivers report about your domains, and how to check a domain.'),
      page('metrics', 'Metrics', 'What is counted and measured for Prometheus.'),
      page('engine', 'The embedded engine', 'Which parts of MongoDB the embedded engine offers.'),
      page('rfc', 'RFCs', 'How much of each standard is implemented.'),
      page('concepts', 'Concepts', 'The words that the code uses in one sense only.'),
    ],
  },
]

export const entries: readonly Entry[] = parts.flatMap((part) => part.entries)

/** The path of an entry. */
export const pathOf = ({ name }: Entry): string => (name === '' ? '/docs' : `/docs/${name}`)
/** The path of its Markdown. */
export const markdownPathOf = ({ name }: Entry): string => `/docs/${name === '' ? 'README' : name}.md`

const operators = new Set(parts.flatMap(({ isForOperators = false, entries: own }) => (isForOperators ? own : [])))
export const isForOperators = (entry: Entry): boolean => operators.has(entry)
