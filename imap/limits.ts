/**
 * Bounds on what a client may ask of the IMAP server; each line names what it bounds. The limits that an operator may want to
 * change are settings (limits.imap).
 */
export const limits = {
  /**
   * A command line, or a line between two literals, before and after login. ID may carry 30 values of 1,024 bytes (RFC 2971
   * 3.3), and clients send long sequence sets.
   */
  lineBytesBeforeLogin: 40 * 1024,
  lineBytes: 64 * 1024,
  /** Literals other than messages: names, passwords, search strings. */
  literalBytes: 64 * 1024,
  /** Literals in one command. */
  literals: 1_000,
  /** A non-synchronizing literal that is too large is read and dropped up to this size; a larger one ends the connection. */
  skippedBytes: 1024 * 1024,
  /** Nested parentheses, in search keys and elsewhere: each level takes stack. */
  depth: 50,
  /** Words of one command: search keys, fetch items, flags, header names. */
  words: 10_000,
  /** Sets of messages in one command: each is expanded to a list of all the messages that it names. */
  sets: 100,
  /** Characters of a tag. */
  tagChars: 100,
  /** Commands before a login. */
  commandsBeforeLogin: 50,
  /** Wrong logins on one connection. */
  wrongLogins: 5,
  /** Invalid commands in a row. */
  badCommands: 20,
  /** How long a client may stall while a response is being sent to it, or in the middle of a command. */
  stalledMs: 120_000,
  /**
   * How long a client may take from the first byte of a command to its last, however often it sends a few bytes. Each
   * `slowBytesPerSecond` bytes of an admitted literal add one second.
   */
  commandMs: 120_000,
  slowBytesPerSecond: 4 * 1024,
  /** Bytes of messages being received, over all connections; beyond it APPEND is refused. */
  appendBytesInFlight: 256 * 1024 * 1024,
  /** Bytes that wait for a client to read them: beyond it no more output is produced for that client. */
  writtenBytes: 256 * 1024,
  /** Bytes from a client that wait to be parsed: beyond it no more is read from its socket. */
  readBytes: 256 * 1024,
  /** Chunks in which these bytes arrived: each takes memory, however small it is. */
  readChunks: 256,
} as const
