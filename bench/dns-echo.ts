/** Sends every DNS question back as its own answer: the least that any server in Node has to do. Prints its port. */
import { createSocket } from 'node:dgram'

const isAnswer = 0x80
const socket = createSocket({
  type: 'udp4',
  recvBufferSize: 1024 * 1024,
  lookup: (name, _, found) => found(null, name, 4),
})
socket.on('message', (packet, { port, address }) => {
  packet[2]! |= isAnswer
  socket.send(packet, port, address)
})
socket.bind(0, '127.0.0.1', () => console.log(socket.address().port))
process.once('disconnect', () => process.exit())
