/** What a browser calls itself (User-Agent, RFC 9110 10.1.5), in the words of people. It may say anything: it is shown, and no more. */

/** Each names those before it too, so the first that is found is the right one. */
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

/** Such as "Firefox on Windows"; the beginning of what it says for a program that is not known. */
export function browserOf(userAgent: string): string {
  const [browser, system] = [browsers, systems].map((known) => known.find(([form]) => form.test(userAgent))?.[1])
  if (browser === undefined) return userAgent === '' ? 'an unknown program' : userAgent.slice(0, shownMax)
  return system === undefined ? browser : `${browser} on ${system}`
}
