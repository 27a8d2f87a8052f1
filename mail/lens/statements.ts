/** What mails say of yes/no questions, by concept and in all languages: what affirms, and what denies. Folded. */

export type Statement = { readonly yes: RegExp; readonly no: RegExp }

const made = (yes: readonly string[], no: readonly string[]): Statement => ({
  yes: new RegExp(`(?<![\\p{L}\\p{N}])(?:${yes.join('|')})(?![\\p{L}\\p{N}])`, 'u'),
  no: new RegExp(`(?<![\\p{L}\\p{N}])(?:${no.join('|')})(?![\\p{L}\\p{N}])`, 'u'),
})

export const statements: { readonly [concept: string]: Statement } = {
  paid: made(
    [
      '(?:is|was|has been|have been|been|already|fully) (?:already )?paid(?! (?:by|until|before|on|within))',
      'paid (?:by|with|via|in full)(?! (?:the|\\d))',
      'payment (?:has been |was )?(?:received|completed?|successful|confirmed)',
      'zahlung (?:ist |wurde )?(?:bereits )?(?:eingegangen|erhalten|bestatigt)',
      'paiement(?: \\p{L}+){0,4} (?:recu|accepte|confirme|effectue)',
      'pago (?:ha sido |fue )?(?:recibido|confirmado|realizado|aceptado)',
      'pagamento (?:e stato )?(?:ricevuto|confermato|effettuato)',
      'betaling (?:is |hebben wij )?(?:goed )?(?:ontvangen|geslaagd)',
      '(?:ist|wurde|sind|habe?n? wir|bereits|schon|ist schon|ist bereits) (?:schon |bereits |gestern )?bezahlt',
      '(?:est|a ete|deja|ont ete|est deja) (?:deja )?(?:payee?|reglee?)',
      '(?:reglee?|payee?) (?:par|avec|via)',
      '(?:esta|fue|ha sido|se pago|ya esta|ya) (?:ya )?(?:pagad[oa]|abonad[oa])',
      'pagad[oa] con',
      '(?:e|e stat[oa]|gia|e gia) (?:gia )?(?:pagat[oa]|saldat[oa])',
      'pagat[oa] con',
      '(?:is|al|reeds|hebben) (?:al |reeds |gisteren )?(?:betaald|overgemaakt|voldaan)',
      'betaald (?:via|met)',
    ],
    [
      '(?:not|n.t|hasn.t been|isn.t|never)(?: yet)?(?: been)? paid(?: yet)?',
      '(?:unpaid|payment (?:is )?pending|awaiting payment|payment failed|still outstanding)',
      'noch nicht bezahlt|nicht bezahlt|unbezahlt|noch offen|zahlung (?:ist )?(?:noch )?(?:offen|ausstehend)',
      '(?:n.est|n.a) (?:toujours )?pas (?:encore )?(?:ete )?(?:payee?|reglee?)|impayee?|pas encore (?:payee?|reglee?)',
      '(?:no (?:esta|ha sido|se ha)|aun no|todavia no)(?: (?:esta|ha sido|se ha))? (?:pagad[oa]|abonad[oa])|sin pagar|pendiente de pago',
      '(?:non e|non)(?: ancora)?(?: stat[oa])?(?: ancora)? (?:pagat[oa]|saldat[oa])|non e ancora stat[oa] pagat[oa]|da saldare',
      '(?:nog )?niet betaald|onbetaald|nog te betalen',
    ],
  ),
  urgent: made(
    [
      '(?<!(?:if|in|for|any) (?:it.s |it is )?)urgent(?! (?:cases?|matters?|enquiries))|urgently|asap|as soon as possible|immediately|right away|top priority|emergency',
      '(?:sehr |ausserst |bitte )?(?:dringend|eilig)|eilt(?! nicht)|so schnell wie moglich|schnellstmoglich|umgehend|sofort um',
      '(?:c.est |tres |est |vraiment )(?:tres )?urgente?|immediatement|au plus vite|en urgence|le plus vite possible|d.urgence|faire vite',
      '(?:es |muy |es muy )urgente|cuanto antes|urgentemente|lo antes posible|inmediatamente|con urgencia',
      '(?:e |molto |e molto )urgente|immediatamente|al piu presto|il prima possibile|con urgenza|urgentemente',
      '(?:is |zeer |erg |heel )(?:zeer |erg |heel )?(?:dringend|urgent)|(?:heeft|met) spoed|zo snel mogelijk|spoedig|onmiddellijk|met spoed',
    ],
    [
      '(?:not|n.t|isn.t|no)(?: very| that| really)? urgent|no rush|no hurry|not in a hurry|take your time|whenever you',
      'nicht (?:so |sehr )?(?:dringend|eilig)|eilt nicht|keine eile|hat zeit|nicht eilig',
      '(?:pas|n.est pas|rien d)(?: tres| si)?.?urgente?|pas presse|rien ne presse|aucune urgence',
      'no (?:es|corre)(?: muy)? (?:urgente|prisa)|sin prisa|no hay prisa|nada urgente',
      '(?:non e|nessuna|non)(?: molto| cosi)? (?:urgente|urgenza|fretta)|senza fretta|con calma',
      '(?:niet|geen)(?: zo| erg)? (?:dringend|urgent|haast|spoed)',
    ],
  ),
  demo: made(
    [
      '(?:give|show|get|see|have|like|book|schedule|arrange|organi[sz]e|set up|request|want|wants|need|arrange|request)(?: \\p{L}+){0,3} (?:an? |the )?(?:\\p{L}+ )?demo(?:nstration)?',
      'demo(?:nstration)? (?:would be|sounds|please|requested|wanted)',
      '(?:demo|vorfuhrung)(?: \\p{L}+){0,3} (?:ansehen|sehen|vereinbaren|buchen|erhalten|bekommen|wunschen|willkommen)|(?:mochten?|gerne|wunscht?|wollen)(?: \\p{L}+){0,6} (?:demo|vorfuhrung)|in einer demo ansehen',
      '(?:demo|demonstration)(?: \\p{L}+){0,2} (?:serait|bienvenue)|(?:veut|voudrai\\w*|souhait\\w*|aimerai\\w*|voir|avoir|organiser|planifier|programmer|obtenir)(?: \\p{L}+){0,3} (?:demo|demonstration)',
      '(?:ver|quiere|querem\\w*|queremos|gustaria|tener|solicit\\w*|concertar|agendar|programar|coordinar|reservar|desea\\w*)(?: \\p{L}+){0,3} (?:demo|demostracion)',
      '(?:vedere|vuole|vorre\\w*|avere|organizzare|desidera\\w*|fissare|prenotare|programmare|ricevere)(?: \\p{L}+){0,3} (?:demo|dimostrazione)',
      '(?:wil|willen|krijgen|zien|graag|plannen|inplannen|aanvragen)(?: \\p{L}+){0,3} (?:demo|demonstratie)|(?:demo|demonstratie)(?: \\p{L}+){0,1} (?:krijgen|zien|plannen|inplannen|ontvangen)',
    ],
    [
      '(?:no|not|n.t|without)(?: \\p{L}+){0,4} demo',
      '(?:keine|nicht|ohne)(?: \\p{L}+){0,4} (?:demo|vorfuhrung)',
      '(?:pas|sans|aucune)(?: \\p{L}+){0,3} (?:demo|demonstration)',
      '(?:no|sin|ninguna)(?: \\p{L}+){0,4} (?:demo|demostracion)',
      '(?:non|senza|nessuna)(?: \\p{L}+){0,4} (?:demo|dimostrazione)',
      '(?:geen|niet|zonder)(?: \\p{L}+){0,4} (?:demo|demonstratie)',
    ],
  ),
  relocation: made(
    [
      '(?:willing|happy|ready|open|prepared|able|glad|would|could|can|will)(?: \\p{L}+){0,2} (?:to )?(?:relocat\\w*|move(?! on))',
      '(?:umziehen|umzug)(?: \\p{L}+){0,4} (?:wurde ich|kann ich|moglich|kein problem|gerne)|(?:bereit|wurde|kann)(?: \\p{L}+){0,3} (?:umzu\\w*|umziehen|einem umzug)',
      '(?:prete?|disposee?|dispose|peux|pourrais|accepte)(?: \\p{L}+){0,2} (?:a )?(?:demenager|demenagement|relocaliser)',
      '(?:disponibilidad|dispuest[oa]|puedo|podria|me importaria)(?: \\p{L}+){0,2} (?:cambiar de (?:residencia|ciudad)|mudarme|trasladarme|traslado)',
      '(?:dispost[oa]|disponibile|pront[oa]|posso|potrei)(?: \\p{L}+){0,1} (?:a )?(?:trasferir\\w*|trasferimento)',
      '(?:verhuizen|verhuizing)(?: \\p{L}+){0,4} (?:geen probleem|mogelijk|prima)|(?:bereid|kan|wil|graag)(?: \\p{L}+){0,2} (?:te )?verhuizen',
    ],
    [
      '(?:not|n.t|unable|unwilling|cannot|never)(?: \\p{L}+){0,3} (?:to )?(?:relocat\\w*|move)',
      '(?:umziehen|umzug)(?: \\p{L}+){0,5} (?:nicht|kein(?! problem))|(?:nicht|kein(?:en)?)(?: \\p{L}+){0,3} (?:umziehen|umzug)',
      '(?:pas|ne)(?: \\p{L}+){0,4} (?:demenager|demenagement)',
      'no(?: \\p{L}+){0,3} (?:cambiar de (?:residencia|ciudad)|mudarme|mudaria|trasladarme)',
      'non(?: \\p{L}+){0,4} (?:trasferir\\w*|trasferimento)',
      '(?:verhuizen|verhuizing)(?: \\p{L}+){0,3} niet|(?:niet|geen)(?: \\p{L}+){0,3} (?:verhuizen|verhuizing)',
    ],
  ),
}

