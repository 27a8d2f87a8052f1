/** Every command of the program. What a command does is loaded when it is called: the service's own processes stay small. */

import { approvalModes } from '../schemas/approvals.ts'
import { dnsBackends } from '../schemas/domains.ts'
import { agentsPlanNames, mailPlanNames } from '../schemas/plans.ts'
import { keyKinds, roleNames } from '../schemas/scopes.ts'
import { stsModes } from '../schemas/settings.ts'
import type { Io } from './io.ts'
import { partNames } from './parts.ts'

/** Gets the arguments, then the options by name. Returns the exit status, 0 if it is nothing else. */
export type Action = (io: Io, ...given: never[]) => Promise<number | undefined> | Promise<void>

export type CommandEntry = {
  /** How it is called: its words, then its arguments; an optional one stands in square brackets. */
  readonly call: string
  readonly about: string
  readonly options?: readonly CommandOption[]
  readonly load: () => Promise<Action>
}

export type CommandOption = {
  readonly flags: string
  readonly about: string
  readonly initial?: string | boolean
  readonly required?: true
}

/** The words that commands are grouped under. */
export const groups: Readonly<Record<string, string>> = {
  account: 'accounts',
  domain: 'domains',
  key: 'API keys',
  grant: 'programs connected by OAuth',
  mailbox: 'mailboxes',
  drive: 'files that agents may read',
  import: 'mail from elsewhere',
  export: 'mail to elsewhere',
  partner: 'partners, who make and manage customers by /api/partner',
  request: 'what people ask of the administrator',
  audit: 'the audit trail',
  secrets: 'the key that secrets are sealed with',
  db: 'the database: back up, verify, copy, move',
}

const partnerOption: CommandOption = {
  flags: '--partner',
  about: 'as its partner does, whose pause is one of its own',
  initial: false,
}

/** Who logs in to another IMAP server, and how; `variable` of the environment may hold the password. */
const imapOptions = (variable: string): readonly CommandOption[] => [
  {
    flags: '--user <user>',
    about: `who logs in there; the password is asked for, or ${variable}`,
    required: true,
  },
  { flags: '--port <port>', about: 'default: 993, or 143 with --starttls', initial: '' },
  { flags: '--starttls', about: 'begin without TLS', initial: false },
  { flags: '--insecure', about: 'do not verify the certificate of the server', initial: false },
]

const serverOptions: readonly CommandOption[] = [
  { flags: '--key <key>', about: 'an API key of the account; default: MAILROOM_API_KEY' },
  { flags: '--server <url>', about: 'which Mailroom; default: MAILROOM_URL, or that of the settings' },
]

