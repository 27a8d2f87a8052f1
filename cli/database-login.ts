/** The login with which tools reach the embedded database over TCP, if a setting opens its port. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { authorityOf } from '../schemas/authority.ts'
import type { Settings } from '../schemas/settings.ts'

const passwordBytes = 24

/** The file of the password, which the operator may change. */
export function passwordFile(dataFolder: string): string {
  return path.join(dataFolder, 'secrets', 'database.password')
}

/** The arguments for the engine; creates the password the first time. Empty without `database.port`. */
export async function loginArguments({ data, database }: Settings): Promise<readonly string[]> {
  const { host, port, user } = database
  if (port === null) return []
  const file = passwordFile(data)
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const password = `${randomBytes(passwordBytes).toString('base64url')}\n`
  await writeFile(file, password, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return ['--tcp', authorityOf(host, port), '--user', user, '--password-file', file]
}
