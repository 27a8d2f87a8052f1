import { expect } from 'chai'
import { quickSnippet } from '../../mail/body/body.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { leastMs } from './cost.ts'
import { message } from './fixtures.ts'

const header = `Received: from mail.y.example (mail.y.example [192.0.2.7])
\tby mx.x.example with ESMTPS id 4ABCDEF; Thu, 29 Feb 2024 12:00:00 +0000
DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=y.example; s=s1;
\th=from:to:subject:date; bh=${'A'.repeat(43)}=; b=${'B'.repeat(340)}
From: =?utf-8?Q?J=C3=B6rg_M=C3=BCller?= <joerg@y.example>
To: "Doe, Ann" <ann@x.example>, bob@x.example
Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=
Date: Thu, 29 Feb 2024 12:00:00 +0100
Message-ID: <20240229120000.1@y.example>
In-Reply-To: <1@x.example>
References: <0@x.example> <1@x.example>
MIME-Version: 1.0
`

const body = 'A line of ordinary text, as people write it every day.\n'
const messages = {
  'plain text': `${header}Content-Type: text/plain; charset=utf-8\n\n${body.repeat(56)}`,
  alternative:
    `${header}Content-Type: multipart/alternative; boundary="=_b"\n\n--=_b\nContent-Type: text/plain; charset=utf-8\n` +
    `Content-Transfer-Encoding: quoted-printable\n\n${body.repeat(25)}\n--=_b\nContent-Type: text/html; charset=utf-8\n` +
    `Content-Transfer-Encoding: quoted-printable\n\n<p>${body.repeat(25)}</p>\n--=_b--\n`,
  'HTML alone': `${header}Content-Type: text/html; charset=utf-8\n\n<html><body>${`<p style=3D"color:#333">${body}</p>`.repeat(32)}</body></html>\n`,
}

/** As often as an arriving message costs as much as a loop over its bytes; measured were 25 to 80 times. */
const passesMax = 200
const batch = 200
/** Passes over the bytes for each batch: one batch of them is over before the system's clock of processor time has ticked. */
const passes = 20
const tries = 7

describe('mail: time per arriving message of 4 KB', () => {
  for (const [name, text] of Object.entries(messages)) {
    it(name, function () {
      const raw = message(text)
      expect(raw.length).to.be.within(3600, 4800)
      const times = (count: number, work: (raw: Buffer) => unknown) => () => {
        for (let n = 0; n < count; n++) work(raw)
      }
      const arriving = times(batch, (bytes) => quickSnippet(bytes, parseMessage(bytes)))
      arriving()
      const arrivingMs = leastMs(tries, arriving)
      const passingMs = leastMs(tries, times(passes * batch, sumOf)) / passes
      const microseconds = Math.round((arrivingMs * 1_000) / batch)
      if (this.test) this.test.title = `${name}: ${microseconds} µs`
      expect(arrivingMs / passingMs).to.be.below(passesMax)
    })
  }
})

function sumOf(bytes: Buffer): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum = (sum * 31 + bytes[at]!) | 0
  return sum
}
