import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readBody } from '../../../mail/body/body.ts'
import { visibleText } from '../../../mail/body/html-text.ts'
import { mayMarkParts, partKindOf } from '../../../mail/body/mail-markup.ts'
import { type ReplyOptions, readReply, replyText, withoutQuotes } from '../../../mail/body/reply.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { inheritedNames } from '../../inherited-names.ts'
import { labelledTexts, reply, replyCase, replyOutcome } from '../../score/reply.ts'
import { expectLinear } from '../cost.ts'

const folder = new URL('../../fixtures/replies/', import.meta.url)
const labelled = labelledTexts(fileURLToPath(new URL('reply-text.json', folder)))

/** Exact matches that must not be lost; what is missing are signatures, which the label makers keep and we cut. */
const floors: Readonly<Record<string, number>> = { 'talon-text': 51, 'talon-eml': 10, crisp: 45 }
/** The same of the sets of this project, in 35 languages and of 45 mail programs: what the rules were made with, and what was written before them. */
const ownSets: Readonly<Record<string, number>> = {
  'languages-tuned': 1,
  'languages-held-out': 0.98,
  'clients-tuned': 1,
  'clients-held-out': 0.95,
  'both-parts': 1,
}

const languages: readonly (readonly [name: string, text: string, expected: string])[] = [
  ['Spanish', 'Sí.\n\nEl mié, 5 mar 2014 a las 10:20, Juan (<j@x.example>) escribió:\n\nHola', 'Sí.'],
  [
    'French, wrapped',
    'Oui.\n\nLe ven. 3 avr. 2020 à 10:00, Jean <j@x.example> a\nécrit :\n\n> x\n\nÀ demain',
    'Oui.\n\nÀ demain',
  ],
  ['German', 'Ja.\n\nAm Mo., 3. Feb. 2020 um 10:00 Uhr schrieb Max Muster <\nmax@x.example>:\n\n> Hallo', 'Ja.'],
  ['Portuguese', 'Sim.\n\nEm seg, 3 de fev de 2020 às 10:00, Ana <a@x.example> escreveu:\n\n> Olá', 'Sim.'],
  ['Italian', 'Sì.\n\nIl giorno lun 3 feb 2020 alle ore 10:00 Ugo <u@x.example> ha scritto:\n\n> Ciao', 'Sì.'],
  [
    'Dutch',
    'Ja.\n\nVan: Piet <p@x.example>\nVerzonden: maandag 3 februari 2020 10:00\nAan: Jan\nOnderwerp: x\n\noud',
    'Ja.',
  ],
  ['Russian', 'Да.\n\n3 февраля 2020 г., 10:00 Иван <i@x.example> написал:\n\n> Привет', 'Да.'],
  ['Chinese', '好的\n\n在 2020年5月6日，下午3:00，张三 <z@x.example> 写道：\n\n原文', '好的'],
  [
    'Chinese header block',
    '好的\n\n发件人: 张三 <z@x.example>\n发送时间: 2020年5月6日\n收件人: 李四\n主题: 回复\n\n原文',
    '好的',
  ],
  ['Japanese', '了解です。\n\n2015年3月2日 15:20 山田太郎 <y@x.example>:\n\n> 原文', '了解です。'],
  [
    'Japanese header block',
    '了解です。\n\n差出人: 山田 <y@x.example>\n送信日時: 2020/05/06 10:00\n宛先: 鈴木\n件名: x\n\n原文',
    '了解です。',
  ],
  ['Polish', 'Tak.\n\nW dniu 3.02.2020 o 10:00, Jan pisze:\n> Cześć', 'Tak.'],
  ['Turkish', 'Evet.\n\nAli <a@x.example>, 3 Şub 2020 Pzt, 10:00 tarihinde şunu yazdı:\n\n> Merhaba', 'Evet.'],
]

