/** Where pages are, and which of them a person is led back to. */

/** The page after signing in, when none was wanted. */
const home = '/app'
/** A path of ours without a query: nothing that a browser takes for another host (WHATWG URL 4.4). */
const ownPath = /^\/(?:(?:claim|invitation|oauth\/consent|settings)(?:\/[\w-]+)*|app(?:\/[\w@%+~-][\w.@%+~-]*)*)$/

/** The page that was wanted before signing in; the dashboard when it is none of ours. */
export const placeOf = (wanted: string | null): string => (wanted !== null && ownPath.test(wanted) ? wanted : home)

/** Where a person signs in who wants to see a page. */
export const signInFor = (place: string): string =>
  place === home ? '/sign-in' : `/sign-in?next=${encodeURIComponent(place)}`
