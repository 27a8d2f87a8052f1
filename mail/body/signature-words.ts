/**
 * The words of signatures: how mail closes, what people and firms are called, what notices say. A new language needs its
 * words here and nowhere else. Each string is a regular expression for one line that ignores case.
 */

/** Formulas that only ever close a mail. */
const formulas: readonly string[] = [
  // en
  '(?:with |my |our |many |very )*(?:(?:best|kind(?:est)?|warm(?:est)?|friendly|sincere|good|cordial)(?: and |,? & |, | )?)*(?:regards|rgds|greetings)(?: from .{2,30})?|(?:kr|br|brgds|bw)',
  "(?:with |my |our |all )*(?:best|kind(?:est)?|warm(?:est)?|good|season's) wishes(?: from .{2,30})?",
  '(?:yours|very) (?:very )?(?:truly|sincerely|faithfully|respectfully|cordially|ever)(?: yours)?|sincerely(?: yours)?|respectfully(?: yours| submitted)?|cordially|faithfully',
  '(?:with |in )?(?:much |deep |our |my )*(?:appreciation|gratitude|respect|sympathy|solidarity)|all the (?:very )?best|(?:with )?(?:lots of |much |all my )?love|love you(?: all)?|xoxo|hugs(?: and kisses)?',
  '(?:many |much )?(?:thanks|thank you|thx)(?: (?:and|&|with|,)|,)? (?:(?:best|kind(?:est)?|warm(?:est)?|with) )*(?:regards|wishes)',
  // de
  '(?:mit )?(?:den |vielen? |ganz |recht |sehr )*(?:(?:freundliche|beste|liebe|herzliche|viele|sonnige|kollegiale|schöne|lieben|besten)[nrsm]?,? (?:und )?)*(?:grüße|grüssen?|grüßen|gruß|gruss|grüsse|empfehlungen)(?: (?:aus|von|vom) .{2,30})?',
  'm\\.? ?f\\.? ?g\\.?|lg|vg|bg|hochachtungsvoll|(?:dein|deine|ihr|ihre|euer|eure)(?= ?,?$)|alles (?:gute|liebe)',
  // fr
  '(?:bien |très |sincèrement |respectueusement )*(?:cordialement|sincèrement|respectueusement|amicalement|affectueusement)|cdlt|cordlt|bien à (?:vous|toi)|(?:avec )?(?:mes |nos )?(?:(?:sincères|meilleures|cordiales|respectueuses|amicales) )*salutations(?: (?:distinguées|cordiales|les meilleures|sincères|respectueuses))?|(?:grosses? )?(?:bises?|bisous)|amitiés',
  "(?:(?:dans|en) .{3,50}, )?(?:(?:je vous|nous vous) prie|nous vous prions|veuillez|recevez|merci)(?: d['’]| de |,? ).{0,40}(?:agréer|recevoir|croire|accepter|l['’]expression|l['’]assurance).{0,90}",
  // es pt
  '(?:(?:reciba|reciban|con|un|muy|mis|nuestros) )*(?:(?:cordial|cordiales|atentos?|afectuosos?|fuerte|gran|atto) )*(?:saludos?|abrazos?|besos?)(?: (?:cordial|cordiales|atentos?|y (?:abrazos|gracias)|grande|fuerte))*|(?:muy )?(?:atentamente|cordialmente|respetuosamente|sinceramente)|atte',
  '(?:muito |mui )?(?:atenciosamente|respeitosamente|atentamente|cordialmente)|att|(?:com |os |meus |nossos |as |minhas |melhores |um |grande |forte )*(?:cumprimentos|saudações|abraços?|beijos?|beijinhos)(?: (?:cordiais|cordialmente|grande))?',
  // it
  '(?:(?:i|con|un|miei|più|nostri|molti|tanti|cari|cordiali|distinti|migliori|caro|sinceri) )*(?:saluti|saluto)(?: (?:cordiali|distinti))?|(?:un )?(?:forte |caro )?abbraccio|in fede|cordialmente|(?:porgo |porgiamo |la prego .{0,30})?(?:distinti|cordiali) saluti',
  // nl
  '(?:met )?(?:(?:de |hele )?(?:vriendelijke|hartelijke|beste|lieve|zonnige|warme|veel|vele|collegiale) )*(?:groet(?:en|jes)?|gr)|m\\.?v\\.?g\\.?|hoogachtend',
  // sv no da is
  '(?:med )?(?:(?:de )?(?:vänlig|vänliga|bästa|varma|hjärtliga|soliga|vennlig|vennlige|venlig|venlige|beste|bedste|de bedste|kærlig|kjærlig|mange|hjertelig|varme) )*(?:hälsning(?:ar|en)?|hilsen(?:er)?|hilsner)|mvh|vh|med (?:vennleg|venlig) helsing',
  '(?:með )?(?:bestu |vinsamlegri |góðri )*(?:kveðjur?|kveðju)',
  // fi et
  '(?:(?:ystävällisin|parhain|lämpimin|terveisin|kunnioittavasti|terkuin|yst) ?)+(?:terveisin|terv)?|terveisin|t\\.|(?:lugupidamisega|parimate soovidega|tervitades)',
  // pl cs sk
  '(?:z |łączę )?(?:(?:wyrazami|poważaniem|serdecznymi|serdeczne|najlepszymi|wielkim|gorącymi|ciepłymi|pozdrowieniami|życzeniami) ?)+(?:szacunku|pozdrowieniami|pozdrowienia|życzeniami|poważaniem)?|pozdrawiam(?: serdecznie| ciepło)?|(?:serdecznie|gorąco) pozdrawiam|pozdrowienia',
  '(?:se? |s )?(?:(?:přátelským|srdečným|úctou|pozdravem|pozdravom|priateľským) ?)+(?:pozdravem|pozdravom)?|(?:s )?úctou|hezký den|(?:mějte se|přeji hezký den)|pozdrav(?:uji|em)?',
  // hu ro
  '(?:szívélyes |baráti |tisztelettel(?:jes)? )*üdvözlettel|tisztelettel|üdv|(?:cu |toată )*(?:stimă|respect|considerație|drag)|cele mai bune (?:urări|gânduri)|o zi (?:bună|frumoasă)|(?:cu )?salutări(?: cordiale)?',
  // ru uk bg sr hr sl
  '(?:с |з |із |зі )?(?:(?:глубоким|большим|наилучшими|искренним|искренней|найкращими|щирою|щиро|великою|дружеским|добрыми) )*(?:уважением|пожеланиями|приветом|благодарностью|повагою|побажаннями|вдячністю|вітаннями)|(?:искренне )?ваш[аи]?(?= ?,?$)|всего (?:доброго|хорошего|наилучшего)|хорошего дня|усього найкращого|щиро ваш[аі]?|на все добре',
  '(?:с |със )?(?:уважение|поздрави|най-добри пожелания|поштовањем)|(?:s |srdačan |lijep |lep |lepim |srdačnim )*(?:poštovanjem|pozdrav(?:om)?|spoštovanjem|štovanjem)',
  // tr el
  '(?:en (?:iyi|içten) )?(?:dileklerim(?:iz)?le|saygılarım(?:ız)?la|sevgilerim(?:iz)?le|selamlar(?:ım(?:ız)?la)?|sevgiler|saygılar|hürmetlerimle)|iyi (?:çalışmalar|günler|dileklerimle)(?: dilerim| dileriz)?|kolay gelsin',
  '(?:με )?(?:(?:εκτίμηση|τιμή|σεβασμό|φιλικούς|θερμούς|εγκάρδιους|ευχές|τις|καλύτερες) ?)+(?:χαιρετισμούς|ευχές|μου)?|φιλικά|χαιρετισμούς',
  // ar fa he
  '(?:و?(?:تفضلوا|تقبلوا|تفضل) .{3,40}|(?:مع )?(?:خالص|أطيب|أصدق|أرق|فائق)(?: (?:التحيات|التحية|التقدير|الاحترام|تحياتي|تحياتنا|الأمنيات|الشكر))(?: والتقدير| والاحترام)?|(?:مع )?(?:تحياتي|تحياتنا|التحية|التحيات)|(?:مع )?(?:الاحترام|التقدير|فائق الاحترام)(?: والتقدير)?|المخلص|با (?:احترام|تشکر)|ارادتمند)',
  '(?:ב(?:ברכה|כבוד רב|הוקרה|תודה|הערכה|ידידות|אהבה)|(?:ב?ברכת? .{2,20})|(?:שלך|שלכם),?|כל טוב|תודה וברכה)',
  // vi th id ms
  '(?:xin )?(?:trân trọng|kính (?:thư|chào|chúc)|thân (?:ái|mến|chào)|chân thành)(?: kính chào| cảm ơn| cám ơn)?|(?:ด้วยความ(?:เคารพ|นับถือ|ขอบคุณ|ปรารถนาดี)(?:อย่างสูง)?|ขอแสดงความนับถือ(?:อย่างสูง)?|ด้วยรัก)|(?:hormat (?:kami|saya)|salam(?: hormat| hangat| sejahtera)?|terima kasih dan salam|yang benar)',
  // hi
  '(?:सादर|भवदीया?|आपका|आपकी|धन्यवाद सहित|शुभकामनाओं सहित|साभार)',
  // zh ja ko
  '(?:此致(?:\\s?敬[礼禮])?|敬[礼禮]|祝(?:好|您好|安|顺利|順利|商祺|工作顺利|工作順利|身体健康|您.{2,8}|你.{2,8})|順頌.{2,4}|顺颂.{2,4}|即頌.{2,4}|敬[颂頌].{2,4}|敬?祝\\s?(?:商祺|[教时時夏冬春秋]安|.{1,3}祺|.{0,4}愉快|.{0,4}健康)|[谨謹][启啟上]|敬上)',
  '(?:敬具|草々|かしこ|謹白|以上(?:、?よろしくお願い(?:いた|致)?します)?|拝)',
  '(?:(?:안녕히 계세요|이만 줄입니다|행복한 하루 되세요|좋은 하루 되세요|즐거운 하루 보내세요))',
]

