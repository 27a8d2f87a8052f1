/** Shows the shares of busy time in CPU profiles (`--cpu-prof`), of Haraka's plugins or of any threads, including their start. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { table } from './figures.ts'

/** A profile as V8 writes it; times are in microseconds. */
type Profile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type Frame = Profile['nodes'][number]['callFrame']
type Shares = ReadonlyMap<string, number>

/** The busy time of one thread, and the shares that places have in it. */
type Busy = {
  readonly busyMs: number
  /** By the place whose function was running. */
  readonly self: Shares
  /** By the nearest plugin on the call stack; if there is none, by the place at the bottom of the stack. */
  readonly owner: Shares
  /** By the function that was running. */
  readonly functions: Shares
}

const rowsMax = 15
/** A smaller share of a process is not shown. */
const shareMin = 0.005

/** A report of the profiles in a folder that are of processes with plugins, which are Haraka's. */
export function pluginReport(dir: string): string {
  const profiles = profilesIn(dir).filter(({ nodes }) =>
    nodes.some(({ callFrame }) => placeOf(callFrame)?.startsWith('plugins/') === true),
  )
  return profiles.map((profile) => shown(busyOf(profile))).join('\n')
}

/** A report of the threads in the profiles of a folder, the busiest first. */
export function threadReport(dir: string): string {
  return profilesIn(dir)
    .map(busyOf)
    .sort((a, b) => b.busyMs - a.busyMs)
    .map(({ busyMs, functions }) => part(`A thread was busy for ${Math.round(busyMs)} ms. By function`, functions))
    .join('\n')
}

function profilesIn(dir: string): Profile[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name): Profile => JSON.parse(readFileSync(path.join(dir, name), 'utf8')))
}

function part(title: string, shares: Shares): string {
  return `${title}\n\n${table(
    ['where', 'share of busy time'],
    [...shares]
      .sort(([, a], [, b]) => b - a)
      .filter(([, share]) => share >= shareMin)
      .slice(0, rowsMax)
      .map(([where, share]) => [where, `${(share * 100).toFixed(1)} %`]),
  )}\n`
}

function shown({ busyMs, self, owner, functions }: Busy): string {
  return [
    `Haraka was busy for ${Math.round(busyMs)} ms.\n`,
    part('By plugin; replies are written in plugins/lifecycle', owner),
    part('By the place whose code ran', self),
    part('By function', functions),
  ].join('\n')
}

/** The busy time of a profile, by place and function. */
function busyOf({ nodes, samples, timeDeltas }: Profile): Busy {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const [self, owner, functions] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const add = (to: Map<string, number>, key: string, us: number) => to.set(key, (to.get(key) ?? 0) + us)
  let busyUs = 0
  for (const [n, id] of samples.entries()) {
    const us = timeDeltas[n] ?? 0
    const frames: Frame[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) frames.push(byId.get(at)!.callFrame)
    const [leaf] = frames as [Frame]
    if (leaf.functionName === '(idle)' || sleeps(leaf)) continue
    busyUs += us
    const own = placeOf(leaf) ?? 'node'
    add(self, own, us)
    add(functions, `${leaf.functionName || '(anonymous)'} (${fileOf(leaf)})`, us)
    add(owner, ownerOf(frames), us)
  }
  const shares = (of: Map<string, number>): Shares => new Map([...of].map(([key, us]) => [key, us / busyUs]))
  return { busyMs: busyUs / 1_000, self: shares(self), owner: shares(owner), functions: shares(functions) }
}

/**
 * Whether a thread of the engine sleeps in this function: V8 counts a wait for a signal as work. The checkpointer's own work in it
 * cannot be told from its sleep.
 */
function sleeps({ functionName, url }: Frame): boolean {
  return sleepers.some(([name, file]) => functionName === name && url.endsWith(file))
}

const sleepers = [
  ['work', '/engine/writer/worker.ts'],
  ['run', '/engine/writer/checkpointer.ts'],
] as const

function ownerOf(frames: readonly Frame[]): string {
  const places = frames.map(placeOf).filter((place) => place !== null)
  return places.find((place) => place.startsWith('plugins/')) ?? places.at(-1) ?? 'node'
}

/** The plugin, room or package to which a function belongs; null for Node itself. */
function placeOf({ url, functionName }: Frame): string | null {
  if (functionName === '(garbage collector)') return 'garbage collection'
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? []
  if (name !== undefined) return name
  const [, place] =
    /\/((?:plugins|core|mail)\/[^/]+|store|schemas|cli|jobs|api|operations|mcp|engine)\/[^/]/.exec(url) ?? []
  return place ?? null
}

function fileOf({ url, lineNumber }: Frame): string {
  if (url === '') return 'native'
  const [, inPackage] = /.*\/node_modules\/(.*)/.exec(url) ?? []
  return `${inPackage ?? url.replace(`file://${process.cwd()}/`, '')}:${lineNumber + 1}`
}
