/** Settings: defaults, then the settings file, then the environment. Unknown or wrong ones refuse to start (decisions.md 5). */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { Failure } from '../schemas/failures.ts'
import { isSetting, listSettings, type NamedSetting, type Settings, settings, variableOf } from '../schemas/settings.ts'
import { isValid, validate } from '../schemas/validate.ts'

/** A setting that cannot be taken; the text names it and says why. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** Variables with our prefix that are not settings. */
const otherVariables = new Set(['MAILROOM_SETTINGS'])

/**
 * The settings of this start. `file` is the settings file (absent: defaults only); relative paths in them are taken from
 * the working directory. Throws SettingsError.
 */
export function loadSettings({ file, env }: { file: string | null; env: NodeJS.ProcessEnv }): Settings {
  const values = new Map<string, unknown>(listSettings().map((setting) => [setting.name, setting.default]))
  const known = new Map(listSettings().map((setting) => [setting.name, setting]))
  if (file !== null)
    for (const [name, value] of flatten(readFile(file))) values.set(name, checked(known.get(name), name, value, file))
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || otherVariables.has(variable)) continue
    const setting = [...known.values()].find(({ name }) => variableOf(name) === variable)
    if (setting !== undefined)
      values.set(setting.name, checked(setting, variable, fromText(setting, text), 'the environment'))
    else if (variable.startsWith('MAILROOM_'))
      throw new SettingsError(`Unknown setting ${variable} in the environment.`)
  }
  const nested = nest(values) as unknown as Settings
  return { ...nested, data: path.resolve(nested.data) }
}

function readFile(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    throw new SettingsError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Dotted names and values, down to what is declared a setting. */
function flatten(tree: unknown, declared: object = settings, prefix = ''): [string, unknown][] {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
    throw new SettingsError(`${prefix === '' ? 'The settings file' : prefix.slice(0, -1)} must be a mapping.`)
  return Object.entries(tree).flatMap(([key, value]): [string, unknown][] => {
    const node = (declared as { [name: string]: Parameters<typeof isSetting>[0] | undefined })[key]
    if (node === undefined) throw new SettingsError(`Unknown setting ${prefix}${key}.`)
    return isSetting(node) ? [[prefix + key, value]] : flatten(value, node, `${prefix}${key}.`)
  })
}

function checked(setting: NamedSetting | undefined, name: string, value: unknown, where: string): unknown {
  if (setting === undefined) throw new SettingsError(`Unknown setting ${name} in ${where}.`)
  try {
    return validate(setting.schema, value)
  } catch (error) {
    if (error instanceof Failure)
      throw new SettingsError(`${name} in ${where}: ${error.message.replace(/^The body/, 'it')}`)
    throw error
  }
}

/** Text as it stands when the setting takes text; else read as YAML, which also reads numbers, true, lists and JSON. */
function fromText(setting: NamedSetting, text: string): unknown {
  if (isValid(setting.schema, text)) return text
  if (text === '' && isValid(setting.schema, null)) return null
  try {
    return parse(text)
  } catch {
    return text
  }
}

type Node = { [name: string]: unknown }

function nest(values: ReadonlyMap<string, unknown>): object {
  const root: Node = {}
  for (const [name, value] of values) {
    const steps = name.split('.')
    const parent = steps.slice(0, -1).reduce((node, step) => {
      node[step] ??= {}
      return node[step] as Node
    }, root)
    parent[steps.at(-1)!] = value
  }
  return root
}
