/** Recognises lines that are not about the matter of a mail: footers, offers of other things, staff, referees. Folded. */
import type { Line, Passage } from './lines.ts'

/** `footer`: legal notices and contact details; `offer`: other things for sale; `staff`: who handles the matter; `referee`: who vouches. */
export type Zone = 'footer' | 'offer' | 'staff' | 'referee'

const footer =
  /unsubscri|newsletter|abmelden|abbestell|desabonn|desinscri|ne plus recevoir|darse de baja|dejar de recibir|no desea recibir|cancellar(?:ti|si)|non vuoi piu|disiscri|afmelden|uitschrijven|geen mails meer|opt.?out|privacy|datenschutz|proteccion de datos|confidential|vertraulich|confidentiel|dpo@|webmaster@|postmaster@|handelsregister|\bhrb\b|reg\. no|registered (?:office|in)|trading name|all rights reserved|alle rechte|geen rechten|(?<!\p{L})(?:any )?questions?\s?\?|bei (?:fragen|ruckfragen)|for (?:any )?(?:questions|queries)|pour toute (?:question|demande|information)|para cualquier (?:duda|consulta)|per (?:qualsiasi )?(?:domande|informazioni|assistenza|dubbi)|(?:bij|voor) vragen|fed up|questions about|fragen\?|rueckfragen|question\s?\?|vragen\s?\?|domande\s?\?|dudas\s?\?|preguntas\s?\?|something (?:not|wrong)|need help|write to us|contact us|to change (?:the )?appointment|inviato da un modulo|sent (?:to|from) (?:a|the|your)? ?(?:web)?\S*@|formulier \d|form v\d|ip \d|umsatzsteuer-id|ust-?id|vat reg|siret|r\.c\.s|p\. ?iva|c\.?i\.?f\.?\s|btw-nr|kvk|au capital|this e-?mail (?:is|and)|reached you by mistake|auch unter \d|you can (?:also )?reach us|sie uns (?:auch )?unter/u
const offer =
  /(?<!\p{L})(?:\d+ ?% (?:des|ab|auf|on|off|di|de)|(?:with|use) (?:the )?code|mit dem code|avec le code|con el codigo|con il codice|met de code|discount code|gutscheincode|rabattcode|neu im (?:januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember|sortiment)|das haben andere|kunden kauften|others (?:also )?bought|you (?:may|might) (?:also )?like|passend dazu|il n.est pas trop tard|code promo|parrainage|saldi|rebajas|te regalamos|lekker weer|cadeaukaart|nu (?:€|eur) ?\d|invece di \d|statt \d|au lieu de \d|instead of [€$£]?\d|en vez de \d|hai gia la|bij jaarbetaling|bei jahreszahlung|jetzt upgraden|upgrade now|recommend a friend|% off|% rabatt|% de remise|% di sconto|% korting|% de descuento)(?!\p{L})/u
const staffNames =
  'recruiter(?:in)?|reclutador[a]?|recruteu(?:r|se)|selezionatore|assignee|bearbeiter(?:in)?|sachbearbeiter(?:in)?|operator|operatore|operatrice|tecnic[oa]|technicien(?:ne)?|technician|techniker(?:in)?|prise? en charge(?: par)?|behandelaar|account manager|(?:votre|ihre?|your|su|tu|uw|je|la sua|il suo|la tua|il tuo|la vostra|il vostro) (?:conseill[a-z]+|interlocut[a-z]+|berater(?:in)?|betreuer(?:in)?|advis[eo]r|consultant|consultor[a]?|asesor[a]?|gestor[a]?|adviseur|consulent[ei]|referente)|agente?|(?:ticket|case) owner|propietari[oa](?: del caso)?|proprietari[oa] del (?:caso|ticket)|proprietaire de la requete|vorgangsinhaber(?:in)?|eigenaar van (?:de zaak|het ticket)|monteur'
const staff = new RegExp(
  `(?<!\\p{L})(?:(?:${staffNames})(?=\\s*[:\\t])|(?:assigned to|handled by|bearbeitet von|bearbeiter der|erfasst (?:von|durch)|aufgenommen von|zugewiesen an|behandeld door|toegewezen aan|asignad[oa] a|atendid[oa] por|assegnat[oa] a|assign[a-z]* a|attribu[a-z]* a|affecte[a-z]* a|gestit[oa] da|compilat[oa] da|recorded by|entered by|captured by|logged by|saisi par|traite par|suivi par|registrado por|raccolto da|genoteerd door|aangenomen door)(?!\\p{L}))`,
  'u',
)
const staffBehind = new RegExp(`(?:[·|;]\\s*|\\.\\s+)(?:agent\\p{L}*|${staffNames})\\s*:`, 'u')
const referee =
  /(?<!\p{L})(?:referees?|references?(?! (?:no|number|nr|n[°º]|client|:? ?[\p{L}]{0,4}\d))|referenz(?:en|geber\w*)?(?! ?n[ur])|referencias|referenze|referenties?|referent(?:en)?|mein chef|my (?:boss|manager)|mon referent)(?!\p{L})/u

/** Returns the zone of each line of a passage that has one. A footer does not extend to the lines around it. */
export function zonesOf({ lines }: Passage): ReadonlyMap<Line, Zone> {
  const zones = new Map<Line, Zone>()
  let isReferee = false
  for (const [n, line] of lines.entries()) {
    const zone = zoneOf(line, n)
    // All lines below the heading "Referees" belong to it, up to a blank line.
    const isHeading = zone === 'referee' && line.text.length < headingCharsMax
    if (line.isFirst && zone === null) isReferee = false
    if (isHeading) isReferee = true
    const found = zone ?? (isReferee ? 'referee' : null)
    if (found !== null) zones.set(line, found)
  }
  return zones
}

const headingCharsMax = 24

function zoneOf({ folded }: Line, n: number): Zone | null {
  if (staffSpeaks.test(folded) || staff.test(folded.slice(0, leadCharsMax)) || staffBehind.test(folded)) return 'staff'
  if (referee.test(folded)) return 'referee'
  if (n > 0 && footer.test(folded)) return 'footer'
  return n > 0 && offer.test(folded) ? 'offer' : null
}

/** A turn of support in a copy of a chat. */
const staffSpeaks =
  /^(?:\[?\d{1,2}:\d\d(?::\d\d)?\]? )?[\p{L} .'-]{2,30} \((?:support|agent\p{L}*|service|bot|medewerker|mitarbeiter\p{L}*|team|helpdesk|operator\p{L}*|operatric\p{L}*|operador\p{L}*|conseill\p{L}*|soporte|asesor\p{L}*|assistenza|assistance|klantenservice|kundendienst|kundenservice|sales|staff)\)/u

/** The part of a line, from its beginning, in which a label of staff may be. */
const leadCharsMax = 40
