import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { replyText } from '../../../mail/body/reply.ts'
import { signatures } from '../../score/signatures.ts'
import { expectLinear } from '../cost.ts'

const folder = new URL('../../fixtures/signatures/', import.meta.url)

/** Known to be wrong: a firm below "Best" in a list of offers; the sender's name and work, which somebody is to print. */
const known = ['varied vn-best-offer', 'varied n-3']

const jane = { name: 'Jane Doe', address: 'jane.doe@acme.example' }

const whole: readonly (readonly [name: string, text: string, expected: string])[] = [
  [
    'above quoted history',
    'Yes.\n\nBest,\nJane\n\nOn 1 May 2020 at 10:00, Ann <ann@x.example> wrote:\n> really?',
    'Yes.',
  ],
  [
    'below answers between quotations',
    '> One?\nYes.\n> Two?\nNo, never.\n\nKind regards\nJane Doe',
    'Yes.\nNo, never.',
  ],
  [
    'an answer between quotations stays, also when it is a name',
    '> Who signs?\nJane\n> When?\nFriday.',
    'Jane\nFriday.',
  ],
  [
    'above a forwarded message, which stays',
    'For you.\n\nBest,\nJane\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\ntext\n\nBest,\nAnn',
    'For you.\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\ntext\n\nBest,\nAnn',
  ],
  ['a formula above a marked signature', 'See you there.\n\nBest regards,\n\n-- \nJane Doe\nAcme', 'See you there.'],
  ['thanks above a marked signature stay', 'Can you come?\n\nThanks!\n\n-- \nJane Doe', 'Can you come?\n\nThanks!'],
  ['a signature above what a telephone adds', 'Done.\n\nJane\n\nSent from my iPhone', 'Done.'],
  ['a name and what is not known', 'We start on Monday.\n\nJane Doe\nBuchhaltung', 'We start on Monday.'],
  [
    'a name and what is not known, but asked about',
    'Who is on the list?\n\nJane Doe\nBuchhaltung',
    'Who is on the list?\n\nJane Doe\nBuchhaltung',
  ],
  ['below a short answer', 'Yes\n\nJane Doe\nAcme Ltd | +44 20 7946 0112', 'Yes'],
  ['below a short answer and the name', 'Great!\n\nJane\n\n*Jane Doe*\nSales, Acme Ltd\n\n[image: logo]', 'Great!'],
  ['a formula of a language that is not known', 'Nalimba ya mbala.\n\nNa bolingo,\nJane', 'Nalimba ya mbala.'],
  [
    'what a firm adds below a signature',
    'We start on Monday.\n\nJane Doe\nAcme Ltd\n+44 20 7946 0112\n\nBeware of fraud: we never ask for passwords. Call us first.',
    'We start on Monday.',
  ],
  [
    'words below a mere name stay, and so does the name',
    'We start on Monday.\n\nJane\n\nBeware of the dog. He bites.',
    'We start on Monday.\n\nJane\n\nBeware of the dog. He bites.',
  ],
  ['a signature that nothing stands above', 'Best regards,\nJane Doe\nAcme', 'Best regards,\nJane Doe\nAcme'],
  [
    'two lines with dashes, but code',
    'It is\n\n.a { color: red }\n--\n.b { color: blue }',
    'It is\n\n.a { color: red }\n--\n.b { color: blue }',
  ],
]

