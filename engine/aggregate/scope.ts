/** What an expression can see: the document, bound variables, and constants known when it is compiled. */
import type { Document, Value } from '../bson/document.ts'

/** `$$` names fixed for a whole pipeline: `NOW`, and in a `$lookup` pipeline the values of its `let`. */
export type Constants = ReadonlyMap<string, Value | undefined>

/** Variables bound while evaluating (`$let`, `$map`, ...), innermost first. */
export type Bound = { readonly name: string; readonly value: Value | undefined; readonly next: Bound | undefined }

export type Context = { readonly root: Document; readonly bound: Bound | undefined }

/** Evaluates to a value, or undefined for "missing". */
export type Evaluate = (context: Context) => Value | undefined

/** Compiles a subexpression; `names` are variables the operator will bind for it. */
export type Compile = (expression: Value, names?: readonly string[]) => Evaluate

/** An operator: its argument as written, and the compiler for what is inside. */
export type Operator = (argument: Value, compile: Compile, name: string) => Evaluate

export function constantsAt(now: Date): Constants {
  return new Map([['NOW', now]])
}

/** The context with one more variable. */
export function bind(context: Context, name: string, value: Value | undefined): Context {
  return { root: context.root, bound: { name, value, next: context.bound } }
}
