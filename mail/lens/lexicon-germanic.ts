import type { Lexicon } from './meanings.ts'

export const de: Lexicon = {
  form: 'formular | kontaktformular',
  neutral:
    'der | die | das | des | dem | den | ein | eine | von | vom | zum | zur | fur | mit | und | ihr | ihre | ihrer | unser | unsere | mein | meine | voraussichtliche | voraussichtlicher | voraussichtlich | gewunschte | gewunschter | gewunschtes | zzgl | davon | enthaltene | darin | enthalten | angestrebte | ob | im | am | uber | bitte | angabe | angaben | angestrebter | jahrliches | monatliches | jahrlich | monatlich',
  invoice: 'rechnung | rechnungs | rg | honorarnote | beleg | abrechnung | honorarrechnung | liquidation',
  order: 'bestellung | bestell | auftrag | auftrags | bestellungs | order | bestellte | best | auftr',
  ticket: 'ticket | vorgang | vorgangs | fall | anfrage nr | storung | storungs | incident | meldung nr',
  number: 'nummer | nr | no | kennung | zeichen',
  reference: 'referenz | aktenzeichen | az | betreff nr',
  date: 'datum | tag | termin',
  issued:
    'ausstellungsdatum | ausgestellt am | erstellt am | ausstellungstag | erstellt | ausgestellt | bestellt am | aufgegeben am | eingegangen am | gestellt am | bestelldatum | bestellung vom | bestelltag | kaufdatum | gekauft am | beauftragt am | aufgegeben | auftragsdatum | belegdatum | datum der rechnung | datum der bestellung | angelegt am | erfasst am',
  due: 'fallig | fallig am | falligkeit | zahlbar bis | zahlbar | zahlungsziel | falligkeitsdatum | zu zahlen bis | zahlungsfrist | zahlen bis | uberweisen bis | zahlungstermin | abbuchung am | abbuchung | einzug am | lastschrift am | letzter zahltag | bezahlen bis | zu begleichen bis | zahlung bis | spatestens zu zahlen | abgebucht am | wir buchen ab am | zahlung fallig am | fallig zum | zu zahlen am | zahlbar am | bitte zahlen bis | bezahlung bis | einzugstermin | lastschrifteinzug am | einzug | abbuchung zum | spatestens | spatestens bis',
  delivery:
    'lieferung | liefer | liefertermin | lieferdatum | zustellung | liefern bis | ankunft | lieferung bis | lieferung am | ankunft am | kommt am | zustelltermin | wunschtermin | liefertag | anlieferung | lieferung voraussichtlich | gewunschter liefertermin | eintreffen | voraussichtliche lieferung | voraussichtlicher liefertermin | lieferung erfolgt am | zustellung am | lieferzeitpunkt | liefern am | anlieferung am | ankunftsdatum | geplante lieferung | liefertermin gewunscht | lieferung gewunscht am | wird geliefert am | versanddatum | eintreffen am',
  total:
    'gesamt | gesamtsumme | gesamtbetrag | summe | endbetrag | rechnungsbetrag | gesamtbetrag brutto | rechnungssumme | zahlbetrag | zu zahlen | zu zahlender betrag | bruttobetrag | gesamtpreis | endsumme | gesamt brutto | bestellsumme | bestellwert | auftragssumme | gesamt eur | alles zusammen | zusammen | insgesamt | macht zusammen | gesamtkosten | zu uberweisen | zu zahlende summe | abbuchungsbetrag | offener betrag | forderung | offen | ihr betrag | abgebucht | bestellwert gesamt | gesamt inkl mwst | gesamtsumme brutto | zu zahlender gesamtbetrag | rechnungsendbetrag | gesamtwert | bestellsumme brutto | kaufpreis | endpreis | summe brutto | brutto gesamt | gesamt mit mwst | zahlsumme | abzubuchender betrag | auftragswert | macht | rechnungswert | noch zu zahlen | restbetrag | restzahlung | verbleibender betrag | noch offen | restforderung | offener restbetrag | noch zu uberweisen | verbleiben | verbleibt | noch zu begleichen | endsumme brutto | gesamtbetrag inkl mwst | rechnungsbetrag brutto',
  amount: 'betrag | wert | hohe',
  net: 'netto | nettobetrag | zwischensumme | nettosumme | summe netto | gesamt netto | netto summe | exkl mwst | ohne mwst | warenwert | gesamtnetto',
  gross: 'brutto | inkl mwst | inklusive mwst | inkl ust | incl mwst | einschl mwst',
  tax: 'mwst | umsatzsteuer | ust | mehrwertsteuer | steuer | mwst betrag | steuerbetrag | enthaltene mwst | davon mwst | darin mwst | mwst anteil | ust betrag | enthaltene umsatzsteuer | enthaltene ust',
  shipping:
    'versand | versandkosten | porto | lieferkosten | anfahrt | fracht | transport | versand und verpackung | frachtkosten | transportkosten | lieferung und verpackung | versandkostenanteil',
  discount: 'rabatt | skonto | nachlass',
  currency: 'wahrung',
  iban: 'iban | bankverbindung | konto | bankkonto | kontonummer',
  supplier:
    'lieferant | rechnungssteller | verkaufer | anbieter | aussteller | rechnung von | rechnung durch | dienstleister | auftragnehmer | handler | zahlungsempfanger | rechnungsaussteller | verkauferin | kontoinhaber',
  customer:
    'kunde | kunden | kundin | kundendaten | kaufer | besteller | auftraggeber | kundenname | empfanger | empfangerin | lieferung an | geht an | versand an | lieferadresse name | kauferin | bestellerin | bestellt von | auftraggeberin | auf den namen | bestellende person | bestellende | fur kunde | rechnungsempfanger | warenempfanger | adressat | von kunde',
  requester:
    'gemeldet von | melder | berichter | berichterin | erfasst von | anfragender | meldender | meldende person | meldet | gemeldet durch | wer meldet | besucher | besucherin | gast | interessent | interessentin | wer | anrufer | anruferin | absender name | anfrage von | eingereicht von | kontaktname | wer schreibt | wer sind sie | gemeldet fur | erfasst fur | eingegeben fur | verfasser | verfasserin | einsender | einsenderin | nutzername | anwendername | antragsteller | antragstellerin',
  sender: 'absender | absenderin | gesendet von | abgesendet von',
  contact: 'ansprechpartner | ansprechpartnerin | kontaktperson | kontakt',
  applicant: 'bewerber | bewerberin | kandidat | kandidatin',
  name: 'name | vor- und nachname | vorname und nachname | vollstandiger name | vor und nachname | vorname nachname | heisst | heißt | name ist',
  company:
    'firma | firmen | unternehmen | unternehmens | organisation | betrieb | firmenname | arbeitgeber | haus | einrichtung | institution | arbeitgeberin | betriebsname | organisationseinheit | firma oder einrichtung | unternehmensname | name der firma | name des unternehmens | arbeitet bei | arbeitet fur | kommt von | von der firma | wo arbeiten sie',
  email:
    'email | e-mail | mail | e-mail-adresse | email-adresse | mailadresse | emailadresse | e mail adresse | postfach | antwort an | mailkontakt | kontaktmail | schreiben an | antworten an | per mail | e-mail fur antwort | kontakt e-mail | ihre e-mail | mail an | e-mail kontakt | antwortadresse',
  phone:
    'telefon | tel | telefonnummer | handy | mobil | mobilnummer | handynummer | rufnummer | fon | mobiltelefon | ruckruf | durchwahl | ruckrufnummer | telefonisch | erreichbar unter | kontaktnummer | telefon nr | tel nr | festnetz | anruf | telefonnr | tel-nr | mobilnr | mobil nr | handy nr | nummer fur ruckruf | telefon fur ruckfragen | erreichbar | tagsuber erreichbar | telefon privat | telefon mobil',
  address: 'adresse | anschrift | lieferadresse | rechnungsadresse | strasse',
  product: 'produkt | betroffenes produkt | gekauftes produkt | erworbenes produkt | produktname | produktbezeichnung',
  device:
    'gerat | gerate | komponente | komponenten | betroffener dienst | software | modell | system | anwendung | programm | maschine | app | paket | anlage | typ | geratetyp | gerätename | modul | betroffenes gerat | betroffenes system | betroffene anwendung | plattform | betrifft | es geht um produkt',
  item: 'artikel | ware | waren | produkte | bezeichnung | leistung | beschreibung | positionen | was | warenkorb | inhalt | ware bestellt | im paket | bestellte ware | gekauft | gekaufte artikel | deine artikel | ihre artikel',
  quantity: 'menge | anzahl | stuck | stk',
  price: 'preis | einzelpreis | ep | gp | stuckpreis',
  unit: 'einheit',
  position: 'pos | position nr | posten',
  version:
    'version | softwarestand | softwareversion | programmversion | stand der software | firmware | release | fassung | programmstand | installierte version | ausgabe | versionsnummer | versionsstand | build | firmwarestand | softwareausgabe | app version',
  error:
    'fehler | fehlermeldung | fehlercode | meldung am gerat | fehlertext | anzeige | bildschirmmeldung | angezeigte meldung | fehlerbild text | meldungstext | was steht da | was wird angezeigt | wortlaut | fehler im display | anzeige im display | displayanzeige | meldung auf dem bildschirm | auf dem bildschirm | erscheint am bildschirm | erscheint auf dem bildschirm | gerat zeigt | fehlernummer | storcode | was erscheint | wortlaut der meldung | es erscheint | alarm | alarmmeldung | alarmcode | angezeigter fehler | exakte fehlermeldung | genaue fehlermeldung | warnung | systemmeldung | statuscode | fehlermeldung im wortlaut | fehlermeldung text | erhaltene fehlermeldung | bildschirmtext',
  message: 'nachricht | mitteilung | bemerkung | anmerkung | kommentar | meldung',
  since:
    'seit | besteht seit | beginn der storung | aufgetreten am | problem seit | storung seit | fehler seit | seit wann | erstmals beobachtet | erstmals aufgetreten | beobachtet seit | tritt auf seit | aufgetreten | erstmals | bemerkt am | das erste mal | problem besteht seit | fehler besteht seit | tritt seit | erstes auftreten | erstmaliges auftreten | beginn des problems | seit welchem tag | zeitpunkt des auftretens | auftreten seit | datum der ersten storung | erste storung | erster fehler | datum der storung | fehlerdatum | zeitpunkt der storung | beginn des fehlers | erstauftreten | datum des auftretens | datum erstauftreten',
  urgent:
    'dringend | eilig | dringlichkeit | eilt | wie eilig | wie dringend | dringlichkeitsstufe | ist es dringend | ist es eilig | sehr dringend | eilfall | eile',
  priority: 'prioritat | prio',
  paid: 'bezahlt | schon bezahlt | bereits bezahlt | beglichen | zahlung erfolgt | zahlung eingegangen',
  payment: 'zahlung | zahlungsart | zahlungs | zahlungsweise | bezahlung',
  status: 'status | stand',
  interest:
    'interesse | interessen | interesse an | benotigt | gewunschte arbeiten | art der arbeiten | gewunschte ausstattung | interessiert an | interessiert sich fur | gewunschte produkte | interessensgebiete | thema | themen | worum geht es | gesucht | gewunscht | bedarf | wunsch | wunsche | gewunschte leistungen | leistungen | anliegen | gesuchte leistung | auswahl | ausgewahlt | angekreuzt | gewahlt | anfrage zu | sucht | braucht | wofur interessieren sie sich | was interessiert sie | was suchen sie | was brauchen sie | was benotigen sie | interessenfelder | interessiert | gewunschte leistung | gewunschtes produkt | leistung gewunscht | betreff der anfrage | angefragte leistungen | gewunschte themen | gegenstand | interessiert sich | mochte | worum es geht | ich interessiere mich fur | wir interessieren uns fur | interessieren | module | gewunschte module | pakete | gewunschtes paket | leistung | art der leistung | art des projekts | projektart | angefragte leistung | angefragtes produkt | produktinteresse | angebot gewunscht fur | ich wunsche ein angebot fur | ich mochte ein angebot fur | wofur wunschen sie ein angebot | ihr interesse | betreff | losungen',
  budget:
    'budget | projektbudget | kostenrahmen | budgetrahmen | rahmen | finanzrahmen | preisrahmen | budget bis | mittel | kostengrenze | maximalbudget | preisvorstellung | geld | wie hoch ist ihr budget | budgetobergrenze | obergrenze | verfugbares budget | geplantes budget | budget maximal | max budget | was durfen wir ausgeben | investitionsrahmen | finanzieller rahmen | budgetvorgabe',
  people:
    'mitarbeiter | mitarbeiterzahl | anzahl mitarbeiter | teamgrosse | anzahl benutzer | benutzer | nutzer | anzahl der mitarbeiter | anzahl nutzer | unternehmensgrosse | anwender | zahl der mitarbeiter | beschaftigte | mitarbeitende | kopfe | wie viele mitarbeiter | wie viele personen | personen | belegschaft | arbeitsplatze | lizenzen | zahl der nutzer | teammitglieder | kollegen | teamgroesse | mitarbeiteranzahl | wie viele nutzer | wie viele benutzer | wie viele sind sie | anzahl personen | anzahl lizenzen | zugange | anzahl zugange | personalstarke | nutzerzahl | benutzerzahl | anzahl arbeitsplatze | mitarbeitendenzahl | anzahl mitarbeitende | wie viele wurden es nutzen | wie viele arbeiten damit',
  start:
    'start | projektstart | beginn | startdatum | starttermin | startzeitpunkt | projektbeginn | wann | los geht es | loslegen | beginnen | gewunschter beginn | gewunschter start | start ab | arbeitsbeginn projekt | wann soll es losgehen | baubeginn | umsetzung ab | wann soll es starten | wann mochten sie starten | geplanter start | gewunschter starttermin | gewunschter projektstart | geplanter beginn | startwunsch | wunschstart | umsetzungsbeginn | einfuhrung ab | einfuhrung zum',
  demo: 'demo | demo gewunscht | vorfuhrung | demo erwunscht | vorfuhrung gewunscht | demotermin gewunscht | prasentation | vorfuhrtermin | live-demo | praxisvorfuhrung | mochte vorfuhrung | mochten sie eine demo | mochten sie eine vorfuhrung | wunschen sie eine demo | wunschen sie eine vorfuhrung | demo ja nein | live demo | demotermin | online-demo | vorfuhrung erbeten | praesentation gewunscht | prasentation gewunscht | demos | vorfuhrungen | demonstration',
  job: 'stelle | position | beruf | stellenausschreibung | ausschreibung | stellenbezeichnung | bewerbung als | bewerbung fur | angestrebte stelle | beworben als | gesuchte stelle | beworbene stelle | stellenanzeige | tatigkeit | wunschposition | ausgeschriebene stelle | bewirbt sich als | bewirbt sich auf | bewerbung auf | als was bewerben sie sich | stelle als | stellentitel | gewunschte stelle | gewunschte position | funktion | berufswunsch | ausbildung als',
  skill:
    'kenntnisse | fahigkeiten | passende kenntnisse | skills | kompetenzen | fachkenntnisse | edv-kenntnisse | das kann ich | konnen | starken | schwerpunkte | werkzeuge | qualifikationen | fachwissen | edv | programme | zertifikate | knowhow | know-how | was ich mitbringe | kompetenzprofil | was konnen sie gut | was konnen sie | kann ich | das kann ich gut | beherrsche ich | starke | meine starken | fertigkeiten | besondere kenntnisse | fachliche kenntnisse | it-kenntnisse | edv kenntnisse | it kenntnisse | erfahren in | kenntnisse in | angegebene kenntnisse | top-kenntnisse | scheine | weitere kenntnisse | besondere fahigkeiten | softwarekenntnisse | fachliche qualifikationen',
  language: 'sprachen | sprachkenntnisse',
  experience:
    'berufserfahrung | erfahrung | jahre berufserfahrung | berufserfahrung in jahren | jahre erfahrung | jahre im beruf | berufsjahre | wie viele jahre erfahrung | erfahrung in jahren | berufspraxis | praxisjahre | wie lange im beruf',
  year: 'jahre | jahr | jahren',
  salary:
    'gehalt | gehaltsvorstellung | gehaltswunsch | lohnvorstellung | wunschgehalt | gehaltsvorstellungen | gehaltserwartung | vorstellung | gehaltsrahmen | wunschlohn | verdienst | stundenlohn | gehalt gewunscht | verdienstwunsch | bruttogehalt | jahresgehalt | was mochten sie verdienen | lohnwunsch | gewunschtes gehalt | gehaltsforderung | wunschverdienst | verdienstvorstellung | jahresbrutto | bruttowunsch | mindestgehalt | gehaltswunsch brutto | stundensatz',
  available:
    'verfugbar | verfugbar ab | verfugbarkeit | eintrittstermin | eintrittsdatum | fruhester eintrittstermin | fruhestmoglicher eintritt | fruhester eintritt | verfugbar zum | fruhestmoglicher eintrittstermin | frei ab | eintritt | eintritt zum | starttermin moglich | einsetzbar ab | frei | beginn moglich | moglicher beginn | eintritt ab | start moglich ab | ab wann konnen sie anfangen | wann konnen sie anfangen | kann anfangen | arbeitsbeginn | dienstantritt | antritt | fruhester beginn | moglicher eintritt | moglicher eintrittstermin | einstieg | einstieg ab | fruhester start | verfugbar seit',
  relocation:
    'umzugsbereitschaft | umzug | umzugsbereit | bereit zum umzug | umziehen | wurde umziehen | umzug moglich | wohnortwechsel | umzug bereit | ortswechsel | wurden sie umziehen | zum umzug bereit | bereitschaft zum umzug | umzugsbereit ja nein | wurde fur die stelle umziehen | bereit umzuziehen | umzug denkbar | waren sie bereit umzuziehen | waren sie zu einem umzug bereit | sind sie umzugsbereit | sind sie bereit umzuziehen | mobilitat',
  birth: 'geburtsdatum | geburtstag | geboren | geb',
  serial: 'seriennummer | serien',
  first: 'vorname',
  last: 'nachname | familienname',
  website: 'webseite | website | internet',
  document: 'quittung | angebot | gutschrift | lieferschein',
  staff:
    'bearbeiter | bearbeiterin | sachbearbeiter | sachbearbeiterin | erfasst durch | zustandig | zugewiesen an | ihr berater | ihr ansprechpartner | betreuer | aufgenommen von | techniker | bearbeitet von | compilata da | recruiter | recruiterin',
  previous: 'letzte | letzter | fruhere | vorherige | bisherige | alte | vormonat | vorjahr | letzten monat',
  advertised: 'ausgeschrieben | angeboten',
}

