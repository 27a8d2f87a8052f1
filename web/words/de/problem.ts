import type { problem as english } from '../en/problem.ts'

export const problem: typeof english = {
  title: 'Das hat nicht geklappt',
  unreachable: 'Der Dienst ist nicht erreichbar.',
  unreachableFix: 'Prüfe die Verbindung. Was du eingegeben hast, ist noch da.',
  again: 'Noch einmal',
  reference: 'Über diesen Fehler',
  request: (id: string) => `Anfrage ${id}`,
}
