/**
 * The roles of a date or an amount in a sentence, with the words that govern each role, as stems of all languages. A value has the
 * role whose word governs it most closely. Some roles are asked for by no field: they show what a value is not. Folded.
 */

import type { LensLanguage } from './locale.ts'

export type Role = {
  readonly name: string
  /** Whether its words come right after amounts: "40 € VAT". */
  readonly isBehind?: true
  /** Whether they may also come at the beginning of the next line. */
  readonly isBelow?: true
  /** Whether its `own` words count only if another of its words is near. */
  readonly needsWord?: true
  /** Alternatives that begin a word. */
  readonly stems: string
  /** Alternatives that are whole words. */
  readonly words?: string
  /** Whole words that have this role in one language but not in others. */
  readonly own?: { readonly [language in LensLanguage]?: string }
}

export const dateRoles: readonly Role[] = [
  {
    name: 'dueDate',
    needsWord: true,
    stems:
      'payabl|payment|settle|remit|fallig|zahlb|zahlen|zahlung|bezahlen|uberweis|begleich|begl|ausgleich|auszugleichen|auszug|abbuch|einzieh|einzug|lastschrift|zahlungseingang|regler|reglement|payer|paiement|echeanc|echoi|echu|exigib|prelev|virement|solder|pagar|abon|vencim|cargar|cobrar|ingres|transferencia|pagament|paghi|paga|saldar|salda|versar|versa|bonific|addebit|scadenz|betalen|betaling|betaal(?!d)|voldoen|vervaldag|vervaldatum|vervalt|overmak|overgemaakt|afschrijv|incass|vencimento',
    words:
      'account|money|geld|konto|cuenta|conto|compte|rekening|argent|dinero|soldi|nota|maak\\p{L}*(?: \\p{L}+){0,3} over|schrijven (?:we|wij)|boeken (?:we|wij)|ziehen wir|prelevons|pasaremos|cobraremos|preleviamo|addebiteremo|due|pay|debit|owed|reaches us|reach us|in our account|buchen wir|geld eingang|zahlt|pague|pago|abono|abone|vence|cargo|scade|saldo|regle|reglez|verser|wir erwarten|expect|erwarten|ultimo giorno utile',
    own: {
      en: 'no later than|by|before',
      de: 'bis spatestens|spatestens|bis zum|bis',
      fr: 'au plus tard|avant le|pour le',
      es: 'antes del|a mas tardar|hasta el',
      it: 'entro il|entro',
      nl: 'uiterlijk|voor|tegen',
    },
  },
  {
    name: 'paidOn',
    stems: 'paid|bezahlt|payee?s?|pagad|pagat|betaald|voldaan|received|eingegangen|gezahlt',
    words:
      'berucksichtig\\p{L}*|verbucht|taken into account|pris en compte|tenid[oa]s? en cuenta|verwerkt|regle|reglee|cobrado|se (?:pago|abono|cobro|ha pagado|ha abonado)',
  },
  {
    name: 'issued',
    stems:
      'issued|invoiced|raised|ausgestellt|ausstell|datiert|emise|emis|datee|etabli|emitid|emito|emision|expedid|fechad|emess|emission|datat|opgemaakt|gedateerd|uitgeschreven|emitida',
    words:
      'dated|date of|invoice of|invoice from|bill of|bill from|rechnung vom|facture du|en date du|la date du|fecha de|fecha del|con fecha|factura del|fattura del|data del|in data|factuur van|d\\.d\\.|on which',
    own: { en: 'of|from|on', de: 'vom', fr: 'du', es: 'del|de', it: 'del|dell', nl: 'van' },
  },
  {
    name: 'ordered',
    stems:
      'eingekauft|einkauf|bestellt|ordered|purchas|bestell|gekauft|kauf|aufgegeben|aufgab|commande|commandai|achat|achete|pedid|compra|compre|encarg|ordinat|ordine|acquist|besteld|bestelling|gekocht|plaatst|geplaatst|encomend',
    words:
      'order|placed|bought|your order|preso nota|le jour meme|entro el|recibimos|bekommen|received|eingegangen|ricevuto|hemos recibido|ontvangen|recu|recue|plaatste',
  },
  {
    name: 'deliveryDate',
    stems:
      'tendra|tendre|deliver|arriv|shipp|dispatch|doorstep|liefer|zustell|zugestellt|anliefer|angeliefert|hinbring|ankomm|livr|transporteur|expedi|recevoir|recevr|entreg|llegar|llega|repart|recibir|consegn|corrier|spedi|ricever|bezorg|lever|geleverd|thuisbezorg',
    words:
      'en casa|zu hause|thuis|a casa|chez moi|chez nous|at home|at the door|to us|drop off|coming past|come past|come by|comes by|bring|brings|bringt|bringen|kommt|kommen|ankunft|fahrer|on its way|here by|with you|reach you|need it|need them|need this|brauchen|brauche|benotig\\p{L}+|besoin|sonnera|depose\\p{L}*|colis|necesit\\p{L}+|portate|porti|porta|servono|mi serve|ci serve|nodig|must be (?:at|in|with)|have (?:it|them) (?:by|on)|tenerl[oa]s?|averl[oaie]|da sein|hier sein|binnen zijn|langs|langskomen|brengen|brengt|sin falta|traer|traiga|traen|llevar',
    own: { en: 'van' },
  },
  {
    name: 'since',
    stems:
      'started|began|noticed|aufgetreten|begann|begonnen|angefangen|aufgefallen|remonte|commence a|apparu|survenu|empezo|comenz|ocurr|iniziat|cominciat|comparso|succede|begonnen|opgetreden|ontstaan|comecou',
    words:
      'since|ever since|da quando|seit ich|depuis que|desde que|seit|seitdem|depuis|desde|sinds|happens|happening|treedt op|tritt|lo fa|first|erstmals|primera vez|prima volta|pour la premiere fois|voor het eerst|stopped|broke|after|apres|tras|dopo',
    own: { en: 'from', it: 'da|dal|dallo|dalla|dall', nl: 'vanaf', de: 'nach' },
  },
  {
    name: 'start',
    stems:
      'losleg|losgeh|umstell|inbetrieb|implement|deploy|aanvang|mise en service|start|\\p{L}+start|begin|\\p{L}+beginn|kick|launch|commenc|anfang|anfing|ubernimm|ubernehm|demarr|debut|lanc|empez|comenz|comienz|inici|arranc|partir|inizi|cominci|avvi|partenz|ingaan|ingang|comecar|umsetz|projektstart|rollout',
    words:
      'go live|live|van start|off the ground|underway|move in|mettre en|en marche|aan de slag|operativ[oi]|in place',
    own: {
      de: 'los|ab(?: dem)?(?= \\d)',
      it: 'dal(?= \\d)',
      nl: '(?:per|vanaf)(?= \\d)',
    },
  },
  {
    name: 'available',
    stems:
      'availab|verfug|eintritt|eintreten|einsteig|anfang|beginn|begin|disponib|dispo|commenc|rejoin|integr|incorpor|empez|comenz|inizi|cominci|beschikb|start|disponiv|aan de slag',
    words:
      'be with you|start work|bei ihnen|zu ihnen|chez vous|con ustedes|con vosotros|da voi|bij jullie|bij u|free|join|join you|first possible day|frei|libre|libero|libera|vrij|in dienst|possible day|from then|ready|bereit',
    own: {
      de: 'los|ab(?: dem)?(?= \\d)|(?:konnte|kann|hatte|hab|habe) ich',
      es: 'puedo|podria',
      it: 'posso|potrei|sarei con voi',
      nl: 'kan ik|ik kan',
      en: 'can|could',
    },
  },
  {
    name: 'ends',
    stems:
      'expir|renew|ends|ended|runs out|finish|verlanger|ablauf|ablauft|auslauf|endet|gultig|valab|renouvel|caduc|termina|finisc|finit|rinnov|geldig|eindig|verleng|valid|spart|sparen|saves?|offre|angebot|offer|promo|promocion|sconto|saldi|korting|rabatt|widerruf|retour|ruil|zuruck|devol|resi|abgeschaltet|switched off',
    words:
      '(?:next|volgende|nachste\\p{L}*|prochaine?|prossim[ao]|proxim[ao]) (?!week|woche|semaine|settimana|semana|month|monat|mois|mes|maand|year|jahr|annee|ano|anno|jaar|\\p{L}*(?:day|tag|dag)\\b|lun|mar|mer|mie|jeu|jue|gio|ven|vie|sam|sab|dim|dom)\\p{L}{4,}|until|(?:loopt|lauft) (?:af|ab|aus|tot|bis|door)|sort le|contract|vertrag|contrat|contrato|contratto|contract|lease|return|send it back|back by',
  },
  {
    name: 'discounted',
    stems: 'skont|abzieh|pronto pago|early payment|escompt|betalingskorting',
  },
  {
    name: 'happens',
    stems:
      'cotiz|kostenvoranschlag|voranschlag|estimate|begroting|sorteo|sorteggio|raffle|verlosung|tirage|loterij|appointment|meeting|visit|termin|besichtig|rendez|reunion|visita|cita|riunion|incontro|autolettur|appuntament|afspraak|vergader|geoffnet|offen am|geschlossen|ferme|ouvert|abierto|cerrad|chius|apert|open|closed|gesloten|tecnico|acudir|iscrizion|anmeldung|inscrip|kinder|workshop|holiday|vacation|urlaub|vacance|vacacion|ferie|vakantie|verlof|vacaciones|feier|fete|fiesta|festa|matrimon|hochzeit|wedding|geburtstag|birthday|cumple|compleann|anniversaire|verjaard|update|upgrade|mise a jour|aggiorn|actualiz|bearbeiten|interview|gesprach|entrevista|colloqui|gesprek|passer de|passeren|acte|akte|prova|passare|vorbeikomm|usage|verbrauch|consum|periode|zeitraum|period|reading',
    words:
      'call|anruf|ring|chat|telefon|appel|llamada|telefonat[ao]|angebot|quote|quotation|offerte|devis|preventivo|presupuesto|ihr angebot|geboren|born',
  },
]

