/** Drive as callers see it (decisions.md 2, Drive). */
import { described, integer, nullable, object, oneOf, string, timestamp, untrusted } from './infer.ts'

export const driveKinds = ['file', 'folder'] as const

export const DriveEntry = object({
  id: string(),
  name: untrusted(string()),
  kind: oneOf(driveKinds),
  parentId: described('The folder that contains it; null at the top.', nullable(string())),
  size: integer({ description: 'Bytes; 0 for a folder.' }),
  contentType: nullable(string({ description: 'null for a folder.' })),
  createdAt: timestamp(),
  modifiedAt: timestamp(),
})
