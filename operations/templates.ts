import {
  changeTemplate,
  createTemplate as create,
  type Template as Found,
  getTemplate as get,
  listTemplates as list,
  previewTemplate as preview,
  deleteTemplate as remove,
  requireAccountKey,
} from '../core/send/templates.ts'
import { Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object, optional } from '../schemas/infer.ts'
import { Template, TemplateAlias, TemplatePreview, templateFields, Variables } from '../schemas/sending.ts'
import { operation } from './registry.ts'

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
  summary: 'Make a template. Account keys only.',
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
  summary: 'Remove a template. Account keys only.',
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
  summary: 'What a template becomes with these variables; nothing is sent.',
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

function templateOf({ createdAt, updatedAt, ...template }: Found): Template {
  return { ...template, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}
