/**
 * Gives the memory behind `bytes` back at once. The collector would do so too, but it sees little reason to run for a few
 * small objects that hold megabytes; `bytes` and everything else in that memory is empty afterwards.
 */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
