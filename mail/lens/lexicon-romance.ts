import type { Lexicon } from './meanings.ts'

export const fr: Lexicon = {
  form: 'formulaire',
  neutral:
    'de | du | des | d | la | le | les | l | un | une | votre | vos | notre | mon | ma | pour | et | prevue | prevu | souhaite | souhaitee | estimee | dont | a | au | si | est | en | client final | demandee | demande | quel | quelle | quels | quelles | ou | vous | annuel | mensuel',
  invoice: 'facture | factures | note d honoraires | note',
  order: 'commande | bon de commande | commandes | bc | cde',
  ticket: 'ticket | incident | dossier | demande n | signalement | cas',
  number: 'numero | n° | no | num | nº | n | identifiant',
  reference: 'reference | ref | refs',
  date: 'date | jour | en date du | du jour',
  issued:
    'emise le | emis le | date d emission | etablie le | passee le | date de facturation | emission | passe le | date de la facture | facturee le | faite le | passee | commande passee le | commande du | date de commande | date de la commande | achat du | date d achat | achete le | realisee le | enregistree le | enregistre le | facture du | datee du | etabli le | redigee le | creee le | cree le',
  due: 'echeance | date d echeance | a payer avant le | payable le | payable avant le | date limite de paiement | a regler avant le | date de paiement | limite de paiement | exigible le | a regler le | payer avant | a regler pour le | preleve le | prelevement le | date de prelevement | regler avant | date butoir | dernier delai | au plus tard le | paiement avant | paiement au | a payer pour le | reglement avant le | date limite | a payer le | payable au | paiement avant le | paiement le | a regler au plus tard | a regler au plus tard le | paiement au plus tard le | a acquitter avant le | prelevement prevu le | sera preleve le | a payer au plus tard le',
  delivery:
    'livraison | livraison prevue le | date de livraison | livre le | livraison souhaitee | a livrer le | livraison le | arrivee | arrive le | reception | date d arrivee | livraison souhaitee le | livraison estimee | livraison prevue | livraison avant | livraison estimee le | livraison demandee | livraison demandee le | date de livraison prevue | date de livraison souhaitee | sera livre le | sera livree le | date de reception | date d expedition | remise du colis',
  total:
    'total | montant total | net a payer | montant a payer | reste a payer | total general | total a payer | somme a payer | total de la commande | total facture | regle par carte | total regle | en tout | a regler | somme due | montant regle | montant preleve | preleve | total de votre commande | somme totale | vous payez | solde | solde du | reste du | reste a regler | total paye | a payer ttc | montant du | paye par carte | debite | total ttc a payer | total net | montant de la facture | montant de la commande | montant total ttc | prix total | cout total | total du | net a regler | total a regler | montant ttc a payer | montant debite | solde a payer | solde restant | reste du | solde a regler | montant restant du | restant du | total restant | total debite | montant paye | total de la facture',
  amount: 'montant | somme | valeur',
  net: 'ht | hors taxe | hors taxes | total ht | sous-total | sous total | montant ht | net ht',
  gross: 'ttc | toutes taxes comprises | tva incluse | total ttc | montant ttc',
  tax: 'tva | taxe | taxes | montant tva | tps | tvq | dont tva | tva comprise | montant de la tva | total tva',
  shipping:
    'frais de port | port | frais de livraison | expedition | transport | frais de transport | frais d envoi | envoi | acheminement | participation aux frais de port',
  discount: 'remise | rabais | escompte | acompte | acompte verse | caution',
  currency: 'devise | monnaie',
  iban: 'iban | rib | compte bancaire | coordonnees bancaires | compte',
  supplier:
    'fournisseur | vendeur | emetteur | prestataire | facture par | emis par la societe | commercant | beneficiaire | creancier | facturee par | titulaire du compte',
  customer:
    'client | cliente | acheteur | acheteuse | destinataire | livrer a | expedie a | livre a | envoye a | pour le compte de | adresse a | commande de | commanditaire | donneur d ordre | coordonnees du client | nom du client | nom de la cliente | au nom de | facture a | client facture | destinataire du colis | commande par | commandee par | commande passee par | adherent | abonne',
  requester:
    'demandeur | demandeuse | signale par | declare par | emis par | demande de | declare | nom du demandeur | qui | qui etes-vous | visiteur | visiteuse | expediteur | de la part de | auteur | recu de | appelant | signale | qui ecrit | qui vous ecrit | saisi pour | ouvert pour | utilisateur | utilisatrice | usager | usagere | redacteur | declarant | declarante | requerant | nom de l utilisateur | emetteur de la demande',
  contact: 'contact | interlocuteur | personne a contacter | personne',
  applicant: 'candidat | candidate | postulant',
  name: 'nom | nom et prenom | prenom et nom | nom complet | nom prenom | s appelle | se nomme | prenom nom | prenom & nom',
  company:
    'entreprise | societe | organisation | raison sociale | nom de l entreprise | nom de la societe | etablissement | structure | employeur | institution | organisme | association | maison | nom de l etablissement | nom de l organisme | structure ou entreprise | enseigne | travaille chez | votre entreprise | votre societe | votre structure | vient de | travaille pour | ou travaillez-vous',
  email:
    'email | e-mail | mail | courriel | adresse e-mail | adresse mail | adresse email | adresse electronique | repondre a | lui repondre | lui repondre a | ecrire a | mel | boite mail | adresse de reponse | messagerie | reponse a | votre adresse | votre e-mail | adresse de contact | e-mail de contact | mail de contact | adresse pour repondre | repondre sur',
  phone:
    'telephone | tel | portable | mobile | numero de telephone | gsm | rappeler au | joindre au | joignable au | fixe | ligne directe | rappel | a rappeler | appeler | telephone portable | tel portable | numero ou vous joindre | numero a rappeler | telephone fixe | tel fixe | votre telephone | telephone direct | n° de telephone | numero de portable | joignable | telephone verifie | le joindre | la joindre',
  address: 'adresse | adresse de livraison | rue',
  product: 'produit | produit concerne | produit achete | nom du produit',
  device:
    'logiciel | appareil | service concerne | modele | application | materiel | progiciel | programme | machine | module | materiel concerne | logiciel concerne | appareil concerne | equipement | solution | appli | plateforme',
  item: 'article | articles | produits | designation | description | libelle | dans le carton | contenu | panier | votre panier | votre selection | dans le colis | articles commandes | vos articles | quoi',
  quantity: 'quantite | qte',
  price: 'prix | prix unitaire | p.u | pu | p u',
  unit: 'unite',
  version:
    'version | version du logiciel | version installee | edition | version utilisee | revision | numero de version | version du produit | build | micrologiciel | firmware | mise a jour installee',
  error:
    'erreur | message d erreur | code d erreur | message affiche | code erreur | ce qui s affiche | message a l ecran | texte affiche | affichage | libelle de l erreur | ecran | intitule de l erreur | a l ecran | s affiche a l ecran | apparait a l ecran | message apparu | texte a l ecran | ce qui apparait | message obtenu | erreur affichee | code affiche | affiche a l ecran | que voyez-vous | alarme | code alarme | code d alarme | code defaut | defaut | defaut affiche | message recu | message exact | texte du message | libelle du message | message d alerte | alerte | message systeme | statut affiche',
  message: 'message | commentaire | remarque | remarques',
  since:
    'depuis | depuis le | debut | debut du probleme | survenu le | depuis quand | apparu le | constate le | premiere fois | constate depuis | debut de l incident | apparition | date d apparition | commence le | probleme depuis | anomalie depuis | depuis quelle date | date de debut du probleme | date du premier incident | premiere apparition | panne depuis | existe depuis | depuis le jour | date de la premiere anomalie | premiere anomalie | date de l incident | date de l anomalie | date du probleme | date de debut | debut de la panne | debut de l anomalie | date de survenue | constatee le | depuis le probleme',
  urgent:
    'urgent | urgence | urgente | degre d urgence | c est urgent | niveau d urgence | est-ce urgent | tres urgent | caractere urgent',
  priority: 'priorite',
  paid: 'paye | payee | deja paye | reglee | regle | deja payee | acquitte | acquittee',
  payment: 'paiement | mode de paiement | reglement | du paiement',
  status: 'statut | etat',
  interest:
    'interet | interets | interesse par | travaux | travaux souhaites | nature des travaux | type de travaux | equipement recherche | equipements recherches | equipement souhaite | equipements souhaites | produit recherche | produits recherches | service recherche | services recherches | prestation | prestation recherchee | prestations recherchees | interessee par | centres d interet | produits souhaites | besoin | besoins | besoin coche | besoins coches | cherche | souhaits | services souhaites | prestations | prestations souhaitees | demande concernant | objet de la demande | sujet | selection | choix | ce qu il vous faut | recherche | services | theme | vous cherchez | a coche | concerne | sujet coche | sujets coches | ce qui vous interesse | que recherchez-vous | que cherchez-vous | de quoi avez-vous besoin | prestation souhaitee | produit souhaite | service souhaite | case cochee | cases cochees | vous recherchez | projet | s interesse a | votre souci | je suis interesse par | je suis interessee par | interesse par les produits | modules | modules souhaites | formule | offre souhaitee | type de projet | type de prestation | services demandes | prestations demandees | produits demandes | votre besoin | vos besoins | je souhaite un devis pour | devis souhaite pour | nature du projet | solutions | objet',
  budget:
    'budget | budget du projet | enveloppe | fourchette | budget maximum | montant disponible | moyens | plafond | prix maximum | budget annuel | argent | quel est votre budget | enveloppe prevue | enveloppe budgetaire | budget maximal | budget prevu | budget disponible | plafond de depense | depense maximale | montant alloue | budget alloue | budget estime',
  people:
    'effectif | effectifs | nombre d employes | nombre de salaries | nombre d utilisateurs | utilisateurs | salaries | employes | taille de l equipe | equipe | collaborateurs | personnes | nombre de personnes | postes a equiper | nombre de postes | licences | combien de personnes | combien etes-vous | membres | combien d utilisateurs | nombre de licences | taille de l entreprise | nombre de collaborateurs | acces | combien l utiliseraient | combien de postes',
  start:
    'demarrage | debut du projet | date de debut | date de demarrage | demarrage souhaite | lancement | quand | a partir de quand | date souhaitee | debut souhaite | mise en service | debut des travaux | demarrer le | commencer le | date de lancement | lancement souhaite | quand souhaitez-vous commencer | quand souhaitez-vous demarrer | commencement | demarrage du projet',
  demo: 'demo | demonstration | souhaite une demo | souhaitez-vous une demo | souhaite une demonstration | presentation | demo souhaitee | demonstration souhaitee | demo en direct | voir une demo | souhaitez-vous une demonstration | voulez-vous une demo | voulez-vous une demonstration | demande de demo | demonstration demandee | rendez-vous de demonstration | presentation souhaitee | demonstrations',
  job: 'poste | emploi | offre | fonction | poste vise | intitule du poste | candidature au poste de | poste souhaite | metier | offre d emploi | annonce | poste recherche | candidat au poste de | postule pour | candidature | pour le poste de | metier vise | a postule a | a postule au poste | poste concerne | emploi vise | emploi recherche | candidature au poste',
  skill:
    'competences | competence | aptitudes | permis et qualifications | qualifications | competences correspondantes | savoir-faire | outils | outils et savoir-faire | maitrise | maitrises | connaissances | savoir faire | points forts | logiciels | domaines de competence | expertise | atouts | je maitrise | que savez-vous faire | ce que je sais faire | savoirs | outils maitrises | logiciels maitrises | mes competences | competences declarees | principales competences | competences cles | permis et habilitations | habilitations | certifications | competences techniques',
  language: 'langues | langue',
  experience:
    'experience | annees d experience | experience professionnelle | ans d experience | nombre d annees d experience | combien d annees d experience | annees dans le metier | anciennete dans le metier | anciennete',
  year: 'ans | annees | annee',
  salary:
    'salaire | pretentions salariales | salaire souhaite | pretentions | remuneration | remuneration souhaitee | salaire attendu | salaire vise | souhait salarial | attentes salariales | salaire demande | pretention salariale | salaire espere | souhaite gagner | quel salaire souhaitez-vous | remuneration demandee | salaire brut souhaite | ce qu il souhaite gagner | ce qu elle souhaite gagner | salaire annuel',
  available:
    'disponible | disponible le | disponibilite | date de disponibilite | disponible a partir du | disponible des le | date d entree | libre | libre le | libre a partir du | dispo | dispo le | prise de poste | entree en fonction | date de debut possible | peut commencer le | embauche possible | quand pouvez-vous commencer | prise de poste possible | disponible a compter du | debut possible',
  relocation:
    'mobilite | mobilite geographique | demenagement | pret a demenager | prete a demenager | pret a bouger | accepte de demenager | changement de region | demenager | demenageriez-vous | accepteriez-vous de demenager | demenagement possible | pret a vous relocaliser | seriez-vous pret a demenager | etes-vous pret a demenager | acceptez-vous de demenager | demenagement accepte | accepte un demenagement | disponible pour demenager',
  birth: 'naissance | date de naissance | ne le | nee le',
  serial: 'numero de serie',
  first: 'prenom',
  last: 'nom de famille',
  website: 'site web | site internet | site',
  document: 'devis | recu | avoir',
  staff:
    'prise en charge | pris en charge par | assigne a | affecte a | technicien | agent | traite par | saisi par | votre conseiller | conseiller | gestionnaire | suivi par | operateur | recommande par | recruteur | recruteuse | conseillere',
  previous: 'precedent | precedente | ancien | ancienne | dernier | derniere | mois dernier',
  advertised: 'propose | proposee',
}

