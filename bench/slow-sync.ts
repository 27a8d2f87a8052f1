/** Makes each sync to disk take longer, for the service and for its peers, so that the cost of waiting for syncs shows. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const source = fileURLToPath(new URL('./slow-sync.c', import.meta.url))

/** The variables that Postfix imports by default, which it needs. */
const imported = 'MAIL_CONFIG MAIL_DEBUG MAIL_LOGTAG TZ LANG=C POSTLOG_SERVICE POSTLOG_HOSTNAME'

/** The environment that makes each sync of our engine take this much longer. */
export const slowEngine = (delayMs: number): { readonly [name: string]: string } =>
  delayMs === 0 ? {} : { ENGINE_SYNC_DELAY_MS: String(delayMs) }

/**
 * A line of configuration for Postfix and Dovecot, which both have the setting `import_environment`: it makes each of their syncs take
 * this much longer. Empty for no delay. Compiles the library that they preload into `dir`, which needs a C compiler (`cc`).
 */
export async function slowPeer(dir: string, delayMs: number): Promise<string> {
  if (delayMs === 0) return ''
  const library = path.join(dir, 'slow-sync.so')
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  return `import_environment = ${imported} LD_PRELOAD=${library} SYNC_DELAY_MS=${delayMs}\n`
}