/** Words that may close a mail, but may also be all that it says. */
const thanks: readonly string[] = [
  '(?:many |much |best |big |huge |tons of |ok(?:ay)?,? |great,? )*(?:thanks|thx|tnx|thank you|ty|ta|cheers|best|warmly|warmest|kindly|yours|kind)(?: (?:again|so much|very much|a lot|a million|in advance|and (?:best|kind|warm)? ?(?:regards|wishes)|mate|all|everyone|and cheers|a bunch))*',
  '(?:take care|talk soon|speak soon|see you(?: soon| then| there| tomorrow)?|have a (?:great|good|nice|lovely) (?:day|weekend|week|evening|one)|stay (?:safe|well)|until then|peace|ciao|later|looking forward(?: to (?:it|hearing from you))?|be well|bye)',
  '(?:vielen |besten |herzlichen |schönen |lieben )*dank(?:e)?(?: (?:und|&) .{3,30}| (?:im voraus|nochmals|vorab))?|bis (?:dann|bald|später|morgen)|tschüss|servus|gruß|schönen? (?:tag|abend|wochenende)',
  "(?:un grand )?merci(?: (?:beaucoup|d[’']avance|encore|par avance|à vous|et .{3,30}))*|à (?:bientôt|demain|plus|très vite)|bonne (?:journée|soirée|semaine)|belle journée|a\\+",
  '(?:muchas |mil )?gracias(?: (?:de antemano|por todo|y .{3,20}))?|hasta (?:luego|pronto|mañana)|(?:muito )?obrigad[oa](?: desde já)?|grat[oa]|até (?:logo|breve|amanhã)|bom (?:dia|trabalho)',
  '(?:molte |mille |tante )?grazie(?: (?:mille|ancora|in anticipo|e .{3,30}))?|a presto|buona (?:giornata|serata)|buon lavoro|(?:hartelijk |heel erg |alvast )*(?:dank|bedankt)(?: (?:je wel|u wel|en groet(?:en|jes)?))?|tot (?:dan|snel|ziens|morgen)|fijne dag',
  '(?:stort |mange |tusen )?(?:tack|takk|tak)(?: (?:så mycket|på förhånd|på förhand))?|ha det(?: bra)?|kiitos(?: paljon)?|kiittäen|dzięki|dziękuję|z góry dziękuję|do (?:zobaczenia|usłyszenia)|miłego dnia|děkuji?(?: předem)?|díky|ďakujem|köszönöm(?: előre is)?|köszönettel|mulțumesc|mersi',
  '(?:большое |заранее )?(?:спасибо|благодарю)(?: (?:заранее|большое))?|до (?:встречи|свидания|связи)|дякую|до зустрічі|teşekkürler|teşekkür ederim|görüşmek üzere|ευχαριστώ(?: πολύ)?|شكرا(?: جزيلا)?|شكراً(?: جزيلاً)?|תודה(?: רבה)?|cảm ơn|xin cảm ơn|ขอบคุณ(?:ครับ|ค่ะ|มาก)*|terima kasih|धन्यवाद',
  '(?:どうぞ|何卒|今後とも|引き続き|ご確認のほど|ご検討のほど)?、?(?:宜しく|よろしく)(?:お願い(?:いた|致|申し上げ)?(?:し)?ます|です)?|(?:どうも)?ありがとうございま(?:す|した)|失礼(?:いた|致)?します|では、?また',
  '(?:非常感[谢謝]|多[谢謝]|[谢謝][谢謝](?:您|你)?|感[谢謝])|(?:대단히 )?(?:감사합니다|고맙습니다|수고하세요|감사드립니다)',
]

