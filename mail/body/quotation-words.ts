/**
 * The words that mail programs write around quoted messages, in the languages of their translations.
 * A new language needs its verb, its header labels and its marks here, and nothing elsewhere.
 */

export type Role = 'from' | 'date' | 'to' | 'cc' | 'subject'

/** The words that an attribution begins with. */
export const leadIn =
  /^(?:on|at|am|le|el|em|il|op|den|på|vào|w dniu|dnia|in data|em|la|dne|у|в|在|于|on date)\b|^[在于]/iu

// en de fr es pt it nl sv/no/da pl fi cs hu tr vi ru uk zh ja ko
const verbs = [
  'wrote',
  'writes',
  'sent',
  'said',
  'schrieb',
  'geschrieben',
  'a écrit',
  'escribió',
  'escreveu',
  'ha scritto',
  'scrisse',
  'schreef',
  'geschreven',
  'skrev',
  'napisał(?:a|\\(a\\))?',
  'pisze',
  'kirjoitti',
  'napsal(?:a|\\(a\\))?',
  'ezt írta',
  'írta',
  'şunu yazdı',
  'yazdı',
  'đã viết',
  'написал(?:а|и)?',
  'пишет',
  'написав',
  'писав',
  '写道',
  '寫道',
  '写到',
  '書きました',
  'wrote on',
  'a scris',
  'έγραψε',
  '작성',
  '님이 작성',
]
/** An attribution's verb at the end of a line, with its colon and rulers. */
export const verbAtEnd = new RegExp(
  `(?:^|[\\s>)"',，]|(?<=[^\\x00-\\x7f]))(?:${verbs.join('|')})\\s*[:：]?\\s*[-_]*$`,
  'iu',
)

/** What stands between dashes above a quoted message. */
export const originals =
  /^(?:original|reply|origin(?:al)?)[ -]?(?:message|e?-?mail|appointment)$|^(?:ursprüngliche|antwort|original)[ -]?(?:nachricht|termin)$|^message (?:d['’]origine|original|initial)$|^mensaje original$|^mensagem original$|^messaggio originale$|^oorspronkelijk(?:e)? (?:bericht|e-mail)$|^oprindelig (?:meddelelse|besked|mail)$|^opprinnelig (?:melding|e-post)$|^ursprungligt meddelande$|^alkuperäinen viesti$|^wiadomość oryginalna$|^oryginalna wiadomość$|^původní zpráva$|^eredeti üzenet$|^(?:özgün|orijinal) (?:ileti|mesaj)$|^исходное сообщение$|^原始(?:邮件|郵件|信件)$|^元のメッセージ$|^원본 ?메(?:시지|일)$|^(?:mesaj original|αρχικό μήνυμα)$/iu

/** What stands above a forwarded message. */
export const forwards =
  /^(?:begin )?forwarded (?:message|by .+|mail)$|^(?:(?:anfang der )?weitergeleitete[rn]? (?:nachricht|e-mail))$|^(?:début du )?message (?:transféré|réexpédié)$|^(?:inicio del )?mensaje reenviado$|^(?:início da )?mensagem (?:encaminhada|reencaminhada)$|^(?:inizio )?messaggio inoltrato$|^(?:begin )?doorgestuurd bericht$|^(?:vidarebefordrat meddelande|videresendt (?:meddelelse|melding)|vidarebefordrat brev)$|^wiadomość przekazana$|^przekazana wiadomość$|^(?:начало переадресованного сообщения|пересылаемое сообщение|переадресованное сообщение)$|^(?:转发的?邮件|轉寄的?郵件|转发邮件信息|轉寄郵件|転送(?:された)?メッセージ|전달된 메시지)$/iu

/** The labels of header fields, lower-case. */
export const labels: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    from: [
      'from',
      'von',
      'de',
      'da',
      'van',
      'fra',
      'från',
      'od',
      'lähettäjä',
      'от',
      'от кого',
      'від',
      'kimden',
      'feladó',
      'expéditeur',
      'remitente',
      'mittente',
      'afzender',
      'nadawca',
      'de la',
      'από',
      '发件人',
      '寄件者',
      '寄件人',
      '差出人',
      '보낸 사람',
      '보낸사람',
    ],
    date: [
      'sent',
      'date',
      'gesendet',
      'datum',
      'envoyé',
      'envoyé le',
      'enviado',
      'enviado el',
      'enviado em',
      'enviada',
      'enviada em',
      'fecha',
      'data',
      'inviato',
      'verzonden',
      'sendt',
      'dato',
      'skickat',
      'wysłano',
      'wysłane',
      'lähetetty',
      'päivämäärä',
      'отправлено',
      'дата',
      'надіслано',
      'gönderme tarihi',
      'gönderildi',
      'tarih',
      'odesláno',
      'elküldve',
      'dátum',
      'message du',
      'trimis',
      'ημερομηνία',
      '发送时间',
      '日期',
      '時間',
      '傳送日期',
      '送信日時',
      '日時',
      '보낸 날짜',
      '날짜',
    ],
    to: [
      'to',
      'an',
      'à',
      'a',
      'para',
      'aan',
      'til',
      'till',
      'do',
      'vastaanottaja',
      'кому',
      'kime',
      'komu',
      'címzett',
      'către',
      'προς',
      '收件人',
      '收件者',
      '宛先',
      '받는 사람',
      '받는사람',
    ],
    cc: ['cc', 'kopie', 'copie à', 'copia', 'cópia', 'kopi', 'kopia', 'dw', 'копия', 'bilgi', '抄送', '副本'],
    subject: [
      'subject',
      'betreff',
      'objet',
      'asunto',
      'assunto',
      'oggetto',
      'onderwerp',
      'emne',
      'ämne',
      'temat',
      'aihe',
      'тема',
      'konu',
      'předmět',
      'tárgy',
      'subiect',
      'θέμα',
      '主题',
      '主旨',
      '件名',
      '제목',
    ],
  } satisfies Record<Role, string[]>).flatMap(([role, words]) => words.map((label) => [label, role as Role] as const)),
)

/** Lines that programs on telephones add. */
export const mobile =
  /^(?:sent (?:from|via|with|using) (?:my |the )?(?:\S+ ?){1,6}|get outlook for \S+|(?:von meinem .{2,30} gesendet|gesendet (?:von|mit|über) .{2,50}|diese nachricht wurde von meinem .{2,60} gesendet)|envoyé (?:de(?:puis)?|à partir de|par|avec) .{2,50}|télécharge[rz] outlook pour \S+|enviado (?:desde|do|de|através|pelo|con|por) .{2,50}|obtener outlook para \S+|inviato (?:da|dal|dalla|con) .{2,50}|(?:verzonden (?:vanaf|met|via|van|vanuit)|verstuurd vanaf) .{2,50}|skickat (?:från|med) .{2,50}|sendt (?:fra|med|via) .{2,50}|wysłane? (?:z|za pomocą|przez) .{2,50}|lähetetty .{2,50}|odesláno z .{2,50}|отправлено (?:с|из) .{2,50}|надіслано з .{2,50}|.{2,30}dan gönderildi|.{2,40}から送信(?:されました)?|(?:发自|從|发送自|傳自)\s?.{2,40}|나의 .{2,30}에서 보냄)$/iu
