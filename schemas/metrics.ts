/**
 * The metrics of the service, declared once: the processes use these names, and `docs/metrics.md` is generated from here. Labels have
 * few values, which `labels` describes; none names an account, a mailbox, an address or a domain.
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

/** The processes of an installation. Each adds the label `process` to all its metrics. */
export const processNames = ['supervisor', 'engine', 'smtp', 'service', 'imap', 'dns'] as const
export type ProcessName = (typeof processNames)[number]
type From = readonly ProcessName[]

/** Seconds, from requests that are answered at once to those that wait for mail. */
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
    'Recipients whose mail has not gone out yet, counted up to 10,000; read from the database at each scrape.',
    {},
  ),
  mailroom_outbox_overdue_seconds: gauge(
    ['service'],
    'For how long the oldest due mail that no process has claimed has been due; 0 if there is none.',
    {},
  ),
  mailroom_webhook_attempts_total: counter(['service', 'smtp'], 'Attempts to deliver an event to an endpoint.', {
    result: '`delivered` or `failed`',
  }),
  mailroom_webhook_lag_seconds: histogram(
    ['service', 'smtp'],
    'Time from an event to the answer that accepted it, including retries and their pauses.',
    {},
    lagBuckets,
  ),
  mailroom_webhook_overdue_seconds: gauge(
    ['service'],
    'For how long the oldest due webhook delivery that no process has claimed has been due; 0 if there is none.',
    {},
  ),
  mailroom_requests_total: counter(['service'], 'Requests by REST and MCP.', {
    operation: 'its name, such as `messages.get`; `none` for a request whose key was refused',
    code: '`ok`, or the code of the error',
  }),
  mailroom_request_seconds: histogram(
    ['service'],
    'Duration of requests whose key was accepted. A wait lasts as long as it waits.',
    { operation: 'its name, such as `messages.get`' },
    answerBuckets,
  ),
  mailroom_certificate_orders_total: counter(['service'], 'Certificate orders that have finished.', {
    result: '`issued` or `failed`',
  }),
  mailroom_certificates: gauge(['service'], 'Names for which certificates are ordered.', {
    state:
      '`valid`; `expired`; `failing`: the last order failed, though the previous certificate may be valid; `waiting`: there is none yet',
  }),
  mailroom_imap_connections: gauge(['imap'], 'Open IMAP connections.', {}),
  mailroom_imap_commands_total: counter(['imap'], 'IMAP commands.', {
    command: 'its name, such as `UID FETCH`; `none` for an unknown command',
    result: '`ok`, `no` or `bad`',
  }),
  mailroom_dns_answers_total: counter(['dns'], 'Answers of the DNS server.', {
    over: '`udp` or `tcp`',
    code: 'such as `NOERROR`, `NXDOMAIN` or `REFUSED`; `cut` if the answer did not fit the packet',
  }),
  mailroom_dns_unanswered_total: counter(
    ['dns'],
    'Packets that were not answered: they were not questions, or their network had received the same answer too often.',
    { over: '`udp` or `tcp`' },
  ),
  mailroom_database_command_seconds: histogram(
    ['service', 'smtp', 'imap', 'dns'],
    'Commands to the database, as measured by the driver, except `getMore`, which waits for new documents.',
    { command: 'such as `find`; `other` for rare ones' },
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

/** Metrics that each process measures of itself by `prom-client`: those that the dashboard and the documentation name. */
export const processMetrics = {
  process_cpu_seconds_total: 'CPU time.',
  process_resident_memory_bytes: 'Resident memory.',
  process_start_time_seconds: 'When the process started (Unix time).',
  nodejs_eventloop_lag_mean_seconds: 'Mean delay of timers since the last scrape.',
  nodejs_eventloop_lag_p99_seconds: '99th percentile of that delay.',
  nodejs_gc_duration_seconds: 'Pauses of garbage collection, by kind.',
} as const
