import type { Lexicon } from './meanings.ts'

export const fr: Lexicon = {
  form: 'formulaire',
  neutral:
    'de | du | des | d | la | le | les | l | un | une | votre | vos | notre | mon | ma | pour | et | prevue | prevu | souhaite | souhaitee | estimee | dont | a | au | si | est | en | client final | demandee | demande',
  invoice: 'facture | factures',
  order: 'commande | bon de commande | commandes | bc',
  ticket: 'ticket | incident | dossier | demande n | signalement | cas',
  number: 'numero | n° | no | num | nº | n | identifiant',
  reference: 'reference | ref | refs',
  date: 'date | jour | en date du | du jour',
  issued:
    'emise le | emis le | date d emission | etablie le | passee le | date de facturation | emission | passe le | date de la facture | facturee le | faite le | passee | commande passee le',
  due: 'echeance | date d echeance | a payer avant le | payable le | payable avant le | date limite de paiement | a regler avant le | date de paiement | limite de paiement | exigible le | a regler le | payer avant | a regler pour le | preleve le | prelevement le | date de prelevement | regler avant | date butoir | dernier delai | au plus tard le | paiement avant | paiement au | a payer pour le | reglement avant le',
  delivery:
    'livraison | livraison prevue le | date de livraison | livre le | livraison souhaitee | a livrer le | livraison le | arrivee | arrive le | reception | date d arrivee | livraison souhaitee le | livraison estimee | livraison prevue | livraison avant',
  total:
    'total | montant total | net a payer | montant a payer | reste a payer | total general | total a payer | somme a payer | total de la commande | total facture | regle par carte | total regle | en tout | a regler | somme due | montant regle | montant preleve | preleve | total de votre commande | somme totale | vous payez | solde | solde du | reste du | reste a regler | total paye | a payer ttc | montant du | paye par carte | debite',
  amount: 'montant | somme | valeur',
  net: 'ht | hors taxe | hors taxes | total ht | sous-total | sous total | montant ht | net ht',
  gross: 'ttc | toutes taxes comprises | tva incluse | total ttc | montant ttc',
  tax: 'tva | taxe | taxes | montant tva | tps | tvq',
  shipping: 'frais de port | port | frais de livraison | expedition',
  discount: 'remise | rabais | escompte | acompte | acompte verse | caution',
  currency: 'devise | monnaie',
  iban: 'iban | rib | compte bancaire | coordonnees bancaires | compte',
  supplier: 'fournisseur | vendeur | emetteur | prestataire',
  customer:
    'client | cliente | acheteur | acheteuse | destinataire | livrer a | expedie a | livre a | envoye a | pour le compte de | adresse a | commande de',
  requester:
    'demandeur | demandeuse | signale par | declare par | emis par | demande de | declare | nom du demandeur | qui | qui etes-vous | visiteur | visiteuse | expediteur | de la part de | auteur | recu de | appelant | signale',
  contact: 'contact | interlocuteur | personne a contacter | personne',
  applicant: 'candidat | candidate | postulant',
  name: 'nom | nom et prenom | prenom et nom | nom complet | nom prenom',
  company:
    'entreprise | societe | organisation | raison sociale | nom de l entreprise | nom de la societe | etablissement | structure | employeur | institution | organisme | association | maison',
  email:
    'email | e-mail | mail | courriel | adresse e-mail | adresse mail | adresse email | adresse electronique | repondre a | lui repondre | lui repondre a | ecrire a | mel | boite mail | adresse de reponse | messagerie | reponse a',
  phone:
    'telephone | tel | portable | mobile | numero de telephone | gsm | rappeler au | joindre au | joignable au | fixe | ligne directe | rappel | a rappeler | appeler',
  address: 'adresse | adresse de livraison | rue',
  product: 'produit',
  device: 'logiciel | appareil | modele | application | materiel',
  item: 'article | articles | produits | designation | description | libelle | dans le carton | contenu | panier | votre panier | votre selection | dans le colis | articles commandes | vos articles | quoi',
  quantity: 'quantite | qte',
  price: 'prix | prix unitaire | p.u | pu | p u',
  unit: 'unite',
  version: 'version | version du logiciel | version installee | edition | version utilisee',
  error:
    'erreur | message d erreur | code d erreur | message affiche | code erreur | ce qui s affiche | message a l ecran | texte affiche | affichage | libelle de l erreur | ecran | intitule de l erreur | a l ecran',
  message: 'message | commentaire | remarque | remarques',
  since:
    'depuis | depuis le | debut | debut du probleme | survenu le | depuis quand | apparu le | constate le | premiere fois | constate depuis | debut de l incident | apparition | date d apparition | commence le',
  urgent: 'urgent | urgence | urgente | degre d urgence | c est urgent | niveau d urgence',
  priority: 'priorite',
  paid: 'paye | payee | deja paye | reglee | regle | deja payee',
  payment: 'paiement | mode de paiement | reglement | du paiement',
  status: 'statut | etat',
  interest:
    'interet | interets | interesse par | interessee par | centres d interet | produits souhaites | besoin | besoins | besoin coche | besoins coches | cherche | souhaits | services souhaites | prestations | prestations souhaitees | demande concernant | objet de la demande | sujet | selection | choix | ce qu il vous faut | recherche | services | theme | vous cherchez | a coche | concerne',
  budget:
    'budget | budget du projet | enveloppe | fourchette | budget maximum | montant disponible | moyens | plafond | prix maximum | budget annuel | argent',
  people:
    'effectif | effectifs | nombre d employes | nombre de salaries | nombre d utilisateurs | utilisateurs | salaries | employes | taille de l equipe | equipe | collaborateurs | personnes | nombre de personnes | postes a equiper | nombre de postes | licences | combien de personnes | combien etes-vous | membres',
  start:
    'demarrage | debut du projet | date de debut | date de demarrage | demarrage souhaite | lancement | quand | a partir de quand | date souhaitee | debut souhaite | mise en service | debut des travaux | demarrer le | commencer le | date de lancement',
  demo: 'demo | demonstration | souhaite une demo | souhaitez-vous une demo | souhaite une demonstration | presentation | demo souhaitee | demonstration souhaitee | demo en direct | voir une demo',
  job: 'poste | emploi | offre | fonction | poste vise | intitule du poste | candidature au poste de | poste souhaite | metier | offre d emploi | annonce | poste recherche | candidat au poste de | postule pour | candidature | pour le poste de | metier vise',
  skill:
    'competences | competence | aptitudes | savoir-faire | outils | outils et savoir-faire | maitrise | maitrises | connaissances | savoir faire | points forts | logiciels | domaines de competence | expertise | atouts | je maitrise',
  language: 'langues | langue',
  experience:
    'experience | annees d experience | experience professionnelle | ans d experience | nombre d annees d experience',
  year: 'ans | annees | annee',
  salary:
    'salaire | pretentions salariales | salaire souhaite | pretentions | remuneration | remuneration souhaitee | salaire attendu | salaire vise | souhait salarial | attentes salariales | salaire demande | pretention salariale | salaire espere | souhaite gagner',
  available:
    'disponible | disponible le | disponibilite | date de disponibilite | disponible a partir du | disponible des le | date d entree | libre | libre le | libre a partir du | dispo | dispo le | prise de poste | entree en fonction | date de debut possible | peut commencer le | embauche possible',
  relocation:
    'mobilite | mobilite geographique | demenagement | pret a demenager | prete a demenager | pret a bouger | accepte de demenager | changement de region | demenager',
  birth: 'naissance | date de naissance | ne le | nee le',
  serial: 'numero de serie',
  first: 'prenom',
  last: 'nom de famille',
  website: 'site web | site internet | site',
  document: 'devis | recu | avoir',
  staff:
    'prise en charge | pris en charge par | assigne a | affecte a | technicien | agent | traite par | saisi par | votre conseiller | conseiller | gestionnaire | suivi par | operateur | recommande par',
  previous: 'precedent | precedente | ancien | ancienne | dernier | derniere | mois dernier',
  advertised: 'propose | proposee',
}

