/** Logging in, by `saslStart` and `saslContinue`, or with the first step sent along with `hello`. */
import { setTimeout as delay } from 'node:timers/promises'
import { Binary } from 'bson'
import { countField, documentField, flagField, optionalDocument, textField } from '../arguments.ts'
import type { LoginStep, Peer } from '../auth/peer.ts'
import { mechanism } from '../auth/scram.ts'
import { type Document, documentOf, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Command, harmless, implemented } from './command.ts'

/** Source: the `saslStart` command. SCRAM-SHA-256 is the only mechanism. */
export const saslStart: Command = {
  names: ['saslStart'],
  beforeLogin: true,
  fields: { mechanism: implemented, payload: implemented, options: implemented, autoAuthorize: harmless('obsolete') },
  run: ({ body, database, peer }) => answered(() => begin(peer, database, body)),
}

/** Source: the `saslContinue` command. */
export const saslContinue: Command = {
  names: ['saslContinue'],
  beforeLogin: true,
  fields: { conversationId: implemented, payload: implemented },
  run: ({ body, peer }) => answered(() => peer.proceed(countField(body, 'conversationId') ?? 0, payloadOf(body))),
}

/**
 * The fields that `hello` adds for a client that is about to log in: the mechanisms, which are the same for every user name, and
 * the answer to a first step that was sent along. If that step fails, its answer is left out.
 */
export function loginFields(peer: Peer, body: Document): Document {
  if (peer.local) return {}
  const fields: Document = {}
  if (body.saslSupportedMechs !== undefined) fields.saslSupportedMechs = [mechanism]
  if (body.speculativeAuthenticate === undefined) return fields
  const first = documentField(body, 'speculativeAuthenticate')
  if (first.mechanism !== mechanism) return fields
  try {
    fields.speculativeAuthenticate = shown(begin(peer, textField(first, 'db'), first))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
  }
  return fields
}

function begin(peer: Peer, database: string, body: Document): LoginStep {
  const short = flagField(optionalDocument(body, 'options') ?? {}, 'skipEmptyExchange')
  return peer.start(database, textField(body, 'mechanism'), payloadOf(body), short)
}

async function answered(step: () => LoginStep): Promise<Document> {
  try {
    return { ...shown(step()), ok: 1 }
  } catch (error) {
    await delay(limits.loginFailureDelayMs)
    throw error
  }
}

function shown({ conversationId, done, payload }: LoginStep): Document {
  return documentOf({ conversationId, done, payload: new Binary(payload) })
}

function payloadOf(body: Document): Buffer {
  const payload: Value | undefined = body.payload
  if (!(payload instanceof Binary)) throw new EngineError('TypeMismatch', "BSON field 'payload' must be binary data")
  return Buffer.from(payload.buffer.subarray(0, payload.position))
}
