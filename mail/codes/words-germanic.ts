/** The words around verification codes and links in English, German and Dutch (`vocabulary.ts`). */
import type { Vocabulary } from './vocabulary.ts'

export const en: Vocabulary = {
  neutral: [
    'in order to|no (?:longer|one|worries|problem)|of course|number of|number in',
    '(?:your|the|this|my|an|to) account|(?:uni|geo|source|en|de)code',
  ],
  strong: [
    '(?:e-?mail |account |identity |device |phone |sms )?(?:verification|verify|security|confirmation|authentication|authorization|authorisation|activation|validation|registration|log-?in|log in|sign-?in|sign in|sign-?up|access|one-?time|single-?use|two-?factor|2fa|mfa|temporary|recovery|reset|device|pairing|linking|unlock|magic|secret|approval|secure|guard|signing|signature|backup|emergency|session|entry|identification|withdrawal)(?: log-?in| sign-?in| security| verification)? (?:code|pin|number|passcode|key)s?',
    '(?:one-?time|single-?use|temporary) (?:password|pass ?code|pin|code)s?',
    'otps?|pass ?codes?|pin(?: code)?|auth code',
  ],
  weak: ['codes?', 'token'],
  other: [
    '(?:promo(?:tion~)?|discount|coupon|voucher|gift(?: card)?|referral|invite|invitation|zip|postal|post|area|country|dial~|product|item|error|status|exit|response|qr|bar|source|dress|tax|sort|swift|bic|currency|airport|booking|reservation|tracking|order|colou?r|hs|customer|store|branch|offer|pick-?up|locker|licen[cs]e|room|course|class|company|school|project|job|department|cost|catalog(?:ue)?|style|stock|model|team) (?:codes?|keys?)',
    'codes? (?:of|review|base|coverage|freeze)|(?:post|bar|qr|zip|promo)codes?',
    '(?:booking|reservation|flight|order|purchase) confirmation (?:code|number)s?',
    '(?:zip|iban|bic|isbn|imei|vat|ssn|po box)',
    '(?:order|invoice|tracking|customer|account|card|case|ticket|reference|ref|serial|model|policy|member(?:ship)?|booking|reservation|contract|conference|meeting|parcel|request|transaction|phone|build|flight|room|row|seat|extension|ext|article|item|version|commit|rank|balance|amount|total|line|call|fax|tel|form|year)(?: (?:no|nr|number|id|reference|ref))?',
    '(?:id|number|no(?=[.:]? ?[0-9#]))|confirmation (?:no|nr|number|id)|ending(?: in| with)?|ends? (?:in|with)',
    'licen[cs]e(?: key)?',
    '(?:last|first|final) (?:[2345678]|two|three|four|five|six) digits',
    'digits of',
    '(?:office|branch|gate|suite|shelf|store|agent|desk|dock|bay|apt|apartment)',
    '(?:parcel|collection|classroom|conference) codes?',
    '(?:employee|student|patient|user|member|passenger|sequence|batch|lot|application|claim|registration|vehicle) (?:id|no|number|nr)',
    '(?:lane|plate|dorm|terminal|pump|aisle|unit|level)',
    '(?:driver|advisor|module|agent|dealer|site|station|location|contravention|offence|permit|tariff|rate|pay|plan|unit|billing|procedure|diagnosis|menu|seat|stop|fare|event|venue|campaign) codes?',
  ],
  sale: [
    '(?<=%\\s)off',
    'discount~|checkout|coupon~|voucher~|promo~|gift~|credits',
    '(?:your )?next (?:order|purchase|visit|booking|time)|free (?:shipping|delivery)',
  ],
  figures: [
    'digits|(?:this|these|the following) (?:numbers?|figures)',
    '(?:[45678]|four|five|six|seven|eight)[ -]digit(?: number| sequence)?',
    'characters',
    '(?:enter|type(?: in)?|use|copy|key in) the (?:number|figures)',
  ],
  enter: [
    'enter(?:ing)?|(?:us|typ|provid|past)(?:e|ing)(?: in)?|(?:copy|key|input)(?:ing)?(?: in)?',
    '(?:submit|supply|put|pop|fill in|reply with|respond with|punch in|press|dial|drop|tap in)',
  ],
  goal: [
    '(?:verify|confirm|activate|authenticate|validate|authori[sz]e|approve|pair|unlock)',
    '(?:verif|confirm|activat|authenticat|validat|authori[sz]|approv|pair|unlock)(?:ying|ing)',
    '(?:sign|log)(?:n?ing|ging)?[ -]?(?:in|up|on)',
    '(?:finish|complete) (?:creating|signing|setting|your|the)|reset (?:your|the) password',
    '(?:continue|proceed|register|registration|prove|reactivate|link(?:ing)? (?:your|the|this)|connect(?:ing)? (?:your|the|this)|belongs to you|be sure|make sure|let you in)',
    '(?:in|into|on|at) (?:the|your|that|this|our) (?:[a-z-]+ )?(?:app|screen|page|form|box|field|window|tab|browser|site|website|portal)',
    'when (?:asked|prompted)',
    '(?:in|into|on|at) (?:the|your|that|this) (?:[a-z-]+ )?(?:keypad|panel|kiosk|device|phone|tablet|tv|television|console|watch|terminal|computer|wizard|dialog)',
    'where (?:asked|you left off)|(?:password|account) (?:recovery|reset)|(?:forgot|lost) your password',
    '(?:verification|confirmation)(?= ?:)|is yours',
  ],
  confirm: [
    '(?:verify|confirm|activate|validate|verification|confirmation|activation)',
    '(?:complete|finish) (?:your )?(?:registration|sign-?up)',
    '(?:reset|choose|create|set|change) (?:your |a |the )?(?:new )?password',
    'magic link|password reset',
  ],
  login: ['(?:sign|log)[ -]?in', 'without a password'],
  leave: [
    'unsubscribe~|opt[ -]?out|(?:e-?mail )?preferences|privacy~|terms|help|support|contact~|browser|legal',
    "faq|(?:didn't|did not|wasn't|was not|not you|report)",
  ],
}

