/**
 * The state that a bridge restores at a start: its sessions with their engines, the network's
 * messages for them, and the contacts who have written. That a message was sent over the API is
 * forgotten, except on GOWS, where the device reports it.
 */
import * as v from 'valibot';
import { chatId } from '../../../../infra/programs/simulator/bridge/ids.ts';
import type { BridgePeople } from '../../../../infra/programs/simulator/bridge/people.ts';
import type { BridgeSessions } from '../../../../infra/programs/simulator/bridge/sessions.ts';
import { type Recorded, seenOf } from '../records.ts';
import { BRIDGES, phoneBehind } from './bridges.ts';

const Kept = v.object({
  session: v.string(),
  to: v.string(),
  text: v.nullable(v.string()),
  externalId: v.string(),
  failed: v.nullable(v.number()),
  at: v.number(),
});
const Met = v.object({ session: v.string(), chat: v.string() });

/** Of an earlier start than any that is counted. */
const EARLIER_RUN = -1;
/** A receipt of the device: it is there. */
const ARRIVED = 2;

export interface BridgeState {
  readonly sessions: BridgeSessions;
  readonly people: BridgePeople;
}

export function remember({ sessions, people }: BridgeState, earlier: readonly Recorded[]): void {
  for (const { session, engine } of BRIDGES) sessions.get(session).setBuild({ engine });
  for (const kept of seenOf(earlier, 'bridge-accepted', Kept)) {
    const { externalId: id, to, text, at } = kept;
    const ack = kept.failed === null ? ARRIVED : -1;
    const chat = chatId(to);
    const sentInRun = EARLIER_RUN;
    sessions.get(kept.session).messages.keep({ id, fromMe: true, chat, at, text, sentInRun, ack });
  }
  for (const { session, chat } of seenOf(earlier, 'bridge-met', Met)) {
    sessions.get(session).reach.recordContact(chat);
    if (chat.endsWith('@lid')) people.revealPhone(chat, phoneBehind(chat));
  }
}
