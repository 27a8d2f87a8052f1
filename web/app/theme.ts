/** Light or dark: as the device is set, unless the viewer chose. */
export type Theme = 'auto' | 'light' | 'dark'

const kept = 'mailroom.theme'
const themes: readonly string[] = ['light', 'dark']

export function theme(): Theme {
  const chosen = localStorage.getItem(kept) ?? ''
  return themes.includes(chosen) ? (chosen as Theme) : 'auto'
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(kept, chosen)
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme()
}
