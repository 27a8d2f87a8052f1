import {
  changeTemplate,
  createTemplate as create,
  type Template as Found,
  getTemplate as get,
  listTemplates as list,
  previewTemplate as preview,
  deleteTemplate as remove,
  requireAccountKey,
  templateDocument,
} from '../core/send/templates.ts'
import { Failure } from '../schemas/failures.ts'
import { Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { type Infer, object, optional, string } from '../schemas/infer.ts'
import { Template, TemplateAlias, TemplatePreview, templateFields, Variables } from '../schemas/sending.ts'
import { validate } from '../schemas/validate.ts'
import { bytes, operation } from './registry.ts'

export const listTemplates = operation({
  name: 'templates.list',
  summary: 'Templates of transactional mail, by alias.',
  scope: 'mail:send',
  http: 'GET /api/v1/templates',
  input: object({ ...paging }),
  output: page('templates', Template),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, ...(before !== undefined && { before }) })
    return { templates: items.map(templateOf), next }
  },
})

export const getTemplate = operation({
  name: 'templates.get',
  summary: 'One template and the variables in it.',
  scope: 'mail:send',
  http: 'GET /api/v1/templates/{alias}',
  input: object({ alias: TemplateAlias }),
  output: Template,
  errors: ['template_not_found'],
  handle: async ({ ctx, principal }, { alias }) => templateOf(await get(ctx, principal, alias)),
})

export const createTemplate = operation({
  name: 'templates.create',
  summary: 'Create a template. Account keys only.',
  scope: 'mail:send',
  http: 'POST /api/v1/templates',
  status: 201,
  input: object({ alias: TemplateAlias, ...templateFields }),
  output: Template,
  errors: ['conflict'],
  idempotent: true,
  reach: ({ principal }) => requireAccountKey(principal),
  handle: async ({ ctx, principal }, template) => templateOf(await create(ctx, principal, template)),
})

export const updateTemplate = operation({
  name: 'templates.update',
  summary: 'Change a template, or pause it. Account keys only.',
  scope: 'mail:send',
  http: 'PATCH /api/v1/templates/{alias}',
  input: object({ alias: TemplateAlias, ...templateFields, subject: optional(templateFields.subject) }),
  output: Template,
  errors: ['template_not_found'],
  handle: async ({ ctx, principal }, change) => templateOf(await changeTemplate(ctx, principal, change)),
})

export const deleteTemplate = operation({
  name: 'templates.delete',
  summary: 'Delete a template. Account keys only.',
  scope: 'mail:send',
  http: 'DELETE /api/v1/templates/{alias}',
  input: object({ alias: TemplateAlias }),
  output: Deleted,
  errors: ['template_not_found'],
  async handle({ ctx, principal }, { alias }) {
    await remove(ctx, principal, alias)
    return { deleted: true }
  },
})

export const previewTemplate = operation({
  name: 'templates.preview',
  summary: 'Render a template with these variables; nothing is sent.',
  scope: 'mail:send',
  http: 'POST /api/v1/templates/{alias}/preview',
  input: object({ alias: TemplateAlias, variables: optional(Variables) }),
  output: TemplatePreview,
  errors: ['template_not_found'],
  async handle({ ctx, principal }, { alias, variables = {} }) {
    const { subject = '', ...rest } = await preview(ctx, principal, { alias, variables })
    return { subject, ...rest }
  },
})

export const getTemplateDocument = operation({
  name: 'templates.html',
  summary:
    'The rendered template as an HTML document to frame in a page of this service, with a content security policy under which nothing runs and nothing loads.',
  scope: 'mail:send',
  http: 'GET /api/v1/templates/{alias}/html',
  input: object({
    alias: TemplateAlias,
    variables: optional(string({ maxLength: 16_000, description: 'Values of the {{tokens}} as a JSON object.' })),
  }),
  output: bytes('text/html', 'The HTML with the values filled in, or the text if there is no HTML, as UTF-8.'),
  errors: ['template_not_found', 'payload_too_large'],
  async handle({ ctx, principal }, { alias, variables = '{}' }) {
    const document = await templateDocument(ctx, principal, { alias, variables: valuesOf(variables) })
    return { ...document, contentType: 'text/html', name: null }
  },
})

function valuesOf(json: string): Infer<typeof Variables> {
  try {
    return validate(Variables, JSON.parse(json), 'variables')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new Failure('validation_error', '"variables" is not JSON.', {
      param: 'variables',
      fix: 'Give an object such as {"name":"Ann"}, percent-encoded.',
    })
  }
}

function templateOf({ createdAt, updatedAt, ...template }: Found): Template {
  return { ...template, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}
