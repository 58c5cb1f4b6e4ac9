/**
 * A restriction of a number: the network lets it begin no conversations for a while, and those with
 * contacts who wrote go on. It is no matter of readiness (C2.3).
 */
import type { Restriction } from '../../shared/ports/network.ts';

/** As the channel's entry keeps it. */
export interface ChannelRestriction extends Restriction {
  /** Epoch milliseconds until which no first contact is tried. */
  readonly holdsUntil: number;
}

/** Restriction as the API shows it. */
interface ShownRestriction {
  readonly until: string | null;
  readonly message: string;
}

const HOLD_MS = 60 * 60 * 1000;
/** One without an end is told again and again: it is written anew only from here on. */
const RENEW_BELOW_MS = HOLD_MS / 2;
const MESSAGE =
  'A rede não deixa este número iniciar conversas por enquanto: mensagens a quem nunca ' +
  'escreveu esperam na fila, as outras seguem.';

/** After the network told of one; the known one where that tells nothing new. */
export function restrictionAfter(
  known: ChannelRestriction | null,
  { until }: Restriction,
  now: number,
): ChannelRestriction {
  // An end that has passed tells nothing: the network has refused a message just now.
  const end = until !== null && until > now ? until : null;
  if (end !== null) return known?.until === end ? known : { until: end, holdsUntil: end };
  if (known && known.holdsUntil - now >= RENEW_BELOW_MS) return known;
  const knownEnd = known?.until ?? null;
  if (known && knownEnd !== null && knownEnd > now) return known;
  return { until: null, holdsUntil: now + HOLD_MS };
}

export function isHolding(restriction: ChannelRestriction | null, now: number): boolean {
  return restriction !== null && restriction.holdsUntil > now;
}

/** Absent where first contacts may be tried. */
export function renderRestriction(
  restriction: ChannelRestriction | null | undefined,
  now: number,
): { readonly restriction?: ShownRestriction } {
  if (!restriction || !isHolding(restriction, now)) return {};
  const until = restriction.until === null ? null : new Date(restriction.until).toISOString();
  return { restriction: { until, message: MESSAGE } };
}
