/** The context for the commands of an administrator: the database of the running service, or the one of MONGODB_URL. */
import { connect } from 'node:net'
import { type Context, closeContext, openContext } from '../core/process/context.ts'
import { isAway } from '../core/process/database-away.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import { enginePaths, engineUrl } from './instance.ts'
import { errorText, type Io, sentence } from './io.ts'

/** Makes a command of a function that needs the database: the context is opened before it runs, and closed afterwards. */
export function withContext<Given extends unknown[], Result>(
  work: (ctx: Context, io: Io, ...given: Given) => Promise<Result>,
): (io: Io, ...given: Given) => Promise<Result> {
  return async (io, ...given) => {
    const ctx = await openAdminContext(io.settings())
    try {
      return await work(ctx, io, ...given)
    } catch (error) {
      throw isAway(error) ? goneAway(ctx.settings, error) : error
    } finally {
      await closeContext(ctx)
    }
  }
}

/** Fails with `unavailable` if no database answers. */
export async function openAdminContext(settings: Settings): Promise<Context> {
  const mongodbUrl = settings.mongodbUrl ?? engineUrl(settings.data)
  // Checked first: the driver waits long for a missing socket, and a context would create secrets in a mistyped folder.
  if (settings.mongodbUrl === null && !(await isServing(settings.data))) throw notRunning(settings)
  try {
    return await openContext({ settings: { ...settings, mongodbUrl, log: { level: 'error' } }, role: 'admin' })
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(
      'unavailable',
      sentence(`The database of ${settings.data} cannot be opened: ${errorText(error)}`),
      {
        fix: 'Check that the service runs there (mailroom doctor), and that MONGODB_URL is right if it is set.',
      },
    )
  }
}

/** Whether an embedded engine serves a data folder. */
export function isServing(dataFolder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(enginePaths(dataFolder).socket, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The failure when the service ends while a command runs. */
function goneAway({ data }: Settings, cause: unknown): Failure {
  return new Failure('unavailable', `The database of ${data} does not answer any more.`, {
    cause,
    fix: 'Check that the service runs there, and run the command again.',
  })
}

export function notRunning({ data }: Settings): Failure {
  return new Failure('unavailable', `The service is not running on ${data}.`, {
    fix: 'Start it (mailroom serve), or set MAILROOM_DATA to the folder it runs on.',
  })
}
