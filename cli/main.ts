/** The program `mailroom` (cli/bin.js starts it). */
import { runCommand } from './command-line.ts'

// Whoever read what is written may have gone, as `head` does: the command ends what it does all the same.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const status = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
process.exit(status)
