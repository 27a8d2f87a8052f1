/**
 * Decides whether a record to publish is right in the DNS and, if not, what to change: each common mistake has its own text. Pure:
 * the answers of the DNS are passed in.
 */
import { isIP } from 'node:net'
import { presented, type RecordToPublish } from './records-to-publish.ts'

/** What a DNS server answers about a record to publish; values as in zone files, texts without quotes. */
export type Seen = {
  /** Records with the type and the name of the record. */
  readonly answers: readonly string[]
  /** Target of a CNAME at the name; null if there is none. */
  readonly alias: string | null
  /** Records of its type at the name with the domain appended once more. */
  readonly doubled: readonly string[]
  /** Records of its type at other names where it is often published by mistake. */
  readonly elsewhere: readonly { readonly name: string; readonly answers: readonly string[] }[]
  /** Whether the name has the same addresses as the host that it should point to. */
  readonly hasSameAddresses: boolean
}

export type Verdict = {
  readonly ok: boolean
  /** The answers that concern this record. */
  readonly found: readonly string[]
  /** What to change, in a sentence or two; null if nothing. */
  readonly fix: string | null
}

/** The domain, the record, and what was seen of it. */
export type Look = { readonly domain: string; readonly record: RecordToPublish; readonly seen: Seen }

/** Returns the text for a mistake if it is the one that was made, else null. */
type Mistake = (look: Look) => string | null
type Kind = {
  /** Whether an answer is a record of this kind, right or nearly right. */
  readonly concerns: (answer: string, look: Look) => boolean
  readonly isRight: (found: readonly string[], look: Look) => boolean
  /** Tried in order if the record is not right. If none applies, the text of `publish` or `replace` is used. */
  readonly mistakes: readonly Mistake[]
}

/** Judges what a server answers about a record. */
export function judge(look: Look): Verdict {
  const kind = kindOf(look.record)
  const found = look.seen.answers.filter((answer) => kind.concerns(answer, look))
  if (kind.isRight(found, look)) return { ok: true, found, fix: null }
  const own = { ...look, seen: { ...look.seen, answers: found } }
  for (const mistake of [aliasAtApex, ...kind.mistakes, ...anywhere]) {
    const fix = mistake(own)
    if (fix !== null) return { ok: false, found, fix }
  }
  return { ok: false, found, fix: found.length === 0 ? publish(look) : replace(look, found) }
}

const shown = (text: string) => (text.length > 120 ? `${text.slice(0, 117)}...` : text)
const publish = ({ record }: Look) =>
  `Publish the ${record.type} record ${record.name} with the value: ${presented(record)}`
const replace = ({ record }: Look, found: readonly string[]) =>
  `Replace what ${record.name} has (${shown(found.join(' | '))}) with: ${presented(record)}`

/** A text as it should be: without the quotes and backslashes of zone files. */
const plain = (text: string) =>
  text
    .replaceAll(/"\s*"/g, '')
    .replaceAll(/^\s*"|"\s*$/g, '')
    .replaceAll('\\', '')
    .trim()
const squeezed = (text: string) => text.replaceAll(/\s+/g, '')
const isSame = (a: string, b: string) => squeezed(a) === squeezed(b)

/** A CNAME at the domain itself hides all other records there; the answers are those of its target. */
function aliasAtApex({ domain, record, seen: { alias } }: Look): string | null {
  return record.name === domain && alias !== null
    ? `There is a CNAME at ${domain} itself (to ${alias}), and no other record may exist beside it (RFC 1034 3.6.2). Replace it with A and AAAA records, or what your provider calls ALIAS or flattening; then publish this record: ${presented(record)}`
    : null
}

/** Mistakes that are made with every kind of record. */
const anywhere: readonly Mistake[] = [
  ({ record, seen }) =>
    seen.answers.some((answer) => answer.includes('"') && isSame(plain(answer), record.value))
      ? `The quotes were published as part of the text of ${record.name}. Enter the value without quotes: ${record.value}`
      : null,
  ({ record, seen }) =>
    seen.answers.some((answer) => answer.includes('\\') && isSame(plain(answer), record.value))
      ? `The backslashes were published as part of the text of ${record.name}. Enter the semicolons without backslashes: ${record.value}`
      : null,
  ({ domain, record, seen: { answers, doubled } }) =>
    answers.length === 0 && doubled.length > 0
      ? `The record was published at ${record.name}.${domain}: your DNS provider appends the domain by itself. Enter only "${relative(record.name, domain)}" as its name.`
      : null,
  ({ record, seen: { answers, alias } }) =>
    answers.length === 0 && alias !== null && record.type !== 'CNAME'
      ? `There is a CNAME at ${record.name} (to ${alias}), and no other record may exist beside it (RFC 1034 3.6.2). Delete it; then publish this record.`
      : null,
  ({ record, seen: { answers, elsewhere } }) => {
    const place = elsewhere.find((each) => each.answers.length > 0)
    return answers.length === 0 && place !== undefined
      ? `The record is at ${place.name}, where nobody looks for it. Move it to ${record.name}.`
      : null
  },
]