export const es: Lexicon = {
  form: 'formulario',
  neutral:
    'de | del | la | el | los | las | un | una | su | sus | tu | nuestro | nuestra | para | y | con | estimada | estimado | prevista | previsto | deseada | deseado | en | por | si | es | desea | solicitada | requerida | que | cual | o | usted | anual | mensual',
  invoice: 'factura | facturas | folio | minuta | recibo n',
  order: 'pedido | orden de compra | orden | pedidos | compra | oc',
  ticket: 'ticket | incidencia | caso | expediente | parte de incidencia | averia',
  number: 'numero | n.º | nº | n° | num | no | n.o | identificador | n',
  reference: 'referencia | ref',
  date: 'fecha | dia | con fecha',
  issued:
    'fecha de emision | emitida el | fecha de expedicion | emision | realizado el | emitida | expedida | hecho el | fecha del pedido | realizada el | entro | pedido del | fecha de compra | comprado el | compra del | fecha de la factura | expedida el | fechada el | elaborada | elaborado | elaborada el | creado el | creada el',
  due: 'vencimiento | fecha de vencimiento | fecha limite de pago | pagar antes del | fecha de cargo | vence el | plazo de pago | fecha de pago | limite de pago | pagadera hasta | cargo en cuenta | fecha de cobro | antes del | ultimo dia | ultimo dia de pago | fecha tope | se cargara el | pago antes del | ingresar antes del | abonar antes del | a pagar el | pagar antes de | pago hasta el | pagadero el | se cobrara el | cargo previsto el | cargo en cuenta el | fecha limite | plazo de pago hasta | a abonar antes del',
  delivery:
    'entrega | fecha de entrega | entrega estimada | entrega prevista | envio previsto | llegada | llega el | llegara el | recepcion | fecha deseada | entrega el | entregar el | entregar antes del | reparto | fecha prevista de entrega | entrega solicitada | entrega deseada | se entrega el | se entregara el | fecha deseada de entrega | fecha de llegada | llegada prevista | fecha de envio | reparto el | dia de entrega',
  total:
    'total | importe total | total a pagar | total factura | total pedido | importe a pagar | total general | monto total | total del pedido | todo | importe cobrado | cobrado | total pagado | has pagado | a cargar | total a abonar | suma total | en total | pendiente de pago | importe pendiente | saldo | saldo pendiente | toca pagar | te toca pagar | total con iva | a ingresar | importe final | total iva incluido | precio total | precio final | total con impuestos | total de la factura | importe de la factura | importe del pedido | monto a pagar | importe a abonar | a abonar | total cobrado | resto a pagar | importe restante | resta por pagar | queda por pagar | total pendiente | importe cargado | total cargado | total abonado | total a ingresar | liquido a percibir',
  amount: 'importe | monto | cantidad a pagar | suma',
  net: 'base imponible | subtotal | sub total | neto | sin iva | importe neto | total neto',
  gross: 'iva incluido | con iva | bruto | iva incl',
  tax: 'iva | impuesto | impuestos | cuota iva | igic | iva incluido en el total | del cual iva | cuota de iva | importe del iva | impuestos incluidos | itbms | igv',
  shipping: 'gastos de envio | envio | portes | transporte | gastos de transporte | manipulacion | envio y embalaje',
  discount: 'descuento | dto',
  currency: 'moneda | divisa',
  iban: 'iban | cuenta | cuenta bancaria | numero de cuenta',
  supplier:
    'proveedor | vendedor | emisor | facturado por | emisor de la factura | comercio emisor | beneficiario | acreedor | titular de la cuenta | prestador | contratista',
  customer:
    'cliente | comprador | compradora | clienta | destinatario | destinataria | enviar a | entregar a | envio a | datos del cliente | nombre del cliente | nombre de la clienta | comprado por | facturar a | facturado a | titular | socio | socia | abonado a nombre de',
  requester:
    'solicitante | comunicado por | reportado por | notificado por | quien avisa | quien | que avisa | avisa | abierta por | registrada por | registrado por | de parte de | remitente | quien escribe | quien es | abierto por | a nombre de | comunica | persona que avisa | usuario afectado | visitante | enviado por | solicita | quien es usted | registrado para | abierto para | usuario | usuaria | autor | persona que escribe | nombre del usuario | comunicante | quien lo comunica',
  contact: 'contacto | persona de contacto | persona',
  applicant: 'candidato | candidata | aspirante',
  name: 'nombre | nombre y apellidos | nombre completo | nombre y apellido | se llama | nombre de la persona',
  company:
    'empresa | compania | organizacion | razon social | nombre de la empresa | sociedad | entidad | institucion | negocio | organismo | de la empresa | nombre del negocio | nombre de la entidad | trabaja en | su empresa | donde trabaja | viene de | trabaja para',
  email:
    'email | e-mail | correo | correo electronico | mail | direccion de correo | responder a | correo de contacto | mail de contacto | escribir a | buzon | contestar a | e mail | su correo | correo para responder | correo electronico de contacto | escribele a | escribirle a',
  phone:
    'telefono | tel | movil | celular | telefono movil | numero de telefono | telf | llamar al | numero de contacto | fijo | llamar a | tfno | wasap | whatsapp | telefono de contacto | tlf | tlfno | movil de contacto | telefono fijo | tfn | numero para llamar | telefono verificado | telefono directo | llamale al | llamarle al',
  address: 'direccion | domicilio | direccion de envio | calle',
  product: 'producto | producto afectado | producto comprado | producto adquirido | nombre del producto',
  device:
    'aplicacion | programa | equipo | elemento afectado | servicio afectado | modelo | software | dispositivo | aparato | modulo | maquina | paquete | plataforma | aplicacion afectada | dispositivo afectado | app | se refiere a | modelo de | modelo del aparato',
  item: 'articulo | articulos | productos | descripcion | concepto | detalle | que se lleva | contenido | cesta | carrito | tu cesta | su compra | articulos comprados | en la caja | lo que has pedido | que has pedido | lleva',
  quantity: 'cantidad | unidades | cant | uds',
  price: 'precio | precio unitario | p. unit',
  version:
    'version | version instalada | edicion | version en uso | revision | numero de version | firmware | compilacion | version del programa',
  error:
    'error | mensaje de error | codigo de error | fallo | pantalla | mensaje en pantalla | que sale | aviso en pantalla | texto del error | lo que aparece | mensaje mostrado | aparece | que pone | sale en pantalla | aparece en pantalla | en pantalla | que aparece | que sale en pantalla | texto en pantalla | error mostrado | codigo mostrado | que dice la pantalla | literal del error | alarma | codigo de alarma | mensaje recibido | mensaje exacto | error exacto | texto del mensaje | aviso | codigo de fallo | mensaje del sistema | alerta | mensaje que aparece | error que aparece',
  message: 'mensaje | comentario | comentarios | observaciones',
  since:
    'desde | inicio | inicio del problema | desde cuando | inicio de la incidencia | empezo | empezo el | primera vez | ocurre desde | detectado el | pasa desde | desde hace | comenzo el | comienzo del problema | problema desde | desde que dia | desde que fecha | fecha del primer fallo | primera aparicion | averia desde | fallo desde | error desde | fecha de la primera averia | fecha del fallo | fecha de la averia | fecha de la incidencia | fecha del problema | inicio de la averia | inicio del fallo | detectada el | fecha de deteccion',
  urgent:
    'urgente | urgencia | corre prisa | como de urgente | nivel de urgencia | es urgente | muy urgente | es muy urgente | corre prisa si no',
  priority: 'prioridad',
  paid: 'pagado | pagada | ya pagado | abonado | abonada',
  payment: 'pago | forma de pago | metodo de pago | del pago',
  status: 'estado',
  interest:
    'interes | intereses | interesado en | quiero presupuesto para | deseo presupuesto para | tambien me interesa | me interesa | nos interesa | me interesan | nos interesan | producto interes | servicio | trabajos | trabajos solicitados | tipo de trabajo | interesada en | servicios de interes | productos de interes | necesita | necesidad | necesidades | busca | que busca | que necesita | servicios | servicio de interes | que te interesa | que le interesa | servicio deseado | servicios deseados | tema | temas | motivo de consulta | seleccion | ha marcado | marcado | elegido | ha elegido | le interesa | quiere | solicita informacion sobre | asunto de interes | que le interesa | que busca usted | en que esta interesado | productos solicitados | servicios solicitados | producto solicitado | servicio solicitado | objeto de la consulta | que necesita usted | areas de interes | producto de interes | opcion marcada | opciones marcadas | asunto de la consulta | estoy interesado en | estoy interesada en | modulos | modulos de interes | plan de interes | tipo de servicio | tipo de proyecto | solucion | soluciones | servicios que necesita | paquete de interes | asunto',
  budget:
    'presupuesto | presupuesto maximo | presupuesto disponible | tope | presupuesto aproximado | dinero | fondos | disponible para gastar | limite de gasto | techo | cual es su presupuesto | presupuesto previsto | presupuesto aprobado | presupuesto estimado | presupuesto total | limite de presupuesto | importe disponible | cuanto puede gastar | gasto maximo | importe maximo | inversion prevista | partida | inversion | inversion maxima',
  people:
    'empleados | numero de empleados | usuarios | numero de usuarios | plantilla | trabajadores | tamano del equipo | numero de trabajadores | personas | numero de personas | cuantos son | puestos | licencias | personal | cuantas personas | cuantos sois | cuantos usuarios | cuantos empleados | numero de puestos | numero de licencias | tamano de la empresa | equipo de | miembros del equipo | numero de miembros | accesos | cuantos lo usarian | cuantos lo van a usar',
  start:
    'fecha de inicio | inicio del proyecto | comienzo | fecha de comienzo | cuando | fecha deseada de inicio | empezar el | quiere empezar | quieren empezar | arranque | puesta en marcha | inicio deseado | inicio de obra | fecha prevista de inicio | inicio previsto | cuando empezar | cuando quiere empezar | cuando desea empezar | fecha de arranque | inicio del servicio | fecha inicio | empezar | comienzo previsto | inicio de las obras | lanzamiento | quiere arrancar | quiere comenzar',
  demo: 'demo | demostracion | desea una demostracion | desea una demo | quiere una demo | presentacion | demo en vivo | quiere ver una demo | quiere demostracion | prueba en vivo | quiere una demostracion | desea ver una demo | le gustaria una demo | solicita demo | demo solicitada | demostracion solicitada | demostracion en vivo | quiere una presentacion | demostraciones',
  job: 'puesto | vacante | cargo | empleo | puesto deseado | puesto solicitado | oferta | puesto de trabajo | se presenta a | candidatura a | aspira al puesto | plaza | oferta de empleo | puesto al que aspira | vacante de | ha solicitado | solicita el puesto | se postula a | se postula para | puesto al que se postula | puesto vacante | nombre del puesto | puesto que solicita | vacante solicitada | empleo solicitado | oferta a la que se inscribe | inscrito en | profesion | anuncio',
  skill:
    'habilidades | competencias | sabe hacer | sabe | competencias coincidentes | aptitudes | conocimientos | manejo | herramientas | domina | dominio de | puntos fuertes | saber hacer | destrezas | programas | se manejar | especialidades | que domina | que dominas | que sabe hacer | que sabes hacer | se hacer | lo que se hacer | domino | capacidades | manejo de | programas que domina | herramientas que domina | conocimientos tecnicos | especialidad | idiomas y programas | competencias declaradas | principales habilidades | competencias clave | carnets y certificados | certificados | habilidades tecnicas | informatica',
  language: 'idiomas | idioma',
  experience:
    'experiencia | anos de experiencia | experiencia laboral | experiencia profesional | cuantos anos de experiencia | anos en el oficio | cuantos anos llevas en el oficio | anos trabajados | anos en el sector | experiencia en anos | trayectoria',
  year: 'anos | ano',
  salary:
    'salario | pretension salarial | expectativa salarial | sueldo | aspiracion salarial | pretensiones salariales | sueldo deseado | salario deseado | salario esperado | aspira a | pide | salario que pide | espera ganar | aspiraciones | sueldo esperado | retribucion deseada | expectativas salariales | salario pretendido | que salario espera | que salario esperas | salario bruto | pretension economica | pretensiones economicas | expectativa economica | expectativas economicas | salario que espera | salario minimo | cuanto quiere ganar | salario bruto anual esperado',
  available:
    'disponible | disponible desde | disponibilidad | fecha de incorporacion | incorporacion | disponible a partir de | libre desde | puede empezar | incorporacion desde | disponible el | podria empezar | fecha de alta posible | puede incorporarse | desde cuando puede empezar | cuando puede empezar | cuando puedes empezar | desde que dia puedes | puede empezar el | puede incorporarse el | incorporacion inmediata | fecha de disponibilidad | fecha posible de incorporacion | libre a partir de | disponible para empezar | inicio posible',
  relocation:
    'traslado | disponibilidad para mudarse | mudarse | cambio de residencia | disponibilidad para viajar y mudarse | movilidad geografica | disponibilidad para cambiar de residencia | cambio de ciudad | dispuesto a mudarse | dispuesta a mudarse | mudanza | se mudaria | se trasladaria | te trasladarias | se trasladaria usted | se mudaria usted | te mudarias | disponibilidad para trasladarse | disponibilidad de traslado | cambiaria de residencia | cambiaria de ciudad | acepta traslado | movilidad | disponible para cambiar de residencia | disponible para mudarse | disponible para trasladarse | dispuesto a cambiar de residencia | dispuesta a cambiar de residencia | dispuesto a trasladarse | dispuesta a trasladarse | estaria dispuesto a mudarse | posibilidad de traslado | disponibilidad geografica | acepta cambio de residencia',
  birth: 'nacimiento | fecha de nacimiento',
  serial: 'numero de serie',
  first: 'nombre de pila',
  last: 'apellido | apellidos',
  website: 'sitio web | pagina web | web',
  document: 'recibo | presupuesto n | factura rectificativa',
  staff:
    'tecnico | tecnica | asignado a | asignada a | atendido por | gestor | gestora | agente | operador | operadora | registrado por | recogido por | comercial | responsable asignado | reclutador | reclutadora | asesor',
  previous: 'anterior | anteriores | ultimo | pasado | mes pasado | antiguo',
  advertised: 'anunciada | anunciado | ofrecido | ofrecida | retribucion anunciada | salario ofrecido',
}

