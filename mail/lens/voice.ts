/** Whether a mail speaks as the one who sells or helps, or as the one who buys or asks. Folded. */
import type { Passage } from './lines.ts'

const seller =
  /(?<!\p{L})(?:(?:your|ihre[rnms]?|ihr|deine[rnms]?|dein|votre|vos|su|sus|tu|tus|(?:il|la|un) (?:tuo|tua|suo|sua|vostro|vostra)|uw|jouw|je) (?:\p{L}+ )?(?:orders?|purchase|parcel|basket|things|bestellung\p{L}*|lieferung|ware|paket|packchen|commande|colis|cadeaux|achat|pedido|compra|paquete|ordine|acquisto|pacco|bestelling|pakket|aankoop|request|case|caso|expediente|zaak|ticket|anfrage|meldung|demande|dossier|solicitud|incidencia|richiesta|segnalazione|aanvraag|melding|plan|account|vertrag|konto|abo|abonnement|electricite|bolletta|contrato)|we(?:.ve| have)? (?:shipped|packed|received|logged|issued)|you (?:paid|.ve paid|ordered|bought)|wir (?:liefern|versenden|haben (?:\p{L}+ ){0,4}(?:erhalten|bekommen)|legen)|nous (?:vous confirmons|l.enverrons|expedions|preparons)|entregaremos|le pedimos|ci scusiamo|tut uns leid|we apologi[sz]e|nous sommes desoles|onze excuses|confirmons|gekozen hebt|voor ons gekozen|plaatste je|ontvingen we|hemos recibido|has pedido|hai ordinato|(?:vi|la|ti) ringraziamo|conferma d.ordine|confirmation (?:de|of) (?:your |votre )?(?:order|commande)|order confirmation|orderbevestiging|auftragsbestatigung|bestellbestatigung|confirmacion del? (?:tu |su )?pedido|hartelijk dank voor uw (?:bestelling|order)|bedankt voor (?:je|uw) (?:bestelling|order)|vielen dank fur (?:ihre|deine)|thank you for your (?:order|purchase)|thanks for (?:your order|staying|shopping)|merci pour votre|gracias por (?:su|tu)|grazie per (?:il|la|l))/gu
const buyer =
  /(?<!\p{L})(?:(?:my|our|meine?|unsere?|ma|mon|notre|mi|nuestr[oa]|il mio|il nostro|la mia|mijn|onze) (?:\p{L}+ )?(?:orders?|po|purchase order|bestellung|commande|pedido|ordine|acquisto|bestelling)|please (?:send|deliver|find our|supply)|(?:i|we) (?:ordered|would like|need|want|order|bought)|bestellen wir|wir (?:bestellen|brauchen|benotigen)|ich (?:bestelle|brauche|mochte)|mochten wir|je (?:voudrais|commande|souhaite)|nous (?:voudrions|commandons|souhaitons|aimerions)|veuillez nous|ho (?:comprato|ordinato)|vorrei|vorremmo|ordiniamo|quiero|queremos|quisiera|apuntame|necesito|necesitamos|wij (?:nemen|willen|bestellen)|wil (?:ik )?graag|same again|sigo esperando|bitte (?:liefern|senden|ab)|envienme|me le porti|ci servono)/gu

/** How much more a text speaks as a seller than as a buyer. */
export function sellerVoice(passages: readonly Passage[]): number {
  let count = 0
  for (const { place, lines } of passages)
    if (!place.startsWith('attachments'))
      for (const { folded } of lines) {
        count += folded.match(seller)?.length ?? 0
        count -= folded.match(buyer)?.length ?? 0
      }
  return count
}

const introduction =
  /(?<!\p{L})(?:i.d like to introduce|let me introduce|recommending|candidate for you|a friend (?:of mine )?(?:for|who)|my friend|ans herz legen|kandidatenvorstellung|ich empfehle ihnen|mochte ihnen (?:\p{L}+ ){0,4}vorstellen|meine? freund(?:in)?|un ami pour|mon (?:pote|ami)|mon amie|je vous (?:recommande|presente)|te presento|le presento|os presento|una? client[ae] para (?:ti|usted|vosotros)|mi amig[oa]|ti presento|vi presento|le segnalo|un(?:a)? amic[oa]|(?:my|mein\p{L}*|mon|ma|mi|mio|mia|mijn) (?:brother|sister|son|daughter|nephew|niece|cousin|colleague|brother-in-law|sister-in-law|neighbou?r|wife|husband|boyfriend|girlfriend|student|flatmate|bruder|schwester|sohn|tochter|neffe|nichte|cousine?|kolleg(?:e|in)|schwager|schwagerin|nachbar(?:in)?|frere|s(?:oe|œ)ur|fils|fille|neveu|niece|collegue|beau-frere|voisine?|herman[oa]|hij[oa]|sobrin[oa]|prim[oa]|companer[oa]|cunad[oa]|vecin[oa]|fratello|sorella|figli[oa]|nipote|cugin[oa]|collega|cognat[oa]|vicin[oa]|broer|zus|zoon|dochter|neef|nicht|zwager|buurman|buurvrouw) \p{L}+ (?!(?:says?|said|told|sagt|hat|dit|dice|me|mi|zegt|works?|arbeitet|travaille|trabaja|lavora|werkt)(?!\p{L}))|ik stel je|(?:stellen|stelle|stel) (?:wij|wir|ik|ich)? ?(?:\p{L}+ ){0,6}(?:kandida\p{L}+)(?: \p{L}+){0,3} (?:voor|vor)|put(?:ting)? forward|nous vous presentons|le presentamos|os presentamos|vi presentiamo|wij stellen|wir stellen ihnen|unser kandidat|our candidate|onze kandidaat|notre candidat|nuestr[oa] candidat[oa]|mijn vriend(?:in)?|kan je iemand aanraden|ha (?:chiamato|telefonato|scritto)(?: \p{L}+){0,2} (?:un[ao]? (?:cert[oa]|signor[ae]?|sig|ing|dott)|un certo)|(?:mi |ci )?ha (?:chiamato|telefonato) (?:il|la) (?:sig|signor|dott|ing)\p{L}*|a certain (?:mr|mrs|ms)|ein gewisser (?:herr)?|eine gewisse (?:frau)?|un certain (?:m|monsieur)|une certaine (?:mme|madame)|un tal|una tal|ene (?:meneer|mevrouw|de heer)|een (?:zekere|meneer|mevrouw)|(?:hat|haben) (?:ein|eine|der|die) (?:herr|frau) \p{L}+ (?:\p{L}+ ){0,4}angerufen|(?:herr|frau) \p{L}+ (?:\p{L}+ ){0,5}hat (?:\p{L}+ ){0,2}angerufen|ha llamado (?:un|una|el|la) (?:sr|sra|senor|senora)|a appele (?:un|une|ce matin)?)(?!\p{L})/u

/** Whether a text makes somebody known who did not write it. */
export function introduces(passages: readonly Passage[]): boolean {
  return passages.some(
    ({ place, lines }) => !place.startsWith('attachments') && lines.some(({ folded }) => introduction.test(folded)),
  )
}
