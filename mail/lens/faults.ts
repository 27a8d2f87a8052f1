/** Finds the messages that a failing program shows, and the versions of programs, by the verbs around them. */
import { fold } from './lexicon.ts'
import type { Passage } from './lines.ts'
import type { Sentence } from './sentences.ts'
import { type Piece, quotedIn } from './shapes.ts'

const shows =
  /(?<!\p{L})(?:says?|said|saying|shows?|showing|displays?|reads|throwing|throws|gett?(?:ing|s)?|got|pops up|meldet|zeigt|erscheint|kommt|steht|lautet|bekomme|affiche|indique|s.inscrit|obtiens|sale|aparece|(?:stops|fails|ends|crashes|aborts|exits) with(?: an?| the)?|(?:stoppt|endet|scheitert) mit|(?:s.arrete|echoue|plante) (?:avec|sur)|(?:se para|falla|se cierra|se bloquea) con|(?:si ferma|si blocca|fallisce|si chiude|si interrompe) con|(?:stopt|faalt|eindigt|crasht) met|muestra|pone|dice|compare|appare|esce|lampeggia con(?: il codice)?|mostra|krijg|krijgt|toont|verschijnt|staat|geeft|meldt)\s+(?:(?:me|mir|only|nur|just|still|immer|steeds|constantly|now|then|dann|jetzt|nun|nu|dan|maintenant|alors|ahora|luego|adesso|ora|poi) )*(?:the message |die meldung |le message |el mensaje |il messaggio |de melding |error |fehler |erreur |code |codice |il codice )?/gu
const codes =
  /(?<![\p{L}\p{N}-])(?:(?:E|F|H|ERR|Err|ERROR|Error) \d{1,4}|\p{Lu}{2,6}(?:[_-]\p{Lu}{2,10}){0,3}[_-]\d{2,6}|\p{Lu}{2,5}\d{2,6}|\p{Lu}-?\d{2,5}|0x[\dA-Fa-f]{2,8})(?![\p{L}\p{N}]|-\d| \d{3})/gu
/** Names of errors in programs: `ERR_PRINTER_OFFLINE`. */
const errorNames = /(?<![\p{L}\p{N}_])(?:ERR|ERROR|E)(?:_[\p{Lu}\d]{2,20}){1,5}(?![\p{L}\p{N}_])/gu
const codeCue =
  /(?<!\p{L})(?:errors?|fault|code|codice|codigo|fehler\p{L}*|meldung|erreur|throw\p{L}*|shows?|says|display|lampeggia|kommt|zeigt|affiche|sale|krijg|melding|fout\p{L}*|errore|fallo|screen|bildschirm|anzeige|steht|erscheint|ecran|pantalla|pone|aparece|schermo|appare|compare|scherm|beeld|staat|allarme|alarm\p{L}*|storing|storung)(?!\p{L})/u
/** Words that say that the error is somebody else's, was in the past, or does not exist. */
const elsewhere =
  /^(?:if|se|si|wenn|falls|als|sollte)(?!\p{L})|(?<!\p{L})(?:colleague|kolleg\p{L}*|collegue|collega|companero|no (?:error|message)|aucun message|kein(?:e|en)? (?:fehler|meldung)|nessun (?:messaggio|errore)|ningun (?:mensaje|error)|geen (?:melding|fout)|was bedeutet|what does|wat betekent|last time|bekannte?[rn]? fehler|known)(?!\p{L})/u

const others =
  /(?<!\p{L})(?:neighbou?r\p{L}*|friend\p{L}*|colleague\p{L}*|wife|husband|brother|sister|others?|customers|clients|kolleg\p{L}*|nachbar\p{L}*|freund\p{L}*|frau|schwager|bruder|andere\p{L}*|kunden|voisin\p{L}*|collegue\p{L}*|ami|amie|mari|femme|autres|vecin\p{L}*|companer\p{L}*|amig\p{L}*|mujer|marido|otros|otras|vicin\p{L}*|collega|colleghi|moglie|marito|amic\p{L}*|altri|buur\p{L}*|vriend\p{L}*|zwager|vrouw|anderen?|klanten|bekannt|known|connu\p{L}*|conocido|noto|bekend|behoben|fixed|resolved|corrige\p{L}*|corregid\p{L}*|risolt\p{L}*|opgelost|dieselbe maschine|form|formular|formulaire|modulo|formulario|formulier|next|kommende\p{L}*|prochaine|proxima|prossima|volgende)(?!\p{L})/u