export const es: Lexicon = {
  form: 'formulario',
  neutral:
    'de | del | la | el | los | las | un | una | su | sus | tu | nuestro | nuestra | para | y | con | estimada | estimado | prevista | previsto | deseada | deseado | en | por | si | es | desea | solicitada | requerida',
  invoice: 'factura | facturas | folio',
  order: 'pedido | orden de compra | orden | pedidos | compra',
  ticket: 'ticket | incidencia | caso | expediente | parte de incidencia | averia',
  number: 'numero | n.º | nº | n° | num | no | n.o | identificador | n',
  reference: 'referencia | ref',
  date: 'fecha | dia | con fecha',
  issued:
    'fecha de emision | emitida el | fecha de expedicion | emision | realizado el | emitida | expedida | hecho el | fecha del pedido | realizada el | entro',
  due: 'vencimiento | fecha de vencimiento | fecha limite de pago | pagar antes del | fecha de cargo | vence el | plazo de pago | fecha de pago | limite de pago | pagadera hasta | cargo en cuenta | fecha de cobro | antes del | ultimo dia | ultimo dia de pago | fecha tope | se cargara el | pago antes del | ingresar antes del | abonar antes del',
  delivery:
    'entrega | fecha de entrega | entrega estimada | entrega prevista | envio previsto | llegada | llega el | llegara el | recepcion | fecha deseada | entrega el | entregar el | entregar antes del | reparto',
  total:
    'total | importe total | total a pagar | total factura | total pedido | importe a pagar | total general | monto total | total del pedido | todo | importe cobrado | cobrado | total pagado | has pagado | a cargar | total a abonar | suma total | en total | pendiente de pago | importe pendiente | saldo | saldo pendiente | toca pagar | te toca pagar | total con iva | a ingresar | importe final',
  amount: 'importe | monto | cantidad a pagar | suma',
  net: 'base imponible | subtotal | sub total | neto | sin iva | importe neto | total neto',
  gross: 'iva incluido | con iva | bruto | iva incl',
  tax: 'iva | impuesto | impuestos | cuota iva | igic',
  shipping: 'gastos de envio | envio | portes',
  discount: 'descuento | dto',
  currency: 'moneda | divisa',
  iban: 'iban | cuenta | cuenta bancaria | numero de cuenta',
  supplier: 'proveedor | vendedor | emisor',
  customer:
    'cliente | comprador | compradora | clienta | destinatario | destinataria | enviar a | entregar a | envio a | a la atencion de',
  requester:
    'solicitante | comunicado por | reportado por | notificado por | quien avisa | quien | avisa | de parte de | remitente | quien escribe | quien es | abierto por | a nombre de | comunica | persona que avisa | usuario afectado | visitante | enviado por | solicita',
  contact: 'contacto | persona de contacto | persona',
  applicant: 'candidato | candidata | aspirante',
  name: 'nombre | nombre y apellidos | nombre completo | nombre y apellido',
  company:
    'empresa | compania | organizacion | razon social | nombre de la empresa | sociedad | entidad | institucion | centro | negocio | organismo | de la empresa',
  email:
    'email | e-mail | correo | correo electronico | mail | direccion de correo | responder a | correo de contacto | mail de contacto | escribir a | buzon | contestar a | e mail',
  phone:
    'telefono | tel | movil | celular | telefono movil | numero de telefono | telf | llamar al | numero de contacto | fijo | llamar a | tfno | wasap | whatsapp | telefono de contacto | tlf | tlfno',
  address: 'direccion | domicilio | direccion de envio | calle',
  product: 'producto',
  device: 'aplicacion | programa | equipo | modelo | software | dispositivo',
  item: 'articulo | articulos | productos | descripcion | concepto | detalle | que se lleva | contenido | cesta | carrito | tu cesta | su compra | articulos comprados | en la caja | lo que has pedido | que has pedido | lleva',
  quantity: 'cantidad | unidades | cant | uds',
  price: 'precio | precio unitario | p. unit',
  version: 'version | version instalada | edicion | version en uso',
  error:
    'error | mensaje de error | codigo de error | fallo | pantalla | mensaje en pantalla | que sale | aviso en pantalla | texto del error | lo que aparece | mensaje mostrado | aparece | que pone',
  message: 'mensaje | comentario | comentarios | observaciones',
  since:
    'desde | inicio | inicio del problema | desde cuando | inicio de la incidencia | empezo | empezo el | primera vez | ocurre desde | detectado el | pasa desde | desde hace | comenzo el | comienzo del problema',
  urgent: 'urgente | urgencia | corre prisa | como de urgente | nivel de urgencia | es urgente',
  priority: 'prioridad',
  paid: 'pagado | pagada | ya pagado | abonado',
  payment: 'pago | forma de pago | metodo de pago | del pago',
  status: 'estado',
  interest:
    'interes | intereses | interesado en | interesada en | servicios de interes | productos de interes | necesita | necesidad | necesidades | busca | que busca | que necesita | servicios | servicio deseado | servicios deseados | tema | temas | motivo de consulta | seleccion | ha marcado | marcado | elegido | ha elegido | le interesa | quiere | solicita informacion sobre | asunto de interes',
  budget:
    'presupuesto | presupuesto maximo | presupuesto disponible | tope | presupuesto aproximado | dinero | fondos | disponible para gastar | limite de gasto | techo',
  people:
    'empleados | numero de empleados | usuarios | numero de usuarios | plantilla | trabajadores | tamano del equipo | numero de trabajadores | personas | numero de personas | cuantos son | puestos | licencias | personal | cuantas personas',
  start:
    'fecha de inicio | inicio del proyecto | comienzo | fecha de comienzo | cuando | fecha deseada de inicio | empezar el | quiere empezar | quieren empezar | arranque | puesta en marcha | inicio deseado | inicio de obra',
  demo: 'demo | demostracion | desea una demostracion | desea una demo | quiere una demo | presentacion | demo en vivo | quiere ver una demo | quiere demostracion | prueba en vivo',
  job: 'puesto | vacante | cargo | empleo | puesto deseado | puesto solicitado | oferta | puesto de trabajo | se presenta a | candidatura a | aspira al puesto | plaza | oferta de empleo | puesto al que aspira | vacante de',
  skill:
    'habilidades | competencias | aptitudes | conocimientos | manejo | herramientas | domina | dominio de | puntos fuertes | saber hacer | destrezas | programas | se manejar | especialidades',
  language: 'idiomas | idioma',
  experience: 'experiencia | anos de experiencia | experiencia laboral | experiencia profesional',
  year: 'anos | ano',
  salary:
    'salario | pretension salarial | expectativa salarial | sueldo | aspiracion salarial | pretensiones salariales | sueldo deseado | salario deseado | salario esperado | aspira a | pide | salario que pide | espera ganar | aspiraciones | sueldo esperado | retribucion deseada | expectativas salariales | salario pretendido',
  available:
    'disponible | disponible desde | disponibilidad | fecha de incorporacion | incorporacion | disponible a partir de | libre desde | puede empezar | incorporacion desde | disponible el | podria empezar | fecha de alta posible | puede incorporarse',
  relocation:
    'traslado | disponibilidad para mudarse | mudarse | cambio de residencia | disponibilidad para viajar y mudarse | movilidad geografica | disponibilidad para cambiar de residencia | cambio de ciudad | dispuesto a mudarse | dispuesta a mudarse | mudanza | se mudaria | se trasladaria',
  birth: 'nacimiento | fecha de nacimiento',
  serial: 'numero de serie',
  first: 'nombre de pila',
  last: 'apellido | apellidos',
  website: 'sitio web | pagina web | web',
  document: 'recibo | presupuesto n | factura rectificativa',
  staff:
    'tecnico | tecnica | asignado a | asignada a | atendido por | gestor | gestora | agente | operador | operadora | registrado por | recogido por | comercial | responsable asignado',
  previous: 'anterior | anteriores | ultimo | pasado | mes pasado | antiguo',
  advertised: 'anunciada | anunciado | ofrecido | ofrecida | retribucion anunciada | salario ofrecido',
}

