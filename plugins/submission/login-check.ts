/**
 * Leaves it to `checkSender` to require a login. Haraka itself requires one on ports that it takes for submission (587 and 465), but
 * knows only logins made by its own plugins, so nobody who logged in here could send.
 */
import type { Connection, Plugin } from '../haraka.d.ts'

type Mailing = Connection & { _relaying: boolean; cmd_mail(line: Buffer): unknown }

export function askForLogins(plugin: Plugin, isSubmission: (connection: Connection) => boolean): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Mailing } }).Connection
  const { cmd_mail: mail } = prototype
  prototype.cmd_mail = function (this: Mailing, line) {
    if (!isSubmission(this)) return mail.call(this, line)
    // Haraka requires no login of those who may relay. Set only for this command: otherwise their mail would take another way after DATA.
    this._relaying = true
    try {
      return mail.call(this, line)
    } finally {
      this._relaying = false
    }
  }
}
