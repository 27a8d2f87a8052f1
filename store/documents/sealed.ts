/** Types of encrypted fields (core/process/secrets.ts). store/sealed.ts finds these fields by the types in the documents. */
import type { Binary } from 'mongodb'

declare const sealed: unique symbol

/** Encrypted bytes. */
export type Sealed = Binary & { readonly [sealed]: true }

/** Encrypted bytes in base64. */
export type SealedText = string & { readonly [sealed]: true }
