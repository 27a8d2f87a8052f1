/** Recognises goods by their form: rows that end in prices, lines and sentences that begin with a quantity. */
import { clauseWord, notAThing, withArticle } from './clauses.ts'
import { itemsIn } from './items.ts'
import { fold, meaningsOf } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import type { LensLanguage, Locale } from './locale.ts'
import { wordsOfNumbers } from './numbers.ts'
import type { Piece } from './shapes.ts'

const itemCharsMax = 120

/** Meanings of rows that are not goods. */
const sums: ReadonlySet<string> = new Set(
  'total net tax gross shipping delivery discount payment amount due budget salary previous paid people iban'.split(
    ' ',
  ),
)
const sumWords =
  /^(?:\d{1,2} ?% )?(?:verkaufspreis|kaufpreis|artikelpreis|sale price|selling price|item price|prix de vente|prix d['’]achat|prix de l['’]article|precio de venta|precio del art[ií]culo|prezzo di vendita|prezzo dell['’]articolo|verkoopprijs|aankoopprijs|artikelprijs|payout|auszahlung|uitbetaling|versand\p{L}*|livraison|lieferung|bezorg\p{L}*|env[ií]o|spedizione|transport\p{L}*|frachtkosten|freight|excl|incl|exkl|inkl|ht|ttc|portes|gastos|frais|spese|kosten|costs?|fee|handling|round\p{L}*|rundung|arrondi|redondeo|arrotondamento|tip|trinkgeld|zwischensumme|tussentotaal|sous-total|gesamt\p{L}*|totaal\p{L}*|importe|montant|what you|you spent|samen|todo|zusammen|alles|in tutto|en tout|goods|fracht|carriage|postage|vat|tva|iva|btw|mwst|ust|netto|brutto|total|subtotal|summe|versand|porto|livraison|verzend\p{L}*|env[ií]o|spedizione|gutschein|voucher|credit|rabatt|discount|saldo|you paid|spesa|promo|remise|sconto|descuento|korting|kaution|deposit|acompte|anzahlung|base impo\p{L}*|imponibile|balance|previous|order value|loyalty|te betalen|te voldoen|a pagar|à payer|to pay)(?!\p{L})/iu

/** Fees that are charged beside goods: the last word of German, Dutch and English names, the first word of Romance ones. */
const feeWords =
  /(?:(?<!\p{L})fee|(?<!\p{L})surcharge|gebühr(?:en)?|belasting|toeslag|zuschlag|pauschale|kurtaxe|steuer|statiegeld)$|^(?:supplément|supplemento|suplemento|recargo|tasas?|tass[ae]|taxes?|diritti|commission[ei]?|comisi[oó]n)(?!\p{L})/iu

/** Whether a row is not goods but a sum, a tax or the cost of shipping. */
export function isSum(text: string): boolean {
  const label = text.replace(/[\d.,€$£%…]+/g, ' ').trim()
  const { known, unknown } = meaningsOf(label)
  return (
    sumWords.test(label.replace(/^\W+/u, '')) ||
    feeWords.test(label) ||
    // One such word among others may be part of the name of goods.
    (unknown <= known.size / 2 && [...known].some((meaning) => sums.has(meaning))) ||
    /[-−]\s?[€$£]?\s?\d[\d.,]*\s?(?:€|EUR)?$/.test(text)
  )
}

/** Containers in which goods are counted, before a word for "of": `4 botellas de`. */
const containersOf =
  "(?:boxe?s?|bottles?|bags?|packs?|packets?|cases?|cans?|jars?|crates?|tins?|rolls?|pairs?|cajas?|botellas?|botes?|barril(?:es)?|sacos?|latas?|bolsas?|garrafas?|paquetes?|docenas?|tarros?|rollos?|litros?|bottigli[ae]|cass[ae]|fust[io]|scatol[ae]|sacch[io]|confezion[ei]|barattol[io]|dozzin[ae]|rotol[io]|pacch[io]|litr[io]|metr[io]|pezz[io]|cartons?|bouteilles?|bo[iî]tes?|pots?|sacs?|palettes?|f[uû]ts?|douzaines?|paquets?|bidons?|rouleaux?|caisses?|litres?|m[eè]tres?|unidades|pièces?|pieces?)\\s+(?:(?:of|de|di|del|della)\\s+|d['’])"
/** Containers right before the goods: `6 Flaschen Wein`, `12 Fl. Riesling`. */
const containers =
  '(?:bags|boxes|packs|packets|rolls|tubs|sacks|tins|cartons|crates|kisten?|kasten|kästen|flaschen?|gläser|säcke?|sack|packungen|packung|eimer|dosen|bleche?|tüten?|beutel|schalen?|platten|kartons?|pakete?|rollen?|rol|fässer|dozen|dozijn|doos|doosjes?|flessen|fles|flesjes|zakken|zak|zakjes|kratten|krat|blikken|blik|potten|pot|potjes|pakken|pak|pakjes|schalen|schaal|haspels|bossen|bakken|emmers?)|(?:fl|btl|ki|kt|krt|pkg|pck|pk|bd|ds|gl|sck|rl|dz|doz|bt|ud|uds|pz|conf|scat|cf|cart|bot|caj|paq)\\.'
/** Measures and words for pieces, with or without a word for "of". */
const measures =
  "(?:kg|g|l|m|ml|kilos?|litre|liter|meter|metres?|st(?:k|ück|uks?)?|pcs?|pz|uds?|bt|ex)\\.?\\s+(?:(?:of|de|di|van|von)\\s+|d['’])?"

/** A quantity before goods. */
const count = new RegExp(
  `^(?:[-*•·–]\\s*)?(?:n[.º°]\\s?)?\\d{1,4}\\s?(?:[x×*]\\s?|${measures}|${containersOf}|(?:${containers})\\s+|\\s+)`,
  'iu',
)

/** Returns the name of goods in a text, without a list mark, a quantity before it, and a quantity or price after it. */
export function bare(text: string, start: number): Piece | null {
  const mark = /^\s*(?:(?:[-*•·–▪●]|\d{1,2}[.)](?=\s+\p{L}))\s+)?/u.exec(text)?.[0].length ?? 0
  const many = count.exec(text.slice(mark))?.[0].length ?? 0
  const lead = mark + many + (many > 0 ? (packs.exec(text.slice(mark + many))?.[0].length ?? 0) : 0)
  const value = text
    .slice(lead)
    .replace(ending, '')
    .replace(/\s+(?:[–—-]\s+)?(?:[x×](?:\s?\d{1,3})?|(?<=[–—-]\s+)\d{1,3}\s?(?:[x×]|\p{L}{2,9}))$/u, '')
    .replace(ending, '')
    .replace(articleNumber, '')
  const isLabelled = many === 0 && /\p{L}:\s/u.test(value)
  if (value.length < 2 || value.length > itemCharsMax || !/\p{L}{2}/u.test(value) || isLabelled) return null
  return { value, start: start + lead, end: start + lead + value.length }
}

const ending = /[\s.…:–—·-]+$/u
/** An article number at the end: `(Art. 55120)`, `Art. 55120`, `(#PP28)`. */
const articleNumber =
  /[\s,;–—-]+(?:[([]?(?:art(?:ikel)?|ref|réf|sku|c[oó]d|item)[.\s:#-]+(?:n[or°º]?(?![\p{L}\d])[.:\s]*)?[\p{L}\d./-]*\d[\p{L}\d./-]*[)\]]?|[([]#[\p{L}\d][\p{L}\d./-]*[)\]])$/iu

/** Returns goods without the article number after their name. */
export function withoutNumber({ value, start, end }: Piece): Piece {
  const name = value.replace(articleNumber, '')
  return /\p{L}{2}/u.test(name) ? { value: name, start, end: start + name.length } : { value, start, end }
}

/** Returns the name of goods without the quantity before or after it. */
export function uncounted({ value, start }: Piece): Piece {
  const counted = pieces.exec(value)?.[0].length ?? 0
  // In German the unit comes right before the goods: "6 Rollen Pflaster".
  const pack = counted > 0 ? (packs.exec(value.slice(counted))?.[0].length ?? 0) : 0
  const lead = counted + pack + (counted > 0 ? (of.exec(value.slice(counted + pack))?.[0].length ?? 0) : 0)
  const name = value.slice(lead).replace(manyBehind, '').trimEnd()
  return /\p{L}{2}/u.test(name)
    ? { value: name, start: start + lead, end: start + lead + name.length }
    : { value, start, end: start + value.length }
}

const units =
  '(?:st(?:k|ück|uks?)?|pcs?|pieces?|pz|pezzi|uds?|unidades|unit[sé]?s?|x|ex|boxes|bottles|bags|packs?|cans|pairs|cajas?|botellas?|botes|bottiglie|casse|scatole|confezioni|cartons?|bouteilles?|bo[iî]tes?|pots?|sacs?|pi[eè]ces?|kisten?|flaschen?|packungen|paar|kanister|rollen|eimer|dosen|dozen|flessen|zakken|rollen)'
/** A number and the unit in which the goods are counted. */
const pieces = new RegExp(`^\\d{1,4}\\s?(?:[x×]\\s?|${measures}|${containersOf}|(?:${containers})\\s+|\\s+)`, 'iu')
const packs =
  /^(?:Packs?|Packung(?:en)?|Rollen?|Kartons?|Kisten?|Flaschen?|Dosen?|Säcke?|Beutel|Eimer|Kanister|Paletten?|Paar|Liter|Meter|Bund|Gläser)\s+(?=\p{L})/u
/** The word between a quantity and the goods: "60 di Arneis". */
const of = /^(?:of |de |d['’]|di |del |della |dell['’]|von |van )/iu
const quantityWords =
  '(?:q\\.?t[àaé]\\.?|qty|quantity|menge|anzahl|aantal|cant(?:idad|\\.)?|quantit(?:é|à|e)|n\\.?[º°]?)'
const manyBehind = new RegExp(
  `\\s*[,;|–—-]?\\s+\\(?${quantityWords}\\s*[:.]?\\s*\\d{1,4}\\)?(?:\\s*${units})?$|(?:\\s*[,–—-])?\\s+(?:[x×]\\s?\\d{1,4}|\\d{1,4}\\s?(?:[x×]|${units}\\.?))$|\\s*\\((?:[x×]\\s?)?\\d{1,4}(?:\\s?(?:[x×]|${units}\\.?))?\\)$`,
  'iu',
)

/** Returns goods without a long remark in brackets, and without words such as "as well" at the end. */
export function withoutAside({ value, start }: Piece): Piece {
  const plain = value
    .replace(/\s+\([^()]*\)$/, (aside) => (aside.split(/\s+/).length > asideWordsMin ? '' : aside))
    .replace(/(?<=\p{L})\s+(?:dazu|erbij|as well|en plus|además|in aggiunta)$/u, '')
  return plain.trim() === ''
    ? { value, start, end: start + value.length }
    : { value: plain, start, end: start + plain.length }
}

const asideWordsMin = 4

const goodOf = ({ text, start }: Line): Piece | null => {
  const named = bare(text, start)
  return named === null ? null : withoutAside(named)
}

/** Returns the goods of lines that begin with a quantity, at least two of them right below each other. */
export function countedLines({ lines }: Passage): readonly Piece[] {
  let items: Piece[] = []
  let isOpen = false
  for (const line of lines) {
    if (line.isFirst) isOpen = false
    const lead = count.exec(line.text)?.[0]
    const item = lead === undefined || ends.test(line.text) ? null : goodOf(line)
    // With such goods it is unclear what is ordered.
    if (item !== null && isOpenGood(item)) return []
    const isGood =
      item !== null &&
      (/^\p{L}/u.test(item.value) || (/[x×]\s*$/.test(lead ?? '') && measured.test(item.value))) &&
      item.value.split(/\s+/).length <= 8 &&
      !/^\p{Ll}+ (?:\d{4}|um|at)/u.test(item.value) &&
      !isStreet(line)
    if (isGood && !isOpen) items.push(item)
    // A list point among them without a quantity may be goods too.
    else if (items.length > 0 && !line.isFirst && /^[-*•·–]\s/.test(line.text)) return []
    // A line with "and" may add further goods.
    else if (items.length > 0 && !line.isFirst && joinedLine.test(line.folded)) return []
    // A counted line that is not understood makes the list incomplete.
    else if (
      items.length > 0 &&
      !/[.!?]$/.test(line.text) &&
      (lead === undefined
        ? !line.isFirst && /\s\d{1,3}\s?[x×]\s?\p{L}/u.test(line.text)
        : /^\d{1,3}\s?[x×]?\s/.test(line.text))
    )
      return []
    else if (items.length > 1) return items
    else {
      items = []
      isOpen ||= isGood || (lead !== undefined && /\d/.test(lead) && !/[.!?]$/.test(line.text))
    }
  }
  return items.length > 1 ? items : []
}

/** Whether goods refer to something named before ("the booklet"), or are named by their container only. */
export const isOpenGood = ({ value }: Piece): boolean => definite.test(value) || uncontained.test(value)

/** "2x the matching booklet" */
const definite = /^(?:the|der|die|das|le|la|les|el|los|las|il|lo|gli|het|de)\s/iu
/** "2 taniche olio": a container of a Romance language without the word for "of". */
const uncontained =
  /^(?:taniche?|tanica|bidon[ei]s?|flacon[ei]s?|cass[ae]|scatol[ae]|sacch[io]|bustin?[ae]|confezion[ei]|barattol[io]|fust[io]|garrafas?|cajas?|sacos?|bolsas?|botes|cubos?|tarros?|cartons|bidons?|sacs|seaux?|palettes)\s(?!(?:d[aeiu]|de[il]|dell[aeo]|d['’]\S*|per|pour|para|à|con|avec)(?!\p{L}))\p{L}/iu

/** `12.5mm plasterboard` */
const measured = /^\d{1,4}(?:[.,]\d{1,2})?\s?(?:mm|cm|m|ml|cl|l|g|kg|w|v|mah|gb|tb)\s\p{L}{3}/iu
/** "and a pallet of padding" on a line of its own. */
const joinedLine =
  /^(?:and|plus|und|sowie|dazu|et|ainsi que|y|mas|e|ed|piu|en|alsook) (?:an?|one|some|the|eine?[nrm]?|une?|des|du|una?|unos|unas|uno|dei|delle|een|wat|\d)(?!\p{L})/u

/** The end of a sentence, or of a row with a price. */
const ends = /[.!?]$|[€$£]\s?[\d.,]+$|\d[.,]\d\d(?:\s?(?:€|EUR))?$/

/** `418 Cottonwood Dr` */
const isStreet = ({ text, folded }: Line) =>
  /\d{5}/.test(text.replace(articleNumber, '')) ||
  (text.includes(',') && !/^(?:[-*•·–]\s*)?\d{1,4}\s?[x×]\s/.test(text)) ||
  /\b(?:st|street|road|rd|dr|drive|ave|avenue|lane|row|rue|quai|impasse|way|blvd)\.?$/.test(folded)

const countWords = (language: LensLanguage) => wordsOfNumbers(language).join('|')
const languages: readonly LensLanguage[] = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']
/** A quantity in a sentence: digits, or a word for a number. */
const starts = new Map(
  languages.map((language) => [
    language,
    new RegExp(
      `(?<![\\p{L}\\p{N}.,:/#'’+-]|(?<!\\p{L})(?:de|di|da|of|von|van)\\s)(?:\\d{1,4}\\s?[x×]\\s?|\\d{1,4} (?=\\p{L})|(?:${countWords(language)}) (?=\\p{L}))`,
      'gu',
    ),
  ]),
)
const unitOf =
  /^(?:(?:boxe?s?|bottles?|bags?|packs?|cases?|cans?|pairs?|cajas?|botellas?|barril(?:es)?|sacos?|bottiglie?|cass[ae]|fusti|scatole?|sacchi|cartons?|bouteilles?|boites?|sacs?|palettes?|futs?|kisten?|flaschen?|sacke?|paletten?|flessen|zakken|dozen|kratten|kilos?|kg|litres?|litri|liter|metri|metres?|meter|mtr|m|l|g|st(?:k|uck|uks?)?\.?|pieces?|pcs|pezzi|pz|uds?)(?:\s+(?:(?:of|de|di|von|van)\s+)?|\sd['’]))/u
/** Words after goods that are not part of their name. */
const goodEnd =
  /\s(?:for|to|by|at|from|as|if|please|bitte|an|am|ans|bis|zum|zur|fur|wie|wenn|im|para|con la|por|segun|como|si|per|come|se|secondo|da|pour|au|aux|chez|comme|selon|avec|voor|naar|graag|zoals|volgens|als|ook|again|wieder|wie|dazu|alstublieft|bestellen|kaufen|haben|kopen|hebben)(?=\s|$)/u
const asideStart = /\s\(|\s[–-]\s/u

/** Returns the goods in a sentence, at least two, each after a quantity: `36 bottles of red and two of white`. */
export function countedGoods(text: string, locale: Locale): readonly Piece[] {
  const found = countedThings(text, locale)
  return found.length > 1 ? found : []
}

/** As `countedGoods`, also for a single thing. */
export function countedThings(text: string, locale: Locale): readonly Piece[] {
  if (/[€$£]/.test(text)) return []
  const folded = fold(text)
  const found: Piece[] = []
  for (const match of folded.matchAll(starts.get(locale.language) as RegExp)) {
    if (match.index < (found.at(-1)?.end ?? 0)) continue
    const length = folded.slice(match.index).search(/[.;:!?](?=\s|$)|\n/u)
    const part = text.slice(match.index, length < 0 ? text.length : match.index + length)
    for (const item of itemsIn(part, locale, match.index)) {
      const lead = leadOf(item.value, locale)
      const isCounted = lead > 0
      // After something counted, an article means one.
      const isOne = found.length > 0 && withArticle.test(fold(text.slice(Math.max(0, item.start - 8), item.start)))
      const isLast =
        found.length > 1 &&
        item.end >= match.index + part.trimEnd().length &&
        item.value.split(/\s+/).length <= lastWordsMax
      if (!isCounted && !isOne && !isLast) {
        // "and some bottles of water" adds goods without a number, so the list is incomplete.
        const between = text.slice(found.at(-1)?.end ?? item.start, item.start)
        const isCountedLater = folded.slice(item.start, item.end).search(starts.get(locale.language) as RegExp) >= 0
        if (found.length > 0 && joins.test(between) && !isCountedLater && isMore(item.value)) return []
        break
      }
      const [name = ''] = item.value.slice(lead).split(asideStart)
      const end = fold(name).search(goodEnd)
      const value = (end > 0 ? name.slice(0, end) : name).trimEnd()
      // Italian "da" may say what a thing is for, which is part of its name: "lampade da scrivania".
      if (locale.language === 'it' && /^ da \p{L}/u.test(name.slice(Math.max(0, end)))) return []
      if (!isGood(value)) {
        // A counted item that is not goods makes the rest uncertain.
        if (isCounted && found.length > 0 && !noGood.test(fold(value))) return []
        break
      }
      found.push({ value, start: item.start + lead, end: item.start + lead + value.length })
      if (end > 0) break
    }
  }
  return found
}

/** Returns the length of the quantity of an item, with its unit. */
function leadOf(value: string, { language }: Locale): number {
  const folded = fold(value)
  const counted =
    /^\d{1,4}\s?[x×]\s?|^\d{1,4} (?=\p{L})/u.exec(folded)?.[0].length ??
    new RegExp(`^(?:${countWords(language)}) (?=\\p{L})`, 'u').exec(folded)?.[0].length ??
    0
  if (counted === 0) return 0
  const unit = unitOf.exec(folded.slice(counted))?.[0].length ?? 0
  return counted + unit + (of.exec(value.slice(counted + unit))?.[0].length ?? 0)
}

/** The word that joins the last of several things to the others. */
const joins = /\s(?:and|und|et|y|e|ed|en|plus)\s(?:\p{L}+\s){0,2}$/iu
/** Whether text joined to things may be another thing, and is not a clause. */
const isMore = (value: string) =>
  some.test(fold(value)) || (!clauseWord.test(` ${fold(value)} `) && !notAThing.test(fold(value)))
const some =
  /^(?:some|a few|a couple of|ein paar|einige|etwas|quelques|un peu de|algun[oa]s|unos|unas|un poco de|qualche|alcun[ei]|un po.? di|wat|enkele|een paar)\s\p{L}/u

const wordsMax = 6
/** The maximum length of an uncounted last item in an enumeration of counted things. */
const lastWordsMax = 3

const isGood = (value: string) =>
  value.length > 2 &&
  value.split(/\s+/).length <= wordsMax &&
  /^\p{L}/u.test(value) &&
  !notAThing.test(fold(value)) &&
  !noGood.test(fold(value)) &&
  !clauseWord.test(` ${fold(value)} `)

/** Things that follow a number and are not goods: days, months, persons. */
const noGood =
  /^(?:\p{L}+(?:day|tag|dag)s?$|maart|mei|janv\w*|ianuari\w*|janua\w*|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|lunes|martes|miercoles|jueves|viernes|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|uhr|of us|of you|von uns|d.entre|di noi|di voi|van ons|times?|mal|fois|veces|volte|keer|things?|kilo|eur\w*|usd|gbp|dollars?|pounds?|%|prozent|percent|uhr|h|am|pm|o.clock|days?|tage?n?|jours?|dias|giorni|dagen|weeks?|wochen?|semaines?|semanas|settimane|weken|months?|monate?n?|mois|mes|mesi|maanden|years?|yrs?|jahre?n?|ans?|annees?|anos?|anni|jaar|people|personen|personnes|personas|persone|mensen|staff|minutes?|minuten|hours?|stunden|heures?|horas|ore|uur|cm|mm|km|kg|m2|januar\w*|februar\w*|marz|march|april\w*|ma[iy]\w*|jun\w*|jul\w*|aug\w*|sept?\w*|o[ck]t\w*|nov\w*|de[cz]\w*|ene\w*|feb\w*|mar\w*|abr\w*|ago\w*|gen\w*|mag\w*|giu\w*|lug\w*|set\w*|ott\w*|dic\w*|fev\w*|avr\w*|aou\w*|tel\w*)\b/u
