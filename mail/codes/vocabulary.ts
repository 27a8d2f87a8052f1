/**
 * The words around verification codes and links, in the languages of the mails that carry them. A new language needs its
 * words here, and nothing elsewhere. Each string is a regular expression over lower-case text, in which a blank stands for
 * any white space and `~` for any ending of the word.
 */

/** The words of one language by what they tell; each list is a kind of cue (`cues.ts`). */
export type Vocabulary = {
  /** Words that look like those of another kind and tell nothing: "in order to" is no order. */
  readonly neutral?: readonly string[]
  /** Names of a verification code: "security code". They announce one by themselves. */
  readonly strong: readonly string[]
  /** A mere "code". It announces one when nothing speaks against it. */
  readonly weak: readonly string[]
  /** Names of another number, or of a code of another kind: "order number", "zip code". */
  readonly other: readonly string[]
  /** Words of shops, beside which a mere "code" is a discount. */
  readonly sale: readonly string[]
  /** Words for digits, which are a code when the reader is asked to enter them. */
  readonly figures?: readonly string[]
  /** Verbs for entering a code that stand before it: "enter". */
  readonly enter: readonly string[]
  /** Verbs for entering a code that stand behind it, as in German: "eintippen". */
  readonly typed?: readonly string[]
  /** What a code is entered for, or where: "sign in", "on the page". */
  readonly goal: readonly string[]
  /** What a link says that verifies an address, activates an account or sets a new password. */
  readonly confirm: readonly string[]
  /** What a link says that signs the reader in. */
  readonly login: readonly string[]
  /** What a link says that leads elsewhere: to unsubscribe, to legal pages, to help. */
  readonly leave: readonly string[]
}

