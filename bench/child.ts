/** Runs parts of a bench in processes of their own, each of which answers one question after another. */
import { type ChildProcess, fork, type Serializable } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type Child<Question, Answer> = {
  readonly pid: number
  /** Rejects if the process ends instead of answering. */
  ask(question: Question): Promise<Answer>
  stop(): Promise<void>
}

/** Starts `bench/NAME.ts`, which calls `answerParent`. */
export function startChild<Question extends Serializable, Answer>(name: string): Child<Question, Answer> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const child = fork(file, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  return {
    pid: child.pid ?? 0,
    ask(question) {
      const answer = answerOf<Answer>(child, name)
      child.send(question)
      return answer
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Answers the questions of the parent process until that process ends. A question that fails ends this process. */
export function answerParent<Question, Answer extends Serializable>(
  answer: (question: Question) => Answer | Promise<Answer>,
): void {
  process.on('message', async (question) => process.send?.(await answer(question as Question)))
  process.on('disconnect', () => process.exit(0))
}

function answerOf<Answer>(child: ChildProcess, name: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`bench/${name}.ts ended without an answer.`))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      resolve(answer as Answer)
    })
  })
}
