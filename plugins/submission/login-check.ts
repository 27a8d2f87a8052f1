/**
 * Leaves it to `checkSender` who has to log in. Haraka asks for that by itself where it takes the port for one of submission (587
 * and 465), and knows only logins by plugins of its own: nobody who logged in here could send.
 */
import type { Connection, Plugin } from '../haraka.d.ts'

type Mailing = Connection & { _relaying: boolean; cmd_mail(line: Buffer): unknown }

export function askForLogins(plugin: Plugin, isSubmission: (connection: Connection) => boolean): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Mailing } }).Connection
  const { cmd_mail: mail } = prototype
  prototype.cmd_mail = function (this: Mailing, line) {
    if (!isSubmission(this)) return mail.call(this, line)
    // Who may relay is not asked. Only for this command: a message of who may relay would take another way after DATA.
    this._relaying = true
    try {
      return mail.call(this, line)
    } finally {
      this._relaying = false
    }
  }
}
