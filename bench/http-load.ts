/** HTTP clients in a process of their own, in closed loops: each sends the next request when the last one is answered. */
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
  /** How many answers come before time is measured. */
  readonly uncounted: number
  /** Connection c makes the requests c, c + connections and so on, and begins again after the last. */
  readonly requests: readonly HttpRequest[]
}

/** How many requests were answered per second, and the ms that each took. */
export type Timed = { readonly perSecond: number; readonly times: readonly number[] }

const timeoutSeconds = 30
/** How often to check whether all requests are done. */
const lookMs = 20

answerParent(drive)

/** Makes the requests. Rejects if one fails or is refused. */
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
