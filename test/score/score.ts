/**
 * `npm run score -- NAME FILE… [--show]`: compares what Mailroom reads in messages with labelled files, and prints how many cases are
 * exactly right. `README.md` in this folder lists the names and the file formats.
 */
import { charset } from './charset.ts'
import { codes } from './codes.ts'
import { hidden } from './hidden.ts'
import { lens } from './lens.ts'
import { type Outcome, summarise } from './outcomes.ts'
import { repliesBeside } from './reply.ts'
import { replyLibraries } from './reply-libraries.ts'
import { signatures } from './signatures.ts'

/** Reads a labelled file, or a folder of them, and returns the outcome of each case. Throws if the format is unknown. */
export type Scorer = (path: string) => readonly Outcome[]

const scorers: { readonly [name: string]: Scorer } = {
  reply: (path) => repliesBeside(path, replyLibraries()),
  signatures,
  codes,
  hidden,
  charset,
  lens,
}

const args = process.argv.slice(2)
const [name = '', ...paths] = args.filter((argument) => !argument.startsWith('--'))
const scorer = Object.hasOwn(scorers, name) ? scorers[name] : undefined
if (scorer === undefined || paths.length === 0) {
  console.error(`usage: npm run score -- ${Object.keys(scorers).join('|')} FILE... [--show]`)
  process.exit(2)
}
for (const path of paths) console.log(summarise(path, scorer(path), { show: args.includes('--show') }))