/** Whether an answer to the question for a message says that there is none. */
export const isDenial = (value: string): boolean => denied.test(fold(value))
const denied =
  /^(?:(?:no|nope|nein|nee|non)(?=[,.;!]|$| \p{L}{2,10} (?:nothing|nichts|niks|niets|rien|nada|niente|nulla))|(?:no|kein\p{L}*|geen|aucun\p{L}*|nessun\p{L}*|ningun\p{L}*) (?:error|message|fehler\p{L}*|meldung|melding|foutmelding|message|erreur|messaggio|errore|mensaje)|nothing|nichts|niks|niets|rien|nada|niente)(?!\p{L})|^(?:none|keine?|aucune?|ningun[oa]|nessun[oa]|geen)[.!]?$/u

/** Whether a version in a sentence may be that of somebody else, or a future one. */
export const isForeignVersion = ({ text, folded }: Pick<Sentence, 'text' | 'folded'>): boolean =>
  others.test(folded) || /\?\s*$/.test(text) || /^\s*(?:[-*•]|\d{1,2}[.)])\s/.test(text)

/** Whether a sentence says that a program sent the mail. */
export const isNotice = (folded: string): boolean =>
  /(?<!\p{L})(?:automatic(?:ally)? (?:notification|message|generated|sent)|automatische (?:nachricht|benachrichtigung|melding|bericht)|(?:notification|message|envoi) automatique|(?:mensaje|notificacion|aviso) automatic[oa]|(?:messaggio|notifica) automatic[oa])(?!\p{L})/u.test(
    folded,
  )

/** Whether a sentence is about an error that somebody else or nobody sees. */
export const isForeignError = ({ folded }: Pick<Sentence, 'folded'>): boolean => elsewhere.test(folded.trim())

/** Returns the error messages and codes in a sentence. */
export function shownIn({ text, folded }: Sentence): readonly (Piece & { readonly score: number })[] {
  if (isForeignError({ folded }) || /\?\s*$/.test(folded)) return []
  const found: (Piece & { readonly score: number })[] = []
  for (const match of folded.matchAll(shows)) {
    const from = match.index + match[0].length
    const rest = text.slice(from)
    const code = /^\p{Lu}-?\d{1,3}(?![\p{L}\d-]|[.,/]\d| \d)/u.exec(rest)
    if (code !== null) found.push({ value: code[0], start: from, end: from + code[0].length, score: 60 })
    const quoted = /^[„“"«'‘]/.test(rest) ? quotedIn(rest.slice(0, messageCharsMax + 2)) : null
    if (quoted !== null)
      found.push({ value: quoted.value, start: from + quoted.start, end: from + quoted.end, score: 68 })
    const plain =
      /^(?=\p{Lu})[^.,;!?\n"„“«]{4,90}?(?=\s(?:quand|lorsque|sobald|wanneer|lors|al|si|as soon as|if|as|terwijl|on|since|wenn|quando|cuando|when|und|and then|roughly|every|obwohl|although|alors)\s|[,;!?\n"]|\.(?:\s|$)|$)/u.exec(
        rest,
      )
    const message = plain
    const isCode =
      message !== null && /^(?:\p{Lu}{1,5}[- ]?\d{1,6}|(?:Err|Error) \d{1,6}|0x[\dA-Fa-f]+)(?!\S)/u.test(message[0])
    if (message !== null && !isCode && message[0].split(/\s+/).length > 1)
      found.push({ value: message[0], start: from, end: from + message[0].length, score: 62 })
  }
  for (const { 0: value, index } of text.matchAll(errorNames))
    found.push({ value, start: index, end: index + value.length, score: 58 })
  if (codeCue.test(folded))
    for (const { 0: value, index } of text.matchAll(codes))
      if (
        !isModel(value, text.slice(0, index)) &&
        !ofDocument.test(folded.slice(Math.max(0, index - leadChars), index))
      )
        found.push({ value, start: index, end: index + value.length, score: 58 })
  return found
}

/** Whether a letter and digits after a name are a model: `Fairphone A54`. */
const isModel = (value: string, before: string) => {
  const name = /\p{Lu}\p{L}+ $/u.exec(before)?.[0]
  return /^\p{Lu}\d/u.test(value) && name !== undefined && !codeCue.test(fold(name.trim()))
}

const messageCharsMax = 160

