import { checkNamespace, oneOf, onlyFields, optionalDocument } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Command, collation, collectionName, type FieldRule, harmless, implemented, refused } from './command.ts'
import { toWriter } from './writes.ts'

const noVariant = (what: string): FieldRule =>
  refused('InvalidOptions', `${what} collections are not supported by the embedded engine`)

/** This option is stored and shown by listCollections, and has no other effect. */
const preAndPostImages = harmless('there are no change streams to show the images')

const levels = ['off', 'strict', 'moderate']
const actions = ['error', 'warn']
const validation: Readonly<Record<string, FieldRule>> = {
  validationLevel: harmless('there is no validator', (_, body) => oneOf(body, 'validationLevel', levels)),
  validationAction: harmless('there is no validator', (_, body) => oneOf(body, 'validationAction', actions)),
}

/** Creates an ordinary or a capped collection. */
export const create: Command = {
  names: ['create'],
  fields: {
    capped: implemented,
    size: implemented,
    max: implemented,
    timeseries: noVariant('time series'),
    expireAfterSeconds: noVariant('clustered'),
    clusteredIndex: noVariant('clustered'),
    changeStreamPreAndPostImages: preAndPostImages,
    viewOn: noVariant('view'),
    pipeline: noVariant('view'),
    validator: refused('InvalidOptions', 'document validation is not supported by the embedded engine'),
    ...validation,
    storageEngine: refused('InvalidOptions', 'storageEngine is not supported by the embedded engine'),
    indexOptionDefaults: refused('InvalidOptions', 'indexOptionDefaults is not supported by the embedded engine'),
    encryptedFields: refused('InvalidOptions', 'queryable encryption is not supported by the embedded engine'),
    autoIndexId: harmless('every collection has its _id index'),
    flags: harmless('obsolete'),
    collation,
  },
  run(call) {
    checkNamespace(call.database, collectionName(call), limits.namespaceBytes)
    return toWriter(call)
  },
}

export const drop: Command = { names: ['drop'], fields: {}, run: toWriter }

export const dropDatabase: Command = { names: ['dropDatabase'], fields: {}, run: toWriter }

/** Builds indexes; see `indexOptions` in `writer/indexSpec.ts` for the options of an index. */
export const createIndexes: Command = {
  names: ['createIndexes'],
  fields: {
    indexes: implemented,
    commitQuorum: harmless('there is one node'),
    ignoreUnknownIndexOptions: refused('InvalidOptions', 'unknown index options are never ignored'),
  },
  run(call) {
    checkNamespace(call.database, collectionName(call), limits.namespaceBytes)
    return toWriter(call)
  },
}

export const dropIndexes: Command = {
  names: ['dropIndexes', 'deleteIndexes'],
  fields: { index: implemented },
  run: toWriter,
}

/** Changes the lifetime or the visibility of an index, or whether pre- and post-images are enabled; nothing else can be changed. */
export const collMod: Command = {
  names: ['collMod'],
  fields: {
    index: implemented,
    validator: refused('InvalidOptions', 'document validation is not supported by the embedded engine'),
    ...validation,
    viewOn: noVariant('view'),
    pipeline: noVariant('view'),
    cappedSize: refused('InvalidOptions', 'a capped collection keeps its size'),
    cappedMax: refused('InvalidOptions', 'a capped collection keeps its size'),
    changeStreamPreAndPostImages: preAndPostImages,
  },
  run(call) {
    const index = optionalDocument(call.body, 'index')
    if (index !== undefined) onlyFields(index, 'collMod.index', ['name', 'keyPattern', 'expireAfterSeconds', 'hidden'])
    return toWriter(call)
  },
}

export const renameCollection: Command = {
  names: ['renameCollection'],
  fields: { to: implemented, dropTarget: implemented, stayTemp: harmless('there are no temporary collections') },
  run(call) {
    if (call.database !== 'admin')
      throw new EngineError('Unauthorized', 'renameCollection may only be run against the admin database.')
    return call.engine.writer.write({ kind: 'command', message: call.message.bytes })
  },
}
