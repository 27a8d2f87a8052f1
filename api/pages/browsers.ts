/** Readable names for browsers, from their User-Agent (RFC 9110 10.1.5). The header may contain anything, so the name is only displayed. */

/** A User-Agent also contains the names of browsers further down in this list, so the first match is the right one. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]
const shownMax = 60

/** Returns a name such as "Firefox on Windows", or, for an unknown program, the beginning of its User-Agent. */
export function browserOf(userAgent: string): string {
  const [browser, system] = [browsers, systems].map((known) => known.find(([form]) => form.test(userAgent))?.[1])
  if (browser === undefined) return userAgent === '' ? 'an unknown program' : userAgent.slice(0, shownMax)
  return system === undefined ? browser : `${browser} on ${system}`
}
