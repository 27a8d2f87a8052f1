/** The commands by name. Each is loaded on first use. */
import { loadOnce } from '../core/process/load-once.ts'
import type { Command } from './command.ts'
import { Bad } from './wire/answers.ts'
import type { Parser } from './wire/parser.ts'

type Loads = { readonly [name: string]: () => Promise<Command> }

const plain: Loads = {
  APPEND: async () => (await import('./commands/append.ts')).append,
  AUTHENTICATE: async () => (await import('./commands/authenticate.ts')).authenticate,
  CAPABILITY: async () => (await import('./commands/capability.ts')).capability,
  CHECK: async () => (await import('./commands/noop.ts')).check,
  CLOSE: async () => (await import('./commands/close.ts')).close,
  COMPRESS: async () => (await import('./commands/compress.ts')).compress,
  COPY: async () => (await import('./commands/copy.ts')).copy('seq'),
  CREATE: async () => (await import('./commands/create.ts')).create,
  DELETE: async () => (await import('./commands/delete.ts')).remove,
  ENABLE: async () => (await import('./commands/enable.ts')).enable,
  EXAMINE: async () => (await import('./commands/select.ts')).examine,
  EXPUNGE: async () => (await import('./commands/expunge.ts')).expunge,
  FETCH: async () => (await import('./commands/fetch.ts')).fetch('seq'),
  GETMETADATA: async () => (await import('./commands/metadata.ts')).getMetadata,
  GETQUOTA: async () => (await import('./commands/quota.ts')).getQuota,
  GETQUOTAROOT: async () => (await import('./commands/quota.ts')).getQuotaRoot,
  ID: async () => (await import('./commands/id.ts')).id,
  IDLE: async () => (await import('./commands/idle.ts')).idle,
  LIST: async () => (await import('./commands/list.ts')).list,
  LOGIN: async () => (await import('./commands/login.ts')).login,
  LOGOUT: async () => (await import('./commands/logout.ts')).logout,
  LSUB: async () => (await import('./commands/lsub.ts')).lsub,
  MOVE: async () => (await import('./commands/move.ts')).move('seq'),
  NAMESPACE: async () => (await import('./commands/namespace.ts')).namespace,
  NOOP: async () => (await import('./commands/noop.ts')).noop,
  NOTIFY: async () => (await import('./commands/notify.ts')).notify,
  RENAME: async () => (await import('./commands/rename.ts')).rename,
  REPLACE: async () => (await import('./commands/replace.ts')).replace('seq'),
  SEARCH: async () => (await import('./commands/search.ts')).search('seq'),
  SELECT: async () => (await import('./commands/select.ts')).select,
  SETMETADATA: async () => (await import('./commands/metadata.ts')).setMetadata,
  SETQUOTA: async () => (await import('./commands/quota.ts')).setQuota,
  SORT: async () => (await import('./commands/sort.ts')).sort('seq'),
  STARTTLS: async () => (await import('./commands/starttls.ts')).starttls,
  STATUS: async () => (await import('./commands/status.ts')).status,
  STORE: async () => (await import('./commands/store.ts')).store('seq'),
  SUBSCRIBE: async () => (await import('./commands/subscribe.ts')).subscribeTo,
  THREAD: async () => (await import('./commands/thread.ts')).thread('seq'),
  UNSELECT: async () => (await import('./commands/close.ts')).unselect,
  UNSUBSCRIBE: async () => (await import('./commands/subscribe.ts')).unsubscribeFrom,
}

/** The commands that may follow UID. */
const byUid: Loads = {
  COPY: async () => (await import('./commands/copy.ts')).copy('uid'),
  EXPUNGE: async () => (await import('./commands/expunge.ts')).expungeUids,
  FETCH: async () => (await import('./commands/fetch.ts')).fetch('uid'),
  MOVE: async () => (await import('./commands/move.ts')).move('uid'),
  REPLACE: async () => (await import('./commands/replace.ts')).replace('uid'),
  SEARCH: async () => (await import('./commands/search.ts')).search('uid'),
  SORT: async () => (await import('./commands/sort.ts')).sort('uid'),
  STORE: async () => (await import('./commands/store.ts')).store('uid'),
  THREAD: async () => (await import('./commands/thread.ts')).thread('uid'),
}

export type NamedCommand = { readonly name: string; readonly command: Command }

const loaded = (loads: Loads): ReadonlyMap<string, () => Promise<Command>> =>
  new Map(Object.entries(loads).map(([name, load]) => [name, loadOnce(load)]))
const plainCommands = loaded(plain)
const uidCommands = loaded(byUid)

/** Reads the name of a command. Returns null when no command has that name. */
export async function commandNamed(parser: Parser): Promise<NamedCommand | null> {
  const name = parser.word('The name of a command')
  if (name !== 'UID') return namedIn(plainCommands, name, name)
  if (!parser.takeSpace()) throw new Bad('UID must be followed by a command such as FETCH')
  const second = parser.word('The name of a command')
  return namedIn(uidCommands, second, `UID ${second}`)
}

async function namedIn(
  commands: ReadonlyMap<string, () => Promise<Command>>,
  key: string,
  name: string,
): Promise<NamedCommand | null> {
  const load = commands.get(key)
  return load === undefined ? null : { name, command: await load() }
}
