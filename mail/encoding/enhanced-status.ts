/**
 * The enhanced status code of a reply, such as `5.1.1`, if it follows the reply code of a line (RFC 2034 4): elsewhere it may be an
 * address such as 5.9.12.34. Null when there is none. Lines are joined by LF. Never throws.
 */
export function enhancedStatusOf(reply: string): string | null {
  return /^\d{3}[ -]#?([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/m.exec(reply)?.[1] ?? null
}
