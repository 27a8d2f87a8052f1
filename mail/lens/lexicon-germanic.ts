import type { Lexicon } from './meanings.ts'

export const de: Lexicon = {
  form: 'formular | kontaktformular',
  neutral:
    'der | die | das | des | dem | den | ein | eine | von | vom | zum | zur | fur | mit | und | ihr | ihre | ihrer | unser | unsere | mein | meine | voraussichtliche | voraussichtlicher | voraussichtlich | gewunschte | gewunschter | gewunschtes | zzgl | davon | enthaltene | darin | enthalten | angestrebte | ob | im | am | uber | bitte | angabe | angaben | angestrebter',
  invoice: 'rechnung | rechnungs | rg',
  order: 'bestellung | bestell | auftrag | auftrags | bestellungs | order | bestellte',
  ticket: 'ticket | vorgang | vorgangs | fall | anfrage nr | storung | storungs | incident | meldung nr',
  number: 'nummer | nr | no | kennung | zeichen',
  reference: 'referenz | aktenzeichen | az | betreff nr',
  date: 'datum | tag | termin',
  issued:
    'ausstellungsdatum | ausgestellt am | erstellt am | ausstellungstag | erstellt | ausgestellt | bestellt am | aufgegeben am | eingegangen am | gestellt am | bestelldatum',
  due: 'fallig | fallig am | falligkeit | zahlbar bis | zahlbar | zahlungsziel | falligkeitsdatum | zu zahlen bis | zahlungsfrist | zahlen bis | uberweisen bis | zahlungstermin | abbuchung am | abbuchung | einzug am | lastschrift am | letzter zahltag | bezahlen bis | zu begleichen bis | zahlung bis | spatestens zu zahlen | abgebucht am | wir buchen ab am',
  delivery:
    'lieferung | liefer | liefertermin | lieferdatum | zustellung | liefern bis | ankunft | lieferung bis | lieferung am | ankunft am | kommt am | zustelltermin | wunschtermin | liefertag | anlieferung | lieferung voraussichtlich | gewunschter liefertermin | eintreffen',
  total:
    'gesamt | gesamtsumme | gesamtbetrag | summe | endbetrag | rechnungsbetrag | gesamtbetrag brutto | rechnungssumme | zahlbetrag | zu zahlen | zu zahlender betrag | bruttobetrag | gesamtpreis | endsumme | gesamt brutto | bestellsumme | bestellwert | auftragssumme | gesamt eur | alles zusammen | zusammen | insgesamt | macht zusammen | gesamtkosten | zu uberweisen | zu zahlende summe | abbuchungsbetrag | offener betrag | forderung | offen | ihr betrag | abgebucht | bestellwert gesamt | gesamt inkl mwst',
  amount: 'betrag | wert | hohe',
  net: 'netto | nettobetrag | zwischensumme | nettosumme | summe netto | gesamt netto | netto summe | exkl mwst | ohne mwst | warenwert | gesamtnetto',
  gross: 'brutto | inkl mwst | inklusive mwst | inkl ust | incl mwst | einschl mwst',
  tax: 'mwst | umsatzsteuer | ust | mehrwertsteuer | steuer | mwst betrag | steuerbetrag',
  shipping: 'versand | versandkosten | porto | lieferkosten | anfahrt',
  discount: 'rabatt | skonto | nachlass',
  currency: 'wahrung',
  iban: 'iban | bankverbindung | konto | bankkonto | kontonummer',
  supplier: 'lieferant | rechnungssteller | verkaufer | absender | anbieter | aussteller',
  customer:
    'kunde | kunden | kundin | kaufer | besteller | auftraggeber | kundenname | empfanger | empfangerin | lieferung an | geht an | versand an | lieferadresse name | kauferin | bestellerin | bestellt von',
  requester:
    'gemeldet von | melder | erfasst von | anfragender | meldender | meldende person | meldet | gemeldet durch | wer meldet | besucher | besucherin | gast | interessent | interessentin | wer | anrufer | anruferin | absender name | anfrage von | eingereicht von | kontaktname',
  contact: 'ansprechpartner | ansprechpartnerin | kontaktperson | kontakt',
  applicant: 'bewerber | bewerberin | kandidat | kandidatin',
  name: 'name | vor- und nachname | vorname und nachname | vollstandiger name | vor und nachname | vorname nachname',
  company:
    'firma | firmen | unternehmen | unternehmens | organisation | betrieb | firmenname | arbeitgeber | haus | einrichtung | institution | arbeitgeberin | betriebsname | organisationseinheit',
  email:
    'email | e-mail | mail | e-mail-adresse | email-adresse | mailadresse | emailadresse | e mail adresse | postfach | antwort an | mailkontakt | kontaktmail | schreiben an | antworten an | per mail',
  phone:
    'telefon | tel | telefonnummer | handy | mobil | mobilnummer | handynummer | rufnummer | fon | mobiltelefon | ruckruf | durchwahl | ruckrufnummer | telefonisch | erreichbar unter | kontaktnummer | telefon nr | tel nr | festnetz | anruf',
  address: 'adresse | anschrift | lieferadresse | rechnungsadresse | strasse',
  product: 'produkt',
  device: 'gerat | gerate | software | modell | system | anwendung',
  item: 'artikel | ware | waren | produkte | bezeichnung | leistung | beschreibung | positionen | was | warenkorb | inhalt | ware bestellt | im paket | bestellte ware | gekauft | gekaufte artikel | deine artikel | ihre artikel',
  quantity: 'menge | anzahl | stuck | stk',
  price: 'preis | einzelpreis | ep | gp | stuckpreis',
  unit: 'einheit',
  position: 'pos | position nr | posten',
  version:
    'version | softwarestand | softwareversion | programmversion | stand der software | firmware | release | fassung | programmstand | installierte version | ausgabe',
  error:
    'fehler | fehlermeldung | fehlercode | meldung am gerat | fehlertext | anzeige | bildschirmmeldung | angezeigte meldung | fehlerbild text | meldungstext | was steht da | was wird angezeigt | wortlaut',
  message: 'nachricht | mitteilung | bemerkung | anmerkung | kommentar | meldung',
  since:
    'seit | besteht seit | beginn der storung | aufgetreten am | problem seit | storung seit | fehler seit | seit wann | erstmals beobachtet | erstmals aufgetreten | beobachtet seit | tritt auf seit | aufgetreten | erstmals | bemerkt am | das erste mal',
  urgent: 'dringend | eilig | dringlichkeit | eilt | wie eilig | wie dringend | dringlichkeitsstufe',
  priority: 'prioritat | prio',
  paid: 'bezahlt | schon bezahlt | bereits bezahlt',
  payment: 'zahlung | zahlungsart | zahlungs | zahlungsweise | bezahlung',
  status: 'status | stand',
  interest:
    'interesse | interessen | interesse an | interessiert an | interessiert sich fur | gewunschte produkte | interessensgebiete | thema | themen | worum geht es | gesucht | gewunscht | bedarf | wunsch | wunsche | gewunschte leistungen | leistungen | anliegen | gesuchte leistung | auswahl | ausgewahlt | angekreuzt | gewahlt | anfrage zu | sucht | braucht',
  budget:
    'budget | projektbudget | kostenrahmen | budgetrahmen | rahmen | finanzrahmen | preisrahmen | budget bis | mittel | kostengrenze | maximalbudget | preisvorstellung | geld',
  people:
    'mitarbeiter | mitarbeiterzahl | anzahl mitarbeiter | teamgrosse | anzahl benutzer | benutzer | nutzer | anzahl der mitarbeiter | anzahl nutzer | unternehmensgrosse | anwender | zahl der mitarbeiter | beschaftigte | mitarbeitende | kopfe | wie viele mitarbeiter | wie viele personen | personen | belegschaft | arbeitsplatze | lizenzen | zahl der nutzer | teammitglieder | kollegen',
  start:
    'start | projektstart | beginn | startdatum | starttermin | startzeitpunkt | projektbeginn | wann | los geht es | loslegen | beginnen | gewunschter beginn | gewunschter start | start ab | arbeitsbeginn projekt | wann soll es losgehen | baubeginn | umsetzung ab',
  demo: 'demo | demo gewunscht | vorfuhrung | demo erwunscht | vorfuhrung gewunscht | demotermin gewunscht | prasentation | vorfuhrtermin | live-demo | praxisvorfuhrung | mochte vorfuhrung',
  job: 'stelle | position | beruf | stellenbezeichnung | bewerbung als | bewerbung fur | angestrebte stelle | beworben als | gesuchte stelle | beworbene stelle | stellenanzeige | tatigkeit | wunschposition | ausgeschriebene stelle | bewirbt sich als',
  skill:
    'kenntnisse | fahigkeiten | skills | kompetenzen | fachkenntnisse | edv-kenntnisse | das kann ich | konnen | starken | schwerpunkte | werkzeuge | qualifikationen | fachwissen | edv | programme | zertifikate | knowhow | know-how | was ich mitbringe | kompetenzprofil',
  language: 'sprachen | sprachkenntnisse',
  experience: 'berufserfahrung | erfahrung | jahre berufserfahrung | berufserfahrung in jahren | jahre erfahrung',
  year: 'jahre | jahr | jahren',
  salary:
    'gehalt | gehaltsvorstellung | gehaltswunsch | lohnvorstellung | wunschgehalt | gehaltsvorstellungen | gehaltserwartung | vorstellung | gehaltsrahmen | wunschlohn | verdienst | stundenlohn | gehalt gewunscht | verdienstwunsch | bruttogehalt | jahresgehalt',
  available:
    'verfugbar | verfugbar ab | verfugbarkeit | eintrittstermin | eintrittsdatum | fruhester eintrittstermin | fruhestmoglicher eintritt | fruhester eintritt | verfugbar zum | fruhestmoglicher eintrittstermin | frei ab | eintritt | eintritt zum | starttermin moglich | einsetzbar ab | frei | beginn moglich | moglicher beginn | eintritt ab | start moglich ab',
  relocation:
    'umzugsbereitschaft | umzug | umzugsbereit | bereit zum umzug | umziehen | wurde umziehen | umzug moglich | wohnortwechsel | umzug bereit | ortswechsel',
  birth: 'geburtsdatum | geburtstag | geboren | geb',
  serial: 'seriennummer | serien',
  first: 'vorname',
  last: 'nachname | familienname',
  website: 'webseite | website | internet',
  document: 'quittung | angebot | gutschrift | lieferschein',
  staff:
    'bearbeiter | bearbeiterin | sachbearbeiter | sachbearbeiterin | erfasst durch | zustandig | zugewiesen an | ihr berater | ihr ansprechpartner | betreuer | aufgenommen von | techniker | bearbeitet von | compilata da',
  previous: 'letzte | letzter | fruhere | vorherige | bisherige | alte | vormonat | vorjahr | letzten monat',
  advertised: 'ausgeschrieben | angeboten',
}

