import type { problem as english } from '../en/problem.ts'

export const problem: typeof english = {
  title: 'Das hat nicht geklappt',
  unreachable: 'Der Dienst ist nicht erreichbar.',
  unreachableFix: 'Prüfen Sie die Verbindung. Was Sie eingegeben haben, ist noch da.',
  again: 'Noch einmal',
  reference: 'Über diesen Fehler',
  request: (id: string) => `Anfrage ${id}`,
}
