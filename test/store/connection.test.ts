import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import { clientOf } from '../../store/connection.ts'
import { requireDurable, WeakConnection } from '../../store/connection-string.ts'
import { isUnavailable, unwellCodes } from '../../store/unwell.ts'

const refused = [
  ['one acknowledgement', 'w=1', 'Write w=majority'],
  ['a number of them', 'w=3', 'Write w=majority'],
  ['a name of the option in capitals', 'W=0', 'W=0'],
  ['no journal', 'journal=false', 'Write journal=true'],
  ['no journal, by its older name', 'w=majority&j=false', 'j=false'],
  ['reads of other members', 'readPreference=secondaryPreferred', 'Write readPreference=primary'],
  ['reads of the nearest', 'replicaSet=rs0&readPreference=nearest', 'Write readPreference=primary'],
  ['reads that may be stale', 'maxStalenessSeconds=120', 'Leave maxStalenessSeconds out'],
  ['reads of what no primary vouches for', 'readConcernLevel=available', 'readConcernLevel=available'],
  ['reads that no note can be trusted with', 'readConcernLevel=snapshot', 'readConcernLevel=snapshot'],
  ['writes that are not made again', 'retryWrites=false', 'Write retryWrites=true'],
  ['reads that are not made again', 'retryReads=false', 'Write retryReads=true'],
  ['commands without an end', 'socketTimeoutMS=0', 'Leave socketTimeoutMS out'],
  ['a wait for a connection without an end', 'waitQueueTimeoutMS=0', 'Leave waitQueueTimeoutMS out'],
  ['an option that the driver ignores', 'timeoutMS=5000', 'Leave timeoutMS out'],
  ['a majority that need not be reached', 'w=majority&wtimeoutMS=1', 'Leave wtimeoutMS out'],
  ['an encoded value', 'w=%31', 'w=1'],
] as const

const taken = [
  ['nothing', ''],
  ['what is asked anyway', '?w=majority&journal=true&readPreference=primary&retryWrites=true'],
  ['the same in capitals', '?W=Majority&readPreference=PRIMARY'],
  ['what has no say in it', '?replicaSet=rs0&tls=true&authSource=admin&compressors=zstd&maxPoolSize=20'],
] as const

describe('store: a connection string', () => {
  for (const [name, query, said] of refused)
    it(`is refused for ${name}`, () => {
      const asked = () => requireDurable(`mongodb://a.example,b.example/mailroom?${query}`)
      expect(asked).to.throw(WeakConnection).with.property('message').that.includes(said)
    })
  for (const [name, query] of taken)
    it(`is taken with ${name}`, () => {
      requireDurable(`mongodb+srv://user:p%3Fw@db.example/mailroom${query}`)
    })
})

it('store: who waits long for answers waits as long for a connection that others await theirs on', () => {
  const { socketTimeoutMS, waitQueueTimeoutMS } = clientOf('mongodb://a.example/', { isPatient: true }).options
  expect(waitQueueTimeoutMS).to.equal(socketTimeoutMS)
  expect(waitQueueTimeoutMS).to.be.above(clientOf('mongodb://a.example/', {}).options.waitQueueTimeoutMS)
})

describe('store: what says that a deployment is unwell', () => {
  const wellCodes = [11000, 2, 13, 18, 26, 59, 66, 72, 85, 86, 121, 291, 10334, 17280]

  for (const [code, { name }] of Object.entries(unwellCodes))
    it(`${code} ${name}`, () => {
      expect(isUnavailable(new MongoServerError({ message: name, code: Number(code) }))).to.equal(true)
    })
  for (const code of wellCodes)
    it(`not ${code}`, () => {
      expect(isUnavailable(new MongoServerError({ message: 'no', code }))).to.equal(false)
    })
  it('not an error of ours, whatever it says', () => {
    expect(isUnavailable(Object.assign(new Error('not writable primary'), { code: 10107 }))).to.equal(false)
    expect(isUnavailable(new TypeError('x'))).to.equal(false)
    expect(isUnavailable(null)).to.equal(false)
  })
})
