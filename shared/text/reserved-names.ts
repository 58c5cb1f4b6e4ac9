/** JavaScript's own names: valibot drops them from a record without a word (D92). */
export const RESERVED_NAMES = ['__proto__', 'constructor', 'prototype'] as const;