/** What stands behind the label of a question. */
export const answers: Statement = {
  yes: /^(?:yes|y|true|ja|jawohl|oui|si|sim|x|✓|✔|☑|wanted|requested|gewunscht|correct)(?![\p{L}\p{N}])/u,
  no: /^(?:no|n|false|nein|non|nee|nao|✗|✘|☐|none|keine?|aucune?|ninguna|nessuna|geen|not wanted)(?![\p{L}\p{N}])/u,
}

/** What stands behind labels such as "Payment status" and "Priority". */
export const states: { readonly [concept: string]: Statement } = {
  paid: {
    yes: /^(?:already |bereits |deja |ya |gia |al )?(?:paid|bezahlt|payee?|reglee?|pagad[oa]|abonad[oa]|pagat[oa]|saldat[oa]|betaald|voldaan|pag[oa]|received|erhalten|completed?|settled)(?![\p{L}\p{N}])/u,
    no: /^(?:unpaid|pending|open|offen|(?:noch )?nicht bezahlt|unbezahlt|ausstehend|en attente|impayee?|non payee?|pendiente|sin pagar|in attesa|non pagat[oa]|da pagare|(?:nog )?niet betaald|onbetaald|openstaand|awaiting|outstanding|not(?: yet)? paid|failed|pendente)(?![\p{L}\p{N}])/u,
  },
  urgent: {
    yes: /^(?:very |sehr |tres |muy |molto |zeer )?(?:urgente?|high|highest|critical|kritisch|hoch|dringend|haute?|elevee?|alta|hoog|immediate|sofort|critique|critica|spoed|emergency|asap|p1)(?![\p{L}\p{N}])/u,
    no: /^(?:low|lowest|niedrig|gering|basse|faible|baja|bassa|laag|baixa|normale?|normaal|medium|mittel|moyenne|media|gemiddeld|not urgent|nicht dringend|p3|p4)(?![\p{L}\p{N}])/u,
  },
}