const ending = '[\\s,.!;:،，。！~…—–-]*'

/** A line with nothing but a formula. */
export const formula = new RegExp(`^(?:${formulas.join('|')})${ending}$`, 'iu')
/** A line with nothing but thanks or a farewell. */
export const farewell = new RegExp(`^(?:${thanks.join('|')})${ending}$`, 'iu')
/** A formula followed on the same line by what may be a name, which is the first group. */
export const formulaWithName = withName(formulas)
/** The same for thanks and farewells. */
export const farewellWithName = withName(thanks)

function withName(closings: readonly string[]): RegExp {
  const joint = '(?:\\s?[,.!،，:–—-]+\\s*|\\s+)'
  return new RegExp(`^(?:${closings.join('|')})${joint}(\\p{L}[\\p{L}\\p{M} .'’-]{0,40})$`, 'iu')
}

/** Short formulas that a name follows without a comma: "LG Anna". */
export const shortFormulaWithName =
  /^(?:lg|vg|bg|hg|mfg|mvg|mvh|vh|cdlt|(?:(?:liebe|viele|schöne|beste|herzliche)[nr]? )?(?:grüße|gruß|grüsse|gruss)|groetjes|groeten|hilsen|hälsningar|terveisin|pozdrawiam)\s(\p{Lu}[\p{L} .-]{1,30})$/iu
