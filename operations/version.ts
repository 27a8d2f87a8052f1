import { readFileSync } from 'node:fs'

/** The version in package.json, which the OpenAPI document and the MCP server show. */
export function serviceVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
