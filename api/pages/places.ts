/** Where pages are, and which of them a person is led back to. */

/** The page after signing in, when none was wanted. */
const home = '/app'
/**
 * A path of ours, in the dashboard with its query, as URLSearchParams writes one: nothing that a browser takes for another host
 * (WHATWG URL 4.4), and nothing that ends the value of a cookie (RFC 6265 4.1.1).
 */
const ownPath =
  /^\/(?:(?:claim|invitation|oauth\/consent|settings)(?:\/[\w-]+)*|app(?:\/[\w@%+~-][\w.@%+~-]*)*(?:\?[\w.%+=&*-]*)?)$/

/** The page that was wanted before signing in; the dashboard when it is none of ours. */
export const placeOf = (wanted: string | null): string => (wanted !== null && ownPath.test(wanted) ? wanted : home)

/** Where a person signs in who wants to see a page. */
export const signInFor = (place: string): string =>
  place === home ? '/sign-in' : `/sign-in?next=${encodeURIComponent(place)}`

/** A place that is told what was done before it is shown. */
export const placeAfter = (place: string, done: string): string =>
  `${place}${place.includes('?') ? '&' : '?'}done=${done}`
