/** The program `mailroom` (cli/bin.js starts it). */
import { runCommand } from './command-line.ts'

// The reader of the output may be gone, as with `head`; the command still finishes its work.
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
