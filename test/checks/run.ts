/** `npm run check -- NAME [options]`: runs the check in `test/checks/NAME.ts`. Its exit status is 1 if the check fails. */
import { existsSync, readdirSync } from 'node:fs'

type Check = { run(args: readonly string[]): Promise<boolean> }

const [name = '', ...args] = process.argv.slice(2)
const file = new URL(`./${name}.ts`, import.meta.url)
if (!/^[a-z][a-z-]*$/.test(name) || name === 'run' || !existsSync(file)) {
  const names = readdirSync(new URL('.', import.meta.url)).map((entry) => entry.replace('.ts', ''))
  console.error(
    `usage: npm run check -- NAME [options]; there are: ${names.filter((known) => known !== 'run').join(', ')}`,
  )
  process.exit(2)
}
const { run } = (await import(file.href)) as Check
process.exit((await run(args)) ? 0 : 1)