/** A name followed by a humble word that only senders put after their own. */
export const humbleName = /^[\p{Script=Han}\p{Script=Hangul}]{2,5}\s?(?:드림|올림|배상|敬上|敬启|敬啟|谨启|謹啟)$/u

/** The first halves of formulas of two lines. */
export const firstHalf = /^(?:此致|祝|順頌|顺颂|谨此|敬请)[\s，,]*$/u

/** A word for a person's work, or for a part of an organisation. */
export const role =
  /(?<![\p{L}\p{M}])(?:c[etofi]o|cmo|vp|svp|evp|president|vice|chair(?:man|woman|person)?|director|manager|managing|head|lead|leader|chief|founder|co-?founder|owner|partner|associate|assistant|coordinator|officer|executive|specialist|consultant|advis[eo]r|analyst|engineer(?:ing)?|developer|architect|designer|editor|author|journalist|curator|professor|prof|lecturer|researcher|scientist|student|teacher|principal|dean|rector|attorney|lawyer|solicitor|paralegal|counsel|notary|accountant|agent|broker|realtor|secretary|receptionist|technician|supervisor|administrator|admin|representative|rep|sales|marketing|support|team|department|dept|division|office|faculty|committee|board|services?|on behalf of|phd|ph\.d|md|mba|esq|cpa|pe|geschäftsführ\p{L}*|leiter(?:in)?|\p{L}*leit(?:er|erin|ung)|abteilung|vertrieb\p{L}*|sachbearbeit\p{L}*|assisten\p{L}*|sekretari?at|sekretär\p{L}*|vorstand\p{L}*|inhaber(?:in)?|rechtsanw\p{L}*|steuerberat\p{L}*|\p{L}*ärztin|\p{L}*arzt|prokurist(?:in)?|i\.\s?[av]\.|ppa\.?|dr\.|dipl\.\p{L}*|directeur|directrice|responsable|chef(?:fe)?|gérante?|chargée?|président[e]?|ingénieure?|avocate?|conseill\p{L}*|commercial[e]?|assistante?|secrétaire|secrétariat|direction|direct(?:or|ora)|gerente|jef[ea]|presidente|encargad[oa]|abogad[oa]|asesor[a]?|ingenier[oa]|responsabile|direttore|direttrice|amministra\p{L}*|titolare|avv\.|dott\.(?:ssa)?|ing\.|arch\.|geom\.|ufficio|segreteria|diretora?|advogad[oa]|engenheir[oa]|analista|coordenador[a]?|sóci[oa]|directeur|hoofd|medewerk\p{L}*|adviseur|eigenaar|projectleider|rektor|chef|vd|projektled\p{L}*|prosjektled\p{L}*|daglig leder|leder|direktør|konsulent|rådgiver|säljare|handläggare|toimitusjohtaja|\p{L}*päällikkö|johtaja|kierowni\p{L}*|dyrektor|prezes|specjalist\p{L}*|asystent\p{L}*|ředitel\p{L}*|jednatel\p{L}*|vedoucí|manaž\p{L}*|konateľ|riaditeľ\p{L}*|ügyvezető|igazgató|vezető|munkatárs|manager|director|directoare|administrator|начальник|директор|руководитель|менеджер\p{L}*|специалист|главный|бухгалтер|заместитель|инженер|юрист|отдел|керівник|начальниця|фахівець|müdürü?|yönetici\p{L}*|uzmanı?|sorumlusu|başkanı?|mühendisi?|διευθυντ\p{L}*|υπεύθυν\p{L}*|σύμβουλος|διευθύνων|giám đốc|trưởng phòng|nhân viên|phòng)(?![\p{L}\p{M}])|部長|課長|係長|社長|代表|取締役|主任|担当|営業部|総務部|人事部|開発部|事業部|経理|部$|[总總]?经理|經理|主管|总监|總監|工程师|工程師|董事|部门|人力资源|教授|팀장|부장|과장|대리|사원|대표|이사|실장|차장|연구원|팀$|팀 |부서|드림$|올림$|مدير|مديرة|رئيس|مهندس|محام|قسم|المدير|מנהל|מנכ"ל|סמנכ"ל|עו"ד|מהנדס|ผู้จัดการ|กรรมการ|หัวหน้า|ฝ่าย|प्रबंधक|निदेशक|अधिकारी/iu

