/** `npm run bench -- NAME [options]`: runs the measurement in `bench/NAME.ts`. */
import { existsSync } from 'node:fs'

type Bench = { run(args: readonly string[]): Promise<void> }

const [name = '', ...args] = process.argv.slice(2)
const file = new URL(`./${name}.ts`, import.meta.url)
if (!/^[a-z][a-z-]*$/.test(name) || !existsSync(file)) {
  console.error('usage: npm run bench -- NAME [options]; README.md of this folder lists the names')
  process.exit(2)
}
const { run } = (await import(file.href)) as Bench
await run(args)
