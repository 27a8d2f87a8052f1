/**
 * The words around verification codes and links in Turkish, Arabic, Hebrew, Hindi, Thai and Vietnamese, and in several languages with
 * few words each (`vocabulary.ts`).
 */
import type { Vocabulary } from './vocabulary.ts'

export const tr: Vocabulary = {
  strong: [
    '(?:doğrulama|onay|güvenlik|kurtarma|eşleştirme|sıfırlama|teyit|tek seferlik|giriş|erişim|aktivasyon|etkinleştirme|kimlik doğrulama|tek kullanımlık|sms) (?:kod|şifre|parola)~',
  ],
  weak: ['kod', 'kodu~', 'kodunuz~', 'şifreniz'],
  other: [
    '(?:indirim|posta|promosyon|kupon|ürün|alan|hata|hediye|davet|qr|takip) kod~',
    '(?:sipariş|fatura|takip|randevu|kargo|abone|poliçe|müşteri|rezervasyon|hesap|kart|seri|telefon|dosya|oda|model|tutar|toplam)~(?: (?:no|numara~))?',
    'numaralı|numarası|no(?=[.:]? ?[0-9])',
  ],
  sale: ['indirim~', 'kupon~', 'kampanya~'],
  figures: ['rakam~', 'haneli sayı~'],
  enter: ['girin', 'kullanın'],
  typed: ['girin', 'girerek', 'giriniz', 'yazın', 'yazarak'],
  goal: ['onayla~', 'doğrula~', 'oturum aç~', 'giriş yap~', 'eşleştir~', 'yenile~', 'kurtar~', 'etkinleştir~'],
  confirm: ['doğrula~|onayla~|etkinleştir~|şifre(?:ni|nizi|yi)? (?:sıfırla|değiştir|oluştur)~|yeni şifre'],
  login: ['giriş yap~', 'oturum aç~'],
  leave: ['abonelikten çık~', 'gizlilik~', 'koşullar~', 'yardım', 'iletişim', 'tarayıcı~'],
}

export const others: Vocabulary = {
  neutral: ['(?:tuo|suo|vostro|dein~|ihr~|euer|jouw|je|uw|mijn|seu|tu|su) account'],
  strong: [
    // sv no da fi cs hu uk id
    '(?:verifierings|säkerhets|engångs|inloggnings|bekräftelse|verifikations|engangs|bekræftelses|sikkerheds|bekreftelses|sikkerhets|innloggings|aktiverings)-?kode?n?',
    'engångslösenord|engangspassord|kertakäyttö(?:koodi|salasana)|vahvistuskoodi|turvakoodi',
    '(?:ověřovací|potvrzovací|bezpečnostní|jednorázový|přihlašovací|aktivační) kód~',
    '(?:ellenőrző|megerősítő|biztonsági|egyszeri|belépési) kód~',
    'код~ підтвердження|одноразовий (?:код|пароль)|kode (?:verifikasi|otp|keamanan|konfirmasi)',
  ],
  weak: ['kod(?:en)?', 'kode~', 'koodi~', 'kód~'],
  other: ['ordre~', 'beställning~', 'faktura~', 'objednávk~', 'tilaus~', 'rabatt?kod~', 'замовлення', 'pesanan'],
  sale: ['rabatt?~', 'sleva', 'diskon'],
  enter: [],
  goal: [],
  confirm: [
    'bekräfta~|verifiera~|bekræft~|bekreft~|vahvista~|ověř~|potvrd~|erősít~|підтверд~|verifikasi',
    'konfirmasi',
  ],
  login: ['logga in', 'logg inn', 'log ind', 'přihlásit~'],
  leave: ['avregistrera~|avsluta prenumeration|afmeld~|odhlásit~|leiratkoz~|відписатися|berhenti berlangganan'],
}

