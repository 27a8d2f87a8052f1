/** Builds the threads of THREAD (RFC 5256 3): by subject, or by the references between messages. */
import { baseSubject, isReplySubject } from '../../mail/message/threading.ts'
import type { Pace } from '../pace.ts'
import type { Uid } from '../wire/numbers.ts'
import { folded } from './keys.ts'
import { sortedAtPace } from './paced-sort.ts'
import { type Sortable, sentAt } from './sort.ts'

export const threadings = ['ORDEREDSUBJECT', 'REFERENCES'] as const
export type Threading = (typeof threadings)[number]

/** A message with its replies. `uid` is null for a message that others refer to and that is not among the messages. */
export type Node = { readonly uid: Uid | null; readonly children: readonly Node[] }

/** Returns the threads, in the order of their first messages. */
export async function threadsOf(messages: readonly Sortable[], by: Threading, pace: Pace): Promise<readonly Node[]> {
  const inOrder = await sortedAtPace(messages, compareSent, pace)
  return by === 'REFERENCES' ? byReferences(inOrder, pace) : bySubject(inOrder)
}

const compareSent = (a: Sortable, b: Sortable) => sentAt(a) - sentAt(b) || a.uid - b.uid

const subjectOf = ({ fields: { subject } }: Sortable) => folded(baseSubject(subject ?? ''))

/** Makes all messages with one subject replies to the first of them. */
function bySubject(messages: readonly Sortable[]): readonly Node[] {
  const groups = [...Map.groupBy(messages, subjectOf).values()]
  return groups.map(([first, ...others]) => ({
    uid: first!.uid,
    children: others.map(({ uid }) => ({ uid, children: [] })),
  }))
}

type Container = { message: Sortable | null; parent: Container | null; children: Container[] }

/** The algorithm REFERENCES of RFC 5256 3; the comments below name its steps. */
async function byReferences(messages: readonly Sortable[], pace: Pace): Promise<readonly Node[]> {
  const containers = await linked(messages, pace)
  // Steps 2 and 3: a message without a parent begins a thread; a missing message is replaced by its children.
  const tops = [...containers.values()].filter(({ parent }) => parent === null)
  boundDepth(tops)
  const roots = pruned(tops, true)
  // Step 4: sort the threads by their first messages.
  await pace()
  const ordered = await sortedAtPace(roots, byFirst(), pace)
  // Step 5: merge threads with the same subject. Step 6: sort them, and the replies within each.
  const joined = joinedBySubject(ordered)
  await pace()
  const compare = byFirst()
  const nodes: Node[] = []
  for (const root of await sortedAtPace(joined, compare, pace)) {
    nodes.push(nodeOf(root, compare))
    await pace()
  }
  return nodes
}

/** Step 1: links messages to their parents. Returns them by Message-ID. */
async function linked(messages: readonly Sortable[], pace: Pace): Promise<ReadonlyMap<string, Container>> {
  const containers = new Map<string, Container>()
  const at = (id: string): Container => {
    const known = containers.get(id)
    if (known !== undefined) return known
    const made: Container = { message: null, parent: null, children: [] }
    containers.set(id, made)
    return made
  }
  for (const message of messages) {
    const { messageIdHeader, references, inReplyTo } = message.fields
    const given = messageIdHeader === undefined ? undefined : containers.get(messageIdHeader)
    // A second message with the same Message-ID, or one without any, gets a container of its own.
    const isTaken = messageIdHeader === undefined || (given !== undefined && given.message !== null)
    const own = at(isTaken ? `\0${message.uid}` : messageIdHeader)
    own.message = message
    const named = references.length > 0 ? references : inReplyTo === null ? [] : [inReplyTo]
    let parent: Container | null = null
    for (const id of named) {
      const container = at(id)
      if (parent !== null && container.parent === null && container !== parent && !isAbove(container, parent))
        adopt(parent, container)
      parent = container
    }
    if (own.parent !== null) own.parent.children = own.parent.children.filter((each) => each !== own)
    own.parent = null
    if (parent !== null && parent !== own && !isAbove(own, parent)) adopt(parent, own)
    const rest = pace()
    if (rest !== null) await rest
  }
  return containers
}

function adopt(parent: Container, child: Container): void {
  child.parent = parent
  parent.children.push(child)
}

