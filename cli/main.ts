/** The program `mailroom` (cli/bin.js starts it). */
import { runCommand } from './command-line.ts'

const status = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
process.exit(status)
