/**
 * The master keys of this process, and what the database records of them: which key everything is sealed with, and which others are
 * needed to read. Invariants: everything new is sealed with the key that the database names, or not at all. A process that has not
 * read for `staleMs` which key that is seals nothing. So nothing is sealed with the previous key once every process that used it has
 * reported the new one, or its record has expired (`holderMs`).
 */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { newToken } from '../../schemas/ids.ts'
import type { Settings } from '../../schemas/settings.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { ChangeFeed } from '../../store/changes.ts'
import * as store from '../../store/master-keys.ts'
import type { Store } from '../../store/open.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import { after, type Clock, minuteMs, secondMs } from './clock.ts'
import { type GivenKeys, readKeys } from './key-files.ts'
import { type Keys, keyBytes, type MasterKey, openWith, type Secrets, sealWith, secretsOf } from './secrets.ts'

export type Keyring = {
  /** The id under which the database records this process as a holder of keys. */
  readonly holderId: string
  readonly secrets: Secrets
  /** The keys that this process was given, as of the last read. */
  given(): GivenKeys
  /** Reads the keys and their record in the database, and records there which keys this process has. */
  refresh(): Promise<void>
  /** Refreshes whenever a change note says that the keys changed. */
  follow(changes: ChangeFeed): void
  close(): Promise<void>
}

const refreshMs = 30 * secondMs
const staleMs = 90 * secondMs
/** Longer than `staleMs` by more than the clocks of two nodes can differ. */
const holderMs = 2 * minuteMs

/**
 * Opens the keys of a process. Rejects when a key that the database is sealed with is missing, or when the key files are unusable.
 * `role` says what the process is for. `onError` is called when keys cannot be read again, or when the current one is missing.
 */
export async function openKeyring(
  database: Store,
  {
    settings,
    role,
    clock,
    onError,
  }: {
    readonly settings: Pick<Settings, 'data' | 'secrets'>
    readonly role: string
    readonly clock: Clock
    readonly onError: (error: Error) => void
  },
): Promise<Keyring> {
  let given = await readKeys(settings)
  const noted = await notedKeys(database, given)
  const lacking = lackingKey(noted, given)
  if (noted === null || lacking !== null) throw new Error(lacking ?? '')
  let keys: Keys = {
    held: given.all,
    writing: given.all.get(noted.current) ?? null,
    digestKey: digestKeyOf(noted, given),
  }
  let readAt = performance.now()
  let closed = false
  let asked: string | null = null
  let answered: string | null = null
  const id = `${hostname()}:${process.pid}:${newToken()}`

  async function read(): Promise<void> {
    const ask = asked
    given = await readKeys(settings)
    const at = performance.now()
    const now = await notedKeys(database, given)
    keys = { ...keys, held: given.all, writing: given.all.get(now?.current ?? '') ?? null }
    readAt = at
    answered = ask
    await noteHolder()
    if (keys.writing === null) onError(new Error(lackingKey(now, given) ?? ''))
  }

  async function noteHolder(): Promise<void> {
    const seenAt = clock.now()
    const keyIds = [...given.all.keys()]
    const sealsWith = keys.writing?.id ?? null
    const expiresAt = after(seenAt, holderMs)
    await store.noteKeyHolder(database, {
      _id: id,
      host: hostname(),
      role,
      keyIds,
      sealsWith,
      answered,
      seenAt,
      expiresAt,
    })
  }

  let reading: Promise<void> | null = null
  let again = false
  /** One read at a time; a call during a read makes another one follow. */
  function refresh(): Promise<void> {
    again = true
    reading ??= (async () => {
      try {
        while (again && !closed) {
          again = false
          await read()
        }
      } finally {
        reading = null
      }
    })()
    return reading
  }

  await noteHolder()
  const timer = setInterval(() => refresh().catch(onError), refreshMs).unref()
  let unfollow: (() => void) | null = null
  return {
    holderId: id,
    secrets: secretsOf(() => (performance.now() - readAt > staleMs ? { ...keys, writing: null } : keys)),
    given: () => given,
    refresh,
    follow(changes) {
      unfollow = changes.listen((note) => {
        if (note.kind !== 'secrets') return
        asked = note.ask
        refresh().catch(onError)
      })
    },
    async close() {
      closed = true
      clearInterval(timer)
      unfollow?.()
      await reading?.catch(() => undefined)
      await store.removeKeyHolder(database, id).catch(() => undefined)
    },
  }
}

/**
 * The keys that a database is sealed with; a new database records the given ones. Null when it was sealed with a single key that
 * this process was not given.
 */
async function notedKeys(database: Store, given: GivenKeys): Promise<store.MasterKeys | null> {
  const { master, all } = given
  const noted =
    (await store.readMasterKeys(database)) ?? (await store.claimMasterKeys(database, first(master, random())))
  if (typeof noted !== 'string') return noted
  // A version that had a single key used it for digests too.
  const key = [...all.values()].find(({ fingerprint }) => fingerprint === noted)
  if (key === undefined) return null
  await store.adoptMasterKeys(database, noted, first(key, key.signing))
  return notedKeys(database, given)
}

const random = () => createSecretKey(randomBytes(keyBytes))

function first(key: MasterKey, digestKey: KeyObject): store.MasterKeys {
  return { current: key.id, since: null, previous: [], former: [], digestKey: sealDigestKey(key, digestKey) }
}

/** The key of digests, sealed as the database stores it. */
export function sealDigestKey(key: MasterKey, digestKey: KeyObject): store.MasterKeys['digestKey'] {
  return toSealed(sealWith(key, digestKey.export().toString('base64'), sealedFor.digestKey))
}

export function digestKeyOf({ digestKey }: store.MasterKeys, { all }: Pick<GivenKeys, 'all'>): KeyObject {
  return createSecretKey(openWith(all, fromBinary(digestKey), sealedFor.digestKey), 'base64')
}

/** Says which key of the database this process lacks; null when it has all of them. */
function lackingKey(noted: store.MasterKeys | null, { all, masterAt, folder }: GivenKeys): string | null {
  if (noted === null || !all.has(noted.current))
    return `${masterAt} is not the key that this database was sealed with. Copy secrets/master.key from the data folder of a node that uses the database, or set its secrets.masterKey, and start again.`
  const missing = noted.previous.filter((id) => !all.has(id))
  if (missing.length === 0) return null
  return `The master key was changed, but some secrets are still sealed with an earlier key (${missing.join(', ')}), which this process does not have. Put that key into ${folder} as a file whose name ends in .key, or into secrets.previousKeys, and start again; "mailroom secrets rotate" completes the change.`
}
