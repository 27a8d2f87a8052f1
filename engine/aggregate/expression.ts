/** Compiles aggregation expressions to closures. Operators that are not in the tables below are refused (InvalidPipelineOperator). */
import { type Document, firstField, isDocument, newDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { arithmeticOperators } from './arithmetic.ts'
import { arrayOperators } from './arrays.ts'
import { conversionOperators } from './convert.ts'
import { dateOperators } from './dates.ts'
import { fieldPath } from './fieldPath.ts'
import { logicOperators } from './logic.ts'
import { objectOperators } from './objects.ts'
import { type Compile, type Constants, type Context, constantsAt, type Evaluate, type Operator } from './scope.ts'
import { setOperators } from './sets.ts'
import { stringOperators } from './strings.ts'

const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
    ...arithmeticOperators,
    ...arrayOperators,
    ...conversionOperators,
    ...dateOperators,
    ...logicOperators,
    ...objectOperators,
    ...setOperators,
    ...stringOperators,
  }),
)

/** All operators of expressions. */
export const expressionNames: readonly string[] = [...operators.keys()]

/** The most levels of nested expressions: evaluation recurses as deep. */
const expressionDepthMax = 100

/**
 * Compiles an expression. `names` are the `$$` constants that it may use besides ROOT, CURRENT and REMOVE.
 * Fails with InvalidPipelineOperator for an unknown operator, 17276 for an unknown variable, and with mongod's codes for
 * wrong arguments.
 */
export function compileExpression(expression: Value, names: Constants = constantsAt(new Date())): Evaluate {
  return compileAt(expression, { constants: names, bound: new Set(), depth: 0, fields: true })
}

/**
 * `$$NOW` and the variables of a command's `let`. Each is computed once, before any document is read, and may use those before
 * it. Fails with 4890500 for one that reads a field, and as `compileExpression` does.
 */
export function constantsOf(variables: Document | undefined, now: Date): Constants {
  if (variables === undefined) return constantsAt(now)
  const constants = new Map(constantsAt(now))
  for (const name in variables) {
    checkVariableName(name)
    const evaluate = compileAt(variables[name]!, { constants, bound: new Set(), depth: 0, fields: false })
    constants.set(name, evaluate({ root: newDocument(), bound: undefined }))
  }
  return constants
}

/** Evaluates an expression once. */
export function evaluate(expression: Value, doc: Document, names?: Constants): Value | undefined {
  return compileExpression(expression, names)({ root: doc, bound: undefined })
}

type Scope = {
  readonly constants: Constants
  readonly bound: ReadonlySet<string>
  readonly depth: number
  /** Whether there is a document whose fields may be read. */
  readonly fields: boolean
}

function compileAt(expression: Value, scope: Scope): Evaluate {
  if (scope.depth > expressionDepthMax) throw new EngineError('BadValue', 'exceeded depth limit of expression')
  if (typeof expression === 'string') return compileText(expression, scope)
  if (Array.isArray(expression)) return compileList(expression, scope)
  if (isDocument(expression)) return compileDocument(expression, scope)
  return () => expression
}

function inner(scope: Scope, names: readonly string[] = []): Scope {
  for (const name of names) checkVariableName(name)
  return {
    ...scope,
    bound: names.length === 0 ? scope.bound : new Set([...scope.bound, ...names]),
    depth: scope.depth + 1,
  }
}

/** @throws EngineError FailedToParse for a name that a user variable may not have */
export function checkVariableName(name: string): void {
  if (!/^[a-z\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/.test(name)) {
    throw new EngineError('FailedToParse', `'${name}' starts with an invalid character for a user variable name`)
  }
}

function compileList(items: readonly Value[], scope: Scope): Evaluate {
  const parts = items.map((item) => compileAt(item, inner(scope)))
  return (context) => parts.map((part) => part(context) ?? null)
}

function compileDocument(expression: Document, scope: Scope): Evaluate {
  const name = firstField(expression)
  if (name?.startsWith('$')) {
    if (Object.keys(expression).length !== 1) {
      throw new EngineError(
        15983,
        `an expression specification must contain exactly one field, the name of the expression. Found ${Object.keys(expression).length} fields`,
      )
    }
    const operator = operators.get(name)
    if (operator === undefined) throw new EngineError('InvalidPipelineOperator', `Unrecognized expression '${name}'`)
    const compile: Compile = (argument, names) => compileAt(argument, inner(scope, names))
    return operator(expression[name]!, compile, name)
  }
  const fields = Object.keys(expression).map((field) => {
    if (field.startsWith('$'))
      throw new EngineError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
      )
    if (field.includes('.'))
      throw new EngineError(16412, `FieldPath field names may not contain '.'. Consider using $getField or $setField.`)
    return [field, compileAt(expression[field]!, inner(scope))] as const
  })
  return (context) => {
    const doc = newDocument()
    for (const [field, part] of fields) {
      const value = part(context)
      if (value !== undefined) doc[field] = value
    }
    return doc
  }
}

function compileText(text: string, scope: Scope): Evaluate {
  if (!text.startsWith('$')) return () => text
  if (text === '$') throw new EngineError(16872, "'$' by itself is not a valid FieldPath")
  if (!text.startsWith('$$')) {
    const parts = fieldPath(text.slice(1))
    if (!scope.fields) throw noFields()
    return ({ root }) => valueAt(root, parts, 0)
  }
  const [name, ...parts] = fieldPath(text.slice(2))
  const variable = compileVariable(name!, scope)
  return parts.length === 0 ? variable : (context) => valueAt(variable(context), parts, 0)
}

function compileVariable(name: string, { bound, constants, fields }: Scope): Evaluate {
  if (bound.has(name)) return (context) => lookUp(context, name)
  if (name === 'ROOT' || name === 'CURRENT') {
    if (!fields) throw noFields()
    return ({ root }) => root
  }
  if (name === 'REMOVE') return () => undefined
  if (!constants.has(name)) throw new EngineError(17276, `Use of undefined variable: ${name}`)
  const value = constants.get(name)
  return () => value
}

function noFields(): EngineError {
  return new EngineError(
    4890500,
    'Command let Expression tried to access a field, but this is not allowed because Command let Expressions run before the query examines any documents.',
  )
}

function lookUp(context: Context, name: string): Value | undefined {
  let entry = context.bound
  while (entry !== undefined && entry.name !== name) entry = entry.next
  return entry?.value
}

/** The value at a path. In an array, it is the list of the values of the elements; numeric parts are field names here. */
function valueAt(value: Value | undefined, parts: readonly string[], at: number): Value | undefined {
  let current = value
  for (let index = at; index < parts.length; index++) {
    if (Array.isArray(current)) {
      const found: Value[] = []
      for (const item of current) {
        const part = isDocument(item) || Array.isArray(item) ? valueAt(item, parts, index) : undefined
        if (part !== undefined) found.push(part)
      }
      return found
    }
    if (!isDocument(current)) return undefined
    current = current[parts[index]!]
  }
  return current
}
