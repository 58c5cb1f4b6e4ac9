/**
 * The operator's commands: look up what the decision needs, claim the tokens, commit, then let the
 * channels hear of it. A claim is written before the commit: no token is ever in two places.
 */

import type { Answer, Store } from '../../shared/ports.ts';
import type { OrganizationCommand } from '../../shared/provisioning/commands.ts';
import type { ProbeAnswer } from '../channel/commands.ts';
import type { Claim } from '../domain/organization-context.ts';
import { decideOrganization, refusal } from '../domain/organization-decide.ts';
import type { OrganizationState } from '../domain/organization-state.ts';
import { urlsToCheck } from '../domain/organization-subscriptions.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { setReadiness } from './change.ts';
import type { KeyClaimDocument } from './documents.ts';

const TOKEN_TAKEN = 'is already in use';
/** A network that does not answer must not hold an operator up for long. */
const FIRST_PROBE_MS = 4_000;
const CONFIGURE_AGAIN_MS = 1_000;
const CONFIGURE_PATIENCE_MS = 60_000;

export interface Operation {
  readonly state: OrganizationState | null;
  readonly command: OrganizationCommand;
  readonly commit: (next: OrganizationState) => Promise<void>;
}

export async function operate(
  world: World,
  { state, command, commit }: Operation,
): Promise<Answer> {
  const refusals = await refusalsOf(world, state, command);
  const decision = decideOrganization(state, command, {
    now: world.clock.now(),
    ids: world.ids,
    publicUrl: world.settings.publicUrl,
    seal: world.vault.seal,
    open: world.vault.open,
    refuseUrl: (url) => refusals.get(url) ?? null,
  });
  const orgId = decision.next?.id ?? state?.id ?? '';
  const taken = await takenElsewhere(world.store, decision.claims, decision.releases);
  if (taken.length > 0) return answerOf(refusal(taken));
  if (!decision.next) return answerOf(decision);
  const lost = await claim(world.store, orgId, decision);
  if (lost.length > 0) return answerOf(refusal(lost));
  await commit(decision.next);
  await release(world.store, decision.releases);
  if (command.type === 'apply') {
    const probed = await probeChannels(world, state, decision.next);
    if (probed !== decision.next) await commit(probed);
  }
  return answerOf(decision);
}

function answerOf(decision: { status: number; body: unknown }): Answer {
  return { status: decision.status, body: JSON.stringify(decision.body) };
}

async function refusalsOf(
  world: World,
  state: OrganizationState | null,
  command: OrganizationCommand,
): Promise<ReadonlyMap<string, string | null>> {
  if (command.type !== 'apply') return new Map();
  const urls = urlsToCheck(state, command.organization);
  return new Map(
    await Promise.all(
      urls.map(
        async (url): Promise<[string, string | null]> => [url, await world.outbound.refuse(url)],
      ),
    ),
  );
}

/** Claims that a key holds which does not give it up in the same command. */
async function takenElsewhere(store: Store, claims: readonly Claim[], releases: readonly Claim[]) {
  if (claims.length === 0) return [];
  const holders = await store.find<KeyClaimDocument>('keys', {
    _id: { $in: claims.map((each) => each.digest) },
  });
  const released = new Set(releases.map((each) => each.keyId));
  const keyOf = new Map(holders.map((holder) => [holder._id, holder.keyId]));
  return claims
    .filter(({ digest, keyId }) => {
      const holder = keyOf.get(digest) ?? keyId;
      return holder !== keyId && !released.has(holder);
    })
    .map(({ path }) => ({ path, message: TOKEN_TAKEN }));
}

/** A claim that somebody else has made meanwhile meets theirs as a duplicate. */
async function claim(
  store: Store,
  orgId: string,
  { claims, releases }: { claims: readonly Claim[]; releases: readonly Claim[] },
) {
  const released = releases.map((each) => each.keyId);
  const outcomes = await store.commit(
    claims.map(({ digest, keyId }) => ({
      update: 'keys',
      filter: { _id: digest, keyId: { $in: [keyId, ...released] } },
      change: { $set: { orgId, keyId } },
      upsert: true,
    })),
  );
  return claims
    .filter((_, index) => outcomes[index]?.ok !== true)
    .map(({ path }) => ({ path, message: TOKEN_TAKEN }));
}

async function release(store: Store, releases: readonly Claim[]): Promise<void> {
  await store.commit(
    releases.map(({ digest, keyId }) => ({ remove: 'keys', filter: { _id: digest, keyId } })),
  );
}

/**
 * Channels that are new or changed look at their network at once, so that `ready` is true to it.
 * They answer what they saw instead of telling us: this turn is still under way.
 */
async function probeChannels(
  world: World,
  before: OrganizationState | null,
  after: OrganizationState,
): Promise<OrganizationState> {
  const known = new Map(before?.channels.map((channel) => [channel.id, JSON.stringify(channel)]));
  const changed = after.channels.filter((each) => known.get(each.id) !== JSON.stringify(each));
  const probed = await Promise.all(changed.map((channel) => probe(world, channel.id)));
  let state = after;
  for (const seen of probed) {
    const next = seen && setReadiness(state, seen).next;
    if (next) state = { ...next, version: after.version + 1 };
  }
  return state;
}

async function probe(world: World, channelId: string) {
  const seen = await configure(world, channelId, FIRST_PROBE_MS);
  if (!seen) void keepConfiguring(world, channelId);
  return !seen || seen.ready === 'unknown'
    ? null
    : { channelId, ready: seen.ready, reason: seen.reason ?? null };
}

/** Null where the channel's owner has not taken it. */
async function configure(
  world: World,
  channelId: string,
  withinMs: number,
): Promise<ProbeAnswer | null> {
  const { bus, clock, ids, log } = world;
  const command = { id: ids.fresh('cmd'), type: 'configure' };
  try {
    const answer = await bus.ask({ kind: 'channel', key: channelId }, command, {
      deadline: clock.now() + withinMs,
    });
    if (answer.status === 200) return JSON.parse(answer.body);
    log.warn({ channelId, status: answer.status }, 'channel did not take its configuration');
  } catch (cause) {
    log.warn({ channelId, error: describe(cause) }, 'channel did not take its configuration');
  }
  return null;
}

/**
 * Repeats the ask until the channel's owner has read the configuration. After a minute the owner's
 * own probe has read it.
 */
async function keepConfiguring(world: World, channelId: string): Promise<void> {
  const { clock, alive } = world;
  for (const until = clock.monotonic() + CONFIGURE_PATIENCE_MS; clock.monotonic() < until; ) {
    await new Promise<void>((resume) => clock.after(CONFIGURE_AGAIN_MS, resume));
    if (!alive() || (await configure(world, channelId, FIRST_PROBE_MS))) return;
  }
}
