/** What others report of mail in the name of a domain, as callers see it. */
import {
  array,
  boolean,
  described,
  type Infer,
  integer,
  nullable,
  number,
  object,
  oneOf,
  string,
  timestamp,
  untrusted,
} from './infer.ts'

const count = (description: string) => integer({ minimum: 0, description })
const Name = untrusted(string())

const passed = {
  messages: count('Mails that receivers reported.'),
  passed: count('Those for which DMARC passed: SPF or DKIM passed and was aligned with From.'),
  passRate: described('passed / messages; null without mail.', nullable(number({ minimum: 0, maximum: 1 }))),
  spfAligned: count('Those for which SPF passed and was aligned.'),
  dkimAligned: count('Those for which DKIM passed and was aligned.'),
  dispositions: object({ none: integer(), quarantine: integer(), reject: integer() }),
}

const Reporter = object({
  organisation: Name,
  domain: described('The domain that its reports were authenticated to come from.', string()),
  reports: integer(),
})

const explained = {
  explanation: string({ description: 'What it means.' }),
  fix: described('What to change; null: nothing.', nullable(string())),
}

export const ReportSource = object({
  source: string({ description: 'IP address of the machine that receivers got the mail from.' }),
  name: described('Its name, when the DNS confirms it both ways.', nullable(Name)),
  organisation: nullable(Name),
  own: boolean({ description: 'Whether it is a sending address of this service.' }),
  ...passed,
  firstDay: string(),
  lastDay: string(),
  findings: array(
    object({
      kind: oneOf(['passes', 'own_server', 'forwarder', 'provider', 'stranger']),
      messages: integer(),
      ...explained,
    }),
    { description: 'What its mail fared like, most of it first.' },
  ),
})
export type ReportSource = Infer<typeof ReportSource>

export const DomainReports = object({
  domain: string(),
  since: timestamp(),
  until: timestamp(),
  complete: boolean({
    description:
      'False when there are more reports in that time than are read: the latest were. Ask for a shorter time.',
  }),
  delivery: object(
    { sent: integer(), delivered: integer(), bounced: integer(), complained: integer() },
    {
      description:
        'Recipients of what the mailboxes on the domain sent on these days, and what became of them: bounces and spam reports included that came later. Kept for 90 days; sends without a mailbox are not in it.',
    },
  ),
  dmarc: object({
    reports: integer(),
    ...passed,
    omitted: count('Mails in reports with more rows than are kept; not in the other figures.'),
    reporters: array(Reporter),
    days: array(object({ day: string(), messages: passed.messages, passed: passed.passed }), {
      description: 'Of the days (UTC) with mail, the earliest first; a report counts for the day that it begins on.',
    }),
  }),
  tls: object({
    reports: integer(),
    successful: count('Sessions with TLS as the policy asks for it.'),
    failed: count('Sessions without.'),
    failures: array(
      object({
        type: string({ description: 'RFC 8460 4.3.' }),
        policy: string({ description: 'sts, tlsa or no-policy-found.' }),
        mx: nullable(Name),
        sessions: integer(),
        details: array(Name),
        ...explained,
      }),
    ),
    reporters: array(Reporter),
  }),
  sources: array(ReportSource, {
    description: 'A page of the addresses that mail came from, those with the most first.',
  }),
  next: described('Cursor of the next page of sources; null at the end.', nullable(string())),
})
export type DomainReports = Infer<typeof DomainReports>