export const it: Lexicon = {
  form: 'modulo',
  neutral:
    'di | del | della | dello | dei | il | lo | la | i | gli | le | un | una | d | l | suo | vostro | tuo | nostro | per | e | con | prevista | previsto | richiesta | desiderata | desidera | in | se | da | che | qual | quale | o | lei | al | alla | annuo | annua | mensile | lorda',
  invoice: 'fattura | fatture | ft | parcella | notula | avviso di parcella | nota',
  order: 'ordine | ordini | ordine di acquisto',
  ticket: 'ticket | segnalazione | pratica | caso | richiesta n | guasto',
  number: 'numero | n. | n | nr | num | n° | codice',
  reference: 'riferimento | rif',
  date: 'data | giorno | datata',
  issued:
    'data di emissione | emessa il | data emissione | effettuato il | emissione | emessa | data ordine | ordinato il | inserito il | data dell ordine | ordine del | data di acquisto | data acquisto | acquistato il | acquisto del | fatto il | fattura del | data fattura | data documento | emesso il | effettuato | inoltrato il | redatto il | redatta il | creato il | creata il',
  due: 'scadenza | data di scadenza | da pagare entro | scade il | pagare entro | termine di pagamento | scadenza pagamento | data scadenza | pagamento entro | ultimo giorno utile | paga entro | paga entro questa data | addebito il | entro il | da pagare entro il | entro | pagabile entro | versare entro | data addebito | scade | da pagare il | pagabile il | pagamento previsto il | scadenza il | in scadenza il | addebito previsto il | data di addebito | data di pagamento | ultimo giorno per pagare | da saldare entro | saldare entro | da versare entro | termine ultimo',
  delivery:
    'consegna | consegna prevista | data di consegna | consegna richiesta | data consegna | consegna entro | arrivo | arriva il | in consegna il | consegna il | consegna stimata | arrivo previsto | data desiderata | data prevista di consegna | data prevista consegna | consegna desiderata | consegnato il | sara consegnato il | arrivera il | data di arrivo | spedizione il | data di spedizione | recapito previsto | giorno di consegna | cons richiesta',
  total:
    'totale | importo totale | totale da pagare | importo da pagare | totale fattura | netto a pagare | totale ordine | totale complessivo | totale documento | somma totale | spesa complessiva | importo addebitato | addebitato | totale addebitato | in tutto | netto a voi | da versare | a pagare | saldo | totale pagato | hai pagato | totale spesa | complessivamente | tutto compreso | quanto | quanto devi | importo dovuto | totale dovuto | da saldare | importo da saldare | totale con iva | totale iva inclusa | totale iva compresa | totale da versare | prezzo totale | prezzo finale | costo totale | totale generale | importo fattura | importo della fattura | importo dell ordine | totale dell ordine | da versare in tutto | importo finale | importo totale da pagare | da pagare in tutto | saldo da pagare | residuo da pagare | resta da pagare | importo residuo | totale residuo | netto da pagare | totale addebito | totale pagamento | totale carrello',
  amount: 'importo | somma | ammontare',
  net: 'imponibile | subtotale | totale imponibile | netto | iva esclusa | lordo | parziale',
  gross: 'iva inclusa | iva compresa | totale ivato',
  tax: 'iva | imposta | imposte | importo iva | di cui iva | iva compresa nel totale | totale iva | importo dell iva',
  shipping:
    'spedizione | spese di spedizione | trasporto | spese di trasporto | spese di consegna | imballo e trasporto | porto | spese postali',
  discount: 'sconto',
  currency: 'valuta | divisa',
  iban: 'iban | conto | conto corrente | coordinate bancarie | conto bancario',
  supplier:
    'fornitore | cedente | cedente prestatore | mittente fattura | venditore | emittente | fattura emessa da | emessa da ditta | beneficiario | creditore | intestatario del conto | prestatore | esercente',
  customer:
    'cliente | acquirente | committente | cessionario | cessionario committente | destinatario | destinataria | spedire a | consegnare a | spedito a | intestatario | ordinato da | per il cliente | a nome di | nome cliente | dati cliente | dati del cliente | nome del cliente | ordinante | compratore | compratrice | acquistato da | fatturare a | fatturato a | socio | intestato a | intestataria | abbonato | spett.le | spettabile | spett',
  requester:
    'richiedente | segnalato da | segnalatore | chi | chi scrive | da parte di | inserita da | inserito da | aperta da | aperto da | inviata da | segnala | utente | mittente | chi sei | visitatore | richiesta di | chiamante | segnalata da | chi segnala | chi e lei | chi ti scrive | chi le scrive | inserito per | aperto per | compilato da cliente | autore | nome utente | segnalante | richiedente nome | nome del richiedente | per conto del cliente | utente finale',
  contact: 'contatto | referente | persona di contatto | persona',
  applicant: 'candidato | candidata',
  name: 'nome | nome e cognome | nominativo | nome completo | si chiama | nome della persona',
  company:
    'azienda | societa | impresa | ragione sociale | ditta | organizzazione | nome azienda | per conto di | ente | struttura | attivita | istituto | per la ditta | nome della societa | nome dell azienda | nome ditta | organismo | lavora presso | la sua azienda | organizzazione di appartenenza | viene da | lavora per | dove lavora',
  email:
    'email | e-mail | mail | indirizzo email | indirizzo e-mail | posta elettronica | posta | si risponde a | rispondere a | recapito email | scrivere a | casella | risponde a | indirizzo di risposta | indirizzo di posta | la sua email | email di contatto | mail per rispondere | contatto email | indirizzo mail | scrivigli a',
  phone:
    'telefono | tel | cellulare | cell | numero di telefono | recapito telefonico | recapito | chiamare al | richiamare | fisso | tel diretto | telefonare al | cellulare personale | telefono cellulare | numero di cellulare | numero cellulare | cellulare di contatto | numero da chiamare | telefono fisso | telefono diretto | tel cell | telefono verificato | chiamare il | si risponde al | numero di recapito | chiamalo al | chiamarlo al',
  address: 'indirizzo | via | indirizzo di spedizione',
  product: 'prodotto | prodotto interessato | prodotto acquistato | nome prodotto | nome del prodotto',
  device:
    'applicazione | programma | apparecchio | strumento | servizio interessato | modello | software | dispositivo | macchina | modulo software | app | pacchetto | apparecchiatura | programma interessato | sistema | macchinario | piattaforma | gestionale | riguarda | modello di',
  item: 'articolo | articoli | prodotti | descrizione | contenuto | carrello | il tuo carrello | nel pacco | cosa | prodotti ordinati | nella scatola | hai ordinato | articoli ordinati | merce',
  quantity: 'quantita | q.ta | qta | pezzi | q ta',
  price: 'prezzo | prezzo unitario',
  version:
    'versione | release | release in uso | rel | versione installata | versione in uso | edizione | revisione | numero di versione | firmware | build | versione del programma | versione software',
  error:
    'errore | messaggio di errore | codice errore | codice di errore | messaggio errore | avviso a video | messaggio a video | a video | cosa appare | testo dell errore | avviso | schermata | cosa compare | messaggio mostrato | sul display | appare a video | appare sullo schermo | sullo schermo | compare a video | compare sullo schermo | testo a video | messaggio sullo schermo | errore mostrato | codice mostrato | cosa dice lo schermo | cosa vede | cosa si vede | dicitura | scritta a video | messaggio visualizzato | errore visualizzato | allarme | codice allarme | codice guasto | testo del messaggio | messaggio esatto | messaggio ricevuto | errore riscontrato | messaggio che appare | messaggio di sistema | segnalazione a video',
  message: 'messaggio | commento | note',
  since:
    'dal | inizio problema | da quando | inizio del problema | data inizio problema | comparso il | prima volta | da quando succede | rilevato il | succede dal | iniziato il | si verifica dal | comparso | problema dal | guasto dal | errore dal | da che giorno | data del primo errore | prima comparsa | si presenta dal | accade dal | esiste dal | difetto dal | data prima anomalia | prima anomalia | data del guasto | data del problema | data anomalia | data dell errore | inizio del guasto | inizio anomalia | riscontrato dal | riscontrata dal | anomalia riscontrata dal | anomalia dal | rilevata il | data rilevazione',
  urgent: 'urgente | urgenza | quanto e urgente | grado di urgenza | molto urgente | e molto urgente',
  priority: 'priorita',
  paid: 'pagato | pagata | saldato | saldata | gia pagato | gia saldato',
  payment: 'pagamento | metodo di pagamento | modalita di pagamento',
  status: 'stato',
  interest:
    'interesse | interessi | interessato a | mi interessa | ci interessa | mi interessano | ci interessano | lavori | lavori richiesti | tipo di lavoro | tipo di lavori | tipo di intervento | interessata a | prodotti di interesse | cosa serve | serve | servono | ha scelto | vuole | cerca | esigenza | esigenze | bisogno | richieste | servizi richiesti | servizi di interesse | servizi | tema | interessa | selezione | scelta | prodotti richiesti | vorrei un preventivo per | desidero un preventivo per | cosa cerca | oggetto della richiesta | di cosa ha bisogno | interessato | cosa le interessa | cosa le serve | di che cosa ha bisogno | che cosa cerca | oggetto di interesse | servizio richiesto | prodotto richiesto | aree di interesse | voce selezionata | voci selezionate | casella spuntata | prodotti desiderati | servizi desiderati | argomento | argomenti | oggetto della fornitura | sono interessato a | sono interessata a | moduli | moduli di interesse | pacchetto | tipo di servizio | tipo di progetto | soluzione | soluzioni | servizio di interesse | prodotto di interesse | oggetto | richiesta informazioni su',
  budget:
    'budget | budget disponibile | budget previsto | soldi | disponibilita economica | spesa massima | budget annuo | tetto | fondi | tetto di spesa | importo stanziato | stanziamento | qual e il suo budget | budget massimo | budget stanziato | disponibilita di spesa | limite di spesa | plafond | cifra massima | quanto puo spendere | risorse economiche | importo massimo | budget approvato',
  people:
    'dipendenti | numero dipendenti | numero di dipendenti | utenti | numero utenti | numero di utenti | addetti | collaboratori | dimensione del team | persone | operatori | numero di persone | quanti siete | postazioni | organico | quante persone | licenze | numero operatori | risorse | numero di addetti | numero addetti | quanti dipendenti | quanti utenti | quanti siete in azienda | numero di licenze | numero licenze | dimensione azienda | membri del team | numero di postazioni | accessi | numero di accessi | quanti lo userebbero | quanti lo useranno',
  start:
    'inizio | inizio progetto | data di inizio | data inizio | avvio | avvio progetto | partenza lavori | partenza | quando | inizio lavori | inizio desiderato | data di partenza | si parte il | inizio previsto | avvio previsto | quando iniziare | vuole iniziare | data di avvio | data avvio | data di partenza prevista | quando vuole partire | quando partire | quando si parte | inizio dei lavori | avvio attivita | avvio dei lavori | data inizio lavori | messa in servizio | partenza prevista | lancio',
  demo: 'demo | dimostrazione | desidera una demo | richiesta demo | prova dal vivo | vuole vedere una prova dal vivo | presentazione | vuole una demo | demo dal vivo | desidera una dimostrazione | desidera vedere una demo | vuole una dimostrazione | dimostrazione richiesta | demo richiesta | demo si no | presentazione dal vivo | vorrebbe una demo | dimostrazioni | demo dal vivo richiesta',
  job: 'posizione | ruolo | lavoro | mansione | posto | posizione desiderata per | si candida per | si propone per | annuncio | posizione cercata | candidato per | per l annuncio | ruolo richiesto | offerta di lavoro | si e candidato per | si e candidata per | candidatura | posizione richiesta | posizione per cui si candida | ruolo desiderato | ruolo di interesse | figura ricercata | professione | impiego | titolo dell annuncio',
  skill:
    'competenze | abilita | capacita | competenze corrispondenti | conoscenze | strumenti | punti di forza | cosa so fare | so fare | padronanza | specializzazioni | programmi | competenze tecniche | conosce | controlli | cosa sa fare | cosa sai fare | in cosa e bravo | padroneggio | programmi conosciuti | software conosciuti | strumenti conosciuti | competenze principali | conoscenze tecniche | conoscenze informatiche | abilita tecniche | qualifiche | bravo in | brava in | competenze dichiarate | competenze chiave | principali competenze | patenti e certificazioni | certificazioni',
  language: 'lingue | lingua',
  experience:
    'esperienza | anni di esperienza | esperienza professionale | esperienza lavorativa | quanti anni di esperienza | anni nel mestiere | anni di lavoro | esperienza in anni | anni nel settore | anzianita',
  year: 'anni | anno',
  salary:
    'stipendio | ral | ral richiesta | retribuzione | richiesta economica | aspettativa economica | stipendio desiderato | aspettative economiche | chiede | ral desiderata | pretesa economica | ral attesa | retribuzione richiesta | stipendio richiesto | stipendio atteso | vorrebbe | che stipendio si aspetta | che stipendio chiede | retribuzione desiderata | retribuzione attesa | richiesta retributiva | aspettativa retributiva | aspettative retributive | compenso richiesto | stipendio lordo richiesto | paga richiesta | quanto vuole guadagnare',
  available:
    'disponibile | disponibile dal | disponibilita | disponibile da | data di disponibilita | inizio disponibilita | puo iniziare | puo iniziare il | libero dal | libera dal | disponibile a partire dal | inizio possibile | puo cominciare | da quando puo iniziare | quando puo iniziare | quando puo cominciare | data di inizio possibile | libero da | libera da | disponibile il | entrata in servizio | data di ingresso | inserimento dal | inizio disponibile',
  relocation:
    'trasferimento | disponibilita al trasferimento | trasferirsi | disponibile a trasferirsi | disposto a trasferirsi | si trasferirebbe | disposta a trasferirsi | disponibile al trasferimento | cambio di citta | trasloco | si trasferirebbe altrove | disponibile al trasloco | disponibilita a trasferirsi | cambierebbe citta | e disposto a trasferirsi | e disposta a trasferirsi | mobilita | disponibile a cambiare citta | disposto al trasferimento | disposta al trasferimento | sarebbe disposto a trasferirsi | si trasferirebbe per il lavoro | disponibilita a cambiare residenza',
  birth: 'nascita | data di nascita | nato il | nata il',
  serial: 'numero di serie | matricola',
  first: 'nome di battesimo',
  last: 'cognome',
  website: 'sito | sito web',
  document: 'ricevuta | preventivo | nota di credito',
  staff:
    'operatore | operatrice | tecnico | assegnato a | assegnata a | gestito da | preso in carico da | compilata da | compilato da | referente interno | raccolto da | commerciale | selezionatore | recruiter | consulente',
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