/** What programs on telephones and the like add, by themselves. */
const added: readonly string[] = [
  'Sent from my iPhone',
  'Von meinem iPhone gesendet',
  'Envoyé de mon iPhone',
  'Enviado desde mi iPhone',
  'Enviado do meu iPhone',
  'Inviato da iPhone',
  'Verstuurd vanaf mijn iPhone',
  'Skickat från min iPhone',
  'Sendt fra min iPhone',
  'Lähetetty iPhonesta',
  "Wysłane z iPhone'a",
  'Odesláno z iPhonu',
  'Odoslané z iPhonu',
  'Elküldve az iPhone-omról',
  'iPhone-ról küldve',
  'Trimis de pe iPhone',
  'Poslano s mog iPhonea',
  'Στάλθηκε από το iPhone μου',
  'Отправлено с iPhone',
  'Надіслано з iPhone',
  "iPhone'umdan gönderildi",
  'iPhone’umdan gönderildi',
  'נשלח מה-iPhone שלי',
  'مُرسل من الـ iPhone',
  'أُرسلت من الـ iPhone الخاص بي',
  'मेरे iPhone से भेजा गया',
  'ส่งจาก iPhone ของฉัน',
  'Đã gửi từ iPhone của tôi',
  'Dikirim dari iPhone saya',
  'Dihantar daripada iPhone saya',
  'iPhoneから送信',
  '나의 iPhone에서 보냄',
  '发自我的iPhone',
  '發自我的 iPhone',
  '從我的iPhone傳送',
  'Enviat des del meu iPhone',
  'Изпратено от моя iPhone',
  'Poslano iz mojega iPhona',
  "Saadetud minu iPhone'ist",
  'Nosūtīts no mana iPhone',
  'Išsiųsta iš mano „iPhone“',
  'Послато са мог iPhone-а',
  'Get Outlook for iOS',
  'Outlook für iOS beziehen',
  'Holen Sie sich Outlook für iOS',
  'Télécharger Outlook pour Android',
  'Obtenir Outlook pour iOS',
  'Obtener Outlook para iOS',
  'Obter o Outlook para iOS',
  'Baixar o Outlook para Android',
  'Scarica Outlook per iOS',
  'Ottieni Outlook per Android',
  'Outlook voor iOS downloaden',
  'Download Outlook voor Android',
  'Hämta Outlook för iOS',
  'Hent Outlook til iOS',
  'Skaff deg Outlook for iOS',
  'Hanki Outlook for iOS',
  'Pobierz program Outlook dla systemu iOS',
  'Získat Outlook pro iOS',
  'Скачать Outlook для iOS',
  'Получить Outlook для iOS',
  "iOS için Outlook'u edinin",
  'Outlook for iOS を入手',
  'iOS 版 Outlook を入手',
  'iOS용 Outlook 다운로드',
  '获取 Outlook for iOS',
  '取得 iOS 版 Outlook',
  'Отримати Outlook для Android',
  'Λήψη του Outlook για iOS',
  'Sent from Yahoo Mail for iPhone',
  'Sent from Yahoo Mail on Android',
  'Von Yahoo Mail auf Android gesendet',
  'Envoyé à partir de Yahoo Mail pour iPhone',
  'Sent from Mail for Windows 10',
  'Gesendet von Mail für Windows 10',
  'Provenance : Courrier pour Windows 10',
  'Enviado desde Correo para Windows 10',
  'Inviato da Posta per Windows 10',
  'Verzonden vanuit Mail voor Windows',
  'Sent from my Galaxy',
  'Von meinem Samsung Galaxy Smartphone gesendet.',
  'Gesendet von meinem Galaxy',
  'Envoyé depuis mon appareil Galaxy',
  'Inviato dal mio dispositivo Galaxy',
  'Sent via BlackBerry by AT&T',
  'Sent from my Verizon, Samsung Galaxy smartphone',
  'Sent from my BlackBerry 10 smartphone on the Rogers network.',
  'Sent with Proton Mail secure email.',
  'Gesendet mit Proton Mail',
  '发自我的华为手机',
  'Von meinem HUAWEI-Smartphone gesendet',
  'Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.',
  'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
  'Отправлено из мобильной Почты Mail.ru',
  'Enviado desde Outlook para Android',
  'Secured with Tuta Mail',
  'Sent with Sparrow (http://www.sparrowmailapp.com/?sig)',
  'Verzonden vanaf Outlook voor Android',
  'スマートフォンから送信',
  '私のiPhoneから送信',
  'Enviado do Yahoo Mail para iPhone',
  'Enviado desde mi dispositivo Samsung',
  'Skickat från Outlook för iOS',
  'Télécharger BlueMail pour Android',
  'Get BlueMail for Android',
  'Sent using Zoho Mail',
  'Enviado con Proton Mail',
  'Gesendet von Outlook für Android',
]
/** What somebody says in words like these. */
const said: readonly string[] = [
  'Sent the mail yesterday',
  'Sent you a mobile number',
  'I can’t get Outlook for iOS to work',
  'Did you get Outlook for Android?',
  'I sent it from my iPhone',
  'Ich habe das vom iPhone gesendet.',
  'Enviado el lunes',
  'Sent from the office to all customers yesterday, please check.',
  'I use Outlook for iOS',
  'Does Outlook for Android work?',
  'Sent it yesterday.',
  'The parcel was sent from Hamburg',
  'Get the car for Anna',
  'Download the file for Android',
  'Scarica il file',
  'Poslano včeraj',
  'Отправлено вчера',
  'Enviado ayer',
  'Envoyé hier',
  'Skickat igår',
  'Wysłane wczoraj',
  'Dikirim kemarin',
  'Trimis ieri',
  'Lähetetty eilen',
]

describe('mail/body/signature', () => {
  for (const line of added) it(`goes: ${line}`, () => expect(replyText(`Ok.\n\n${line}`)).to.equal('Ok.'))
  for (const line of said) it(`stays: ${line}`, () => expect(replyText(`Ok.\n\n${line}`)).to.contain(line))

  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const wrong = signatures(fileURLToPath(new URL(file, folder))).filter(({ isRight }) => !isRight)
    it(`labelled set ${file}`, () => {
      const unknown = wrong.filter(({ id }) => !known.includes(id))
      expect(unknown.map(({ id, difference }) => `${id}: ${difference}`)).to.deep.equal([])
    })
  }

  for (const [name, text, expected] of whole) it(name, () => expect(replyText(text, { from: jane })).to.equal(expected))

  it('takes linear time', () => {
    for (const piece of [
      'Best regards,\n',
      'Thanks\n\n',
      'Jane Doe\n',
      'a\n> b\n',
      'best kind best ',
      'Grüße ',
      '+1 555 0100 ',
      'a.b.',
      'a@',
      '*_',
      '[image',
      'P.S. a\n\n',
      'Dear Ann,\n',
      'This message is confidential, for the recipient.\n',
      'saludos cordiales y ',
      '   ',
      '-----\n',
      'Sent from my iPhone ',
      'Get Outlook for ',
    ]) {
      for (const end of ['', '\n\nBest,\nJane Doe\nAcme']) {
        const mail = (length: number) => `Hello\n${piece.repeat(length / piece.length)}${end}`
        expectLinear(piece, mail(256_000), (text) => replyText(text, { from: jane }), mail(32_000))
      }
    }
  })
})
