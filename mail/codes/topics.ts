/** Topics with codes of their own: mails about them name codes that nobody is to type in. */

export type Topic = {
  /** What mails about the topic say somewhere, in all languages at once. */
  readonly about: RegExp
  /** Words that elsewhere name a verification code, but in such a mail another kind of code. */
  readonly words: RegExp
  /** What a mail says that is about the topic and still has a code to type in; null when there are no such mails. */
  readonly unless: RegExp | null
}

export const topics: readonly Topic[] = [
  // The authorisation code of a payment by card, on its receipt.
  {
    about:
      /\*{1,9}\s?\d{4}|(?:card|karte|carte|tarjeta|cartão|carta|kaart) (?:ending|endet|endend|se terminant|terminada|final|che termina|eindig)|оплачено картой|(?<!\p{L})(?:visa|mastercard|maestro|amex|girocard|pagobancomat|v pay|terminal(?:-?id)?|receipt|(?:kassen)?beleg|kassenbon|ticket de caisse|recibo|comprobante|cupom fiscal|talão|scontrino|ricevuta|kassabon|bon|чек|карта мир)(?!\p{L})|レシート|領収|カード番号|凭证|憑證|小票|卡号|卡號/iu,
    words: /auth(?:ori[sz]| code)|approval|autori[sz]|авториз|承認|授权|授權/iu,
    unless:
      /valid|expir|share|nobody|anyone|niemand|personne|nadie|ninguém|nessuno|никому|誰|任何人|gültig|läuft|weitergeben|valable|partage|comuni|communi|válid|caduc|compart|scade|condivid|geldig|verloopt|delen|有効|共有|教え|有效|过期|過期|泄|洩|действ|истек|сообщ|передав/iu,
  },
  // The password of a guest network.
  {
    about: /(?<!\p{L})(?:wi-?fi|wlan)(?!\p{L})|无线|無線/iu,
    words: /^密[码碼]/u,
    unless: null,
  },
  // The confirmation code of a booked flight.
  {
    about:
      /boarding|(?:flight|seat|ticket) (?:no|number)|flug(?:nummer|ticket)|bordkarte|numéro de vol|número de (?:vuelo|voo)|numero (?:di|del) volo|vluchtnummer|номер рейса|посадочн|便名|搭乗|航空券|航班号|航班號|登机|登機/iu,
    words: /confirm|bestätig|bevestig|conferma|подтвержд|確認|确认/iu,
    unless: /verif|sign|log-?in|anmeld|connexion|sesión|sessão|accedi|inlog|вход|認証|ログイン|登录|登入/iu,
  },
  // The access code of a meeting.
  {
    about:
      /join (?:the |this |our )?meeting|(?:meeting|webinar|conference|besprechungs|konferenz)[ -]?id|one tap mobile|(?<!\p{L})(?:réunion|reuni[óo]n|reunião|riunione|vergader\p{L}*|überleg|overleg|besprechung|sitzung|videokonferenz|visioconférence|конференци\p{L}*|совещани\p{L}*)(?!\p{L})|ミーティング|会議|会议|會議/iu,
    words:
      /pass ?code|access|^pin|zugangs|kenn|einwahl|secret|acc[eè]s|acceso|acesso|accesso|toegang|パスコード|アクセス|密[码碼]|会[议議]|доступа|пароль/iu,
    unless: null,
  },
]
