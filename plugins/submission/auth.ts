/** The mechanisms of AUTH: PLAIN (RFC 4616), and LOGIN, which mail programs still use. */

export type Question = { readonly question: string; answer(line: string): Dialogue }
export type Refused = { readonly refused: 'unknownMechanism' | 'malformed' | 'cancelled' }
export type Credentials = { readonly user: string; readonly password: string }
export type Dialogue = Question | Refused | Credentials

/** The longest line of AUTH (RFC 4954 4), without its end. */
export const lineCharsMax = 12_288

/** Returns the first step of the dialogue after `AUTH parameters`. */
export function startAuth(parameters: string): Dialogue {
  const [mechanism = '', initial] = parameters.trim().split(/\s+/)
  if (mechanism.toUpperCase() === 'PLAIN') return initial === undefined ? ask('', plain) : answered(initial, plain)
  if (mechanism.toUpperCase() !== 'LOGIN') return { refused: 'unknownMechanism' }
  const withUser = (user: string) => ask('Password:', (password) => ({ user, password }))
  return initial === undefined ? ask('Username:', withUser) : answered(initial, withUser)
}

function ask(question: string, next: (text: string) => Dialogue): Question {
  return { question: Buffer.from(question).toString('base64'), answer: (line) => answered(line, next) }
}

function answered(line: string, next: (text: string) => Dialogue): Dialogue {
  if (line === '*') return { refused: 'cancelled' }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(line)) return { refused: 'malformed' }
  return next(Buffer.from(line, 'base64').toString('utf8'))
}

/** Reads `[authzid] NUL authcid NUL password`. Acting as another user is not offered. */
function plain(text: string): Dialogue {
  const [asWhom, user, password, ...more] = text.split('\0')
  if (user === undefined || password === undefined || more.length > 0) return { refused: 'malformed' }
  return asWhom === '' || asWhom === user ? { user, password } : { refused: 'malformed' }
}
