import { expect } from 'chai'
import { readFields } from '../../../mail/lens/read-fields.ts'
import { lensTemplates } from '../../../mail/lens/templates.ts'

const date = new Date('2026-11-11T09:00:00Z')
const read = (template: string, key: string, text: string) =>
  readFields(lensTemplates.find(({ name }) => name === template)?.fields ?? [], {
    subject: '',
    text,
    quoted: [],
    attachments: [],
    date,
  }).get(key)?.value ?? null

describe('mail/lens: where values stand', () => {
  const cases: readonly (readonly [string, string, string, string, unknown])[] = [
    [
      'a label in the last cell, its value on the next line',
      'Invoice',
      'due_date',
      'Account\nBRK0071\tInvoice no.\nHT-204\tTax point\n01/11/2026\tPayment due\n01/12/2026\n\nTotal £12.00',
      '2026-12-01',
    ],
    [
      'columns of which one is not known',
      'Support ticket',
      'customer_name',
      'N.º\tSolicitante\tServicio\tEstado\nINC-17\tAmparo Gisbert (Ayto.)\tSede\tEn curso',
      'Amparo Gisbert',
    ],
    [
      'columns without a figure',
      'Order',
      'order_date',
      'Order\tOrderdatum\tBesteller\n45001\t9 november 2026\tStichting Scholengroep',
      '2026-11-09',
    ],
    ['two names are no columns', 'Order', 'customer_name', 'Delivery address\nAnn Lee\n4 Old Lane', 'Ann Lee'],
    ['an arrow behind a question', 'Job application', 'relocation', '2. Would you relocate? -> No', false],
    [
      'an arrow as a mark',
      'Lead',
      'name',
      'Nome e cognome  >  Ivana Cresci\nEmail  >  i@palestra.example',
      'Ivana Cresci',
    ],
    ['what a question asks for', 'Lead', 'budget', "5. What's your budget (USD)?\n   3,800", 3800],
    [
      'headings of two parts of a name',
      'Lead',
      'name',
      'First name\n\nAda\n\nLast name\n\nReed\n\nEmail\n\na@b.example',
      'Ada Reed',
    ],
    [
      'a line of JSON',
      'Lead',
      'company',
      '{"form":"quote",\n "company":"Oakmere School",\n "tel":"1"}',
      'Oakmere School',
    ],
  ]
  for (const [name, template, key, text, expected] of cases)
    it(name, () => expect(read(template, key, text)).to.deep.equal(expected))
})

describe('mail/lens: who a mail is about', () => {
  const cases: readonly (readonly [string, string, string, string, unknown])[] = [
    [
      'a name above a house and a street',
      'Order',
      'customer_name',
      'Thank you for your order!\n\nHi Rosa,\n\nDelivery\nRosa Lane\nThe Old Forge\nClun SY7 8QT',
      'Rosa Lane',
    ],
    [
      'the name that an address is made of',
      'Job application',
      'name',
      'A new applicant!\n\nCallum Iredale\n\nTeam Leader in Rotherham\n\n✉ callum.iredale@mail.example',
      'Callum Iredale',
    ],
    [
      'the whole name below a first name',
      'Order',
      'customer_name',
      'Two bags please.\n\nCheers\nBryn\nBryn Howells, Penlan Farm',
      'Bryn Howells',
    ],
    [
      'no particle at the end of a name',
      'Order',
      'customer_name',
      'Hola, soy Iker del laboratorio.\n\nGracias!\nIker Otxandio',
      'Iker Otxandio',
    ],
    [
      'no thing with a number',
      'Order',
      'customer_name',
      'Grazie per il tuo ordine.\n\nEvento: Fiera Edilizia, Padiglioni 15',
      null,
    ],
    [
      'no department',
      'Support ticket',
      'customer_name',
      'La incidencia sigue abierta.\n\nDiputación - Servicio de Asistencia',
      null,
    ],
    [
      'no particle before an organisation',
      'Invoice',
      'supplier',
      'Total due: 12.00 EUR\nTransfer to the account van Van Drunen Transport B.V. please.',
      'Van Drunen Transport B.V.',
    ],
    [
      'who is greeted does not sell',
      'Invoice',
      'supplier',
      'Gentile cliente Officine Bettega S.n.c.,\n\nTotale documento: 12,00 €\n\nNuvolaria S.r.l. - Ufficio contabilità',
      'Nuvolaria S.r.l.',
    ],
    [
      'what somebody does is no part of a name',
      'Lead',
      'company',
      'Hi,\n\nplease call.\n\nRegards\nBo Lee\nManager Hotel De Veer',
      'Hotel De Veer',
    ],
    [
      'who runs a form is not who fills it in',
      'Lead',
      'company',
      'New request!\n\nName: Bo Lee\nEmail: bo@lee.example\n\nReformNow Services Ltd | Unsubscribe from this',
      null,
    ],
  ]
  for (const [name, template, key, text, expected] of cases)
    it(name, () => expect(read(template, key, text)).to.deep.equal(expected))
})

