/** Says why a POST got no answer, in words that the operator of the endpoint understands. */
/** By the codes of Node, OpenSSL and the HTTP client. */
const words: { readonly [code: string]: string } = {
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  EAI_AGAIN: 'The host name could not be looked up: the name servers do not answer.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The endpoint closed the connection before it answered.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ENODATA: 'The host name has no address.',
  ENOTFOUND: 'The host name does not exist.',
  EPIPE: 'The endpoint closed the connection before it answered.',
  EPROTO: 'No TLS connection could be made.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'No TLS connection could be made: the port does not speak TLS.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name.',
  ETIMEDOUT: 'No connection could be made in time.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate chain ends at a self-signed certificate that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate chain is not complete.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate chain is not complete, or ends at an unknown authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate chain is not complete, or ends at an unknown authority.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection could be made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The header of the answer is too long.',
  UND_ERR_SOCKET: 'The endpoint closed the connection before it answered.',
}

/** An error as a sentence, with the code in brackets. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0) return inWords(error.errors[0])
  const code = 'code' in error ? String(error.code) : ''
  if (error.name === 'HTTPParserError') return 'The answer is not HTTP.'
  const known = words[code]
  if (known !== undefined) return `${known.slice(0, -1)} (${code}).`
  return error.name === 'DnsError' ? `The host name could not be looked up: ${error.message}.` : error.message
}
