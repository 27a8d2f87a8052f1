/** Mail: lists, messages, writing. */
export const mail = { title: 'Mail' }
