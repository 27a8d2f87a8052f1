/**
 * `npm run check -- extraction [FOLDER]`: reads the files of test/fixtures/files, and those in FOLDER, as Intake does, and compares the
 * words of each with what a Debian tool reads. Then it reads hostile files in full size and prints the time and memory they took.
 * A format whose tool is not installed is skipped, with a line that says so.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ExtractedText } from '../../core/extraction/extract.ts'
import { extractionLimits } from '../../core/extraction/extraction.ts'
import { mediaTypeOf } from '../../mail/message/media-types.ts'
import { exhaustingFiles, hostileFiles } from '../core/extraction/hostile.ts'
import { type Extractor, openExtractor } from '../start/extraction.ts'

const fixtures = fileURLToPath(new URL('../fixtures/files/', import.meta.url))

const office = ['soffice', '--headless', '--cat', 'FILE']
/** Exports all sheets, with cells as they are displayed. */
const csv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1'
const officeSheets = ['soffice', '--headless', '--convert-to', csv, '--outdir', 'FOLDER', 'FILE']

/** By extension: the commands that write the text of a file to standard output or to files in a folder; the fastest first. */
const tools: Readonly<Record<string, readonly (readonly string[])[]>> = {
  pdf: [['pdftotext', '-q', '-layout', 'FILE', '-']],
  doc: [['catdoc', '-w', '-d', 'utf-8', 'FILE'], ['antiword', '-m', 'UTF-8.txt', 'FILE'], office],
  docx: [['docx2txt', 'FILE', '-'], ['pandoc', '-t', 'plain', 'FILE'], office],
  odt: [['odt2txt', '--encoding=UTF-8', 'FILE'], office],
  ods: [officeSheets],
  rtf: [['unrtf', '--quiet', '--text', 'FILE'], office],
  xls: [['xls2csv', '-d', 'utf-8', 'FILE'], officeSheets],
  xlsx: [['xlsx2csv', '--all', 'FILE'], officeSheets],
  html: [['pandoc', '-f', 'html', '-t', 'plain', 'FILE']],
}

/** The minimum for both shares: the tool's words that we read too, and our words that the tool read too. */
const foundMin = 0.9
const betweenLooks = 64 * 1024 * 1024

/** @returns whether the words agree for every format whose tool is installed, and no hostile file exceeded the limits */
export async function run([folder]: readonly string[]): Promise<boolean> {
  const extractor = openExtractor()
  try {
    const isSame = await compareAll(extractor, folder === undefined ? [fixtures] : [fixtures, folder])
    return (await readHostile(extractor)) && isSame
  } finally {
    await extractor.close()
  }
}

async function compareAll(extractor: Extractor, folders: readonly string[]): Promise<boolean> {
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
  const missing = new Set<string>()
  let compared = 0
  let isGood = true
  for (const file of files) {
    const extension = path.extname(file).slice(1)
    const commands = tools[extension] ?? []
    if (commands.length === 0) continue
    const name = path.basename(file)
    const answer = await extractor.read(readFileSync(file), { name, contentType: mediaTypeOf(name) })
    const best = await bestAgreement(answer, commands, file, missing)
    if (best === null) continue
    compared += 1
    isGood &&= best.found >= foundMin
    const mark = best.found >= foundMin ? ' ' : '!'
    const { cpuMs = 0 } = extractor.costs.at(-1) ?? {}
    console.log(
      `${mark} ${name.padEnd(40)} ${best.tool.padEnd(9)} found ${percent(best.found)}  shared ${percent(best.shared)}  ${cpuMs.toFixed(0).padStart(4)} ms  ${best.lost}`,
    )
  }
  for (const tool of missing) console.log(`skipped: ${tool} is not installed`)
  console.log(`${compared} files compared`)
  return isGood
}

const percent = (share: number) => `${(share * 100).toFixed(1).padStart(5)} %`

