/** The paths of pages, and to which of them a person may be led back. */

/** The page after signing in, unless another was wanted. */
const home = '/app'
/**
 * A path of this service; in the dashboard also a query, as URLSearchParams writes it. It contains nothing that a browser would take for
 * another host (WHATWG URL 4.4), and nothing that ends the value of a cookie (RFC 6265 4.1.1).
 */
const ownPath =
  /^\/(?:(?:claim|invitation|oauth\/consent|settings)(?:\/[\w-]+)*|app(?:\/[\w@%+~-][\w.@%+~-]*)*(?:\?[\w.%+=&*-]*)?)$/

/** The page that was wanted before signing in, or the dashboard if that is not a page of this service. */
export const placeOf = (wanted: string | null): string => (wanted !== null && ownPath.test(wanted) ? wanted : home)

/** The sign-in page for a person who wants to see a page. */
export const signInFor = (place: string): string =>
  place === home ? '/sign-in' : `/sign-in?next=${encodeURIComponent(place)}`

/** The path of a page that then shows a notice of what was done. */
export const placeAfter = (place: string, done: string): string =>
  `${place}${place.includes('?') ? '&' : '?'}done=${done}`
