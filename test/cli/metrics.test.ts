import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { joined } from '../../cli/metrics-door.ts'
import { openMetrics } from '../../core/process/metrics.ts'
import { type Metric, metrics, processMetrics, processNames } from '../../schemas/metrics.ts'

type Panel = { readonly title: string; readonly targets: readonly { readonly expr: string }[] }

const declared: ReadonlyMap<string, Metric> = new Map(Object.entries(metrics))
const { panels } = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as { panels: readonly Panel[] }

/** The names of metrics in a query: words that are no function, no label and no key word of its language. */
const namesIn = (expr: string) => [...expr.matchAll(/\b(?:mailroom|process|nodejs)_\w+/g)].map(([name]) => name)
/** The labels that a query names, in `by (...)` and in braces. */
const labelsIn = (expr: string) =>
  [...expr.matchAll(/by \(([^)]*)\)/g)]
    .flatMap(([, list = '']) => list.split(', '))
    .concat([...expr.matchAll(/[{,]\s*(\w+)\s*[!=]/g)].map(([, label = '']) => label))

/** The family that a sample belongs to: a histogram has samples of its own names. */
function familyOf(name: string): string | undefined {
  const family = name.replace(/_(bucket|sum|count)$/, '')
  if (declared.get(family)?.kind === 'histogram') return name === family ? undefined : family
  return declared.has(name) || name in processMetrics ? name : undefined
}

describe('the dashboard', () => {
  for (const { title, targets } of panels)
    it(`asks for what there is: ${title}`, () => {
      for (const { expr } of targets) {
        const families = namesIn(expr).map(familyOf)
        expect(families, expr).to.have.length.above(0).and.not.to.include(undefined)
        const known = families.flatMap((family) => Object.keys(declared.get(family ?? '')?.labels ?? {}))
        for (const label of labelsIn(expr)) expect([...known, 'process', 'le'], `${label} in ${expr}`).to.include(label)
      }
    })

  it('shows every metric that is declared', () => {
    const shown = new Set(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr).map(familyOf))))
    expect([...declared.keys()].filter((name) => !shown.has(name))).to.deep.equal([])
  })
})

describe('metrics', () => {
  it('are those that each process is declared to have', async () => {
    for (const process of processNames) {
      const text = await (await openMetrics(process)).text()
      const own = [...declared]
        .filter(([, { from }]) => (from as readonly string[]).includes(process))
        .map(([name]) => name)
      const families = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name)
      expect(families.filter((name) => name.startsWith('mailroom_'))).to.have.members(own)
      expect(families).to.include.members(Object.keys(processMetrics))
    }
  })

  it('count by label, and leave alone what another process has', async () => {
    const counted = await openMetrics('smtp')
    counted.count('mailroom_deliveries_total', { outcome: 'bounced' })
    counted.count('mailroom_deliveries_total', { outcome: 'bounced' }, 4)
    counted.observe('mailroom_webhook_lag_seconds', {}, 3)
    counted.count('mailroom_requests_total', { operation: 'messages.get', code: 'ok' })
    const text = await counted.text()
    expect(text).to.contain('mailroom_deliveries_total{outcome="bounced",process="smtp"} 5\n')
    expect(text).to.contain('mailroom_webhook_lag_seconds_bucket{le="5",process="smtp"} 1\n')
    expect(text).to.contain('mailroom_webhook_lag_seconds_bucket{le="1",process="smtp"} 0\n')
    expect(text).not.to.contain('messages.get')
  })

  it('are told although what a scrape asks for cannot be asked', async () => {
    const counted = await openMetrics('service')
    counted.beforeScrape(() => Promise.reject(new Error('no database')))
    expect(await counted.text()).to.contain('# TYPE mailroom_outbox_waiting gauge')
  })

  const family = (name: string, ...samples: string[]) =>
    `# HELP ${name} Of ${name}.\n# TYPE ${name} counter\n${samples.map((each) => `${each}\n`).join('')}`
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['nothing', [], ''],
    ['parts that do not answer', ['', ''], ''],
    ['one part', [family('a', 'a 1')], family('a', 'a 1')],
    ['another family of each', [family('a', 'a 1'), family('b', 'b 2')], family('a', 'a 1') + family('b', 'b 2')],
    [
      'a family that two have',
      [family('a', 'a{p="x"} 1'), family('a', 'a{p="y"} 2')],
      family('a', 'a{p="x"} 1', 'a{p="y"} 2'),
    ],
    [
      'one that does not answer between',
      [family('a', 'a 1'), '', family('b', 'b 2')],
      family('a', 'a 1') + family('b', 'b 2'),
    ],
    ['a family without samples', [family('a'), family('a', 'a 1')], family('a', 'a 1')],
    [
      'several in other orders',
      [family('a', 'a 1') + family('b', 'b 1'), family('b', 'b 2') + family('a', 'a 2')],
      family('a', 'a 1', 'a 2') + family('b', 'b 1', 'b 2'),
    ],
    ['blank lines between', [`${family('a', 'a 1')}\n${family('b', 'b 1')}`], family('a', 'a 1') + family('b', 'b 1')],
  ]
  for (const [name, texts, expected] of cases) it(`are joined: ${name}`, () => expect(joined(texts)).to.equal(expected))
})
