import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parse } from 'yaml'
import { listSettings } from '../../schemas/settings.ts'

/** The values of a settings tree by dotted name; a setting's own value may be a mapping. */
function valueAt(tree: unknown, name: string): unknown {
  return name.split('.').reduce((node, key) => (node as Record<string, unknown> | null)?.[key], tree)
}

describe('config/mailroom.yaml', () => {
  it('changes nothing as it is', async () => {
    expect(parse(await readFile('config/mailroom.yaml', 'utf8'))).to.equal(null)
  })

  it('shows every setting with its default, and nothing else', async () => {
    const lines = (await readFile('config/mailroom.yaml', 'utf8')).split('\n')
    const shown: unknown = parse(lines.map((line) => line.replace(/^#(?!#)/, '')).join('\n'))
    const named = listSettings()
    expect(Object.fromEntries(named.map(({ name }) => [name, valueAt(shown, name)]))).to.deep.equal(
      Object.fromEntries(named.map((setting) => [setting.name, setting.default])),
    )
    const leaves = lines.filter((line) => /^#\s*\w+: \S/.test(line))
    expect(leaves.length).to.equal(named.length)
  })
})
