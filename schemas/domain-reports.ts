/** What receivers report about mail from a domain, as callers see it. */
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
  messages: count('Mails in the reports of receivers.'),
  passed: count('Mails that passed DMARC: SPF or DKIM passed and was aligned with From.'),
  passRate: described('passed / messages; null without mail.', nullable(number({ minimum: 0, maximum: 1 }))),
  spfAligned: count('Mails for which SPF passed and was aligned.'),
  dkimAligned: count('Mails for which DKIM passed and was aligned.'),
  dispositions: object({ none: integer(), quarantine: integer(), reject: integer() }),
}

const Reporter = object({
  organisation: Name,
  domain: described('The authenticated domain of its reports.', string()),
  reports: integer(),
})

const explained = {
  explanation: string({ description: 'What it means.' }),
  fix: described('What to change; null if nothing.', nullable(string())),
}

export const ReportSource = object({
  source: string({ description: 'IP address from which receivers got the mail.' }),
  name: described('Its host name, if forward and reverse DNS agree.', nullable(Name)),
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
    { description: 'How its mail fared, the most frequent outcome first.' },
  ),
})
export type ReportSource = Infer<typeof ReportSource>

export const DomainReports = object({
  domain: string(),
  since: timestamp(),
  until: timestamp(),
  complete: boolean({
    description:
      'False if there are more reports in that time than are read; the latest were read. Ask for a shorter time.',
  }),
  delivery: object(
    { sent: integer(), delivered: integer(), bounced: integer(), complained: integer() },
    {
      description:
        'Recipients of mail sent on these days by the mailboxes on the domain, and the outcomes, including bounces and spam reports that came later. Kept for 90 days; sends without a mailbox are not included.',
    },
  ),
  dmarc: object({
    reports: integer(),
    ...passed,
    omitted: count('Mails in reports with more rows than are kept; not in the other figures.'),
    reporters: array(Reporter),
    days: array(object({ day: string(), messages: passed.messages, passed: passed.passed }), {
      description: 'The days (UTC) with mail, the earliest first; a report counts for the day on which it begins.',
    }),
  }),
  tls: object({
    reports: integer(),
    successful: count('Sessions with TLS as the policy requires.'),
    failed: count('Sessions without it.'),
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
    description: 'A page of the addresses that mail came from, those with the most mail first.',
  }),
  next: described('Cursor of the next page of sources; null at the end.', nullable(string())),
})
export type DomainReports = Infer<typeof DomainReports>
