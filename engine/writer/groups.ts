/**
 * Runs statements one after another and commits them in groups.
 *
 * Invariants
 * - Statements run in order of arrival. One that rests continues after those that have arrived in the meantime.
 * - Each step of a statement takes effect whole or not at all: it runs in its own savepoint. The first step of a group needs
 *   none, since undoing it undoes the group, and so saves the pages that a savepoint would set aside.
 * - No answer is sent before the COMMIT that holds its write has returned; with `synchronous=FULL` the write is then on disk.
 * - When a group cannot be committed, all its statements fail, and none of their steps in it takes effect. They end with it: what
 *   their earlier steps prepared is removed before any other statement runs, at once or as soon as the disk has room.
 */
import type { StatementSync } from 'node:sqlite'
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import { errorBody } from '../wire/reply.ts'
import { removeUnfinished } from './builds.ts'
import type { Statement, WriteContext } from './context.ts'

export type Task = {
  readonly id: number
  readonly bytes: number
  readonly start: () => Statement
  /** Called when the statement has ended and its request is not needed any more. */
  readonly ended?: () => void
  statement?: Statement
}

export type Answer = { readonly id: number; readonly body: Document }

export type GroupOptions = {
  readonly syncDelayMs: number
  /** Receives the answers of each group: once it is committed, or with the failure when it cannot be. */
  readonly answer: (answers: readonly Answer[]) => void
  /** Called when the file is broken and nothing can be written any more. */
  readonly fail: (reason: string) => void
}

const sqliteFull = 13
/** Primary result codes after which the file cannot be trusted or written: read-only, I/O, corrupt, cannot open, not a database. */
const sqliteFatal = new Set([8, 10, 11, 14, 26])

export class Groups {
  readonly #ctx: WriteContext
  readonly #options: GroupOptions
  readonly #sql: Readonly<Record<'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'undo', StatementSync>>
  #queue: Task[] = []
  #resting: Task[] = []
  #failed: string | undefined
  #isClear = true

  constructor(ctx: WriteContext, options: GroupOptions) {
    this.#ctx = ctx
    this.#options = options
    const { db } = ctx.store
    this.#sql = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT step'),
      release: db.prepare('RELEASE step'),
      undo: db.prepare('ROLLBACK TO step'),
    }
  }

  get waiting(): number {
    return this.#queue.length + this.#resting.length
  }

  add(task: Task): void {
    this.#queue.push(task)
  }

  /** Removes what unfinished statements left behind. */
  clear(): void {
    try {
      this.#sql.begin.run()
      removeUnfinished(this.#ctx)
      this.#sql.commit.run()
      this.#isClear = true
    } catch (error) {
      this.#rollBack()
      // Each group tries again, so only the first failure is logged.
      if (this.#isClear) log('warn', 'could not remove an unfinished index yet', { reason: reason(error) })
      this.#isClear = false
    }
  }

  /** Runs and commits one group of the waiting statements. */
  runOne(): void {
    const answers: Answer[] = []
    const taken: Task[] = []
    this.#queue.push(...this.#resting.splice(0))
    if (this.#failed !== undefined) {
      this.#refuseAll(this.#failed)
      return
    }
    if (!this.#isClear) this.clear()
    try {
      this.#sql.begin.run()
      const resting = this.#runSteps(taken, answers)
      if (this.#options.syncDelayMs > 0) pause(this.#options.syncDelayMs)
      this.#sql.commit.run()
      this.#resting = resting
    } catch (error) {
      this.#undoGroup(error, taken)
      return
    }
    this.#options.answer(answers)
  }

  #runSteps(taken: Task[], answers: Answer[]): Task[] {
    const resting: Task[] = []
    const until = performance.now() + limits.groupMs
    let bytes = 0
    let at = 0
    while (at < this.#queue.length && taken.length < limits.groupCommands && bytes < limits.groupBytes) {
      const task = this.#queue[at++]!
      taken.push(task)
      bytes += task.bytes
      const body = this.#step(task, taken.length === 1)
      if (body === undefined) {
        resting.push(task)
      } else {
        task.ended?.()
        answers.push({ id: task.id, body })
      }
      if (performance.now() > until) break
    }
    this.#queue = this.#queue.slice(at)
    return resting
  }

  /** Runs one step, and undoes it when it fails. @returns the answer if the statement has ended */
  #step(task: Task, first: boolean): Document | undefined {
    const sql = this.#sql
    const { store } = this.#ctx
    const { catalog } = store
    if (!first) sql.savepoint.run()
    try {
      task.statement ??= task.start()
      const result = task.statement.next()
      if (!first) sql.release.run()
      return result.done === true ? result.value : undefined
    } catch (error) {
      if (sqliteCode(error) !== undefined) throw error
      this.#undoStep(first)
      // Every catalog change replaces the `Catalog` object, so another object means that the step changed the catalog.
      if (store.catalog !== catalog) store.reloadCatalog()
      if (error instanceof EngineError) return errorBody(error)
      log('error', 'statement failed', { reason: reason(error) })
      return errorBody(new EngineError('InternalError', 'the statement failed; see the log of the engine'))
    }
  }

  #undoStep(first: boolean): void {
    this.#ctx.totals.clear()
    if (first) {
      this.#sql.rollback.run()
      this.#sql.begin.run()
    } else {
      this.#sql.undo.run()
      this.#sql.release.run()
    }
  }

  #undoGroup(error: unknown, taken: readonly Task[]): void {
    this.#rollBack()
    const code = sqliteCode(error)
    const text = reason(error)
    log('error', 'group rolled back', { reason: text, sqlite: code })
    const fatal = code === undefined || sqliteFatal.has(code & 0xff)
    const refusal =
      code === sqliteFull
        ? outOfSpace()
        : new EngineError(fatal ? 'InterruptedAtShutdown' : 'InternalError', 'the write could not be committed')
    const rest = new Set(taken)
    this.#queue = this.#queue.filter((task) => !rest.has(task))
    for (const { statement } of taken) statement?.return({})
    if (!fatal) this.clear()
    this.#options.answer(taken.map((task) => ({ id: task.id, body: errorBody(refusal) })))
    if (fatal) {
      this.#failed = text
      this.#options.fail(text)
    }
  }

  #rollBack(): void {
    const { store } = this.#ctx
    if (store.db.isTransaction) store.db.exec('ROLLBACK')
    this.#ctx.totals.clear()
    store.reloadCatalog()
  }

  #refuseAll(text: string): void {
    const refusal = errorBody(new EngineError('NotWritablePrimary', `the store is read-only after a failure: ${text}`))
    const refused = this.#queue
    this.#queue = []
    this.#options.answer(refused.map((task) => ({ id: task.id, body: refusal })))
  }
}

/** The result code of an SQLite error, undefined for any other error. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return Number(error.errcode)
}

function outOfSpace(): EngineError {
  return new EngineError('OutOfDiskSpace', 'no disk space left for the data: the write was not made')
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
