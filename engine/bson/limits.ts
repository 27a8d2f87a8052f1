/** Deeper documents are refused in both directions: it bounds recursion everywhere else. */
export const nestingMax = 100

/** How much further a request or an answer may nest than the documents that stand in it. */
export const envelopeLevels = 10

/** The largest stored document, as mongod. */
export const documentBytesMax = 16 * 1024 * 1024
