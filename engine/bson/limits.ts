/** Deeper documents are refused in both directions: it bounds recursion everywhere else. */
export const nestingMax = 100

/** The largest stored document, as mongod. */
export const documentBytesMax = 16 * 1024 * 1024
