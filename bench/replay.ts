/** Repeats the commands of a log (command-log.ts) by the database driver alone, in a process of its own. */
import { openStore, type Store } from '../store/open.ts'
import { asSent, commandOf, type Document } from '../test/peers/wire-messages.ts'
import { answerParent } from './child.ts'
import { type Noted, outcomeOf, readLog } from './command-log.ts'

/** `read` reads the commands of a log, `make` sends the commands that were read. */
export type Replay = { readonly read: string } | { readonly make: 'all'; readonly url: string }

export type Replayed = {
  readonly seconds: number
  readonly commands: number
  /** How many commands had another outcome than in the log. */
  readonly different: number
}

/** The fields that a driver adds to a command by itself. */
const ofConnection = ['$db', 'lsid', 'txnNumber', '$clusterTime', '$readPreference', 'apiVersion'] as const

type Made = Pick<Noted, 'began' | 'ended' | 'outcome'> & { readonly db: string; readonly command: Document }

let opened: Store | undefined
let commands: readonly Made[] = []

answerParent<Replay, Replayed | number>(async (question) => {
  if ('read' in question) {
    commands = preparedFrom(question.read)
    return commands.length
  }
  opened ??= await openStore({ url: question.url, role: 'bench' })
  const began = performance.now()
  const different = await makeAll(opened, commands)
  return { seconds: (performance.now() - began) / 1_000, commands: commands.length, different }
})

function preparedFrom(file: string): readonly Made[] {
  return readLog(file).map(({ message, ...rest }) => {
    const command = commandOf(Buffer.from(message), asSent)
    const db = String(command.$db)
    for (const field of ofConnection) delete command[field]
    return { ...rest, db, command }
  })
}

/**
 * Sends each command as soon as all those have ended that, in the log, had ended before it began. Returns how many have another
 * outcome.
 */
async function makeAll(store: Store, byEnd: readonly Made[]): Promise<number> {
  const byBeginning = byEnd.toSorted((a, b) => a.began - b.began)
  const done = new Set<Made>()
  let ended = 0
  let next = 0
  let different = 0
  const all = Promise.withResolvers<number>()
  const goOn = () => {
    while (ended < byEnd.length && done.has(byEnd[ended]!)) done.delete(byEnd[ended++]!)
    if (ended === byEnd.length) all.resolve(different)
    const open = byEnd[ended]
    while (next < byBeginning.length && byBeginning[next]!.began < (open?.ended ?? Number.POSITIVE_INFINITY)) {
      const one = byBeginning[next++]!
      make(store.db, one).then((isSame) => {
        if (!isSame) different += 1
        done.add(one)
        goOn()
      }, all.reject)
    }
  }
  goOn()
  return all.promise
}

/** Sends one command. Returns whether its outcome is that of the log. */
async function make({ client }: Store['db'], { db, command, outcome }: Made): Promise<boolean> {
  const answer = await client
    .db(db)
    .command(command)
    .catch((error: { readonly errorResponse?: Document }) => {
      if (error.errorResponse === undefined) throw error
      return error.errorResponse
    })
  const now = outcomeOf(answer)
  return Object.entries(outcome).every(([count, value]) => now[count] === value)
}
