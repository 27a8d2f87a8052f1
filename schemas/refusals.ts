/** Refusals that several parts of the service word in the same way. */
import { Failure } from './failures.ts'
import { unknownName } from './words.ts'

/** `validation_error` for a name that is not among the known ones; `what` is the noun for it, such as `field`. */
export function unknown(what: string, name: string, known: readonly string[], param = name): Failure {
  const { message, fix } = unknownName(what, name, known)
  return new Failure('validation_error', message, { param, fix })
}

/** `validation_error` for a query parameter that is given twice. */
export function twice(name: string): Failure {
  return new Failure('validation_error', `The query has "${name}" twice.`, {
    param: name,
    fix: `Give "${name}" one value.`,
  })
}

/** `validation_error` for a text that is not an address. */
export function notAnAddress(text: string, param: string): Failure {
  return new Failure('validation_error', `"${text}" is not an email address.`, {
    param,
    fix: 'Write the address as user@domain, such as "ann@example.org".',
  })
}

/** `validation_error` for a text that is not a domain. */
export function notADomain(text: string, param: string): Failure {
  return new Failure('validation_error', `"${text}" is not a valid domain name.`, {
    param,
    fix: 'Write the bare name of the domain, such as "example.org", without "@" and without "https://".',
  })
}

/** `validation_error` for a cursor that no page of this list returned. */
export function notACursor(param: string, what = 'this list'): Failure {
  return new Failure('validation_error', `"${param}" is not a cursor of ${what}.`, {
    param,
    fix: `Pass "${param}" exactly as an earlier answer of ${what} gave it, or leave it out to start over.`,
  })
}

/** `validation_error` for a mail without any body. */
export function noBody(): Failure {
  return new Failure('validation_error', 'There is no body: neither "text" nor "html" nor "markdown".', {
    param: 'text',
    fix: 'Add "text", "html" or both, or "markdown" alone.',
  })
}

/** `not_found` for a message that is not in the mailbox. */
export function noMessage(messageId: string, address: string): Failure {
  return new Failure('not_found', `There is no message ${messageId} in ${address}.`, {
    fix: 'Use a message_id from a list, a search or an event of this mailbox; a message that was permanently deleted is gone.',
  })
}

/** `unprocessable` for a full mailbox. */
export function mailboxFull(address: string): Failure {
  return new Failure('unprocessable', `The mailbox ${address} is full.`, {
    fix: 'Delete messages for good, or empty the trash, to make room.',
  })
}

/** `validation_error` for an `inReplyTo` that names no message of the mailbox. */
export function noParent(messageId: string, address: string): Failure {
  return new Failure('validation_error', `There is no message ${messageId} in ${address}.`, {
    param: 'inReplyTo',
    fix: 'Give the message_id of a message of this mailbox, or leave "inReplyTo" out to begin a conversation.',
  })
}
