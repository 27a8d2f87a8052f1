/** The script of the process that makes the dashboard: `node cli/web-build-main.ts [FOLDER]`. It is made beside and renamed, so it is whole when it is there. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import { buildFolder } from './web-build.ts'

const web = fileURLToPath(new URL('../web', import.meta.url))
/** A shorter file hardly gets shorter. */
const shortBytes = 1_000
/** Builds of earlier sources that stay, for services that still run from them. */
const earlierMax = 3
/** Whoever is ahead for longer than this has come to a halt, or is a process of another machine. */
const aheadMaxMs = 60_000
const lookMs = 200
/** A build takes seconds: what is older than this and not whole is nobody's. */
const abandonedMs = 3_600_000
/** A build, named by the hash of its sources, and behind a dot what the process of that number makes (`beside`). */
const buildName = /^[\da-f]{32}(?:\.\d+(?:-cache)?)?$/
const compressible = /\.(?:js|css|html|svg)$/

setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
process.on('disconnect', () => process.exit(1))
const folder = process.argv[2] ?? (await buildFolder())
const beside = `${folder}.${process.pid}`
await mkdir(beside, { recursive: true })
await untilNobodyIsAhead()
if (existsSync(folder)) {
  await rm(beside, { recursive: true, force: true })
  process.exit(0)
}
await make()
await compress(beside)
await moveTo(folder)
await removeEarlier()
process.exit(0)

async function make(): Promise<void> {
  // They are large, and come when it is clear that they are needed.
  const { build } = await import('vite')
  const { svelte } = await import('@sveltejs/vite-plugin-svelte')
  await build({
    root: web,
    base: '/app/',
    configFile: false,
    logLevel: 'error',
    cacheDir: `${beside}-cache`,
    plugins: [svelte({ configFile: false, dynamicCompileOptions: ({ filename }) => ({ runes: isOurs(filename) }) })],
    build: {
      outDir: beside,
      emptyOutDir: true,
      target: 'es2024',
      // A policy that takes nothing inline also means pictures and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          // What pages share comes at once: dozens of files of a few hundred bytes would cost more to ask for than to read.
          codeSplitting: {
            groups: [{ name: 'shared', test: /\/(?:web\/(?:app|parts)|sdk|svelte)\/|@lucide/, minShareCount: 2 }],
          },
        },
      },
    },
  })
}

/** Waits for a process that began before with the same sources, as when several services are started at once. */
async function untilNobodyIsAhead(): Promise<void> {
  const until = Date.now() + aheadMaxMs
  while (!existsSync(folder) && Date.now() < until && (await isSomebodyAhead())) await sleep(lookMs)
}

async function isSomebodyAhead(): Promise<boolean> {
  const own = await stat(beside)
  const prefix = `${path.basename(folder)}.`
  const names = await readdir(path.dirname(folder))
  for (const name of names.filter((each) => each.startsWith(prefix) && each !== path.basename(beside))) {
    const other = await stat(path.join(path.dirname(folder), name)).catch(() => null)
    const pid = Number(name.slice(prefix.length))
    if (other === null || !isRunning(pid)) continue
    if (other.birthtimeMs < own.birthtimeMs || (other.birthtimeMs === own.birthtimeMs && pid < process.pid)) return true
  }
  return false
}

function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Libraries say themselves how they are written. */
function isOurs(file: string): true | undefined {
  return file.includes('node_modules') ? undefined : true
}

/** Writes each file once more in the codings that browsers take. */
async function compress(made: string): Promise<void> {
  const names = await readdir(made, { recursive: true })
  for (const name of names.filter((each) => compressible.test(each))) {
    const file = path.join(made, name)
    const content = await readFile(file)
    if (content.length < shortBytes) continue
    const size = { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length } }
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, size))
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

async function moveTo(target: string): Promise<void> {
  try {
    await rename(beside, target)
  } catch (error) {
    // Another process was quicker, with the same sources.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await rm(beside, { recursive: true, force: true })
  }
}

/** Builds of other sources, and what a process that was ended had begun. Nothing else that lies there is touched. */
async function removeEarlier(): Promise<void> {
  const above = path.dirname(folder)
  const names = (await readdir(above)).filter((name) => buildName.test(name) && name !== path.basename(folder))
  const dated = await Promise.all(
    names.map(async (name) => ({
      name,
      at: await stat(path.join(above, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  )
  const isWhole = ({ name }: { readonly name: string }) => !name.includes('.')
  const old = dated
    .filter(isWhole)
    .sort((a, b) => b.at - a.at)
    .slice(earlierMax)
  const left = dated.filter((each) => !isWhole(each) && each.at < Date.now() - abandonedMs)
  for (const { name } of [...old, ...left]) await rm(path.join(above, name), { recursive: true, force: true })
}
