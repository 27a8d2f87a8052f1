/** URLs of the API that the browser itself loads: pictures, frames, downloads. It sends the session cookie with them. */

/** Returns the URL of a path below /api/v1, each part encoded. Undefined parameters are left out of the query. */
export function linkToApi(parts: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const path = parts.map((part) => encodeURIComponent(part)).join('/')
  return `/api/v1/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`
}
