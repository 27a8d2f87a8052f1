/** Codes with another purpose than verifying somebody, and codes that have been used: the reader need not type them in. */

import { sentenceEnd } from './phrases.ts'
import type { CandidatePlace } from './places.ts'
import { lineAt, linesAboveMax } from './prepared-mail.ts'

/**
 * Whether the words around a code say that it opens, fetches, pays or books something, or that it was used. `isAlone` says that
 * it is on a line of its own, below what announces it.
 */
export function servesOtherwise(place: CandidatePlace, isAlone: boolean): boolean {
  return (!isAlone && isUsed(place)) || isForSomethingElse(place, isAlone)
}

function isForSomethingElse({ mail, index, line }: CandidatePlace, isAlone: boolean): boolean {
  const above = isAlone ? Array.from({ length: linesAboveMax }, (_, n) => lineAt(mail, index - 1 - n).masked) : []
  const words = [mail.subject.masked, ...above, line.masked].join('\n')
  if (verifies.test(words)) return false
  const isEntered = line.cues.some(({ kind }) => kind === 'enter' || kind === 'typed')
  return opens.test(words) || fetches.test(words) || pays.test(words) || (!isEntered && books.test(words))
}

/** "The code 4021 was used to sign in", "You signed in with code 4021". */
function isUsed({ line: { masked }, candidate }: CandidatePlace): boolean {
  const behind = masked.slice(candidate.end).split(sentenceEnd)[0] ?? ''
  const before = masked.slice(0, candidate.start).split(sentenceEnd).at(-1) ?? ''
  return usedBehind.test(behind.slice(0, clauseReach)) || usedBefore.test(before.slice(-clauseReach))
}

/** How far from a code its own clause is looked at, in characters. */
const clauseReach = 90

const usedBehind =
  /(?:was|were|has (?:already |just |now )?been|have been)\s(?:\p{L}+\s){0,2}(?:used|entered|redeemed|accepted|submitted)|(?:has |have )(?:now |already |just )?expired|(?:is|are) (?:no longer|not) valid|(?:wurde|ist)(?:\s\p{L}+){0,3}\s(?:verwendet|benutzt|genutzt|eingegeben|eingelöst|abgelaufen)|ist (?:nicht mehr gültig|ungültig)|^\s(?:erfolgreich )?angemeldet|a (?:déjà |bien )?été (?:utilisé|saisi|validé)|a expiré|n'est plus val(?:able|ide)|(?:fue|ha sido|se ha) (?:ya )?(?:utilizado|usado|ingresado|introducido)|ha (?:expirado|caducado)|foi (?:já )?(?:utilizado|usado|inserido)|expirou|è (?:già |stato )+(?:utilizzato|usato|inserito)|è scaduto|is (?:al |reeds |zojuist )?(?:gebruikt|ingevoerd|verlopen)|(?:был |уже )+(?:использован|введ[её]н)|ист[её]к|został (?:już )?(?:użyty|wykorzystany|wpisany)|wygasł|kullanıldı|süresi doldu|使用され|使用済み|期限が切れ|已(?:被|经|經)?(?:使用|过期|過期|失效)|사용되었|만료되었|đã được sử dụng|đã hết hạn|ถูกใช้|หมดอายุแล้ว|נוצל|تم استخدام|منتهي الصلاحية/iu
const usedBefore =
  /(?:(?:signed|logged) in|verified|authenticated)(?:\s\p{L}+){0,3}\s(?:with|using|by)\s(?:[\p{L}-]+\s){0,3}(?:code|passcode|pin)\W*$|(?:you|someone|they|we)(?: have|'ve| has)?(?: already| just)? (?:used|entered|redeemed)\s(?:[\p{L}-]+\s){0,4}(?:code|passcode|pin|password)\W*$|connecté\p{L}* avec le code\W*$|(?:iniciado sesión|accedido) con el código\W*$|(?:effettuato l'accesso|acceduto) con il codice\W*$|ingelogd met (?:de )?code\W*$|вошли (?:с помощью|по) код\p{L}*\W*$/iu

/** Words about verifying: with them a code is a verification code, whatever else the mail mentions. */
const verifies =
  /verif|one-?time|single-?use|authenti[cf]|authori[sz]|two-?(?:factor|step)|(?<!\p{L})(?:otp|2fa|mfa|tan)(?!\p{L})|sign(?:ing)?[- ]?(?:in|up|on)(?!\p{L})|log(?:ging)?[- ]?(?:in|on)(?!\p{L})|(?:creat|activat|confirm)\p{L}* (?:your |my |an? )?(?:\p{L}+ )?(?:account|e-?mail|identity|device|registration)|(?:to|please) (?:confirm|approve)(?!\p{L})|bestätigen sie|zu(?:r)? bestätig\p{L}+|pour confirmer|confirmez|para confirmar|per confermare|confirmación de (?:tu |su )?correo|om te bevestigen|чтобы подтвердить|для подтверждения|anmeld|einmal|frei(?:zu)?schalt|authentisier|freigabe|registrier|connexion|connecter|usage unique|vérifi|authentif|(?:iniciar|inicio de) sesión|un solo uso|autentic|iniciar sessão|monouso|accedere|accedi|inlog|eenmalig|aanmeld|bevestig uw e-?mail|войти|входа?(?!\p{L})|авториз|проверочн|одноразов|logowani|zalog|jednorazow|uwierzyteln|giriş|doğrula|tek kullanım|認証|ログイン|本人|ワンタイム|验证|驗證|登录|登入|校验|인증|로그인|xác (?:minh|thực|nhận)|đăng nhập|ยืนยัน|เข้าสู่ระบบ|सत्यापन|ओटीपी|लॉगिन|אימות|התחבר|חד[- ]פעמי|التحقق|تسجيل الدخول/iu
