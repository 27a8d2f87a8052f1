import { expect } from 'chai'
import { extensionOf, mediaTypeOf } from '../../../mail/message/media-types.ts'

describe('mail/message/media-types', () => {
  const extensions: readonly (readonly [contentType: string, extension: string])[] = [
    ['application/pdf', 'pdf'],
    ['image/jpeg', 'jpg'],
    ['text/calendar', 'ics'],
    ['text/markdown', 'md'],
    ['message/rfc822', 'eml'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
    ['application/postscript', 'ps'],
    ['application/x-pkcs7-signature', 'p7s'],
    ['application/pgp-signature', 'sig'],
    ['video/quicktime', 'mov'],
    ['text/enriched', 'txt'],
    ['application/octet-stream', 'bin'],
    ['application/x-whatever', 'bin'],
    ['constructor', 'bin'],
    ['', 'bin'],
  ]
  for (const [contentType, extension] of extensions)
    it(`${contentType || 'no type'} is .${extension}`, () => expect(extensionOf(contentType)).to.equal(extension))

  const types: readonly (readonly [fileName: string, contentType: string])[] = [
    ['report.pdf', 'application/pdf'],
    ['photo.JPG', 'image/jpeg'],
    ['archive.tar.gz', 'application/gzip'],
    ['notes.txt', 'text/plain'],
    ['invite.ics', 'text/calendar'],
    ['data.unknown', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ]
  for (const [fileName, contentType] of types)
    it(`${fileName || 'no name'} is ${contentType}`, () => expect(mediaTypeOf(fileName)).to.equal(contentType))
})
