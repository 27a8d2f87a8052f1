declare module 'libmime' {
  type Libmime = {
    /** One encoded word, or several when `maxLength` characters do not hold it. */
    encodeWord(text: string, encoding: 'Q' | 'B', maxLength?: number): string
    /** Unwraps format=flowed text (RFC 3676). */
    decodeFlowed(text: string, delSp: boolean): string
    /** The usual file extension of a media type, without dot; 'bin' when unknown. */
    detectExtension(contentType: string): string
    /** The media type of a file name or extension; 'application/octet-stream' when unknown. */
    detectMimeType(name: string): string
  }
  const libmime: Libmime
  export = libmime
}