const rules: readonly (readonly [name: string, text: string, expected: string])[] = [
  [
    'keeps a line with a time above an attribution',
    'See you at 10:30\n\nOn Mon, 5 Jan 2026 at 10:00, Ann <a@x.example> wrote:\n> when?\n',
    'See you at 10:30',
  ],
  [
    'keeps a line with an amount above an attribution',
    'Total amount to pay: EUR 99.90\n\nOn Mon, Ann wrote:\n> how much?\n',
    'Total amount to pay: EUR 99.90',
  ],
  [
    'takes an attribution that goes on after an empty line as one',
    'Yes\n\nOn Wed, Apr 4, 2012\n\nat 3:59 PM, Bob wrote:\n> ok?\n',
    'Yes',
  ],
  ['answers between quotations stay', '> question one?\nyes\n> question two?\nno\n', 'yes\nno'],
  ['an answer below stays', 'On 1 May 2020 at 10:00, Ann wrote:\n> old\n\nnew', 'new'],
  ['a signature goes, history behind it too', 'Hi\n\n-- \nAnn\n+1 555\n\nOn 1 May 2020, Bob wrote:\n> old', 'Hi'],
  [
    'a ruler that opens no signature stays',
    `Hi\n--\n${'long text\n'.repeat(20)}end`,
    `Hi\n--\n${'long text\n'.repeat(20)}end`,
  ],
  [
    'mobile signatures go',
    'Merci\n\nEnvoyé de mon iPhone\n\n> Le 3 mars 2020 à 10:00, A <a@b.example> a écrit :\n> \n> x',
    'Merci',
  ],
  [
    'Outlook for mobile',
    'Hi\n\nGet Outlook for iOS<https://aka.ms/x>\n________________________________\nFrom: a@b.example\nSent: Monday\nTo: c\nSubject: d\n\nold',
    'Hi',
  ],
  [
    'a forwarded message stays',
    'FYI\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\ntext',
    'FYI\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\ntext',
  ],
  [
    'a message forwarded without a word stays',
    'From: a@b.example\nSent: Monday\nTo: c\nSubject: d\n\ntext',
    'From: a@b.example\nSent: Monday\nTo: c\nSubject: d\n\ntext',
  ],
  [
    'a story with dates stays',
    'On 12 May 2020 we met.\nThe boss wrote:\nplease come at 10:30\nBye',
    'On 12 May 2020 we met.\nThe boss wrote:\nplease come at 10:30\nBye',
  ],
  [
    'a list with labels stays',
    'Meeting:\n\nDate: 3 May\nTime: 10:00\nPlace: here',
    'Meeting:\n\nDate: 3 May\nTime: 10:00\nPlace: here',
  ],
  [
    'history as Notes lays it out goes',
    'Approved.\n\nJane Doe <jane@x.example>\n\n03/04/2025 10:12 AM\n\nTo\nTom Reed\ncc\nSubject\nApproval\n\nplease approve',
    'Approved.',
  ],
  [
    'an address and a time stay',
    'Write to\n\nJane Doe <jane@x.example>\n03/04/2025 10:12 AM\nat the latest',
    'Write to\n\nJane Doe <jane@x.example>\n03/04/2025 10:12 AM\nat the latest',
  ],
  ['a tree stays', 'It has\n\n|-- src\n|-- test\n', 'It has\n\n|-- src\n|-- test'],
  ['a command on several lines stays', 'Try\n\ncat a\n| grep b\n| sort', 'Try\n\ncat a\n| grep b\n| sort'],
  ['what is typed at a prompt stays', 'Do\n\nSQL> select 1;\nSQL> exit', 'Do\n\nSQL> select 1;\nSQL> exit'],
  ['one line behind a bar stays', 'See\n\n| this', 'See\n\n| this'],
  ['one line behind a bar below an attribution goes', 'No.\n\nAnn wrote:\n\n| Will you?', 'No.'],
  ['quotations alone leave nothing', '> old\n> older', ''],
  ['nothing', '', ''],
]

/** `[` and `]` stand where quoted history begins and ends. */
const ranges: readonly (readonly [name: string, marked: string])[] = [
  ['history below', 'Yes \u{1f44d}\n\n[On 1 May 2020 at 10:00, Ann wrote:\n> old\n> older]'],
  ['history and more of it', 'Yes\n\n[> a\n\nOn 1 May 2020 at 10:00, Ann wrote:\n> b]'],
  ['answers between quotations', '[> one?\n]yes\n[> two?\n\n]no'],
  ['a signature between', 'Yes\n\n-- \nAnn\n\n[-----Original Message-----\nold]'],
  ['an attribution on the line of the answer', 'reply[ On Wed, Apr 4, 2012 at 3:59 PM, b@x.example wrote:\n> Hi]'],
  ['a forwarded message', 'FYI\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\n> text'],
  ['a message forwarded without a word', 'From: a@b.example\nSent: Monday\nTo: c\n\ntext'],
  ['nothing quoted', 'Yes'],
  ['nothing', ''],
]

