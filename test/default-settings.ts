import { isSetting, type Settings, settings } from '../schemas/settings.ts'

type Changed<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { readonly [K in keyof T]?: Changed<T[K]> }
export type SettingsChange = Changed<Settings>

/** Returns the default settings with changes. */
export function defaultSettings(change: SettingsChange = {}): Settings {
  return changedSettings(valuesOf(settings) as Settings, change)
}

/** Returns settings with changes. */
export const changedSettings = (base: Settings, change: SettingsChange) => merged(base, change) as Settings

type Tree = { readonly [name: string]: unknown }

function valuesOf(tree: Tree): Tree {
  const node = ([name, value]: [string, unknown]) => {
    const setting = value as Parameters<typeof isSetting>[0]
    return [name, isSetting(setting) ? setting.default : valuesOf(setting as Tree)]
  }
  return Object.fromEntries(Object.entries(tree).map(node))
}

function merged(base: Tree, change: Tree): Tree {
  const isGroup = (value: unknown): value is Tree =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const both = ([name, value]: [string, unknown]) => {
    const old = base[name]
    return [name, isGroup(old) && isGroup(value) ? merged(old, value) : value]
  }
  return { ...base, ...Object.fromEntries(Object.entries(change).map(both)) }
}