export const ar: Vocabulary = {
  strong: [
    '(?:رمز|كود|رقم) (?:ال)?(?:تحقق|تأكيد|أمان|دخول|تفعيل|مصادقة|توثيق|سري|مؤقت|تسجيل|استرداد|استعادة)~(?: ~)?',
    '(?:كلمة (?:ال)?(?:مرور|سر)|رمز|كود) (?:لمرة واحدة|المؤقتة?|لمرّة واحدة|صالح لمرة واحدة)',
    '(?:ال)?رقم السري(?: المتغير)?',
  ],
  weak: ['(?:ال)?رمز~', '(?:ال)?كود~'],
  other: [
    '(?:رمز|كود) (?:ال)?(?:خصم|قسيمة|بريدي|منتج|هدية|دعوة|خطأ|حجز|شحن)~',
    'رقم (?:ال)?(?:طلب|فاتورة|حساب|شحنة|تتبع|عميل|بطاقة|هاتف|حجز|مرجع|عضوية|رحلة)~|فاتورة|مبلغ',
  ],
  sale: ['خصم', 'تخفيض~', 'قسيمة', 'عرض'],
  enter: ['أدخل~', 'ادخل~', 'استخدم~', 'اكتب', 'إدخال'],
  goal: ['ل?تسجيل الدخول', 'ل?تأكيد', 'ل?تفعيل', 'للتحقق', 'للدخول', 'لإكمال', 'للمتابعة', 'إعادة تعيين'],
  confirm: ['تأكيد|تحقق|تفعيل|أكد|فع[ّ]?ل', 'إعادة تعيين كلمة (?:المرور|السر)|كلمة مرور جديدة'],
  login: ['تسجيل الدخول'],
  leave: ['إلغاء الاشتراك', 'الخصوصية', 'الشروط', 'مساعدة', 'اتصل بنا'],
}

export const he: Vocabulary = {
  strong: [
    'ה?קוד (?:ה?אימות|ה?אישור|ה?אבטחה|ה?כניסה|ה?גישה|ה?הפעלה|ה?זיהוי|ה?התחברות|ה?שחזור|ה?רישום|חד[- ]פעמי|ה?חד[- ]פעמי|ה?זמני|ה?סודי)',
    'ה?סיסמ[האת]+ (?:ה?חד[- ]פעמית|ה?זמנית)',
  ],
  weak: ['ה?קוד'],
  other: [
    'קוד (?:ה?קופון|ה?הנחה|ה?מבצע|ה?מוצר|ה?שגיאה|ה?הזמנה)',
    '(?:מספר|מס) (?:ה?הזמנה|ה?מעקב|ה?לקוח|ה?חשבון|ה?משלוח|ה?כרטיס|ה?טלפון)|הזמנה מספר|חשבונית|סכום|מיקוד',
  ],
  sale: ['הנחה', 'קופון', 'מבצע'],
  enter: ['הזן', 'הזינו', 'הזיני', 'הקלד~', 'הכנס~', 'השתמש~', 'יש להזין'],
  goal: ['להתחבר', 'להיכנס', 'לאמת', 'לאשר', 'כניסה', 'התחברות', 'אימות', 'להמשיך', 'להשלים', 'לאיפוס'],
  confirm: ['אימות|אישור|הפעל~|אמת~|אשר~', 'איפוס סיסמ[הא]|סיסמה חדשה'],
  login: ['התחבר~', 'כניסה'],
  leave: ['הסרה', 'להסיר', 'פרטיות', 'תנאים', 'עזרה', 'צור קשר'],
}

export const hi: Vocabulary = {
  strong: [
    '(?:सत्यापन|पुष्टिकरण|पुष्टि|सुरक्षा|लॉगिन|लॉग इन|एक्सेस|सक्रियण|प्रमाणीकरण|वेरिफिकेशन|ओटीपी|वन[- ]टाइम) (?:कोड|पासवर्ड|पिन|पासकोड)',
    'ओटीपी|एकबारगी पासवर्ड',
  ],
  weak: ['कोड', 'पासकोड'],
  other: [
    '(?:छूट|कूपन|पिन|उत्पाद|प्रोमो|गिफ्ट) कोड',
    '(?:ऑर्डर|ग्राहक|खाता|बिल|ट्रैकिंग|फ़ोन|कार्ड|बुकिंग|संदर्भ) (?:नंबर|संख्या|क्रमांक)|राशि|बिल',
  ],
  sale: ['छूट', 'कूपन', 'ऑफ़र'],
  enter: ['दर्ज', 'डालें', 'उपयोग', 'टाइप'],
  typed: ['दर्ज', 'डालें', 'टाइप'],
  goal: ['सत्यापित', 'लॉग इन', 'लॉगिन', 'पुष्टि', 'सत्यापन', 'जारी', 'सक्रिय'],
  confirm: ['सत्यापित|सत्यापन|पुष्टि|सक्रिय', 'पासवर्ड रीसेट|नया पासवर्ड'],
  login: ['लॉग इन', 'लॉगिन'],
  leave: ['सदस्यता समाप्त', 'गोपनीयता', 'शर्तें', 'सहायता'],
}

