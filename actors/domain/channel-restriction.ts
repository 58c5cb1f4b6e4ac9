/**
 * Restriction of a number: for a while the network lets it begin no conversations. Conversations
 * with contacts who wrote before continue. A restriction does not affect readiness (C2.3).
 */
import type { Restriction } from '../../shared/ports/network-event.ts';
import { timestamp } from '../../shared/wire/outbox.ts';

/** As the channel's entry stores it. */
export interface ChannelRestriction extends Restriction {
  /** Epoch milliseconds until which no first contact is tried. */
  readonly holdsUntil: number;
}

const HOLD_MS = 60 * 60 * 1000;
/** The network repeats a restriction without an end: below this rest it is stored anew. */
const RENEW_BELOW_MS = HOLD_MS / 2;
const MESSAGE =
  'A rede não deixa este número iniciar conversas por enquanto: mensagens a quem nunca ' +
  'escreveu esperam na fila, as outras seguem.';

/** The restriction after a report of the network; the same object where the report adds nothing. */
export function restrictionAfter(
  known: ChannelRestriction | null,
  { until }: Restriction,
  now: number,
): ChannelRestriction {
  // An end in the past is void: the network refused a message just now.
  const end = until !== null && until > now ? until : null;
  if (end !== null) return known?.until === end ? known : { until: end, holdsUntil: end };
  if (known && known.holdsUntil - now >= RENEW_BELOW_MS) return known;
  if (known && known.until !== null && known.until > now) return known;
  return { until: null, holdsUntil: now + HOLD_MS };
}

export function isHolding(restriction: ChannelRestriction | null, now: number): boolean {
  return restriction !== null && restriction.holdsUntil > now;
}

/** Absent where first contacts may be tried. */
export function renderRestriction(
  restriction: ChannelRestriction | null | undefined,
  now: number,
): { readonly restriction?: { readonly until: string | null; readonly message: string } } {
  if (!restriction || !isHolding(restriction, now)) return {};
  const until = restriction.until === null ? null : timestamp(restriction.until);
  return { restriction: { until, message: MESSAGE } };
}
