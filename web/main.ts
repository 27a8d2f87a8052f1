/** Entry point of the dashboard: loads the language and the session, then shows the frame. */
import { mount } from 'svelte'
import './style/tokens.css'
import './style/base.css'
import App from './app/App.svelte'
import { loadWords } from './app/language.ts'
import { openSession } from './app/session.svelte.ts'
import { applyTheme } from './app/theme.ts'
import Unreachable from './app/Unreachable.svelte'

applyTheme()
await loadWords()
try {
  if (await openSession()) mount(App, { target: document.body })
} catch (error) {
  mount(Unreachable, { target: document.body, props: { error } })
}
