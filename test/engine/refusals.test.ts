/** The engine refuses what MongoDB refuses: each rule of `refusals/` is a test, named after the rule and its source. */
import { Binary } from 'bson'
import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import { checkFields } from '../../engine/commands/command.ts'
import { ping } from '../../engine/commands/hello.ts'
import { type Database, openDatabase } from '../start/engine.ts'
import { commandRules } from './refusals/commands.ts'
import { filterRules } from './refusals/filters.ts'
import { pipelineRules } from './refusals/pipelines.ts'
import { codeOf } from './refusals/rules.ts'
import { writeRules } from './refusals/writes.ts'
import { failure } from './values.ts'

describe('engine: what MongoDB refuses', () => {
  let database: Database
  let client: MongoClient
  let db: Db
  before(async () => {
    database = await openDatabase()
    client = await new MongoClient(database.url).connect()
    db = client.db()
  })
  after(async () => {
    await client.close()
    await database.drop()
  })

  const parts = { commands: commandRules, filters: filterRules, pipelines: pipelineRules, writes: writeRules }
  for (const [part, rules] of Object.entries(parts)) {
    for (const [source, some] of Object.entries(rules)) {
      for (const [name, command, code] of some) {
        it(`of ${part}: ${name} (${source}): ${code ?? 'allowed'}`, async () => {
          expect(await codeOf(db, command)).to.equal(code)
        })
      }
    }
  }

  // The driver puts a session of its own into every command.
  const id = new Binary(Buffer.alloc(16), Binary.SUBTYPE_UUID)
  const sessions: readonly (readonly [name: string, lsid: Parameters<typeof checkFields>[1][string], code?: number])[] =
    [
      ['an id', { id }],
      ['an id and a user', { id, uid: new Binary(Buffer.alloc(32)) }],
      ['a number', 5, 14],
      ['no id', {}, 40414],
      ['an id of text', { id: 'x' }, 14],
      ['an id that is no UUID', { id: new Binary(Buffer.alloc(16)) }, 14],
      ['an unknown field', { id, foo: 1 }, 40415],
    ]
  for (const [name, lsid, code] of sessions)
    it(`of sessions: ${name} (src/mongo/db/logical_session_id.idl): ${code ?? 'allowed'}`, () => {
      const body = { ping: 1, lsid }
      expect(failure(() => checkFields(ping, body, Object.keys(body)))).to.equal(code)
    })
})
