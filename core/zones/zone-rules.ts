/** The records that cannot exist together in one zone, in one table: a candidate is checked against the existing records. */
import { Failure } from '../../schemas/failures.ts'
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'
import { absolute } from './mail-critical.ts'

/** A record to be written, and the other records of the zone, without the one that it replaces. */
export type Candidate = {
  readonly origin: string
  readonly record: Pick<ZoneRecordDoc, 'name' | 'type' | 'value' | 'priority'>
  readonly others: readonly Pick<ZoneRecordDoc, 'name' | 'type' | 'value' | 'priority'>[]
}

/** Records in one zone; stops a single zone from taking all memory. */
const recordsMax = 1_000

type Rule = {
  readonly code: 'conflict' | 'validation_error'
  readonly isBroken: (candidate: Candidate) => boolean
  readonly says: (candidate: Candidate) => string
  readonly fix: string
}

const nameIn = ({ origin, record }: Candidate) => absolute(record.name, origin)
const beside = ({ record, others }: Candidate) => others.filter(({ name }) => name === record.name)
/** Texts that a name may have only once, recognised by how they begin. */
const singleTexts = [
  { form: /^v=spf1(?:\s|$)/i, what: 'SPF records', source: 'RFC 7208 4.5' },
  { form: /^v=DMARC1(?:\s|;|$)/i, what: 'DMARC records', source: 'RFC 7489 6.6.3' },
  { form: /^v=DKIM1(?:\s|;|$)/i, what: 'keys of one DKIM selector', source: 'RFC 6376 3.6.2.2' },
  { form: /^v=STSv1(?:\s|;|$)/i, what: 'MTA-STS records', source: 'RFC 8461 3.1' },
  { form: /^v=TLSRPTv1(?:\s|;|$)/i, what: 'TLS-RPT records', source: 'RFC 8460 3' },
] as const
const singleTextOf = ({ record }: Candidate) =>
  record.type === 'TXT' ? singleTexts.find(({ form }) => form.test(record.value)) : undefined
const namesServer = (type: string) => type === 'MX' || type === 'NS' || type === 'SRV'
const targetOf = ({ type, value }: Candidate['record']) => (type === 'SRV' ? value.split(' ')[2] : value)

