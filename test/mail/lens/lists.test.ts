import { expect } from 'chai'
import { readFields } from '../../../mail/lens/read-fields.ts'
import type { LensField } from '../../../mail/lens/source.ts'
import { lensTemplates } from '../../../mail/lens/templates.ts'

const [, order, ticket, lead, application] = lensTemplates.map(({ fields }) => fields) as (readonly LensField[])[]

const read = (fields: readonly LensField[] | undefined, key: string, text: string) =>
  readFields(
    (fields ?? []).filter((field) => field.key === key),
    { subject: '', text, quoted: [], attachments: [], date: new Date('2026-11-11T09:00:00Z') },
  ).get(key)?.value ?? null

type Case = readonly [name: string, fields: readonly LensField[] | undefined, key: string, text: string, value: unknown]

describe('mail/lens/lists', () => {
  describe('goods', () => {
    const cases: readonly Case[] = [
      [
        'in the first of several columns, without how many and what each costs',
        order,
        'items',
        'Pos 1\n\n  1  Eichenparkett 14 mm      36,00 m²   à 20,00     720,00\n  2  Sockelleiste weiß        10 Stk     à 8,00       80,00\n\nSumme   800,00',
        ['Eichenparkett 14 mm', 'Sockelleiste weiß'],
      ],
      ['without the short word for a bottle', order, 'items', '12 Fl. Silvaner\n6 Fl. Merlot', ['Silvaner', 'Merlot']],
      ['without a Dutch pack', order, 'items', '10 kg rijst\n2 pak suiker', ['rijst', 'suiker']],
      [
        'counted on lines, not what all of them cost',
        order,
        'items',
        '  8 x Cheese board (large)\n  3 x Apple juice, 1 l\n\nCatering     £96.00\nVAT           £19.20\nTotal        £115.20',
        ['Cheese board (large)', 'Apple juice, 1 l'],
      ],
      [
        'no nights that are multiplied',
        order,
        'items',
        '3 nights x £70.00 = £210.00\nParking £10.00\nTotal £220.00',
        null,
      ],
      [
        'in numbered rows with the number of the article',
        order,
        'items',
        '1. Wasserkocher Lenz 2 (Art. 7710) – 1 Stück – 49,00 €\n2. Toaster Lenz 4 (Art. 7714) – 2 Stück – 80,00 €\n\nSumme: 129,00 €',
        ['Wasserkocher Lenz 2', 'Toaster Lenz 4'],
      ],
      [
        'behind the short word for a number',
        order,
        'items',
        'n. 4 risme carta A4\nn. 12 penne blu',
        ['risme carta A4', 'penne blu'],
      ],
      [
        'that begin with a measure',
        order,
        'items',
        '30 x 18mm birch plywood\n4 boxes wood screws\n2 rolls edging tape',
        ['18mm birch plywood', 'wood screws', 'edging tape'],
      ],
      [
        'none where one more is joined on a line below',
        order,
        'items',
        '40 Ordner grau\n10 Locher\nund einen Karton Hüllen',
        null,
      ],
      [
        'none of which Italian says what they are for',
        order,
        'items',
        'Buongiorno, come detto al telefono vorrei ordinare 4 sedie da giardino e 2 tavoli da esterno. Grazie',
        null,
      ],
      ['no price alone', order, 'items', 'Verkaufspreis 80,00 €\nVersand 5,00 €\nAuszahlung 85,00 €', null],
      [
        'below a head that counts what was sent',
        order,
        'items',
        'Réf.\tDésignation\tCommandé\tLivré\nVX10\tVanne à bille\t20\t20\nRC22\tRaccord coudé\t8\t6',
        ['Vanne à bille', 'Raccord coudé'],
      ],
      [
        'in points that are joined',
        order,
        'items',
        'Please send:\n- 8 desk lamps\n- and 3 bookends',
        ['desk lamps', 'bookends'],
      ],
      [
        'in points without what is added in many words',
        order,
        'items',
        'Please send:\n- 4 x paper towels (the same ones as in spring)\n- 2 x soap refills',
        ['paper towels', 'soap refills'],
      ],
      [
        'of which each point has the title',
        order,
        'items',
        'Bitte liefern Sie:\n- 12 x "Brot und Teig" (neue Auflage)\n- 3 x "Kleine Warenkunde" für die Lehrer',
        ['Brot und Teig', 'Kleine Warenkunde'],
      ],
      [
        'above how many, which a label says without a mark',
        order,
        'items',
        'In this parcel\nWool blanket grey\nQty 2\nLinen cushion, large\nQty 4',
        ['Wool blanket grey', 'Linen cushion, large'],
      ],
      [
        'with how many behind, above what kind each is',
        order,
        'items',
        'Canvas Tote × 2\nGreen / L\t€30.00\nPencil Case × 1\t€10.00\nTotal\t€40.00',
        ['Canvas Tote', 'Pencil Case'],
      ],
      ['none of points of which some are counted', order, 'items', 'Please send:\n- 4 x mops\n- gloves, one box', null],
      [
        'none where some more are joined',
        order,
        'items',
        'Could you bring 6 lemon cakes, 4 fruit tarts and some big bottles of sparkling water?',
        null,
      ],
      [
        'none where two sentences count them',
        order,
        'items',
        'We take 12 wine glasses and 6 soup bowls. For the garden we would like 3 stone pots.',
        null,
      ],
      ['none that came broken', order, 'items', 'Sadly 3 wine glasses and 2 soup bowls were broken.', null],
      ['none of last year', order, 'items', 'Last year we ordered 30 wine glasses and 20 soup bowls.', null],
      ['none that only name a size', order, 'items', 'We order 20 work gloves, 10 size L and 5 size XL.', null],
      [
        'what is counted with words between',
        order,
        'items',
        'We order 6 lemon cakes and this time also 4 fruit tarts.',
        ['lemon cakes', 'fruit tarts'],
      ],
    ]
    for (const [name, fields, key, text, value] of cases)
      it(name, () => expect(read(fields, key, text)).to.deep.equal(value))
  })

  describe('interests and skills', () => {
    const cases: readonly Case[] = [
      [
        'in one cell of a row that is long',
        lead,
        'interests',
        'Contact\tMme Odile Sauvage\nProduits souhaités\tÉcran tactile, Imprimante de tickets, Tiroir-caisse\nSalariés\t5',
        ['Écran tactile', 'Imprimante de tickets', 'Tiroir-caisse'],
      ],
      ['behind what is of interest', lead, 'interests', 'Me interesa: Toldos | Pérgolas', ['Toldos', 'Pérgolas']],
      [
        'no answer to a question',
        lead,
        'interests',
        'Prodotti: Bilancia, Centrifuga\nVuole provare il prodotto? Sì',
        ['Bilancia', 'Centrifuga'],
      ],
      [
        'no more than what another asks for whom a mail is about',
        lead,
        'interests',
        'She wants a booking page and a newsletter.',
        ['booking page', 'newsletter'],
      ],
      [
        'behind "something for"',
        lead,
        'interests',
        'Buscamos algo para control de stock y facturación.',
        ['control de stock', 'facturación'],
      ],
      [
        'none of two that are said in other words behind',
        lead,
        'interests',
        'We need a logo and a flyer, two pages and a bit more.',
        null,
      ],
      [
        'behind what an offer is wanted for',
        lead,
        'interests',
        'Naam: Ada Blom\nIk wil graag een offerte voor: Zonwering, Rolluiken',
        ['Zonwering', 'Rolluiken'],
      ],
      [
        'below a question that says how to answer',
        lead,
        'interests',
        'What do you need? (choose any)\n\nFloor sanding, Wall panels',
        ['Floor sanding', 'Wall panels'],
      ],
      [
        'below a heading that stands alone',
        application,
        'skills',
        'Compétences\n\nSoudure TIG\nLecture de plans\nCACES\n\nPrétentions\n\nNon renseigné',
        ['Soudure TIG', 'Lecture de plans', 'CACES'],
      ],
      [
        'that marks part below a heading',
        application,
        'skills',
        'Skills from his profile\nExcel · Payroll · Sage 50\n\nView the application',
        ['Excel', 'Payroll', 'Sage 50'],
      ],
      [
        'behind what somebody gets along with',
        application,
        'skills',
        'Je me débrouille en Java, SQL et un peu Docker.',
        ['Java', 'SQL', 'Docker'],
      ],
      [
        'before what is all in a day’s work',
        application,
        'skills',
        'Lassen, draaien en frezen zijn voor mij dagelijkse kost.',
        ['Lassen', 'draaien', 'frezen'],
      ],
      ['behind works', lead, 'interests', 'Lavori: posa parquet, rasatura', ['posa parquet', 'rasatura']],
      ['behind what an applicant can do', application, 'skills', 'sabe_hacer => soldar, pintar', ['soldar', 'pintar']],
      [
        'behind what a customer looks for',
        lead,
        'interests',
        'Wat zoekt de klant?\nTuinhuis, Schutting, Vlonder\n\nPlaats\nZwolle',
        ['Tuinhuis', 'Schutting', 'Vlonder'],
      ],
      [
        'on one line below a label, above another that is not known',
        lead,
        'interests',
        "Name\nAnn Lee\nI'm interested in\nDecking, Fencing, Garden lights\nPlot size\n40 by 20 feet",
        ['Decking', 'Fencing', 'Garden lights'],
      ],
      [
        'on several lines below a label',
        application,
        'skills',
        'Nombre\nAna Ruiz\nConocimientos\nDiseño web\nEdición de vídeo\nTeléfono\n600 555 010',
        ['Diseño web', 'Edición de vídeo'],
      ],
      [
        'none where another label may stand between',
        lead,
        'interests',
        'Nom\nOdile Sauvage\nJe suis intéressée par\nIsolation\nLogement\nMaison\nBudget\n1 800 €',
        null,
      ],
      [
        'on lines below a heading of which one begins as a label does',
        lead,
        'interests',
        'Prestations souhaitées\nEnseigne murale\nMarquage de véhicules\n\nBudget\n900 €',
        ['Enseigne murale', 'Marquage de véhicules'],
      ],
      [
        'two that are all a mail asks for',
        lead,
        'interests',
        'Wir suchen eine Schrankwand und einen Esstisch. Was kostet das?',
        ['Schrankwand', 'Esstisch'],
      ],
      [
        'none of two that go on',
        lead,
        'interests',
        'We need a fence and a gate, and somebody who paints the shed.',
        null,
      ],
      ['none of two, the second perhaps', lead, 'interests', 'We need a fence and maybe a gate.', null],
      [
        'none of two where another sentence asks for more',
        lead,
        'interests',
        'We need a fence and a gate. We are also looking for a gardener.',
        null,
      ],
      [
        'none of two where the next sentence adds more',
        lead,
        'interests',
        'Ci servono una recinzione e un cancello. Poi il capanno.',
        null,
      ],
      [
        'none of two behind others',
        application,
        'skills',
        'He hecho pan, tartas y bollos, manejo hornos de leña y eléctricos.',
        null,
      ],
      [
        'none where a verb is left away before one of them alone',
        application,
        'skills',
        'Sé usar la sierra, hacer muebles y barnizar puertas.',
        null,
      ],
    ]
    for (const [name, fields, key, text, value] of cases)
      it(name, () => expect(read(fields, key, text)).to.deep.equal(value))
  })

  describe('texts', () => {
    const cases: readonly Case[] = [
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
    ]
    for (const [name, fields, key, text, value] of cases)
      it(name, () => expect(read(fields, key, text)).to.deep.equal(value))
  })
})
