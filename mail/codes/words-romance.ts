/** The words around verification codes and links in French, Spanish, Portuguese and Italian (`vocabulary.ts`). */
import type { Vocabulary } from './vocabulary.ts'

export const fr: Vocabulary = {
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
}

export const es: Vocabulary = {
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
}

export const pt: Vocabulary = {
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
}

export const it: Vocabulary = {
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
    'conferm~|verific~|attiva~|convalid~|complet~ (?:l.iscrizione|la registrazione)|conclud~ (?:l.iscrizione|la registrazione)',
    '(?:reimposta~|cambia~|crea~|imposta~|ripristin~|recuper~|sce(?:gli|lta)~) (?:della |la |tua |mia |una )*(?:nuova )?password',
    'nuova password',
  ],
  login: ['accedi', 'accedere', 'effettua il login', '(?:link|collegamento) di accesso', 'senza password'],
  leave: [
    'annulla(?:re)? (?:l.)?iscrizione|disiscri~|privacy|note legali|aiuto|assistenza|contatti|browser',
    'termini',
  ],
}
