/** Mailroom for TypeScript and JavaScript: see README.md. */
export { ApiError, ConnectionError } from './errors.ts'
export type * from './generated/types.ts'
export {
  type AttachmentContent,
  attachment,
  Mailroom,
  type WaitedCode,
  type WaitedLink,
  type WaitedMessage,
  type WaitParams,
  WaitTimeoutError,
} from './mailroom.ts'
export type { AnswerInfo, Download, DownloadOptions, MailroomOptions, PageList, RequestOptions } from './transport.ts'
export { verifyWebhook, WebhookError, type WebhookEvent, type WebhookRequest } from './verify-webhook.ts'
