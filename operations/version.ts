import { readFileSync } from 'node:fs'

/** Of the service, as its descriptions and its MCP server tell it: the one in package.json. */
export function serviceVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
