/** The names that every object inherits. What strangers call so is found in no table of ours. */
export const inheritedNames: readonly string[] = Object.getOwnPropertyNames(Object.prototype)
