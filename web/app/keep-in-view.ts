/** Svelte attachment: keeps the open entry (`isOpen`) of a scrolling `nav` in view, also after the `nav` is resized. */
export const keepInView = (isOpen: boolean) => (element: HTMLElement) => {
  const scrolls = element.closest('nav')
  if (!isOpen || scrolls === null) return undefined
  const resized = new ResizeObserver(() => element.scrollIntoView({ block: 'nearest', inline: 'nearest' }))
  resized.observe(scrolls)
  return () => resized.disconnect()
}