export const nl: Lexicon = {
  form: 'formulier | contactformulier',
  neutral:
    'de | het | een | van | voor | uw | je | jouw | ons | onze | mijn | met | en | verwachte | gewenste | waarvan | te | die | op | bij | of hij | welk | welke | of | u | jaarlijks | maandelijks',
  invoice: 'factuur | facturen | faktuur | nota | nota s | declaratie',
  order: 'bestelling | bestel | order | inkooporder | opdracht | orders',
  ticket: 'ticket | melding | meldings | incident | zaak | case | storing',
  number: 'nummer | nr | nummer nr',
  reference: 'referentie | kenmerk | ref',
  date: 'datum | dag',
  issued:
    'opgemaakt op | geplaatst op | besteld op | factuur gedateerd | opgemaakt | gemaakt op | d.d. | factuurdag | besteldatum | datum bestelling | bestelling van datum | datum van bestelling | orderdatum | aankoopdatum | gekocht op | datum aankoop | datum factuur | datum van de factuur | geplaatst | gefactureerd op | datum nota | notadatum | opgesteld | opgesteld op | aangemaakt op',
  due: 'vervaldatum | vervaldag | te betalen voor | betalen voor | uiterste betaaldatum | betaaltermijn | uiterlijk betalen | vervalt op | betaaldatum | te voldoen voor | betalen uiterlijk | te betalen uiterlijk | afschrijving op | incasso op | incassodatum | uiterste betaaldag | te voldoen uiterlijk | betaal voor | laatste betaaldag | uiterlijk | afschrijving | te betalen op | betalen op | betaling uiterlijk | voldoen voor | voldoen uiterlijk | te voldoen op | wordt afgeschreven op | afschrijfdatum | afschrijving rond | incasso rond | wordt geincasseerd op | uiterste datum | vervalt',
  delivery:
    'levering | lever | leverdatum | bezorging | bezorgdatum | te leveren op | bezorg | leveren op | aankomst | komt op | thuisbezorgd op | verwachte levering | gewenste leverdatum | bezorgmoment | bezorgd op | levering op | geleverd op | verwachte leverdatum | verwachte bezorging | gewenste bezorgdatum | wordt bezorgd op | wordt geleverd op | bezorgen op | afleverdatum | aflevering | ontvangstdatum | verzenddatum | levertijd | leverdag | bezorgdag | leveren',
  total:
    'totaal | totaalbedrag | te betalen | eindtotaal | totaal te betalen | factuurbedrag | eindbedrag | te betalen bedrag | totaalprijs | orderbedrag | samen | alles bij elkaar | totaal betaald | afgeschreven | af te schrijven | openstaand | openstaand bedrag | te voldoen | te voldoen in eur | in totaal | alles samen | voldaan | totaal incl | te betalen in totaal | saldo | incl btw totaal | betaald bedrag | openstaand saldo | te betalen totaal | totale bedrag | totaalsom | te betalen som | factuurtotaal | ordertotaal | orderwaarde | bestelwaarde | over te maken | over te maken bedrag | dus over te maken | afgeschreven bedrag | bedrag te voldoen | aankoopbedrag | eindprijs | nog te betalen | restbedrag | resterend bedrag | nog te voldoen | restant | resterend | totaal nog te betalen | totaalbedrag incl btw | totaal factuur',
  amount: 'bedrag | som | waarde',
  net: 'subtotaal | netto | excl btw | exclusief btw | bedrag excl btw | totaal excl btw | totaal exclusief btw | excl | ex btw | exclusief',
  gross: 'incl btw | inclusief btw | bruto | totaal incl btw | totaal inclusief btw',
  tax: 'btw | belasting | btw bedrag | omzetbelasting | waarvan btw | btw inbegrepen | inclusief btw van | totaal btw | bedrag btw',
  shipping:
    'verzendkosten | verzending | bezorgkosten | porto | transport | vracht | vrachtkosten | verzenden | bezorging kosten | leveringskosten | transportkosten | verzendkosten nl',
  discount: 'korting',
  currency: 'valuta | munt',
  iban: 'iban | rekening | bankrekening | rekeningnummer',
  supplier:
    'leverancier | verkoper | gefactureerd door | begunstigde | rekeninghouder | dienstverlener | uitvoerder | opdrachtnemer | winkelier',
  customer:
    'klant | klanten | koper | besteller | opdrachtgever | klantnaam | klantgegevens | op naam van | ontvanger | bezorgen bij | verzonden naar | verzenden naar | leveren aan | besteld door | bestemd voor | koopster | klant naam | naam klant | afnemer | afneemster | gekocht door | geleverd aan | factureren aan | gefactureerd aan | lid | abonnee | ten name van | tnv | t.n.v. | ontvangster',
  requester:
    'gemeld door | melder | aanmelder | aanmeldster | aanvrager | ingediend door | wie | wie bent u | wie ben je | bezoeker | afzender naam | indiener | inzender | ingestuurd door | doorgegeven door | namens | wie schrijft | wie schrijft er | ingevoerd voor | aangemaakt voor | gemeld voor | gebruiker | gebruikster | melder naam | naam melder | schrijver | aanvraagster | naam aanvrager | aangemeld door | door | reactie van | bericht van | ingezonden door',
  sender: 'afzender | verzonden door | ingezonden door',
  contact: 'contactpersoon | contact',
  applicant: 'kandidaat | sollicitant',
  name: 'naam | voor- en achternaam | volledige naam | voornaam en achternaam | heet',
  company:
    'bedrijf | bedrijfs | bedrijfsnaam | organisatie | onderneming | firma | instelling | school | praktijk | stichting | vereniging | werkgever | naam bedrijf | naam organisatie | naam van het bedrijf | zaak naam | werkt bij | uw bedrijf | werkt voor | komt van | waar werkt u',
  email:
    'email | e-mail | mail | e-mailadres | emailadres | mailadres | antwoord aan | mailen naar | beantwoorden aan | schrijven naar | post | mailcontact | uw e-mail | e-mail voor antwoord | contact e-mail | antwoordadres | mail adres | e-mail adres',
  phone:
    'telefoon | telefoonnummer | mobiel | tel | gsm | mobiel nummer | mobiele nummer | 06-nummer | bel | bellen | terugbellen | telefonisch | doorkiesnummer | bereikbaar op | vast nummer | contactnummer | tel nr | nummer om te bellen | telefoonnr | mobiele telefoon | telefoon overdag | nummer voor terugbellen | terugbelnummer | uw telefoonnummer | telefoon mobiel | telefoon vast | telefoon werk | whatsapp | te bereiken op | bel me op',
  address: 'adres | straat | bezorgadres | factuuradres',
  product: 'product | betreft product | gekocht product | aangekocht product | productnaam | naam product',
  device:
    'apparaat | applicatie | apparatuur | object | betrokken dienst | software | model | toestel | systeem | pakket | programma | machine | app | module | installatie | type | betreft apparaat | softwarepakket | platform | betreft | over product',
  item: 'artikel | artikelen | producten | omschrijving | beschrijving | inhoud | winkelmand | winkelwagen | je mandje | wat | in de doos | bestelde artikelen | in het pakket | dit heb je besteld',
  quantity: 'aantal | hoeveelheid | stuks',
  price: 'prijs | stukprijs | eenheidsprijs',
  version:
    'versie | softwareversie | versienummer | uitgave | geinstalleerde versie | release | versie in gebruik | revisie | build | firmware | firmwareversie | versie software | programmaversie',
  error:
    'fout | foutmelding | foutcode | foutbericht | melding op het scherm | schermmelding | wat staat er | wat ziet u | op het scherm | melding in beeld | wat verschijnt er | tekst van de fout | verschijnt op scherm | op scherm | verschijnt in beeld | in beeld | tekst op het scherm | tekst op scherm | getoonde melding | getoonde fout | storingscode | storingsmelding | wat toont het scherm | meldingstekst | code op display | display | alarm | alarmcode | getoonde foutmelding | exacte foutmelding | tekst van de melding | tekst foutmelding | ontvangen melding | systeemmelding | waarschuwing | code op het scherm | statuscode | foutmelding op scherm',
  message: 'bericht | opmerking | opmerkingen | toelichting',
  since:
    'sinds | begin | begin storing | begin van de storing | probleem sinds | opgetreden op | sinds wanneer | opgemerkt op | sinds wanneer speelt dit | treedt op sinds | eerste keer | ontstaan op | begonnen op | wanneer begonnen | voor het eerst | speelt sinds | probleem speelt sinds | bestaat sinds | datum eerste keer | eerste optreden | vanaf welke datum | sinds welke datum | storing sinds | fout sinds | klacht sinds | begonnen | datum eerste storing | eerste storing | datum storing | datum probleem | datum van de storing | begin probleem | start probleem | datum incident | ontstaan',
  urgent:
    'spoed | dringend | urgent | haast | hoe dringend | hoe urgent | mate van spoed | is het dringend | is er spoed | is er haast | zeer dringend | heeft het haast | heeft het spoed',
  priority: 'prioriteit | urgentie',
  paid: 'betaald | al betaald | reeds betaald | reeds voldaan | betaling ontvangen | afgerekend',
  payment: 'betaling | betaal | betaalwijze | betaalmethode',
  status: 'status | betaalstatus',
  interest:
    'interesse | interesses | interesse in | werkzaamheden | gewenste werkzaamheden | soort werk | waar bent u in geinteresseerd | waar ben je in geinteresseerd | waarin bent u geinteresseerd | waarin ben je geinteresseerd | geinteresseerd in | wil weten over | wensen | wens | behoefte | gezocht | zoekt | onderwerp | gaat over | wil iets weten over | aangevinkt | keuze | gekozen | nodig | diensten | gewenste diensten | gewenste producten | wat zoekt u | vraag over | thema | waarover | waar heeft u interesse in | wat heeft u nodig | wat zoekt je | waar bent u naar op zoek | interessegebieden | gewenste dienst | gewenst product | gevraagde diensten | gevraagde producten | aangekruist | aangekruist onderwerp | onderwerpen | op zoek naar | gevraagd | aanvraag voor | ik ben geinteresseerd in | ik heb interesse in | wij hebben interesse in | modules | gewenste modules | pakket | gewenst pakket | soort dienst | soort project | type dienst | oplossing | oplossingen | offerte gewenst voor | ik wil graag een offerte voor | ik wil een offerte voor | waarvoor wilt u een offerte | product van interesse | dienst',
  budget:
    'budget | projectbudget | geld | bedrag beschikbaar | beschikbaar budget | maximaal bedrag | prijsindicatie | maximum | wat we kunnen uitgeven | wat is uw budget | maximaal budget | beschikbaar bedrag | budget maximaal | gepland budget | bestedingslimiet | hoeveel kunt u uitgeven | investering | begroting | begroot bedrag | budgetplafond',
  people:
    'medewerkers | aantal medewerkers | aantal gebruikers | gebruikers | teamgrootte | personeel | aantal werknemers | werknemers | grootte team | mensen | personen | aantal personen | werkplekken | licenties | collega s | aantal mensen | met hoeveel | hoeveel mensen | deelnemers | hoeveel medewerkers | hoeveel gebruikers | aantal licenties | aantal werkplekken | aantal deelnemers | aantal teamleden | teamleden | omvang team | bedrijfsgrootte | met hoeveel bent u | gebruikersaantal | fte | hoeveel gaan het gebruiken | hoeveel mensen gebruiken het',
  start:
    'start | startdatum | begindatum | projectstart | begin project | wil beginnen op | wanneer | beginnen op | start gewenst | gewenste start | ingangsdatum | start werkzaamheden | gewenste startdatum | wil starten op | geplande start | geplande startdatum | wanneer starten | wanneer wilt u starten | wanneer wilt u beginnen | gewenst begin | start van het project | begin werkzaamheden | start project | aanvang | aanvangsdatum | van start op | oplevering start',
  demo: 'demo | demo gewenst | demonstratie | demo gewenst? | demonstratie gewenst | presentatie | live demo | wil een demo | demonstratie aan huis | wilt u een demo | wilt u een demonstratie | demo aanvragen | demo gevraagd | demonstratie gevraagd | wil demo | presentatie gewenst | demonstraties',
  job: 'functie | vacature | baan | positie | gewenste functie | sollicitatie als | sollicitatie voor | vacature voor | solliciteert naar | reageert op | gewenste baan | rol | solliciteert als | heeft gesolliciteerd op | heeft gesolliciteerd naar | sollicitatie op | gewenste positie | functienaam | functietitel | naam functie | vacaturetitel | beroep | reactie op vacature | advertentie',
  skill:
    'vaardigheden | vaardigheid | overeenkomende vaardigheden | passende vaardigheden | competenties | kennis van | kennis | sterke punten | hulpmiddelen | programma s | gereedschap | kwaliteiten | expertise | dit kan ik | wat ik kan | kan werken met | wat kunt u | wat kun je | waar ben je goed in | waar bent u goed in | goed in | kan ik | ik kan | bekwaamheden | talenten | programmas | diploma s | certificaten | vakkennis | sterk in | kundigheden | beheerst | belangrijkste vaardigheden | opgegeven vaardigheden | top vaardigheden | kerncompetenties | specialisaties',
  language: 'talen | talenkennis',
  experience:
    'ervaring | werkervaring | jaren ervaring | jaar ervaring | aantal jaren ervaring | jaren werkervaring | hoeveel jaar ervaring | jaren in het vak | jaar in het vak | ervaring in jaren | dienstjaren',
  year: 'jaar | jaren',
  salary:
    'salaris | salariswens | salarisindicatie | gewenst salaris | salarisverwachting | looneis | salariseis | verwachting | gewenst loon | loonwens | verwacht salaris | vraagt | uurloon | welk salaris verwacht u | welk salaris verwacht je | salariswensen | salarisvoorstel | bruto salaris gewenst | gewenst bruto salaris | gewenste beloning | wat wilt u verdienen | wat wil je verdienen | salaris gewenst',
  available:
    'beschikbaar | beschikbaar vanaf | beschikbaar per | beschikbaarheid | per direct beschikbaar | kan beginnen | kan starten | kan starten op | start mogelijk | in dienst per | per wanneer beschikbaar | vrij vanaf | wanneer kunt u beginnen | wanneer kun je beginnen | vanaf wanneer | kan beginnen op | beschikbaar op | mogelijke startdatum | vroegste startdatum | indiensttreding | in dienst vanaf | vrij per | datum beschikbaar | per wanneer',
  relocation:
    'verhuizen | bereid te verhuizen | verhuisbereid | verhuizing | bereid tot verhuizen | wil verhuizen | verhuizen mogelijk | bereidheid tot verhuizen | zou u verhuizen | zou je verhuizen | verhuist u | bereidheid om te verhuizen | verhuisbereidheid | wilt u verhuizen | bereid om te verhuizen | zou willen verhuizen | ben je bereid te verhuizen | bent u bereid te verhuizen | ben je bereid om te verhuizen | verhuizen bespreekbaar',
  birth: 'geboortedatum | geboren',
  serial: 'serienummer',
  first: 'voornaam',
  last: 'achternaam',
  website: 'website | site',
  document: 'creditnota | offerte | bon',
  staff:
    'behandelaar | toegewezen aan | behandeld door | aangenomen door | medewerker helpdesk | accountmanager | ingevuld door | monteur | genoteerd door | adviseur | recruiter | consulent',
  previous: 'vorige | vorig | laatste | oude | vorige maand | eerdere',
  advertised: 'aangeboden',
}