/** Doors, gates, boxes with keys, lockers. */
const opens =
  /(?<!\p{L})(?:doors?|gates?|front desk|key ?(?:safe|box)|lock ?box|lockers?|(?:open|unlock) the (?:bay|box|safe)|\p{L}*tür(?:code|schloss|pin)?|\p{L}*tor(?:code)|schlüssel(?:box|kasten|tresor|safe)|schließfach|porte|portail|digicode|boîte à clés?|casier|consigne|puertas?|portal de la casa|cerradura|caja de llaves|taquilla|porta|portão|portone|cancello|fechadura|cofre de chaves|cacifo|serratura|cassetta (?:delle )?chiavi|armadietto|(?:voor|achter|kamer|garage|woning|zaal|buiten)?deur(?:code)?|poort|sleutel(?:kluis|kastje)|kluisje|двер\p{L}+|домофон\p{L}*|ключниц\p{L}*|калитк\p{L}*|подъезд\p{L}*|drzwi|bram[ayę]|domofon\p{L}*|skrytk\p{L}*|kapı\p{L}*|dolap|dør(?:kode)?|dörr(?:kod)?|portkod|nøkkelboks|ajtó|dveř[ei]|ușă|ușa|πόρτα)(?!\p{L})|ドア|玄関|入館|入室|ロッカー|キーボックス|门禁|門禁|门锁|門鎖|大门|大門|房门|钥匙盒|储物柜|도어락|현관|출입문|사물함|ประตู|दरवाज|דלת|باب/iu
/** Parcels and what holds them. */
const fetches =
  /(?<!\p{L})(?:parcels?|(?:your )?packages?(?= (?:is|has|from|box|locker|waiting))|pick-?up (?:code|point|station)|ready for pick-?up|courier|paket\p{L}*|packstation|abholcode|sendung|colis|point relais|livreur|paquete|repartidor|encomenda|entregador|pacc(?:o|hi)|corriere|pakket\p{L}*|bezorger|afhaalcode|посылк\p{L}*|постамат\p{L}*|курьер\p{L}*|przesyłk\p{L}*|paczk\p{L}*|paczkomat\p{L}*|kargo\p{L}*|kurye\p{L}*|pakke\p{L}*|balí[kč]\p{L}*|csomag\p{L}*|colet\p{L}*)(?!\p{L})|荷物|宅配|快递|快遞|包裹|取件|택배|พัสดุ|पार्सल|חבילה|طرد|شحنة|bưu kiện|gói hàng/iu
/** Gift cards and vouchers. */
const pays =
  /(?<!\p{L})(?:e-?)?(?:gift ?cards?|gift certificates?|vouchers?|geschenk(?:karte|gutschein)\p{L}*|gutschein\p{L}*|(?:carte|chèque|bon)s?[- ]cadeaux?|tarjetas? (?:de )?regalo|cheques? regalo|cart(?:ão|ões)[- ]presente|vales?[- ]presente|cart[ae] regalo|buon[oi] (?:regalo|acquisto)|cadeau(?:bon|kaart)\p{L}*|подарочн\p{L}* (?:карт|сертификат)\p{L}*|kart\p{L}* podarunkow\p{L}*|bon\p{L}* podarunkow\p{L}*|hediye (?:kart|çek)\p{L}*|gave ?kort|presentkort|lahjakortti)(?!\p{L})|ギフト(?:カード|券)|礼品卡|禮品卡|购物卡|기프트 ?카드|상품권|บัตรของขวัญ|thẻ quà tặng|כרטיס מתנה|بطاقة هدية/iu
/** Flights, hotels, tables and other things that are booked. */
const books =
  /(?<!\p{L})(?:flights?|airlines?|itinerary|boarding|hotel|hostel|nights?|your stay|table (?:for|is|at)|restaurant|party of|(?:booking|reservation)s?(?: is| was)? (?:confirmed|confirmation)|confirmed(?: your)? (?:booking|reservation)|reservation confirmed|(?:car|room|seat|spot) is (?:reserved|booked)|passengers?|flug\p{L}*|hotel\p{L}*|pension|nächte|anreise|tisch(?:reservierung)?|buchung(?:sbestätigung)?|vols?|embarquement|réservation|nuits?|chambre|vuelo|reserva|noches?|mesa|habitación|voo|noites?|quarto|volo|prenotazione|notti|tavolo|camera|vlucht|reservering|nachten|tafel|рейс\p{L}*|бронь|брони|бронировани\p{L}*|отел\p{L}*|гостиниц\p{L}*|ночи|ночей|столик|lot|rezerwacj\p{L}*|noclegi?|stolik|rezervasyon\p{L}*|otel\p{L}*|uçuş\p{L}*|masa|gece)(?!\p{L})|ホテル|ご予約|予約確認|[0-9一二三]泊|便名|搭乗|酒店|航班|订座|訂位|预订成功|入住|호텔|예약|항공|โรงแรม|เที่ยวบิน|होटल|उड़ान|מלון|טיסה|فندق|رحلة|khách sạn|chuyến bay/iu