describe('mail/lens: what is said', () => {
  const cases: readonly (readonly [string, string, string, string, unknown])[] = [
    [
      'a day behind the number of a document',
      'Invoice',
      'invoice_date',
      'La fattura n. FN-26-55 del 2 novembre 2026 è disponibile.',
      '2026-11-02',
    ],
    ['a day without a year is not the day of an order', 'Order', 'order_date', 'Order BX-77\n\nThu, Dec 4', null],
    [
      'the day in figures on which a mail was sent',
      'Support ticket',
      'since',
      'Since: 02/10/2026\nReported: 11/11/2026\nSubmitted 11/11/2026',
      '2026-02-10',
    ],
    [
      'the day up to which all is paid',
      'Invoice',
      'due_date',
      'Zahlbar bis 19.11.2026 mit 2 % Skonto, bis 04.12.2026 netto.',
      '2026-12-04',
    ],
    [
      'until when to ship is no delivery',
      'Order',
      'delivery_date',
      'You made a sale!\nOrder no. 29500\nDispatch by: 14 November 2026',
      null,
    ],
    [
      'from when one has time',
      'Job application',
      'available_from',
      'Ab dem 3. Dezember hab ich jeden Tag Zeit.',
      '2026-12-03',
    ],
    ['no age', 'Job application', 'experience_years', 'Mi chiamo Loris, ho 52 anni e faccio il falegname.', null],
    [
      'no salary of an advertisement',
      'Job application',
      'salary_expectation',
      'Advertised salary for this job: £31,000 - £36,000.',
      null,
    ],
    [
      'no balance of what is paid',
      'Invoice',
      'total',
      'Facture 58821\nTOTAL TTC EUR     318,45\nRéglé CB          318,45\nSOLDE             0,00',
      318.45,
    ],
    ['no mark of a thread', 'Support ticket', 'ticket_number', 'The scanners fail again.\n\nRef:MSG4471809_q', null],
    [
      'no number of an order',
      'Support ticket',
      'ticket_number',
      'Topic:\nProblem\n\nOrder number:\n#118820\n\nMessage:\nHi',
      null,
    ],
    [
      'a demo that is asked for politely',
      'Lead',
      'demo',
      '¿Nos podéis hacer una demo online la semana que viene?',
      true,
    ],
    [
      'no charge before an order ships',
      'Order',
      'paid',
      "Visa ending in 2093. You'll be charged when your order ships.",
      false,
    ],
    [
      'a negation of something else',
      'Support ticket',
      'urgent',
      'Mi serve subito perché senza QR prendo la multa.',
      true,
    ],
    ['no hurry', 'Support ticket', 'urgent', 'The till is stuck. No massive rush.', false],
    [
      'a last name first',
      'Job application',
      'name',
      'Name, Vorname\tAchterberg, Nico\nTelefon\t0151 5550778',
      'Achterberg, Nico',
    ],
    [
      'no day that a label calls another',
      'Invoice',
      'invoice_date',
      'Rechnung\t:\t88213-A\nAnreise\t:\t10.11.2026\nGesamt\t300,00 €',
      null,
    ],
    ['no day to come for an order', 'Order', 'order_date', 'Naam: Bo Lee\nDatum: 25-11-2026\nAdres: Singel 8', null],
    ['no count of goods', 'Order', 'order_number', 'Bestelling:\n20 Krentenbollen\n4 Oranjekoek', null],
    ['no term', 'Invoice', 'due_date', 'Invoice 10482\nPayment terms: 14 days', null],
    [
      'the day in brackets',
      'Support ticket',
      'since',
      'Sinds we vorige week maandag (2 november) zijn overgestapt werkt niets.',
      '2026-11-02',
    ],
    ['no rate in a column of rates', 'Invoice', 'tax', 'BASE\t% IVA\tTOTAL FACTURA\n1.357,00\t21\t1.641,97 EUR', null],
    ['no way to reach somebody', 'Lead', 'name', 'Preferred contact: e-mail\nE-mail: wanda@pets.example', null],
    [
      'no demo that somebody would rather not see',
      'Lead',
      'demo',
      "I'd rather get something in writing before sitting through a demo.",
      false,
    ],
    [
      'a field behind a semicolon',
      'Lead',
      'company',
      'Name;Ottokar Brandl\nFirma;Brandl Logistik GmbH',
      'Brandl Logistik GmbH',
    ],
    [
      'a number in groups',
      'Invoice',
      'invoice_number',
      'Facture n° : 10 482 990 317\nTotal : 12,00 €',
      '10 482 990 317',
    ],
    ['a year behind a number', 'Invoice', 'invoice_number', 'Invoice no. 1047 2026\nTotal: 12.00 EUR', '1047'],
    [
      'no payout',
      'Order',
      'total',
      'Ordine MKT-55\nPrezzo 58,30 EUR\nCommissione -2,04 EUR\nNetto accreditato 56,26 EUR',
      null,
    ],
    [
      'no day up to which one may pay less',
      'Invoice',
      'due_date',
      'Wer bis 20.11. überweist, darf 2 % abziehen.',
      null,
    ],
    [
      'no day of a period',
      'Invoice',
      'due_date',
      'Zeitraum 1. Nov. 2026 bis 30. Nov. 2026\nNächste Abbuchung folgt',
      null,
    ],
    [
      'no day on which something was paid',
      'Invoice',
      'due_date',
      'factuur 1190 hebben we gisteren overgemaakt, 145,00 euro.',
      null,
    ],
    [
      'no department below a name',
      'Invoice',
      'supplier',
      'The invoice is attached.\n\nRegards\nBo Lee\nQuality Operations',
      null,
    ],
    ['no organisation for a person', 'Lead', 'name', 'Nome: Analisi Padane Srl\nEmail: info@padane.example', null],
    ['a total with its tax in words', 'Invoice', 'total', 'In tutto fanno 732 euro iva compresa.', 732],
    [
      'the day in the head of a list',
      'Order',
      'order_date',
      'New Order: #17\n\n[Order #17] <https://a.example/17> (9 November 2026)',
      '2026-11-09',
    ],
    ['a favour that is urgent', 'Support ticket', 'urgent', 'Kun je hier alsjeblieft met spoed naar kijken?', true],
    ['a question is no plea', 'Support ticket', 'urgent', 'Is this urgent?', null],
    [
      'cells beside bars',
      'Job application',
      'name',
      'Nome        | Nicolò Sferrazza\nCellulare   | +39 320 555 7745',
      'Nicolò Sferrazza',
    ],
    [
      'a day behind "à compter du"',
      'Job application',
      'available_from',
      'Bonjour, je serais disponible à compter du 5 janvier 2027.',
      '2027-01-05',
    ],
    [
      'what somebody would ask for',
      'Job application',
      'salary_expectation',
      'Buongiorno, per questo impegno chiederei 1.800 euro al mese.',
      1800,
    ],
  ]
  for (const [name, template, key, text, expected] of cases)
    it(name, () => expect(read(template, key, text)).to.deep.equal(expected))
})
