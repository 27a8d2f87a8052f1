/** Bounds on what a client may ask of the IMAP server; each line names the abuse it stops. Those that an operator may want to change are settings (limits.imap). */
export const limits = {
  /**
   * A command line, or a line between two literals, before and after login. ID may bring 30 values of 1,024 bytes (RFC 2971
   * 3.3); sequence sets of mail programs are long.
   */
  lineBytesBeforeLogin: 40 * 1024,
  lineBytes: 64 * 1024,
  /** Literals that are no message: names, passwords, search strings. */
  literalBytes: 64 * 1024,
  /** Literals in one command. */
  literals: 1_000,
  /** Literals that are not synchronised and too large are read and thrown away, up to this size; past it the connection ends. */
  skippedBytes: 1024 * 1024,
  /** Parentheses in parentheses, in search keys and elsewhere: each takes a place on the stack. */
  depth: 50,
  /** Words of one command: search keys, fetch items, flags, header names. */
  words: 10_000,
  /** Sets of messages in one command: each is held as a list of all that it names. */
  sets: 100,
  /** Characters of a tag. */
  tagChars: 100,
  /** Commands before a login. */
  commandsBeforeLogin: 50,
  /** Wrong logins on one connection. */
  wrongLogins: 5,
  /** Commands in a row that cannot be read. */
  badCommands: 20,
  /** How long a client may be silent while it reads what it asked for, or in the middle of a command. */
  stalledMs: 120_000,
  /**
   * How long a client may take from the first byte of a command to its last, however often it sends a few bytes; for each
   * `slowBytesPerSecond` of a literal that was let in it has a second more.
   */
  commandMs: 120_000,
  slowBytesPerSecond: 4 * 1024,
  /** Bytes of messages on their way in, over all connections; past it APPEND is refused. */
  appendBytesInFlight: 256 * 1024 * 1024,
  /** Bytes that wait for a client to read them: past it nothing more is made for it. */
  writtenBytes: 256 * 1024,
  /** Bytes from a client that wait to be read: past it nothing more is taken from it. */
  readBytes: 256 * 1024,
  /** Pieces of them: each takes memory, however small it is. */
  readChunks: 256,
} as const
