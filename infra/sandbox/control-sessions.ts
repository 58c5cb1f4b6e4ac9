/**
 * Controls of the bridge's sessions: engine and version, state, restarts, restrictions, and what
 * the bridge knows of people.
 */
import * as v from 'valibot';
import { ENGINES } from './bridge-engines.ts';
import { bridgeMessage, bridgeSession } from './bridge-events.ts';
import { SESSION_STATUSES } from './bridge-people.ts';
import type { BridgeSession } from './bridge-sessions.ts';
import { channelsOf, readInput } from './control-input.ts';
import { type Exchange, respondJson } from './exchange.ts';
import type { WebhookEntry } from './webhook-entry.ts';
import type { World } from './world.ts';

const REPEATS_MAX = 1_000;
/** A timer's longest wait. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const EngineSchema = v.object({
  session: v.string(),
  engine: v.picklist(ENGINES),
  version: v.optional(v.pipe(v.string(), v.regex(/^\d{4}\.\d{1,2}\.\d{1,2}$/))),
  /** The beginning of `media.url`; a bridge without a known address says localhost:3000. */
  address: v.optional(v.pipe(v.string(), v.url())),
});

/** Another engine behind the session, as after the operator changed it. */
export async function setEngine(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(EngineSchema, exchange);
  if (input === null) return;
  const session = world.sessions.get(input.session);
  session.setBuild(input);
  const { name, engine, version } = session;
  respondJson(exchange.response, 200, { session: name, engine, version });
}

export const SessionSchema = v.object({
  session: v.string(),
  status: v.picklist(SESSION_STATUSES),
});

/** A QR session changes its state: the bridge says so, and acts so. */
export async function setSession(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(SessionSchema, exchange);
  if (input === null) return;
  const session = world.sessions.get(input.session);
  session.setStatus(input.status, world.clock.now());
  await tell(world, session, bridgeSession(session, world.clock.now()));
  respondJson(exchange.response, 200, { ok: true });
}

export const RestartSchema = v.object({
  session: v.string(),
  /** How many of the newest messages that were sent here it tells once more. */
  repeat: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(REPEATS_MAX)), 0),
});

/** The bridge starts again: what it kept in memory alone is gone. */
export async function restart(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(RestartSchema, exchange);
  if (input === null) return;
  const session = world.sessions.get(input.session);
  session.run += 1;
  for (const status of ['STARTING', 'WORKING'] as const) {
    session.setStatus(status, world.clock.now());
    await tell(world, session, bridgeSession(session, world.clock.now()));
  }
  const sent = session.messages().filter((message) => message.sentInRun !== undefined);
  const telling = { session, people: world.people, now: world.clock.now() };
  for (const message of input.repeat === 0 ? [] : sent.slice(-input.repeat)) {
    await tell(world, session, bridgeMessage(telling, message));
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
  /** False: sends are refused and the session says nothing of it. */
  told: v.optional(v.boolean(), true),
});

/** The number may begin no conversations for a while, or may again. */
export async function setRestriction(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(RestrictionSchema, exchange);
  if (input === null) return;
  const { active, until, enforcementType, told } = input;
  const session = world.sessions.get(input.session);
  const now = world.clock.now();
  const wasTold = session.timelock(now) !== null;
  // One that ended stays known as not active any more.
  session.restriction = { until: active ? until : now, enforcementType, told };
  const tells = session.engine !== 'webjs' && (active ? told : wasTold);
  if (tells) await tell(world, session, bridgeSession(session, now));
  awaitEnd(world, session, tells && active ? until : null);
  respondJson(exchange.response, 200, { ok: true });
}

/** The session says by itself when the restriction is over. */
function awaitEnd(world: World, session: BridgeSession, until: number | null): void {
  const waitMs = until === null ? 0 : until - world.clock.now();
  const isAwaited = waitMs > 0 && waitMs < TIMER_MAX_MS;
  const end = () => void tell(world, session, bridgeSession(session, world.clock.now()));
  session.awaitEnd(isAwaited ? world.clock.after(waitMs + 1, end) : () => undefined);
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
export async function setPerson(world: World, exchange: Exchange): Promise<void> {
  const input = await readInput(PersonSchema, exchange);
  if (input === null) return;
  const { digits, lid, registered, userId } = input;
  if (lid !== undefined) world.people.tellPhone(lid, digits);
  if (!registered) world.people.setUnregistered(digits);
  if (userId !== undefined) world.cloudPeople.setUserId(digits, userId);
  respondJson(exchange.response, 200, { ok: true });
}

async function tell(world: World, session: BridgeSession, entry: WebhookEntry): Promise<void> {
  const channels = await world.directory.find((set) => channelsOf(set, { session: session.name }));
  for (const { channelId } of channels ?? []) {
    world.lanes.queue(channelId, session.name, entry);
  }
}
