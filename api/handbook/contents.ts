/**
 * What the handbook contains, in the order in which it is read. Each page is a Markdown file of the project, so that it reads the
 * same in the repository; `name` is its place below /docs and, for what lies in docs/, the path of its file.
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
  /** For those who run a service: addresses in samples are examples. In all other parts they are those of this service. */
  readonly isForOperators?: boolean
  readonly entries: readonly Entry[]
}

const page = (name: string, title: string, about: string, file = `docs/${name}.md`): Entry => ({
  name,
  file,
  title,
  about,
})

export const home = page('', 'Documentation', 'What Mailroom does, and where to begin.', 'docs/README.md')

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
      page('guides/receive', 'Receive mail', 'List, read and search what came, who wrote it, and its files.'),
      page(
        'guides/wait',
        'Wait for a code',
        'Get the code or link of a mail that is about to come, and the right one.',
      ),
      page('guides/send', 'Send mail', 'One mail, an answer, later, once whatever happens, and what became of it.'),
      page('guides/batch', 'Send to many', 'One text for many recipients, each with words of their own.'),
      page('guides/webhooks', 'Hear of mail by webhook', 'Make an endpoint, verify what comes, try it.'),
      page('guides/intake', 'Turn mail into data', 'Records and fields of arriving mail with Intake and Lens.'),
      page('domains', 'Your own domain', 'Add a domain, publish its records, verify it, and edit its DNS.'),
      page('approvals', 'Approvals', 'Have what an agent sends wait until a person has read it.'),
    ],
  },
  {
    title: 'Reference',
    entries: [
      page('api', 'API reference', 'Every operation of the REST API, with its fields, answers and failures.'),
      page('errors', 'Errors', 'Every error code: its cause, its cure, and what the API answers.'),
      page('events', 'Events', 'Every kind of event, when it fires, and a sample of it.'),
      page('webhooks', 'Events and webhooks', 'How programs hear of events: by webhook, by stream, by long-poll.'),
      page(
        'intake',
        'Intake and Lens',
        'How arriving mail becomes records with texts of files and fields of your own.',
      ),
      page('lens', 'Lens: fields of a mail', 'How fields are named, and read out of a mail by rules or a model.'),
      page('drive', 'Drive', 'Files that agents may read: how they get there, and how they are listed and downloaded.'),
      page('mcp', 'MCP', 'Connect a client of the Model Context Protocol; tools, resources and prompts.'),
      page('typescript', 'mailroom-sdk', 'The package for TypeScript and JavaScript.', 'sdk/README.md'),
      page('python', 'mailroom-sdk for Python', 'The package for Python.', 'sdk/python/README.md'),
      page('understanding', 'How mail is understood', 'How replies, signatures and codes are told, and how well.'),
      page('dashboard', 'The dashboard', 'What people do in a browser: mail, mailboxes, keys, domains and the rest.'),
      page('people', 'People', 'How people sign up and in, second factors, roles, and claiming an account.'),
      page('oauth', 'Programs that connect by OAuth', 'How programs act for a person without a key.'),
      page('imap', 'IMAP', 'What mail programs get, and how they set themselves up.'),
      page('partners', 'The partner API', 'How a company makes and keeps accounts for its own customers.'),
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
        'A server of your own: DNS, settings, MongoDB, start, and whether it works.',
      ),
      page('guides/upgrades', 'Upgrades', 'Bring a new version in, on one machine or several nodes.'),
      page('guides/backups', 'Backups', 'What to keep, how to take it while the service runs, and how to restore it.'),
      page(
        'scaling',
        'More machines',
        'How a service runs on several machines, and how its data is spread over shards.',
      ),
      page('moving', 'Moving the database', 'Take the data of a service elsewhere, also while mail keeps coming.'),
      page('operating', 'Running Mailroom', 'What to know before a service faces the internet.'),
      page('settings', 'Settings', 'Every setting, its variable and its default.'),
      page('secrets', 'The master key', 'What seals the secrets of a service, and how it is changed.'),
      page('certificates', 'Certificates and the names of domains', 'Where certificates come from; ACME, HTTPS.'),
      page('dns', 'DNS', 'The built-in DNS server: zones, secondaries, DNSSEC.'),
      page('deliverability', 'Deliverability', 'What receivers report of your domains, and how to look at one.'),
      page('metrics', 'Metrics', 'What is counted and measured for Prometheus.'),
      page('engine', 'The embedded engine', 'What of MongoDB the embedded engine offers.'),
      page('rfc', 'RFCs', 'What is implemented of each standard.'),
      page('concepts', 'Concepts', 'The words that the code uses in one sense only.'),
    ],
  },
]

export const entries: readonly Entry[] = parts.flatMap((part) => part.entries)

/** Where an entry is served. */
export const pathOf = ({ name }: Entry): string => (name === '' ? '/docs' : `/docs/${name}`)
/** Where its Markdown is served. */
export const markdownPathOf = ({ name }: Entry): string => `/docs/${name === '' ? 'README' : name}.md`

const operators = new Set(parts.flatMap(({ isForOperators = false, entries: own }) => (isForOperators ? own : [])))
export const isForOperators = (entry: Entry): boolean => operators.has(entry)