const relative = (name: string, domain: string) => (name === domain ? '@' : name.slice(0, -domain.length - 1))

/** The tags of a record, as DKIM and DMARC have them (RFC 6376 3.2); names in lower case. */
function tagsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').flatMap((part) => {
      const [name = '', ...value] = part.split('=')
      return value.length === 0 ? [] : [[name.trim().toLowerCase(), value.join('=').trim()] as const]
    }),
  )
}

/** A kind of text that a name may have only once, beginning with `v=<version>`. */
function single(
  version: string,
  isRight: (text: string, look: Look) => boolean,
  ...mistakes: readonly Mistake[]
): Kind {
  const begins = new RegExp(`^v\\s*=\\s*${version}(?:\\s*;|\\s*$)`, 'i')
  const nearly = new RegExp(`v\\s*=\\s*${version}`, 'i')
  return {
    concerns: (answer) => nearly.test(answer),
    isRight: (found, look) =>
      found.length === 1 && begins.test(found[0]!) && !found[0]!.includes('\\') && isRight(found[0]!, look),
    mistakes: [several, ...mistakes],
  }
}

function several({ record, seen: { answers } }: Look): string | null {
  return answers.length > 1
    ? `${record.name} has ${answers.length} such records, so receivers use none of them. Keep one: ${record.value}`
    : null
}

const exactly: Kind = {
  concerns: () => true,
  isRight: (found, { record }) => found.some((answer) => answer === record.value),
  mistakes: [],
}

const mx: Kind = {
  concerns: () => true,
  isRight: (found, { record }) => {
    const all = found.map(exchangeOf)
    const ours = all.filter(({ host }) => host === record.value)
    return ours.some((own) => all.every(({ host, priority }) => host === own.host || priority > own.priority))
  },
  mistakes: [
    ({ domain, record, seen: { answers } }) => {
      const address = answers.map(exchangeOf).find(({ host }) => isIP(host.replace(`.${domain}`, '')) !== 0)
      return address === undefined
        ? null
        : `The MX record names the address ${address.host}, but it has to name a host (RFC 5321 5.1). Change it to: ${presented(record)}`
    },
    ({ domain, record, seen: { answers } }) =>
      answers.map(exchangeOf).some(({ host }) => host === `${record.value}.${domain}`)
        ? `The MX record names ${record.value}.${domain}: your DNS provider appends the domain by itself. Enter the name with a dot at its end: ${record.value}.`
        : null,
    ({ record, seen: { answers } }) =>
      answers.map(exchangeOf).some(({ host }) => host === '.')
        ? `A null MX ("0 .") says that ${record.name} takes no mail (RFC 7505). Replace it with: ${presented(record)}`
        : null,
    ({ record, seen: { answers } }) => {
      const all = answers.map(exchangeOf)
      const others = [...new Set(all.flatMap(({ host }) => (host === record.value ? [] : [host])))]
      return all.length > others.length
        ? `Mail also goes to ${others.join(', ')}, whose preference is as low as ours or lower; what arrives there does not come here. Delete those MX records, or give them a higher number than ours.`
        : null
    },
    ({ record, seen: { answers } }) =>
      answers.length > 0
        ? `Mail goes to ${answers.map((answer) => exchangeOf(answer).host).join(', ')}. To receive it here, replace the MX records with: ${presented(record)}`
        : null,
  ],
}

function exchangeOf(answer: string): { readonly priority: number; readonly host: string } {
  const [priority, host = ''] = answer.split(' ')
  return { priority: Number(priority), host: host.toLowerCase() }
}

/** The mechanism that an SPF record to publish is about. */
const mechanismOf = ({ record }: Look) => record.value.split(' ')[1] ?? ''
const termsOf = (text: string) => text.toLowerCase().split(/\s+/).slice(1)
const lookupsMax = 10

