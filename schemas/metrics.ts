/**
 * What the service counts and measures of itself, declared once: the processes count by these names, `docs/metrics.md` is
 * generated from here. Labels have few values, which `labels` tells; none names an account, a mailbox, an address or a domain.
 */

type Label = { readonly [label: string]: string }
export type Metric =
  | { readonly kind: 'counter' | 'gauge'; readonly about: string; readonly from: From; readonly labels: Label }
  | {
      readonly kind: 'histogram'
      readonly about: string
      readonly from: From
      readonly labels: Label
      /** Upper bounds in seconds. */
      readonly buckets: readonly number[]
    }

/** The processes of an installation. Each adds the label `process` to all that it measures. */
export const processNames = ['supervisor', 'engine', 'smtp', 'service', 'imap', 'dns'] as const
export type ProcessName = (typeof processNames)[number]
type From = readonly ProcessName[]

/** Seconds, for what is answered at once up to what waits for mail. */
const answerBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const commandBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5]
const lagBuckets = [0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400]

const counter = <const L extends Label>(from: From, about: string, labels: L) =>
  ({ kind: 'counter', about, from, labels }) as const
const gauge = <const L extends Label>(from: From, about: string, labels: L) =>
  ({ kind: 'gauge', about, from, labels }) as const
const histogram = <const L extends Label>(from: From, about: string, labels: L, buckets: readonly number[]) =>
  ({ kind: 'histogram', about, from, labels, buckets }) as const

export const metrics = {
  mailroom_mail_accepted_total: counter(['smtp'], 'Mails that were answered 250 after DATA.', {
    door: '`inbound` or `submission`',
  }),
  mailroom_smtp_refusals_total: counter(['smtp'], 'Replies that refused a command or a mail.', {
    code: 'the reply code and its enhanced code, such as `550 5.1.1`',
  }),
  mailroom_messages_stored_total: counter(['smtp'], 'Messages that were stored, one for each mailbox.', {}),
  mailroom_sends_total: counter(['service', 'smtp'], 'Sends that were accepted.', {
    origin: '`message`, `transactional`, `batch`, `submission`, `auto reply` or `tls report`',
  }),
  mailroom_deliveries_total: counter(['smtp'], 'Attempts to deliver a mail to one recipient that had an outcome.', {
    outcome: '`delivered`, `deferred` or `bounced`',
  }),
  mailroom_outbox_waiting: gauge(
    ['service'],
    'Recipients whose mail has not gone out yet, counted up to 10,000; asked of the database at each scrape.',
    {},
  ),
  mailroom_outbox_overdue_seconds: gauge(
    ['service'],
    'For how long the mail has been due that nobody has taken on yet; 0 when none is.',
    {},
  ),
  mailroom_webhook_attempts_total: counter(['service', 'smtp'], 'Attempts to deliver an event to an endpoint.', {
    result: '`delivered` or `failed`',
  }),
  mailroom_webhook_lag_seconds: histogram(
    ['service', 'smtp'],
    'From an event to the answer that took it, retries and their pauses included.',
    {},
    lagBuckets,
  ),
  mailroom_webhook_overdue_seconds: gauge(
    ['service'],
    'For how long the webhook delivery has been due that nobody has taken on yet; 0 when none is.',
    {},
  ),
  mailroom_requests_total: counter(['service'], 'Requests by REST and MCP.', {
    operation: 'its name, such as `messages.get`; `none` for a request whose key was refused',
    code: '`ok`, or the code of the error',
  }),
  mailroom_request_seconds: histogram(
    ['service'],
    'How long requests took whose key was taken. A wait takes as long as it waits.',
    { operation: 'its name, such as `messages.get`' },
    answerBuckets,
  ),
  mailroom_certificate_orders_total: counter(['service'], 'Orders of certificates that had an end.', {
    result: '`issued` or `failed`',
  }),
  mailroom_certificates: gauge(['service'], 'Names for which certificates are ordered.', {
    state:
      '`valid`; `expired`; `failing`: the last order failed, the certificate before it may be valid; `waiting`: there is none yet',
  }),
  mailroom_imap_connections: gauge(['imap'], 'Connections of mail programs that read mail.', {}),
  mailroom_imap_commands_total: counter(['imap'], 'Commands of mail programs that read mail.', {
    command: 'its name, such as `UID FETCH`; `none` when there is no such command',
    result: '`ok`, `no` or `bad`',
  }),
  mailroom_dns_answers_total: counter(['dns'], 'Answers of the DNS server.', {
    over: '`udp` or `tcp`',
    code: 'such as `NOERROR`, `NXDOMAIN` or `REFUSED`; `cut` when it did not fit the packet',
  }),
  mailroom_dns_unanswered_total: counter(
    ['dns'],
    'Packets that were met with silence: they were no questions, or their network was told the same too often.',
    { over: '`udp` or `tcp`' },
  ),
  mailroom_database_command_seconds: histogram(
    ['service', 'smtp', 'imap', 'dns'],
    'Commands to the database, seen by the driver; but for `getMore`, which waits for news.',
    { command: 'such as `find`; `other` for a rare one' },
    commandBuckets,
  ),
  mailroom_part_ready: gauge(['supervisor'], 'Whether a part is ready: 1 or 0.', {
    part: '`engine`, `smtp`, `service`, `imap` or `dns`',
  }),
} as const satisfies { readonly [name: `mailroom_${string}`]: Metric }

export type MetricName = keyof typeof metrics
export type MetricOf<Kind extends Metric['kind']> = {
  [N in MetricName]: (typeof metrics)[N]['kind'] extends Kind ? N : never
}[MetricName]
/** The labels of a metric with their values. */
export type LabelsOf<N extends MetricName> = { readonly [L in keyof (typeof metrics)[N]['labels']]: string }

/** What each process measures of itself by `prom-client`: the families that the dashboard and the documentation name. */
export const processMetrics = {
  process_cpu_seconds_total: 'CPU time.',
  process_resident_memory_bytes: 'Memory that lies in RAM.',
  process_start_time_seconds: 'When the process started (Unix time).',
  nodejs_eventloop_lag_mean_seconds: 'How late timers came since the last scrape, on average.',
  nodejs_eventloop_lag_p99_seconds: 'The same, exceeded by one in a hundred.',
  nodejs_gc_duration_seconds: 'Pauses of garbage collection, by kind.',
} as const