export const commands: readonly CommandEntry[] = [
  {
    call: 'serve',
    about: 'run the whole service',
    options: [{ flags: '--only <parts>', about: `only these parts, such as "smtp" (${partNames.join(', ')})` }],
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    call: 'doctor [domain]',
    about:
      'look for what is wrong: ports, certificate, database, DNS, queue; with a domain: send a mail from it, and say how receivers judge it and what to change',
    options: [{ flags: '--to <address>', about: 'send that mail there, and not to our own check mailbox' }],
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    call: 'certificates',
    about: 'the certificates that are ordered by ACME: until when they hold, and what went wrong',
    options: [{ flags: '--renew <name>', about: 'first have the one of this name ordered at once' }],
    load: async () => (await import('./certificates.ts')).certificates,
  },
  {
    call: 'listen',
    about: 'have the events of an account posted to a program on this machine, signed as webhooks are',
    options: [
      { flags: '--forward-to <url>', about: 'where to post them, such as http://127.0.0.1:3000/hook', required: true },
      ...serverOptions,
      {
        flags: '--events <kinds>',
        about: 'comma-separated, such as message.received; default: all that the key may read',
      },
      { flags: '--mailbox <address>', about: 'only those of this mailbox' },
    ],
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    call: 'mcp',
    about: 'speak MCP on standard input and output, for clients that start their servers; passes all on to a Mailroom',
    options: serverOptions,
    load: async () => (await import('./mcp.ts')).serveStdio,
  },
  {
    call: 'mcp-listing',
    about: 'what the registry of MCP servers is told of this instance, as its server.json',
    load: async () => (await import('./mcp-listing.ts')).mcpListing,
  },
  {
    call: 'generate',
    about: 'write the documents that are derived from the code',
    options: [{ flags: '--check', about: 'only say which are out of date' }],
    load: async () => (await import('./generate.ts')).generate,
  },
  {
    call: 'account create <name>',
    about: 'make an account',
    options: [
      { flags: '--owner <email>', about: 'who owns it' },
      { flags: '--plan <plan>', about: `mail plan: ${mailPlanNames.join(', ')} or none`, initial: 'business' },
      { flags: '--agents-plan <plan>', about: `Agents plan: ${agentsPlanNames.join(', ')} or none`, initial: 'scale' },
    ],
    load: async () => (await import('./accounts.ts')).create,
  },
  {
    call: 'account list',
    about: 'the newest accounts',
    load: async () => (await import('./accounts.ts')).list,
  },
  {
    call: 'account claim <link> <owner>',
    about: 'give an unclaimed account to its owner (an e-mail address), by its claim link',
    load: async () => (await import('./accounts.ts')).claim,
  },
  {
    call: 'account pause <account> <reason>',
    about: 'stop its sending',
    options: [partnerOption],
    load: async () => (await import('./accounts.ts')).pause,
  },
  {
    call: 'account resume <account>',
    about: 'let it send again',
    options: [partnerOption],
    load: async () => (await import('./accounts.ts')).resume,
  },
  {
    call: 'account suspend <account> <reason>',
    about: 'refuse its keys and logins, and stop its sending; its mail is still stored',
    load: async () => (await import('./accounts.ts')).suspend,
  },
  {
    call: 'account unsuspend <account>',
    about: 'end its suspension',
    load: async () => (await import('./accounts.ts')).unsuspend,
  },
  {
    call: 'account plan <account>',
    about: 'change its plans; this holds at once',
    options: [
      { flags: '--plan <plan>', about: `mail plan: ${mailPlanNames.join(', ')} or none` },
      { flags: '--agents-plan <plan>', about: `Agents plan: ${agentsPlanNames.join(', ')} or none` },
    ],
    load: async () => (await import('./accounts.ts')).changePlans,
  },
  {
    call: 'account raise <account> <figure> <number>',
    about: 'grant it more than its plan has (docs/plans.md names the figures); "plan" as the number ends that',
    load: async () => (await import('./accounts.ts')).raise,
  },
  {
    call: 'account invite <account> <email>',
    about: 'invite a person by mail, such as its first owner',
    options: [{ flags: '--role <role>', about: roleNames.join(', '), initial: 'owner' }],
    load: async () => (await import('./accounts.ts')).inviteTo,
  },
  {
    call: 'account approval <account> <mode>',
    about: `whether what its agents send waits for the approval of a person: ${approvalModes.join(' or ')}`,
    load: async () => (await import('./accounts.ts')).changeApproval,
  },
  {
    call: 'account phone <account>',
    about: "note that its owner's phone number was verified",
    load: async () => (await import('./accounts.ts')).notePhone,
  },
  {
    call: 'account export <account>',
    about: 'write all that an account has to files: mail as mbox, the rest as JSON',
    options: [{ flags: '--to <folder>', about: 'a folder that is not there yet', required: true }],
    load: async () => (await import('./personal.ts')).exportTo,
  },
  {
    call: 'account erase <account>',
    about: 'erase an account and all that it has, for good',
    options: [{ flags: '--confirm <name>', about: 'the name of the account once more', required: true }],
    load: async () => (await import('./personal.ts')).eraseAccount,
  },
  {
    call: 'domain create <domain>',
    about: 'put a domain on an account, with fresh DKIM keys',
    options: [
      { flags: '--account <id>', about: 'whose it is', required: true },
      { flags: '--verified', about: 'its DNS points here: receive and send for it now', initial: false },
    ],
    load: async () => (await import('./domains.ts')).create,
  },
  {
    call: 'domain list <account>',
    about: 'the domains of an account',
    load: async () => (await import('./domains.ts')).list,
  },
  {
    call: 'domain sts <domain> <mode>',
    about: `what its MTA-STS policy asks of senders: ${stsModes.join(', ')}, or default for that of the settings`,
    load: async () => (await import('./domains.ts')).changeSts,
  },
  {
    call: 'domain reports <domain>',
    about: 'what receivers report of mail in its name in the last 30 days, and what to change',
    load: async () => (await import('./domains.ts')).reports,
  },
  {
    call: 'domain verify <account> <domain>',
    about: 'look at the DNS of a domain now, and say what was found of each record and what to change',
    load: async () => (await import('./domains.ts')).verify,
  },
  {
    call: 'domain delete <account> <domain>',
    about: 'take a domain off an account, with its keys and DNS records',
    load: async () => (await import('./domains.ts')).remove,
  },
  {
    call: 'domain rotate-dkim <domain>',
    about: 'change the DKIM keys of a domain: new ones are published, and sign when they are seen in the DNS',
    load: async () => (await import('./domains.ts')).rotateDkim,
  },
  {
    call: 'domain dns <domain> <keeper>',
    about: `say who keeps the DNS of a domain: ${dnsBackends.join(', ')}`,
    options: [
      { flags: '--server <address>', about: 'of dynamic-update: host:port of the primary name server' },
      { flags: '--key-file <file>', about: 'of dynamic-update: a file with the TSIG key, as algorithm:name:secret' },
      { flags: '--zone <zone>', about: 'of dynamic-update: the zone there, where it is one above the domain' },
    ],
    load: async () => (await import('./domains.ts')).dns,
  },
  {
    call: 'domain expires <domain> <day>',
    about: 'say when the registration of a domain ends, such as 2027-03-31, or none; its owner is told before',
    load: async () => (await import('./domains.ts')).expires,
  },
  {
    call: 'domain ds <domain>',
    about: 'the DS record that a registrar takes for a domain whose zone is signed here, and its DNSKEY',
    load: async () => (await import('./zone-keys.ts')).ds,
  },
  {
    call: 'domain rotate-dnssec <domain>',
    about: 'change the key that the zone of a domain is signed with; "domain ds" shows how far that is',
    load: async () => (await import('./zone-keys.ts')).rotateDnssec,
  },
  {
    call: 'domain ds-published <domain>',
    about: 'say that the registrar has the DS record of the new key, where the resolver cannot see it',
    load: async () => (await import('./zone-keys.ts')).dsPublished,
  },
  {
    call: 'password <account> <address>',
    about: 'make a password for a mail program, for one mailbox; it is shown this once',
    options: [{ flags: '--name <name>', about: 'what it is for', initial: 'mail program' }],
    load: async () => (await import('./mailboxes.ts')).createPassword,
  },
  {
    call: 'drive put <account> <files...>',
    about: 'put files and folders into Drive; what was cut goes on, what is there already is left alone',
    options: [{ flags: '--to <folder>', about: 'the folder, such as reports/2026; default: the top', initial: '' }],
    load: async () => (await import('./drive.ts')).put,
  },
  {
    call: 'drive list <account> [folder]',
    about: 'all that lies in Drive, or in a folder',
    load: async () => (await import('./drive.ts')).list,
  },
  {
    call: 'drive remove <account> <path>',
    about: 'remove a file, or a folder with all that lies in it',
    load: async () => (await import('./drive.ts')).remove,
  },
  {
    call: 'drive keep <account> <address> <message> <attachment>',
    about: 'copy an attachment into Drive, where it stays when the message goes',
    options: [{ flags: '--to <folder>', about: 'the folder; default: the top', initial: '' }],
    load: async () => (await import('./drive.ts')).keep,
  },
  {
    call: 'import imap <account> <address> <host>',
    about: 'bring the mail of all folders from another IMAP server; begun again after a cut, it brings what is missing',
    options: imapOptions('MAILROOM_IMPORT_PASSWORD'),
    load: async () => (await import('./import.ts')).fromImap,
  },
  {
    call: 'import mbox <account> <address> <files...>',
    about: 'bring the mail of mbox files',
    options: [{ flags: '--folder <folder>', about: 'the folder it goes to', initial: 'INBOX' }],
    load: async () => (await import('./import.ts')).fromMbox,
  },
  {
    call: 'import maildir <account> <address> <maildir>',
    about: 'bring the mail of a Maildir with its folders and flags',
    load: async () => (await import('./import.ts')).fromMaildir,
  },
  {
    call: 'import eml <account> <address> <files...>',
    about: 'bring messages that are files of their own, or all .eml files of folders',
    options: [{ flags: '--folder <folder>', about: 'the folder it goes to', initial: 'INBOX' }],
    load: async () => (await import('./import.ts')).fromEml,
  },
  {
    call: 'export imap <account> <address> <host>',
    about: 'bring the mail of all folders to another IMAP server; begun again after a cut, it brings what is missing',
    options: imapOptions('MAILROOM_EXPORT_PASSWORD'),
    load: async () => (await import('./export-mail.ts')).toImap,
  },
  {
    call: 'export mbox <account> <address>',
    about: 'write the mail of a mailbox as mbox files, one for each folder',
    options: [{ flags: '--to <folder>', about: 'where', required: true }],
    load: async () => (await import('./export-mail.ts')).toMbox,
  },
  {
    call: 'export maildir <account> <address>',
    about: 'write it as a Maildir; what is there already is left alone',
    options: [{ flags: '--to <folder>', about: 'where', required: true }],
    load: async () => (await import('./export-mail.ts')).toMaildir,
  },
  {
    call: 'export eml <account> <address>',
    about: 'write each message as a file',
    options: [{ flags: '--to <folder>', about: 'where', required: true }],
    load: async () => (await import('./export-mail.ts')).toEml,
  },
  {
    call: 'key create <account>',
    about: 'make a key; it is shown this once',
    options: [
      { flags: '--name <name>', about: 'what it is for', initial: 'command line' },
      { flags: '--kind <kind>', about: keyKinds.join(' or '), initial: 'account' },
      { flags: '--scopes <scopes>', about: 'comma-separated; default: all that the kind may hold' },
      { flags: '--mailboxes <addresses>', about: 'comma-separated addresses an agent key is granted' },
      { flags: '--days <days>', about: 'days until it expires' },
      { flags: '--approval', about: 'what it sends waits for the approval of a person', initial: false },
      { flags: '--test', about: 'a test key, which acts on the sandbox of the account', initial: false },
    ],
    load: async () => (await import('./keys.ts')).create,
  },
  {
    call: 'key list <account>',
    about: 'the keys and app passwords of an account',
    load: async () => (await import('./keys.ts')).list,
  },
  {
    call: 'key rotate <account> <key>',
    about: 'give a key a new secret, which is shown this once; the old one ends at once',
    load: async () => (await import('./keys.ts')).rotate,
  },
  {
    call: 'key revoke <account> <key>',
    about: 'end a key or an app password at once',
    load: async () => (await import('./keys.ts')).revoke,
  },
  {
    call: 'grant list <account>',
    about: 'the programs that people of an account connected by OAuth',
    load: async () => (await import('./grants.ts')).list,
  },
  {
    call: 'grant revoke <account> <grant>',
    about: 'disconnect a program at once',
    load: async () => (await import('./grants.ts')).revoke,
  },
  {
    call: 'mailbox create <account> <address>',
    about: 'make a mailbox on a domain of the account',
    options: [
      { flags: '--name <name>', about: 'the name recipients see' },
      { flags: '--person', about: 'for a person, not an agent', initial: false },
    ],
    load: async () => (await import('./mailboxes.ts')).create,
  },
  {
    call: 'mailbox list <account>',
    about: 'the newest mailboxes of an account',
    load: async () => (await import('./mailboxes.ts')).list,
  },
  {
    call: 'partner create <name>',
    about: 'make a partner: a company that makes and manages customers by /api/partner',
    options: [{ flags: '--email <email>', about: 'whom it is reached by' }],
    load: async () => (await import('./partners.ts')).create,
  },
  {
    call: 'partner list',
    about: 'the partners, with how many customers each has',
    load: async () => (await import('./partners.ts')).list,
  },
  {
    call: 'partner key <partner>',
    about: 'make a key of a partner; it is shown this once',
    options: [
      { flags: '--name <name>', about: 'what it is for', initial: 'command line' },
      { flags: '--days <days>', about: 'days until it expires' },
      { flags: '--test', about: 'a test key, whose customers are sandboxes', initial: false },
    ],
    load: async () => (await import('./partners.ts')).createKey,
  },
  {
    call: 'partner keys <partner>',
    about: 'the keys of a partner',
    load: async () => (await import('./partners.ts')).listKeys,
  },
  {
    call: 'partner revoke <partner> <key>',
    about: 'end a key of a partner at once; what it made stays',
    load: async () => (await import('./partners.ts')).revokeKey,
  },
  {
    call: 'partner export <partner>',
    about: 'write all that is kept of a partner itself to files, as JSON',
    options: [{ flags: '--to <folder>', about: 'a folder that is not there yet', required: true }],
    load: async () => (await import('./personal.ts')).exportPartner,
  },
  {
    call: 'partner erase <partner>',
    about: 'erase a partner that has no customers any more, for good',
    options: [{ flags: '--confirm <name>', about: 'the name of the partner once more', required: true }],
    load: async () => (await import('./personal.ts')).erasePartner,
  },
  {
    call: 'request list',
    about: 'the requests that wait for an answer, oldest first',
    load: async () => (await import('./requests.ts')).list,
  },
  {
    call: 'request grant <request> [answer]',
    about: 'grant it and tell the person by mail; a phone number is confirmed by it',
    load: async () => (await import('./requests.ts')).grant,
  },
  {
    call: 'request refuse <request> <reason>',
    about: 'refuse it and tell the person by mail',
    load: async () => (await import('./requests.ts')).refuse,
  },
  {
    call: 'audit verify <account>',
    about: 'check the hash chain',
    load: async () => (await import('./audit.ts')).verify,
  },
  {
    call: 'secrets status',
    about: 'how much is sealed with which master key, and which process has which',
    load: async () => (await import('./secrets.ts')).status,
  },
  {
    call: 'secrets rotate',
    about:
      'change the master key while the service runs: to a new one, or to that of the settings; goes on with a change that was cut',
    load: async () => (await import('./secrets.ts')).rotate,
  },
  {
    call: 'db backup <file>',
    about: 'copy all data to a new file while the service runs',
    load: async () => (await import('./db-backup.ts')).backup,
  },
  {
    call: 'db verify [file]',
    about: 'compare every index with the documents: of the stopped service, or of a backup',
    load: async () => (await import('./db-verify.ts')).verify,
  },
  {
    call: 'db shard',
    about:
      'spread all collections of a sharded cluster over its shards, each by its declared key; run again, it goes on',
    options: [{ flags: '--dry-run', about: 'say what would be done, and do nothing', initial: false }],
    load: async () => (await import('./db-shard.ts')).shard,
  },
  {
    call: 'db export <url>',
    about: 'copy all data into a MongoDB deployment that holds none yet, as it is now',
    load: async () => (await import('./db-export.ts')).exportTo,
  },
  {
    call: 'db move [target]',
    about:
      'move the database to a MongoDB deployment, or with "embedded" into the data folder, while mail keeps coming; goes on with a move that was cut',
    options: [
      { flags: '--cancel', about: 'give a move up: the database stays where it is, and takes writes', initial: false },
    ],
    load: async () => (await import('./db-move.ts')).move,
  },
  {
    call: 'db import <url>',
    about: 'copy all data of a MongoDB deployment into an empty data folder; the service must be stopped',
    load: async () => (await import('./db-import.ts')).importFrom,
  },
]