const spf: Kind = {
  concerns: (answer) => /v\s*=\s*spf1/i.test(answer) || /^\W*spf1\s/i.test(answer) || /^spf2\.0/i.test(answer),
  isRight: (found, look) => {
    if (found.length !== 1 || !/^v=spf1(?:\s|$)/i.test(found[0]!)) return false
    const terms = termsOf(found[0]!)
    const at = terms.findIndex((term) => term.replace(/^\+/, '') === mechanismOf(look).toLowerCase())
    const end = terms.findIndex((term) => /^[+?~-]?all$/.test(term))
    return at >= 0 && (end < 0 || at < end) && lookupsOf(terms) <= lookupsMax && terms.every(isTerm)
  },
  mistakes: [
    ({ record, seen: { answers } }) =>
      answers.filter((answer) => /^v=spf1(?:\s|$)/i.test(answer)).length > 1
        ? `${record.name} has ${answers.length} SPF records, so receivers use none of them (RFC 7208 4.5). Merge them into one: ${mergedSpf(answers, record.value)}`
        : null,
    ({ record, seen: { answers } }) =>
      answers.length > 0 && !answers.some((answer) => /^v=spf1(?:\s|$)/i.test(plain(answer)))
        ? `The SPF record of ${record.name} does not begin with "v=spf1", so receivers ignore it. Change it to: ${record.value}`
        : null,
    ({ seen: { answers } }) => {
      const terms = termsOf(answers[0] ?? '')
      return lookupsOf(terms) > lookupsMax
        ? `The SPF record needs ${lookupsOf(terms)} DNS look-ups, and receivers refuse more than ${lookupsMax} (RFC 7208 4.6.4). Remove what no longer sends your mail.`
        : null
    },
    ({ record, seen: { answers } }) => {
      const [only = '', ...more] = answers
      const unknown = termsOf(only).find((term) => !isTerm(term))
      return unknown === undefined || more.length > 0 || only.includes('"')
        ? null
        : `The SPF record has "${unknown}", which is not a valid SPF term, so receivers ignore the whole record (RFC 7208 4.6). Change it to: ${mergedSpf([only], record.value)}`
    },
    (look) => {
      const [only, ...more] = look.seen.answers
      const wanted = mechanismOf(look)
      if (only === undefined || more.length > 0 || only.includes('"')) return null
      const isBehind = termsOf(only).includes(wanted.toLowerCase())
      return isBehind
        ? `In the SPF record "${wanted}" comes after "all", where receivers ignore it. Change it to: ${mergedSpf([only], look.record.value)}`
        : `The SPF record lacks "${wanted}", so mail from here may fail SPF. Change it to: ${mergedSpf([only], look.record.value)}`
    },
  ],
}

/** The number of terms that need DNS look-ups (RFC 7208 4.6.4). */
const lookupsOf = (terms: readonly string[]) =>
  terms.filter((term) => /^[+?~-]?(?:include|a|mx|ptr|exists)(?:[:/]|$)|^redirect=/.test(term)).length

/** Whether a term, in lower case, is a mechanism or a modifier according to RFC 7208 4.6.1 and 5. */
function isTerm(term: string): boolean {
  const [, version, network = ''] = /^[+?~-]?ip([46]):(.*)$/.exec(term) ?? []
  if (version !== undefined) return isIP(network.replace(/\/\d{1,3}$/, '')) === Number(version)
  return /^(?:[+?~-]?(?:all|(?:include|exists):.+|(?:a|mx)(?:[:/].+)?|ptr(?::.+)?)|[a-z][a-z0-9._-]*=.*)(?<![,;])$/.test(
    term,
  )
}

/**
 * Merges SPF records into one that contains our mechanism. It ends as the first of them that has an end does. If a record refers
 * to another name by `redirect=`, that reference is kept.
 */
function mergedSpf(found: readonly string[], wanted: string): string {
  const isEnd = (term: string) => /^[+?~-]?all$/i.test(term)
  const isOther = (term: string) => /^(?:redirect|exp)=/i.test(term)
  // A comma or semicolon after a term is a slip, and no reason to drop the term.
  const termsIn = (text: string) =>
    plain(text)
      .split(/[,;]*(?:\s+|$)/)
      .slice(1)
  const records = [...found, wanted].map(termsIn)
  // Together with "all", receivers ignore redirect= (RFC 7208 6.1).
  const redirects = records
    .filter((terms) => !terms.some(isEnd))
    .flatMap((terms) => terms.filter((term) => /^redirect=/i.test(term)).slice(0, 1))
  const isWhole = found.length === 1 && redirects.length === 1
  const mechanisms = records.flat().filter((term) => isTerm(term.toLowerCase()) && !isEnd(term) && !isOther(term))
  const included = isWhole ? [] : redirects.map((term) => term.replace(/^redirect=/i, 'include:'))
  const end = isWhole ? redirects[0]! : (records.flat().find(isEnd) ?? '~all')
  return ['v=spf1', ...new Set([...mechanisms, ...included]), end].join(' ')
}

