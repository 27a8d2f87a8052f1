/** Templates of transactional mail: stored, filled in and previewed (decisions.md 2, Sending). */
import { framePolicy, htmlDocument } from '../../mail/body/html-document.ts'
import { sanitiseHtml } from '../../mail/body/sanitise.ts'
import {
  filledBytes,
  filledSubjectChars,
  fillTexts,
  type TemplateTexts,
  type TemplateValues,
  variablesOf,
} from '../../mail/compose/template.ts'
import { Failure } from '../../schemas/failures.ts'
import { headerLineMax } from '../../schemas/fields.ts'
import { notACursor } from '../../schemas/refusals.ts'
import { freeSlot, takeSlot } from '../../store/accounts.ts'
import type { TemplateDoc } from '../../store/documents/sending.ts'
import * as store from '../../store/templates.ts'
import { mayHaveMade } from '../access/idempotency.ts'
import type { Page } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'

export type Template = Pick<
  TemplateDoc,
  'alias' | 'subject' | 'html' | 'text' | 'status' | 'createdAt' | 'updatedAt'
> & {
  /** Names of the variables in it. */
  readonly variables: readonly string[]
}

export type TemplateChange = {
  readonly subject?: string
  readonly html?: string | null
  readonly text?: string | null
  readonly status?: TemplateDoc['status']
}

/** Keeps an account from filling the database with templates. */
const templatesMax = 1_000

