/**
 * Runs before Haraka (`node --import`). Haraka's own delivery requires a Redis client, which is more code than all the rest
 * of Haraka; our instance has that delivery turned off (config/haraka/outbound.ini), so the client is left out. And what Haraka and
 * its packages print in plain lines goes into the log, which programs read line by line.
 */
import { registerHooks } from 'node:module'
import { createLog } from '../core/process/log.ts'
import { linesInto } from './lifecycle/log.ts'
import { settings } from './process.ts'

const hooks = registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== 'redis') return nextResolve(specifier, context)
    hooks.deregister()
    return { url: new URL('./no-redis.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
  },
})

const log = createLog(settings(), 'smtp')
Object.defineProperties(process, {
  stdout: { value: linesInto(log, 'INFO') },
  stderr: { value: linesInto(log, 'WARN') },
})
