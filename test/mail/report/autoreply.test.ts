import { expect } from 'chai'
import { readHeaders } from '../../../mail/message/headers.ts'
import { isAutomatic } from '../../../mail/report/autoreply.ts'

const cases: readonly (readonly [name: string, header: string, path: string | null, automatic: boolean])[] = [
  ['a person', 'From: a@x.example\nSubject: x', 'a@x.example', false],
  ['Auto-Submitted: no', 'Auto-Submitted: no', 'a@x.example', false],
  ['auto-replied', 'Auto-Submitted: auto-replied; owner-email="a@x.example"', 'a@x.example', true],
  ['auto-generated', 'auto-submitted: Auto-Generated', 'a@x.example', true],
  ['an unknown keyword', 'Auto-Submitted: x-robot', 'a@x.example', true],
  ['the null sender', 'From: a@x.example', '', true],
  ['the null sender in brackets', 'From: a@x.example', '<>', true],
  ['the null sender in Return-Path', 'Return-Path: <>', null, true],
  ['no envelope known', 'From: a@x.example', null, false],
  ['bulk', 'Precedence: bulk', 'a@x.example', true],
  ['first-class precedence', 'Precedence: first-class', 'a@x.example', false],
  ['a list', 'List-Id: <l.x.example>', 'a@x.example', true],
  ['a delivery report', 'Content-Type: multipart/report; report-type=delivery-status; boundary=a', 'a@x.example', true],
  ['Exchange says no', 'X-Auto-Response-Suppress: OOF, AutoReply', 'a@x.example', true],
  ['mailer-daemon', 'From: MAILER-DAEMON@x.example', 'a@x.example', true],
  ['noreply', 'From: "Shop" <no-reply@x.example>', 'a@x.example', true],
  ['no_reply', 'From: no_reply@x.example', 'a@x.example', true],
  ['do.not_reply', 'From: a@x.example', 'do.not_reply+7@x.example', true],
  ['auto-replied behind a comment', 'Auto-Submitted: (away) auto-replied', 'a@x.example', true],
  ['an owner', 'From: a@x.example', 'owner-list@x.example', true],
  ['a list bounce address', 'From: a@x.example', 'list-bounces+ann=y.example@x.example', true],
  ['a name that only looks like it', 'From: noreplyson@x.example', 'bouncester@x.example', false],
]

describe('mail/report/autoreply', () => {
  for (const [name, header, path, automatic] of cases) {
    it(name, () => {
      const { fields } = readHeaders(Buffer.from(`${header.replaceAll('\n', '\r\n')}\r\n\r\n`))
      expect(isAutomatic(fields, path)).to.equal(automatic)
    })
  }
})
