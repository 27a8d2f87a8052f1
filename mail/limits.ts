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
  /** Subjects and names of people that fill every list that shows them: longer ones are cut. */
  subjectCharsMax: 1000,
  nameCharsMax: 250,
  /** A References field that makes one message ask for thousands of ancestors. */
  ancestorsMax: 100,
  /** Message-IDs used as bulk storage (RFC 5322 2.1.1: a line has at most 998 characters). */
  messageIdCharsMax: 998,
  /** Encoded words that make one field expensive to decode; longer values stay as they are. */
  encodedWordsCharsMax: 64 * 1024,
  /** Text without a charset: how many bytes are searched for lines to guess by, and how many bytes of these lines are used. */
  guessedBytesMax: 64 * 1024,
  guessSampleBytesMax: 2 * 1024,
  /** Types and ids of parts as long as a header, 500 times in one record (RFC 6838 4.2: 127 characters on each side). */
  mediaTypeCharsMax: 255,
  contentIdCharsMax: 255,
  /** Attachment names that no file system accepts. */
  fileNameCharsMax: 200,
  /** Attachment lists that fill the message record. */
  attachmentsMax: 500,
  /** TNEF streams of thousands of empty files, and of messages inside messages. */
  tnefFilesMax: 100,
  tnefDepthMax: 3,
  /** Compressed RTF that grows to many times its size, and groups nested without end. */
  rtfBytesMax: 4 * 1024 * 1024,
  rtfInsideBytesMax: 256 * 1024,
  rtfDepthMax: 200,
  /** Signed content in millions of pieces. */
  cmsPiecesMax: 65_536,
  /** Text made of thousands of uuencoded files. */
  inlineFilesMax: 50,
  /** Messages inside attachments inside messages, each decoded on request. */
  insideDepthMax: 3,
  /** Decoding a whole body when only its first lines are shown. */
  snippetSourceBytesMax: 4 * 1024,
  snippetCharsMax: 200,
  /** Empty parts before the first words. */
  snippetPartsMax: 4,
  /** HTML that takes minutes to convert: what lies beyond is not converted. */
  htmlCharsMax: 1024 * 1024,
  /** HTML made of nothing but tags and single characters: elements and pieces of text. */
  htmlPiecesMax: 150_000,
  /** HTML elements nested until the converter's stack runs out. */
  htmlDepthMax: 300,
  /** Alternative texts of pictures as long as the message. */
  imageWordsCharsMax: 500,
  /** Style sheets whose every rule is tested on every element. */
  cssRulesMax: 1000,
  cssRulesPerKeyMax: 30,
  cssClassesMax: 10,
  cssAncestorsMax: 20,
  cssSelectorCharsMax: 1000,
  /** Blocks in blocks, each read again. */
  cssDepthMax: 6,
  cssVariablesMax: 100,
  cssStepsMax: 5_000_000,
  /** A body that is decoded though nobody can read it. */
  textBytesMax: 4 * 1024 * 1024,
  /** The same spread over many parts. */
  bodyBytesMax: 8 * 1024 * 1024,
  /** Plain parts that are compared with their HTML: beyond this, only their length counts. */
  comparedCharsMax: 256 * 1024,
  /** Reports of hidden text that are longer than the message. */
  hiddenMax: 20,
  hiddenExcerptCharsMax: 200,
  /** Bodies given to the reply splitter, which looks at lines several times. */
  replyCharsMax: 256 * 1024,
  /** Words of one field that can be found: a body of random words would fill the index. */
  searchTokensMax: 65_536,
  /** Encoded data mistaken for words: what lies beyond makes no difference. */
  searchWordCharsMax: 64,
  /** Text of attachments, in code points: a book would fill the record of its mail. */
  extractedCharsMax: 20_000,
  /** Files that are larger than a message may be. */
  extractedFileBytesMax: 40 * 1024 * 1024,
  /** Packages that unpack to many times their size, or consist of thousands of parts. */
  unpackedBytesMax: 32 * 1024 * 1024,
  /** Parts of packages that are much longer than their text: what lies beyond is not read. */
  partBytesMax: 12 * 1024 * 1024,
  packagePartsMax: 10_000,
  /** Sheets of a million rows, and their texts: each cell costs much, and only the first ones are shown. */
  sheetBytesMax: 1024 * 1024,
  /** XML nested until the stack runs out, and XML of nothing but elements: those beyond are not read. */
  xmlDepthMax: 500,
  xmlElementsMax: 500_000,
  /** Pages that are scans, or drawings of a million lines: the pages after that are left out. The time is wall-clock time. */
  pdfPagesMax: 500,
  pdfMs: 6_000,
  /** Hidden text of attachments that is kept before it is cut, in characters. */
  hiddenSourceCharsMax: 4_000,
  /** Queries that cost more than they find. */
  queryCharsMax: 1_000,
  queryTermsMax: 50,
  queryDepthMax: 10,
  /** Long bodies searched for codes on arrival: codes and links are near the beginning. */
  verifiedTextBytesMax: 32 * 1024,
  verifiedHtmlBytesMax: 192 * 1024,
  verifiedLinesMax: 1500,
  verifiedLineCharsMax: 2500,
  verifiedLinkCharsMax: 2000,
  /** Mails full of numbers or of links, each of which is looked at. */
  verifiedNumbersMax: 60,
  verifiedLinksMax: 100,
  /** Codes or links in the record of one message. */
  verifiedFoundMax: 5,
} as const
