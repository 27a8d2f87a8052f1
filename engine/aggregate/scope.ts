/** The inputs of an expression: the document, bound variables, and constants that are known when it is compiled. */
import type { Document, Value } from '../bson/document.ts'

/** `$$` variables with fixed values: `NOW`, those of a command's `let`, and in a `$lookup` pipeline those of its `let`. */
export type Constants = ReadonlyMap<string, Value | undefined>

/** Variables that are bound during evaluation (`$let`, `$map`, ...), as a list with the innermost first. */
export type Bound = { readonly name: string; readonly value: Value | undefined; readonly next: Bound | undefined }

export type Context = { readonly root: Document; readonly bound: Bound | undefined }

/** Evaluates to a value, or undefined for "missing". */
export type Evaluate = (context: Context) => Value | undefined

/** Compiles a subexpression; `names` are variables that the operator binds for it. */
export type Compile = (expression: Value, names?: readonly string[]) => Evaluate

/** Compiles an operator from its argument as written; `compile` is the compiler for subexpressions. */
export type Operator = (argument: Value, compile: Compile, name: string) => Evaluate

export function constantsAt(now: Date): Constants {
  return new Map([['NOW', now]])
}

/** The context with one more variable. */
export function bind(context: Context, name: string, value: Value | undefined): Context {
  return { root: context.root, bound: { name, value, next: context.bound } }
}
