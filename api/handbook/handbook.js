// Makes reading quicker; every page reads the same without it.

for (const sample of document.querySelectorAll('main pre')) {
  // Browsers let pages write to the clipboard over https and on this machine alone.
  if (navigator.clipboard === undefined) break
  const button = document.createElement('button')
  button.className = 'second small copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(sample.querySelector('code').textContent.trimEnd())
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  const frame = document.createElement('div')
  frame.className = 'sample'
  sample.before(frame)
  frame.append(sample, button)
}

// What was chosen in a list that lies over the page is shown under it.
for (const list of document.querySelectorAll('nav[popover]'))
  list.addEventListener('click', ({ target }) => {
    if (target.closest('a') !== null && list.matches(':popover-open')) list.hidePopover()
  })

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  document.querySelector('.search input').focus()
})
