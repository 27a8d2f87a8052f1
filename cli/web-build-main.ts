/**
 * The script of the process that builds the dashboard: `node cli/web-build-main.ts [FOLDER]`. It builds in another folder
 * and renames that, so an existing build is complete.
 */
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
/** Shorter files hardly shrink. */
const shortBytes = 1_000
/** How many builds of earlier sources are kept, for services that still serve them. */
const earlierMax = 3
/** A process that is ahead for longer than this has stopped working, or runs on another machine. */
const aheadMaxMs = 60_000
const lookMs = 200
/** A build takes seconds: an incomplete one that is older than this is abandoned. */
const abandonedMs = 3_600_000
/** The name of a build: the hash of its sources, followed by the process id if it is still being made (`beside`). */
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
  // They are large, so they are loaded once it is clear that they are needed.
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
      // The policy allows nothing inline, which includes images and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          // Code shared by pages is one file: dozens of files of a few hundred bytes would cost more to request than to read.
          codeSplitting: {
            groups: [{ name: 'shared', test: /\/(?:web\/(?:app|parts)|sdk|svelte)\/|@lucide/, minShareCount: 2 }],
          },
        },
      },
    },
  })
}

/** Waits for a process that started earlier with the same sources, as when several services start at once. */
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

/** Whether a file is ours, and so uses runes; libraries declare that themselves. */
function isOurs(file: string): true | undefined {
  return file.includes('node_modules') ? undefined : true
}

/** Writes a compressed copy of each file in the codings that browsers accept. */
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
    // Another process with the same sources was faster.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await rm(beside, { recursive: true, force: true })
  }
}

/** Removes old builds of other sources, and what ended processes left behind. Other files are not touched. */
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
