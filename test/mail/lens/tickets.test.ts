import { expect } from 'chai'
import { readFields } from '../../../mail/lens/read-fields.ts'
import { lensTemplates } from '../../../mail/lens/templates.ts'

const [invoice, order, ticket, lead, application] = lensTemplates.map(({ fields }) => fields)

type Case = readonly [name: string, fields: typeof invoice, key: string, text: string, expected: unknown]

/** What is read of a field; the mails are of Wednesday, 11 November 2026. */
function read(fields: typeof invoice, key: string, whole: string): unknown {
  const [, subject = '', text = whole] = /^Subject: ([^\n]*)\n\n(.*)$/s.exec(whole) ?? []
  const date = new Date('2026-11-11T09:00:00Z')
  return readFields(fields ?? [], { subject, text, quoted: [], attachments: [], date }).get(key)?.value ?? null
}

const check = (cases: readonly Case[]) => {
  for (const [name, fields, key, text, expected] of cases)
    it(name, () => expect(read(fields, key, text)).to.deep.equal(expected))
}

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
})
