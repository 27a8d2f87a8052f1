/** A disk whose syncs take longer, for the service and for the peers: what each of them waits for shows more. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const source = fileURLToPath(new URL('./slow-sync.c', import.meta.url))

/** What Postfix imports by default, and cannot do without. */
const imported = 'MAIL_CONFIG MAIL_DEBUG MAIL_LOGTAG TZ LANG=C POSTLOG_SERVICE POSTLOG_HOSTNAME'

/** The environment in which our engine makes each sync take so much longer. */
export const slowEngine = (delayMs: number): { readonly [name: string]: string } =>
  delayMs === 0 ? {} : { ENGINE_SYNC_DELAY_MS: String(delayMs) }

/**
 * The setting `import_environment`, which Postfix and Dovecot both have, with which each sync of theirs takes so much longer, as a line of
 * their configuration; empty for no delay. Compiles what is loaded into them into `dir`, which takes a C compiler (`cc`).
 */
export async function slowPeer(dir: string, delayMs: number): Promise<string> {
  if (delayMs === 0) return ''
  const library = path.join(dir, 'slow-sync.so')
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  return `import_environment = ${imported} LD_PRELOAD=${library} SYNC_DELAY_MS=${delayMs}\n`
}
