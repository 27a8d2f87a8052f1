/** The phrases of a language by their meaning. Words of the meaning `neutral` carry none. */
export type Lexicon = { readonly [meaning: string]: string }
