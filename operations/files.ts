import { openLink } from '../core/read/attachment-links.ts'
import { identifierMax } from '../schemas/fields.ts'
import { object, string } from '../schemas/infer.ts'
import { file, publicOperation } from './registry.ts'

export const getFile = publicOperation({
  name: 'files.get',
  summary: 'The file that a signed link leads to. No key is needed; the link expires.',
  http: 'GET /api/v1/files/{token}',
  input: object({ token: string({ maxLength: identifierMax, description: 'The token in the link.' }) }),
  output: file('*/*', 'The file, with its own content type.'),
  errors: ['not_found'],
  handle: ({ ctx }, { token }) => openLink(ctx, token),
})
