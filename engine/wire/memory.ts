/**
 * Releases the memory behind `bytes` at once. The garbage collector would do it too, but it rarely runs for a few small objects
 * that hold megabytes. `bytes` and all other views of that memory are empty afterwards.
 */
export function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