export const de: Vocabulary = {
  neutral: ['(?:dein|ihr|mein|euer)(?:em|en|es)? konto'],
  strong: [
    '(?:verifizierungs|koppel|kopplungs|verknüpfungs|geräte|legitimations|zugriff|bestätigung|transaktions|reset-?|push-?|verifikations|bestätigungs|sicherheits|einmal|anmelde|login-?|zugangs|zugriffs|aktivierungs|freischalt|freigabe|authentifizierungs|authentisierungs|prüf|registrierungs|autorisierungs|identifikations|sms-?|wiederherstellungs)[ -]?(?:codes?|pin|nummer|kennwort|passwort|schlüssel|zahl)',
    'einmal(?:ige[rsn]?)? (?:code|passwort|kennwort|pin)|(?:m|sms-?|push-?|photo-?)?tan',
    '(?:zugangs|zugriffs|anmelde|start|einmal|sicherheits|entsperr)-(?:pin|tan|passwort)',
    'kennziffer',
    '(?:signatur|bestätig|entsperr|unterschrifts|türöffnungs|tür|start|geräte|konto)-?codes?',
  ],
  weak: ['codes?', 'zahlencode', '(?:zahlen|ziffern)folge', 'pin-code'],
  other: [
    '(?:gutschein|rabatt|aktions|promo(?:tions)?|geschenk|empfehlungs|einladungs|fehler|produkt|artikel|qr-?|strich|bar|länder|bic-?|swift-?|buchungs|abhol|farb|quell)-?codes?',
    '(?:bestell|rechnungs|kunden|sendungs|paket|auftrags|vorgangs|referenz|buchungs|reservierungs|vertrags|konto|karten|mitglieds|serien|telefon|haus|zähler|artikel|ticket|akten|bestellungs|steuer)(?:nummer|zeichen|nr)?',
    '(?:bestellung|rechnung|auftrag|sendung|buchung|reservierung|konto|karte|kundennr|nr|nummer|aktenzeichen|plz|postleitzahl|version|zimmer|raum|platz|filiale|betrag|gesamtpreis|telefon|durchwahl|jahre?|saldo|modell)',
    'letzten? (?:vier|drei|4|3) (?:ziffern|stellen|zahlen)|endet auf|endend auf|endziffern?',
    '(?:büro|gleis|tor|wagen|regal|schalter|personalnummer|matrikelnummer|auszug)',
    'verwendungszweck|benutzer(?:name|nummer)|teilnehmernummer',
    '(?:matrikel|personal|mandats|auftrags|kurs|start|losnummer)nummer',
    '(?:kunden|auftrags|lieferanten|mitglieds|tarif|standort|filial|berater|mandanten|haltestellen|stations)codes?',
    '(?:klassen|kurs|paketfach|packstation)-?codes?',
  ],
  sale: ['rabatt~', 'gutschein~', 'sparen', 'kasse', 'angebot~', 'prozent', 'nächste[nrs]? (?:bestellung|einkauf)'],
  figures: ['zahl(?:en)?|ziffern|zeichenfolge', '(?:gib|tippe|geben sie|tippen sie) (?:bitte )?die (?:nummer|zahl)'],
  enter: [
    'geben sie|gib|tippe|tippen sie|trage|tragen sie|eingeben|verwenden sie|verwende|nutzen sie|benutze',
    'tipp|geben|eingabe|eingabe von|übertragen sie|kopiere|kopieren sie|nutze|benutzen sie',
    '(?:geben|tippen|tragen) sie bitte|füge|fügen sie|schreib|schreiben sie|übertrage|übernimm|übernehmen sie',
  ],
  typed: ['einge(?:ben|tippt|geben)', 'ein(?:gibst|gebt|tippen|tippst|tippt|tragen|trägst|zugeben|zutippen|zutragen)'],
  goal: [
    'bestätigen|anmelden|einzuloggen|anzumelden|zu bestätigen|verifizieren|freizugeben|ein|bestätige',
    'bestätigung|freigabe|anmeldung|einloggen|login|registrierung|abzuschließen|abschließen|fortzufahren',
    'aktivieren|freischalten|zurücksetzen|fort|weiter(?:zu)?machen|ins eingabefeld',
    '(?:auf|in) (?:der|dem|die|das|deiner|ihrer) (?:app|seite|webseite|eingabefeld|maske|bildschirm)',
    'anmelde~|login~',
    '(?:im|in das|ins|in dem) \\p{L}*(?:fenster|feld|formular|portal|maske)',
    '(?:zu )?entsperren|(?:zu )?öffnen|(?:zu )?(?:verbinden|verknüpfen|koppeln)|verbinde|verknüpfe|kopple|kopplung',
    '(?:passwort|kennwort) vergessen|wiederherstellung|(?:passwort|kennwort)-?reset|dir gehört|ihnen gehört',
  ],
  confirm: [
    'bestätig~|verifizier~|aktivier~|freischalt~',
    '(?:passwort|kennwort) (?:zurücksetzen|zurückzusetzen|ändern|festlegen|vergeben)',
    '(?:neues|neue) (?:passwort|kennwort)|registrierung abschließen',
  ],
  login: ['anmelden', 'einloggen', 'anmeldelink', 'login-?link', 'ohne passwort'],
  leave: ['abmeld~|abbestell~|impressum|datenschutz~|agb|hilfe|kontakt|im browser|nicht angefordert|nicht sie'],
}

