/**
 * Links that a mail gives to verify an address, to activate an account, to set a new password or to sign in. They are found by their
 * words and by their address. Links to unsubscribe, to legal pages, to help or to pictures are left out.
 */

import { limits } from '../limits.ts'
import { type Cue, type CueKind, linkCuesOf } from './cues.ts'
import { linkClose, linkOpen, plainLine, type ScannedText } from './scanned-text.ts'

export type VerificationLink = { readonly url: string; readonly host: string }

/** The verification links, in the order of the text, at most `verifiedFoundMax`. Linear; never throws. */
export function findLinks(subject: string | null, { lines }: ScannedText): readonly VerificationLink[] {
  const title = linkCuesOf(plainLine((subject ?? '').slice(0, limits.verifiedLineCharsMax)))
  const found = new Map<string, VerificationLink>()
  let left = limits.verifiedLinksMax
  for (const [index, line] of lines.entries()) {
    const anchors = left > 0 && line.includes('://') ? anchorsOf(line) : []
    left -= anchors.length
    for (const anchor of anchors) {
      const own = linkCuesOf(anchor.words ?? anchor.before)
      // Most links have words of their own that say nothing about verifying.
      if (has(own, 'leave') || (anchor.words !== null && own.length === 0)) continue
      const url = parsed(anchor.href)
      if (url === null || found.has(url.href) || !isToVerify(url, anchor, own, lines, index, title)) continue
      found.set(url.href, { url: url.href, host: url.hostname })
      if (found.size === limits.verifiedFoundMax) return [...found.values()]
    }
  }
  return [...found.values()]
}

/** A link: its target, its own words (null when it has none or only generic ones), and the words before it in its line. */
type Anchor = { readonly href: string; readonly words: string | null; readonly before: string }

const anyLink = new RegExp(
  `${linkOpen}([^${linkClose}]*)${linkClose}|https?://[^\\s<>"'()\\[\\]{}${linkOpen}，。、）」]+`,
  'giu',
)
/** Words of a link that do not say where it leads. */
const generic =
  /^(?:(?:please )?click(?: here)?|here|this link|link|hier(?: klicken)?|ici|cliquez ici|aquí|haz clic aquí|aqui|clique aqui|qui|clicca qui|premi qui|klik hier|こちら|点击这里|點擊這裡|здесь|по (?:этой )?ссылке|нажмите здесь|перейти|tutaj|kliknij tutaj|buraya|여기)?[.:!>→\s]*$/i

function anchorsOf(line: string): readonly Anchor[] {
  const anchors: Anchor[] = []
  let from = 0
  for (const match of line.matchAll(anyLink)) {
    const before = line.slice(from, match.index).trim()
    const isMarkup = match[1] !== undefined
    const href = match[1] ?? match[0].replace(/[.,;:!?]+$/, '')
    anchors.push({ href, words: isMarkup && !generic.test(before) ? before : null, before })
    from = match.index + match[0].length
  }
  return anchors
}

function parsed(href: string): URL | null {
  const url = href.length <= limits.verifiedLinkCharsMax ? URL.parse(href) : null
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null
}

/** What occurs in the paths and parameters of addresses that verify something. */
const pathSays =
  /verif|valid|confirm|conferm|activ|aktiv|attiv|ativ|reset|passw|contrasen|senha|wachtwoord|haslo|parol|magic|log-?in|sign-?in|signup|register|auth|token|connexion|connect|acces|entra|clave|kennwort|\bmdp\b|bestaetig|bevestig|potwierd|dogrula|onay|weryfik|aktyw|odzysk|zmien-?has|podtver|aktivac|vosstanov|sbros|reimposta|ripristin|convalid|iscrizione|rejestrac|registrac/i
/** What occurs in the paths of addresses that lead elsewhere. */
const pathDenies =
  /unsub|opt-?out|abmeld|abbestell|desinscri|desabonn|disiscri|\bbaja\b|cancelar-(?:in|sub)scri|afmeld|uitschrijv|preferences|privacy|datenschutz|terms|legal|impressum|help|support|\.(?:png|jpe?g|gif|svg|webp|css)$/i
const social = /(?:^|\.)(?:facebook|twitter|x|linkedin|instagram|youtube|tiktok|pinterest)\.com$/i

/** Whether a link verifies something. `own` are the cues of its words, `title` those of the subject. */
function isToVerify(
  url: URL,
  { words }: Anchor,
  own: readonly Cue[],
  lines: readonly string[],
  index: number,
  title: readonly Cue[],
): boolean {
  const address = `${url.pathname} ${[...url.searchParams.keys()].join(' ')}`
  if (pathDenies.test(url.pathname) || social.test(url.hostname)) return false
  const isSecret = hasSecret(url)
  if (has(own, 'confirm') && words !== null) return isSecret || pathSays.test(address)
  if (!isSecret) return false
  const around = words === null && own.length === 0 ? linesAbove(lines, index) : own
  if (has(around, 'leave') && around !== own && !has(around, 'confirm', 'login')) return false
  if (has(around, 'confirm')) return true
  if (has(around, 'login')) return pathSays.test(address) || has(title, 'login', 'confirm')
  return words === null && pathSays.test(address)
}

function has(cues: readonly Cue[], ...kinds: readonly CueKind[]): boolean {
  return cues.some(({ kind }) => kinds.includes(kind))
}

/** The cues of the nearest line above that has any. Lines above another link are about that link. */
function linesAbove(lines: readonly string[], index: number): readonly Cue[] {
  for (let above = index - 1; above >= Math.max(0, index - 2); above--) {
    const line = lines[above] ?? ''
    const cues = linkCuesOf(line.replace(anyLink, ' '))
    if (cues.length > 0) return cues
    if (line.includes('://')) break
  }
  return []
}

/** Whether an address has a part that was made for one person: long and with a digit, or with letters and digits mixed. */
function hasSecret({ pathname, search, hash }: URL): boolean {
  const parts = `${pathname}${search}${hash}`.match(/[\w~.%-]{4,}/g) ?? []
  return parts.some((part) => isLongSecret(part) || part.split(/[^a-z\d]+/i).some(isShortSecret))
}

const isLongSecret = (part: string) => part.length >= 12 && /\d/.test(part) && !datedWords.test(part)
const datedWords = /^(?:\d{4}-\d\d-\d\d.*|\p{L}+(?:[-_.]\p{L}+)*[-_.]?(?:19|20)\d\d)$/iu
/** Written as no word is: "7vYt01kd", "9fcd". */
const isShortSecret = (part: string) =>
  /^(?:(?=\D*\d)(?=\d*[a-f])[\da-f]{4,}|(?=.{4})(?:[a-z]+\d+[a-z]|\d+[a-z]+\d).*)$/i.test(part)
