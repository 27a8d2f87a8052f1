/** `npm run conformance -- NAME`: runs a conformance suite, in `test/conformance/NAME.ts`, against a started service. */
import { existsSync } from 'node:fs'

type Suite = { run(args: readonly string[]): Promise<number> }

const [name = '', ...args] = process.argv.slice(2)
const file = new URL(`./${name}.ts`, import.meta.url)
if (!/^[a-z]+$/.test(name) || name === 'run' || name === 'offer' || !existsSync(file)) {
  console.error('usage: npm run conformance -- mcp [scenario], or -- authorization')
  process.exit(2)
}
const { run } = (await import(file.href)) as Suite
process.exit(await run(args))
