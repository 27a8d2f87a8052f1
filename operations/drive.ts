import { type DriveEntry as Entry, listEntries } from '../core/drive/entries.ts'
import { linkToDriveFile } from '../core/read/attachment-links.ts'
import { DriveEntry } from '../schemas/drive.ts'
import { identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object, optional, string, timestamp } from '../schemas/infer.ts'
import { operation } from './registry.ts'

export const listDrive = operation({
  name: 'drive.list',
  summary: 'The files and folders in a folder of Drive, or at its top, newest first.',
  scope: 'drive:read',
  http: 'GET /api/v1/drive',
  tools: [
    {
      name: 'drive_list_files',
      description: 'List the files and folders of Drive at its top, or in the folder parentId.',
      toolset: 'drive',
      effect: 'read',
      expose: ['parentId', 'limit', 'before'],
      sizedBy: 'limit',
    },
  ],
  input: object({ parentId: optional(identifier('Id of a folder (file_...). Default: the top level.')), ...paging }),
  output: page('entries', DriveEntry),
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { limit = pageSizeDefault, ...query }) {
    const { items, next } = await listEntries(ctx, principal.accountId, { ...query, limit })
    return { entries: items.map(entryOf), next }
  },
})

export const getDownloadUrl = operation({
  name: 'drive.download_url',
  summary: 'A link to a file of Drive that needs no key and works for 15 minutes.',
  scope: 'drive:read',
  http: 'GET /api/v1/drive/{fileId}/download-url',
  tools: [
    {
      name: 'drive_download_file',
      description: 'Get a link to a file of Drive; it needs no key and works for 15 minutes.',
      toolset: 'drive',
      effect: 'read',
      expose: ['fileId'],
    },
  ],
  input: object({ fileId: identifier('Id of the file (file_...).') }),
  output: object({ url: string({ format: 'uri' }), expiresAt: timestamp() }),
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { fileId }) {
    const { url, expiresAt } = await linkToDriveFile(ctx, principal.accountId, fileId)
    return { url, expiresAt: expiresAt.toISOString() }
  },
})

function entryOf({ _id, name, kind, parentId, sizeBytes, contentType, createdAt, modifiedAt }: Entry) {
  return {
    id: _id,
    name,
    kind,
    parentId,
    size: sizeBytes,
    contentType,
    createdAt: createdAt.toISOString(),
    modifiedAt: modifiedAt.toISOString(),
  }
}
