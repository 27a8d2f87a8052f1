import { createFolder as create, deleteFolder as remove, renameFolder } from '../core/mailbox/folder-changes.ts'
import { type Folder as Found, listFolders as list } from '../core/mailbox/folders.ts'
import { AddressPart, Deleted, page } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { Folder, FolderName, FolderPathPart } from '../schemas/threads.ts'
import { operation } from './registry.ts'

const record = ({ path, role, total, unread }: Found): Folder => ({ path, role, total, unread })

export const listFolders = operation({
  name: 'folders.list',
  summary: 'All folders of a mailbox.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/folders',
  tools: [
    {
      name: 'list_folders',
      description: 'The folders of a mailbox with counts. Use it before moving mail to one you do not know.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address'],
    },
  ],
  input: object({ address: AddressPart }),
  output: page('folders', Folder),
  errors: [],
  async handle({ ctx, principal }, { address }) {
    return { folders: (await list(ctx, principal, address)).map(record), next: null }
  },
})

export const createFolder = operation({
  name: 'folders.create',
  summary: 'Create a folder, and the missing folders above it.',
  scope: 'mail:write',
  http: 'POST /api/v1/mailboxes/{address}/folders',
  status: 201,
  idempotent: true,
  input: object({ address: AddressPart, name: FolderName }),
  output: Folder,
  errors: ['conflict'],
  async handle({ ctx, principal }, { address, name }) {
    return record(await create(ctx, principal, { address, name }))
  },
})

export const updateFolder = operation({
  name: 'folders.update',
  summary: 'Rename or move a folder with everything below it.',
  scope: 'mail:write',
  http: 'PATCH /api/v1/mailboxes/{address}/folders/{path}',
  input: object({ address: AddressPart, path: FolderPathPart, name: FolderName }),
  output: Folder,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { address, path, name }) {
    return record(await renameFolder(ctx, principal, { address, path, name }))
  },
})

export const deleteFolder = operation({
  name: 'folders.delete',
  summary: 'Delete a folder and all folders below it; their mail moves to Trash.',
  scope: 'mail:write',
  http: 'DELETE /api/v1/mailboxes/{address}/folders/{path}',
  input: object({ address: AddressPart, path: FolderPathPart }),
  output: Deleted,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { address, path }) {
    await remove(ctx, principal, { address, path })
    return { deleted: true }
  },
})
