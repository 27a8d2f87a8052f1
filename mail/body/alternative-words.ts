/** Words that only plain parts have: about links, where HTML has buttons, and about how to read the mail. */

/** Words around a link that is written out. HTML turns other words into the link instead. */
export const linkWords: ReadonlySet<string> = new Set(
  `a above address adresse afin aller and aqui at auf bar below bitte browser button by cada can cliccare clic clicca cliccando click
  clicking clicar clique cliquer cliquez con copie copier copy dann de der die diesen dieser dirección du either el en enlace
  follow following folgen folgende folgenden for from geben gehen go going haz here hier hyperlink if il im in into inhalt it
  klick klicke klicken klicken klik la le lien liga link links liens locate log los mit navigate navigateur navegador nächste
  of on onderstaande open öffne öffnen online or ouvrir ouvrez page paste para pegue por please pour pulsa pulse questo
  seguente seguire see seite siguiente site sito sie su suivant the then this to un una unten url use using usa utilizza utilisez
  uw via view visit visiting visita visitar visite visitez voir web webpage website window with you your zu zum
  перейдите перейти по ссылке ссылка ссылку нажмите сюда здесь откройте`
    .split(/\s+/)
    .filter(Boolean),
)

/** Words that turn a sentence into its opposite. */
export const negations: ReadonlySet<string> = new Set(
  `not never no don't doesn't won't cannot can't without nicht kein keine nie niemals ohne ne pas jamais sans no nunca sin jamás
  não nunca sem non mai senza niet geen nooit inte aldrig ikke nie не нет никогда без`.split(/\s+/),
)

/** Whether a sentence is about how to read the mail, about unsubscribing, or about who sent it: plain parts add such sentences. */
export function isAboutReading(sentence: string): boolean {
  return sentence.length <= sentenceCharsMax && readings.some((reading) => reading.test(sentence))
}

/** A longer sentence says something else too. */
const sentenceCharsMax = 400

const readings: readonly RegExp[] = [
  // How to see the whole mail.
  /\b(?:html|web(?:mail)?[- ]?(?:version|browser|ansicht|seite)|mime|multi-?part|e?-?mail (?:client|program|reader|app|software)|(?:mail|e-mail-?)programm|plain[- ]text|text[- ]only|nur[- ]text|texte brut)\b/i,
  /\b(?:view|read|see|display|show|trouble|problems?|unable|can(?:'|no)t|having|anzeig\w*|dargestellt|ansehen|afficher|consulte[rz]|visualiz\w+|ver|vea|bekijk\w*|visa|vis)\b.{0,60}\b(?:browser|on the web|online|navigateur|navegador|webbläsare|nettleser|correctly|properly|korrekt|correctement)\b/i,
  // Unsubscribing and preferences.
  /\bunsubscrib|\bopt[- ]?out\b|\b(?:manage|update|change|email|communication|notification|subscription)\s(?:your\s)?(?:\w+\s)?(?:preferences|settings|subscriptions?|profile)\b|\babmelde|\babbestell|\bd[ée]s(?:inscri|abonn)|\bcancelar?\s(?:la|a|su|tu|sua)?\s?(?:suscripci|subscri|assinatura)|\bdarse\sde\sbaja|\bdisiscri|\bannulla\sl'iscrizione|\bafmelden|\buitschrijven|\bavregistrera|\bframelde|отписа|退订|退訂|配信停止|수신\s?거부/i,
  /\b(?:you(?:'re|’re| are| have)?\s(?:receiving|getting|subscribed)|you(?: have)? received? this|sent to you|this (?:e-?mail|message|newsletter) (?:was|is|has been) (?:sent|intended))\b|\bsie erhalten diese|\bvous recevez ce|\brecibe(?:s)? este|\bvocê (?:está )?recebe\w* est|\bricevi questa|\bu ontvangt deze|вы получили это/i,
  /\b(?:do not|don['’]t|please do not) (?:reply|respond)\b|\bnicht auf diese e?-?mail\b|\bne pas répondre\b|\bno responda/i,
  // The sender.
  /©|\(c\)\s*\d{4}|\bcopyright\b|\ball rights reserved\b|\balle rechte vorbehalten\b|\btous droits réservés\b|\btodos los derechos\b|\bprivacy (?:policy|notice|statement)\b|\bterms (?:of|and|&)\b|\bdatenschutz|\bimpressum\b|\bmentions légales\b/i,
  /\bsent (?:from|with|via|by|using) (?:my |the )?\p{Lu}?\w+|\bgesendet von\b|\benvoyé (?:de|depuis)\b|\benviado (?:desde|do|de)\b|\binviato da\b|\bget outlook\b|\bpowered by\b|\bскачать\b|отправлено (?:с|из)/iu,
  /\bmailing list\b|\blistinfo\b|\bgoogle groups?\b|\bforward (?:this|to a friend)\b|\bfollow us\b|\b(?:facebook|twitter|instagram|linkedin|youtube|tiktok)\b/i,
]
