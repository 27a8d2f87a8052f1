import { extension, lookup } from 'mime-types'

/** Media types in mail that are unregistered, registered under another name, or better known by another extension. */
const extensions: ReadonlyMap<string, string> = new Map([
  ['application/postscript', 'ps'],
  ['application/x-excel', 'xls'],
  ['application/x-gzip', 'gz'],
  ['application/x-pkcs7-mime', 'p7m'],
  ['application/x-pkcs7-signature', 'p7s'],
  ['video/quicktime', 'mov'],
])

/** The usual file extension of a lower-case media type, without dot; `txt` or `bin` when it has none. */
export function extensionOf(contentType: string): string {
  return extensions.get(contentType) ?? (extension(contentType) || (contentType.startsWith('text/') ? 'txt' : 'bin'))
}

/** The media type that the extension of a file name stands for; `application/octet-stream` when it is unknown. */
export function mediaTypeOf(fileName: string): string {
  return lookup(fileName) || 'application/octet-stream'
}
