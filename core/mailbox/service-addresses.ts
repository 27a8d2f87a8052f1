/**
 * Local parts at which the service itself receives mail on every domain: the return paths of sends, and the report addresses. A
 * mailbox with such a name would never receive mail.
 */

/** The id of a send, the number of its recipient, and a digest (core/receive/return-path.ts). */
export const returnPathForm = /^bounce-([0-9a-hjkmnp-tv-z]{26})-([0-9a-z]{1,4})-([0-9a-f]{16})$/
/** A digest of the domain (core/deliverability/report-address.ts). */
export const reportForm = /^reports-([0-9a-f]{16})$/

/** Whether the service itself receives the mail to a canonical local part. */
export const isServiceLocalPart = (local: string): boolean =>
  [returnPathForm, reportForm].some((form) => form.test(local))
