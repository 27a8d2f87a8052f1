/** Paths of pages, and which of them a person may be sent back to. */

/** The page after signing in, if no other was requested. */
const home = '/app'
/**
 * A path of ours (in the dashboard with its query, as URLSearchParams writes it) that a browser cannot mistake for another host
 * (WHATWG URL 4.4), and that cannot end the value of a cookie (RFC 6265 4.1.1).
 */
const ownPath =
  /^\/(?:(?:claim|invitation|oauth\/consent|settings)(?:\/[\w-]+)*|app(?:\/[\w@%+~-][\w.@%+~-]*)*(?:\?[\w.%+=&*-]*)?)$/

/** The page that was requested before signing in, or the dashboard if that is not a page of ours. */
export const placeOf = (wanted: string | null): string => (wanted !== null && ownPath.test(wanted) ? wanted : home)

/** The sign-in page that leads on to `place`. */
export const signInFor = (place: string): string =>
  place === home ? '/sign-in' : `/sign-in?next=${encodeURIComponent(place)}`

/** A path whose page then shows a notice that something was done. */
export const placeAfter = (place: string, done: string): string =>
  `${place}${place.includes('?') ? '&' : '?'}done=${done}`
