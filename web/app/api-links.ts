/** Addresses of the API for the browser itself: pictures, frames, downloads. They are asked for with the cookie of the session. */

/** The address of a path below /api/v1, each part encoded; what is not given is left out of the query. */
export function linkToApi(parts: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const path = parts.map((part) => encodeURIComponent(part)).join('/')
  return `/api/v1/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`
}
