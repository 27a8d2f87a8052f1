/** Mail in files: mbox, Maildir and single messages, to read and to write. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, lstat, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SystemFlag } from '../../core/imap/flags.ts'
import type { OwnFolder, OwnMessage } from '../../core/transfer/export.ts'
import type { ForeignFolder, ForeignMessage } from '../../core/transfer/import.ts'
import { mboxEntry } from '../../mail/compose/mbox.ts'
import { type MboxMessage, readMbox } from '../../mail/containers/mbox.ts'
import { readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { sentence } from '../io.ts'

/** The files contain mail, so only the owner of the folder may read them. */
const fileMode = 0o600
const folderMode = 0o700

/** The letters for flags in the names of Maildir files and in X-Status fields. */
const flagLetters: { readonly [letter: string]: SystemFlag } = {
  S: 'seen',
  R: 'answered',
  F: 'flagged',
  T: 'deleted',
  D: 'draft',
}
const letterOf = new Map(Object.entries(flagLetters).map(([letter, flag]) => [flag, letter]))

/** Turns a system error about a file into a failure with advice; returns any other error unchanged. */
export function fileFailure(error: unknown): unknown {
  if (!(error instanceof Error && 'errno' in error && 'syscall' in error)) return error
  return new Failure('validation_error', sentence(error.message), {
    cause: error,
    fix: 'Check that it exists and that this user may use it, and run the command again: it continues with what is missing.',
  })
}

// mbox

/** An mbox file as a folder. The flags of a message are in its Status and X-Status fields. */
export function mboxFolder(file: string, folder: string, bytesMax: number): ForeignFolder {
  return { path: folder, messages: mboxMessages(file, bytesMax) }
}

async function* mboxMessages(file: string, bytesMax: number): AsyncGenerator<ForeignMessage> {
  /** How often each message was seen: if a file contains a message twice, both are imported. */
  const times = new Map<string, number>()
  const bytes = createReadStream(file)
  for await (const message of readMbox(bytes as AsyncIterable<Buffer>, bytesMax)) {
    const digest = createHash('sha256').update(message.raw).digest('base64url')
    const nth = (times.get(digest) ?? 0) + 1
    times.set(digest, nth)
    yield {
      identity: `mbox ${digest} ${nth}`,
      sizeBytes: message.raw.length,
      read: async () => ({ ...noted(message), raw: message.raw, receivedAt: message.receivedAt }),
    }
  }
  if (times.size === 0 && bytes.bytesRead > 0)
    throw new Failure('validation_error', `${file} is not an mbox file: no line in it begins a message.`, {
      fix: 'Name a file whose messages begin with lines such as "From ann@example.org Mon Mar  2 10:00:00 2026".',
    })
}

function noted({ raw }: MboxMessage): { flags: ReadonlySet<SystemFlag>; labels: readonly string[] } {
  const { fields } = readHeaders(raw)
  const textOf = (name: string) => fields.find((field) => field.name.toLowerCase() === name)?.value ?? ''
  const flags = new Set<SystemFlag>()
  if (textOf('status').includes('R')) flags.add('seen')
  for (const letter of textOf('x-status')) {
    const flag = letter === 'A' ? 'answered' : letter === 'R' ? null : (flagLetters[letter] ?? null)
    if (flag !== null) flags.add(flag)
  }
  const labels = textOf('x-keywords').split(/[\s,]+/)
  return { flags, labels: labels.filter((label) => label !== '') }
}

/** Writes a folder as an mbox file. Returns the number of messages. */
export async function writeMbox({ messages, path: name }: OwnFolder, to: string): Promise<number> {
  let count = 0
  async function* entries() {
    for await (const { sender, receivedAt, raw, flags, labels } of messages) {
      count += 1
      const status = `Status: ${flags.includes('seen') ? 'RO' : 'O'}\r\n`
      const letters = flags.flatMap((flag) =>
        flag === 'answered' ? 'A' : flag === 'seen' ? [] : (letterOf.get(flag) ?? []),
      )
      const more = letters.length === 0 ? '' : `X-Status: ${letters.join('')}\r\n`
      const keywords = labels.length === 0 ? '' : `X-Keywords: ${labels.filter(isOneWord).join(' ')}\r\n`
      yield mboxEntry({ sender, receivedAt, raw: Buffer.concat([Buffer.from(status + more + keywords), raw]) })
    }
  }
  const file = path.join(to, `${fileNameOf(name)}.mbox`)
  await mkdir(path.dirname(file), { recursive: true, mode: folderMode })
  await pipeline(Readable.from(entries()), createWriteStream(file, { mode: fileMode }))
  return count
}

const isOneWord = (label: string) => /^[\x21-\x2b\x2d-\x7e]+$/.test(label)

// Maildir

/**
 * The folders of a Maildir, including those of Maildir++ (`.Name.Inner`). Inside folders, here and below, only regular files are read:
 * whoever provided them may have added a link to a file that only this user may read, or a pipe, which never ends. Fails with
 * `validation_error` if it is not a Maildir.
 */
