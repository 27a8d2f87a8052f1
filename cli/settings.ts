/** Settings: defaults, then the settings file, then the environment. Unknown or invalid ones stop the start (decisions.md 5). */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Failure } from '../schemas/failures.ts'
import { isSetting, listSettings, type NamedSetting, type Settings, settings, variableOf } from '../schemas/settings.ts'
import { isValid, validate } from '../schemas/validate.ts'
import { nearest, unknownName, type Words } from '../schemas/words.ts'
import { movedTo } from './moved-database.ts'

/** An invalid setting; the text names it, and says why it is invalid and what to change. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** Variables with our prefix that are not settings: the settings passed to a process, and what commands need to call other servers. */
const otherVariables = new Set([
  'MAILROOM_SETTINGS',
  'MAILROOM_API_KEY',
  'MAILROOM_URL',
  'MAILROOM_IMPORT_PASSWORD',
  'MAILROOM_EXPORT_PASSWORD',
])

/**
 * Returns the settings of this start. `file` is the settings file (null: only defaults and the environment); relative paths in them
 * are resolved against the working directory. Throws SettingsError.
 */
export function loadSettings({ file, env }: { file: string | null; env: NodeJS.ProcessEnv }): Settings {
  const values = new Map<string, unknown>(listSettings().map((setting) => [setting.name, setting.default]))
  if (file !== null)
    for (const [setting, value] of flatten(readFile(file)))
      values.set(setting.name, checked(setting, setting.name, value, file))
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || otherVariables.has(variable)) continue
    if (isOfKubernetes(variable, text)) throw ofKubernetes(variable)
    const setting = listSettings().find(({ name }) => variableOf(name) === variable)
    if (setting !== undefined)
      values.set(
        setting.name,
        checked(setting, variable, fromText(setting, text), 'The environment', formsOf(variable)),
      )
    else if (variable.startsWith('MAILROOM_')) throw unknownVariable(variable)
  }
  const nested = nest(values) as unknown as Settings
  const data = path.resolve(nested.data)
  return { ...nested, data, mongodbUrl: nested.mongodbUrl ?? movedTo(data) }
}

const require = createRequire(import.meta.url)
/** Loaded only if there is YAML to read: each process of a service reads its settings, most of them without YAML. */
const yaml = () => require('yaml') as typeof import('yaml')

function readFile(file: string): unknown {
  try {
    return yaml().parse(readFileSync(file, 'utf8')) ?? {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SettingsError(`There is no settings file ${file}. Name another with --config, or leave --config out.`)
    // The first line says what is wrong and where; the others only illustrate it.
    const [text = ''] = String(error instanceof Error ? error.message : error).split('\n')
    const fix =
      (error as NodeJS.ErrnoException).syscall === undefined
        ? 'Write it in YAML, as config/mailroom.yaml is.'
        : 'Name a file with --config that this user may read, or leave --config out.'
    throw new SettingsError(`${file} cannot be read: ${text.replace(/:$/, '')}. ${fix}`)
  }
}

/** Whether it is one of the variables that Kubernetes sets in each pod for a Service whose name begins with ours. */
const isOfKubernetes = (variable: string, text: string) =>
  /^MAILROOM_(?:\w+_)?(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP))/.test(variable) ||
  (/^MAILROOM_(?:\w+_)?PORT$/.test(variable) && /^(?:tcp|udp):/.test(text))

const ofKubernetes = (variable: string) =>
  new SettingsError(
    `${variable} in the environment is not a setting: Kubernetes set it as the address of a Service. Write "enableServiceLinks: false" in the spec of the pod.`,
  )

function unknownVariable(variable: string): SettingsError {
  const meant = nearest(
    variable,
    listSettings().map(({ name }) => variableOf(name)),
  )
  const fix = meant === undefined ? 'Unset it; docs/settings.md lists all settings.' : `Set ${meant} instead.`
  return new SettingsError(`Unknown setting ${variable} in the environment. ${fix}`)
}

/** The settings in a tree, with their values. */
function flatten(tree: unknown, declared: object = settings, prefix = ''): [NamedSetting, unknown][] {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
    throw new SettingsError(
      `${prefix === '' ? 'The settings file' : `"${prefix.slice(0, -1)}"`} has no names below it. Write "name: value" there, with one of: ${Object.keys(declared).join(', ')}.`,
    )
  return Object.entries(tree).flatMap(([key, value]): [NamedSetting, unknown][] => {
    if (!Object.hasOwn(declared, key))
      throw settingsError(unknownName('setting', key, Object.keys(declared), prefix + key))
    const node = (declared as { [name: string]: Parameters<typeof isSetting>[0] })[key]!
    return isSetting(node) ? [[{ name: prefix + key, ...node }, value]] : flatten(value, node, `${prefix}${key}.`)
  })
}

function checked(
  { schema }: NamedSetting,
  name: string,
  value: unknown,
  where: string,
  forms?: { readonly [type: string]: string },
): unknown {
  try {
    return validate(schema, value, name)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const form = typeof value === 'string' ? forms?.[String(schema.type)] : undefined
    throw settingsError(form === undefined ? error : { message: error.message, fix: form }, `${where}: `)
  }
}

/** How to write a list or an object in a variable, which is a single text, in a shell. */
const formsOf = (variable: string) => ({
  array: `Write it as ${variable}='[first, second]'.`,
  object: `Write it as ${variable}='{name: value}'.`,
})

function settingsError({ message, fix }: Words, where = ''): SettingsError {
  return new SettingsError(`${where}${message} ${fix}`)
}

/** Returns the text unchanged if the setting accepts it; otherwise parses it as YAML, which also covers numbers, true, lists and JSON. */
function fromText({ schema, refusesEmpty = false }: NamedSetting, text: string): unknown {
  if (isValid(schema, text)) return text
  if (text === '') return isValid(schema, null) && !refusesEmpty ? null : text
  try {
    return isJson(text) ? JSON.parse(text) : yaml().parse(text)
  } catch {
    return text
  }
}

/** Covers most values other than text: numbers, true and false. YAML parses them in the same way. */
const isJson = (text: string) => /^(?:true|false|null|-?(?:0|[1-9][0-9]*))$/.test(text)

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
