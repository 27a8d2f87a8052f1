/**
 * Runs before Haraka (`node --import`). Haraka's own delivery requires a Redis client, which is more code than all the rest
 * of Haraka. Our instance has that delivery turned off (config/haraka/outbound.ini), so the client is left out.
 */
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const hooks = registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== 'redis') return nextResolve(specifier, context)
    hooks.deregister()
    return { url: new URL('./no-redis.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
  },
})

// The threads that parse messages load this file too.
if (isMainThread) await import('./lifecycle/printed.ts')
