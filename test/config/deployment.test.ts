/** The files of `deploy/` and the Dockerfile, held against what the program knows: settings, ports, parts, paths, versions. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { partsOf } from '../../cli/parts.ts'
import { loadSettings } from '../../cli/settings.ts'
import { doorsOf } from '../../schemas/doors.ts'
import { listSettings } from '../../schemas/settings.ts'
import { requireDurable } from '../../store/connection-string.ts'
import { startService } from '../start/service.ts'

type Variables = { readonly [name: string]: string }
const read = (file: string) => readFileSync(file, 'utf8')
const { version, dependencies } = JSON.parse(read('package.json')) as { version: string; dependencies: Variables }
const defaults = new Map(listSettings().map((setting) => [setting.name, setting.default]))
const [http, smtp, submission, submissions, imap, imaps] = [
  'http',
  'smtp',
  'submission',
  'submissions',
  'imap',
  'imaps',
].map((door) => Number(defaults.get(`${door}.port`)))
const masterKey = Buffer.alloc(32, 7).toString('base64')
/** An orderly stop takes at most 20 seconds (cli/serve.ts). */
const stopSeconds = 20

/** Settings that refuse to load are of a version that knows them no more. */
function settingsOf(variables: Variables) {
  const ours = Object.entries(variables).filter(([name]) => name.startsWith('MAILROOM_') || name === 'MONGODB_URL')
  const env = Object.fromEntries(ours.map(([name, value]) => [name, name.endsWith('_MASTER_KEY') ? masterKey : value]))
  const settings = loadSettings({ file: null, env })
  if (settings.mongodbUrl !== null) requireDurable(settings.mongodbUrl)
  return settings
}
const assignments = (text: string): Variables =>
  Object.fromEntries([...text.matchAll(/^([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

describe('deployment files', () => {
  it('the Dockerfile runs the program as nobody special, with its Node, settings, ports and health', () => {
    const lines = read('Dockerfile').replaceAll('\\\n', ' ').split('\n')
    const of = (word: string) =>
      lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1).trim()] : []))
    for (const image of of('FROM')) expect(image.split(' ')[0]).to.equal(`node:${dependencies.node}-bookworm-slim`)
    expect(of('USER')).to.deep.equal(['10001:10001'])
    const variables = Object.fromEntries(
      [
        ...of('ENV')
          .join(' ')
          .matchAll(/(\w+)=(\S+)/g),
      ].map(([, name, value]) => [name, value]),
    )
    const settings = settingsOf(variables)
    expect(of('VOLUME')).to.deep.equal([settings.data])
    expect(of('EXPOSE').join(' ').split(' ').map(Number)).to.have.members([
      http,
      smtp,
      submission,
      submissions,
      imap,
      imaps,
    ])
    const [, script = '', command = ''] =
      /\["node", "(.*)"\].*\["(.*)"\]/.exec(
        [...of('ENTRYPOINT'), ...of('CMD').filter((cmd) => cmd.includes('serve'))].join(' '),
      ) ?? []
    expect([existsSync(script), command]).to.deep.equal([true, 'serve'])
    const health = lines.join('\n')
    expect(health).to.contain(`http://127.0.0.1:${http}/readyz`)
    expect(read('api/endpoints.ts')).to.contain("'/readyz'").and.to.contain("'/healthz'")
    for (const ignored of ['node_modules', 'data', '.git'])
      expect(read('.dockerignore').split('\n')).to.include(ignored)
  })

  it('the Compose file has three members of one replica set, and parts that exist with settings that are known', () => {
    type Service = {
      readonly image: string
      readonly command?: readonly string[]
      readonly environment?: Variables
      readonly ports?: readonly string[]
      readonly stop_grace_period?: string
      readonly healthcheck?: { readonly disable?: boolean; readonly test?: readonly string[] }
    }
    const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as {
      services: { [name: string]: Service }
    }
    const nodes = Object.values(services).filter(({ image }) => image.startsWith('mailroom:'))
    const doors = new Map([
      ['api', [http]],
      ['jobs', []],
      ['smtp', [smtp, submission, submissions]],
      ['imap', [imap, imaps]],
    ])
    expect(nodes.flatMap(({ command }) => partsOf(command?.[2] ?? ''))).to.have.members([...doors.keys()])
    for (const {
      image,
      command = [],
      environment = {},
      ports = [],
      stop_grace_period: grace = '',
      healthcheck,
    } of nodes) {
      expect([image, ...command.slice(0, 2)]).to.deep.equal([`mailroom:${version}`, 'serve', '--only'])
      const { mongodbUrl } = settingsOf(environment)
      const members = /^mongodb:\/\/([^/]+)\/mailroom\?replicaSet=mailroom$/.exec(mongodbUrl ?? '')?.[1]?.split(',')
      expect(members).to.deep.equal(['mongo1:27017', 'mongo2:27017', 'mongo3:27017'])
      for (const member of members ?? []) expect(services).to.have.property(member.split(':')[0] ?? '')
      expect(ports.map(Number)).to.deep.equal(doors.get(command[2] ?? ''))
      expect(Number.parseInt(grace, 10)).to.be.greaterThan(stopSeconds)
      const asked = /connect\((\d+)/.exec(healthcheck?.test?.join(' ') ?? '')?.[1]
      if (asked !== undefined) expect(doors.get(command[2] ?? '')).to.include(Number(asked))
    }
    const told = read('deploy/compose.yaml')
    for (const n of [1, 2, 3]) expect(told).to.contain(`host: 'mongo${n}:27017'`)
    settingsOf(assignments(read('deploy/mailroom.env.example')))
  })

  describe('Kubernetes', () => {
    type Labels = { readonly [name: string]: string }
    type Probe = {
      readonly httpGet?: { readonly path: string; readonly port: string }
      readonly tcpSocket?: { readonly port: string }
    }
    type Container = {
      readonly image: string
      readonly args: readonly string[]
      readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
      readonly livenessProbe?: Probe
      readonly readinessProbe?: Probe
      readonly volumeMounts: readonly { readonly mountPath: string }[]
      readonly securityContext: { readonly readOnlyRootFilesystem: boolean; readonly allowPrivilegeEscalation: boolean }
    }
    type Resource = {
      readonly kind: string
      readonly metadata: { readonly name: string }
      readonly data?: Variables
      readonly stringData?: Variables
      readonly spec?: {
        readonly replicas?: number
        readonly selector?: Labels & { readonly matchLabels?: Labels }
        readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[]
        readonly template?: {
          readonly metadata: { readonly labels: Labels }
          readonly spec: {
            readonly terminationGracePeriodSeconds: number
            readonly enableServiceLinks?: boolean
            readonly securityContext: { readonly runAsNonRoot: boolean; readonly sysctls?: readonly object[] }
            readonly containers: readonly Container[]
          }
        }
      }
    }
    const all = globSync('deploy/kubernetes/*.yaml').flatMap((file) => {
      const documents = parseAllDocuments(read(file))
      for (const { errors } of documents) expect(errors, file).to.deep.equal([])
      return documents.map((document) => document.toJS() as Resource)
    })
    const of = (kind: string) => all.filter((each) => each.kind === kind)
    const settings = settingsOf({ ...of('ConfigMap')[0]?.data, ...of('Secret')[0]?.stringData })
    const portOf = (door: string) => doorsOf(settings).find(({ name }) => name === door)?.port

    it('has nodes without state, each kind of node with a budget of disruptions', () => {
      expect(new Set(all.map(({ kind }) => kind))).to.deep.equal(
        new Set(['ConfigMap', 'Secret', 'Deployment', 'PodDisruptionBudget', 'Service']),
      )
      const selectors = of('PodDisruptionBudget').map(({ spec }) => spec?.selector?.matchLabels)
      for (const { spec } of of('Deployment')) expect(selectors).to.deep.include(spec?.template?.metadata.labels)
      expect(selectors).to.have.length(of('Deployment').length)
      expect(
        of('Deployment').flatMap(({ spec }) => partsOf(spec?.template?.spec.containers[0]?.args[2] ?? '')),
      ).to.have.members(['api', 'jobs', 'smtp', 'imap'])
    })

    for (const { metadata, spec } of of('Deployment')) {
      it(`${metadata.name} has known ports and probes, more time than a stop takes, and no rights`, () => {
        const { containers, ...pod } = spec!.template!.spec
        const [container] = containers as readonly [Container]
        expect(container.image).to.equal(`mailroom:${version}`)
        expect(container.args.slice(0, 2)).to.deep.equal(['serve', '--only'])
        for (const { name, containerPort } of container.ports ?? []) expect(containerPort, name).to.equal(portOf(name))
        const names = (container.ports ?? []).map(({ name }) => name)
        for (const probe of [container.livenessProbe, container.readinessProbe]) {
          if (probe?.httpGet !== undefined) expect(read('api/endpoints.ts')).to.contain(`'${probe.httpGet.path}'`)
          const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port
          if (port !== undefined) expect(names).to.include(port)
        }
        expect(pod.terminationGracePeriodSeconds).to.be.greaterThan(stopSeconds)
        expect(pod.securityContext.runAsNonRoot).to.equal(true)
        expect(container.securityContext).to.include({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
        expect(container.volumeMounts.some(({ mountPath }) => settings.data.startsWith(mountPath))).to.equal(true)
        expect(spec?.replicas).to.be.greaterThan(1)
      })
    }

    it('no pod is told of the Services by variables that it would take for settings', () => {
      const links = Object.fromEntries(
        of('Service').map(({ metadata }) => [
          `${metadata.name.toUpperCase().replaceAll('-', '_')}_SERVICE_HOST`,
          '10.0.0.9',
        ]),
      )
      for (const { spec } of of('Deployment')) {
        const told = spec?.template?.spec.enableServiceLinks === false ? {} : links
        settingsOf({ ...told, ...of('ConfigMap')[0]?.data, ...of('Secret')[0]?.stringData })
      }
    })

    it('each Service leads to ports that its nodes have', () => {
      for (const { metadata, spec } of of('Service')) {
        const behind = of('Deployment').find(
          (each) => JSON.stringify(each.spec?.template?.metadata.labels) === JSON.stringify(spec?.selector),
        )
        const names = behind?.spec?.template?.spec.containers[0]?.ports?.map(({ name }) => name)
        for (const { targetPort } of spec?.ports ?? []) expect(names, metadata.name).to.include(targetPort)
      }
    })

    it('mail programs are told the ports that lead to the pods, of which any user may open those below 1024', () => {
      const mail = of('Service').filter(({ metadata }) => /-(?:smtp|imap)$/.test(metadata.name))
      expect(mail).to.have.length(2)
      for (const { metadata, spec } of mail) {
        for (const { name, port } of spec?.ports ?? []) expect(port, name).to.equal(portOf(name))
        const pods = of('Deployment').find((each) => each.metadata.name === metadata.name)
        expect(pods?.spec?.template?.spec.securityContext.sysctls).to.deep.equal([
          { name: 'net.ipv4.ip_unprivileged_port_start', value: '0' },
        ])
      }
    })
  })

  it('the systemd unit runs the program with known settings, as a user of its own, and waits for its stop', () => {
    const unit = read('deploy/mailroom.service')
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
    const settings = settingsOf(
      assignments([...unit.matchAll(/^Environment=(.*)$/gm)].map(([, line]) => line).join('\n')),
    )
    expect(settings.data).to.equal(`/var/lib/${value('StateDirectory')}`)
    const [node = '', script = '', command] = value('ExecStart').split(' ')
    expect(node).to.equal(`${value('WorkingDirectory')}/node_modules/node/bin/node`)
    expect([existsSync(script), command]).to.deep.equal([true, 'serve'])
    expect(Number(value('TimeoutStopSec'))).to.be.greaterThan(stopSeconds)
    const install = /\(cd (.*?)\)/.exec(unit)?.[1] ?? ''
    expect(install).to.match(new RegExp(`^${value('WorkingDirectory')} && npm install `))
    expect(read('docs/guides/upgrades.md'), 'what the service may not install itself').to.include(`cd ${install}\n`)
    // Systemd starts nothing where a folder is missing, and npm makes none of these.
    for (const folder of value('ReadWritePaths').split(' '))
      expect(unit).to.match(new RegExp(`^#.*\\binstall -d -o ${value('User')} ${folder}$`, 'm'))
    expect([value('User'), value('NoNewPrivileges'), value('ProtectSystem')]).to.deep.equal([
      'mailroom',
      'true',
      'strict',
    ])
  })

  it('a service starts with sockets of the address families alone that the systemd unit allows', async function () {
    const families = /^RestrictAddressFamilies=(.*)$/m.exec(read('deploy/mailroom.service'))?.[1] ?? ''
    const restricted = [
      fileURLToPath(new URL('../peers/socket-families.py', import.meta.url)),
      families.replaceAll(' ', ','),
    ]
    const known = spawnSync('python3', [...restricted, 'true'], { encoding: 'utf8' })
    if (known.status !== 0) {
      console.log(`  skipped: sockets cannot be restricted here: ${known.error?.message ?? known.stderr.trim()}`)
      this.skip()
    }
    const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-unit-'))
    try {
      const node = path.join(folder, 'node')
      const words = ['python3', ...restricted, process.execPath].map((word) => `'${word}'`)
      await writeFile(node, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o700 })
      const service = await startService({ node, only: null })
      await service.dispose()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
