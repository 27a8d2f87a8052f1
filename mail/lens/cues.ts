/**
 * Cue words before and after a value in sentences, by concept and language, as patterns of folded text. Other words may stand
 * between a `head` and the value if a `link` comes right before the value. `after` comes right after the value.
 */

export type Cue = {
  readonly head?: string
  readonly link?: string
  readonly after?: string
  /** The maximum number of characters between head and value (default 45). */
  readonly gap?: number
}
export type Cues = { readonly [concept: string]: readonly Cue[] }

export const numberCues: Cues = {
  salary: [
    {
      head: '(?:i(?: would|.d)? (?:be )?(?:looking for|expect|ask for|want|need)|am (?:looking for|expecting|asking for|hoping for)|would be (?:looking for|asking for|hoping for)|stelle (?:ich )?mir (?:\\p{L}+ ){0,3}(?:von|um)|hatten? (?:ich )?gerne?|je (?:demande|demanderais|souhaite|souhaiterais|vise)|pido|pediria|me moveria por|chiedo|(?:ne )?chiederei|mi aspetto|compenso cui penso e di|zou graag|ik vraag|ik verwacht|ik ga uit van|ik denk aan)(?: (?:about|around|at least|a salary of|etwa|rund|mindestens|ca|environ|au moins|un salaire de|unos|al menos|circa|almeno|ongeveer|minstens|zo n))*',
      gap: 2,
    },
    {
      head: 'stelle (?:ich )?mir .{0,60}(?:gehalt|lohn|stundenlohn|vergutung) (?:von|um)',
      gap: 2,
    },
    { after: '(?:die|pro|in der) stunde (?:waren|ware)|l.ora (?:mi )?(?:vanno|va|andrebbe|andrebbero) bene' },
  ],
  people: [
    { after: '(?:people|employees|staff|users|team members|seats|colleagues|person|persons|members|participants)\\b' },
    {
      after:
        '(?:mitarbeiter\\w*|leuten?|benutzer\\w*|nutzer\\w*|personen|kolleg\\w*|beschaftigten?|kopfe|anwender\\w*|mitarbeitenden?)\\b',
    },
    { after: '(?:salaries?|personnes|employes?|collaborateurs|utilisateurs|collegues)\\b' },
    { after: '(?:empleados|personas|trabajadores|usuarios|companeros)\\b' },
    { after: '(?:dipendenti|persone|addetti|utenti|collaboratori|colleghi)\\b' },
    { after: '(?:medewerkers|mensen|personen|gebruikers|werknemers|collega.?s|man personeel)\\b' },
    { after: '(?:colaboradores|funcionarios|pessoas|utilizadores)\\b' },
    {
      head: '(?:we are|we.re|wir sind|sind wir|nous sommes|on est|somos|siamo(?: in)?|wij zijn met|we zijn met|zijn we met)(?: about| around| rund| etwa| ca| environ| unos| unas| circa| in| ongeveer)?',
      gap: 2,
    },
    {
      after:
        '(?:of us|von uns|d.entre nous|de nosotros|di noi|van ons|postes|puestos|postazioni|werkplekken|arbeitsplatze?|seats?|licen[cs]es?|lizenzen|licences|licencias|licenze|licenties|accounts?|users?|zugange|salaries|agents?|operatori|vendedores|techniciens|technicians|techniker|tecnici|drivers|fahrer)\\b',
    },
    { head: 'team of|team von|equipe de|equipo de|team di|team van', gap: 4 },
  ],
  experience: [
    { after: "years?'?(?: of)?(?: [\\w-]+){0,2} experience|years(?: in| as| with| at)\\b|years in" },
    { after: 'jahren?(?: [\\w-]+)? (?:\\w*erfahrung|im |als |in der )' },
    { after: 'an(?:nee)?s d.experience' },
    { after: 'anos de experiencia' },
    { after: '.?anni di esperienza' },
    { after: 'jaar (?:\\w*ervaring|als |in de )' },
    { after: 'anos de experiencia' },
    {
      head: '(?:for|after|over|with|have|did|done|spent|worked|nearly|almost|more than|seit|nach|uber|mit|habe|mehr als|gut|rund|knapp|apres|depuis|plus de|pendant|fort de|ai|tras|desde hace|mas de|llevo|tengo|con|dopo|oltre|da|ho|piu di|na|sinds|al|ruim|meer dan|heb|met)(?: (?:about|almost|over|the last|the past|etwa|fast|uber|gut|mehr als|environ|plus de|presque|casi|mas de|unos|circa|quasi|oltre|ruim|bijna|nu|now|ya|gia|deja|schon|meanwhile|inzwischen|al))*',
      gap: 2,
    },
    { head: 'lavoro da|arbeite seit|trabajo desde hace|travaille depuis|trabalho ha|werk al', gap: 4 },
    { head: 'worked .{1,40}? for|been .{1,40}? for|depuis|experience:?|esperienza', link: '(?:for|depuis)', gap: 14 },
  ],
}