/** Words in the names of firms and institutions. */
export const organisation =
  /(?<![\p{L}\p{M}])(?:gmbh(?: & co\.? kg)?|ag|kg|ohg|ug|e\.\s?k\.|e\.\s?v\.|gbr|mbh|inc|llc|llp|ltd|limited|plc|pty|corp|corporation|co\.|company|sarl|s\.a\.r\.l|sas|s\.a\.s?|s\.l\.u?|s\.r\.l|srl|spa|s\.p\.a|lda|ltda|s\.a\. de c\.v|b\.v|bv|n\.v|nv|ab|as|asa|a\/s|aps|oyj?|sp\. z o\.\s?o|sp\. j|s\.r\.o|a\.s|d\.o\.o|kft|zrt|nyrt|bt|s\.c\.|a\.ş|ltd\. şti|ооо|оао|зао|пао|ао|ип|тов|прат|α\.ε|ο\.ε|university|universit\p{L}*|college|school|institut\p{L}*|academy|hospital|clinic|klinik\p{L}*|bank|council|ministry|group|gruppe|studio|agency|agentur|kanzlei|associates|partners|foundation|stiftung|verlag|museum|library|laborator\p{L}*|lab|labs|church|& sons?|consulting|logistics|realty|solutions|systems|technolog(?:y|ies)|software|holdings?|industries|enterprises|insurance|supply|hotel|hostel|pension|gasthof|restaurant|ristorante|trattoria|osteria|caf[eé]|embassy|botschaft|ambassade|embajada|mairie|ville de|agence|cabinet|société|atelier|ayuntamiento|universidad|estudio|comune|studio|gemeente|stichting|skolan|kommune?|skole|\p{L}*skolan|urząd|biuro|knihovna|úřad|iskola|egyetem|университет|институт|компания|công ty|trường)(?![\p{L}\p{M}])|株式会社|有限会社|合同会社|大学|研究所|公司|集团|集團|学校|주식회사|\(주\)|대학교|연구소|(?<!\p{L})شركة|جامعة|مؤسسة|בע"מ|חברת|אוניברסיט|บริษัท|มหาวิทยาลัย|\p{L}{3,}소프트/iu

