/** Writes the package's JavaScript and types: `node build.js FOLDER`, with ES modules in `esm` and CommonJS in `cjs`. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const folder = resolve(process.argv[2] ?? join(here, 'dist'))

/** Runs the compiler in the PATH, as npm scripts do. */
function compile(...given) {
  const { status, error } = spawnSync('tsc', ['-p', join(here, 'tsconfig.json'), ...given], { stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

for (const [name, module, type] of [
  ['esm', 'esnext', 'module'],
  ['cjs', 'commonjs', 'commonjs'],
]) {
  const outDir = join(folder, name)
  const common = ['--outDir', outDir, '--module', module, '--verbatimModuleSyntax', String(module === 'esnext')]
  compile(...common, '--declaration', 'false', '--removeComments')
  compile(...common, '--emitDeclarationOnly')
  mkdirSync(outDir, { recursive: true })
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify({ type })}\n`)
}