/** Words before the number of a ticket, an order or a device. */
const ofDocument =
  /(?<!\p{L})(?:ticket|case|incident|request|reference|ref|order|serial(?: number| no)?|vorgang|auftrag|seriennummer|dossier|commande|demande|caso|pedido|incidencia|referencia|pratica|richiesta|segnalazione|ordine|matricola|melding|zaak|referentie|serienummer)[\s.:#°-]*$/u
const leadChars = 24

/** A line that announces a message: `When I press Send it says:` */
const announces =
  /(?<!\p{L})(?:says?|reads|shows?|displays?|appears|error|message|meldung|fehler|erscheint|kommt|steht|zeigt|meldet|affiche|apparait|erreur|sale|aparece|muestra|mensaje|dice|pone|appare|compare|esce|mostra|messaggio|errore|verschijnt|staat|melding|toont|geeft)(?: (?!(?:not|nicht|pas|no|non|niet) )\p{L}+){0,3}\s?:$/u

/** Returns the messages that are alone on the line below their announcement. */
export function announcedBelow({ lines }: Passage): readonly Piece[] {
  return lines.flatMap((line, n) => {
    const [below, next] = [lines[n + 1], lines[n + 2]]
    if (below === undefined || below.role !== null || !announces.test(line.folded.slice(-announcementChars))) return []
    const isAlone = below.isFirst && (next === undefined || next.isFirst)
    const value = below.text.replace(/^[„“"«'‘>\s]+|[“”"»'’\s]+$/gu, '')
    const at = below.text.indexOf(value)
    const isMessage =
      isAlone && /^[\p{Lu}\d].*\p{L}/u.test(value) && value.length <= messageCharsMax && !/[?,:]$/.test(value)
    return isMessage ? [{ value, start: below.start + at, end: below.start + at + value.length }] : []
  })
}

const announcementChars = 60

/** A line of a log that reports an error. */
const logged =
  /(?:^|\s)(?:(?:ERROR|ERR|FATAL|SEVERE|Exception):?\s+(?<plain>\S.{3,100})|(?<whole>(?:ECHEC|ERREUR|FEHLER|FALLO|ERRORE|FOUT)\s\S.{1,80}))$/u

export function readLogLine(text: string): Piece | null {
  const match = logged.exec(text)
  const value = (match?.groups?.plain ?? match?.groups?.whole ?? '').trimEnd()
  if (match === null || value === '') return null
  const start = match.index + match[0].indexOf(value)
  return { value, start, end: start + value.length }
}

/** Versions. Three numbers need no word before them; two numbers need a preposition or a word for a version. */
const versions =
  /(?<![\p{L}\p{N}.,:/-]|\d )(?:(?<three>\d{1,4}\.\d{1,3}\.\d{1,4})|(?<=(?:\b(?:mit|auf|en|la|to|on|de|in|con|met|naar|op|version|v|rel\.?|release|stand|build|fassung|versie|versione)\s))(?<two>\d{1,3}\.\d{1,3}))(?![\p{L}\d]|[.,]\d|\s?(?:€|eur|%|uhr|h\b|m\b|cm|kg))/giu
const former =
  /(?:neighbo\p{L}*|friend|colleague|kolleg\p{L}*|nachbar\p{L}*|schwager|voisin\p{L}*|collegue|vecin\p{L}*|companer\p{L}*|vicin\p{L}*|collega|buurman|zwager|terugzetten|zuruck auf|zuruckgehen|downgrade|opgelost|behoben|resolu\p{L}*|corrig\p{L}*|resuelt\p{L}*|risolt\p{L}*|solved|fixed in|formulier|form|formular\p{L}*|formulaire|modulo|formulario|fine|worked|ok|iba|ging|lief|war|previous\p{L}*|before|vorher|avant|antes|prima|wanted|corriger\p{L}*|sort|next|neue|nouvelle|instead|statt|old|alte)(?!\p{L})/u

/** Text between quotation marks, whose numbers belong to a cited message. */
const cited = /[„“"«][^„“”"«»]{0,160}[“”"»]/gu

export function numberedVersions({ text: written }: Sentence): readonly (Piece & { readonly score: number })[] {
  const text = written.replace(cited, (each) => ' '.repeat(each.length))
  const found = Array.from(text.matchAll(versions))
  // With several versions, as in an update, it is unclear which is the present one.
  if (new Set(found.map(({ groups }) => groups?.three ?? groups?.two)).size > 1) return []
  return found.flatMap((match) => {
    const value = match.groups?.three ?? match.groups?.two ?? ''
    const around = fold(text.slice(Math.max(0, match.index - 30), match.index))
    const isDate =
      /^\d{1,2}\.\d{1,2}\.\d{2,4}$/.test(value) &&
      /\.(?:\d\d|(?:19|20)\d\d)$/.test(value) &&
      Number(value.split('.')[1]) <= 12 &&
      value.split('.')[2]?.length !== 1
    if (former.test(around) || isDate) return []
    return [
      {
        value,
        start: match.index,
        end: match.index + value.length,
        score: match.groups?.three === undefined ? 50 : 54,
      },
    ]
  })
}
