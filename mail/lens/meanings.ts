/** What words of labels mean, each with the phrases that say it. `neutral` words say nothing. */
export type Lexicon = { readonly [meaning: string]: string }
