/** How a process shows that it is not stuck. */

/** Has the supervisor answered over its channel as long as this process does anything: `{ ask: true }` with `{ alive: true }`. */
export function answerWhetherAlive(): void {
  process.on('message', (told: { readonly ask?: boolean }) => {
    if (told.ask === true) process.send?.({ alive: true }, () => undefined)
  })
}
