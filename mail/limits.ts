/** Bounds on hostile mail: each line names the abuse it stops. Sizes are bytes unless the name says otherwise. */
export const limits = {
  /** A message that is all header: memory and CPU spent before the body is reached. */
  headerBytesMax: 256 * 1024,
  /** Thousands of tiny header fields, each costing an object. */
  headerCountMax: 1000,
  /** The same two attacks repeated in every MIME part. */
  partHeaderBytesMax: 32 * 1024,
  partHeaderCountMax: 100,
  /** Tens of thousands of empty MIME parts. */
  partsMax: 1000,
  /** Multiparts inside multiparts until the stack runs out. */
  depthMax: 50,
  /** Messages inside messages: each level counts its lines again. */
  embeddedDepthMax: 8,
  /** Boundary parameters as long as the message (RFC 2046 5.1.1 allows 70). */
  boundaryCharsMax: 250,
  /** Content-Type fields with thousands of parameters or RFC 2231 sections. */
  parametersMax: 100,
  /** A To field that lists the whole world. */
  addressesMax: 1000,
  /** A References field that makes one message ask for thousands of ancestors. */
  ancestorsMax: 100,
  /** Message-IDs used as bulk storage (RFC 5322 2.1.1: a line has at most 998 characters). */
  messageIdCharsMax: 998,
  /** Encoded words that make one field expensive to decode; longer values stay as they are. */
  encodedWordsCharsMax: 64 * 1024,
  /** Attachment names that no file system takes. */
  fileNameCharsMax: 200,
  /** Attachment lists that fill the message record. */
  attachmentsMax: 500,
  /** Decoding a whole body when only its first lines are shown. */
  snippetSourceBytesMax: 4 * 1024,
  snippetCharsMax: 200,
  /** HTML that takes minutes to convert: what lies beyond is not converted. */
  htmlCharsMax: 2 * 1024 * 1024,
  /** HTML elements nested until the converter's stack runs out. */
  htmlDepthMax: 300,
  /** A body that is decoded though nobody can read it. */
  textBytesMax: 4 * 1024 * 1024,
  /** Reports of hidden text that are longer than the message. */
  hiddenMax: 20,
  hiddenExcerptCharsMax: 200,
  /** Bodies given to the reply splitter, which looks at lines several times. */
  replyCharsMax: 256 * 1024,
} as const
