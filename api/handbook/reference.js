// Shows the operations of one resource with Swagger UI.

const place = document.querySelector('#reference')
const { group } = place.dataset

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const at = (description, path) => path.reduce((value, name) => value?.[name], description)

/** A part of the description with its references resolved; all of them point into the description itself. */
function resolved(description, part) {
  if (Array.isArray(part)) return part.map((each) => resolved(description, each))
  if (part === null || typeof part !== 'object') return part
  const { $ref, ...beside } = part
  if (typeof $ref === 'string')
    return { ...resolved(description, at(description, $ref.split('/').slice(1))), ...beside }
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, resolved(description, each)]))
}

const parts = ({ React }) => ({
  components: {
    // The page has its own heading and main element, and there is one server: this one.
    GroupLayout({ getComponent }) {
      const shown = [['SvgAssets'], ['AuthorizeBtnContainer', true], ['errors', true], ['operations', true]]
      return React.createElement(
        'div',
        { className: 'swagger-ui' },
        shown.map((what) => React.createElement(getComponent(...what), { key: what[0] })),
      )
    },
  },
  fn: {
    // The renderer's own version takes seconds, because it allows references to anywhere.
    resolveSubtree: async (description, path) => ({ spec: resolved(description, at(description, path)), errors: [] }),
  },
  wrapComponents: {
    // The keyboard cannot reach a link inside a button.
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
})

/** The part of the description that is about this group. */
function ofGroup({ webhooks: _, ...description }) {
  const isOfGroup = ({ tags }) => tags.includes(group)
  const paths = Object.entries(description.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).filter(([, operation]) => isOfGroup(operation))),
  ])
  return {
    ...description,
    paths: Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0)),
    tags: [{ name: group }],
    servers: [{ url: location.origin }],
  }
}

// Makes scrollable samples reachable by keyboard.
const reach = () => {
  for (const sample of place.querySelectorAll('pre:not([tabindex])')) sample.tabIndex = 0
}
new MutationObserver(reach).observe(place, { childList: true, subtree: true })

const answer = await fetch('/openapi.json')
window.SwaggerUIBundle({
  spec: ofGroup(await answer.json()),
  domNode: place,
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  layout: 'GroupLayout',
  docExpansion: 'list',
  // Off, because it writes inline styles.
  syntaxHighlight: false,
  validatorUrl: 'none',
  plugins: [parts],
})
