/**
 * Restriction of a number: for a while the network lets it begin no conversations, or, of an account
 * that owes it, send nothing outside of the window. Other conversations continue. A restriction does
 * not affect readiness (C2.3).
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
const UNPAID =
  'Há uma pendência de pagamento na conta do WhatsApp Business: mensagens a quem não escreveu nas ' +
  'últimas 24 horas esperam na fila, as outras seguem.';

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

interface Restricted {
  readonly restriction?: ChannelRestriction;
  readonly unpaid?: ChannelRestriction;
}

/** Absent where all messages may be tried. Of two the one that holds more is shown: the debt. */
export function renderRestriction(
  { restriction, unpaid }: Restricted,
  now: number,
): { readonly restriction?: { readonly until: string | null; readonly message: string } } {
  if (isHolding(unpaid ?? null, now)) return { restriction: { until: null, message: UNPAID } };
  if (restriction === undefined || !isHolding(restriction, now)) return {};
  const until = restriction.until === null ? null : timestamp(restriction.until);
  return { restriction: { until, message: MESSAGE } };
}
