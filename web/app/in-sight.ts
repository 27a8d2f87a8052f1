/** Attachment: scrolls what is open, among things that scroll, into sight; `isOpen` says whether it is. */
export const inSight = (isOpen: boolean) => (element: HTMLElement) => {
  if (isOpen) element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