export const th: Vocabulary = {
  strong: [
    'รหัส(?:ยืนยัน|ตรวจสอบ|ความปลอดภัย|เข้าสู่ระบบ|เข้าใช้งาน|เปิดใช้งาน|ใช้ครั้งเดียว|ลับ)(?:ตัวตน)?',
    'รหัส(?:ผ่าน)?(?: )?(?:แบบ)?(?:ใช้)?(?:ครั้งเดียว|ชั่วคราว)|รหัส otp|โอทีพี',
  ],
  weak: ['รหัส', 'โค้ด'],
  other: [
    '(?:รหัส|โค้ด)(?:ส่วนลด|คูปอง|ไปรษณีย์|สินค้า|ลูกค้า|พัสดุ|ของขวัญ)',
    '(?:หมายเลข|เลขที่)(?:คำสั่งซื้อ|พัสดุ|บัญชี|ลูกค้า|โทรศัพท์|ใบแจ้งหนี้|อ้างอิง|การจอง|เที่ยวบิน|บัตร)',
  ],
  sale: ['ส่วนลด', 'คูปอง', 'โปรโมชั่น'],
  enter: ['กรอก', 'ใส่', 'ป้อน', 'พิมพ์', 'ใช้'],
  goal: ['เข้าสู่ระบบ', 'ยืนยัน', 'ดำเนินการต่อ', 'เปิดใช้งาน', 'ลงทะเบียน', 'รีเซ็ต'],
  confirm: ['ยืนยัน|เปิดใช้งาน', '(?:รีเซ็ต|ตั้ง|เปลี่ยน)รหัสผ่าน'],
  login: ['เข้าสู่ระบบ', 'ลงชื่อเข้าใช้'],
  leave: ['ยกเลิก(?:การ)?(?:รับ|สมัคร)', 'ความเป็นส่วนตัว', 'เงื่อนไข', 'ช่วยเหลือ'],
}

export const vi: Vocabulary = {
  strong: [
    'mã (?:số )?(?:xác minh|xác thực|otp|bảo mật|xác nhận|kích hoạt|đăng nhập|truy cập|pin|khôi phục|dùng một lần|an toàn)',
    'mật khẩu (?:dùng |sử dụng )?(?:một lần|tạm thời)',
  ],
  weak: ['mã', 'mã số'],
  other: [
    'mã (?:đơn hàng|vận đơn|giảm giá|khuyến mãi|bưu (?:điện|chính)|sản phẩm|khách hàng|đặt (?:chỗ|vé|phòng)|số thuế|lỗi|quà tặng|giới thiệu|qr|vạch|giao dịch|hóa đơn|vùng)',
    '(?:số|đơn) (?:hàng|điện thoại|tài khoản|hóa đơn|tiền|thẻ)',
  ],
  sale: ['giảm giá', 'khuyến mãi', 'ưu đãi'],
  enter: ['nhập', 'sử dụng', 'dùng', 'điền'],
  goal: ['đăng nhập', 'xác (?:minh|thực|nhận)', 'kích hoạt', 'tiếp tục', 'hoàn tất', 'đăng ký', 'đặt lại'],
  confirm: ['xác minh|xác nhận|xác thực|kích hoạt', '(?:đặt lại|đổi) mật khẩu|mật khẩu mới'],
  login: ['đăng nhập'],
  leave: ['hủy đăng ký', 'quyền riêng tư', 'điều khoản', 'trợ giúp'],
}