/** The vocabularies by language (ISO 639-1), the last of several small ones; all are looked for in every mail. */
export const languages: { readonly [language: string]: Vocabulary } = {
  en: {
    neutral: [
      'in order to|no (?:longer|one|worries|problem)|of course|number of|number in',
      '(?:your|the|this|my|an|to) account|(?:uni|geo|source|en|de)code',
    ],
    strong: [
      '(?:e-?mail |account |identity |device |phone |sms )?(?:verification|verify|security|confirmation|authentication|authorization|authorisation|activation|validation|registration|log-?in|log in|sign-?in|sign in|sign-?up|access|one-?time|single-?use|two-?factor|2fa|mfa|temporary|recovery|reset|device|pairing|linking|unlock|magic|secret|approval|secure|guard|signing|signature|backup|emergency|session|entry|identification|withdrawal)(?: log-?in| sign-?in| security| verification)? (?:code|pin|number|passcode|key)s?',
      '(?:one-?time|single-?use|temporary) (?:password|pass ?code|pin|code)s?',
      'otps?|pass ?codes?|pin(?: code)?|auth code',
    ],
    weak: ['codes?', 'token'],
    other: [
      '(?:promo(?:tion~)?|discount|coupon|voucher|gift(?: card)?|referral|invite|invitation|zip|postal|post|area|country|dial~|product|item|error|status|exit|response|qr|bar|source|dress|tax|sort|swift|bic|currency|airport|booking|reservation|tracking|order|colou?r|hs|customer|store|branch|offer|pick-?up|locker|licen[cs]e|room|course|class|company|school|project|job|department|cost|catalog(?:ue)?|style|stock|model|team) (?:codes?|keys?)',
      'codes? (?:of|review|base|coverage|freeze)|(?:post|bar|qr|zip|promo)codes?',
      '(?:booking|reservation|flight|order|purchase) confirmation (?:code|number)s?',
      '(?:zip|iban|bic|isbn|imei|vat|ssn|po box)',
      '(?:order|invoice|tracking|customer|account|card|case|ticket|reference|ref|serial|model|policy|member(?:ship)?|booking|reservation|contract|conference|meeting|parcel|request|transaction|phone|build|flight|room|row|seat|extension|ext|article|item|version|commit|rank|balance|amount|total|line|call|fax|tel|form|year)(?: (?:no|nr|number|id|reference|ref))?',
      '(?:id|number|no(?=[.:]? ?[0-9#]))|confirmation (?:no|nr|number|id)|ending(?: in| with)?|ends? (?:in|with)',
      'licen[cs]e(?: key)?',
      '(?:last|first|final) (?:[2345678]|two|three|four|five|six) digits',
      'digits of',
      '(?:office|branch|gate|suite|shelf|store|agent|desk|dock|bay|apt|apartment)',
      '(?:parcel|collection|classroom|conference) codes?',
      '(?:employee|student|patient|user|member|passenger|sequence|batch|lot|application|claim|registration|vehicle) (?:id|no|number|nr)',
      '(?:lane|plate|dorm|terminal|pump|aisle|unit|level)',
      '(?:driver|advisor|module|agent|dealer|site|station|location|contravention|offence|permit|tariff|rate|pay|plan|unit|billing|procedure|diagnosis|menu|seat|stop|fare|event|venue|campaign) codes?',
    ],
    sale: [
      '(?<=%\\s)off',
      'discount~|checkout|coupon~|voucher~|promo~|gift~|credits',
      '(?:your )?next (?:order|purchase|visit|booking|time)|free (?:shipping|delivery)',
    ],
    figures: [
      'digits|(?:this|these|the following) (?:numbers?|figures)',
      '(?:[45678]|four|five|six|seven|eight)[ -]digit(?: number| sequence)?',
      'characters',
      '(?:enter|type(?: in)?|use|copy|key in) the (?:number|figures)',
    ],
    enter: [
      'enter(?:ing)?|(?:us|typ|provid|past)(?:e|ing)(?: in)?|(?:copy|key|input)(?:ing)?(?: in)?',
      '(?:submit|supply|put|pop|fill in|reply with|respond with|punch in|press|dial|drop|tap in)',
    ],
    goal: [
      '(?:verify|confirm|activate|authenticate|validate|authori[sz]e|approve|pair|unlock)',
      '(?:verif|confirm|activat|authenticat|validat|authori[sz]|approv|pair|unlock)(?:ying|ing)',
      '(?:sign|log)(?:n?ing|ging)?[ -]?(?:in|up|on)',
      '(?:finish|complete) (?:creating|signing|setting|your|the)|reset (?:your|the) password',
      '(?:continue|proceed|register|registration|prove|reactivate|link(?:ing)? (?:your|the|this)|connect(?:ing)? (?:your|the|this)|belongs to you|be sure|make sure|let you in)',
      '(?:in|into|on|at) (?:the|your|that|this|our) (?:[a-z-]+ )?(?:app|screen|page|form|box|field|window|tab|browser|site|website|portal)',
      'when (?:asked|prompted)',
      '(?:in|into|on|at) (?:the|your|that|this) (?:[a-z-]+ )?(?:keypad|panel|kiosk|device|phone|tablet|tv|television|console|watch|terminal|computer|wizard|dialog)',
      'where (?:asked|you left off)|(?:password|account) (?:recovery|reset)|(?:forgot|lost) your password',
      '(?:verification|confirmation)(?= ?:)|is yours',
    ],
    confirm: [
      '(?:verify|confirm|activate|validate|verification|confirmation|activation)',
      '(?:complete|finish) (?:your )?(?:registration|sign-?up)',
      '(?:reset|choose|create|set|change) (?:your |a |the )?(?:new )?password',
      'magic link|password reset',
    ],
    login: ['(?:sign|log)[ -]?in', 'without a password'],
    leave: [
      'unsubscribe~|opt[ -]?out|(?:e-?mail )?preferences|privacy~|terms|help|support|contact~|browser|legal',
      "faq|(?:didn't|did not|wasn't|was not|not you|report)",
    ],
  },
  de: {
    neutral: ['(?:dein|ihr|mein|euer)(?:em|en|es)? konto'],
    strong: [
      '(?:verifizierungs|koppel|kopplungs|verknüpfungs|geräte|legitimations|zugriff|bestätigung|transaktions|reset-?|push-?|verifikations|bestätigungs|sicherheits|einmal|anmelde|login-?|zugangs|zugriffs|aktivierungs|freischalt|freigabe|authentifizierungs|authentisierungs|prüf|registrierungs|autorisierungs|identifikations|sms-?|wiederherstellungs)[ -]?(?:codes?|pin|nummer|kennwort|passwort|schlüssel|zahl)',
      'einmal(?:ige[rsn]?)? (?:code|passwort|kennwort|pin)|(?:m|sms-?|push-?|photo-?)?tan',
      '(?:zugangs|zugriffs|anmelde|start|einmal|sicherheits|entsperr)-(?:pin|tan|passwort)',
      'kennziffer',
      '(?:signatur|bestätig|entsperr|unterschrifts|türöffnungs|tür|start|geräte|konto)-?codes?',
    ],
    weak: ['codes?', 'zahlencode', '(?:zahlen|ziffern)folge', 'pin-code'],
    other: [
      '(?:gutschein|rabatt|aktions|promo(?:tions)?|geschenk|empfehlungs|einladungs|fehler|produkt|artikel|qr-?|strich|bar|länder|bic-?|swift-?|buchungs|abhol|farb|quell)-?codes?',
      '(?:bestell|rechnungs|kunden|sendungs|paket|auftrags|vorgangs|referenz|buchungs|reservierungs|vertrags|konto|karten|mitglieds|serien|telefon|haus|zähler|artikel|ticket|akten|bestellungs|steuer)(?:nummer|zeichen|nr)?',
      '(?:bestellung|rechnung|auftrag|sendung|buchung|reservierung|konto|karte|kundennr|nr|nummer|aktenzeichen|plz|postleitzahl|version|zimmer|raum|platz|filiale|betrag|gesamtpreis|telefon|durchwahl|jahre?|saldo|modell)',
      'letzten? (?:vier|drei|4|3) (?:ziffern|stellen|zahlen)|endet auf|endend auf|endziffern?',
      '(?:büro|gleis|tor|wagen|regal|schalter|personalnummer|matrikelnummer|auszug)',
      'verwendungszweck|benutzer(?:name|nummer)|teilnehmernummer',
      '(?:matrikel|personal|mandats|auftrags|kurs|start|losnummer)nummer',
      '(?:kunden|auftrags|lieferanten|mitglieds|tarif|standort|filial|berater|mandanten|haltestellen|stations)codes?',
      '(?:klassen|kurs|paketfach|packstation)-?codes?',
    ],
    sale: ['rabatt~', 'gutschein~', 'sparen', 'kasse', 'angebot~', 'prozent', 'nächste[nrs]? (?:bestellung|einkauf)'],
    figures: ['zahl(?:en)?|ziffern|zeichenfolge', '(?:gib|tippe|geben sie|tippen sie) (?:bitte )?die (?:nummer|zahl)'],
    enter: [
      'geben sie|gib|tippe|tippen sie|trage|tragen sie|eingeben|verwenden sie|verwende|nutzen sie|benutze',
      'tipp|geben|eingabe|eingabe von|übertragen sie|kopiere|kopieren sie|nutze|benutzen sie',
      '(?:geben|tippen|tragen) sie bitte|füge|fügen sie|schreib|schreiben sie|übertrage|übernimm|übernehmen sie',
    ],
    typed: [
      'einge(?:ben|tippt|geben)',
      'ein(?:gibst|gebt|tippen|tippst|tippt|tragen|trägst|zugeben|zutippen|zutragen)',
    ],
    goal: [
      'bestätigen|anmelden|einzuloggen|anzumelden|zu bestätigen|verifizieren|freizugeben|ein|bestätige',
      'bestätigung|freigabe|anmeldung|einloggen|login|registrierung|abzuschließen|abschließen|fortzufahren',
      'aktivieren|freischalten|zurücksetzen|fort|weiter(?:zu)?machen|ins eingabefeld',
      '(?:auf|in) (?:der|dem|die|das|deiner|ihrer) (?:app|seite|webseite|eingabefeld|maske|bildschirm)',
      'anmelde~|login~',
      '(?:im|in das|ins|in dem) \\p{L}*(?:fenster|feld|formular|portal|maske)',
      '(?:zu )?entsperren|(?:zu )?öffnen|(?:zu )?(?:verbinden|verknüpfen|koppeln)|verbinde|verknüpfe|kopple|kopplung',
      '(?:passwort|kennwort) vergessen|wiederherstellung|(?:passwort|kennwort)-?reset|dir gehört|ihnen gehört',
    ],
    confirm: [
      'bestätig~|verifizier~|aktivier~|freischalt~',
      '(?:passwort|kennwort) (?:zurücksetzen|zurückzusetzen|ändern|festlegen|vergeben)',
      '(?:neues|neue) (?:passwort|kennwort)|registrierung abschließen',
    ],
    login: ['anmelden', 'einloggen', 'anmeldelink', 'login-?link', 'ohne passwort'],
    leave: ['abmeld~|abbestell~|impressum|datenschutz~|agb|hilfe|kontakt|im browser|nicht angefordert|nicht sie'],
  },
  fr: {
    neutral: ['(?:votre|ton|mon|un) compte'],
    strong: [
      "code(?: pin| sms)? (?:de (?:vérification|sécurité|confirmation|connexion|validation|récupération|réinitialisation)|d['’](?:accès|activation|authentification|autorisation|inscription|identification)|à usage unique|temporaire|unique|secret)",
      'code de sécurité à usage unique|(?:mot de passe|code) (?:à usage unique|temporaire|unique)',
      'code (?:pin|otp|sms)',
      '(?:code|mot de passe|clé) (?:à usage unique|provisoire|confidentiel|personnel|dynamique|de signature|de déverrouillage)',
      "clé (?:d['’]activation|de sécurité|de connexion)",
    ],
    weak: ['codes?'],
    other: [
      "codes? (?:promo~|postal|postaux|de réduction|de la route|client|barres?|à barres|produit|article|parrainage|cadeau|avantage|erreur|d['’]erreur|pays|qr|civil|couleur|guichet|banque|bic|swift|de réservation|de suivi|de retrait|de (?:classe|cours))",
      '(?:commande|facture|référence|réf|client|colis|dossier|contrat|compte|carte|réservation|siret|siren|série|modèle|téléphone|tél|numéro|article|bureau|salle|vol|version|montant|total|solde|année)(?: n[°ºo.]*)?',
      'n[°º]|se terminant par',
      '(?:[2345678]|quatre|trois|deux) (?:derniers|premiers) chiffres',
      "chiffres? d['’]affaires",
      '(?:bureau|quai|porte|guichet|agence|bail|ligne|matricule|code locataire)',
      'identifiant|(?:poste|motif|libellé|mandat)|code (?:étudiant|adhérent|abonné|agence|immeuble)',
      'codes? (?:contrat|tarif|commune|insee|ape|naf|point de vente)',
    ],
    sale: ['remise|promo~|réduction|soldes|au moment du paiement|cadeau|offre|prochaine? (?:commande|achat)'],
    figures: [
      'séquence',
      'chiffres|(?:ces|les) (?:numéros|caractères)|ce (?:numéro|nombre)',
      '(?:saisissez|entrez|tapez|renseignez|composez) le (?:numéro|nombre)',
    ],
    enter: [
      'saisissez|entrez|utilisez|saisir|tapez|indiquez|taper|entrer|renseigne[rz]|recopie[rz]|copie[rz]',
      'reporte[rz]?|composer?z?|utiliser|tape|saisis|entre|recopie|rentre[rz]?|colle[rz]?|inscri(?:s|vez|re)|indique',
    ],
    goal: [
      'vérifier|confirmer|vous connecter|connecter|activer|valider|autoriser|réinitialiser|poursuivre',
      'continuer|terminer|finaliser|connexion|inscription|confirme[rz]?|valide[rz]?|identité',
      "sur (?:la page|l'écran)|dans (?:l'appli|l'application|le champ)|se connecter|accès|déverrouiller",
      "réinitialisation|(?:mot de passe )?oublié|vérifie[rz]?|là où (?:on|c')|est (?:bien )?(?:la|le) (?:tienne?|vôtre)",
      'ouvrir|associe[rz]|relie[rz]|lier|connecte[rz]|appaire[rz]',
    ],
    confirm: [
      'confirme[rz]|vérifie[rz]|active[rz]|valide[rz]',
      '(?:réinitialise[rz]|change[rz]|crée[rz]|choisi(?:r|ssez)) (?:votre |mon |ton |un |le )?(?:nouveau )?mot de passe',
      'nouveau mot de passe',
    ],
    login: ['(?:vous |se |me )?connecter', 'connexion', 'connecte[sz]?', 'connectez-vous', 'sans mot de passe'],
    leave: ['(?:se )?désinscri~|désabonn~|mentions légales|confidentialité|aide|contact|conditions|navigateur'],
  },
  es: {
    neutral: ['(?:tu|su|mi|una) cuenta'],
    strong: [
      'c[óo]digo (?:de )?(?:verificaci[óo]n|seguridad|acceso|confirmaci[óo]n|activaci[óo]n|autenticaci[óo]n|autorizaci[óo]n|inicio de sesi[óo]n|validaci[óo]n|registro|recuperaci[óo]n|un solo uso|único|temporal|otp|sms|pin)',
      '(?:clave|contraseña|código) (?:de un solo uso|de un s[óo]lo uso|temporal|dinámica|única|de acceso)',
      'nip',
      'código (?:de (?:desbloqueo|firma|vinculación|emparejamiento|identificación)|dinámico|secreto|de seis dígitos)',
      '(?:clave|token) de (?:seguridad|verificación|confirmación|autorización|activación)',
    ],
    weak: ['c[óo]digos?', 'clave', 'token'],
    other: [
      'c[óo]digos? (?:postal~|promocional~|de (?:descuento|pedido|seguimiento|rastreo|barras|cliente|reserva|producto|error|referencia|regalo|invitación|país|área|recogida|retirada|color|conducta|clase|curso)|qr|bic|swift|fiscal)',
      '(?:pedido|factura|referencia|cliente|envío|paquete|expediente|contrato|cuenta|tarjeta|reserva|serie|modelo|teléfono|tel|número|artículo|sala|vuelo|versión|importe|total|saldo|matrícula|socio|localizador|seguimiento|año)(?: n[.°º]*)?',
      'terminad[ao] en|termina en',
      'últimos? (?:[2345678]|cuatro|tres) (?:dígitos|números|cifras)',
      '(?:oficina|puerta|andén|consulta|planta|sucursal|póliza|solicitud|ventanilla|mesa)',
      'c[óo]digo (?:estudiantil|de (?:estudiante|alumno|empleado|socio|asociado|barrio|operación))',
      '(?:concepto|usuario|operación|cédula|ruc|nit|dni)',
      'c[óo]digo (?:cups|de (?:contrato|tarifa|cuenta|comercio|sucursal|empresa|agente|emisora|convenio)|cliente|iata)',
    ],
    sale: ['descuento|ahorra~|oferta~|rebaja~|promoci~|cupón|en la caja|regalo|próxim[ao] (?:compra|pedido)'],
    figures: [
      'cifras|dígitos|(?:este|estos|los siguientes|el siguiente) números?',
      '(?:introduce|introduzca|ingresa|ingrese|escribe|digite) el número',
    ],
    enter: [
      'introduce|introduzca|ingresa|ingrese|usa|utiliza|utilice|escribe|digite|copia|copie|copiar',
      'introducir|ingresar|escriba|escribir|teclea|teclee|digita|pon|anota|inserta|inserte|pega|pegue|marca|marque|rellena',
    ],
    goal: [
      'verificar|confirmar|iniciar sesi[óo]n|activar|validar|autorizar|restablecer|acceder|continuar|seguir',
      'completar|terminar|finalizar|confirma|verifica|autorizarla|recuperar|inicio de sesi[óo]n',
      'iniciado sesi[óo]n|en (?:la|tu|su) (?:app|pantalla|página)|acceso|desbloquear|abrir',
      'restablecimiento|comprobar|recupera(?:r|ción)?|(?:es|sea) (?:tuy|suy)[oa]|olvidaste|en la (?:pestaña|ventana|casilla)',
      'vincula[rs]?|vincule|enlazar|asociar|emparejar|conectar',
    ],
    confirm: [
      'confirma~|verifica~|activa~|valida~',
      '(?:restablece~|cambia~|crea~|elegi~) (?:tu |su |mi |una |la )?(?:nueva )?contraseña',
      'nueva contraseña',
    ],
    login: [
      'iniciar sesión',
      'inicia sesión',
      'acceder',
      'entrar',
      'entra',
      '(?:enlace|link) de acceso',
      'sin contraseña',
    ],
    leave: [
      'darte de baja|darse de baja|cancelar (?:la )?suscripción|privacidad|aviso legal|ayuda|contacto',
      'navegador|condiciones',
    ],
  },
  pt: {
    neutral: ['(?:sua|tua|uma) conta'],
    strong: [
      'c[óo]digo (?:de )?(?:verificação|segurança|acesso|confirmação|ativação|autenticação|autorização|login|entrada|validação|registo|cadastro|recuperação|uso único|único|temporário|otp|sms|pin)',
      'token de (?:acesso|segurança|verificação)',
      '(?:senha|palavra-passe|código|chave|token|pin) (?:de segurança|de verificação|de confirmação|de autenticação|de uso único|de utilização única|temporária|descartável|de acesso)',
      'código (?:de (?:desbloqueio|assinatura|identificação|emparelhamento|vinculação)|secreto|provisório)',
      'senha provisória',
    ],
    weak: ['c[óo]digos?', 'token'],
    other: [
      'c[óo]digos? (?:postal|postais|promocional|promocionais|d[aeo] (?:desconto|pedido|rastreamento|rastreio|barras|cliente|reserva|produto|erro|referência|indicação|país|área|retirada|levantamento|recolha|cor|turma|aula|status|estado)|qr|bic|swift)',
      'c[óo]digo-fonte|cobertura de código',
      '(?:pedido|fatura|referência|cliente|encomenda|processo|contrato|conta|cartão|reserva|série|modelo|telefone|tel|número|artigo|sala|voo|versão|valor|total|saldo|placa|sócio|cep|rastreio|boleto|ano)(?: n[.°º]*)?',
      'termina(?:do|da)? em|final|últimos (?:[2345678]|quatro|três) (?:dígitos|números)',
      '(?:agência|portão|balcão|protocolo|apólice|solicitação|sala|mesa|matrícula|guichê)',
      '(?:inscrição|edital|matrícula|usuário|nif|cpf|cnpj)',
      'código (?:do (?:aluno|usuário|associado|imóvel)|da agência)',
    ],
    sale: ['desconto~', 'cupom', 'oferta~', 'promoç~', 'presente', 'próxim[ao] (?:compra|pedido)'],
    figures: [
      '(?:esta|essa)s letras',
      'dígitos|algarismos|(?:este|estes|esse|esses|os seguintes|o seguinte) números?',
      '(?:digite|insira|introduza|informe) o número',
    ],
    enter: [
      'digite|insira|introduza|use|utilize|informe|copie|copia|digitar|digita|digitando|inserir|inserindo',
      'introduzir|escreva|preencha|coloque|usa|cole|colar|indique|marque|marca',
    ],
    goal: [
      'verificar|confirmar|entrar|ativar|validar|autorizar|redefinir|iniciar sessão|continuar|prosseguir',
      'concluir|finalizar|completar|confirme|verifique|ative|cadastro|registo|acessar|aceder|login',
      'n[ao] (?:app|aplicativo|tela|ecrã|página|site)|desbloquear|abrir|liberar',
      'recuper(?:ar|ação|e)|esquece(?:u|ste)|n[ao] (?:janela|campo|formulário|separador|aba|homebanking)|checa(?:r|d[oa])|confirmação(?= ?:)',
      'associar|vincular|ligar|conectar|emparelhar',
    ],
    confirm: [
      'confirm(?:ar|e|a)|verificar|verifique|ativar|ative|validar',
      '(?:redefinir|alterar|criar|definir|redefina|altere|crie|defina) (?:a |sua |minha |uma )?(?:nova )?(?:senha|palavra-passe)',
      'nova senha|nova palavra-passe',
    ],
    login: ['entrar', 'iniciar sessão', 'fazer login', 'acessar', 'link de acesso', 'sem (?:senha|palavra-passe)'],
    leave: ['cancelar (?:a )?(?:inscrição|subscrição)|descadastr~|privacidade|ajuda|contato|navegador|termos'],
  },
  it: {
    neutral: ['(?:tuo|suo) conto'],
    strong: [
      "codice (?:di (?:verifica|sicurezza|conferma|accesso|attivazione|autenticazione|autorizzazione|login|recupero|convalida|registrazione)|d['’]accesso|d['’]attivazione|monouso|temporaneo|otp|pin|sms|segreto)",
      '(?:password|codice) (?:monouso|temporanea|usa e getta)',
      'codice (?:di (?:firma|sblocco|associazione|abbinamento|identificazione|ripristino)|dispositivo|provvisorio|numerico)',
      '(?:pin|password) (?:temporane[oa]|provvisori[oa])',
    ],
    weak: ['codic[ei]'],
    other: [
      'codic[ei] (?:postale|sconto|promozional~|promo|fiscale|cliente|ordine|a barre|prodotto|prenotazione|di errore|errore|destinatario|iban|bic|swift|regalo|articolo|qr|di prenotazione|di avviamento|univoco|di ritiro|di consegna|(?:della|di) classe|del corso)',
      'codice sorgente',
      '(?:ordine|fattura|riferimento|cliente|spedizione|pacco|pratica|contratto|conto|carta|prenotazione|serie|modello|telefono|tel|numero|articolo|stanza|volo|versione|importo|totale|saldo|targa|tessera|verbale|iva|cap|anno)(?: n[.°º]*)?',
      'che termina con|termina con|ultime (?:[2345678]|quattro|tre) cifre',
      '(?:ufficio|binario|sportello|filiale|polizza|richiesta|matricola|piano|posto)',
      'causale',
      'codic[ei] (?:pod|pdr|tributo|comune|contratto|utente|pratica|spedizione|ateco|istituto|agente|catastale)',
    ],
    sale: ['sconto', 'risparmia~', 'offert~', 'promozion~', 'alla cassa', 'buono', 'prossimo (?:ordine|acquisto)'],
    figures: [
      'cifre|(?:questo|questi|i seguenti|il seguente) numer[oi]|il numero (?:qui )?(?:sotto|seguente)',
      '(?:inserisci|inserisca|digita|digiti) il numero',
    ],
    enter: [
      'inserisci|inserisca|usa|utilizza|digita|immetti|copia|copi|digiti|digitare|digitando|inserire',
      'inserendo|inserite|scrivi|scriva|utilizzi|usi|riporta|riporti|componi|incolla|incolli|ricopia|copialo',
    ],
    goal: [
      'verificare|confermare|accedere|attivare|convalidare|autorizzare|reimpostare|continuare|proseguire',
      'procedere|completare|completa|concludere|terminare|conferma|verifica|accesso|registrazione',
      "(?:nell'|sull')app|(?:nella|sulla) (?:pagina|schermata)|sbloccare|aprire",
      'recupera(?:re)?|recupero|verifichiamo|dimenticat[oa]|(?:è|sia) (?:proprio )?tu[oa]|nel modulo|nella (?:finestra|casella)',
      'collega(?:re)?|abbina(?:re)?|associa(?:re)?|connettere',
    ],
    confirm: [
      'conferma~|verifica~|attiva~|convalida~',
      '(?:reimposta~|cambia~|crea~|imposta~) (?:la |tua |mia |una )*(?:nuova )?password',
      'nuova password',
    ],
    login: ['accedi', 'accedere', 'effettua il login', '(?:link|collegamento) di accesso', 'senza password'],
    leave: [
      'annulla(?:re)? (?:l.)?iscrizione|disiscri~|privacy|note legali|aiuto|assistenza|contatti|browser',
      'termini',
    ],
  },
  nl: {
    strong: [
      '(?:verificatie|koppel|bevestiging|login|apparaat|validatie|autorisatie|identificatie|toestemmings|transactie|beveiligings|bevestigings|inlog|login-?|toegangs|activerings|activatie|authenticatie|aanmeld|controle|registratie|autorisatie|herstel|veiligheids|sms-?)(?:code|nummer|pin|getal|cijfers)',
      'eenmalige? (?:code|wachtwoord|pincode|toegangscode|inlogcode)',
      'pin-?code|eenmalig wachtwoord|(?:signeer|ondertekenings|ontgrendel|apparaat|open)code',
    ],
    weak: ['codes?'],
    other: [
      '(?:kortings|actie|voucher|cadeau|product|fout|bar|qr-?|streepjes|land|afhaal|track & trace-|track-and-trace-|boekings|kleur)codes?',
      '(?:track & trace|postcode)(?:-code)?',
      '(?:bestel|factuur|klant|order|zending|pakket|referentie|boekings|reserverings|contract|rekening|kaart|lid|serie|telefoon|meter|zaak|ticket|dossier)(?:ing)?(?:nummer)?',
      '(?:bestelling|factuur|rekening|reservering|zaaknummer|kenteken|kamer|model|versie|bedrag|saldo|totaal|nummer|nr|jaar|telefoon|bel)',
      'eindigend op|eindigt op|laatste (?:[2345678]|vier|drie) cijfers',
      '(?:kantoor|balie|perron|spoor|polis|filiaal|loket|zaal)',
      '(?:gebruikersnaam|kenmerk|betalingskenmerk|relatienummer|inschrijf(?:nummer)?)',
      '(?:ean|klant|tarief|filiaal|locatie|object|ophaal|klassen|les)-?codes?',
    ],
    sale: ['korting~', 'afrekenen', 'aanbieding~', 'bespaar', 'cadeau~', 'volgende (?:bestelling|aankoop)'],
    figures: [
      'cijfers|cijferreeks|(?:dit|deze) (?:nummers?|getal|getallen)',
      '(?:voer|vul|typ|gebruik) het (?:nummer|getal)',
    ],
    enter: [
      'voer|vul|gebruik|typ|typ(?:e|t)?|tik|toets|kopieer|neem|vult|voert|invullen|voer dan|plak|plakken|neem|overnemen|noteer',
    ],
    goal: [
      'bevestigen|in te loggen|inloggen|verifiëren|activeren|goed te keuren|bevestig|bevestiging',
      'verder te gaan|door te gaan|doorgaan|verder|voltooien|te voltooien|afronden|af te ronden|inlog',
      'log in|registratie|aanmelding|te bekijken|bekijken|op (?:het|je|uw) scherm',
      'in (?:het|je|uw) (?:scherm|venster)|in de app|op de (?:site|website|pagina)|inlog~|aanmeld~',
      'koppel|koppelen|verbinden|wachtwoord (?:vergeten|kwijt|herstellen)|nieuw wachtwoord|van jou is',
      'in (?:het|je|uw) (?:open )?\\p{L}*(?:scherm|venster|veld|formulier)|(?:te )?ontgrendelen|(?:te )?openen',
    ],
    confirm: [
      'bevestig~|verifieer|verifiëren|activeer|activeren',
      '(?:nieuw )?wachtwoord (?:instellen|herstellen|wijzigen|opnieuw instellen)',
      'nieuw wachtwoord',
    ],
    login: ['inloggen', 'in te loggen', 'log in', 'inloglink', 'log je', 'zonder wachtwoord'],
    leave: ['afmeld~', 'uitschrijv~', 'privacy~', 'voorwaarden', 'hulp', 'contact', 'browser'],
  },
  ja: {
    strong: [
      '(?:認証|確認|検証|セキュリティ|ログイン|アクセス|本人確認|承認|有効化|アクティベーション|ワンタイム|認証用|登録|サインイン|照合)(?:用)?(?:コード|キー|番号)',
      'ワンタイム(?:パスワード|コード)|パスコード|暗証番号|(?:pin|確認用|再設定|解除|照会|初期設定|連携|ペアリング|署名)コード|確認用?数字',
      '(?:解錠|開錠|解除|ロック|入室|受取)(?:番号|キー)',
    ],
    weak: ['コード'],
    other: [
      '(?:クーポン|プロモーション|割引|ギフト|招待|紹介|商品|エラー|qr|バー|郵便|製品|カラー|国|ソース|店舗)(?:コード|番号)',
      '(?:注文|追跡|予約|会員|お?客様|顧客|口座|請求書?|製造|電話|伝票|問い?合わ?せ|受付|整理|契約|便|車両|カード|型|部屋)番号',
      '(?:クラス|教室)(?:コード|番号)|受取用(?:暗証番号|コード|番号)',
      '(?:型番|便名|金額|料金|残高|内線|区画|座席|会議室|バージョン|合計|お問い合わせ)|末尾|下4桁|下四桁|(?:窓口|支店|店番|番線|号車|証券)番?号?',
      '(?:お?客様|取引先|支店|銀行|金融機関|会社|社員|施設|地域)コード|承認番号',
    ],
    sale: ['オフ', '割引', 'クーポン', 'セール', '次回のご(?:注文|利用|購入)'],
    figures: ['数字', '桁の番号'],
    enter: [],
    typed: ['入力', '打ち込'],
    goal: ['連携', '紐付', '完了', '続行', '続け', '手続き', '進め', '登録', 'ログイン', 'サインイン', '認証', '確認'],
    confirm: [
      '(?:メール|アドレス|アカウント).{0,8}(?:確認|認証|検証)|確認|認証|有効[化に]|本登録|登録を完了|パスワード.{0,4}(?:再設定|リセット|変更)',
    ],
    login: ['ログイン', 'サインイン', 'パスワードなし'],
    leave: ['配信停止', '購読解除', '退会', 'プライバシー', '利用規約', 'ヘルプ', 'お問い合わせ', 'ブラウザ'],
  },
  zh: {
    strong: [
      '(?:短信|手机|邮箱|郵箱|登录|登入|登錄|动态|動態|安全|身份|邮件|郵件|交易|支付)?(?:验证|驗證|校验|校驗|核验|核驗|查验|确认|確認|认证|認證|动态|動態|安全|激活|启用|啟用|授权|授權|登录|登入|登錄|识别|一次性|访问)(?:码|碼|代码|代碼|密码|密碼|口令)',
    ],
    weak: ['代码', '代碼', '驗證', '口令', '密码', '密碼'],
    other: [
      '(?:优惠|優惠|折扣|促销|兑换|兌換|邀请|邀請|推荐|取件|提货|邮政|郵政|邮|二维|二維|条形|條碼|错误|錯誤|商品|产品|礼品|卡)(?:码|碼|代码|代碼|编码|編碼)',
      '(?:订单|訂單|运单|快递|物流|发票|發票|客户|会员|會員|预约|預約|账|帳|卡|电话|電話|会议|序列|流水|车牌|航班)(?:号|號|编号|編號|号码|單號|单号)?',
      '(?:班级|班級|课程|課程|课堂|課堂)(?:码|碼|代码|代碼|密码|密碼)',
      '(?:邮编|郵遞區號|版本|金额|余额|费用|房间|座位|车位|积分)|尾号|尾號|[后後末][四4]位|[后後末][四4]碼|(?:提取|取餐|核销|乘车|收款|付款)[码碼]',
    ],
    sale: ['(?:无线|無線)(?:网络|網路|上网)', '优惠', '折扣', '促销', '八折', '下次购物', '下单'],
    figures: ['数字', '數字'],
    enter: ['输入', '輸入', '使用', '填写', '填寫', '键入', '鍵入', '填入'],
    goal: ['完成|继续|繼續|登录|登入|登錄|验证|确认|確認|激活|绑定|綁定|注册|註冊|重置|重設'],
    confirm: ['验证|驗證|确认|確認|激活|啟用|(?:重置|重設|重设|修改|设置|設定)密[码碼]|完成注册|完成註冊'],
    login: ['登录', '登入', '登錄'],
    leave: ['退订', '取消订阅', '取消訂閱', '隐私', '隱私', '条款', '條款', '帮助', '幫助', '联系', '聯絡', '浏览器'],
  },
  ru: {
    neutral: ['личн(?:ый|ого|ому|ом) кабинет~'],
    strong: [
      '(?:код|парол)~ (?:подтверждения|смены|операции|проверки|безопасности|доступа|активации|авторизации|верификации|аутентификации|восстановления|регистрации|для входа|входа|для подтверждения|из смс|из письма)',
      '(?:проверочн|одноразов|секретн|защитн|временн|пин|смс|sms)(?:ый|ого|ому|ым)?[ -]?(?:код|парол)~',
      'пин-код~',
      '(?:временн|кодов|разов)(?:ый|ого|ым|ое|ая)? (?:пароль|код|слово)',
    ],
    weak: ['код', 'кода', 'коду', 'кодом'],
    other: [
      '(?:промо|штрих-?|qr-?|трек-?)код~',
      'код~ (?:товара|ошибки|города|скидки|купона|страны|продукта|заказа|клиента|бронирования|сертификата)',
      '(?:почтовый )?индекс',
      '(?:номер~ )?(?:заказ|счёт|счет|бронировани|клиент|карт|договор|посылк|отправлени|рейс|кабинет|телефон|модел|верси|сумм|остат|баланс|постановлени|счётчик|показани|квартир)~',
      'трек-номер|номер~|№|заканчива~|последни[ехм]~ (?:[2345678] |четыре |четырьмя )?цифр~',
      '(?:офис|окно|заявк|полис|платформ|вагон|мест|ворот|касс)~|(?:инн|кпп|снилс|огрн|бик|логин)',
      'код~ (?:студента|подразделения|региона|услуги|домофона|получения|выдачи|плательщика|класса|курса)',
    ],
    sale: ['скидк~', 'промокод~', 'купон~', 'акци~', 'следующ~ (?:заказ|покупк)~'],
    figures: ['цифр(?:ы|у)?', 'числ[оа]', 'комбинаци~', 'символы'],
    enter: [
      'введите|используйте|укажите|ввести|введи|наберите|набери|впиши(?:те)?|скопируй(?:те)?|вставь(?:те)?|перепиши(?:те)?|вводите|введя',
    ],
    goal: [
      'подтвердить|входа|войти|подтверждения|подтвердите|продолжения|продолжить|завершить|завершения',
      'регистрации|зарегистрироваться|активировать|активации|входите|вход|восстановить|авторизации',
      'сброс~ парол~|сбросить|восстановлени~|подтверди|забыли|в (?:окн|пол)[ео]',
      'в приложении|на сайте|на странице|разблокировать|открыть|привязать|привязки|подключить|связать',
    ],
    confirm: [
      'подтверд~|подтвержд~|активир~|верифи~',
      '(?:сбросить|задать|изменить|восстановить|создать) (?:новый )?пароль',
      'новый пароль',
    ],
    login: ['войти', 'вход~', 'без пароля'],
    leave: ['отписаться', 'отписк~', 'конфиденциальност~', 'условия', 'помощь', 'поддержк~', 'браузер~'],
  },
  pl: {
    neutral: ['nr [0-9][0-9]? z dnia'],
    strong: [
      'kod~ (?:weryfikacyjn~|potwierdzając~|bezpieczeństwa|dostępu|logowania|aktywacyjn~|jednorazow~|uwierzytelniając~|autoryzacyjn~|potwierdzenia|sms)',
      'jednorazow(?:e|y|ego) (?:hasł|kod)~|hasł(?:o|em) (?:jednorazow(?:e|ym)|sms)',
    ],
    weak: ['kod', 'kodu', 'kodem'],
    other: [
      'kod~ (?:pocztow~|rabatow~|promocyjn~|kreskow~|produktu|błędu|qr|rezerwacji|odbioru)',
      '(?:faktur|zamówieni|przesyłk|rezerwacj|klient|kont|kart|umow|seryjn|model|telefon|pok[óo]j|kwot|raz[eo]m|sprawa?|rachun)~',
      'numer~|nr',
    ],
    sale: ['rabat~', 'promocj~', 'zniżk~'],
    figures: ['cyfr~'],
    enter: ['wpisz', 'podaj', 'użyj', 'wpisać', 'przepisz', 'skopiuj', 'wprowadź', 'wprowadzić'],
    goal: ['potwierdzić', 'potwierdzenia', 'zalogować', 'logowania', 'zweryfikować', 'autoryzacji', 'kontynuować'],
    confirm: ['potwierd~|zweryfikuj~|aktywuj~|(?:zresetuj|ustaw|zmień|zresetować) (?:nowe )?hasło|nowe hasło'],
    login: ['zaloguj~', 'logowani~'],
    leave: ['wypisz~', 'rezygn~', 'prywatnoś~', 'regulamin', 'pomoc', 'kontakt', 'przeglądarc~'],
  },
  tr: {
    strong: [
      '(?:doğrulama|onay|güvenlik|giriş|erişim|aktivasyon|etkinleştirme|kimlik doğrulama|tek kullanımlık|sms) (?:kod|şifre|parola)~',
    ],
    weak: ['kod', 'kodu~', 'kodunuz~', 'şifreniz'],
    other: [
      '(?:indirim|posta|promosyon|kupon|ürün|alan|hata|hediye|davet|qr|takip) kod~',
      '(?:sipariş|fatura|takip|müşteri|rezervasyon|hesap|kart|seri|telefon|dosya|oda|model|tutar|toplam)~(?: (?:no|numara~))?',
      'numaralı|numarası|no(?=[.:]? ?[0-9])',
    ],
    sale: ['indirim~', 'kupon~', 'kampanya~'],
    figures: ['rakam~', 'haneli sayı~'],
    enter: ['girin', 'kullanın'],
    typed: ['girin', 'girerek', 'giriniz', 'yazın', 'yazarak'],
    goal: ['onaylamak', 'doğrulamak'],
    confirm: ['doğrula~|onayla~|etkinleştir~|şifre(?:ni|nizi|yi)? (?:sıfırla|değiştir|oluştur)~|yeni şifre'],
    login: ['giriş yap~', 'oturum aç~'],
    leave: ['abonelikten çık~', 'gizlilik~', 'koşullar~', 'yardım', 'iletişim', 'tarayıcı~'],
  },
  ko: {
    strong: [
      '(?:인증|확인|보안|로그인|액세스|접속|일회용|승인|검증|본인확인)(?:용)? ?(?:번호|코드|비밀번호|키)',
      '일회용 ?비밀번호',
    ],
    weak: ['코드'],
    other: [
      '(?:쿠폰|할인|상품|오류|추천|초대|제품|기프트|바|qr) ?코드|(?:주문|운송장|예약|고객|우편|제조|계좌|카드|전화|청구서|차량|회원) ?번호',
      '(?:모델|버전|금액|요금|구역|전화|차량)',
    ],
    sale: ['할인', '쿠폰'],
    figures: ['숫자'],
    enter: [],
    typed: ['입력'],
    goal: ['완료', '계속', '인증', '확인', '로그인', '진행'],
    confirm: ['인증', '확인', '활성화', '비밀번호 ?(?:를 ?)?(?:재설정|변경)'],
    login: ['로그인'],
    leave: ['수신 ?거부', '구독 ?취소', '개인정보', '이용약관', '도움말', '문의', '브라우저'],
  },
  others: {
    neutral: ['(?:tuo|suo|vostro|dein~|ihr~|euer|jouw|je|uw|mijn|seu|tu|su) account'],
    strong: [
      // sv no da fi cs hu uk id vi ar
      '(?:verifierings|säkerhets|engångs|inloggnings|bekräftelse|verifikations|engangs|bekræftelses|sikkerheds|bekreftelses|sikkerhets|innloggings|aktiverings)-?kode?n?',
      'engångslösenord|engangspassord|kertakäyttö(?:koodi|salasana)|vahvistuskoodi|turvakoodi',
      '(?:ověřovací|potvrzovací|bezpečnostní|jednorázový|přihlašovací|aktivační) kód~',
      '(?:ellenőrző|megerősítő|biztonsági|egyszeri|belépési) kód~',
      'код~ підтвердження|одноразовий (?:код|пароль)|kode (?:verifikasi|otp|keamanan|konfirmasi)',
      'mã (?:xác minh|xác thực|otp|bảo mật|xác nhận)|رمز (?:التحقق|التأكيد|الأمان|الدخول)',
    ],
    weak: ['kod(?:en)?', 'kode~', 'koodi~', 'kód~', 'mã', 'رمز'],
    other: ['ordre~', 'beställning~', 'faktura~', 'objednávk~', 'tilaus~', 'rabatt?kod~', 'замовлення', 'pesanan'],
    sale: ['rabatt?~', 'sleva', 'diskon'],
    enter: [],
    goal: [],
    confirm: [
      'bekräfta~|verifiera~|bekræft~|bekreft~|vahvista~|ověř~|potvrd~|erősít~|підтверд~|verifikasi',
      'konfirmasi|xác minh|xác nhận|تأكيد|تحقق',
    ],
    login: ['logga in', 'logg inn', 'log ind', 'přihlásit~'],
    leave: [
      'avregistrera~|avsluta prenumeration|afmeld~|odhlásit~|leiratkoz~|відписатися|berhenti berlangganan',
      'hủy đăng ký',
    ],
  },
}

