/**
 * What mail programs say by their markup: what is quoted, what announces it, what is a signature. A new program needs its classes
 * and ids here, and nothing elsewhere.
 */

/** An element of a document that means something for the reply. */
export type MailPart = { readonly kind: PartKind }

export type PartKind =
  /** `On <date>, <somebody> wrote:` */
  | 'attribution'
  /** Holds an attribution, quotations, and perhaps answers between them. */
  | 'quotation'
  /** Quoted history, all of it. */
  | 'history'
  /** The history goes from here to the end of the document. */
  | 'rest'
  /** A block that quotes, of which no mail program says that it is a message. */
  | 'citation'
  /** Stands behind a line at its left side. */
  | 'barred'
  /** Stands below a line. */
  | 'ruled'
  | 'forwarded'
  | 'signature'

type Attributes = Readonly<Record<string, string>>

/** What an element means for the reply; null for most. Names of elements and attributes are lower-case. Linear, and quick. */
export function partKindOf(name: string, attributes: Attributes): PartKind | null {
  if (name === 'signature' || name === 'sign') return 'signature'
  const { id = '', class: classes = '', style = '' } = attributes
  if (id !== '' || classes !== '') {
    const named = kindByName([id, ...classes.slice(0, namesCharsMax).split(/\s+/)])
    if (named !== null && !(named === 'quotation' && name === 'blockquote')) return named
  }
  for (const [attribute, values] of byAttribute) {
    const value = attributes[attribute]
    const kind = value === undefined ? undefined : values[value.toLowerCase()]
    if (kind !== undefined) return kind
  }
  if (name === 'blockquote') return isMessage(attributes, classes) ? null : 'citation'
  if (style === '' || name !== 'div') return null
  const start = style.slice(0, styleCharsMax)
  return leftLine.test(start) ? 'barred' : topLine.test(start) ? 'ruled' : null
}

/** Whether HTML may have parts that mean something for the reply; false is sure. Linear. */
export function mayMarkParts(html: string): boolean {
  return anyMark.test(html)
}

/** Whether a blockquote only moves own text to the right, as programs let people do. */
export function isIndentation({ type, cite, class: classes, style = '' }: Attributes): boolean {
  if (type !== undefined || cite !== undefined || (classes ?? '') !== '') return false
  const start = style.slice(0, styleCharsMax)
  return /(?:^|[;\s])border(?:-(?:left|width|style))?\s*:\s*(?:none|0)/i.test(start) && !leftLine.test(start)
}

/** So much of an attribute is looked at. */
const namesCharsMax = 500
const styleCharsMax = 1000

function kindByName(names: readonly string[]): PartKind | null {
  for (const name of names) {
    const bare = name.toLowerCase()
    const kind = byName.get(bare)
    if (kind !== undefined) return kind
    if (/^yahoo_quoted/.test(bare)) return 'history'
    if (signatureName.test(bare)) return 'signature'
  }
  return null
}

/** Classes, ids and names of elements. */
const byName: ReadonlyMap<string, PartKind> = new Map(
  Object.entries({
    attribution: [
      'gmail_attr',
      'gmail_quote_attribution',
      'moz-cite-prefix',
      'reply-intro', // Roundcube
      'airmail_on',
    ],
    quotation: [
      'gmail_quote',
      'gmail_quote_container',
      'nylas-quote',
      'protonmail_quote',
      'zmail_extra',
      'freshdesk_quote',
    ],
    history: [
      'olk_src_body_section', // Outlook for Mac
      'mail-editor-reference-message-container', // Outlook on telephones
      'original-content', // QQ
      'xm_mail_oringinal_describe',
      '_originalcontent', // BlackBerry
      '_persistentheader',
    ],
    rest: [
      'divrplyfwdmsg', // Outlook on the web
      'outlookmessageheader',
      'stopspelling', // Hotmail
      'ec_stopspelling',
      'zwchr', // Zimbra
    ],
    forwarded: ['moz-forward-container'],
    signature: [
      'gmail_signature_prefix',
      'divtagdefaultwrapper_signature',
      'bloop_sign', // Airmail
      'spneditorsign', // NetEase
      'zm-_id_-sgn', // Zoho
      '_rc_sig', // Roundcube
      'applemailsignature',
    ],
  } satisfies Partial<Record<PartKind, readonly string[]>>).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as PartKind] as const),
  ),
)

/** Most programs call it that: `gmail_signature`, `signature_old`, `ydp1a2b3c4signature`; Fastmail `sig4711`. */
const signatureName =
  /^(?:(?:[\w-]*[_-]|ydp[a-z0-9]*)?signature(?:[_-](?:block|container|wrapper|section|old|table|\d+))?|bloop_sign_\d+|sig\d{4,})$/

const byAttribute: readonly (readonly [attribute: string, values: Readonly<Record<string, PartKind>>])[] = [
  // Spark; GMX and WEB.DE
  ['name', { messagesignaturesection: 'signature', messagereplysection: 'quotation', quote: 'history' }],
  ['data-smartmail', { gmail_signature: 'signature' }],
  ['data-signatureblock', { true: 'signature' }],
  ['data-signature-widget', { container: 'signature' }], // Mail.ru
  ['fairemail', { signature: 'signature', reference: 'quotation' }],
  // Zimbra
  [
    'data-marker',
    {
      __sig_pre__: 'signature',
      __sig_post__: 'signature',
      __divider__: 'rest',
      __headers__: 'rest',
      __quoted_text__: 'history',
    },
  ],
]

/** Something that every part has. */
const anyMark = new RegExp(
  [
    'blockquote|signature|<sign|yahoo_quoted|id=["\']?sig\\d|border-(?:top|left)',
    ...byName.keys(),
    ...byAttribute.flatMap(([attribute, values]) => (attribute === 'name' ? Object.keys(values) : [attribute])),
  ].join('|'),
  'i',
)

/** Whether a program says of a blockquote that it holds a message. */
function isMessage({ type, cite, id, style = '', ...others }: Attributes, classes: string): boolean {
  if (type === 'cite' || cite !== undefined || id !== undefined || classes !== '') return true
  const isNamed = Object.keys(others).some((name) => name.startsWith('data-') || name.startsWith('item'))
  return isNamed || leftLine.test(style.slice(0, styleCharsMax))
}

const leftLine = /(?:^|[;\s])border-left(?:-style|-width)?\s*:\s*(?!none|0|initial)[^;]*(?:\d|solid)/i
const topLine = /(?:^|[;\s])border-top(?:-style|-width)?\s*:\s*(?!none|0|initial)[^;]*(?:\d|solid)/i
