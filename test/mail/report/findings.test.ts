import { expect } from 'chai'
import type { SourceRow } from '../../../mail/report/aggregate-report.ts'
import { senderNameOf } from '../../../mail/report/known-senders.ts'
import { type FindingKind, findingOf } from '../../../mail/report/source-findings.ts'
import { tlsFindingOf } from '../../../mail/report/tls-findings.ts'
import { tlsFailureTypes } from '../../../mail/report/tls-report.ts'
import { inheritedNames } from '../../inherited-names.ts'

const domain = 'own.example'
const row = (fields: Partial<SourceRow> = {}): SourceRow => ({
  source: '192.0.2.1',
  count: 1,
  disposition: 'none',
  dkim: false,
  spf: false,
  overrides: [],
  headerFrom: domain,
  dkimResults: [],
  spfResults: [],
  ...fields,
})
const result = (of: string, said: SourceRow['spfResults'][number]['result']) => ({ domain: of, result: said })

describe('what a row of a DMARC report means', () => {
  type Case = readonly [
    string,
    Partial<SourceRow>,
    { isOwn?: boolean; name?: string },
    FindingKind,
    RegExp,
    RegExp | null,
  ]
  const cases: readonly Case[] = [
    ['all is well', { dkim: true, spf: true }, {}, 'passes', /both are aligned/, null],
    ['all is well at our own server', { dkim: true, spf: true }, { isOwn: true }, 'passes', /both are aligned/, null],
    [
      'forwarded, with the signature whole',
      { dkim: true, spfResults: [result('list.example', 'pass')] },
      {},
      'passes',
      /DKIM passes/,
      null,
    ],
    [
      'SPF alone',
      { spf: true },
      {},
      'passes',
      /no DKIM signature that counts/,
      /this server sign its mail with DKIM as own\.example/,
    ],
    ['SPF alone, by a provider', { spf: true }, { name: 'SendGrid' }, 'passes', /SPF passes/, /Have SendGrid sign/],
    [
      'our server: the DKIM record is missing',
      { spf: true, dkimResults: [result(domain, 'permerror')] },
      { isOwn: true },
      'own_server',
      /own\.example does not verify \(permerror\)/,
      /^Publish the DKIM records that the page lists, exactly/,
    ],
    [
      'our server: not signed',
      { spf: true },
      { isOwn: true },
      'own_server',
      /no DKIM signature of own\.example/,
      /through this service/,
    ],
    [
      'our server: strict alignment',
      { spf: true, headerFrom: 'sub.own.example', dkimResults: [result(domain, 'pass')] },
      { isOwn: true },
      'own_server',
      /strict alignment/,
      /adkim=r/,
    ],
    [
      'our server: SPF lacks it',
      { dkim: true, spfResults: [result(domain, 'softfail')] },
      { isOwn: true },
      'own_server',
      /does not name the address \(softfail\)/,
      /^Publish the SPF record that the page lists\.$/,
    ],
    [
      'our server: a return path of others',
      { dkim: true, spfResults: [result('other.example', 'pass')] },
      { isOwn: true },
      'own_server',
      /return path is on other\.example/,
      /SPF record/,
    ],
    [
      'our server: nothing',
      { dkimResults: [result(domain, 'fail')], spfResults: [result(domain, 'fail')] },
      { isOwn: true },
      'own_server',
      /, and SPF does not name/,
      /DKIM records.*SPF record/,
    ],
    [
      'a list that changed the body',
      { dkimResults: [result(domain, 'fail')], spfResults: [result('lists.example', 'pass')] },
      {},
      'forwarder',
      /changed on the way/,
      null,
    ],
    [
      'a list, as the receiver says',
      { overrides: ['mailing_list'] },
      { name: 'Google' },
      'forwarder',
      /forwarded by Google/,
      null,
    ],
    [
      'a provider that signs as itself',
      { dkimResults: [result('sendgrid.net', 'pass')] },
      {},
      'provider',
      /^SendGrid sends mail in the name of own\.example, but/,
      /set up own\.example there/,
    ],
    [
      'a provider with a return path of its own',
      { spfResults: [result('bounce.mcsv.net', 'pass')] },
      { name: 'Mailchimp' },
      'provider',
      /^Mailchimp sends mail in the name of own\.example, but signs it, or receives its bounces, as bounce\.mcsv\.net/,
      /If you use Mailchimp/,
    ],
    [
      'somebody with servers of another',
      { spfResults: [result('shop.example', 'pass')] },
      { name: 'Google' },
      'provider',
      /^shop\.example sends mail in the name of own\.example, through Google/,
      /If you use shop\.example/,
    ],
    [
      'a stranger whom nobody stops',
      { spfResults: [result(domain, 'fail')] },
      {},
      'stranger',
      /Somebody else/,
      /p=quarantine.*p=reject/,
    ],
    [
      'a stranger who was stopped',
      { disposition: 'reject', spfResults: [result('stranger.example', 'none')] },
      {},
      'stranger',
      /kept it from the inbox/,
      null,
    ],
    ['nothing was said', {}, {}, 'stranger', /Somebody else/, /p=quarantine/],
  ]
  for (const [name, fields, { isOwn = false, name: senderName = null }, kind, explanation, fix] of cases)
    it(name, () => {
      const found = findingOf(row(fields), { isOwn, name: senderName, records: 'the page lists' })
      expect(found.kind).to.equal(kind)
      expect(found.explanation)
        .to.match(explanation)
        .and.match(/^[A-Za-z].*\.$/)
      if (fix === null) expect(found.fix).to.equal(null)
      else expect(found.fix).to.match(fix)
    })

  const names = [
    ['o1.ptr123.sendgrid.net', 'SendGrid'],
    ['mail-io1-f170.google.com', 'Google'],
    ['a8-31.smtp-out.amazonses.com', 'Amazon SES'],
    ['mail-eur05on2041.outbound.protection.outlook.com', 'Microsoft 365'],
    ['mx.small.example', 'small.example'],
    ['mx.small.co.uk', 'small.co.uk'],
    ...inheritedNames.map((name) => [name, name] as const),
  ] as const
  for (const [host, name] of names) it(`${host} is of ${name}`, () => expect(senderNameOf(host)).to.equal(name))
})

describe('what a failure in a TLS report means', () => {
  for (const type of [...tlsFailureTypes, 'other'] as const)
    it(type, () => {
      for (const host of ['mx.own.example', null]) {
        const { explanation, fix } = tlsFindingOf(type, host)
        expect(explanation).to.match(/^[A-Za-z].*\.$/)
        expect(fix).to.match(/^[A-Za-z].*\.$/)
      }
    })
})
