import type {
  templates as english,
  batches as englishBatches,
  suppressions as englishSuppressions,
} from '../en/sending.ts'

export const templates: typeof english = {
  title: 'Vorlagen',
  lead: 'Mails, die Programme unter einem Namen senden; die Werte jedes Empfängers werden eingesetzt.',
  make: 'Neue Vorlage',
  empty: {
    title: 'Noch keine Vorlagen',
    text: 'Schreiben Sie eine Mail einmal mit {{Platzhaltern}} und senden Sie sie aus jedem Programm unter ihrem Namen.',
  },
  alias: 'Name',
  aliasHint: 'Programme benutzen ihn genau so.',
  subject: 'Betreff',
  html: 'HTML',
  text: 'Reiner Text',
  status: 'Zustand',
  statuses: { active: 'aktiv', paused: 'angehalten' },
  pause: 'Anhalten',
  activate: 'Aktivieren',
  paused: 'Die Vorlage ist angehalten: Sendungen mit ihr werden abgelehnt.',
  activated: 'Die Vorlage ist aktiv.',
  variables: 'Werte',
  noVariables: 'Sie enthält keinen {{Platzhalter}}.',
  preview: 'Vorschau',
  previewOf: (subject: string) => `Vorschau: ${subject}`,
  updated: 'Geändert',
  deleted: (alias: string) => `Die Vorlage „${alias}“ ist gelöscht.`,
  use: 'Senden',
  unsaved: 'Speichern Sie, um es in der Vorschau zu sehen.',
}

export const batches: typeof englishBatches = {
  title: 'Serien',
  lead: 'Ein Text an viele Empfänger, jeder für sich, im Takt des Tarifs.',
  empty: {
    title: 'Keine Serien',
    text: 'Ein Programm sendet eine Serie mit einem Aufruf; hier sehen Sie, wie weit sie ist.',
  },
  subject: 'Betreff',
  from: 'Von',
  progress: 'Fortschritt',
  of: (handled: string, total: string) => `${handled} von ${total}`,
  when: 'Begonnen',
  recipients: 'Empfänger',
  statuses: {
    queued: 'wartet',
    sent: 'gesendet',
    delivered: 'zugestellt',
    bounced: 'abgewiesen',
    complained: 'als Spam gemeldet',
    failed: 'nicht gesendet',
  },
  reason: 'Grund',
  recipient: 'Empfänger',
}

export const suppressions: typeof englishSuppressions = {
  title: 'Sperrliste',
  lead: 'Empfänger, denen nicht geschrieben wird: Ihr Server lehnt endgültig ab, sie haben Spam gemeldet oder sich abgemeldet.',
  add: 'Empfänger hinzufügen',
  empty: {
    title: 'Niemand ist gesperrt',
    text: 'Endgültige Abweisungen und Spam-Meldungen stehen von selbst hier, damit niemandem vergeblich geschrieben wird.',
  },
  email: 'Empfänger',
  reason: 'Grund',
  reasons: { bounce: 'abgewiesen', complaint: 'meldete Spam', unsubscribe: 'abgemeldet', manual: 'von Hand' },
  detail: 'Was geantwortet wurde',
  since: 'Seit',
  remove: 'Entfernen',
  removed: (email: string) => `${email} wird wieder geschrieben.`,
  added: (email: string) => `${email} wird nicht mehr geschrieben.`,
}
