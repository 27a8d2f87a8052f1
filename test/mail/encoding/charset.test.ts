import { expect } from 'chai'
import iconv from 'iconv-lite'
import { readBody } from '../../../mail/body/body.ts'
import { findVerification } from '../../../mail/codes/verification.ts'
import { guessCharset } from '../../../mail/encoding/charset-guess.ts'
import { limits } from '../../../mail/limits.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { charset } from '../../score/charset.ts'
import { message, wire } from '../fixtures.ts'

/** The text of a message with these bytes as its body. */
function textOf(type: string, bytes: Uint8Array): string {
  const header = `Content-Type: ${type}\nContent-Transfer-Encoding: base64\n\n`
  const raw = message(header + Buffer.from(bytes).toString('base64'))
  return readBody(raw, parseMessage(raw)).text
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const mixed = Buffer.concat([Buffer.from('Ваш код подтверждения: 482913. '), latin1('Best regards \xff')])

const cases: readonly (readonly [name: string, charset: string, bytes: Uint8Array, text: string])[] = [
  ['one bad byte in UTF-8', 'utf-8', mixed, 'Ваш код подтверждения: 482913. Best regards \ufffd'],
  ['the same without a label', '', mixed, 'Ваш код подтверждения: 482913. Best regards \ufffd'],
  ['UTF-8 cut inside its last character', 'utf8', Buffer.from('Grüße für Käse').subarray(0, 15), 'Grüße für K\ufffd'],
  ['windows-1252 that claims UTF-8', 'utf-8', latin1('caf\xe9 \x80 5'), 'café € 5'],
  ['Korean that only Windows has', 'ks_c_5601-1987', latin1('\x8c\x63\xb9\xe6\xb0\xa2\xc7\xcf'), '똠방각하'],
  ['the same by another name', 'x-windows-949', latin1('\x8c\x63'), '똠'],
  ['Big5 with Hong Kong characters', 'big5', latin1('\xa7\x41\x88\x56\xf9\xd6'), '你Ā碁'],
  ['UTF-16 with a mark', 'utf-16', latin1('\xfe\xff\0G\0r\0\xfc'), 'Grü'],
  ['UTF-16 without one, big end first', 'utf-16', latin1('\0G\0r\0\xfc'), 'Grü'],
  ['UTF-16 without one, little end first', 'utf-16', latin1('G\0r\0\xfc\0'), 'Grü'],
  ['UTF-16 that claims something else', 'iso-8859-1', Buffer.from('\ufeffGrü', 'utf16le'), 'Grü'],
  ['UTF-16 that is none', 'utf-16', Buffer.from('Grüße an alle'), 'Grüße an alle'],
  ['a mark of UTF-8 under latin1', 'iso-8859-1', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['letters that look like a mark', 'iso-8859-1', latin1('\xff\xfe and more'), 'ÿþ and more'],
  ['HZ (RFC 1843)', 'hz-gb-2312', latin1('Say ~{<:Ky2;R*~} ~~ twi~\nce'), 'Say 己所不要 ~ twice'],
  ['ISO-2022-KR (RFC 1557)', 'iso-2022-kr', latin1('\x1b$)C\x0e0!\x0f and\n0!'), '가 and\n0!'],
  ['ISO-2022-JP without a label', '', latin1('\x1b$B$3$s\x1b(B'), 'こん'],
  ['ISO-2022-JP of Microsoft', 'cp50221', latin1('\x1b$B$3$s-!\x1b(B'), 'こん①'],
  ['a Mac', 'x-mac-ce', latin1('\x8a\x8e'), 'äé'],
  ['DOS', 'dos-866', latin1('\x8f\xe0\xa8'), 'При'],
  ['nothing anybody knows', 'x-user-defined', Buffer.from('Grüße'), 'Grüße'],
  ['the name of a property', 'constructor', latin1('caf\xe9'), 'café'],
]

/** Texts as mail has them, by the charsets that their languages were written in. */
const unlabelled: readonly (readonly [charsets: string, texts: readonly string[]])[] = [
  [
    'windows-1251 koi8-r iso-8859-5 cp866 maccyrillic',
    ['Привет, как дела?', 'Счёт на оплату', 'Добрый день! Высылаю вам договор на подпись. С уважением, Иван Петров'],
  ],
  ['windows-1251 koi8-r', ['СРОЧНО: ПОДТВЕРДИТЕ ЗАКАЗ', 'Re: Отчёт Q3 (PDF, 12 MB) от Acme GmbH']],
  ['windows-1251 koi8-u', ['Доброго ранку', 'Шановні колеги, надсилаю вам звіт за тиждень. Її підпис потрібен.']],
  ['windows-1251', ['Здравейте, изпращам ви фактурата за месец март.', 'Фактура за март']],
  [
    'windows-1253 iso-8859-7',
    ['Καλημέρα σας', 'Επιβεβαίωση παραγγελίας', 'Παρακαλώ επιβεβαιώστε την παραλαβή. Με εκτίμηση'],
  ],
  [
    'windows-1256 iso-8859-6',
    ['مرحبا بكم', 'تأكيد الحجز', 'السلام عليكم ورحمة الله وبركاته، أرسل لكم الفاتورة المطلوبة'],
  ],
  ['windows-1255 iso-8859-8', ['שלום לכולם', 'אישור הזמנה', 'מצורפת החשבונית לחודש מרץ. נא לאשר קבלה בהקדם']],
  ['windows-874', ['สวัสดีครับ', 'ยืนยันการจอง', 'ขอแจ้งให้ทราบว่าคำสั่งซื้อของท่านได้รับการยืนยันแล้ว']],
  [
    'shift_jis euc-jp',
    [
      'こんにちは',
      'ご注文の確認',
      '会議の日程について',
      'お支払いのお知らせ（テスト）',
      'いつもお世話になっております。',
    ],
  ],
  ['cp949', ['안녕하세요', '주문 확인', '회의 일정 안내', '지난번에 요청하신 견적서를 보내드립니다. 감사합니다.']],
  ['gbk', ['您好', '订单确认', '关于下周会议的通知', '尊敬的客户，您的订单已经发货，请注意查收。']],
  ['big5', ['您好', '訂單確認', '關於下週會議的通知', '親愛的客戶，您的訂單已經出貨，請注意查收。']],
  ['windows-1250', ['Dzień dobry, przesyłam fakturę za zeszły miesiąc. Pozdrawiam, Łukasz', 'Příliš žluťoučký kůň']],
  ['windows-1254', ['Günaydın İstanbul', 'Lütfen alındığını onaylayın. Saygılarımla, Şükrü Yıldız']],
  [
    'windows-1252',
    [
      'Résumé',
      'Réunion décalée à février',
      'L’été dernier à Orléans',
      'Grüße aus Köln',
      'für',
      '¿Cómo estás?',
      'ESPAÑA',
    ],
  ],
  [
    'windows-1252',
    ['Não há informação', 'Hälsningar från Malmö', 'Smørrebrød på fredag', 'Kær kveðja, Þórður', 'À É È'],
  ],
  [
    'windows-1252',
    ['“Quoted” text – with dashes…', 'Price: 25 € (incl. VAT)', 'It’s 20° outside', '£5 • ½ off', '© Acme® Corp™'],
  ],
]

/** Texts under a label that says something else, and what is read; the others are what their label says. */
const mislabelled: readonly (readonly [name: string, charset: string, bytes: Uint8Array, text: string])[] = [
  ['UTF-8 that claims Latin-1', 'iso-8859-1', Buffer.from('Grüße'), 'Grüße'],
  ['UTF-8 that claims Windows', 'windows-1252', Buffer.from('It’s 25 €'), 'It’s 25 €'],
  ['UTF-8 of another script', 'iso-8859-15', Buffer.from('Привет'), 'Привет'],
  ['UTF-8 of two letters', 'iso-8859-2', Buffer.from('Őz'), 'Őz'],
  ['UTF-8 that claims Cyrillic', 'windows-1251', Buffer.from('Счёт'), 'Счёт'],
  ['UTF-8 that claims KOI8', 'koi8-r', Buffer.from('Grüße aus Köln'), 'Grüße aus Köln'],
  ['UTF-8 that claims Chinese', 'gb2312', Buffer.from('订单确认'), '订单确认'],
  ['UTF-8 that claims Japanese', 'shift_jis', Buffer.from('ご注文'), 'ご注文'],
  ['Cyrillic that claims UTF-8', 'utf-8', iconv.encode('Счёт на оплату', 'windows-1251'), 'Счёт на оплату'],
  ['Cyrillic that claims ASCII', 'us-ascii', iconv.encode('Счёт на оплату', 'koi8-r'), 'Счёт на оплату'],
  ['Japanese of a label nobody knows', 'unknown-8bit', iconv.encode('ご注文の確認', 'shift_jis'), 'ご注文の確認'],
  ['a capital and a sign', 'iso-8859-1', latin1('NESCAF\xc9\xae'), 'NESCAFÉ®'],
  ['a letter and a quotation mark', 'iso-8859-1', latin1('\xbbGru\xdf\xab'), '»Gruß«'],
  ['Latin-1', 'iso-8859-1', latin1('Gr\xfc\xdfe'), 'Grüße'],
  ['a Russian word that could be UTF-8', 'koi8-r', iconv.encode('её', 'koi8-r'), 'её'],
  ['Russian', 'koi8-r', iconv.encode('Моё', 'koi8-r'), 'Моё'],
  ['Chinese that could be UTF-8', 'gbk', iconv.encode('联通', 'gbk'), '联通'],
  ['Chinese', 'gb2312', iconv.encode('订单确认', 'gbk'), '订单确认'],
  ['Russian under a Western label', 'iso-8859-1', iconv.encode('Да', 'windows-1251'), 'Äà'],
]

const inHeader: readonly (readonly [name: string, header: Buffer, read: string])[] = [
  ['8-bit fields', iconv.encode('Subject: Счёт на оплату\r\nX: Привет\r\n\r\n', 'windows-1251'), 'Счёт на оплату'],
  ['8-bit fields of a message with a text', iconv.encode('Subject: Счёт\r\n\r\nДобрый день, Иван!', 'koi8-r'), 'Счёт'],
  ['8-bit fields in Chinese', iconv.encode('Subject: 关于下周会议的通知\r\n\r\n', 'gbk'), '关于下周会议的通知'],
  ['Western 8-bit fields', iconv.encode('Subject: Réunion décalée\r\n\r\n', 'latin1'), 'Réunion décalée'],
  [
    'the label of the text before a guess',
    iconv.encode('Subject: Äà\r\nContent-Type: text/plain; charset=iso-8859-15\r\n\r\n', 'latin1'),
    'Äà',
  ],
  [
    'words of a label nobody knows',
    Buffer.from(`Subject: =?x-unknown?B?${iconv.encode('Счёт на оплату', 'koi8-r').toString('base64')}?=\r\n\r\n`),
    'Счёт на оплату',
  ],
  [
    'words that claim UTF-8',
    Buffer.from(
      `Subject: a =?utf-8?b?${iconv.encode('ご注文の確認', 'euc-jp').toString('base64')}?= =?utf-8?q?b?=\r\n\r\n`,
    ),
    'a ご注文の確認b',
  ],
  ['UTF-8 that claims Latin-1', Buffer.from('Subject: =?iso-8859-1?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\n'), 'Grüße'],
  ['Western words of a label nobody knows', Buffer.from('Subject: =?x-unknown?Q?caf=E9?=\r\n\r\n'), 'café'],
]

describe('mail/encoding/charset: without a label, or a wrong one', () => {
  for (const [charsets, texts] of unlabelled) {
    for (const charset of charsets.split(' '))
      it(`tells ${charset} by its bytes: ${texts[0]}`, () => {
        for (const text of texts) {
          const bytes = iconv.encode(text, charset)
          const written = iconv.decode(bytes, charset)
          expect(textOf('text/plain', bytes)).to.equal(written)
          const markup = Buffer.from(`<p class="a">${'<br>\n'.repeat(50)}</p><p>`)
          expect(textOf('text/html', Buffer.concat([markup, bytes, Buffer.from('</p>')]))).to.equal(written)
        }
      })
  }
  for (const [name, charset, bytes, text] of mislabelled)
    it(name, () => expect(textOf(`text/plain; charset=${charset}`, bytes)).to.equal(text))

  for (const [name, header, subject] of inHeader)
    it(`in a header: ${name}`, () => expect(parseMessage(header).subject).to.equal(subject))

  it('names of people and of files are in the charset that was guessed', () => {
    const raw = iconv.encode(
      'From: Иван Петров <i@x.example>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n' +
        'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="Счёт.pdf"\r\n\r\nx\r\n--b--\r\n',
      'windows-1251',
    )
    const { from, attachments } = parseMessage(raw)
    expect([from?.name, attachments[0]?.name]).to.deep.equal(['Иван Петров', 'Счёт.pdf'])
  })

  it('reads the labelled bytes, but for words that are too short to tell', () => {
    const wrong = charset('test/fixtures/charsets/cases.json').filter(({ isRight }) => !isRight)
    expect(wrong.map(({ id }) => id)).to.deep.equal([
      '95 iso-8859-2',
      '132 windows-1253',
      '140 windows-1255',
      '151 euc-jp',
      '161 cp949',
      '224 windows-1250',
      '225 windows-1250',
      '232 iso-8859-2',
      '233 windows-1254',
      '234 windows-1254',
    ])
  })

  it('looks at the beginning alone of a text without end', () => {
    const text = iconv.encode('Привет, как дела? '.repeat(500_000), 'koi8-r')
    expect(guessCharset(text)).to.equal('koi8-r')
    expect(guessCharset(Buffer.concat([Buffer.alloc(limits.guessedBytesMax, 'a\n'), text]))).to.equal('windows-1252')
  })
})

describe('mail/encoding/charset', () => {
  for (const [name, charset, bytes, text] of cases)
    it(name, () => expect(textOf(`text/plain${charset && `; charset=${charset}`}`, bytes)).to.equal(text))

  it('a bad byte does not hide a code', () => {
    const raw = Buffer.concat([wire('Subject: x\nContent-Type: text/plain; charset=utf-8\n\n'), mixed])
    expect(findVerification(raw, parseMessage(raw))?.codes.map(({ value }) => value)).to.deep.equal(['482913'])
  })

  it('HTML that says ASCII and is not is asked for its charset', () => {
    const html = latin1('<meta charset="windows-1251"><p>\xcf\xf0\xe8')
    expect(textOf('text/html; charset=us-ascii', html)).to.equal('При')
  })
})