/** Labels in front of telephone numbers, addresses and pages. */
export const contactLabel =
  /(?<![\p{L}\p{M}])(?:t|m|p|f|e|w|o|c|d|tel|tél|tlf|tfno|tfn|telefon\p{L}*|téléphone|teléfono|telefone|telefoon|phone|ph|office|direct|desk|mob(?:ile)?|mobil|cell|cel|cell\.|cellulare|celular|móvil|portable|port|handy|gsm|fax|e-?mail|mail|courriel|correo|email|web|website|site|skype|linkedin|twitter|instagram|facebook|whatsapp|telegram|signal|zoom|puh|моб|тел|факс|сайт|почта|telefoni|dahili|cep|đt|sđt|điện thoại|ηλ)\.?\s?[:：]|(?:電話|电话|電郵|邮箱|手机|手機|携帯|传真|メール|전화|휴대폰|이메일|팩스|هاتف|جوال|בטלפון|טל|נייד|โทร|फ़ोन)\.?\s?[:：.]?/iu

/** Streets, places and post codes; they count on a line with a digit. */
export const place =
  /(?<![\p{L}\p{M}])(?:street|st\.?|road|rd\.?|avenue|ave\.?|lane|ln|drive|boulevard|blvd|square|court|suite|ste|floor|fl|room|building|p\.?\s?o\.?\s?box|highway|quay|\p{L}*stra(?:ß|ss)e|\p{L}*str\.|\p{L}*weg|\p{L}*platz|\p{L}*allee|\p{L}*damm|\p{L}*gasse|\p{L}*ring|postfach|rue|bd|place|cedex|chemin|allée|quai|calle|c\/|avenida|av\.|avda|plaza|paseo|rua|praça|andar|via|viale|piazza|corso|\p{L}*straat|\p{L}*laan|\p{L}*plein|\p{L}*gracht|\p{L}*kade|\p{L}*gata[n]?|\p{L}*vägen|\p{L}*vej|\p{L}*gade|\p{L}*veien|\p{L}*katu|\p{L}*tie|ul\.|al\.|ulica|utca|út|u\.|str|bulevardul|nám\.|ул\.?|улица|пр\.?|проспект|вул\.?|просп|cad\.?|caddesi|sok\.?|sokak|mah\.?|οδός)(?![\p{L}\p{M}])|〒|丁目|[路街區区]\d|\d+[号號]/iu