/** Whether one is an ancestor of another, or is it. A chain longer than `stepsMax` counts as yes, to bound the time. */
function isAbove(above: Container, below: Container): boolean {
  let steps = 0
  for (let each: Container | null = below; each !== null; each = each.parent)
    if (each === above || ++steps > stepsMax) return true
  return false
}

const stepsMax = 1_000

/** Levels of replies. Deeper replies all become children of the message at this level; else hostile references could exhaust the stack. */
const depthMax = 200

function boundDepth(roots: readonly Container[]): void {
  let level = roots
  for (let depth = 1; level.length > 0; depth++) {
    if (depth === depthMax) for (const container of level) container.children = allBelow(container)
    level = depth === depthMax ? [] : level.flatMap(({ children }) => children)
  }
}

/** Detaches and returns everything below a container, as a flat list. */
function allBelow(container: Container): Container[] {
  const found: Container[] = []
  for (let level = container.children; level.length > 0; ) {
    const next = level.flatMap(({ children }) => children)
    for (const each of level) each.children = []
    found.push(...level)
    level = next
  }
  return found
}

/** Step 3: removes missing messages, except a top one with several children. */
function pruned(containers: readonly Container[], isTop: boolean): Container[] {
  return containers.flatMap((container) => {
    container.children = pruned(container.children, false)
    if (container.message !== null) return [container]
    if (container.children.length === 0) return []
    return isTop && container.children.length > 1 ? [container] : container.children
  })
}

type Compare = (a: Container, b: Container) => number

/** Returns the earliest message of a container. A missing message occurs only at the top and has children. */
function firstOf({ message, children }: Container): Sortable | null {
  if (message !== null) return message
  let first: Sortable | null = null
  for (const child of children) {
    const other = firstOf(child)
    if (other !== null && (first === null || compareSent(other, first) < 0)) first = other
  }
  return first
}

/** Compares containers by their first messages. It caches those, so it is valid only while no container changes. */
function byFirst(): Compare {
  const known = new Map<Container, Sortable | null>()
  const first = (container: Container) => {
    if (container.message !== null) return container.message
    const found = known.get(container) ?? firstOf(container)
    known.set(container, found)
    return found
  }
  return (a, b) => {
    const [x, y] = [first(a), first(b)]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return compareSent(x, y)
  }
}

/** Step 5: merges threads whose first messages have the same base subject. */
function joinedBySubject(roots: readonly Container[]): readonly Container[] {
  const bySubject = new Map<string, Container>()
  const subject = (container: Container) => {
    const first = firstOf(container)
    return first === null ? '' : subjectOf(first)
  }
  const isReply = (container: Container) => isReplySubject(firstOf(container)?.fields.subject ?? '')
  // 5.B: for each subject prefer a thread whose root is missing, then one whose first message is not a reply.
  for (const root of roots) {
    const key = subject(root)
    if (key === '') continue
    const known = bySubject.get(key)
    const isBetter =
      known === undefined ||
      (root.message === null && known.message !== null) ||
      (known.message !== null && isReply(known) && !isReply(root))
    if (isBetter) bySubject.set(key, root)
  }
  // 5.C: merge the other threads of the subject into it.
  const gone = new Set<Container>()
  for (const root of roots) {
    const other = bySubject.get(subject(root))
    if (other === undefined || other === root) continue
    gone.add(root)
    if (other.message === null && root.message === null) other.children.push(...root.children)
    else if (other.message === null || (isReply(root) && !isReply(other))) other.children.push(root)
    else {
      const together: Container = { message: other.message, parent: null, children: other.children }
      other.message = null
      other.children = [together, root]
    }
  }
  return roots.filter((root) => !gone.has(root))
}

function nodeOf({ message, children }: Container, compare: Compare): Node {
  const below = children.length < 2 ? children : children.toSorted(compare)
  return { uid: message?.uid ?? null, children: below.map((child) => nodeOf(child, compare)) }
}

/** Formats threads as `(2)(3 6 (4 23)(44 7 96))`: a single reply follows its message, several are each put in parentheses. */
export function formatThreads(nodes: readonly Node[], numberOf: (uid: Uid) => number | null): string {
  const chain = (node: Node): string => {
    const own = node.uid === null ? '' : String(numberOf(node.uid) ?? '')
    const [only, ...others] = node.children
    if (only === undefined) return own
    const below =
      others.length === 0 && own !== '' ? chain(only) : node.children.map((each) => `(${chain(each)})`).join('')
    return own === '' ? below : `${own} ${below}`
  }
  return nodes.map((node) => `(${chain(node)})`).join('')
}
