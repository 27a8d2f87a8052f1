import type { parts as english } from '../en/parts.ts'

export const parts: typeof english = {
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyOf: (what: string) => `${what} kopieren`,
  close: 'Schließen',
  cancel: 'Abbrechen',
  save: 'Speichern',
  saved: 'Gespeichert.',
  more: 'Mehr zeigen',
  optional: 'freiwillig',
  nextStep: 'Oder per Programm',
  withCurl: 'curl',
  withMcp: 'MCP',
  chartOf: (title: string) => `Diagramm: ${title}`,
  asTable: 'Als Tabelle',
  day: 'Tag',
  loadingRows: 'Wird geladen …',
  actions: 'Aktionen',
}