export const nl: Lexicon = {
  form: 'formulier | contactformulier',
  neutral:
    'de | het | een | van | voor | uw | je | jouw | ons | onze | mijn | met | en | verwachte | gewenste | waarvan | te | die | op | bij | of hij',
  invoice: 'factuur | facturen | faktuur',
  order: 'bestelling | bestel | order | inkooporder | opdracht | orders',
  ticket: 'ticket | melding | meldings | incident | zaak | case | storing',
  number: 'nummer | nr | nummer nr',
  reference: 'referentie | kenmerk | ref',
  date: 'datum | dag',
  issued:
    'opgemaakt op | geplaatst op | besteld op | factuur gedateerd | opgemaakt | gemaakt op | d.d. | factuurdag | besteldatum | datum bestelling',
  due: 'vervaldatum | vervaldag | te betalen voor | betalen voor | uiterste betaaldatum | betaaltermijn | uiterlijk betalen | vervalt op | betaaldatum | te voldoen voor | betalen uiterlijk | te betalen uiterlijk | afschrijving op | incasso op | incassodatum | uiterste betaaldag | te voldoen uiterlijk | betaal voor | laatste betaaldag | uiterlijk | afschrijving',
  delivery:
    'levering | lever | leverdatum | bezorging | bezorgdatum | te leveren op | bezorg | leveren op | aankomst | komt op | thuisbezorgd op | verwachte levering | gewenste leverdatum | bezorgmoment | bezorgd op | levering op | geleverd op',
  total:
    'totaal | totaalbedrag | te betalen | eindtotaal | totaal te betalen | factuurbedrag | eindbedrag | te betalen bedrag | totaalprijs | orderbedrag | samen | alles bij elkaar | totaal betaald | afgeschreven | af te schrijven | openstaand | openstaand bedrag | te voldoen | te voldoen in eur | in totaal | alles samen | voldaan | totaal incl | te betalen in totaal | saldo | incl btw totaal | betaald bedrag | openstaand saldo | te betalen totaal',
  amount: 'bedrag | som | waarde',
  net: 'subtotaal | netto | excl btw | exclusief btw | bedrag excl btw | totaal excl btw | totaal exclusief btw',
  gross: 'incl btw | inclusief btw | bruto | totaal incl btw | totaal inclusief btw',
  tax: 'btw | belasting | btw bedrag | omzetbelasting',
  shipping: 'verzendkosten | verzending | bezorgkosten | porto',
  discount: 'korting',
  currency: 'valuta | munt',
  iban: 'iban | rekening | bankrekening | rekeningnummer',
  supplier: 'leverancier | verkoper | afzender',
  customer:
    'klant | klanten | koper | besteller | opdrachtgever | klantnaam | op naam van | ontvanger | bezorgen bij | verzonden naar | verzenden naar | leveren aan | besteld door | bestemd voor',
  requester:
    'gemeld door | melder | aanvrager | ingediend door | wie | wie bent u | wie ben je | bezoeker | afzender naam | indiener | inzender | ingestuurd door | doorgegeven door | namens',
  contact: 'contactpersoon | contact',
  applicant: 'kandidaat | sollicitant',
  name: 'naam | voor- en achternaam | volledige naam | voornaam en achternaam',
  company:
    'bedrijf | bedrijfs | bedrijfsnaam | organisatie | onderneming | firma | instelling | school | praktijk | stichting | vereniging | werkgever',
  email:
    'email | e-mail | mail | e-mailadres | emailadres | mailadres | antwoord aan | mailen naar | beantwoorden aan | schrijven naar | post | mailcontact',
  phone:
    'telefoon | telefoonnummer | mobiel | tel | gsm | mobiel nummer | mobiele nummer | 06-nummer | bel | bellen | terugbellen | telefonisch | doorkiesnummer | bereikbaar op | vast nummer | contactnummer | tel nr | nummer om te bellen',
  address: 'adres | straat | bezorgadres | factuuradres',
  product: 'product',
  device: 'apparaat | applicatie | software | model | toestel | systeem',
  item: 'artikel | artikelen | producten | omschrijving | beschrijving | inhoud | winkelmand | winkelwagen | je mandje | wat | in de doos | bestelde artikelen | in het pakket | dit heb je besteld',
  quantity: 'aantal | hoeveelheid | stuks',
  price: 'prijs | stukprijs | eenheidsprijs',
  version: 'versie | softwareversie | versienummer | uitgave | geinstalleerde versie | release | versie in gebruik',
  error:
    'fout | foutmelding | foutcode | foutbericht | melding op het scherm | schermmelding | wat staat er | wat ziet u | op het scherm | melding in beeld | wat verschijnt er | tekst van de fout',
  message: 'bericht | opmerking | opmerkingen | toelichting',
  since:
    'sinds | begin | begin storing | begin van de storing | probleem sinds | opgetreden op | sinds wanneer | opgemerkt op | sinds wanneer speelt dit | treedt op sinds | eerste keer | ontstaan op | begonnen op | wanneer begonnen | voor het eerst',
  urgent: 'spoed | dringend | urgent | haast | hoe dringend | hoe urgent | mate van spoed',
  priority: 'prioriteit | urgentie',
  paid: 'betaald | al betaald | reeds betaald',
  payment: 'betaling | betaal | betaalwijze | betaalmethode',
  status: 'status | betaalstatus',
  interest:
    'interesse | interesses | interesse in | geinteresseerd in | wil weten over | wensen | wens | behoefte | gezocht | zoekt | onderwerp | gaat over | wil iets weten over | aangevinkt | keuze | gekozen | nodig | diensten | gewenste diensten | gewenste producten | wat zoekt u | vraag over | thema | waarover',
  budget:
    'budget | projectbudget | geld | bedrag beschikbaar | beschikbaar budget | maximaal bedrag | prijsindicatie | maximum | wat we kunnen uitgeven',
  people:
    'medewerkers | aantal medewerkers | aantal gebruikers | gebruikers | teamgrootte | personeel | aantal werknemers | werknemers | grootte team | mensen | personen | aantal personen | werkplekken | licenties | collega s | aantal mensen | met hoeveel | hoeveel mensen | deelnemers',
  start:
    'start | startdatum | begindatum | projectstart | begin project | wil beginnen op | wanneer | beginnen op | start gewenst | gewenste start | ingangsdatum | start werkzaamheden | gewenste startdatum | wil starten op',
  demo: 'demo | demo gewenst | demonstratie | demo gewenst? | demonstratie gewenst | presentatie | live demo | wil een demo | demonstratie aan huis',
  job: 'functie | vacature | baan | positie | gewenste functie | sollicitatie als | sollicitatie voor | vacature voor | solliciteert naar | reageert op | gewenste baan | rol | solliciteert als',
  skill:
    'vaardigheden | vaardigheid | competenties | kennis van | kennis | sterke punten | hulpmiddelen | programma s | gereedschap | kwaliteiten | expertise | dit kan ik | wat ik kan | kan werken met',
  language: 'talen | talenkennis',
  experience: 'ervaring | werkervaring | jaren ervaring | jaar ervaring | aantal jaren ervaring | jaren werkervaring',
  year: 'jaar | jaren',
  salary:
    'salaris | salariswens | salarisindicatie | gewenst salaris | salarisverwachting | looneis | salariseis | verwachting | gewenst loon | loonwens | verwacht salaris | vraagt | uurloon',
  available:
    'beschikbaar | beschikbaar vanaf | beschikbaar per | beschikbaarheid | per direct beschikbaar | kan beginnen | kan starten | kan starten op | start mogelijk | in dienst per | per wanneer beschikbaar | vrij vanaf',
  relocation:
    'verhuizen | bereid te verhuizen | verhuisbereid | verhuizing | bereid tot verhuizen | wil verhuizen | verhuizen mogelijk | bereidheid tot verhuizen',
  birth: 'geboortedatum | geboren',
  serial: 'serienummer',
  first: 'voornaam',
  last: 'achternaam',
  website: 'website | site',
  document: 'creditnota | offerte | bon',
  staff:
    'behandelaar | toegewezen aan | behandeld door | aangenomen door | medewerker helpdesk | accountmanager | ingevuld door | monteur | genoteerd door | adviseur',
  previous: 'vorige | vorig | laatste | oude | vorige maand | eerdere',
  advertised: 'aangeboden',
}
