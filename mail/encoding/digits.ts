/**
 * Replaces the digits of other scripts (Arabic, Persian, Devanagari, Thai, full-width) by ASCII digits, character for
 * character: that is how people type them. Never throws.
 */
export function withAsciiDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u0e50-\u0e59\uff10-\uff19]/g, asciiDigit)
}

/** Each range begins at zero. */
function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0)
  const zero = [0x0660, 0x06f0, 0x0966, 0x0e50, 0xff10].findLast((first) => first <= code) ?? code
  return String(code - zero)
}
