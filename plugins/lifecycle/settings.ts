import type { Plugin } from '../haraka.d.ts'

type Config = { get(...asked: readonly unknown[]): unknown }

/**
 * Caches the settings that Haraka reads in each session and each transaction, where it would look for two files and copy their
 * contents. They are in the instance folder and do not change while the process runs. Call this at the start.
 */
export function keepSettings(plugin: Plugin): void {
  const { config } = plugin.haraka_require('server') as { config: Config }
  const get = config.get.bind(config)
  const kept = new Map<string, unknown>()
  config.get = (...asked) => {
    if (asked.some((each) => typeof each === 'function')) return get(...asked)
    const key = JSON.stringify(asked)
    if (!kept.has(key)) kept.set(key, get(...asked))
    return kept.get(key)
  }
}