/** The same in the text that is seen of HTML. */
const htmlRanges: readonly (readonly [name: string, html: string, marked: string])[] = [
  [
    'what a program holds its quotation in',
    '<div>Ja</div><div class="gmail_quote"><div class="gmail_attr">Xyz 1.2.2025 Ann:<br></div><blockquote class="gmail_quote">old</blockquote></div>',
    'Ja\n[Xyz 1.2.2025 Ann:\n> old]',
  ],
  [
    'answers in it',
    '<div class="gmail_quote"><div class="gmail_attr">Ann:</div><blockquote type="cite">1?</blockquote><div>one</div><blockquote type="cite">2?</blockquote></div>',
    '[Ann:\n> 1?\n]one\n[> 2?]',
  ],
  [
    'a line drawn above the message',
    '<p>Yes</p><hr><div id="divRplyFwdMsg"><b>Xx:</b> Ann<br><b>Yy:</b> Bob</div><p>old</p>',
    'Yes\n\n[________________________________\nXx: Ann\nYy: Bob\n\nold]',
  ],
  ['a signature', '<div>Yes</div><div class="gmail_signature">Ann</div>', 'Yes\nAnn'],
  [
    'moved to the right',
    '<div>See:</div><blockquote style="margin:0 0 0 40px;border:none">this</blockquote>',
    'See:\nthis',
  ],
]

const owa = '<hr><div id="divRplyFwdMsg"><b>From:</b> Ann<br><b>Sent:</b> Monday<br><b>To:</b> Bob</div><p>old</p>'

const htmlReplies: readonly (readonly [name: string, html: string, expected: string])[] = [
  [
    'a quotation as Word writes it goes',
    "<p>Yes</p><blockquote style='border:none;border-left:solid #CCCCCC 1.0pt;margin-left:4.8pt'><p>old</p></blockquote>",
    'Yes',
  ],
  [
    'an answer below a message that holds a message by another program stays',
    `<div>Yes</div><div class="gmail_quote"><div class="gmail_attr">Ann:</div><blockquote class="gmail_quote">${owa}</blockquote></div><div>below</div>`,
    'Yes\nbelow',
  ],
  [
    'an answer below a quotation behind a line stays',
    '<div>Yes</div><div>On 1 May 2020 at 10:00, Ann &lt;ann@x.example&gt; wrote:</div><div style="border-left:2px solid red">old</div><div>below</div>',
    'Yes\nbelow',
  ],
  [
    'an answer in the place of the signature stays',
    `<div id="Signature"><div>I write here.</div></div>${owa}`,
    'I write here.',
  ],
  ['what a telephone adds is no answer', `<div id="ms-outlook-mobile-signature">Get Outlook for iOS</div>${owa}`, ''],
  ['text that was copied with its markup stays', '<div class="gmail_quote"><p>A letter.</p></div>', 'A letter.'],
  [
    'text below a line stays',
    '<p>One.</p><hr><p>This is the second part.</p>',
    'One.\n\n________________________________\n\nThis is the second part.',
  ],
]

function shownRanges(text: string, options: ReplyOptions = {}): string {
  const { quoted } = readReply(text, options)
  const shown = [...quoted].reverse().reduce(
    (all, [start, end]) => {
      return [...all.slice(0, start), '[', ...all.slice(start, end), ']', ...all.slice(end)]
    },
    [...text],
  )
  return shown.join('')
}

