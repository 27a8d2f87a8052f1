/**
 * The words around verification codes and links, in the languages of the mails that carry them. A new language needs its
 * words in a `words-*.ts` file and an entry in `languages.ts`. Each string is a regular expression over lower-case text, in which a
 * blank stands for any white space and `~` for any ending of the word.
 */

/** The words of one language by what they mean; each list is a kind of cue (`cues.ts`). */
export type Vocabulary = {
  /** Words that look like those of another kind and mean nothing: "in order to" is not an order. */
  readonly neutral?: readonly string[]
  /** Names of a verification code: "security code". They announce one by themselves. */
  readonly strong: readonly string[]
  /** A mere "code". It announces one unless something speaks against it. */
  readonly weak: readonly string[]
  /** Names of another number, or of a code of another kind: "order number", "zip code". */
  readonly other: readonly string[]
  /** Words of shops, near which a mere "code" is a discount code. */
  readonly sale: readonly string[]
  /** Words for digits, which are a code when the reader is asked to enter them. */
  readonly figures?: readonly string[]
  /** Verbs for entering a code that come before it: "enter". */
  readonly enter: readonly string[]
  /** Verbs for entering a code that come after it, as in German: "eintippen". */
  readonly typed?: readonly string[]
  /** What a code is entered for, or where: "sign in", "on the page". */
  readonly goal: readonly string[]
  /** Words of links that verify an address, activate an account or set a new password. */
  readonly confirm: readonly string[]
  /** Words of links that sign the reader in. */
  readonly login: readonly string[]
  /** Words of links that lead elsewhere: to unsubscribe, to legal pages, to help. */
  readonly leave: readonly string[]
}

/** What follows a number that counts or measures something. */
export const units =
  /^\s?(?:[%‰°€$£¥₽₺₩₹]|(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|times?|points?|credits?|items?|people|users?|lines?|steps?|miles|nights?|characters?|bytes|ms|kb|mb|gb|tb|kg|km|kwh|kcal|cm|mm|px|ml|usd|eur|gbp|chf|jpy|cny|rub|pln|try|brl|tl|zł|yen|euros?|dollars?|reais|sekunden|minuten|stunden|tage|jahre|punkte|mal|secondes|heures|jours|points|minutos|segundos|horas|días|dias|puntos|pontos|minuti|secondi|ore|giorni|punti|punten|uur|dagen|bäume|минут|секунд|час|дн|руб|балл|minut|sekund|godzin|dakika|saniye|saat|gün|puan|yılında|yıl|분|초|시간|일|원|년|월|건|회|그루|円|年|月|日|時|分|秒|回|件|本|点|名|ポイント|元|天|小时|分钟|秒|次|棵|起|积分|折|号楼)(?![\p{L}]{4}))/iu

/** What precedes a number that is a price. */
export const currencies = /(?:[€$£¥₽₺₩₹]|(?:usd|eur|gbp|chf|jpy|cny|rub|pln|try|brl|rs|r\$|us\$|kr)\.?)\s?$/iu
