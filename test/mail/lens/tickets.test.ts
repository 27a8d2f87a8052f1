import { application, check, invoice, lead, order, ticket } from './reading.ts'

describe('mail/lens: tickets, applications and bills', () => {
  describe('forms and chats', () =>
    check([
      [
        'no message where the next label follows',
        ticket,
        'error_message',
        'Kunde: Ina Falk\nFehlermeldung:\nBetroffenes Gerät: Mähbot 300\nBeschreibung: Er fährt nicht los.',
        null,
      ],
      [
        'an answer without who gave it',
        ticket,
        'product',
        '[09:02] Bot: Which device is it about?\n[09:03] Ann Lee: Kettle Duo\n[09:04] Bot: Thanks, it is broken then.',
        'Kettle Duo',
      ],
      [
        'no message where none is seen',
        ticket,
        'error_message',
        '[09:02] Bot: Welche Fehlermeldung sehen Sie?\n[09:03] Ina Falk: nein, gar nichts\n[09:04] Bot: Danke.',
        null,
      ],
      [
        'who reports, in Dutch',
        ticket,
        'customer_name',
        'Aanmelder: Tess de Wit\nFoutmelding: Geen papier\nObject: Printer hal',
        'Tess de Wit',
      ],
    ]))

  describe('what is no product, version or message', () =>
    check([
      ['the tool one answers in', ticket, 'product', 'La caldaia non funziona.\nRispondi in AiutaDesk', null],
      ['the name of an error', ticket, 'product', 'It stops with the error NullReference every time.', null],
      [
        'the program that sent the mail',
        ticket,
        'version',
        'Es geht nicht.\nZnunx 7.2.4 – automatische Benachrichtigung',
        null,
      ],
      [
        'the number of a ticket',
        ticket,
        'error_message',
        'Appare un errore nella pratica RX-4410, ma non leggo quale.',
        null,
      ],
    ]))

  describe('since when', () =>
    check([
      [
        'what happened on the day',
        ticket,
        'since',
        'Seit dem Stromausfall vom Montag druckt die Kasse nicht mehr.',
        '2026-11-09',
      ],
      [
        'with a word behind it',
        ticket,
        'since',
        "L'ascensore è fermo dal guasto elettrico del 4 novembre.",
        '2026-11-04',
      ],
      [
        'until when it worked',
        ticket,
        'since',
        'The oven worked fine until 2 November, now it stays cold.',
        '2026-11-02',
      ],
      [
        'a day, and since then',
        ticket,
        'since',
        'Gisteren is de router vervangen en sindsdien werkt de pin niet meer.',
        '2026-11-10',
      ],
      [
        'how long somebody has been a customer',
        ticket,
        'since',
        'I am a customer since the opening of 3 March and the app fails.',
        null,
      ],
    ]))

  describe('messages and who reports', () =>
    check([
      ['a short code that is shown', ticket, 'error_message', 'The Washer WX900 stops and shows E15 again.', 'E15'],
      [
        'what a thing claims',
        ticket,
        'error_message',
        'Die Anlage behauptet seit heute "Filter fehlt".',
        'Filter fehlt',
      ],
      [
        'who thanks for an answer',
        ticket,
        'customer_name',
        'Bonjour,\n\nmerci pour votre réponse, mais rien ne marche.\n\nCordialement,\nOdile Garnier',
        'Odile Garnier',
      ],
      [
        'who signs above a list of what is attached',
        application,
        'name',
        'Madame,\n\nje vous écris pour le poste.\n\nOdile Garnier\n06 55 55 11 22\n\nPJ : CV et diplôme',
        'Odile Garnier',
      ],
    ]))

  describe('numbers in groups', () =>
    check([
      ['short ones first', invoice, 'invoice_number', 'Facture n° 31 04 220 9917 du 05/11/2026', '31 04 220 9917'],
      ['short ones last', invoice, 'invoice_number', 'Rechnungsnummer: 31 8820 0044 7', '31 8820 0044 7'],
      ['a long one first', invoice, 'invoice_number', 'Factuurnummer: 40218 7730 25', '40218 7730 25'],
      ['letters first', invoice, 'invoice_number', 'N° de facture : VX 20 114 902 338', 'VX 20 114 902 338'],
      ['one group of another number', invoice, 'invoice_number', 'Paga la bolletta (avviso 4410 0380 2217 9900)', null],
    ]))

  describe('people of other matters', () =>
    check([
      [
        'who helps in a chat',
        ticket,
        'customer_name',
        'Canal: web | Agente: Irene | 9 min\n[10:01] Irene: Hola, soy Irene.\n[10:02] Cliente: No me imprime.',
        null,
      ],
      [
        'a colleague who passes on what somebody wants',
        ticket,
        'customer_name',
        'Salut Paul,\n\nvoici le dossier de Mme Odile Garnier, sa tondeuse reste bloquée.\n\nMerci !\nInès',
        null,
      ],
      [
        'who is thanked for an answer',
        ticket,
        'customer_name',
        'Guten Tag Frau Falk,\n\nvielen Dank für Ihre rasche Rückmeldung. Die Tür klemmt weiter.\n\nEs grüßt Sie\nRuth Holm',
        'Ruth Holm',
      ],
      [
        'the address of an adviser',
        application,
        'email',
        'Vous pouvez passer par ma conseillère Mme Morel (c.morel@emploi.example).\n\nCordialement,\nOdile Garnier',
        null,
      ],
      [
        'the address of who proposes somebody',
        application,
        'email',
        'Candidata: Elena Sordi\nEsperienza: 4 anni\n\nCordialmente,\nPaolo Gatti\np.gatti@agenzia.example',
        null,
      ],
      [
        'the owner of a case',
        ticket,
        'customer_email',
        'Contacto: Ana Ruiz\nPropietario: Marta Gil (marta.gil@soporte-sur.example)\nEstado: abierto',
        null,
      ],
      [
        'to whom a buyer writes',
        order,
        'customer_name',
        'ORDINE A FORNITORE N. 82\n\nSpett.le\nLEGNAMI ROSSI SPA\n\nConsegna: 12/12/2026',
        null,
      ],
      [
        'the whole name, where a first name signs',
        order,
        'customer_name',
        'Bitte schicken Sie sechs Kisten an das Atelier von Ines Holm.\n\nLiebe Grüße\nInes',
        'Ines Holm',
      ],
      [
        'who passes on a call, with an address',
        ticket,
        'customer_name',
        'A Mr Adeyemi rang about his till. He can be reached on 07700 900618.\n\nTa\nAnn Lee\nann.lee@tills.example',
        null,
      ],
      [
        'what somebody is a member of',
        invoice,
        'supplier',
        'Here is my bill no. 12: total £90.\n\nAnn\n--\nAdvanced Professional Member, CIEP',
        null,
      ],
    ]))

  describe('days, numbers and answers of other matters', () =>
    check([
      [
        'when to pay now, not when one was to',
        invoice,
        'due_date',
        'Rechnung\tvom\twar fällig\tBetrag\nR-4410\t01.10.2026\t15.10.2026\t90,00 €\n\nBitte zahlen Sie bis spätestens 25.11.2026.',
        '2026-11-25',
      ],
      [
        'the day of a reminder',
        invoice,
        'due_date',
        'Zur Rechnung R-4410 blieb unsere Zahlungserinnerung vom 29.10.2026 ohne Antwort.',
        null,
      ],
      ['when goods leave', order, 'order_date', 'Ihre Bestellung K-2210 hat heute unser Lager verlassen.', null],
      ['a day with its hour', application, 'phone', 'Nome: Ada Sordi\nPrivacy: accetto (26/11/2026 18:31)', null],
      ['the number of a document', application, 'phone', 'Votre annonce (réf. 175 550 192) me plaît.', null],
      ['money that somebody wants back', order, 'paid', 'Ich hätte gerne mein Geld zurück.', null],
      ['the answer below a wish', lead, 'demo', 'Naam\nJan Bos\n\nIk wil graag een demo\nNee', false],
      [
        'the heads of a table',
        order,
        'paid',
        'COD.    DESCRIZIONE        PREZZO    IMPORTO\nV40T    VASO D.40          11,20     672,00',
        null,
      ],
    ]))

  describe('positions', () =>
    check([
      [
        'of who looks for work',
        application,
        'position',
        'Subject: Roofer looking for work\n\nHello, I am free now.',
        'Roofer',
      ],
      [
        'behind the word for an application',
        application,
        'position',
        'Subject: Sollicitatie tuinman\n\nIk ben tuinman en zoek werk.',
        'tuinman',
      ],
      [
        'no name of who applies',
        application,
        'position',
        'Subject: Candidature Odile Garnier\n\nBonjour, voici mon CV.\n\nCordialement,\nOdile Garnier',
        null,
      ],
      [
        'that somebody offers to fill',
        application,
        'position',
        'Subject: Me ofrezco como camarera\n\nHola.',
        'camarera',
      ],
      [
        'to which an application has come',
        application,
        'position',
        'Hallo HR-Team,\n\nzur Stelle Disponent Wareneingang (Kennziffer 14, Standort Kiel) ist eine Bewerbung eingegangen:\n\nBewerber: Ina Falk\nMobil: +49 152 5550 6641\nUmzugsbereit: ja',
        'Disponent Wareneingang',
      ],
      [
        'before what one thinks of it',
        application,
        'position',
        'Il posto di magazziniere notturno mi interessa molto.',
        'magazziniere notturno',
      ],
      [
        'behind the word for a vacancy',
        application,
        'position',
        'Subject: Kandidatin für Ihre Vakanz Quality Manager\n\nHallo, anbei das Profil.',
        'Quality Manager',
      ],
    ]))

  describe('numbers, positions and products', () =>
    check([
      [
        'no number of hours',
        order,
        'order_number',
        'Votre commande est prête. Transporteur : Colis (24-36 h après paiement)',
        null,
      ],
      [
        'no payment of an earlier bill',
        order,
        'paid',
        'Please send it on Friday. The previous invoice has been paid.',
        null,
      ],
      [
        'a customer behind a number',
        order,
        'customer_name',
        'Nº pedido: AX-4410\nCliente: 020417  Vega Sistemas SL\nTotal: 80,00 €',
        'Vega Sistemas SL',
      ],
      ['a payment that is awaited', order, 'paid', 'Lo enviaremos en cuanto recibamos el pago.', false],
      ['no payment that is a draft at sixty days', order, 'paid', 'Pagamento: ricevuta bancaria 60 gg', null],
      ['a payment on arrival', order, 'paid', 'Paiement sur place, en espèces.', false],
      [
        'no payment that was awaited and came',
        order,
        'paid',
        'As soon as we received your payment we packed it.',
        true,
      ],
      ['what somebody has paid for them', order, 'paid', 'Son 20 tazas, ya las he pagado por Bizum.', true],
      ['a product that was bought', ticket, 'product', 'Prodotto acquistato: Forno Vesta 45', 'Forno Vesta 45'],
      ['but one of this order', order, 'paid', 'Please send it on Friday. The invoice has been paid.', true],
      [
        'a product with its model',
        ticket,
        'product',
        'Guten Tag, der TintenMax 3100dw druckt nicht mehr.',
        'TintenMax 3100dw',
      ],
      [
        'no program that delivers the mail',
        ticket,
        'product',
        'It does not start any more.\n\nDelivered by HelpBox Desk',
        null,
      ],
      ['no device on which it runs', ticket, 'product', 'The map does not load (version 4.2, Fairphone FP5).', null],
      [
        'a product before its version',
        ticket,
        'product',
        'Sinds gisteren start onze Wandelgids-app (versie 3.1) niet.',
        'Wandelgids',
      ],
      ['no model as an error', ticket, 'error_message', 'It shows nothing on my Fairphone A54.', null],
      [
        'a message on a line of its own below what announces it',
        ticket,
        'error_message',
        'Beim Speichern erscheint:\n\n   PX-31 Datei gesperrt\n\nWas tun?',
        'PX-31 Datei gesperrt',
      ],
      ['no greeting below it', ticket, 'error_message', 'This is what it says:\n\nthanks, and bye', null],
      ['no message of which more stands below', ticket, 'error_message', 'It says:\n\nHello\nAll is well', null],
      [
        'a message with which something stops',
        ticket,
        'error_message',
        'Il gestionale si blocca con «Memoria piena».',
        'Memoria piena',
      ],
      [
        'what programs call an error',
        ticket,
        'error_message',
        'da ieri mi dà ERR_STAMPANTE_SPENTA',
        'ERR_STAMPANTE_SPENTA',
      ],
      ['no name of a picture', ticket, 'error_message', 'Siehe das Bild IMG_STAND_2041 von gestern.', null],
      [
        'the position of an advertisement',
        application,
        'position',
        'Ausschreibung: Hausmeister (m/w/d), Kennziffer 7-12',
        'Hausmeister (m/w/d)',
      ],
      ['a code as an error', ticket, 'error_message', 'The panel shows Error E54 since today.', 'E54'],
      [
        'a position up to a point between',
        application,
        'position',
        'Applied for: Line Cook · Harbour Inn · Poole',
        'Line Cook',
      ],
      [
        'no position around a notice',
        application,
        'position',
        'I saw your notice in the post office and would like to know more.',
        null,
      ],
      ['no system as a product', ticket, 'product', 'Appareil : Nokia, Android 13', null],
      ['no sentence as a product', ticket, 'product', 'Which product?\nit is the small one again', null],
      ['no head of a column', ticket, 'product', 'Equipo\tUbicación\nHorno Lumbre 6\tCocina', null],
      ['no program that everybody has', ticket, 'product', 'The OneDrive folder does not open.', null],
      ['no message where there is none', ticket, 'error_message', 'Fehlermeldung: keine', null],
      ['no word for a position alone', application, 'position', 'I wish to apply for the role.', null],
      ['no group as a product', ticket, 'product', 'Het gaat niet bij de groepen KL-4 en KL-5.', null],
      ['no name of a maker alone', ticket, 'product', 'Enviado desde mi Pixel, no funciona.', null],
      [
        'a product with its maker',
        ticket,
        'product',
        'Die Info von Nordia LagerPlus zeigt nicht mehr alles an.',
        'Nordia LagerPlus',
      ],
      ['no label below an empty cell', ticket, 'error_message', 'Codice errore\t\nGuasto dal\t20/04/2026', null],
    ]))
})
