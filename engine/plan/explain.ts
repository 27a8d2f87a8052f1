import { BSONRegExp, ObjectId } from 'bson'
import { type Document, documentOf, type Value } from '../bson/document.ts'
import { emptyArray } from '../bson/keys.ts'
import { show } from '../bson/show.ts'
import { type Collection, keyDocument, namespace } from '../store/catalog.ts'
import type { IndexPlan, Plan } from './choose.ts'
import type { Query } from './query.ts'
import { allKeys, type Bound, type ValueRange } from './ranges.ts'

/** A plan in the shape of mongod's `queryPlanner` section. */
export function explainPlan(collection: Collection, filter: Document, query: Query): Document {
  const found = stageOf(query.plan)
  const winningPlan = query.sortInMemory ? documentOf({ stage: 'SORT', inputStage: found }) : found
  return documentOf({
    namespace: namespace(collection.database, collection.name),
    parsedQuery: filter,
    indexFilterSet: false,
    winningPlan,
    rejectedPlans: [],
  })
}

/** mongod's `executionStats` section. */
export function explainStats(query: Query, returned: number, milliseconds: number): Document {
  return documentOf({
    executionSuccess: true,
    nReturned: returned,
    executionTimeMillis: Math.round(milliseconds),
    totalKeysExamined: query.stats.keysExamined,
    totalDocsExamined: query.stats.docsExamined,
  })
}

function stageOf(plan: Plan): Document {
  if (plan.kind === 'collection') {
    return documentOf({ stage: 'COLLSCAN', direction: plan.backward ? 'backward' : 'forward' })
  }
  if (plan.kind === 'union') {
    return documentOf({
      stage: 'FETCH',
      inputStage: documentOf({ stage: 'OR', inputStages: plan.branches.map(scanStage) }),
    })
  }
  const scan = scanStage(plan)
  const merged = plan.merge ? documentOf({ stage: 'SORT_MERGE', inputStages: [scan] }) : scan
  return documentOf({ stage: 'FETCH', inputStage: merged })
}

function scanStage(plan: IndexPlan): Document {
  const { index } = plan
  return documentOf({
    stage: 'IXSCAN',
    keyPattern: keyDocument(index.key),
    indexName: index.name,
    isMultiKey: index.multikey.includes(true),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: plan.backward ? 'backward' : 'forward',
    indexBounds: documentOf(
      Object.fromEntries(
        index.key.map(([path, direction], i) => [path, boundsOf(plan.components[i], direction < 0 !== plan.backward)]),
      ),
    ),
  })
}

/** The bounds of a component, in the order in which they are read. */
function boundsOf(ranges: readonly ValueRange[] = [allKeys], reversed: boolean): Value {
  const shown = ranges.map(({ from, to }) => {
    const [first, second] = reversed ? [to, from] : [from, to]
    return `${first.open ? '(' : '['}${textOf(first)}, ${textOf(second)}${second.open ? ')' : ']'}`
  })
  return reversed ? shown.reverse() : shown
}

function textOf(bound: Bound): string {
  if ('words' in bound) return bound.words
  const { value } = bound
  if (value === emptyArray) return 'undefined'
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (value instanceof ObjectId) return `ObjectId(${value.toHexString()})`
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`
  return show(value ?? null)
}
