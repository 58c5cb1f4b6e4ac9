/**
 * Controls of the bridge's sessions: engine and version, state, restarts, restrictions, and what
 * the bridge knows of people.
 */
import * as v from 'valibot';
import { ENGINES } from '../bridge/engines.ts';
import { SESSION_STATUSES } from '../bridge/people.ts';
import type { BridgeSession } from '../bridge/sessions.ts';
import { type Exchange, respondJson } from '../http/exchange.ts';
import type { SimulatorState } from '../state/simulator-state.ts';
import { bridgeMessage, bridgeSession } from '../webhooks/bridge-events.ts';
import type { WebhookEntry } from '../webhooks/entry.ts';
import { channelsOf, readInput } from './input.ts';

const REPEATS_MAX = 1_000;
/** A timer's longest wait. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const EngineSchema = v.object({
  session: v.string(),
  engine: v.picklist(ENGINES),
  version: v.optional(v.pipe(v.string(), v.regex(/^\d{4}\.\d{1,2}\.\d{1,2}$/))),
  /** The beginning of `media.url`; a bridge without a known address uses localhost:3000. */
  address: v.optional(v.pipe(v.string(), v.url())),
});

/** Another engine behind the session, as after the operator changed it. */
export async function setEngine(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(EngineSchema, exchange);
  if (input === null) return;
  const session = simulator.sessions.get(input.session);
  session.setBuild(input);
  const { name, engine, version } = session;
  respondJson(exchange.response, 200, { session: name, engine, version });
}

export const SessionSchema = v.object({
  session: v.string(),
  status: v.picklist(SESSION_STATUSES),
  /** Digits: a phone of another number scans the QR code; empty: that of the channel's number. */
  scannedBy: v.optional(v.string()),
  /** False: the bridge does not report it. */
  told: v.optional(v.boolean(), true),
});

/** A QR session changes its state: the bridge reports the state, and behaves accordingly. */
export async function setSession(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(SessionSchema, exchange);
  if (input === null) return;
  const session = simulator.sessions.get(input.session);
  const { status, scannedBy, told } = input;
  if (scannedBy !== undefined) session.scannedBy = scannedBy === '' ? null : scannedBy;
  session.setStatus(status, simulator.clock.now());
  if (told) await queueEvent(simulator, session, bridgeSession(session, simulator.clock.now()));
  respondJson(exchange.response, 200, { ok: true });
}

export const RestartSchema = v.object({
  session: v.string(),
  /** Number of the newest messages sent here that it reports again. */
  repeat: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(REPEATS_MAX)), 0),
});

/** The bridge restarts: data that it kept in memory alone is gone. */
export async function restart(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(RestartSchema, exchange);
  if (input === null) return;
  const session = simulator.sessions.get(input.session);
  session.run += 1;
  for (const status of ['STARTING', 'WORKING'] as const) {
    session.setStatus(status, simulator.clock.now());
    await queueEvent(simulator, session, bridgeSession(session, simulator.clock.now()));
  }
  const sent = session.messages.list().filter((message) => message.sentInRun !== undefined);
  const renderContext = { session, people: simulator.people, now: simulator.clock.now() };
  for (const message of input.repeat === 0 ? [] : sent.slice(-input.repeat)) {
    await queueEvent(simulator, session, bridgeMessage(renderContext, message));
  }
  respondJson(exchange.response, 200, { ok: true });
}

export const RestrictionSchema = v.object({
  session: v.string(),
  /** False ends it. */
  active: v.optional(v.boolean(), true),
  /** Epoch milliseconds; null or absent without a known end. */
  until: v.optional(v.nullable(v.number()), null),
  enforcementType: v.optional(v.string(), 'RESTRICT_ALL_COMPANIONS'),
  /** False: sends are refused and the session does not report it. */
  told: v.optional(v.boolean(), true),
});

/** Forbids the number to begin conversations for a while, or allows it again. */
export async function setRestriction(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(RestrictionSchema, exchange);
  if (input === null) return;
  const { active, until, enforcementType, told } = input;
  const session = simulator.sessions.get(input.session);
  const now = simulator.clock.now();
  const wasTold = session.timelock(now) !== null;
  // One that ended stays known as not active any more.
  session.reach.restriction = { until: active ? until : now, enforcementType, told };
  const tells = session.engine !== 'webjs' && (active ? told : wasTold);
  if (tells) await queueEvent(simulator, session, bridgeSession(session, now));
  awaitEnd(simulator, session, tells && active ? until : null);
  respondJson(exchange.response, 200, { ok: true });
}

/** The session itself reports the end of the restriction. */
function awaitEnd(simulator: SimulatorState, session: BridgeSession, until: number | null): void {
  const waitMs = until === null ? 0 : until - simulator.clock.now();
  const isAwaited = waitMs > 0 && waitMs < TIMER_MAX_MS;
  const end = () =>
    void queueEvent(simulator, session, bridgeSession(session, simulator.clock.now()));
  session.reach.awaitEnd(isAwaited ? simulator.clock.after(waitMs + 1, end) : () => undefined);
}

export const PersonSchema = v.object({
  /** The phone, bare digits. */
  digits: v.string(),
  /** `web`: the hidden id of the same person. */
  lid: v.optional(v.string()),
  /** `web`: false is a phone without an account. */
  registered: v.optional(v.boolean(), true),
  /** `cloud`: the business-scoped id of the same person. */
  userId: v.optional(v.string()),
});

/** Knowledge of the networks about a person who need not have written. */
export async function setPerson(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(PersonSchema, exchange);
  if (input === null) return;
  const { digits, lid, registered, userId } = input;
  if (lid !== undefined) simulator.people.revealPhone(lid, digits);
  if (!registered) simulator.people.setUnregistered(digits);
  if (userId !== undefined) simulator.cloudPeople.setUserId(digits, userId);
  respondJson(exchange.response, 200, { ok: true });
}

async function queueEvent(
  simulator: SimulatorState,
  session: BridgeSession,
  entry: WebhookEntry,
): Promise<void> {
  const channels = await simulator.directory.find((set) =>
    channelsOf(set, { session: session.name }),
  );
  for (const { channelId } of channels ?? []) {
    simulator.webhookQueues.queue(channelId, session.name, entry);
  }
}
