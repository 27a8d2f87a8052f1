import { failures } from '../schemas/failures.ts'
import { propertiesOf } from '../schemas/infer.ts'
import { scopes } from '../schemas/scopes.ts'
import { compileSchema } from '../schemas/validate.ts'
import { isForPeople, type Operation, partnerPath } from './registry.ts'

/**
 * Checks every operation: names, routes and tools are unique, scopes and failures known, path parameters and exposed fields
 * declared, and the schemas compile. Throws an Error that names everything that is wrong. A test and `mailroom generate`
 * call it, so that no start has to.
 */
export function checkOperations(operations: readonly Operation[]): void {
  const faults = [
    ...duplicates(
      'name',
      operations.map((each) => each.name),
    ),
    ...duplicates(
      'route',
      operations.map((each) => `${each.method} ${each.path.replace(/\{\w+\}/g, '{}')}`),
    ),
    ...duplicates(
      'tool',
      operations.flatMap((each) => each.tools.map((tool) => tool.name)),
    ),
    ...operations.flatMap((each) => faultsOf(each).map((fault) => `${each.name}: ${fault}`)),
  ]
  if (faults.length > 0) throw new Error(`The operations are not sound:\n${faults.join('\n')}`)
}

function faultsOf(operation: Operation): string[] {
  const { access, errors, path, pathFields, scopes: needed, tools } = operation
  const fields = Object.keys(propertiesOf(operation.input))
  return [
    ...needed.filter((scope) => !(scope in scopes)).map((scope) => `unknown scope ${scope}`),
    ...errors.filter((code) => !(code in failures)).map((code) => `unknown failure ${code}`),
    ...pathFields.filter((name) => !fields.includes(name)).map((name) => `path parameter ${name} is no input field`),
    ...tools.flatMap((tool) =>
      [
        ...tool.expose,
        ...(tool.require ?? []),
        ...Object.keys(tool.preset ?? {}),
        ...(tool.sizedBy ? [tool.sizedBy] : []),
      ]
        .filter((name) => !fields.includes(name))
        .map((name) => `tool ${tool.name}: ${name} is no input field`),
    ),
    ...tools.flatMap((tool) =>
      pathFields
        .filter((name) => !tool.expose.includes(name))
        .map((name) => `tool ${tool.name}: path parameter ${name} is not exposed`),
    ),
    ...(isForPeople(access) && tools.length > 0 ? ['it is for people, so it cannot have MCP tools'] : []),
    ...(access === 'partner' && tools.length > 0 ? ['it is for partners, whose keys MCP does not accept'] : []),
    ...((access === 'partner') === path.startsWith(partnerPath) ? [] : [`partners and ${partnerPath} go together`]),
    ...compileFaults(operation),
  ]
}

function compileFaults({ input, output }: Operation): string[] {
  return [input, output].flatMap((schema) => {
    try {
      compileSchema(schema)
      return []
    } catch (error) {
      return [`a schema does not compile: ${String(error)}`]
    }
  })
}

function duplicates(what: string, values: readonly string[]): string[] {
  return values
    .filter((value, index) => values.indexOf(value) !== index)
    .map((value) => `two operations have the ${what} ${value}`)
}
