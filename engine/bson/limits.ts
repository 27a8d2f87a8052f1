/** The most levels of a document that is decoded or encoded: this bounds recursion everywhere else. */
export const nestingMax = 100

/** How many levels a request or an answer may have around the documents in it. */
export const envelopeLevels = 10

/** The size of the largest stored document, as in mongod. */
export const documentBytesMax = 16 * 1024 * 1024
