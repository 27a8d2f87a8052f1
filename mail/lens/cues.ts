/**
 * What sentences say before and after a value, by concept and language. Patterns are of folded text. A `head` may have
 * other words between it and the value, if what stands right before the value is a `link`; `after` stands right behind it.
 */

export type Cue = {
  readonly head?: string
  readonly link?: string
  readonly after?: string
  /** Characters between head and value at most (default 45). */
  readonly gap?: number
}
export type Cues = { readonly [concept: string]: readonly Cue[] }

const on = '(?:on|by|before|until|for|from|in|is|of)'
const am =
  '(?:am|war am|war der|bis|bis zum|zum|ab|ab dem|den|bis spatestens|spatestens|fur den|ist der|ware der|ware am)'
const le = '(?:le|est le|etait le|est fixee au|avant le|au|du|pour le|a partir du|au plus tard le|des le)'
const el = '(?:el|antes del?|para el|hasta el|a partir del?|desde el|del)'
const il = '(?:il|entro il|entro l|entro|dal|dall|per il|il giorno|l|da|a partire dal)'
const op = '(?:op|is op|was op|is|voor|uiterlijk|vanaf|per|tot|tegen)'

export const dateCues: Cues = {
  dueDate: [
    { head: 'vencimento|pagar|pagamento', link: '(?:ate|ate ao dia|ate a|em|e|a)' },
    {
      head: 'due|pay(?:able|ment)?|paid|settle\\w*|remit|transfer\\w*',
      link: '(?:due|on|by|before|until|due by|due on|date is|date was|is|was)',
    },
    { head: 'fallig\\w*|zahlbar|uberweisen|zahlen|bezahlen|begleichen|zahlungsziel|zahlung|abgebucht', link: am },
    {
      after:
        '(?:von ihrem konto )?(?:abgebucht|fallig|eingezogen)|zu (?:zahlen|begleichen|uberweisen)|(?:zu )?uberweisen',
    },
    { head: 'regl\\w+|pay\\w+|echeance|echue?|prelev\\w+|virement', link: le },
    { head: 'pag\\w+|abon\\w+|venc\\w+|cargo', link: el },
    { head: 'pag\\w+|sald\\w+|scad\\w+', link: '(?:il|entro il|entro l|entro)' },
    { head: 'betal\\w+|voldoen|vervalt|overmaken', link: op },
    { after: '(?:te )?(?:betalen|voldoen|overmaken)' },
  ],
  invoiceDate: [
    { head: 'fatura', link: '(?:emitida em|datada de|de)' },
    { head: 'invoice|bill', link: '(?:of|dated|from|issued|issued on|raised on)' },
    { head: 'rechnung', link: '(?:vom|datiert vom)' },
    { head: 'facture', link: '(?:du|datee du|en date du|emise le)' },
    { head: 'factura', link: '(?:con fecha|de fecha|con fecha de|del|emitida el|de)' },
    { head: 'fattura', link: '(?:del|dell|datata|emessa il|del giorno)' },
    { head: 'factuur', link: '(?:van|d\\.?d\\.?|gedateerd)' },
  ],
  orderDate: [
    { head: 'encomenda|pedido', link: '(?:de|feit[oa] em|realizad[oa] em)' },
    { head: 'order|ordered|placed', link: '(?:of|on|placed on|dated|from|made on|placed)' },
    { head: 'bestellung|bestellt|auftrag', link: '(?:vom|am)' },
    { head: 'commande|command', link: '(?:du|passee le|le|en date du)' },
    { head: 'pedido|pedi', link: '(?:del|realizado el|con fecha|hecho el)' },
    { head: 'ordine|ordinato', link: '(?:del|effettuato il|il|dell)' },
    { head: 'bestelling|besteld', link: '(?:van|op|geplaatst op)' },
  ],
  deliveryDate: [
    { head: 'entreg\\w+|chegar?', link: '(?:ate|em|a|no dia|para)' },
    {
      head: 'deliver\\w*|arriv\\w*|need (?:them|it|this|these|those)|ship\\w*',
      link: '(?:on|by|before|until|for|is|than|latest)',
    },
    { head: 'liefer\\w*|zugestellt|zustellung|angeliefert|brauchen', link: am },
    { after: '(?:ge)?liefer\\w*' },
    { head: 'livr\\w*|recevoir|besoin', link: le },
    { head: 'entreg\\w*|lleg\\w*|necesit\\w*|recibir\\w*', link: el },
    { head: 'consegn\\w*|arriv\\w*|ricevere', link: il },
    { head: 'lever\\w*|bezorg\\w*|nodig', link: op },
    { after: '(?:te )?(?:leveren|bezorgen|geleverd)' },
  ],
  since: [
    { head: 'since', gap: 12 },
    { head: 'seit', link: '(?:seit|dem|der|seit dem)', gap: 14 },
    { head: 'depuis', gap: 12 },
    { head: 'desde', gap: 12 },
    { head: 'da|dal|dall', gap: 3 },
    { head: 'sinds', gap: 12 },
  ],
  start: [
    { head: 'comecar|inicio|iniciar', link: '(?:em|a|a partir de|no dia)' },
    {
      head: 'start\\w*|begin\\w*|kick off|go live|launch\\w*',
      link: '(?:on|by|in|from|as of|starting|start|for|after|right from)',
    },
    { head: 'start\\w*|beginn\\w*|anfangen|los', link: am },
    { head: 'demarr\\w*|commenc\\w*|debut\\w*|lanc\\w*', link: le },
    { head: 'empez\\w*|comenz\\w*|comienz\\w*|inici\\w*|incorpor\\w*|arrancar', link: el },
    { head: 'partir\\w*|inizi\\w*|cominci\\w*|avvi\\w*', link: il },
    { head: 'start\\w*|begin\\w*', link: op },
    { after: '(?:al |graag |willen |kunnen |te )*(?:beginnen|starten|van start)' },
  ],
  available: [
    { head: 'disponivel', link: '(?:a partir de|em)' },
    {
      after:
        '(?:ben ik|bin ich|i am|i.m|je suis|je serai|estoy|estare|sono|saro|would be|i will be)? ?(?:beschikbaar|verfugbar|disponibile|disponible|available)',
    },
    { head: 'available|availability|can start|could start|can join|join you|free', link: `${on}|as of|starting` },
    { head: 'verfugbar|frei|eintritt\\w*|einsteigen', link: am },
    { head: 'disponible|disponibilite|libre', link: le },
    { head: 'disponible|libre|disponibilidad', link: el },
    { head: 'disponibile|libero|libera', link: il },
    { head: 'beschikbaar', link: op },
  ],
}