/**
 * The best agreement among the installed tools; the search ends with the first tool that agrees well enough. Several are tried because
 * each has faults: cells run together without a space, numbers lose their formats, the author appears in the text. Null if none
 * is installed.
 */
async function bestAgreement(
  answer: ExtractedText | null,
  commands: readonly (readonly string[])[],
  file: string,
  missing: Set<string>,
): Promise<(Agreement & { readonly tool: string }) | null> {
  const hidden = (answer?.hidden ?? []).map(({ excerpt }) => excerpt).join(' ')
  let best: (Agreement & { readonly tool: string }) | null = null
  for (const command of commands) {
    const theirs = await textBy(command, file, missing)
    if (theirs === null) continue
    const found = agreement(answer?.text ?? '', theirs, hidden)
    if (best === null || found.found > best.found) best = { ...found, tool: command[0] ?? '' }
    if (best.found >= foundMin) break
  }
  return best
}

/** The text that a tool writes; empty if it fails on the file. Null if the tool is not installed. */
async function textBy(command: readonly string[], file: string, missing: Set<string>): Promise<string | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-extraction-'))
  const [tool = '', ...args] = command.map((each) => (each === 'FILE' ? file : each === 'FOLDER' ? folder : each))
  try {
    const { stdout } = await promisify(execFile)(tool, args, { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 })
    if (!command.includes('FOLDER')) return stdout
    return readdirSync(folder)
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
      .join('\n')
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT') return ''
    missing.add(tool)
    return null
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Agreement = { readonly found: number; readonly shared: number; readonly lost: string }

/** The share of the tool's words that we read too, without those we report as hidden, and the share of our words that the tool read too. */
function agreement(ours: string, theirs: string, hidden: string): Agreement {
  const [own, other, unseen] = [wordsOf(ours), wordsOf(theirs), wordsOf(hidden)]
  const counted = new Map<string, number>()
  for (const word of own) counted.set(word, (counted.get(word) ?? 0) + 1)
  const isTold = new Set(unseen)
  const lost: string[] = []
  let found = 0
  for (const word of other) {
    const left = counted.get(word) ?? 0
    counted.set(word, left - 1)
    if (left > 0) found += 1
    else if (!isTold.has(word)) lost.push(word)
  }
  return {
    // If the tool reads nothing, only an empty text agrees with it.
    found:
      other.length === 0 ? Number(own.length === 0) : found + lost.length === 0 ? 1 : found / (found + lost.length),
    shared: own.length === 0 ? 1 : found / own.length,
    lost: lost.slice(0, 8).join(' '),
  }
}

/** Words and numbers, without leading zeros, which differ between formats of the same date. */
const wordsOf = (text: string) =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).map((word) => word.replace(/^0+(?=\d)/, ''))

async function readHostile(extractor: Extractor): Promise<boolean> {
  const { cpuMsMax, memoryBytesMax } = extractionLimits
  let isGood = true
  for (const [what, make, name] of [...hostileFiles, ...exhaustingFiles]) {
    const content = make(1)
    const [costs, errors] = [extractor.costs.length, extractor.errors.length]
    const answer = await extractor.read(content, { name, contentType: 'application/octet-stream' })
    const { cpuMs, peakBytes } = extractor.costs.slice(costs).at(-1) ?? { cpuMs: 0, peakBytes: 0 }
    const isWithin = cpuMs <= cpuMsMax * 1.2 && peakBytes <= memoryBytesMax + betweenLooks
    isGood &&= isWithin
    const end = extractor.errors[errors] ?? (answer === null ? 'no text' : `${[...answer.text].length} characters`)
    console.log(
      `${isWithin ? ' ' : '!'} ${what.padEnd(48)} ${(content.length / 1e6).toFixed(1).padStart(5)} MB  ${cpuMs.toFixed(0).padStart(6)} ms  peak ${(peakBytes / 1e6).toFixed(0).padStart(4)} MB  ${end}`,
    )
  }
  return isGood
}
