/** Recognises days on which something began by the event beside them: `since the update of 3 June`, `it worked until Monday`. Folded. */

type Span = { readonly start: number; readonly end: number }

const event =
  /(?<!\p{L})(?:since|seit|depuis|desde|dal|dallo|dalla|dall.|sinds|sedert)\s?(?:the|your|our|dem|der|ihrem|ihrer|unserem|le|la|l.|les|votre|notre|el|los|las|su|il|lo|vostro|de|het|een|uw|jullie|onze)?\s?(?:[\p{L}-]+\s){1,5}(?:(?:of|on|from|last|vom|von|am|letzten|du|de|del|dell.|della|di|van|op|afgelopen|vorige)\s?(?:the\s|le\s|el\s|la\s|il\s)?)$/u
const until =
  /(?<!\p{L})(?:fine|worked|working|ran|lief|liefen|ging|gingen|funktionierte\p{L}*|marchait|fonctionnait|funcionaba|iba|funzionava|andava|werkte|deed)\s(?:[\p{L}'-]+\s){0,4}(?:until|till|bis|jusqu.a|jusqu.|hasta|fino al?|tot)\s?(?:the\s|le\s|el\s|la\s|il\s|zum\s)?$/u
const sinceThen =
  /^[^.!?\n]{0,90}(?<!\p{L})(?:since then|ever since|seitdem|seither|depuis lors|desde entonces|da allora|sindsdien|sedertdien)(?!\p{L})/u
/** Somebody has been a customer or an employee since that day, so nothing broke then. */
const ofPersons =
  /(?<!\p{L})(?:customers?|clients?|members?|kund\p{L}*|mitglied|adherent\p{L}*|cliente|clienti|socio|klant|lid|employed|angestellt|employe\p{L}*|emplead[oa]|impiegat[oa]|in dienst)(?!\p{L})/u

/** Whether the words around a day in a folded text say that something has lasted since then. Looks at nearby text only. */
export function isBeginning(folded: string, { start, end }: Span): boolean {
  const before = folded
    .slice(Math.max(0, start - beforeChars), start)
    .split(/[.!?;]\s|\n/)
    .at(-1) as string
  if (ofPersons.test(before)) return false
  return event.test(before) || until.test(before) || sinceThen.test(folded.slice(end, end + behindChars))
}

const beforeChars = 90
const behindChars = 120
