/** Documents of Drive, the account's files. Times are Dates (UTC), sizes are bytes. */

/** A file or folder. Names are unique within a folder. */
export type DriveEntryDoc = {
  readonly _id: string
  readonly accountId: string
  /** The folder that contains it; null at the top level. */
  readonly parentId: string | null
  readonly name: string
  readonly kind: 'file' | 'folder'
  readonly sizeBytes: number
  readonly contentType: string | null
  readonly createdAt: Date
  readonly modifiedAt: Date
  /** The pieces of a file, in order; empty for a folder. */
  readonly parts: readonly DrivePart[]
  /** Identifies the file from which the content was read, in the version that was read. */
  readonly source?: string
  /** Content that is being uploaded; it replaces the current content once it is complete. */
  readonly incoming?: DriveUpload
  /** Set while the first content is incomplete: the entry is not shown to anyone. */
  readonly isNew?: true
}

/** A piece of a file: a file of the database driver's own bucket (GridFS). */
export type DrivePart = { readonly id: string; readonly sizeBytes: number }

/** How far an upload is. `source` identifies the file that it is read from, in that version; `writer` is the upload's current writer. */
export type DriveUpload = {
  readonly source: string
  readonly writer: string
  readonly parts: readonly DrivePart[]
  readonly at: Date
}

/** A file of the bucket, as GridFS stores it. */
export type DriveFileDoc = { readonly _id: string; readonly filename: string; readonly length: number }

/** A chunk of a file of the bucket, as GridFS stores it. */
export type DriveChunkDoc = { readonly files_id: string; readonly n: number }