const currencyOnly = 40
export const numberCues: Cues = {
  total: [
    { head: '(?<!sub |net )total|comes to|amounts? to|amount of|amount is|invoice.{0,25} (?:over|for)|charged|billed' },
    {
      head: '(?:ins)?gesamt\\w*|gesamtbetrag|betrag(?: von)?|betragt|in hohe von|rechnung.{0,30} uber|bestellung.{0,30} uber',
    },
    { head: 'montant(?: total)?|s eleve a|s.eleve a|total|d.un montant|pour un total', gap: currencyOnly },
    { head: 'importe(?: total)?|total|asciende a|por (?:un )?(?:importe|valor|total)', gap: currencyOnly },
    { head: 'importo|totale|ammonta a|per un totale', gap: currencyOnly },
    { head: 'bedrag|totaal|ter waarde van|bedraagt', gap: currencyOnly },
  ],
  tax: [
    {
      after:
        '(?:of |in |as )?(?:sales tax|vat|tax|gst)|(?:umsatzsteuer|mehrwertsteuer|mwst|ust)|de tva|(?:son )?de iva|di iva|btw',
    },
    { head: 'iva (?:compresa|inclusa)|including (?:vat|tax) of|(?:vat|tax) of', gap: 8 },
  ],
  budget: [
    { head: 'budget|spend|afford|cost up to|invest' },
    { head: 'budget|ausgeben|hochstens|maximal|investieren' },
    { after: '(?:konnen|konnten|wollen) (?:wir|ich).{0,20} ausgeben|(?:to spend|available|as a budget)|budget' },
    { head: 'aller jusqu.a|depenser|enveloppe|investir' },
    { head: 'presupuesto|gastar|invertir' },
    { head: 'spendere|investire|spesa massima' },
    { head: 'besteden|uitgeven|maximaal' },
    { head: 'we have|wir haben|nous avons|tenemos|abbiamo', gap: 14 },
  ],
  people: [
    { after: '(?:people|employees|staff|users|team members|seats|colleagues|person|persons|members|participants)\\b' },
    {
      after:
        '(?:mitarbeiter\\w*|leuten?|benutzer\\w*|nutzer\\w*|personen|kolleg\\w*|beschaftigten?|kopfe|anwender\\w*|mitarbeitenden?)\\b',
    },
    { after: '(?:salaries?|personnes|employes?|collaborateurs|utilisateurs|collegues)\\b' },
    { after: '(?:empleados|personas|trabajadores|usuarios|companeros)\\b' },
    { after: '(?:dipendenti|persone|addetti|utenti|collaboratori|colleghi)\\b' },
    { after: '(?:medewerkers|mensen|personen|gebruikers|werknemers|collega.?s|man personeel)\\b' },
    { after: '(?:colaboradores|funcionarios|pessoas|utilizadores)\\b' },
    { head: 'team of|team von|equipe de|equipo de|team di|team van', gap: 4 },
  ],
  experience: [
    { after: "years?'?(?: of)?(?: [\\w-]+){0,2} experience|years(?: in| as| with| at)\\b|years in" },
    { after: 'jahren?(?: [\\w-]+)? (?:\\w*erfahrung|im |als |in der )' },
    { after: 'an(?:nee)?s d.experience' },
    { after: 'anos de experiencia' },
    { after: '.?anni di esperienza' },
    { after: 'jaar (?:\\w*ervaring|als |in de )' },
    { after: 'anos de experiencia' },
    { head: 'lavoro da|arbeite seit|trabajo desde hace|travaille depuis|trabalho ha|werk al', gap: 4 },
    { head: 'worked .{1,40}? for|been .{1,40}? for|depuis|experience:?|esperienza', link: '(?:for|depuis)', gap: 14 },
  ],
  salary: [
    { head: '(?<!current |present |last |previous )salary|wage|pay expectation|earn' },
    { head: '(?<!aktuelle[sr]? |derzeitige[sr]? |jetzige[sr]? )gehalt\\w*|lohn\\w*|verdien\\w*|brutto' },
    { head: 'salaire(?! actuel)|pretentions|remuneration|salarial\\w*' },
    { head: '(?:salario|sueldo)(?! actual)|salarial\\w*' },
    { head: '(?:stipendio|retribuzione|ral)(?! attuale)|richiesta economica|aspettativa\\w*' },
    { head: '(?<!huidige? )salaris\\w*|loon|verdienen' },
    {
      after:
        '(?:brut|brutto|bruto|net|netto|netti|lordi|brutos|gross)\\b|(?:a|per|/) ?(?:year|month|annum|hour)|im (?:monat|jahr)|par (?:mois|an)|al (?:mes|ano|mese)|all.anno|per (?:maand|jaar)|(?:brutos )?anuales|annui',
    },
  ],
}
