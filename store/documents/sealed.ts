/** What lies encrypted in the database (core/process/secrets.ts). Documents mark it by these types, which store/sealed.ts reads. */
import type { Binary } from 'mongodb'

declare const sealed: unique symbol

/** Encrypted bytes. */
export type Sealed = Binary & { readonly [sealed]: true }

/** Encrypted bytes in base64. */
export type SealedText = string & { readonly [sealed]: true }
