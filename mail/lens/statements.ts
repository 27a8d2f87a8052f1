/** Answers after labels of yes/no questions, in all languages: affirming and denying ones. Folded. */

export type Statement = { readonly yes: RegExp; readonly no: RegExp }

/** Answers to any question. */
export const answers: Statement = {
  yes: /^(?:yes|y|true|ja|jawohl|oui|si|sim|x|✓|✔|☑|wanted|requested|gewunscht|correct)(?![\p{L}\p{N}])/u,
  no: /^(?:no|n|false|nein|non|nee|nao|✗|✘|☐|none|keine?|aucune?|ninguna|nessuna|geen|not wanted)(?![\p{L}\p{N}])/u,
}

/** Answers after labels such as "Payment status" and "Priority", by concept. */
export const states: { readonly [concept: string]: Statement } = {
  paid: {
    yes: /^(?:already |bereits |deja |ya |gia |al )?(?:paid|bezahlt|payee?|reglee?|pagad[oa]|abonad[oa]|pagat[oa]|saldat[oa]|betaald|voldaan|pag[oa]|received|erhalten|completed?|settled|accept\p{L}*|authori[sz]ed|approved|successful|confirmed|recu|confirmee?|effectuee?|vollstandig erhalten|zahlung (?:\p{L}+ )?(?:erhalten|eingegangen|erfolgt)|eingegangen|erfolgreich|aceptad[oa]|confirmad[oa]|recibid[oa]|realizad[oa]|completad[oa]|riuscit[oa]|ricevut[oa](?! bancari)|confermat[oa]|effettuat[oa]|completat[oa]|geslaagd|ontvangen|gelukt)(?![\p{L}\p{N}])/u,
    no: /^(?:unpaid|pending|open|offen|(?:noch )?nicht bezahlt|unbezahlt|ausstehend|en attente|impayee?|non payee?|pendiente|sin pagar|in attesa|non pagat[oa]|da pagare|(?:nog )?niet betaald|onbetaald|openstaand|awaiting|outstanding|not(?: yet)? paid|failed|pendente)(?![\p{L}\p{N}])/u,
  },
  urgent: {
    yes: /^(?:very |sehr |tres |muy |molto |zeer )?(?:urgente?|high|highest|critical|kritisch|hoch|dringend|haute?|elevee?|alta|hoog|immediate|sofort|critique|critica|spoed|emergency|asap|p1|blocking|blocker|bloquante?|blockierend|bloqueante|bloccante|blokkerend|kritiek|dringlich|immediata?|immediate)(?![\p{L}\p{N}])/u,
    no: /^(?:low|lowest|niedrig|gering|basse|faible|baja|bassa|laag|baixa|normale?|normaal|medium|mittel|moyenne|media|gemiddeld|not urgent|nicht dringend|p3|p4)(?![\p{L}\p{N}])/u,
  },
}
