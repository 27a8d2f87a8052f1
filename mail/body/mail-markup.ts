/**
 * Reads the markup of mail programs: what is quoted, what announces a quotation, what is a signature. To support another
 * program, add its classes and ids here; nothing else changes.
 */

/** An element of a document that matters for finding the reply. */
export type MailPart = { readonly kind: PartKind }

export type PartKind =
  /** `On <date>, <somebody> wrote:` */
  | 'attribution'
  /** Contains an attribution, quotations, and perhaps answers between them. */
  | 'quotation'
  /** Contains nothing but quoted history. */
  | 'history'
  /** Quoted history extends from here to the end of the document. */
  | 'rest'
  /** A blockquote that no mail program marks as a message. */
  | 'citation'
  /** Has a line at its left side. */
  | 'barred'
  /** Has a line above it. */
  | 'ruled'
  | 'forwarded'
  | 'signature'

type Attributes = Readonly<Record<string, string>>

/** The kind of mail part that an element is; null for most. Names of elements and attributes are lower-case. Linear, and quick. */
export function partKindOf(name: string, attributes: Attributes): PartKind | null {
  if (name === 'signature' || name === 'sign') return 'signature'
  const { id = '', class: classes = '', style = '' } = attributes
  if (id !== '' || classes !== '') {
    const named = kindByName([id, ...classes.slice(0, namesCharsMax).split(/\s+/)])
    if (named !== null && !(named === 'quotation' && name === 'blockquote')) return named
  }
  for (const [attribute, values] of byAttribute) {
    const value = attributes[attribute]?.toLowerCase() ?? ''
    if (Object.hasOwn(values, value)) return values[value] as PartKind
  }
  if (name === 'blockquote') return isMessage(attributes, classes) ? null : 'citation'
  if (style === '' || name !== 'div') return null
  const start = style.slice(0, styleCharsMax)
  return leftLine.test(start) ? 'barred' : topLine.test(start) ? 'ruled' : null
}

/** Whether HTML may contain mail parts; false is certain. Linear. */
export function mayMarkParts(html: string): boolean {
  return anyMark.test(html)
}

/** Whether a blockquote only indents the sender's own text, which some programs let people do. */
export function isIndentation({ type, cite, class: classes, style = '' }: Attributes): boolean {
  if (type !== undefined || cite !== undefined || (classes ?? '') !== '') return false
  const start = style.slice(0, styleCharsMax)
  return /(?:^|[;\s])border(?:-(?:left|width|style))?\s*:\s*(?:none|0)/i.test(start) && !leftLine.test(start)
}

/** How many characters of an attribute are looked at. */
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

/** Classes and ids of elements. */
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

/** The names that most programs use: `gmail_signature`, `signature_old`, `ydp1a2b3c4signature`; Fastmail writes `sig4711`. */
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

/** Finds something that every mail part has. */
const anyMark = new RegExp(
  [
    'blockquote|signature|<sign|yahoo_quoted|id=["\']?sig\\d|border-(?:top|left)',
    ...byName.keys(),
    ...byAttribute.flatMap(([attribute, values]) => (attribute === 'name' ? Object.keys(values) : [attribute])),
  ].join('|'),
  'i',
)

/** Whether a program marks a blockquote as a message. */
function isMessage({ type, cite, id, style = '', ...others }: Attributes, classes: string): boolean {
  if (type === 'cite' || cite !== undefined || id !== undefined || classes !== '') return true
  const isNamed = Object.keys(others).some((name) => name.startsWith('data-') || name.startsWith('item'))
  return isNamed || leftLine.test(style.slice(0, styleCharsMax))
}

const leftLine = /(?:^|[;\s])border-left(?:-style|-width)?\s*:\s*(?!none|0|initial)[^;]*(?:\d|solid)/i
const topLine = /(?:^|[;\s])border-top(?:-style|-width)?\s*:\s*(?!none|0|initial)[^;]*(?:\d|solid)/i
