/** Attachment: keeps what is open, among things that scroll, in sight, also when there is less room for them; `isOpen` says whether it is. */
export const inSight = (isOpen: boolean) => (element: HTMLElement) => {
  const scrolls = element.closest('nav')
  if (!isOpen || scrolls === null) return undefined
  const resized = new ResizeObserver(() => element.scrollIntoView({ block: 'nearest', inline: 'nearest' }))
  resized.observe(scrolls)
  return () => resized.disconnect()
}