const rules: readonly Rule[] = [
  {
    code: 'conflict',
    isBroken: ({ others }) => others.length >= recordsMax,
    says: ({ origin }) => `The zone ${origin} already has ${recordsMax} records, the most that a zone may have.`,
    fix: 'Delete records that are not needed.',
  },
  {
    code: 'conflict',
    isBroken: (candidate) =>
      beside(candidate).some(
        ({ type, value, priority }) =>
          type === candidate.record.type && value === candidate.record.value && priority === candidate.record.priority,
      ),
    says: (candidate) => `${nameIn(candidate)} already has this ${candidate.record.type} record.`,
    fix: 'The record exists, so nothing needs to be done; otherwise give another value.',
  },
  {
    code: 'validation_error',
    isBroken: ({ record }) => record.name === '@' && record.type === 'CNAME',
    says: (candidate) =>
      `${nameIn(candidate)} is the domain itself, whose other records a CNAME would hide: a CNAME cannot be there (RFC 1034 3.6.2).`,
    fix: 'Write A and AAAA records in place of the CNAME.',
  },
  {
    code: 'validation_error',
    isBroken: ({ record }) => record.name === '@' && record.type === 'NS',
    says: (candidate) =>
      `The name servers of ${nameIn(candidate)} itself are those of the service, as the registrar names them.`,
    fix: 'Change them at the registrar; NS records are only for names below the domain, which they delegate.',
  },
  {
    code: 'validation_error',
    // What a wildcard would delegate is not defined (RFC 4592 4.2), and secondaries such as BIND refuse the whole zone.
    isBroken: ({ record }) => record.type === 'NS' && record.name.split('.')[0] === '*',
    says: (candidate) => `${nameIn(candidate)} is a wildcard, and wildcards cannot be delegated (RFC 4592 4.2).`,
    fix: 'Write NS records for each name that is to be delegated.',
  },
  {
    code: 'conflict',
    isBroken: (candidate) => candidate.record.type === 'CNAME' && beside(candidate).length > 0,
    says: (candidate) =>
      `${nameIn(candidate)} has other records (${typesOf(beside(candidate))}), and a CNAME must be the only record of its name (RFC 1034 3.6.2).`,
    fix: 'Delete the others first, or write A and AAAA records in place of the CNAME.',
  },
  {
    code: 'conflict',
    isBroken: (candidate) => beside(candidate).some(({ type }) => type === 'CNAME'),
    says: (candidate) =>
      `${nameIn(candidate)} has a CNAME record, which must be the only record of its name (RFC 1034 3.6.2).`,
    fix: 'Delete the CNAME record first, or put this record at the name that it leads to.',
  },
  {
    code: 'conflict',
    isBroken: (candidate) => {
      const single = singleTextOf(candidate)
      return (
        single !== undefined && beside(candidate).some(({ type, value }) => type === 'TXT' && single.form.test(value))
      )
    },
    says: (candidate) => {
      const { what, source } = singleTextOf(candidate)!
      return `${nameIn(candidate)} would have two ${what}, so receivers would use neither (${source}).`
    },
    fix: 'Change the existing record instead, with "force": true.',
  },
  {
    code: 'conflict',
    isBroken: ({ record, others, origin }) =>
      namesServer(record.type) &&
      others.some(({ name, type }) => type === 'CNAME' && absolute(name, origin) === targetOf(record)),
    says: ({ record }) =>
      `${targetOf(record)} is a CNAME, and ${record.type} records must not name one (RFC 2181 10.3, RFC 2782).`,
    fix: 'Name the host that the CNAME leads to.',
  },
  {
    code: 'conflict',
    isBroken: (candidate) =>
      candidate.record.type === 'CNAME' &&
      candidate.others.some((each) => namesServer(each.type) && targetOf(each) === nameIn(candidate)),
    says: (candidate) =>
      `MX, NS or SRV records name ${nameIn(candidate)}, so it must not be a CNAME (RFC 2181 10.3, RFC 2782).`,
    fix: 'Write A and AAAA records in place of the CNAME.',
  },
  {
    code: 'conflict',
    isBroken: loops,
    says: (candidate) => `This CNAME would lead back to ${nameIn(candidate)}.`,
    fix: 'Name a host that has addresses.',
  },
  {
    code: 'conflict',
    isBroken: ({ record, others }) => {
      if (record.type === 'NS') return false
      const cut = cutAbove(record.name, others)
      return cut !== undefined && record.type !== 'A' && record.type !== 'AAAA'
    },
    says: ({ origin, record, others }) =>
      `${absolute(cutAbove(record.name, others) ?? '', origin)} is delegated to other name servers (NS), which answer for it and everything below.`,
    fix: 'Write the record on those servers, or delete the NS records.',
  },
  {
    code: 'conflict',
    isBroken: (candidate) => candidate.record.type === 'MX' && isMixedNullMx(candidate),
    says: (candidate) =>
      `A null MX says that ${nameIn(candidate)} takes no mail, so it must be the only MX record (RFC 7505 3).`,
    fix: 'Keep either the null MX record or the others.',
  },
  {
    code: 'validation_error',
    isBroken: ({ record }) => record.type === 'SRV' && !/^(?:\*|_[a-z0-9-]+\._[a-z]+)(?:\.|$)/.test(record.name),
    says: (candidate) =>
      `${nameIn(candidate)} is not a name for an SRV record, which begins with service and protocol (RFC 2782).`,
    fix: 'Write the name as _service._protocol, such as "_sip._tcp".',
  },
]

/** Fails with `conflict` or `validation_error` if a record cannot exist in its zone, whatever its owner wants. */
export function requireFits(candidate: Candidate): void {
  const broken = rules.find(({ isBroken }) => isBroken(candidate))
  if (broken === undefined) return
  const { code, says, fix } = broken
  throw new Failure(code, says(candidate), { fix, ...(code === 'validation_error' && { param: 'name' }) })
}

const typesOf = (records: readonly { readonly type: string }[]) =>
  [...new Set(records.map(({ type }) => type))].join(', ')

/** Whether CNAMEs of the zone lead from the target of this CNAME back to it. */
function loops({ origin, record, others }: Candidate): boolean {
  if (record.type !== 'CNAME') return false
  const aliases = new Map(
    others.flatMap(({ name, type, value }) => (type === 'CNAME' ? [[absolute(name, origin), value]] : [])),
  )
  const own = absolute(record.name, origin)
  let at: string | undefined = record.value
  for (let steps = 0; at !== undefined && at !== own && steps <= aliases.size; steps++) at = aliases.get(at)
  return at === own
}

/** The name, at or above the given one, that NS records delegate to other servers. */
function cutAbove(name: string, others: Candidate['others']): string | undefined {
  return others.find(
    (each) => each.type === 'NS' && each.name !== '@' && (name === each.name || name.endsWith(`.${each.name}`)),
  )?.name
}

function isMixedNullMx(candidate: Candidate): boolean {
  const existing = beside(candidate).filter(({ type }) => type === 'MX')
  return existing.length > 0 && [candidate.record, ...existing].some(({ value }) => value === '.')
}
