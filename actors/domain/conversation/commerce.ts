/** Commerce beside a message's words: advertisement, product, order (D412). */
import type { Commerce } from '../../../shared/message-content.ts';

/** The three alone, without those that are absent. */
export function commerceOf({ ad, product, order }: Commerce): Commerce {
  return { ...(ad ? { ad } : {}), ...(product ? { product } : {}), ...(order ? { order } : {}) };
}
