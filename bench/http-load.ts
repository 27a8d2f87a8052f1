/** HTTP clients in a process of its own, in a closed loop: each asks again when the last request was answered. */
import autocannon from 'autocannon'
import { answerParent } from './child.ts'

export type HttpRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
}

export type HttpLoad = {
  readonly url: string
  readonly connections: number
  readonly count: number
  /** So many answers come before the time is taken. */
  readonly uncounted: number
  /** Connection c makes request c, c + connections and so on, and begins again after the last. */
  readonly requests: readonly HttpRequest[]
}

/** How many were answered a second, and the ms that each took. */
export type Timed = { readonly perSecond: number; readonly times: readonly number[] }

const timeoutSeconds = 30
/** How often it looks whether all is done. */
const lookMs = 20

answerParent(drive)

/** Rejects when a request failed or was refused. */
function drive({ url, connections, count, uncounted, requests }: HttpLoad): Promise<Timed> {
  const times: number[] = []
  const refused: { [status: number]: number } = {}
  let connection = 0
  const setupClient = (client: autocannon.Client) => {
    const own = connection++
    client.setRequests(requests.filter((_, n) => n % connections === own))
  }
  let [beganAt, endedAt] = [0, 0]
  return new Promise((resolve, reject) => {
    const options = { url, connections, amount: count, timeout: timeoutSeconds, sampleInt: lookMs, setupClient }
    const load = autocannon(options, (error, result) => {
      if (error !== null) reject(error)
      else if (times.length === count)
        resolve({
          perSecond: ((count - uncounted) * 1_000) / (endedAt - beganAt),
          times: times.slice(uncounted),
        })
      else reject(new Error(`Of ${count}: ${result.errors} errors, refused by status: ${JSON.stringify(refused)}.`))
    })
    load.on('response', (_client, status, _bytes, ms) => {
      endedAt = performance.now()
      if (status >= 200 && status < 300) times.push(ms)
      else refused[status] = (refused[status] ?? 0) + 1
      if (times.length === uncounted) beganAt = endedAt
    })
  })
}
