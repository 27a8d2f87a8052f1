/** `mailroom db move`: between the embedded database and a deployment, or between two deployments, while mail keeps arriving. */
import { mkdir } from 'node:fs/promises'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import { requireDurable } from '../store/connection-string.ts'
import { cancelMove, type MovedCollection, type MoveProgress, moveDatabase } from '../store/database-move.ts'
import { isServing } from './admin-context.ts'
import { explained, paced, withEngine } from './database.ts'
import { enginePaths, engineUrl } from './instance.ts'
import { type Io, print } from './io.ts'
import { movedTo, noteMoved } from './moved-database.ts'

const embedded = 'embedded'

export const move = explained(async (io: Io, target: string | undefined, { cancel }: { readonly cancel: boolean }) => {
  const settings = io.settings()
  if (cancel) {
    await withSource(settings, cancelMove)
    print(io, { cancelled: true })
    return 0
  }
  if (target === undefined)
    throw new Failure('validation_error', 'The target is missing.', {
      fix: `Name a connection string, or "${embedded}" for the data folder; or --cancel.`,
    })
  // Checked before the move, because the move changes the file in the data folder.
  const goesOn = isByFile(settings)
  const moved =
    target === embedded
      ? await moveHere(io, settings)
      : await withSource(settings, (from) => moveTo(io, settings, { from, target }))
  print(io, ...moved)
  const documents = moved.reduce((sum, { documents: own }) => sum + own, 0)
  print(io, { moved: true, to: withoutPassword(target), collections: moved.length, documents })
  if (goesOn)
    io.err('The service continues with the new database on its own, and so does every start on this data folder.\n')
  else
    io.err(
      'Change MONGODB_URL (or mongodbUrl of the settings) on all nodes, and start them again: until then mail is answered 451.\n',
    )
  return 0
})

/** Whether the location of the database comes from the data folder rather than from a setting. */
const isByFile = ({ mongodbUrl, data }: Settings) => mongodbUrl === null || mongodbUrl === movedTo(data)

async function moveTo(
  io: Io,
  settings: Settings,
  { from, target }: { readonly from: string; readonly target: string },
): Promise<readonly MovedCollection[]> {
  requireDurable(target)
  const isOwn = isByFile(settings)
  const switchOver = async () => {
    if (isOwn) await noteMoved(settings.data, target)
  }
  return moveDatabase({ from, to: target, name: withoutPassword(target), onProgress: progressOn(io), switchOver })
}

/** Moves the database into the data folder, whose engine is not running. */
async function moveHere(io: Io, settings: Settings): Promise<readonly MovedCollection[]> {
  const { mongodbUrl: from, data } = settings
  if (from === null)
    throw new Failure('validation_error', 'The database is already in the data folder.', {
      fix: 'Set MONGODB_URL to the deployment from which it is to be moved.',
    })
  const isOwn = isByFile(settings)
  const { folder } = enginePaths(data)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const to = { name: `the data folder ${data}`, onProgress: progressOn(io), switchOver: async () => undefined }
  const moved = await withEngine(folder, (url) => moveDatabase({ from, to: url, ...to }))
  // Only now, because whoever starts the engine needs the folder exclusively.
  if (isOwn) await noteMoved(data, null)
  return moved
}

/** The database that the settings name: of a running service, or of a data folder that is not in use. */
async function withSource<Result>(settings: Settings, work: (url: string) => Promise<Result>): Promise<Result> {
  const { mongodbUrl, data } = settings
  if (mongodbUrl !== null) return work(mongodbUrl)
  return (await isServing(data)) ? work(engineUrl(data)) : withEngine(enginePaths(data).folder, work)
}

function progressOn({ err }: Io): (progress: MoveProgress) => void {
  const everySecond = paced()
  return (progress) => {
    if (progress.step === 'holding') return err('holding: mail is answered 451 for a moment\n')
    if (progress.step === 'catching up') return everySecond(() => err(`catching up: ${progress.documents} documents\n`))
    const { step, collection, documents } = progress
    const of = step === 'copying' ? ` of ${progress.of}` : ''
    everySecond(() => err(`${step} ${collection}: ${documents}${of}\n`))
  }
}

const withoutPassword = (url: string) => url.replace(/\/\/[^/@]*@/, '//')
