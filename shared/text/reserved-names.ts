/** JavaScript's own names: valibot silently drops them from a record (D92). */
export const RESERVED_NAMES = ['__proto__', 'constructor', 'prototype'] as const;
