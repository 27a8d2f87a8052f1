import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { loadSettings } from '../../cli/settings.ts'
import { listSettings, variableOf } from '../../schemas/settings.ts'
import { inheritedNames } from '../inherited-names.ts'

describe('an empty variable', () => {
  const optional = listSettings().filter((setting) => setting.default === null && !setting.refusesEmpty)
  for (const { name } of optional)
    it(`stands for none: ${variableOf(name)}`, () => {
      const read = (env: { readonly [variable: string]: string }) => loadSettings({ file: null, env })
      expect(read({ [variableOf(name)]: '' })).to.deep.equal(read({}))
    })
})

describe('variables that Kubernetes makes of a Service', () => {
  const variables = {
    MAILROOM_API_SERVICE_HOST: '10.0.0.9',
    MAILROOM_API_SERVICE_PORT_HTTP: '80',
    MAILROOM_SERVICE_HOST: '10.0.0.9',
    MAILROOM_SMTP_PORT: 'tcp://10.0.0.9:25',
    MAILROOM_PORT: 'tcp://10.0.0.9:80',
    MAILROOM_DNS_PORT: 'udp://10.0.0.9:53',
    MAILROOM_IMAP_PORT_993_TCP_ADDR: '10.0.0.9',
  }
  for (const [variable, text] of Object.entries(variables))
    it(`are refused with what keeps them out: ${variable}`, () =>
      expect(() => loadSettings({ file: null, env: { [variable]: text } })).to.throw(
        `${variable} in the environment is not a setting: Kubernetes set it as the address of a Service. Write "enableServiceLinks: false" in the spec of the pod.`,
      ))
})

describe('an address from which mail leaves', () => {
  const read = (text: string) =>
    loadSettings({ file: null, env: { MAILROOM_DELIVERABILITY_ADDRESSES: JSON.stringify([text]) } })

  for (const text of ['192.0.2.1', '2001:DB8::25', '::ffff:192.0.2.1'])
    it(`is ${text}`, () => expect(read(text).deliverability.addresses).to.deep.equal([text]))
  for (const text of ['abc', '1.2.3', '192.0.2.999', '1:2:3', '...', '192.0.2.0/24'])
    it(`is not ${text}`, () =>
      expect(() => read(text)).to.throw(
        'The environment: "MAILROOM_DELIVERABILITY_ADDRESSES[0]" must be an IP address. Write "MAILROOM_DELIVERABILITY_ADDRESSES[0]" as an IP address, such as "192.0.2.1".',
      ))
})

describe('a setting that is none', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailroom-settings-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const name of ['colour', ...inheritedNames])
    for (const [at, before] of [
      [name, ''],
      [`http.${name}`, 'http: '],
    ] as const)
      it(`is named: ${at}`, async () => {
        const file = path.join(folder, 'mailroom.yaml')
        for (const value of ['1', '{}', '{name: x}']) {
          await writeFile(file, `${before}{${name}: ${value}}\n`)
          expect(() => loadSettings({ file, env: {} }), value).to.throw(`Unknown setting ${at}; known are `)
        }
      })
})
