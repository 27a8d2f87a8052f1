/** What the server can do (RFC 9051 7.2.2). A capability is listed only in the states in which it can be used. */
import { messageBytesMax } from '../core/imap/append.ts'
import type { Session } from './session.ts'

const always = ['IMAP4rev1', 'IMAP4rev2', 'ID', 'LITERAL+', 'SASL-IR', 'ENABLE']

const afterLogin = [
  'BINARY',
  'CHILDREN',
  'CONDSTORE',
  'CREATE-SPECIAL-USE',
  'ESEARCH',
  'IDLE',
  'LIST-EXTENDED',
  'LIST-STATUS',
  'METADATA',
  'MOVE',
  'MULTIAPPEND',
  'NAMESPACE',
  'NOTIFY',
  'OBJECTID',
  'PARTIAL',
  'PREVIEW',
  'QRESYNC',
  'QUOTA',
  'QUOTA=RES-STORAGE',
  'REPLACE',
  'SAVEDATE',
  'SEARCHRES',
  'SORT',
  'SPECIAL-USE',
  'STATUS=SIZE',
  'THREAD=ORDEREDSUBJECT',
  'THREAD=REFERENCES',
  'UIDPLUS',
  'UNSELECT',
  'UTF8=ACCEPT',
  'WITHIN',
]

/** Returns the capabilities of a session in its present state, separated by spaces. */
export function capabilities({ ctx, state, peer }: Pick<Session, 'ctx' | 'state' | 'peer'>): string {
  if (state !== 'greeted') {
    const compress = peer.isCompressed() ? [] : ['COMPRESS=DEFLATE']
    return [...always, ...afterLogin, `APPENDLIMIT=${messageBytesMax(ctx)}`, ...compress].join(' ')
  }
  const login = peer.isPrivate() ? ['AUTH=PLAIN'] : ['LOGINDISABLED']
  return [...always, ...(peer.canEncrypt() ? ['STARTTLS'] : []), ...login].join(' ')
}