export const amountRoles: readonly Role[] = [
  {
    name: 'total',
    stems:
      'cuota|sube|total|altogether|outstanding|gesamt|insgesamt|zusammen|endbetrag|rechnungsbetrag|summe|betrag|betragt|belauf|montant|solde|eleve|reviendr|importe|asciend|pendient|complessiv|ammont|importo|totaal|totale|bedrag|openst|bedraagt|valor total|addebitat|abgebucht|prelev',
    words:
      'all in|in all|comes to|come to|makes|that makes|amounts? to|amount|balance|charged|billed|owe|owes|to pay|you paid|due|sum|altogether|in rechnung|in hohe von|noch offen|stehen aus|schulden|en tout|a regler|a payer|reste|net a payer|vous devez|s eleve|en total|en tot|todo incluido|con todo|con los portes|total a|a pagar|cuesta|in tutto|tutto compreso|da pagare|saldo|consegna compresa|alles bij elkaar|in totaal|te betalen|te voldoen|voldaan|ontvingen|inclusief|inklusive|inkl|inclusive|including|port et tva compris|ttc|toutes taxes comprises|compris|paiement de|payment of|you have paid|zahlung (?:von|uber)|pago de|pagamento di|betaling van|bill|invoice|we received|recu|rechnung|facture|factura|fattura|factuur|en todo|d un montant|im wert von|por valor de|par carte|ya pagad\\p{L}|pagad\\p{L}|pagat\\p{L}|gia addebitat\\p{L}|abonad\\p{L}',
    own: {
      en: 'so|open|for|that s',
      nl: 'over|samen|open|staat|dus',
      de: 'uber|macht|offen|also',
      fr: 'donc|soit|font|fait',
      es: 'por|suma|son|asi que',
      it: 'fanno|compresa|inclusa|quindi|dunque',
    },
  },
  {
    name: 'tax',
    isBehind: true,
    stems: 'mehrwertsteuer|umsatzsteuer|steuer|belasting|impuest|impost',
    words: 'vat|tax|mwst|ust|tva|iva|btw|gst|i\\.v\\.a',
  },
  {
    name: 'gross',
    isBehind: true,
    isBelow: true,
    stems: 'toutes taxes',
    words:
      'ttc|(?:inkl|incl|einschl|including|inclusive|inclusief|inklusive|inc|compris|mit|with|con|hors|sans|ohne|zonder|sin|senza|without|no|keine?|geen|exkl|excl|exclusief|zzgl|plus|exempt from|exent[ao] de|esente|senza)\\.? (?:\\d+ ?% )?(?:de )?(?:vat|tax|mwst|ust|umsatzsteuer|tva|iva|btw|gst)|(?:vat|tax|mwst|ust|tva|iva|btw|gst)\\.? (?:\\p{L}+ )?(?:included|inkl|incl|inclusive|compris\\p{L}*|inclus\\p{L}*|compres\\p{L}*|incluid\\p{L}*|inbegrepen|inclusief|non applicable|no aplicable|exempt|esente|exent\\p{L}*|vrij\\p{L}*|verlegd|extra|apart\\p{L}*|aparte)',
  },
  {
    name: 'net',
    isBehind: true,
    stems: 'subtot|zwischensumme|imponib|exclus|zzgl|ohne',
    words: 'net|netto|ht|hors taxe|subtotal|excl|plus|before tax|neto|base|auf',
  },
  {
    name: 'part',
    stems:
      'grundgeb|gebuhr|abonnement|manodopera|material|porto|postage|versand|shipping|verzend|einzelpreis|unitari|stuckpreis|labour|parts',
    words:
      'a bag|apiece|a piece|stuck|stk|al pezzo|l uno|la pieza|cada uno|cada una|per stuk|piece|par piece|chacun|chacune|p\\.p\\.|my time|delivery of|fracht|frais|envio|spedizione',
    own: { en: 'each|per', de: 'je|pro', nl: 'per' },
  },
  {
    name: 'less',
    isBehind: true,
    stems:
      'discount|rabatt|skonto|abzug|abzieh|remise|descuent|sconto|korting|gutsch|voucher|cadeau|rabais|spar|saved?|risparm|ahorr|bonus|prime|prim[ae]|premi|punti|refund|erstatt|rembours|reembols|rimbors|avoir|credit|regal',
    words: 'less|weniger|moins|menos|meno|minder|dto',
    own: { en: 'off' },
  },
  {
    name: 'payout',
    stems:
      'revers|accredit|auszahl|ausgezahlt|payout|uitbetal|uitgekeer|franchise|franquicia|franchigia|selbstbehalt|selbstbeteilig|commissi|provision(?!n)|kommission|comision',
    words: 'excess|eigen risico|you receive|your earnings|earnings',
  },
  {
    name: 'deposit',
    stems: 'deposit|acompte|anticip|anzahl|angezahlt|voorschot|aanbetal|caparra|senal|acconto|reserv',
    words: 'kaution|borg|caution|fianza',
  },
  {
    name: 'earlier',
    stems:
      'previous|vormonat|vorjahr|anterior|preceden|scors|pasad|derniere?|estim|geschatzt|stimat|prognos|schatz|used to|fruher|damals|zuletzt|hablamos|agreed before|voriges|vorige|eerdere',
    words:
      'voisin\\p{L}*|vecin\\p{L}*|vicin\\p{L}*|buurman|buren|neighbo\\p{L}*|cousin|cugin\\p{L}*|friend|freund\\p{L}*|amigo|amico|vriend|elsewhere|anderswo|ailleurs|el ano pasado|l anno scorso|letzt\\p{L}*|ultim\\p{L}|l an|an passe|vorig\\p{L}*|instead of|statt|anstatt|au lieu de|invece di|en vez de|in plaats van|waren es|etait|nachbar\\p{L}*|concurrent|competitor|competencia|concorren\\p{L}+|mitbewerber|conoc\\p{L}+|te habia|im (?:januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember)',
    own: { en: 'last|were|was', de: 'war|waren', nl: 'was|waren', es: 'era|eran', it: 'era|erano' },
  },
  {
    name: 'unreal',
    stems:
      'sonst|andernfalls|mahngeb|verzug|indemnit|penalt|surcharg|schadeverg|interess[ei]|mora|recargo|would|wurde|ware|serait|seria|sarebbe|zou|capital|kapital|bij jaar|ohne grenze|fee',
    words:
      'otherwise|sinon|si elle|si no|altrimenti|anders|from|from only|a partir de|da soli|sollte|annual|next year|quota|capitale',
    own: { en: 'if|late|should', fr: 'des', de: 'ab|wenn|falls', nl: 'vanaf|als', es: 'si', it: 'se' },
  },
  {
    name: 'budget',
    stems:
      'approv|aprob|approuv|approvat|genehmig|freigegeb|eingeplan|einplan|earmark|allocat|alloc|autoriz|autorizz|goedgekeur|uitgetrokk|gereserv|toegekend|dispos|ceiling|budgetiert|investier|ausgegeben|begroot|budget|spend|afford|ausgeb|ausgab|maximal|hochst|rahmen|eingestellt|veranschlag|bewillig|verfugung|envelopp|depens|plafon|provisionn|alloue|vote|presupuest|gastar|invert|destin|spes[ao]|invest|stanzia|deliber|tetto|massim|bested|uitgev|maximaal|begrot|reserver|orcamento',
    words:
      'max|to play with|to spend|at most|at the most|tops|set aside|put aside|cleared|maximum|massimo|maximo|au plus|au maximum|hochstens|hooguit|hoogstens|al massimo|como mucho|a lo sumo|a disposizione|ter beschikking|zur verfugung|room for|not more than|nicht mehr als|pas plus de|no mas de|non piu di|niet meer dan|drin|up to|no more than|bis zu|limit|hasta|tope|signed off|contamos con|cuento con|contiamo su|tengo|tenemos|disponemos|llegan a|llegamos|llega|rester sous|moins de|jusqu a|jusqu|fino a|nous avons|soldi|dinero',
    own: { en: 'max|have|under|below|money', de: 'haben|geld|unter', nl: 'hebben|geld|tot', fr: 'sous', it: 'abbiamo' },
  },
  {
    name: 'salary',
    stems:
      'chieder|pediri|salar|gehalt|lohn|verdien|vorstell|wunsch|traum|pretention|remuner|souhait|pretens|aspir|sueldo|stipend|retribu|verwacht|inschal|loon|expectation|compens|anspruch|aspett|asking',
    words:
      'me gustaria|por lo menos|au moins|almeno|minstens|mindestens|at least|brutto|bruts?|brutos|lordi|lorda|bruto|gross|base|ral|i need|i d need|expect|earn|ask for|looking for|pay|a year|per year|per annum|p\\.a\\.|jahr|stunde|an hour|per hour|pide|pido|chiedo|vorrei|uitga van|ga ik uit van|ga uit van',
  },
  {
    name: 'present',
    stems:
      'current|posted|range|published|present|aktuell|derzeit|jetzig|momentan|actuel|actual|attual|huidig|advertis|angebot|bietet|bieten|offert|offer|proponi|propos|gagne|gana|guadagn|verdient bei|honorar|compenso|commission|anuncia|anunciada',
    words:
      'jetzt|zurzeit|bisher|bislang|nu|momenteel|tot nu toe|ahora|hasta ahora|adesso|finora|maintenant|jusqu ici|so far|at the moment|currently|en ce moment|at present|now|i am on|i m on|je suis a|you pay|pay is|zahlen sie|pagate|pagais|pagan|betaalt u|band|ecole|school|school zeggen',
  },
]
