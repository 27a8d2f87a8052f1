/** Every command of the program. The code of a command is loaded when it is called, so that the service's own processes stay small. */

import { approvalModes } from '../schemas/approvals.ts'
import { dnsBackends } from '../schemas/domains.ts'
import { agentsPlanNames, mailPlanNames } from '../schemas/plans.ts'
import { keyKinds, roleNames } from '../schemas/scopes.ts'
import { stsModes } from '../schemas/settings.ts'
import type { Io } from './io.ts'
import { partNames } from './parts.ts'

/** Receives the arguments, then the options by name. Returns the exit status; nothing means 0. */
export type Action = (io: Io, ...given: never[]) => Promise<number | undefined> | Promise<void>

export type CommandEntry = {
  /** Its words, then its arguments; optional arguments are in square brackets. */
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

/** The first words under which commands are grouped. */
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
  request: 'requests of people to the administrator',
  audit: 'the audit trail',
  secrets: 'the key that seals secrets',
  db: 'the database: back up, verify, copy, move',
}

const partnerOption: CommandOption = {
  flags: '--partner',
  about: 'act as its partner, whose pause is separate',
  initial: false,
}

/** Options for the login to another IMAP server; the environment `variable` may hold the password. */
const imapOptions = (variable: string): readonly CommandOption[] => [
  {
    flags: '--user <user>',
    about: `user name there; the password is prompted for, or read from ${variable}`,
    required: true,
  },
  { flags: '--port <port>', about: 'default: 993, or 143 with --starttls', initial: '' },
  { flags: '--starttls', about: 'begin without TLS', initial: false },
  { flags: '--insecure', about: 'do not verify the certificate of the server', initial: false },
]

