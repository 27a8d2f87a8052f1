// Shows the description of the API by Swagger UI, in place of the list of operations.

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

// The list has an anchor for each group, which the renderer writes otherwise.
if (/^#\w+$/.test(location.hash)) history.replaceState(null, '', `#/${location.hash.slice(1)}`)

const at = (description, path) => path.reduce((value, name) => value?.[name], description)

/** A part of the description, with what it refers to, which is all in the description itself, in the place of the reference. */
function resolved(description, part) {
  if (Array.isArray(part)) return part.map((each) => resolved(description, each))
  if (part === null || typeof part !== 'object') return part
  if (typeof part.$ref === 'string') return resolved(description, at(description, part.$ref.split('/').slice(1)))
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, resolved(description, each)]))
}

const nothing = () => () => null
const parts = () => ({
  fn: {
    // The renderer's own takes seconds, because references may lead anywhere.
    resolveSubtree: async (description, path) => ({ spec: resolved(description, at(description, path)), errors: [] }),
  },
  statePlugins: {
    spec: {
      wrapActions: {
        // It would be read as YAML, which takes seconds.
        parseToJson:
          (_original, { specActions }) =>
          (text) =>
            specActions.updateJsonSpec(JSON.parse(text)),
      },
    },
  },
  wrapComponents: {
    // The page has a heading of its own, and there is one server: this one.
    InfoContainer: nothing,
    ServersContainer: nothing,
    // A link inside a button is none that the keyboard reaches.
    DeepLink:
      (_original, { React }) =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
})

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: 'none',
  plugins: [parts],
  onComplete: () => document.querySelector('#operations')?.remove(),
})