const keyOf = (text: string) => squeezed(tagsOf(text).get('p') ?? '')
const isSameTag = (a: string, b: string, tag: string, usual: string) =>
  (tagsOf(a).get(tag) ?? usual).toLowerCase() === (tagsOf(b).get(tag) ?? usual).toLowerCase()

const dkim: Kind = {
  // v= is optional (RFC 6376 3.6.1), p= is not.
  concerns: (answer) => /(?:^|[;"\s])[vp]\s*=/i.test(answer),
  isRight: (found, { record }) =>
    found.length === 1 &&
    !/["\\]/.test(found[0]!) &&
    (tagsOf(found[0]!).get('v') ?? 'DKIM1') === 'DKIM1' &&
    keyOf(found[0]!) === keyOf(record.value) &&
    isSameTag(found[0]!, record.value, 'k', 'rsa'),
  mistakes: [
    several,
    ({ record, seen: { answers } }) => {
      const [published, whole] = [keyOf(plain(answers[0] ?? '')), keyOf(record.value)]
      return published !== '' && published.length < whole.length && whole.startsWith(published)
        ? `The DKIM key of ${record.name} was cut: ${published.length} of its ${whole.length} characters are published. A text longer than 255 characters goes into one record as several strings, which most providers do by themselves; enter the whole value: ${record.value}`
        : null
    },
    ({ record, seen: { answers } }) =>
      answers.length === 1 && tagsOf(answers[0]!).has('p') && keyOf(answers[0]!) === ''
        ? `The key of ${record.name} is published as revoked (p= is empty). Enter the value: ${record.value}`
        : null,
    ({ record, seen: { answers } }) =>
      answers.length === 1 &&
      /^[A-Za-z0-9+/=]+$/.test(keyOf(plain(answers[0]!))) &&
      keyOf(plain(answers[0]!)) !== keyOf(record.value)
        ? `${record.name} holds a different key from the one that signs. Replace it with: ${record.value}`
        : null,
  ],
}

const dmarc: Kind = single(
  'DMARC1',
  (text) => /^(?:none|quarantine|reject)$/i.test(tagsOf(text).get('p') ?? ''),
  ({ record, seen: { answers } }) =>
    answers.length === 1 &&
    !answers[0]!.includes('\\') &&
    !answers[0]!.includes('"') &&
    !/^(?:none|quarantine|reject)$/i.test(tagsOf(answers[0]!).get('p') ?? '')
      ? `The DMARC record of ${record.name} has no valid policy (p=none, p=quarantine or p=reject). Change it to: ${record.value}`
      : null,
)

const host: Kind = {
  concerns: () => true,
  isRight: (found, { record, seen }) => found.some((answer) => answer === record.value) || seen.hasSameAddresses,
  mistakes: [
    ({ domain, record, seen: { answers } }) =>
      answers.includes(`${record.value}.${domain}`)
        ? `The CNAME record leads to ${record.value}.${domain}: your DNS provider appends the domain by itself. Enter the name with a dot at its end: ${record.value}.`
        : null,
  ],
}

const service: Kind = {
  concerns: () => true,
  // The owner may choose priority and weight.
  isRight: (found, { record }) => found.some((answer) => placeOf(answer) === placeOf(presented(record))),
  mistakes: [],
}
const placeOf = (answer: string) => answer.toLowerCase().split(' ').slice(2).join(' ')

const kinds: { readonly [purpose: string]: Kind } = {
  ownership: exactly,
  mx,
  spf,
  dkim,
  dmarc,
  'mta-sts': single('STSv1', (text) => /^[A-Za-z0-9]{1,32}$/.test(tagsOf(text).get('id') ?? '')),
  'tls-rpt': single('TLSRPTv1', (text) => /^(?:mailto|https):/i.test(tagsOf(text).get('rua') ?? '')),
}

function kindOf({ purpose, type }: RecordToPublish): Kind {
  return kinds[purpose] ?? kinds[purpose.split(' ')[0] ?? ''] ?? (type === 'SRV' ? service : host)
}