/** A post code with its town, or one that is recognisable by its form. */
export const postCode =
  /(?<!\d)(?:[a-z]{1,2}-)?\d{4,5}(?:-\d{3,4})?,?\s+\p{Lu}\p{L}|(?<![\p{L}\d])[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?![\p{L}\d])|\d{3} ?\d{2} \p{Lu}\p{L}|(?<![\p{L}\d])\d{4} ?[A-Z]{2}(?![\p{L}\d])|[A-Z]{2},? \d{5}/u

/** What a firm must state about itself, and wishes that it puts in every mail. */
export const registration =
  /registered (?:in|office|charity|company|no|number)|company (?:no|number|reg)|(?<!\p{L})(?:vat|hrb|hra|siret|siren|rcs|kvk|btw|cif|nif|cnpj|krs|nip|regon|ičo|dič|инн|огрн|окпо|cvr|orgnr|org\.nr|cui|abn|ein)(?!\p{L})|amtsgericht|registergericht|handelsregister|sitz der gesellschaft|ust-?id|steuernummer|geschäftsführ\p{L}*:|vorstand:|aufsichtsrat|au capital de|partita iva|p\. ?iva|codice fiscale|adószám|consider the environment|before (?:you )?print|an die umwelt|umwelt schonen|ausdruck|pense[zr] à l['’]environnement|n['’]imprime[zr]|medio ambiente antes|meio ambiente antes|pensi? all['’]ambiente|denk aan het milieu|tänk på miljön|virus-?free|scanned (?:by|for) /iu

/** The heading of a notice. */
export const noticeHeading =
  /^[*_\s]*(?:(?:e-?mail )?(?:confidentiality|privacy|legal|important)(?: notice| note| statement| disclaimer)|confidential(?:ity)?|disclaimer|vertraulichkeitshinweis|haftungsausschluss|wichtiger hinweis|avis de confidentialité|avertissement|aviso (?:legal|de confidencialidad|de confidencialidade)|informativa|avvertenze?|конфиденциальность)[*_\s:.-]*$/iu

/** The characters of the commonest family names of China, Korea and Vietnam. */
export const familyNames =
  /^(?:[王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫阎段雷侯龙龍史陶黎贺賀顾顧毛郝龚邵万萬钱錢严嚴覃武戴莫孔向汤湯]\p{Script=Han}{1,2}|(?:欧阳|司马|上官|诸葛)\p{Script=Han}{1,2}|[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모]\p{Script=Hangul}{1,2}(?:\s?(?:드림|올림|배상))?|\p{Script=Han}{1,3}\s\p{Script=Han}{1,3})$/u

/** The three subjects of a confidentiality notice: secrecy, the mail itself, and for whom it is meant. */
export const notice: readonly RegExp[] = [
  /confiden[ct]|confidentie|privileged|proprietary|vertraulich|rechtlich geschützt|riservat|vertrouwelijk|konfidentiell|fortrolig|poufn|důvěrn|dôvern|bizalmas|конфіденц|конфиденц|gizli|εμπιστευτικ|luottamuks|機密|秘密|机密|保密|기밀|비밀|سري|חסוי|סודי|bảo mật|ความลับ|गोपनीय|if you (?:are not|have received)|wenn sie nicht|sollten sie nicht|si vous n['’]|si (?:no es|usted no|ha recibido)|se você|se non si|indien u|om du inte|hvis du/iu,
  /message|e-?mail|(?<!\p{L})mails?(?!\p{L})|transmission|communication|nachricht|courriel|mensaje|correo|mensagem|messaggio|bericht|meddelande|meddelelse|besked|melding|e-post|wiadomoś|zpráv|správ|üzenet|levél|сообщени|письмо|письма|повідомлен|лист|ileti|mesaj|μήνυμα|viesti|メール|邮件|郵件|메일|메시지|رسالة|البريد|הודע|דוא"ל|thư|อีเมล|ईमेल|संदेश/iu,
  /recipient|addressee|intended (?:only|solely|for)|solely for|for the (?:sole|exclusive) use|notify the sender|in error|by mistake|return e-?mail|empfänger|adressat|irrtümlich|destinatair|par erreur|destinatari|destinatário|por error|per errore|ontvanger|geadresseerde|bestemd|mottagar|mottaker|modtager|adresat|příjemc|príjemc|adresát|címzett|получател|адресат|одержувач|alıcı|παραλήπτ|vastaanottaj|受信者|宛先|名宛|收件人|接收|수신|المستلم|المرسل إليه|נמען|người nhận|ผู้รับ|प्राप्तकर्ता/iu,
]

/** A sentence that asks for, or promises, what may look like a signature below it. */
export const announcement =
  /(?<!\p{L})(?:here|hier|ici|aquí|aqui|qui|здесь|тут)(?!\p{L})|address|number|phone|contact|details|colleague|reach|call|send (?:it|them|this) to|ship|deliver|office|below|follow|as requested|adresse|anschrift|nummer|kontakt|ansprechpartner|erreich|unten|adresse|coordonnées|numéro|contacter|dirección|direccion|número|contacto|datos|endereço|contato|indirizzo|numero|contatt|recapit|adres|nummer|contactgegevens|adress|kontaktu|adresa|cím|адрес|номер|контакт|adres|iletişim|住所|連絡先|地址|电话|联系|聯絡|주소|연락처|عنوان|رقم|כתובת|טלפון|địa chỉ|ที่อยู่/iu

/** A line that announces what is below it, whomever that belongs to. */
export const pointer =
  /(?<!\p{L})(?:below|(?:here|these) (?:is|are)|following|follows|unten|hier (?:ist|sind)|folgend\p{L}*|ci-dessous|voici|a continuación|aquí (?:está|tienes?)|abaixo|seguem?|di seguito|ecco|hieronder|nedan|nedenfor|poniżej|ниже|нижче|aşağıda\p{L}*)(?!\p{L})|以下|下記|如下|下面|아래/iu

/** The end of a clause that continues below: "She signed it with". */
export const openClause =
  /[:：]$|\s(?:with|says?|said|reads?|is|are|was|were|as|like|to|from|by|of|and|or|the|an?|mit|an|ist|sind|lautet|und|oder|von|à|de|du|est|sont|avec|et|es|son|con|y|è|sono|e|met|zijn|en|é|são|com|с|и|это)$/iu

/** A line that only greets. */
export const greeting =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|liebe[rs]?|lieber|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|moin|bonjour|bonsoir|chère?s?|salut|madame|monsieur|hola|estimad[oa]s?|querid[oa]s?|buenos días|buenas tardes|olá|prezad[oa]s?|car[oai]|bom dia|boa tarde|ciao|buongiorno|buonasera|gentile|egregio|beste|geachte|hoi|dag|hej|hei|kära|kære|kjære|cześć|dzień dobry|szanown\p{L}+|dobrý den|vážen\p{L}+|ahoj|kedves|tisztelt|szia|bună|stimat\p{L}+|здравствуйте|добрый (?:день|вечер)|доброе утро|уважаем\p{L}+|привет|добрий день|шановн\p{L}+|вітаю|merhaba|sayın|γεια|αγαπητ\p{L}+|مرحبا|السيد|عزيزي|שלום|היי|xin chào|kính gửi|chào|สวัสดี|เรียน|नमस्ते)(?!\p{L})[^.!?]{0,50}[.!]?$/iu
