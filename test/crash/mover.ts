/** A process that moves a database (`node mover.ts FROM TO`) and reports each step on its channel, so that a test can kill it there. */
import { type MoveProgress, moveDatabase } from '../../store/database-move.ts'

export type Said = MoveProgress | { readonly step: 'switched' } | { readonly step: 'failed'; readonly reason: string }

const [from = '', to = ''] = process.argv.slice(2)
const say = (said: Said) => new Promise<void>((resolve) => process.send?.(said, () => resolve()))

try {
  const moved = await moveDatabase({
    from,
    to,
    name: 'elsewhere',
    onProgress: (progress) => void say(progress),
    switchOver: () => say({ step: 'switched' }),
  })
  console.log(JSON.stringify(moved))
} catch (error) {
  await say({ step: 'failed', reason: String(error) })
}
process.disconnect?.()