/** What stands behind a number that counts or measures something. */
export const units =
  /^\s?(?:[%‰°€$£¥₽₺₩₹]|(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|times?|points?|credits?|items?|people|users?|lines?|steps?|miles|nights?|characters?|bytes|ms|kb|mb|gb|tb|kg|km|kwh|kcal|cm|mm|px|ml|usd|eur|gbp|chf|jpy|cny|rub|pln|try|brl|tl|zł|yen|euros?|dollars?|reais|sekunden|minuten|stunden|tage|jahre|punkte|mal|secondes|heures|jours|points|minutos|segundos|horas|días|dias|puntos|pontos|minuti|secondi|ore|giorni|punti|punten|uur|dagen|bäume|минут|секунд|час|дн|руб|балл|minut|sekund|godzin|dakika|saniye|saat|gün|puan|yılında|yıl|분|초|시간|일|원|년|월|건|회|그루|円|年|月|日|時|分|秒|回|件|本|点|名|ポイント|元|天|小时|分钟|秒|次|棵|起|积分|折|号楼)(?![\p{L}]{4}))/iu

/** What stands before a number that is a price. */
export const currencies = /(?:[€$£¥₽₺₩₹]|(?:usd|eur|gbp|chf|jpy|cny|rub|pln|try|brl|rs|r\$|us\$|kr)\.?)\s?$/iu
