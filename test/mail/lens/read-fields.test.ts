import { expect } from 'chai'
import { readFields } from '../../../mail/lens/read-fields.ts'
import type { LensField, LensSource } from '../../../mail/lens/source.ts'
import { lensTemplates } from '../../../mail/lens/templates.ts'

const mail = (text: string, more: Partial<LensSource> = {}): LensSource => ({
  subject: '',
  text,
  quoted: [],
  attachments: [],
  date: new Date('2026-11-11T09:00:00Z'),
  ...more,
})
const field = (key: string, type: LensField['type'], description: string): LensField => ({ key, type, description })
const invoice = lensTemplates[0]?.fields as readonly LensField[]
const read = (fields: readonly LensField[], source: LensSource) =>
  Object.fromEntries([...readFields(fields, source)].map(([key, found]) => [key, found?.value ?? null]))

describe('mail/lens/read-fields', () => {
  describe('reads fields that a user named', () => {
    const cases: readonly (readonly [string, LensField, string, unknown])[] = [
      ['by the words of the key', field('flight', 'text', 'Flight'), 'Flight: LH 1234 to Oslo', 'LH 1234 to Oslo'],
      ['by key and number', field('flight_number', 'text', 'Number of the flight'), 'Flight no.: LH1234', 'LH1234'],
      ['in a sentence', field('flight_number', 'text', 'Flight'), 'You are booked on flight LH1234.', 'LH1234'],
      ['in another language', field('total', 'number', 'Total'), 'Gesamtbetrag: 1.204,50 €', 1204.5],
      ['with a key in another language', field('Rechnungsnummer', 'text', 'Nummer'), 'Invoice number: A-17', 'A-17'],
      ['in camel case', field('checkInDate', 'date', 'Day of arrival'), 'Check-in date: 5 May 2027', '2027-05-05'],
      ['by the description', field('guest', 'text', 'Name of the traveller'), 'Traveller: Ana Ruiz', 'Ana Ruiz'],
      ['a number', field('rooms', 'number', 'Rooms'), 'Rooms: 3', 3],
      ['a yes', field('breakfast', 'yes/no', 'Whether breakfast is included'), 'Breakfast: yes', true],
      ['a no', field('breakfast', 'yes/no', 'Whether breakfast is included'), 'Breakfast: no', false],
      ['a list', field('guests', 'list', 'Guests'), 'Guests: Ana, Bo and Cy', ['Ana', 'Bo', 'Cy']],
      ['an address', field('agent', 'email address', 'Agent'), 'Agent: Bo <bo@agency.example>', 'bo@agency.example'],
      ['nothing where a form says nothing', field('flight', 'text', 'Flight'), 'Flight: n/a', null],
      ['nothing of another type', field('rooms', 'number', 'Rooms'), 'Rooms: several', null],
      ['no yes that nobody said', field('breakfast', 'yes/no', 'Breakfast'), 'Breakfast is served at 8.', null],
      ['nothing that is not there', field('flight', 'text', 'Flight'), 'Hello, how are you?', null],
    ]
    for (const [name, asked, text, expected] of cases)
      it(name, () => expect(read([asked], mail(text))[asked.key]).to.deep.equal(expected))
  })

  describe('weighs the words around a value', () => {
    const [, order, ticket, lead, application] = lensTemplates.map(({ fields }) => fields)
    const cases: readonly (readonly [string, readonly LensField[] | undefined, string, string, unknown])[] = [
      ['a sum of what stands above', invoice, 'total', 'Work 80.00\nParts 20.50\nSamen 100.50', 100.5],
      ['an amount that is asked for', invoice, 'total', 'In all you owe us £1,932.00 for the roof.', 1932],
      ['a fee that would be due', invoice, 'total', 'Otherwise a fee of £40.00 would follow.', null],
      ['a credit', invoice, 'total', 'A credit of £75.00 was taken off.', null],
      ['the day to pay', invoice, 'due_date', 'We expect your payment no later than 9 December.', '2026-12-09'],
      ['the day on which it was paid', invoice, 'due_date', 'Your last bill was paid on 9 October 2026.', null],
      ['a renewal', invoice, 'due_date', 'Your plan renews on 9 December.', null],
      ['a term', invoice, 'due_date', 'Bills are payable within 30 days.', null],
      ['the day of delivery', order, 'delivery_date', 'The driver brings it on Friday.', '2026-11-13'],
      ['days on which nobody is there', order, 'delivery_date', 'We are closed on 24 December.', null],
      ['goods in rows', order, 'items', 'Lamp\t1\t£42.00\nTowel\t2\t£36.00\nGoods\t£78.00', ['Lamp', 'Towel']],
      ['goods in a sentence', order, 'items', 'We take 3 x red pens and 2 x rulers.', ['red pens', 'rulers']],
      ['guests, who are no goods', order, 'items', 'We are 3 people and 2 dogs.', null],
      ['money that came', order, 'paid', 'Your payment has been received, thank you!', true],
      ['money that did not come', order, 'paid', "We haven't paid yet.", false],
      ['money on which a condition stands', order, 'paid', 'If it was paid already, forget this.', null],
      ['no hurry', ticket, 'urgent', 'Take your time, there is no rush.', false],
      ['a question about hurry', ticket, 'urgent', 'Is it urgent?', null],
      ['what a screen shows', ticket, 'error_message', 'It keeps saying "Reader busy".', 'Reader busy'],
      ['what is pressed, which is no message', ticket, 'error_message', 'I press "Confirm" and get an error.', null],
      ['a street, which is no product', ticket, 'product', 'No funciona.\n\nAna Ruiz\nAvda. de la Paz 8', null],
      [
        'a position behind what names an advertisement',
        application,
        'position',
        "Candidatura per l'avviso Cuoco.",
        'Cuoco',
      ],
      ['a sender, who is no position', application, 'position', 'Bewerbung von Ann Lee eingegangen', null],
      ['one of two versions', ticket, 'version', 'He pasado de la 12.4 a la 12.3 y no funciona.', null],
      ['what somebody is now', application, 'position', 'Current role: Chef de Partie', null],
      ['points of which one is not counted', order, 'items', 'Please\n- 12 cups\n- 6 plates\n- a teapot', null],
      ['what another had', ticket, 'error_message', 'My colleague got "Reader busy" last time.', null],
      ['a show that is not wanted', lead, 'demo', 'We do not need a presentation.', false],
      ['what is ticked', lead, 'interests', '☑ Payroll\n☐ Tax advice\n☑ Pensions', ['Payroll', 'Pensions']],
      ['what nobody ticked', lead, 'interests', '☐ Payroll\n☐ Tax advice', null],
      ['what is needed', lead, 'interests', 'We need two vans, a crane and a driver.', ['two vans', 'crane', 'driver']],
      ['no list of what somebody does', application, 'skills', 'I am good at welding and speak Dutch.', null],
      ['no part of a list', order, 'items', 'We take 3 x pens and 2 x rulers. Also a lamp.', null],
      ['what is not needed', lead, 'interests', 'We are not interested in vans and cranes.', null],
      ['a budget of somebody else', lead, 'budget', 'Last year my neighbour spent €9,000.', null],
      ['what would be', lead, 'team_size', 'If we ever had 20 people, we would call you.', null],
      [
        'what somebody is good at',
        application,
        'skills',
        'I am good at welding, milling and CAD.',
        ['welding', 'milling', 'CAD'],
      ],
      [
        'who is sought',
        application,
        'position',
        'I read that you are looking for a stage carpenter.',
        'stage carpenter',
      ],
      ['a thing by its name', ticket, 'product', 'My Kettlo Pro does not start any more.', 'Kettlo Pro'],
      ['the version of another', ticket, 'version', 'My neighbour has version 3.1 and it works.', null],
      [
        'labels on lines of their own',
        lead,
        'phone',
        'Name\nAnn Lee\nCompany\nLee Ltd\nPhone\n+44 20 7946 0123',
        '+44 20 7946 0123',
      ],
      ['a question and its answer', lead, 'budget', 'What is your budget?\n€4,500\n\nAnything else?\nno', 4500],
      ['the whole name', lead, 'name', 'Hello\n\nCheers\nAnn\n\nAnn Lee (ann@x.example)', 'Ann Lee'],
      ['the address of an office', lead, 'email', 'Questions? Write to help@shop.example', null],
      ['the day of another document', invoice, 'invoice_date', 'Our bill for your order dated 3 May 2026.', null],
      ['the day of a reminder', invoice, 'invoice_date', 'Trotz Mahnung vom 3. Mai 2026 fehlt das Geld.', null],
      ['the day of what a bill is for', invoice, 'invoice_date', 'La facture du dépannage du 3 mai suit.', null],
      ['the day of a bill', invoice, 'invoice_date', 'La facture n° 77-4 du 3 mai suit.', '2026-05-03'],
      ['what happens to an order on a day', order, 'order_date', 'Your order 77-A4 is today with the carrier.', null],
      ['a bill that was settled', invoice, 'due_date', 'El recibo se pagó el 9 de diciembre.', null],
      ['a tax on the line below', invoice, 'tax', 'Total 90,00 €\nMinibar 9,00 €\nImposta di soggiorno', null],
      ['what a total includes', order, 'total', 'That is £52.00, including the £4.00 for postage.', 52],
      ['what an advertisement pays', application, 'salary_expectation', 'Salary on your ad: £30,000', null],
      ['guests, who are no staff', lead, 'team_size', 'We are about 60 guests.', null],
      ['a door to deliver to', order, 'customer_name', 'Deliver to: side gate', null],
      [
        'who ordered, not who gets it',
        order,
        'customer_name',
        'Ship to: Bo Lind, 4 Mill Road\nCustomer: Ann Lee',
        'Ann Lee',
      ],
      ['who is called for somebody', application, 'phone', 'Phone: via our agency (Bo Lind, 020 7946 0123)', null],
      ['who tells of a call', lead, 'name', 'Ha chiamato un certo Rossi, vuole due gru.\n\nCiao\nAnna', null],
      ['a short farewell', order, 'customer_name', 'We need 4 desks.\n\nRgds\nAnn Lee', 'Ann Lee'],
      ['up to when payments are known', invoice, 'due_date', 'Zahlungen sind bis zum 9.12.2026 berücksichtigt.', null],
      ['an amount before tax', invoice, 'total', 'In all that is £80.00 (plus VAT). You pay £96.00.', null],
      ['a sum before tax', invoice, 'total', 'Work 80.00, parts 20.00, together 100.00, tax 20.00, then 120.00', 120],
      ['how many of a thing', order, 'total', 'Lamp\t2\t€ 40,00\nOrder no. A-4417', 40],
      ['places, which are no staff', lead, 'team_size', 'We are three shops.', null],
      ['who is to pay', invoice, 'supplier', 'An\nBerg GmbH\nRechnung 7-12\nSumme: 40,00 €', null],
      ['a company beside a name', lead, 'company', 'I met Ann Lee, Lee Cranes Ltd from Hull.', 'Lee Cranes Ltd'],
      ['a field that says nothing', lead, 'company', 'Company: n/a (private)', null],
      [
        'the colleague who passes somebody on',
        lead,
        'name',
        'Talked to a guy at the fair, his mobile is on the card.\n\nBo',
        null,
      ],
      [
        'the agent who knows somebody',
        application,
        'email',
        'A candidate for your shop.\n\nBest\nBo Lind\nbo.lind@agents.example',
        null,
      ],
      ['who thanks a customer', ticket, 'customer_name', 'Please look.\n\nThanks\nCustomer Success, Acme', null],
      [
        'a whole name below a short one',
        order,
        'customer_name',
        'We need 4 desks.\n\nThanks\nFlo\n\nFlorian Berg',
        'Florian Berg',
      ],
      [
        'a number of those who send bills on',
        invoice,
        'invoice_number',
        'La fattura è nel SDI (identificativo 7740021193).',
        null,
      ],
      [
        'whom one pays by cheque',
        invoice,
        'supplier',
        'Par chèque à l’ordre du Club des aînés de Brion, merci.',
        'Club des aînés de Brion',
      ],
      [
        'who has the account',
        invoice,
        'supplier',
        'NL91 ABNA 0417 1643 00 t.n.v. Studio Linde B.V. te Breda',
        'Studio Linde B.V.',
      ],
      ['a person who has the account', invoice, 'supplier', 'NL91 ABNA 0417 1643 00 t.n.v. Anna Berg', null],
      ['the tax office', invoice, 'supplier', 'Chèque à l’ordre du Trésor public.', null],
      [
        'what somebody asks to earn',
        application,
        'salary_expectation',
        'Ahora gano 30.000 brutos y me movería por 34.000.',
        34000,
      ],
      ['pay by the hour', application, 'salary_expectation', 'Ich hätte gern 15 Euro die Stunde.', 15],
      ['a day that somebody wants', application, 'salary_expectation', 'I would want 5 days of leave.', null],
      [
        'what a company is called',
        lead,
        'company',
        'We run two inns under the name The Salty Spoon.',
        'The Salty Spoon',
      ],
      [
        'who somebody is in a company',
        lead,
        'company',
        'Sono Ada Neri, responsabile del personale della Coop Girasole.',
        'Coop Girasole',
      ],
      [
        'a company that says what it is',
        lead,
        'company',
        'Wij zijn Zorggroep De Linde, met 40 mensen.',
        'Zorggroep De Linde',
      ],
      ['two who write together', lead, 'company', 'Nous sommes Anne Morel et Luc Petit, de Lyon.', null],
      [
        'a company below a name in a line',
        lead,
        'company',
        'Call me.\n\nThanks Ann Lee\nOffice manager Lee & Son Cranes',
        'Lee & Son Cranes',
      ],
      [
        'a form with marks alone',
        lead,
        'company',
        'nombre=Ana\nempresa=Bodegas Linares\ncargo=Gerente',
        'Bodegas Linares',
      ],
      ['a priority that others set', ticket, 'urgent', 'Prioridad asignada: 3 - Media', null],
      ['how long something takes', order, 'order_number', 'Your order comes by parcel (24-48 h).', null],
    ]
    for (const [name, fields = [], key, text, expected] of cases)
      it(name, () => expect(read(fields, mail(text))[key]).to.deep.equal(expected))
  })

  describe('reads what forms, shops and portals send', () => {
    const [, order, ticket, lead, application] = lensTemplates.map(({ fields }) => fields)
    const table = [
      'Pos. Art. no.    Description            Qty   Price',
      '1    LS-8890     Soldering iron 80 W    1     89.90',
      '2    LZ-05       Solder 0.5 mm          2     36.90',
    ].join('\n')
    const coded = [
      'LN  ITEM       DESCRIPTION        QTY   PRICE',
      '----------------------------------------------',
      '1   HC-5813    Hex cap screw      200   74.00',
      '2   FL-0500    Flat washer        400   16.80',
      '',
      'Products       90.80',
    ].join('\n')
    const below = 'Pump\nCast iron\t€148.00\nHose\nper metre\t€32.50\nSubtotal\t€180.50\nTotal\t€180.50'
    const open = 'Pump\t€148.00\nCast iron\nHose\t€32.50\nTotal\t€180.50'
    const behind = 'Cups × 2 ...... 19,80 €\nSpoons × 10 ...... 5,00 €\n\nTotal ...... 24,80 €'
    const rows = 'Product\tPrice\tQty\nBelt kit\t118.90\t1\nOil filter\t32.00\t5\nProducts\t150.90'
    const cases: readonly (readonly [string, readonly LensField[] | undefined, string, string, unknown])[] = [
      ['a name in two fields', lead, 'name', 'First name: Ann\nLast name: Lee', 'Ann Lee'],
      ['a name in two fields, the last one first', lead, 'name', 'Nom : Lee\nPrénom : Ann', 'Ann Lee'],
      ['a heading above a paragraph', application, 'name', 'Applicant\n\nAnn Lee\n\nBath', 'Ann Lee'],
      ['a colon that blanks part from its label', ticket, 'product', 'Product      : HostalGest PMS', 'HostalGest PMS'],
      ['an address in the field of a person', ticket, 'customer_email', 'Sender: ann@x.example', 'ann@x.example'],
      ['goods by the column they stand in', order, 'items', table, ['Soldering iron 80 W', 'Solder 0.5 mm']],
      ['goods up to the sums', order, 'items', rows, ['Belt kit', 'Oil filter']],
      ['goods by their names, not by their numbers', order, 'items', coded, ['Hex cap screw', 'Flat washer']],
      ['goods above what is said of them', order, 'items', below, ['Pump', 'Hose']],
      ['goods without how many stand behind them', order, 'items', behind, ['Cups', 'Spoons']],
      ['things of numbered labels', order, 'items', 'item_1: Lamp, red\nitem_2: Desk\nitem_3: ', ['Lamp, red', 'Desk']],
      ['one thing with a comma', order, 'items', 'Item: Moka, black handle\nQuantity: 1', ['Moka, black handle']],
      ['things above how many of them', order, 'items', 'Mug\nQuantity: 2\nSalt pig\nQuantity: 1', ['Mug', 'Salt pig']],
      ['a list of a program', lead, 'interests', 'interests: ["Payroll","Tax advice"]', ['Payroll', 'Tax advice']],
      ['a text of a program', ticket, 'product', '{\n"product": "Mirella M5",\n"id": 7\n}', 'Mirella M5'],
      [
        'goods less a discount',
        order,
        'items',
        'Lamp  £42.00\nDesk  £36.00\nCoupon  -£8.00\nTotal  £70.00',
        ['Lamp', 'Desk'],
      ],
      ['one row below its head', ticket, 'product', 'ID\tRequester\tProduct\nT-17\tAnn Lee\tKettlo Pro', 'Kettlo Pro'],
      [
        'none of several rows',
        ticket,
        'product',
        'ID\tRequester\tProduct\nT-17\tAnn Lee\tKettlo\nT-18\tBo Ray\tMixo',
        null,
      ],
      ['lines of one cell', application, 'skills', 'Skills\tWelding\nMilling\nName\tAnn Lee', ['Welding', 'Milling']],
      ['no cell of which the end is open', application, 'skills', 'Skills\tWelding\nMilling\nApply now', null],
      ['two things as one', application, 'skills', 'Skills: Sauces and stocks, HACCP', ['Sauces and stocks', 'HACCP']],
      ['no list in sentences', application, 'skills', 'Skills: welding. Not my thing: milling, paint', null],
      ['marks in columns', lead, 'interests', 'Name       > Ann\nInterests  > Payroll', ['Payroll']],
      ['no goods where it is open which line names one', order, 'items', open, null],
      ['no goods in rows that make no sum', order, 'items', 'Lamp\t£42.00\nTowel\t£36.00\nGoods\t£99.00', null],
      [
        'goods counted in words',
        order,
        'items',
        'Please send 12 lamps, two desks and a chair.',
        ['lamps', 'desks', 'chair'],
      ],
      ['lines below a heading', application, 'skills', 'Skills\nKyriba\nSAP S/4HANA', ['Kyriba', 'SAP S/4HANA']],
      [
        'a company whose name has a short word',
        invoice,
        'supplier',
        'Sent by De Wit & Zn. B.V. in Lopik',
        'De Wit & Zn. B.V.',
      ],
      ['what is left to pay', invoice, 'total', 'Total: 900.00 €\nPaid before: 400.00 €\nBalance due: 500.00 €', 500],
      ['no tax of an amount that includes it', invoice, 'tax', 'Amount (incl. VAT): £58.31', null],
      ['a payment that was accepted', order, 'paid', 'Payment: card - accepted', true],
      ['a payment that is awaited', order, 'paid', 'Payment: bank transfer (awaiting payment)', false],
      ['a priority that the text contradicts', ticket, 'urgent', 'Priority: Normal\n\nI need this urgently.', true],
      ['a code with a blank', ticket, 'error_message', 'The display shows E 504.', 'E 504'],
      [
        'a message behind a colon',
        ticket,
        'error_message',
        'I got the message: Invalid account on line 1.',
        'Invalid account on line 1',
      ],
      ['no version in a message', ticket, 'version', 'It comes back with "550 5.7.1 Relaying denied".', null],
      ['the years of a career', application, 'experience_years', 'After 6 years in an agency I look for more.', 6],
      ['no years of age', application, 'experience_years', 'I am 34 years old.', null],
      ['who applied', application, 'name', 'Ann Lee has applied for the job.', 'Ann Lee'],
      ['no list of two things', lead, 'interests', 'We are looking for a migration and some sort of backup.', null],
      ['no clause in a list', application, 'skills', 'I use Coupa, Ariba, and I enjoy supplier audits.', null],
      ['goods without what holds them', order, 'items', '4 garrafas de agua\n2 cajas de viales', ['agua', 'viales']],
      ['points of which another line has more', order, 'items', '20 cups\n12 plates\nand maybe: 6x forks', null],
      ['no goods of which some are counted', order, 'items', '2 x Pass\t£70.00\n1 x Guide\t£7.00\nFee\t£6.00', null],
      [
        'no fees',
        order,
        'items',
        '2 x Room\t£70.00\n1 x Lunch\t£7.00\nBooking fee\t£6.00\nTotal £83.00',
        ['Room', 'Lunch'],
      ],
      ['points below a question', lead, 'interests', 'What do you need? (tick all)\n- Logo\n- Shop', ['Logo', 'Shop']],
      ['no head of a table', order, 'items', 'Description      Quantity', null],
      ['skills without marks', application, 'skills', 'Skills\tForklift SAP EWM Hazmat', null],
      [
        'a position that is advertised',
        application,
        'position',
        'I apply for the post of Nurse advertised here.',
        'Nurse',
      ],
      ['a position by name', application, 'position', 'La mia candidatura per la posizione di cuoca.', 'cuoca'],
      ['what became of it', application, 'position', 'Gestern ist eine Bewerbung eingegangen.', null],
      ['no hours', ticket, 'version', 'The printer fails. Support is open Mon-Fri 8.00-18.30', null],
      ['no status of a mail', ticket, 'version', 'My mail comes back:\n550 5.1.1 User unknown', null],
      ['what it runs on, which is no product', ticket, 'product', 'Platform: Windows 11', null],
      ['no position of an open application', application, 'position', 'Position: speculative', null],
      [
        'no address of whoever runs a form',
        lead,
        'email',
        'Name: Ann Lee\nTeam: 4\nPlease reply soon.\n\nBizFinder, partners@bizfinder.example, 020 7946 0200',
        null,
      ],
      ['no number of one either', lead, 'phone', 'Name: Ann Lee\n\nBizFinder Ltd, Leeds, tel. 020 7946 0200', null],
      [
        'an address below a name',
        application,
        'email',
        'New applicant\n\nAnn Lee\nal77@post.example',
        'al77@post.example',
      ],
      [
        'no relative who works there',
        application,
        'name',
        'My brother Tim works with you.\n\nRegards\nAnn Lee',
        'Ann Lee',
      ],
      ['a customer with a legal form', order, 'customer_name', 'Customer: Vera Tools, S.L.', 'Vera Tools, S.L.'],
      ['nobody who holds an account', order, 'customer_name', 'Account holder: Vera Lee\nIBAN: none', null],
      ['nobody to whom a letter is', application, 'name', 'Spett.le Studio Rossi,\n\nvorrei lavorare da voi.', null],
      ['nobody who sends for others', invoice, 'supplier', 'Sent via BillBox. BillBox Ltd, Leeds\nTotal: £3.00', null],
      [
        'no day of a column of days',
        invoice,
        'invoice_date',
        'Date\tWork\tNet\n04/03/2026\tVisit\t40.00\n07/03/2026\tVisit\t40.00\nTotal\t80.00',
        null,
      ],
      ['a total with its tax behind', invoice, 'total', 'Total charged £120.00 (incl. VAT £20.00)', 120],
      ['no tax on guests', invoice, 'tax', 'Taxe de séjour\t5,94 €\nTotal\t338,94 €', null],
      ['no figures of a telephone number', lead, 'budget', 'Our budget is open. Call 0711 / 55 00 463.', null],
      ['what somebody earns now', application, 'salary_expectation', 'My current salary is £27,400.', null],
      ['no amount as a number', order, 'order_number', 'Pedido 1.210,00 €', null],
      ['what somebody does not mind', application, 'relocation', 'No me importaría trasladarme a Bilbao.', true],
      ['no order of last time', order, 'order_number', 'Last year we had the same cake (order 3120).', null],
      ['all of several counts', lead, 'team_size', 'We are 60 drivers and 12 people in the office, so 72 users.', 72],
      [
        'columns that blanks lay out',
        invoice,
        'due_date',
        'Doc type   Number     Date         Due          Amount GBP\nInvoice    BP104552   19/12/2026   18/01/2027     938.60',
        '2027-01-18',
      ],
      ['no labels and values in turn', invoice, 'invoice_date', 'Entrada\t21/08/2026\tSalida\t24/08/2026', null],
      ['a family name that is a house', lead, 'name', 'Please call me.\n\nBest wishes\nAnna Neuhaus', 'Anna Neuhaus'],
    ]
    for (const [name, fields = [], key, text, expected] of cases)
      it(name, () => expect(read(fields, mail(text))[key]).to.deep.equal(expected))
    it('the position that a subject names', () =>
      expect(
        read(application ?? [], mail('See below.', { subject: 'New applicant: Nurse (nights)' })).position,
      ).to.equal('Nurse'))
  })

  describe('takes no decoy', () => {
    const history = 'Hi,\n\nthe invoice is paid.\n\n> Invoice number: A-17\n> Total: 99.00 EUR'
    it('of quoted history', () =>
      expect(read(invoice, mail(history, { quoted: [[history.indexOf('>'), history.length]] }))).to.include({
        invoice_number: null,
        total: null,
      }))
    it('but reads it where it is no history', () =>
      expect(read(invoice, mail(history.replaceAll('> ', '')))).to.include({ total: 99 }))
    it('of a subtotal, tax or shipping', () =>
      expect(read(invoice, mail('Subtotal: 80.00\nTax: 16.00\nShipping: 5.00')).total).to.equal(null))
    it('of the head of a forwarded mail', () =>
      expect(
        read(invoice, mail('From: Ann <a@b.example>\nDate: 3 May 2026\nSubject: Invoice\n\nHello')).invoice_date,
      ).to.equal(null))
    it('of an amount that is ordered', () =>
      expect(read(lensTemplates[1]?.fields ?? [], mail('Please order 40 bags of coffee.')).order_number).to.equal(null))
    it('of an IBAN whose check digits are wrong', () =>
      expect(read(invoice, mail('IBAN: DE89 3704 0044 0532 0130 01')).iban).to.equal(null))
    it('of two answers to one question', () =>
      expect(
        read([field('paid', 'yes/no', 'Paid')], mail('Order 4711 is already paid. Order 4712 is not paid yet.')).paid,
      ).to.equal(null))
  })

  it('takes a value from one cell of a table alone', () => {
    const company = [field('company', 'text', 'Company of the person')]
    expect(read(company, mail('Hotel\tAltamar Hoteles GmbH')).company).to.equal('Altamar Hoteles GmbH')
    const apart = 'Nombre\tAna Ruiz\nSitio donde ficha\tGrupo Altamar Hoteles\nPlantilla\t40'
    expect(read(company, mail(apart)).company).to.equal(null)
  })

  it('says in code points where a value stands', () => {
    const text = '🎉🎉 Thanks!\nInvoice number: A-17'
    const found = readFields(invoice, mail(text)).get('invoice_number')
    expect(found?.evidence.source).to.equal('text')
    expect([...text].slice(found?.evidence.start, found?.evidence.end).join('')).to.equal('A-17')
  })

  it('says of a list where each item stands', () => {
    const text = 'Skills: Go, PostgreSQL and Rust'
    const found = readFields([field('skills', 'list', 'Skills')], mail(text)).get('skills')
    expect(found?.evidence.items?.map(({ start, end }) => text.slice(start, end))).to.deep.equal([
      'Go',
      'PostgreSQL',
      'Rust',
    ])
    expect(text.slice(found?.evidence.start, found?.evidence.end)).to.equal('Go, PostgreSQL and Rust')
  })

  it('reads attachments and the subject, and names them', () => {
    const source = mail('see attached', { subject: 'Invoice 4711', attachments: [null, { text: 'Total: 12.00 EUR' }] })
    const answer = readFields(invoice, source)
    expect(answer.get('invoice_number')?.evidence.source).to.equal('subject')
    expect(answer.get('total')?.evidence.source).to.equal('attachments[1]')
  })
})