export const nl: Vocabulary = {
  strong: [
    '(?:verificatie|koppel|bevestiging|login|apparaat|validatie|autorisatie|identificatie|toestemmings|transactie|beveiligings|bevestigings|inlog|login-?|toegangs|activerings|activatie|authenticatie|aanmeld|controle|registratie|autorisatie|herstel|veiligheids|sms-?)(?:code|nummer|pin|getal|cijfers)',
    'eenmalige? (?:code|wachtwoord|pincode|toegangscode|inlogcode)',
    'pin-?code|eenmalig wachtwoord|(?:signeer|ondertekenings|ontgrendel|apparaat|open)code',
  ],
  weak: ['codes?'],
  other: [
    '(?:kortings|actie|voucher|cadeau|product|fout|bar|qr-?|streepjes|land|afhaal|track & trace-|track-and-trace-|boekings|kleur)codes?',
    '(?:track & trace|postcode)(?:-code)?',
    '(?:bestel|factuur|klant|order|zending|pakket|referentie|boekings|reserverings|contract|rekening|kaart|lid|serie|telefoon|meter|zaak|ticket|dossier)(?:ing)?(?:nummer)?',
    '(?:bestelling|factuur|rekening|reservering|zaaknummer|kenteken|kamer|model|versie|bedrag|saldo|totaal|nummer|nr|jaar|telefoon|bel)',
    'eindigend op|eindigt op|laatste (?:[2345678]|vier|drie) cijfers',
    '(?:kantoor|balie|perron|spoor|polis|filiaal|loket|zaal)',
    '(?:gebruikersnaam|kenmerk|betalingskenmerk|relatienummer|inschrijf(?:nummer)?)',
    '(?:ean|klant|tarief|filiaal|locatie|object|ophaal|klassen|les)-?codes?',
  ],
  sale: ['korting~', 'afrekenen', 'aanbieding~', 'bespaar', 'cadeau~', 'volgende (?:bestelling|aankoop)'],
  figures: [
    'cijfers|cijferreeks|(?:dit|deze) (?:nummers?|getal|getallen)',
    '(?:voer|vul|typ|gebruik) het (?:nummer|getal)',
  ],
  enter: [
    'voer|vul|gebruik|typ|typ(?:e|t)?|tik|toets|kopieer|neem|vult|voert|invullen|voer dan|plak|plakken|neem|overnemen|noteer',
  ],
  goal: [
    'bevestigen|in te loggen|inloggen|verifiëren|activeren|goed te keuren|bevestig|bevestiging',
    'verder te gaan|door te gaan|doorgaan|verder|voltooien|te voltooien|afronden|af te ronden|inlog',
    'log in|registratie|aanmelding|te bekijken|bekijken|op (?:het|je|uw) scherm',
    'in (?:het|je|uw) (?:scherm|venster)|in de app|op de (?:site|website|pagina)|inlog~|aanmeld~',
    'koppel|koppelen|verbinden|wachtwoord (?:vergeten|kwijt|herstellen)|nieuw wachtwoord|van jou is',
    'in (?:het|je|uw) (?:open )?\\p{L}*(?:scherm|venster|veld|formulier)|(?:te )?ontgrendelen|(?:te )?openen',
  ],
  confirm: [
    'bevestig~|verifieer|verifiëren|activeer|activeren',
    '(?:nieuw )?wachtwoord (?:instellen|herstellen|wijzigen|opnieuw instellen)',
    'nieuw wachtwoord',
  ],
  login: ['inloggen', 'in te loggen', 'log in', 'inloglink', 'log je', 'zonder wachtwoord'],
  leave: ['afmeld~', 'uitschrijv~', 'privacy~', 'voorwaarden', 'hulp', 'contact', 'browser'],
}
