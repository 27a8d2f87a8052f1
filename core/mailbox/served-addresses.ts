/**
 * Local parts that the service takes mail under at every domain: the return paths of what is sent, and the addresses of reports. Mail to
 * them comes to no mailbox of such a name.
 */

/** The id of a send, the number of its recipient, and a digest (core/receive/return-path.ts). */
export const returnPathForm = /^bounce-([0-9a-hjkmnp-tv-z]{26})-([0-9a-z]{1,4})-([0-9a-f]{16})$/
/** A digest of the domain (core/deliverability/report-address.ts). */
export const reportForm = /^reports-([0-9a-f]{16})$/

/** Whether mail to a canonical local part is the service's own. */
export const isServedLocal = (local: string): boolean => [returnPathForm, reportForm].some((form) => form.test(local))
