/**
 * The first advertisement that brought a contact (D413). It stays: who came by one came by it,
 * whatever they press later.
 */
import type { Ad } from '../../shared/message-content.ts';
import { timestamp } from '../../shared/wire/outbox.ts';

export interface FirstAd extends Ad {
  /** The network's time of the message that it led to, epoch milliseconds. */
  readonly at: number;
}

interface Brought {
  readonly firstAd?: FirstAd;
}

/** Of two contacts that are one person the earlier; no property where neither has one. */
export function earlierAd({ firstAd: one }: Brought, { firstAd: other }: Brought): Brought {
  if (one === undefined || other === undefined) return asProperty(one ?? other);
  return { firstAd: other.at < one.at ? other : one };
}

/** What is known stays. */
export function adAfter({ firstAd: known }: Brought, { firstAd: reported }: Brought): Brought {
  return asProperty(known ?? reported);
}

function asProperty(firstAd: FirstAd | undefined): Brought {
  return firstAd === undefined ? {} : { firstAd };
}

/** As the API and the templates of flows show it. */
export function shownAd({ at, ...ad }: FirstAd) {
  return { ...ad, at: timestamp(at) };
}