export const it: Lexicon = {
  form: 'modulo',
  neutral:
    'di | del | della | dello | dei | il | lo | la | i | gli | le | un | una | d | l | suo | vostro | tuo | nostro | per | e | con | prevista | previsto | richiesta | desiderata | desidera | in | se | da',
  invoice: 'fattura | fatture | ft',
  order: 'ordine | ordini | ordine di acquisto',
  ticket: 'ticket | segnalazione | pratica | caso | richiesta n | guasto',
  number: 'numero | n. | n | nr | num | n° | codice',
  reference: 'riferimento | rif',
  date: 'data | giorno | datata',
  issued:
    'data di emissione | emessa il | data emissione | effettuato il | emissione | emessa | data ordine | ordinato il | inserito il | data dell ordine',
  due: 'scadenza | data di scadenza | da pagare entro | scade il | pagare entro | termine di pagamento | scadenza pagamento | data scadenza | pagamento entro | ultimo giorno utile | paga entro | paga entro questa data | addebito il | entro il | da pagare entro il | entro | pagabile entro | versare entro | data addebito | scade',
  delivery:
    'consegna | consegna prevista | data di consegna | consegna richiesta | data consegna | consegna entro | arrivo | arriva il | in consegna il | consegna il | consegna stimata | arrivo previsto | data desiderata',
  total:
    'totale | importo totale | totale da pagare | importo da pagare | totale fattura | netto a pagare | totale ordine | totale complessivo | totale documento | somma totale | spesa complessiva | importo addebitato | addebitato | totale addebitato | in tutto | netto a voi | da versare | a pagare | saldo | totale pagato | hai pagato | totale spesa | complessivamente | tutto compreso | quanto | quanto devi | importo dovuto | totale dovuto | da saldare | importo da saldare | totale con iva',
  amount: 'importo | somma | ammontare',
  net: 'imponibile | subtotale | totale imponibile | netto | iva esclusa | lordo | parziale',
  gross: 'iva inclusa | iva compresa | totale ivato',
  tax: 'iva | imposta | imposte | importo iva',
  shipping: 'spedizione | spese di spedizione | trasporto',
  discount: 'sconto',
  currency: 'valuta | divisa',
  iban: 'iban | conto | conto corrente | coordinate bancarie | conto bancario',
  supplier: 'fornitore | venditore | emittente',
  customer:
    'cliente | acquirente | committente | destinatario | destinataria | spedire a | consegnare a | spedito a | intestatario | ordinato da | per il cliente',
  requester:
    'richiedente | segnalato da | segnalatore | chi | chi scrive | da parte di | inserita da | inserito da | aperta da | aperto da | inviata da | segnala | utente | mittente | chi sei | visitatore | richiesta di | chiamante | segnalata da | chi segnala',
  contact: 'contatto | referente | persona di contatto | persona',
  applicant: 'candidato | candidata',
  name: 'nome | nome e cognome | nominativo | nome completo',
  company:
    'azienda | societa | impresa | ragione sociale | ditta | organizzazione | nome azienda | per conto di | ente | struttura | attivita | istituto | per la ditta',
  email:
    'email | e-mail | mail | indirizzo email | indirizzo e-mail | posta elettronica | posta | si risponde a | rispondere a | recapito email | scrivere a | casella | risponde a | indirizzo di risposta',
  phone:
    'telefono | tel | cellulare | cell | numero di telefono | recapito telefonico | recapito | chiamare al | richiamare | fisso | tel diretto | telefonare al | cellulare personale',
  address: 'indirizzo | via | indirizzo di spedizione',
  product: 'prodotto',
  device: 'applicazione | programma | apparecchio | modello | software | dispositivo',
  item: 'articolo | articoli | prodotti | descrizione | contenuto | carrello | il tuo carrello | nel pacco | cosa | prodotti ordinati | nella scatola | hai ordinato | articoli ordinati | merce',
  quantity: 'quantita | q.ta | qta | pezzi | q ta',
  price: 'prezzo | prezzo unitario',
  version: 'versione | release | release in uso | rel | versione installata | versione in uso | edizione',
  error:
    'errore | messaggio di errore | codice errore | codice di errore | messaggio errore | avviso a video | messaggio a video | a video | cosa appare | testo dell errore | avviso | schermata | cosa compare | messaggio mostrato | sul display',
  message: 'messaggio | commento | note',
  since:
    'dal | inizio problema | da quando | inizio del problema | data inizio problema | comparso il | prima volta | da quando succede | rilevato il | succede dal | iniziato il | si verifica dal | comparso',
  urgent: 'urgente | urgenza | quanto e urgente | grado di urgenza',
  priority: 'priorita',
  paid: 'pagato | pagata | saldato | saldata | gia pagato',
  payment: 'pagamento | metodo di pagamento | modalita di pagamento',
  status: 'stato',
  interest:
    'interesse | interessi | interessato a | interessata a | prodotti di interesse | cosa serve | serve | servono | ha scelto | vuole | cerca | esigenza | esigenze | bisogno | richieste | servizi richiesti | servizi di interesse | servizi | tema | interessa | selezione | scelta | prodotti richiesti | cosa cerca | oggetto della richiesta | di cosa ha bisogno | interessato',
  budget:
    'budget | budget disponibile | budget previsto | soldi | disponibilita economica | spesa massima | budget annuo | tetto | fondi | tetto di spesa | importo stanziato | stanziamento',
  people:
    'dipendenti | numero dipendenti | numero di dipendenti | utenti | numero utenti | numero di utenti | addetti | collaboratori | dimensione del team | persone | operatori | numero di persone | quanti siete | postazioni | organico | quante persone | licenze | numero operatori | risorse',
  start:
    'inizio | inizio progetto | data di inizio | data inizio | avvio | avvio progetto | partenza lavori | partenza | quando | inizio lavori | inizio desiderato | data di partenza | si parte il | inizio previsto | avvio previsto | quando iniziare | vuole iniziare',
  demo: 'demo | dimostrazione | desidera una demo | richiesta demo | prova dal vivo | vuole vedere una prova dal vivo | presentazione | vuole una demo | demo dal vivo | desidera una dimostrazione',
  job: 'posizione | ruolo | lavoro | mansione | posto | posizione desiderata | candidatura per | si candida per | si propone per | annuncio | posizione cercata | candidato per | per l annuncio | ruolo richiesto | offerta di lavoro',
  skill:
    'competenze | abilita | capacita | conoscenze | strumenti | punti di forza | cosa so fare | so fare | padronanza | specializzazioni | programmi | competenze tecniche | conosce | controlli',
  language: 'lingue | lingua',
  experience: 'esperienza | anni di esperienza | esperienza professionale | esperienza lavorativa',
  year: 'anni | anno',
  salary:
    'stipendio | ral | ral richiesta | retribuzione | richiesta economica | aspettativa economica | stipendio desiderato | aspettative economiche | chiede | ral desiderata | pretesa economica | ral attesa | retribuzione richiesta | stipendio richiesto | stipendio atteso | vorrebbe',
  available:
    'disponibile | disponibile dal | disponibilita | disponibile da | data di disponibilita | inizio disponibilita | puo iniziare | puo iniziare il | libero dal | libera dal | disponibile a partire dal | inizio possibile | puo cominciare',
  relocation:
    'trasferimento | disponibilita al trasferimento | trasferirsi | disponibile a trasferirsi | disposto a trasferirsi | si trasferirebbe | disposta a trasferirsi | disponibile al trasferimento | cambio di citta | trasloco',
  birth: 'nascita | data di nascita | nato il | nata il',
  serial: 'numero di serie | matricola',
  first: 'nome di battesimo',
  last: 'cognome',
  website: 'sito | sito web',
  document: 'ricevuta | preventivo | nota di credito',
  staff:
    'operatore | operatrice | tecnico | assegnato a | assegnata a | gestito da | preso in carico da | compilata da | compilato da | referente interno | raccolto da | commerciale',
  previous: 'precedente | scorso | scorsa | vecchio | vecchia | ultimo | ultima | mese scorso',
  advertised: 'offerta nell annuncio | offerta | ral offerta | offerto',
}

