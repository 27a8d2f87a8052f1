/** A host and its port as written in URLs: an IPv6 address in brackets (RFC 3986 3.2.2). */
export function authorityOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
