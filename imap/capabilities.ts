/** What the server can do (RFC 9051 7.2.2): told only where it is true. */
import type { Session } from './session.ts'

const always = ['IMAP4rev1', 'IMAP4rev2', 'ID', 'LITERAL+', 'SASL-IR', 'ENABLE']

const afterLogin = [
  'CHILDREN',
  'IDLE',
  'LIST-EXTENDED',
  'LIST-STATUS',
  'MOVE',
  'NAMESPACE',
  'SPECIAL-USE',
  'UIDPLUS',
  'UNSELECT',
]

/** The capabilities of a session as it is now, with spaces between them. */
export function capabilities({ state, peer }: Pick<Session, 'state' | 'peer'>): string {
  if (state !== 'greeted') return [...always, ...afterLogin].join(' ')
  const login = peer.isPrivate() ? ['AUTH=PLAIN'] : ['LOGINDISABLED']
  return [...always, ...(peer.canEncrypt() ? ['STARTTLS'] : []), ...login].join(' ')
}