describe('mail/body/reply', () => {
  for (const [set, floor] of Object.entries(floors)) {
    it(`labelled set ${set}: at least ${floor} exact matches`, function () {
      const cases = labelled.filter((each) => each.set === set)
      const right = cases.filter((each) => replyOutcome(replyCase(each)).isRight)
      const title = `labelled set ${set}: ${right.length} of ${cases.length} exact`
      if (this.test) this.test.title = title
      expect(right.length, title).to.be.at.least(floor)
    })
  }
  for (const [set, least] of Object.entries(ownSets)) {
    it(`labelled set ${set}: at least ${100 * least} %`, () => {
      const outcomes = reply(fileURLToPath(new URL(`${set}.json`, folder)))
      const wrong = outcomes.filter(({ isRight }) => !isRight).map(({ id, difference }) => `${id}: ${difference}`)
      expect(1 - wrong.length / outcomes.length, wrong.join('; ')).to.be.at.least(least)
    })
  }
  for (const [name, text, expected] of languages)
    it(`cuts history in ${name}`, () => expect(replyText(text)).to.equal(expected))
  for (const [name, text, expected] of rules) it(name, () => expect(replyText(text)).to.equal(expected))

  for (const [name, marked] of ranges) {
    it(`quoted ranges: ${name}`, () => {
      expect(shownRanges(marked.replace(/[[\]]/g, ''))).to.equal(marked)
    })
  }
  for (const [name, html, expected] of htmlReplies) it(name, () => expect(replyText('', { html })).to.equal(expected))
  for (const [name, html, marked] of htmlRanges) {
    it(`quoted ranges of HTML: ${name}`, () => {
      expect(shownRanges(visibleText(html).text, { html })).to.equal(marked)
    })
  }

  for (const file of readdirSync(new URL('html-replies/', folder)).filter((name) => !name.endsWith('.json'))) {
    const raw = readFileSync(new URL(`html-replies/${file}`, folder))
    it(`as mail programs write it: ${file}`, () => {
      const parsed = parseMessage(raw)
      const { text, html } = readBody(raw, parsed)
      const found = file.endsWith('.html')
        ? replyText('', { html: raw.toString() })
        : replyText(text, { html, from: parsed.from })
      expect(found).to.match(/^(?:Reply|Hello|Hi\b[\s\S]{0,400}|Hi\. I am fine\.\s+Thanks,\s+Alex)$/)
      expect(found).to.not.match(/How are you|Sasha|Subject:|wrote:|написал/)
    })
  }

  it('marks nothing by a name that every object has', () => {
    for (const name of inheritedNames) expect(partKindOf('a', { name }), name).to.equal(null)
  })

  it('cuts the signature that Gmail marks', () => {
    expect(replyText('', { html: '<div>Hi</div><div class="gmail_signature">Ann<br>+1 555</div>' })).to.equal('Hi')
  })

  it('takes linear time', () => {
    for (const piece of [
      '\n',
      '--\n',
      '> \n\n',
      'a\n--\n',
      'On 12 May 2020 at 10:00\n',
      'From: x\n',
      '12:30 a@b\n',
      'wrote:\n',
      '____\n',
      ' ',
      '- On ',
      '| a\n',
      'JD> a\n',
      'Ann <a@b.example> 4/3/2025 10:12\n',
      'Quoting ',
      'schrieb ',
    ]) {
      expectLinear(piece, piece.repeat(256_000 / piece.length), (text) => replyText(text))
    }
  })

  it('knows the markup of HTML beside plain text by any sign of it', () => {
    const marks = [
      '<div class="gmail_attr">',
      '<sign>',
      '<div id=sig1234>',
      '<div data-marker="__QUOTED_TEXT__">',
      '<p id="reply-intro">',
    ]
    expect(marks.filter((html) => !mayMarkParts(html))).to.deep.equal([])
    expect(mayMarkParts('<p class="MsoNormal">A letter.</p>')).to.equal(false)
  })

  it('takes as many lines as it looks at', () => {
    const text = `${'a\n'.repeat(120_000)}> b`
    expect(withoutQuotes(text).length).to.equal(239_999)
  })

  it('takes linear time for HTML', () => {
    for (const piece of [
      '<div class=gmail_quote>a',
      '<div class=gmail_quote>a</div>b',
      '<blockquote>a</blockquote>b:',
      '<hr id=zwchr>a',
      '<div style="border-top:1px solid">Ab: a@b.example 10:12</div>',
      '<div id=signature>a</div>b',
    ]) {
      expectLinear(piece, piece.repeat(128_000 / piece.length), (html) => readReply('', { html }))
    }
  })

  it('takes linear time for plain text beside HTML', () => {
    const htmlBeside = ({ length }: string) => `<div id=signature>${'ab<br>'.repeat(length / 3)}</div>`
    for (const piece of ['ab\n', 'abab ab\n', 'b\n', '> a\n', 'On 1 May 2020 10:00 a@b.example\n'])
      expectLinear(piece, piece.repeat(128_000 / piece.length), (text) => readReply(text, { html: htmlBeside(text) }))
  })
})
