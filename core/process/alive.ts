/** How a process shows its supervisor that it is not stuck. */

/** Answers `{ ask: true }` from the supervisor with `{ alive: true }`; a process whose event loop is stuck cannot. */
export function answerWhetherAlive(): void {
  process.on('message', (told: { readonly ask?: boolean }) => {
    if (told.ask === true) process.send?.({ alive: true }, () => undefined)
  })
}
