// Conveniences for readers; every page works without them.

for (const sample of document.querySelectorAll('main pre')) {
  // Browsers let pages write to the clipboard only over https and from this machine.
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

// Closes a list that covers the page once one of its links is chosen.
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
