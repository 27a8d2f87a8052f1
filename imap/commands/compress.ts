import { command, loggedIn } from '../command.ts'
import { No } from '../wire/answers.ts'

/** RFC 4978. Compression begins after the tagged response. */
export const compress = command({
  states: loggedIn,
  updates: 'nothing',
  read(parser) {
    parser.space()
    return parser.word('The name of an algorithm')
  },
  async run({ peer }, algorithm) {
    if (algorithm !== 'DEFLATE') throw new No('CANNOT', 'Only DEFLATE is supported')
    if (peer.isCompressed()) throw new No('COMPRESSIONACTIVE', 'The connection is compressed already')
    peer.afterAnswer(() => peer.compress())
    return { text: 'Compression begins' }
  },
})
