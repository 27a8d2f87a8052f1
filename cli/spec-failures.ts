/**
 * The cases of the driver's specification tests that fail, each with its reason. Run by hand: all files of `crud`,
 * `gridfs`, `collection-management`, `run-command` and `read-write-concern` in the unified format, through the driver,
 * with results, errors, command events and outcomes compared as that format says.
 */

/**
 * The cases that were run: the suite as of August 2026 with driver 7.8.0; those for a standalone server of the version
 * that the engine announces, without failpoints.
 */
export const specRun = { eligible: 441, otherServers: 118, failpoints: 10 } as const

export type SpecFailure = {
  readonly reason: string
  /** Whether it fails on any server, because of the driver. */
  readonly driver?: true
  /** Cases by file. */
  readonly cases: Readonly<Record<string, readonly string[]>>
}

export const specFailures: readonly SpecFailure[] = [
  {
    reason: 'clustered collections are refused',
    cases: {
      'collection-management/clustered-indexes': [
        'createCollection with clusteredIndex',
        'listCollections includes clusteredIndex',
        'listIndexes returns the index',
      ],
    },
  },
  {
    reason: 'an index cannot be made unique later: drop it and create it again',
    cases: {
      'collection-management/modifyCollection-errorResponse': [
        'modifyCollection prepareUnique violations are accessible',
      ],
    },
  },
  {
    reason: 'time series collections are refused',
    cases: {
      'collection-management/timeseries-collection': [
        'createCollection with all options',
        'insertMany with duplicate ids',
        'createCollection with bucketing options',
      ],
    },
  },
  {
    reason: 'only the simple collation is supported',
    cases: {
      'crud/unified/aggregate-collation': ['Aggregate with collation'],
      'crud/unified/bulkWrite-collation': [
        'BulkWrite with delete operations and collation',
        'BulkWrite with update operations and collation',
      ],
      'crud/unified/count-collation': ['Count documents with collation', 'Deprecated count with collation'],
      'crud/unified/deleteMany-collation': ['DeleteMany when many documents match with collation'],
      'crud/unified/deleteOne-collation': ['DeleteOne when many documents matches with collation'],
      'crud/unified/distinct-collation': ['Distinct with a collation'],
      'crud/unified/find-collation': ['Find with a collation'],
      'crud/unified/findOneAndDelete-collation': ['FindOneAndDelete when one document matches with collation'],
      'crud/unified/findOneAndReplace-collation': [
        'FindOneAndReplace when one document matches with collation returning the document after modification',
      ],
      'crud/unified/findOneAndUpdate-collation': [
        'FindOneAndUpdate when many documents match with collation returning the document before modification',
      ],
      'crud/unified/replaceOne-collation': ['ReplaceOne when one document matches with collation'],
      'crud/unified/updateMany-collation': ['UpdateMany when many documents match with collation'],
      'crud/unified/updateOne-collation': ['UpdateOne when one document matches with collation'],
    },
  },
  {
    reason: 'views are refused',
    cases: {
      'crud/unified/estimatedDocumentCount': ['estimatedDocumentCount works correctly on views'],
    },
  },
  {
    reason: 'document validation is refused',
    cases: {
      'crud/unified/findOneAndUpdate-errorResponse': ['findOneAndUpdate document validation errInfo is accessible'],
    },
  },
  {
    reason: 'there is no server-side JavaScript',
    cases: {
      'read-write-concern/operation/default-write-concern-3.4': ['MapReduce omits default write concern'],
    },
  },
  {
    reason: 'the driver leaves the option out when it is false',
    driver: true,
    cases: {
      'crud/unified/bypassDocumentValidation': [
        'Aggregate with $out passes bypassDocumentValidation: false',
        'BulkWrite passes bypassDocumentValidation: false',
        'FindOneAndReplace passes bypassDocumentValidation: false',
        'FindOneAndUpdate passes bypassDocumentValidation: false',
        'InsertMany passes bypassDocumentValidation: false',
      ],
    },
  },
  {
    reason: 'the driver replaces an `_id` of null before it sends it',
    driver: true,
    cases: {
      'crud/unified/create-null-ids': [
        'inserting _id with type null via insertOne',
        'inserting _id with type null via insertMany',
        'inserting _id with type null via bulkWrite',
        'inserting _id with type null via clientBulkWrite',
      ],
    },
  },
  {
    reason: 'the driver returns a partial result of zeros although nothing was done',
    driver: true,
    cases: {
      'crud/unified/client-bulkWrite-partialResults': [
        'partialResult is unset when first operation fails during an ordered bulk write (verbose)',
        'partialResult is unset when first operation fails during an ordered bulk write (summary)',
        'partialResult is unset when all operations fail during an unordered bulk write',
      ],
    },
  },
  {
    reason: 'the driver has no such method',
    driver: true,
    cases: {
      'gridfs/deleteByName': [
        'delete when multiple revisions of the file exist',
        'delete when file name does not exist',
      ],
      'gridfs/renameByName': [
        'rename when multiple revisions of the file exist',
        'rename when file name does not exist',
      ],
    },
  },
  {
    reason: 'the driver does not notice the missing chunk',
    driver: true,
    cases: {
      'gridfs/download': ['download when final chunk is missing'],
    },
  },
]
