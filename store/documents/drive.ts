/** Documents of Drive, the account's files. Times are Dates (UTC), sizes are bytes. */

/** A file or folder. Names are unique within a folder. */
export type DriveEntryDoc = {
  readonly _id: string
  readonly accountId: string
  /** The folder it lies in; null: at the top. */
  readonly parentId: string | null
  readonly name: string
  readonly kind: 'file' | 'folder'
  readonly sizeBytes: number
  readonly contentType: string | null
  readonly createdAt: Date
  readonly modifiedAt: Date
  /** What a file is made of, in order; none of a folder. */
  readonly parts: readonly DrivePart[]
  /** Identifies what the content was read from, as it was. */
  readonly source?: string
  /** A content that is being put in, which replaces the other when it is whole. */
  readonly incoming?: DriveUpload
  /** Whether the content is not whole yet: nobody is shown the entry. */
  readonly isNew?: true
}

/** A piece of a file: a file of the database driver's own bucket (GridFS). */
export type DrivePart = { readonly id: string; readonly sizeBytes: number }

/** How far a content has come. `source` identifies the file that it is read from, as it was; `writer` is who puts it in now. */
export type DriveUpload = {
  readonly source: string
  readonly writer: string
  readonly parts: readonly DrivePart[]
  readonly at: Date
}

/** A file of the bucket, as GridFS has it. */
export type DriveFileDoc = { readonly _id: string; readonly filename: string; readonly length: number }

/** A piece of one, as GridFS has it. */
export type DriveChunkDoc = { readonly files_id: string; readonly n: number }