const serverOptions: readonly CommandOption[] = [
  { flags: '--key <key>', about: 'an API key of the account; default: MAILROOM_API_KEY' },
  { flags: '--server <url>', about: 'URL of the Mailroom; default: MAILROOM_URL, or the one in the settings' },
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
      'look for what is wrong: ports, certificate, database, DNS, queue; with a domain: send a mail from it, and report how receivers judge it and what to change',
    options: [{ flags: '--to <address>', about: 'send that mail to this address instead of our own check mailbox' }],
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    call: 'certificates',
    about: 'the certificates ordered by ACME: when they expire, and what went wrong',
    options: [{ flags: '--renew <name>', about: 'first order the one for this name at once' }],
    load: async () => (await import('./certificates.ts')).certificates,
  },
  {
    call: 'listen',
    about: 'post the events of an account to a program on this machine, signed like webhooks',
    options: [
      { flags: '--forward-to <url>', about: 'where to post them, such as http://127.0.0.1:3000/hook', required: true },
      ...serverOptions,
      {
        flags: '--events <kinds>',
        about: 'comma-separated, such as message.received; default: all that the key may read',
      },
      { flags: '--mailbox <address>', about: 'only events of this mailbox' },
    ],
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    call: 'mcp',
    about:
      'speak MCP on standard input and output, for clients that start their servers; passes all messages on to a Mailroom',
    options: serverOptions,
    load: async () => (await import('./mcp.ts')).serveStdio,
  },
  {
    call: 'mcp-listing',
    about: 'print the server.json of this instance for the registry of MCP servers',
    load: async () => (await import('./mcp-listing.ts')).mcpListing,
  },
  {
    call: 'generate',
    about: 'write the documents that are derived from the code',
    options: [{ flags: '--check', about: 'only report which are out of date' }],
    load: async () => (await import('./generate.ts')).generate,
  },
  {
    call: 'account create <name>',
    about: 'create an account',
    options: [
      { flags: '--owner <email>', about: 'address of the owner' },
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
    about: 'claim an account with its claim link for an owner (an e-mail address)',
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
    about: 'refuse its keys and logins, and stop its sending; incoming mail is still stored',
    load: async () => (await import('./accounts.ts')).suspend,
  },
  {
    call: 'account unsuspend <account>',
    about: 'end its suspension',
    load: async () => (await import('./accounts.ts')).unsuspend,
  },
  {
    call: 'account plan <account>',
    about: 'change its plans, effective at once',
    options: [
      { flags: '--plan <plan>', about: `mail plan: ${mailPlanNames.join(', ')} or none` },
      { flags: '--agents-plan <plan>', about: `Agents plan: ${agentsPlanNames.join(', ')} or none` },
    ],
    load: async () => (await import('./accounts.ts')).changePlans,
  },
  {
    call: 'account raise <account> <figure> <number>',
    about: 'raise a figure above its plan (docs/plans.md lists the figures); "plan" as the number undoes that',
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
    about: `whether sends of its agents wait for the approval of a person: ${approvalModes.join(' or ')}`,
    load: async () => (await import('./accounts.ts')).changeApproval,
  },
  {
    call: 'account phone <account>',
    about: "record that its owner's phone number is verified",
    load: async () => (await import('./accounts.ts')).notePhone,
  },
  {
    call: 'account export <account>',
    about: 'export everything in an account to files: mail as mbox, the rest as JSON',
    options: [{ flags: '--to <folder>', about: 'a folder that does not exist yet', required: true }],
    load: async () => (await import('./personal.ts')).exportTo,
  },
  {
    call: 'account erase <account>',
    about: 'permanently erase an account and everything in it',
    options: [{ flags: '--confirm <name>', about: 'the name of the account again', required: true }],
    load: async () => (await import('./personal.ts')).eraseAccount,
  },
  {
    call: 'domain create <domain>',
    about: 'add a domain to an account, with new DKIM keys',
    options: [
      { flags: '--account <id>', about: 'the account', required: true },
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
    about: `set what its MTA-STS policy asks of senders: ${stsModes.join(', ')}, or default for the mode in the settings`,
    load: async () => (await import('./domains.ts')).changeSts,
  },
  {
    call: 'domain reports <domain>',
    about: 'what receivers reported about mail from it in the last 30 days, and what to change',
    load: async () => (await import('./domains.ts')).reports,
  },
  {
    call: 'domain verify <account> <domain>',
    about: 'check the DNS of a domain now: for each record, what was found and what to change',
    load: async () => (await import('./domains.ts')).verify,
  },
  {
    call: 'domain delete <account> <domain>',
    about: 'remove a domain from an account, with its keys and DNS records',
    load: async () => (await import('./domains.ts')).remove,
  },
  {
    call: 'domain rotate-dkim <domain>',
    about: 'change the DKIM keys of a domain: new ones are published, and used once the DNS has them',
    load: async () => (await import('./domains.ts')).rotateDkim,
  },
  {
    call: 'domain dns <domain> <keeper>',
    about: `set who maintains the DNS of a domain: ${dnsBackends.join(', ')}`,
    options: [
      { flags: '--server <address>', about: 'for dynamic-update: host:port of the primary name server' },
      { flags: '--key-file <file>', about: 'for dynamic-update: a file with the TSIG key, as algorithm:name:secret' },
      { flags: '--zone <zone>', about: 'for dynamic-update: the zone there, if it is a parent of the domain' },
    ],
    load: async () => (await import('./domains.ts')).dns,
  },
  {
    call: 'domain expires <domain> <day>',
    about: 'set when the registration of a domain ends, such as 2027-03-31, or none; its owner is notified before',
    load: async () => (await import('./domains.ts')).expires,
  },
  {
    call: 'domain ds <domain>',
    about: 'the DS record for the registrar of a domain whose zone is signed here, and its DNSKEY',
    load: async () => (await import('./zone-keys.ts')).ds,
  },
  {
    call: 'domain rotate-dnssec <domain>',
    about: 'change the key that signs the zone of a domain; "domain ds" shows the progress',
    load: async () => (await import('./zone-keys.ts')).rotateDnssec,
  },
  {
    call: 'domain ds-published <domain>',
    about: 'confirm that the registrar has the DS record of the new key, if the resolver cannot see it',
    load: async () => (await import('./zone-keys.ts')).dsPublished,
  },
  {
    call: 'password <account> <address>',
    about: 'create a password for a mail program, for one mailbox; it is shown only once',
    options: [{ flags: '--name <name>', about: 'what it is for', initial: 'mail program' }],
    load: async () => (await import('./mailboxes.ts')).createPassword,
  },
  {
    call: 'drive put <account> <files...>',
    about: 'put files and folders into Drive; interrupted files are resumed, existing ones are left alone',
    options: [{ flags: '--to <folder>', about: 'the folder, such as reports/2026; default: the top', initial: '' }],
    load: async () => (await import('./drive.ts')).put,
  },
  {
    call: 'drive list <account> [folder]',
    about: 'everything in Drive, or in a folder',
    load: async () => (await import('./drive.ts')).list,
  },
  {
    call: 'drive remove <account> <path>',
    about: 'remove a file, or a folder with everything in it',
    load: async () => (await import('./drive.ts')).remove,
  },
  {
    call: 'drive keep <account> <address> <message> <attachment>',
    about: 'copy an attachment into Drive, where it stays if the message is deleted',
    options: [{ flags: '--to <folder>', about: 'the folder; default: the top', initial: '' }],
    load: async () => (await import('./drive.ts')).keep,
  },
  {
    call: 'import imap <account> <address> <host>',
    about:
      'import the mail of all folders from another IMAP server; after an interruption, run it again for what is missing',
    options: imapOptions('MAILROOM_IMPORT_PASSWORD'),
    load: async () => (await import('./import.ts')).fromImap,
  },
  {
    call: 'import mbox <account> <address> <files...>',
    about: 'import the mail of mbox files',
    options: [{ flags: '--folder <folder>', about: 'the target folder', initial: 'INBOX' }],
    load: async () => (await import('./import.ts')).fromMbox,
  },
  {
    call: 'import maildir <account> <address> <maildir>',
    about: 'import the mail of a Maildir with its folders and flags',
    load: async () => (await import('./import.ts')).fromMaildir,
  },
  {
    call: 'import eml <account> <address> <files...>',
    about: 'import messages from single files, or all .eml files of folders',
    options: [{ flags: '--folder <folder>', about: 'the target folder', initial: 'INBOX' }],
    load: async () => (await import('./import.ts')).fromEml,
  },
  {
    call: 'export imap <account> <address> <host>',
    about:
      'copy the mail of all folders to another IMAP server; after an interruption, run it again for what is missing',
    options: imapOptions('MAILROOM_EXPORT_PASSWORD'),
    load: async () => (await import('./export-mail.ts')).toImap,
  },
  {
    call: 'export mbox <account> <address>',
    about: 'write the mail of a mailbox as mbox files, one for each folder',
    options: [{ flags: '--to <folder>', about: 'the target folder', required: true }],
    load: async () => (await import('./export-mail.ts')).toMbox,
  },
  {
    call: 'export maildir <account> <address>',
    about: 'write the mail of a mailbox as a Maildir; existing messages are left alone',
    options: [{ flags: '--to <folder>', about: 'the target folder', required: true }],
    load: async () => (await import('./export-mail.ts')).toMaildir,
  },
  {
    call: 'export eml <account> <address>',
    about: 'write each message of a mailbox as a file',
    options: [{ flags: '--to <folder>', about: 'the target folder', required: true }],
    load: async () => (await import('./export-mail.ts')).toEml,
  },
  {
    call: 'key create <account>',
    about: 'create a key; it is shown only once',
    options: [
      { flags: '--name <name>', about: 'what it is for', initial: 'command line' },
      { flags: '--kind <kind>', about: keyKinds.join(' or '), initial: 'account' },
      { flags: '--scopes <scopes>', about: 'comma-separated; default: all that this kind of key may hold' },
      { flags: '--mailboxes <addresses>', about: 'comma-separated addresses that an agent key is granted' },
      { flags: '--days <days>', about: 'days until it expires' },
      { flags: '--approval', about: 'its sends wait for the approval of a person', initial: false },
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
    about: 'give a key a new secret, which is shown only once; the old one stops working at once',
    load: async () => (await import('./keys.ts')).rotate,
  },
  {
    call: 'key revoke <account> <key>',
    about: 'revoke a key or an app password at once',
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
    about: 'create a mailbox on a domain of the account',
    options: [
      { flags: '--name <name>', about: 'the name that recipients see' },
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
    about: 'create a partner: a company that creates and manages customers by /api/partner',
    options: [{ flags: '--email <email>', about: 'its contact address' }],
    load: async () => (await import('./partners.ts')).create,
  },
  {
    call: 'partner list',
    about: 'the partners, with how many customers each has',
    load: async () => (await import('./partners.ts')).list,
  },
  {
    call: 'partner key <partner>',
    about: 'create a key of a partner; it is shown only once',
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
    about: 'revoke a key of a partner at once; what was created with it stays',
    load: async () => (await import('./partners.ts')).revokeKey,
  },
  {
    call: 'partner export <partner>',
    about: 'export everything that is stored about a partner itself to files, as JSON',
    options: [{ flags: '--to <folder>', about: 'a folder that does not exist yet', required: true }],
    load: async () => (await import('./personal.ts')).exportPartner,
  },
  {
    call: 'partner erase <partner>',
    about: 'permanently erase a partner that has no customers left',
    options: [{ flags: '--confirm <name>', about: 'the name of the partner again', required: true }],
    load: async () => (await import('./personal.ts')).erasePartner,
  },
  {
    call: 'request list',
    about: 'the requests that wait for an answer, oldest first',
    load: async () => (await import('./requests.ts')).list,
  },
  {
    call: 'request grant <request> [answer]',
    about: 'grant it and notify the person by mail; for a phone number, this confirms it',
    load: async () => (await import('./requests.ts')).grant,
  },
  {
    call: 'request refuse <request> <reason>',
    about: 'refuse it and notify the person by mail',
    load: async () => (await import('./requests.ts')).refuse,
  },
  {
    call: 'audit verify <account>',
    about: 'verify the hash chain of the audit',
    load: async () => (await import('./audit.ts')).verify,
  },
  {
    call: 'secrets status',
    about: 'how much is sealed with each master key, and which process has which key',
    load: async () => (await import('./secrets.ts')).status,
  },
  {
    call: 'secrets rotate',
    about:
      'change the master key while the service runs: to a new one, or to the one in the settings; resumes an interrupted change',
    load: async () => (await import('./secrets.ts')).rotate,
  },
  {
    call: 'db backup <file>',
    about: 'copy all data to a new file while the service runs',
    load: async () => (await import('./db-backup.ts')).backup,
  },
  {
    call: 'db verify [file]',
    about: 'compare every index with the documents, of the stopped service or of a backup',
    load: async () => (await import('./db-verify.ts')).verify,
  },
  {
    call: 'db shard',
    about:
      'distribute all collections of a sharded cluster over its shards by their declared keys; run it again to resume',
    options: [{ flags: '--dry-run', about: 'report what would be done, and do nothing', initial: false }],
    load: async () => (await import('./db-shard.ts')).shard,
  },
  {
    call: 'db export <url>',
    about: 'copy the current data into an empty MongoDB deployment',
    load: async () => (await import('./db-export.ts')).exportTo,
  },
  {
    call: 'db move [target]',
    about:
      'move the database to a MongoDB deployment, or with "embedded" into the data folder, while mail keeps arriving; resumes an interrupted move',
    options: [
      {
        flags: '--cancel',
        about: 'cancel a move: the database stays where it is, and accepts writes again',
        initial: false,
      },
    ],
    load: async () => (await import('./db-move.ts')).move,
  },
  {
    call: 'db import <url>',
    about: 'copy all data of a MongoDB deployment into an empty data folder; the service must be stopped',
    load: async () => (await import('./db-import.ts')).importFrom,
  },
]