/** Lists templates by alias. Fails with `validation_error` (cursor). */
export async function listTemplates(
  ctx: Context,
  { accountId }: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<Template>> {
  const { docs, isMore } = await store.listTemplates(ctx.store, { accountId, after: aliasIn(before), limit })
  return { items: docs.map(templateOf), next: isMore ? cursorOf(docs.at(-1)!) : null }
}

/** Reads a template. Fails with `template_not_found`. */
export async function getTemplate(ctx: Context, { accountId }: Principal, alias: string): Promise<Template> {
  const found = await store.findTemplate(ctx.store, { accountId, alias })
  if (found === null) throw notFound(alias)
  return templateOf(found)
}

/**
 * Creates a template; account keys only. Fails with `forbidden`, `validation_error` (no body), `conflict` (alias taken,
 * or too many templates).
 */
export async function createTemplate(
  ctx: Context,
  principal: Principal,
  { alias, subject, html = null, text = null, status = 'active' }: TemplateChange & { alias: string; subject: string },
): Promise<Template> {
  requireAccountKey(principal)
  requireBody({ html, text })
  const { accountId } = principal
  const at = ctx.clock.now()
  const template = { accountId, alias, subject, html, text, status, createdAt: at, updatedAt: at }
  const earlier = ctx.mayRepeat ? await store.findTemplate(ctx.store, template) : null
  if (earlier !== null && mayHaveMade(ctx, earlier) && hasTexts(earlier, template)) return templateOf(earlier)
  if (!(await takeSlot(ctx.store, accountId, 'templates', templatesMax)))
    throw new Failure('conflict', `An account has at most ${templatesMax} templates.`, {
      fix: 'Delete a template that is not needed.',
    })
  const inserted = await store.insertTemplate(ctx.store, template).catch(async (error: unknown) => {
    await freeSlot(ctx.store, accountId, 'templates')
    throw error
  })
  if (inserted) return templateOf({ _id: '', ...template })
  await freeSlot(ctx.store, accountId, 'templates')
  throw new Failure('conflict', `There is already a template "${alias}".`, {
    fix: 'Choose another "alias", or change the template that has it.',
  })
}

type Texts = Pick<TemplateDoc, 'subject' | 'html' | 'text'>

const hasTexts = (template: Texts, { subject, html, text }: Texts): boolean =>
  template.subject === subject && template.html === html && template.text === text

/** Changes a template; account keys only. Fails with `forbidden`, `template_not_found`, `validation_error`. */
export async function changeTemplate(
  ctx: Context,
  principal: Principal,
  { alias, ...change }: TemplateChange & { alias: string },
): Promise<Template> {
  requireAccountKey(principal)
  const { accountId } = principal
  const found = await store.findTemplate(ctx.store, { accountId, alias })
  if (found === null) throw notFound(alias)
  requireBody({ ...found, ...change })
  const changed = await store.updateTemplate(ctx.store, found, { ...change, updatedAt: ctx.clock.now() })
  if (changed === null) throw notFound(alias)
  return templateOf(changed)
}

/** Deletes a template; account keys only. Fails with `forbidden`, `template_not_found`. */
export async function deleteTemplate(ctx: Context, principal: Principal, alias: string): Promise<void> {
  requireAccountKey(principal)
  const { accountId } = principal
  if (!(await store.deleteTemplate(ctx.store, { accountId, alias }))) throw notFound(alias)
  await freeSlot(ctx.store, accountId, 'templates')
}

/**
 * Fills in a template. Returns its texts. Fails with `template_not_found`, `template_paused`, `missing_template_variables`
 * (`missing` names them), `payload_too_large` (the filled-in template is larger than a send may be) and `validation_error`
 * (its subject is longer than a send's may be).
 */
export async function fillTemplate(
  ctx: Context,
  principal: Principal,
  { alias, variables }: { alias: string; variables: TemplateValues },
): Promise<TemplateTexts> {
  const template = await getTemplate(ctx, principal, alias)
  if (template.status === 'paused')
    throw new Failure('template_paused', `The template "${alias}" is paused; activate it to send with it.`)
  const missing = template.variables.filter((name) => !Object.hasOwn(variables, name))
  if (missing.length > 0)
    throw new Failure(
      'missing_template_variables',
      `Give values for these variables of the template "${alias}": ${missing.join(', ')}.`,
      {
        missing,
      },
    )
  return filled(ctx, textsOf(template), variables)
}

/**
 * Fills in a template for a preview, even if it is paused. Missing variables are listed and left empty. Fails with
 * `template_not_found`, `payload_too_large` and `validation_error`, as a send with it does.
 */
export async function previewTemplate(
  ctx: Context,
  principal: Principal,
  { alias, variables }: { alias: string; variables: TemplateValues },
): Promise<TemplateTexts & { readonly missing: readonly string[] }> {
  const template = await getTemplate(ctx, principal, alias)
  const missing = template.variables.filter((name) => !Object.hasOwn(variables, name))
  return { ...filled(ctx, textsOf(template), variables), missing }
}

/**
 * The preview as a document for a frame, with its HTML as recipients' programs would show it. `policy` is the content security
 * policy to serve it with. Fails as the preview does.
 */
export async function templateDocument(
  ctx: Context,
  principal: Principal,
  what: { readonly alias: string; readonly variables: TemplateValues },
): Promise<{ readonly content: Buffer; readonly policy: string; readonly version: string }> {
  const { html, text = '' } = await previewTemplate(ctx, principal, what)
  const document = htmlDocument({ html: html === undefined ? null : sanitiseHtml(html), text })
  return { content: Buffer.from(document), policy: framePolicy(`${ctx.baseUrl}/none`), version: document }
}

function filled({ settings }: Context, texts: TemplateTexts, variables: TemplateValues): TemplateTexts {
  const { sendBodyBytes } = settings.limits.http
  const chars = filledSubjectChars(texts.subject ?? '')(variables)
  const bytes = filledBytes(texts)(variables)
  if (bytes > sendBodyBytes)
    throw new Failure(
      'payload_too_large',
      `With these values the template has ${bytes} bytes; a send may have ${sendBodyBytes}.`,
      { fix: 'Shorten the values, or use them less often in the template.' },
    )
  if (chars > headerLineMax)
    throw new Failure(
      'validation_error',
      `With these values the subject of the template has ${chars} characters; it may have ${headerLineMax}.`,
      { param: 'variables', fix: 'Shorten the values that the subject uses, or the subject of the template.' },
    )
  return fillTexts(texts, variables)
}

function textsOf({ subject, html, text }: Template): TemplateTexts {
  return { subject, ...(text !== null && { text }), ...(html !== null && { html }) }
}

function templateOf({ alias, subject, html, text, status, createdAt, updatedAt }: TemplateDoc): Template {
  const variables = variablesOf({ subject, text: text ?? '', html: html ?? '' })
  return { alias, subject, html, text, status, variables, createdAt, updatedAt }
}

function requireBody({ html, text }: Pick<TemplateDoc, 'html' | 'text'>): void {
  if (html !== null || text !== null) return
  throw new Failure('validation_error', 'The template has no body: neither "text" nor "html".', {
    param: 'text',
    fix: 'Give "text", "html" or both.',
  })
}

/** Fails with `forbidden` for agent keys. */
export function requireAccountKey({ kind }: Principal): void {
  if (kind === 'agent')
    throw new Failure('forbidden', 'Only account keys may change templates.', { fix: 'Use an account key.' })
}

const notFound = (alias: string) => new Failure('template_not_found', `There is no template "${alias}".`)

const cursorOf = ({ alias }: TemplateDoc) => Buffer.from(`t ${alias}`).toString('base64url')

function aliasIn(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!text.startsWith('t ')) throw notACursor('before')
  return text.slice(2)
}