export async function* maildirFolders(root: string): AsyncGenerator<ForeignFolder> {
  const inside = await readdir(root)
  if (!inside.includes('cur') && !inside.includes('new'))
    throw new Failure('validation_error', `${root} is not a Maildir: it has no folder "cur" or "new".`, {
      fix: 'Name the folder that contains these.',
    })
  yield { path: 'INBOX', messages: maildirMessages(root) }
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory() || !/^\../.test(entry.name)) continue
    const name = entry.name.slice(1).replaceAll('.', '/')
    yield { path: name, messages: maildirMessages(path.join(root, entry.name)) }
  }
}

async function* maildirMessages(folder: string): AsyncGenerator<ForeignMessage> {
  for (const part of ['cur', 'new']) {
    const inner = path.join(folder, part)
    const entries = (await isFolderItself(inner)) ? await readdir(inner, { withFileTypes: true }) : []
    const names = entries.filter((each) => each.isFile()).map(({ name }) => name)
    for (const name of names.sort()) {
      if (name.startsWith('.')) continue
      const file = path.join(inner, name)
      const { size, mtime } = await stat(file)
      const [base = name, info = ''] = name.split(':2,')
      const letters = part === 'new' ? [] : [...info]
      const flags = new Set(letters.flatMap((letter) => flagLetters[letter] ?? []))
      yield { identity: `maildir ${base}`, sizeBytes: size, read: async () => readOne(file, flags, mtime) }
    }
  }
}

/** Whether it is a folder, and not a link to one. */
async function isFolderItself(at: string): Promise<boolean> {
  try {
    return (await lstat(at)).isDirectory()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Writes a folder as one of a Maildir. Existing messages are left alone. Returns the number of messages. */
export async function writeMaildir({ messages, path: name }: OwnFolder, to: string): Promise<number> {
  const folder =
    name === 'INBOX' ? to : path.join(to, `.${fileNameOf(name).replaceAll('.', '%2E').replaceAll('/', '.')}`)
  for (const part of ['cur', 'new', 'tmp']) await mkdir(path.join(folder, part), { recursive: true, mode: folderMode })
  const there = new Set<string>()
  for (const part of ['cur', 'new'])
    for (const name of await readdir(path.join(folder, part))) there.add(uniqueOf(name))
  let count = 0
  for await (const message of messages) {
    if (!there.has(uniqueNameOf(message))) await deliver(folder, message)
    count += 1
  }
  return count
}

const uniqueNameOf = ({ id, receivedAt }: OwnMessage) => `${Math.floor(receivedAt.getTime() / 1_000)}.${id}.mailroom`

/** The name of a message in a Maildir, without its flags, which may change. */
const uniqueOf = (fileName: string) => fileName.split(':2,')[0] ?? fileName

/** Writes the message aside first, then links it, so that a reader only sees complete messages. */
async function deliver(folder: string, message: OwnMessage): Promise<void> {
  const { raw, receivedAt, flags } = message
  const letters = flags.flatMap((flag) => letterOf.get(flag) ?? []).sort()
  const name = uniqueNameOf(message)
  const aside = path.join(folder, 'tmp', name)
  await writeFile(aside, raw.toString('latin1').replaceAll('\r\n', '\n'), { encoding: 'latin1', mode: fileMode })
  await utimes(aside, receivedAt, receivedAt)
  await link(aside, path.join(folder, 'cur', `${name}:2,${letters.join('')}`)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(aside)
}

// Single messages

/** Files of one message each, or all `.eml` files of folders. */
export async function* emlMessages(files: readonly string[]): AsyncGenerator<ForeignMessage> {
  for (const file of files) {
    const found = await stat(file)
    if (found.isDirectory()) {
      // `withFileTypes` does not follow links to folders.
      const inner = await readdir(file, { recursive: true, withFileTypes: true })
      const mails = inner.filter((each) => each.isFile() && /\.eml$/i.test(each.name))
      yield* emlMessages(mails.map(({ name, parentPath }) => path.join(parentPath, name)))
      continue
    }
    const digest = createHash('sha256')
      .update(await readFile(file))
      .digest('base64url')
    yield {
      identity: `eml ${digest}`,
      sizeBytes: found.size,
      read: async () => readOne(file, new Set(), found.mtime),
    }
  }
}

/** Writes the messages of a folder as files. Returns their number. */
export async function writeEml({ messages, path: name }: OwnFolder, to: string): Promise<number> {
  const folder = path.join(to, fileNameOf(name))
  await mkdir(folder, { recursive: true, mode: folderMode })
  let count = 0
  for await (const { id, raw, receivedAt } of messages) {
    const file = path.join(folder, `${id}.eml`)
    await writeFile(file, raw, { mode: fileMode })
    await utimes(file, receivedAt, receivedAt)
    count += 1
  }
  return count
}

/** Reads the message in a file; null if the file is gone. */
async function readOne(file: string, flags: ReadonlySet<SystemFlag>, receivedAt: Date) {
  try {
    const text = await readFile(file, 'latin1')
    return { raw: Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'), 'latin1'), flags, labels: [], receivedAt }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Turns a folder path into a file path with characters that every file system accepts. */
const fileNameOf = (name: string) =>
  name
    .split('/')
    .map((level) => encodeURIComponent(level).replaceAll('*', '%2A').replaceAll('%20', ' '))
    .join('/')
