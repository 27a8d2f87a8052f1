// Asks the browser for a passkey and submits the answer with the form around the button. Without this script, or in a browser that
// does not support passkeys, the button stays hidden and the rest of the page works.
for (const button of document.querySelectorAll('button[data-passkey]')) {
  if (window.PublicKeyCredential?.parseRequestOptionsFromJSON === undefined) continue
  const { form } = button
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { passkey: ceremony, options } = button.dataset
    const asked = JSON.parse(options)
    button.disabled = true
    try {
      const credential =
        ceremony === 'create'
          ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked) })
          : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(asked) })
      form.elements.credential.value = JSON.stringify(credential)
      form.submit()
    } catch {
      form.querySelector('[role=alert]').textContent =
        'No passkey was received from your device. Try again, or use another way on this page.'
      button.disabled = false
      button.focus()
    }
  })
}