export const pt: Lexicon = {
  neutral:
    'do | da | dos | das | o | a | os | as | seu | sua | nosso | nossa | para | e | com | prevista | previsto | no | na',
  invoice: 'fatura | faturas | nota fiscal',
  order: 'pedido | encomenda | encomendas | ordem de compra',
  ticket: 'ticket | chamado | ocorrencia | incidente',
  number: 'numero | n.º | nº | n°',
  date: 'data | dia',
  issued: 'data de emissao | emitida em | emitido em',
  due: 'vencimento | data de vencimento | pagar ate | data limite de pagamento | pagamento ate',
  delivery: 'entrega | data de entrega | entrega prevista',
  total:
    'total | valor total | total a pagar | montante total | total geral | valor a pagar | valor cobrado | total pago | tudo | no total | a pagar',
  amount: 'valor | montante | quantia',
  net: 'subtotal | liquido | sem iva | base tributavel',
  gross: 'iva incluido | com iva',
  tax: 'iva | imposto | impostos',
  shipping: 'portes | frete | portes de envio',
  discount: 'desconto',
  currency: 'moeda',
  iban: 'iban | conta bancaria | conta',
  supplier: 'fornecedor | vendedor | emitente',
  customer: 'cliente | comprador',
  requester: 'requerente | solicitante | comunicado por | quem | quem escreve | enviado por',
  contact: 'contacto | contato | pessoa de contacto',
  applicant: 'candidato | candidata',
  name: 'nome | nome completo | nome e apelido',
  company: 'empresa | companhia | organizacao | razao social',
  email: 'email | e-mail | correio eletronico | endereco de email',
  phone: 'telefone | telemovel | celular | tel | contacto telefonico | ligar para',
  address: 'endereco | morada',
  product: 'produto',
  device: 'aplicacao | aparelho | modelo',
  item: 'artigo | artigos | produtos | itens | descricao | conteudo | carrinho',
  quantity: 'quantidade | qtd',
  price: 'preco | preco unitario',
  version: 'versao',
  error: 'erro | mensagem de erro | codigo de erro',
  message: 'mensagem | comentario | observacoes',
  since: 'desde | inicio do problema',
  urgent: 'urgente | urgencia',
  priority: 'prioridade',
  paid: 'pago | paga | ja pago',
  payment: 'pagamento | forma de pagamento | metodo de pagamento',
  status: 'estado | situacao',
  interest: 'interesse | interesses | interessado em | procura | precisa | servicos | servicos de interesse | assunto',
  budget: 'orcamento',
  people: 'colaboradores | numero de colaboradores | funcionarios | utilizadores | numero de funcionarios',
  start: 'inicio | data de inicio | quando | comecar em',
  demo: 'demo | demonstracao',
  job: 'vaga | cargo | funcao | posicao',
  skill: 'competencias | habilidades | ferramentas | dominio | pontos fortes',
  language: 'idiomas',
  experience: 'experiencia | anos de experiencia',
  year: 'anos | ano',
  salary: 'salario | pretensao salarial | expectativa salarial',
  available: 'disponivel | disponivel a partir de | disponibilidade | livre a partir de | pode comecar',
  relocation: 'mudanca | disponibilidade para mudar',
  birth: 'nascimento | data de nascimento',
  last: 'apelido | sobrenome',
  staff: 'tecnico | atribuido a | atendido por | operador',
  previous: 'anterior | ultimo',
}
