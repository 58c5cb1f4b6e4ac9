/**
 * The operator's commands: reads the facts of a decision, claims tokens, commits, then notifies the
 * channels.
 *
 * 1. A claim precedes the commit: no token belongs to two keys.
 * 2. A command that was committed stands in the organization's document. Asked again, it is decided
 *    for its answer alone: what later commands have changed or removed stays so (D494).
 */
import {
  LASTING_COMMAND_RETENTION_MS,
  OPERATOR_COMMANDS_MAX,
  PLAIN_COMMAND_RETENTION_MS,
  TAGS_MAX_PER_ORGANIZATION,
} from '../../shared/limits.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import { DecryptionFailed, type SecretLocation, type Vault } from '../../shared/ports/vault.ts';
import type { ProblemAt } from '../../shared/problems/provisioning.ts';
import type { OrganizationCommand } from '../../shared/provisioning/commands.ts';
import { foldTag } from '../../shared/text/fold-tag.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { ActingPerson } from '../../shared/wire/audit.ts';
import { auditOfTags } from '../domain/organization/applied-by.ts';
import { stagesToCheck } from '../domain/organization/apply-pipelines.ts';
import type { Claim } from '../domain/organization/context.ts';
import {
  decideOrganization,
  type OrganizationDecision,
  refusal,
} from '../domain/organization/decide.ts';
import { type ClaimedNumber, sharedWithOthers } from '../domain/organization/numbers.ts';
import { tagsToCheck } from '../domain/organization/references.ts';
import { urlsOf } from '../domain/organization/subscription-file.ts';
import { organizationChanges } from '../domain/organization/written.ts';
import type { OrganizationState } from '../domain/organization.ts';
import { decideTags, type TagChanges } from '../domain/tags.ts';
import type { Environment } from '../environment.ts';
import type { Configure } from '../model/channel.ts';
import type { Store } from '../model/collections.ts';
import { describe } from '../runtime/describe-fault.ts';
import { askUntilAcknowledged, sleep } from '../runtime/repeat.ts';
import { setReadiness } from './actor-commands.ts';
import { type OrganizationTags, writeAudit } from './documents.ts';
import { stagesWithDeals } from './pipelines.ts';

const TOKEN_TAKEN = { code: 'tokenTaken', params: {} } as const;
const NUMBER_TAKEN = { code: 'numberTaken', params: {} } as const;
const TOO_MANY: ProblemAt = {
  path: 'tags',
  problem: { code: 'tooManyTags', params: { most: TAGS_MAX_PER_ORGANIZATION } },
};
/** Bounds the operator's wait for a network that does not answer. */
const FIRST_PROBE_MS = 4_000;
/** Number of tags that are compared with a mistyped one. */
const TAGS_SHOWN = 1_000;
const CONFIGURE_RETRY_MS = 1_000;
const CONFIGURE_TIMEOUT_MS = 60_000;
const NOT_CONFIGURED = 'configuration not acknowledged by the channel';

export interface OperatorCommandContext {
  readonly state: OrganizationState | null;
  readonly command: OrganizationCommand;
  readonly by?: ActingPerson;
  /** The command may be asked again for a day. */
  readonly lasting?: boolean;
  /** False where another organization has one of its network numbers. */
  readonly compareAndSet: (next: OrganizationState) => Promise<boolean>;
  readonly tags: OrganizationTags;
  readonly lastUsedAt: (keyId: string) => number | null;
}

export async function executeOperatorCommand(
  environment: Environment,
  given: OperatorCommandContext,
): Promise<Answer> {
  const { state, command, by, compareAndSet, tags, lastUsedAt } = given;
  const [refusals, stored, withDeals] = await Promise.all([
    refusalsOf(environment, state, command),
    storedTags(tags, command),
    stagesInUse(environment.store, state, command),
  ]);
  const decision = decideOrganization(state, command, {
    now: environment.clock.now(),
    ids: environment.ids,
    publicUrl: environment.settings.publicUrl,
    eventHeaderPrefix: environment.settings.eventHeaderPrefix,
    seal: environment.vault.seal,
    open: (sealed, location) => openedBy(environment.vault, sealed, location),
    refuseUrl: (url) => refusals.get(url) ?? null,
    tags: stored,
    stagesWithDeals: withDeals,
    lastUsedAt,
    ...(by === undefined ? {} : { by }),
  });
  if (wasCommitted(state, command)) return answerOf(decision);
  const { store, clock } = environment;
  const orgId = decision.next?.id ?? state?.id ?? '';
  const numbers = numbersInUse(store, orgId, decision.numbers);
  const conflicts = await Promise.all([tokensInUse(store, decision), numbers]);
  const added = decideTags(decision.tags.add, await tags.known(decision.tags.add));
  const [tooMany, missing] = 'refused' in added ? [[TOO_MANY], []] : [[], added.missing];
  const problems = [...decision.refused, ...conflicts.flat(), ...tooMany];
  if (problems.length > 0) return answerOf(refusal(problems));
  if (command.type === 'apply' && command.check) {
    const body = await checkedBody(state, decision, { missing, tags });
    return answerOf({ ...decision, body });
  }
  const { remove } = decision.tags;
  if (!decision.next) await recordTags(environment, given, { add: missing, remove });
  await tags.add(missing);
  await tags.join(decision.tags.add);
  await tags.remove(remove);
  if (!decision.next) return answerOf(decision);
  const lost = await claim(store, orgId, decision);
  if (lost.length > 0) return answerOf(refusal(lost));
  const next = withCommitted(decision.next, given, clock.now());
  if (!(await compareAndSet(next))) {
    return answerOf(await lostNumbers(store, orgId, decision.numbers));
  }
  await release(store, decision.releases);
  if (command.type === 'apply') {
    const probed = await probeChannels(environment, state, next);
    if (probed !== next) await compareAndSet(probed);
  }
  return answerOf(decision);
}

function wasCommitted(
  state: OrganizationState | null,
  { id: commandId }: OrganizationCommand,
): boolean {
  return state?.operatorCommands?.some(({ id }) => id === commandId) === true;
}

function withCommitted(
  next: OrganizationState,
  { command: { id }, lasting = false }: Pick<OperatorCommandContext, 'command' | 'lasting'>,
  now: number,
): OrganizationState {
  const until = now + (lasting ? LASTING_COMMAND_RETENTION_MS : PLAIN_COMMAND_RETENTION_MS);
  const counting = (next.operatorCommands ?? []).filter((each) => each.until > now);
  const operatorCommands = [...counting, { id, until }].slice(-OPERATOR_COMMANDS_MAX);
  return { ...next, operatorCommands };
}

/** Before the change: tags are documents of their own. */
async function recordTags(
  { store, ids, clock }: Environment,
  { state, command, by, tags }: OperatorCommandContext,
  { add, remove }: TagChanges,
): Promise<void> {
  if (!state || !by) return;
  const applied = { before: state, commandId: command.id, context: { ids, now: clock.now(), by } };
  const { names } = await tags.known(remove);
  const entry = auditOfTags(applied, state, { add, remove: [...names.values()] });
  if (entry) await writeAudit(store, state.id, [entry]);
}

/** Null for a value sealed by another key: `recado doctor` reports it, `apply` replaces it. */
function openedBy(vault: Vault, sealed: string, location: SecretLocation): string | null {
  try {
    return vault.open(sealed, location);
  } catch (cause) {
    if (cause instanceof DecryptionFailed) return null;
    throw cause;
  }
}

/** Body of a check: the output, and with `diff` the changes, tags included. */
async function checkedBody(
  state: OrganizationState | null,
  { body, checked, tags: { remove } }: OrganizationDecision,
  { missing, tags }: { readonly missing: readonly string[]; readonly tags: OrganizationTags },
): Promise<unknown> {
  if (checked === null) return body;
  const { names } = await tags.known(remove);
  const removed = remove.flatMap((tag) => names.get(foldTag(tag)) ?? []);
  const changes = organizationChanges(state, checked.after, { add: missing, remove: removed });
  return Object.assign({}, body, changes);
}

/** Another apply has claimed the number at the same moment; names the holder if it still has it. */
async function lostNumbers(store: Store, orgId: string, numbers: readonly ClaimedNumber[]) {
  const conflicts = await numbersInUse(store, orgId, numbers);
  const lost = numbers.map(({ path }) => ({ path, problem: NUMBER_TAKEN }));
  return refusal(conflicts.length > 0 ? conflicts : lost);
}

/** Stored tags that flows of the file name; if one is missing, also candidates to suggest. */
async function storedTags(
  tags: OrganizationTags,
  command: OrganizationCommand,
): Promise<readonly string[]> {
  const wanted = command.type === 'apply' ? tagsToCheck(command.organization) : [];
  if (wanted.length === 0) return [];
  const { names } = await tags.known(wanted);
  const missing = wanted.some((tag) => !names.has(foldTag(tag)));
  return [...names.values(), ...(missing ? await tags.first(TAGS_SHOWN) : [])];
}

/** Stages that a file leaves out, as far as they have deals. */
async function stagesInUse(
  store: Store,
  state: OrganizationState | null,
  command: OrganizationCommand,
): Promise<ReadonlySet<string>> {
  if (!state || command.type !== 'apply') return new Set();
  return stagesWithDeals(store, state, stagesToCheck(state, command.organization));
}

function answerOf(decision: { status: number; body: unknown }): Answer {
  return { status: decision.status, body: JSON.stringify(decision.body) };
}

async function refusalsOf(
  { outbound }: Environment,
  state: OrganizationState | null,
  command: OrganizationCommand,
): Promise<ReadonlyMap<string, string | null>> {
  const refusals = urlsOf(state, command).map(
    async (url) => [url, await outbound.refuse(url)] as const,
  );
  return new Map(await Promise.all(refusals));
}

type Claims = Pick<OrganizationDecision, 'claims' | 'releases'>;

/** Issues for claims of a key that does not release them in the same command. */
async function tokensInUse(store: Store, { claims, releases }: Claims) {
  if (claims.length === 0) return [];
  const digests = claims.map((each) => each.digest);
  const holders = await store.find('keys', { _id: { $in: digests } });
  const released = new Set(releases.map((each) => each.keyId));
  const keyOf = new Map(holders.map((holder) => [holder._id, holder.keyId]));
  return claims
    .filter(({ digest, keyId }) => {
      const holder = keyOf.get(digest) ?? keyId;
      return holder !== keyId && !released.has(holder);
    })
    .map(({ path }) => ({ path, problem: TOKEN_TAKEN }));
}

/** Claims digests. A claim that another key has made meanwhile fails as a duplicate. */
async function claim(store: Store, orgId: string, { claims, releases }: Claims) {
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
    .map(({ path }) => ({ path, problem: TOKEN_TAKEN }));
}

async function release(store: Store, releases: readonly Claim[]): Promise<void> {
  await store.commit(
    releases.map(({ digest, keyId }) => ({ remove: 'keys', filter: { _id: digest, keyId } })),
  );
}

/**
 * New and changed channels probe their network at once, so that `ready` is true to it. Their answer
 * holds the result: they cannot report it to this actor during its turn.
 */
async function probeChannels(
  environment: Environment,
  before: OrganizationState | null,
  after: OrganizationState,
): Promise<OrganizationState> {
  const known = new Map(before?.channels.map((channel) => [channel.id, JSON.stringify(channel)]));
  const changed = after.channels.filter((each) => known.get(each.id) !== JSON.stringify(each));
  const probed = await Promise.all(changed.map((channel) => probe(environment, channel.id)));
  let state = after;
  for (const report of probed) {
    const next = report && setReadiness(state, report).next;
    if (next) state = { ...next, version: after.version + 1 };
  }
  return state;
}

async function probe(environment: Environment, channelId: string) {
  const { bus, clock, ids, log } = environment;
  const to = { kind: 'channel', key: channelId } as const;
  const command: Configure = { id: ids.fresh('cmd'), type: 'configure' };
  try {
    const answer = await bus.ask(to, command, { deadline: clock.now() + FIRST_PROBE_MS });
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    const { report } = bodyOf(answer);
    return report ? { channelId, ...report } : null;
  } catch (cause) {
    log.warn({ channelId, error: describe(cause) }, NOT_CONFIGURED);
    void configureUntilAcknowledged(environment, channelId);
    return null;
  }
}

/**
 * Repeats the ask until the channel's owner has read the configuration. It ends after a minute,
 * when the owner's own probe has read it.
 */
async function configureUntilAcknowledged(
  environment: Environment,
  channelId: string,
): Promise<void> {
  const { clock, ids, leaseHeld } = environment;
  const until = clock.monotonic() + CONFIGURE_TIMEOUT_MS;
  const command: Configure = { id: ids.fresh('cmd'), type: 'configure', tell: true };
  await sleep(clock, CONFIGURE_RETRY_MS);
  await askUntilAcknowledged(environment, {
    to: { kind: 'channel', key: channelId },
    command,
    mayAct: () => leaseHeld() && clock.monotonic() < until,
    wait: { firstMs: CONFIGURE_RETRY_MS },
    failedMessage: NOT_CONFIGURED,
  });
}

/** Issues for numbers that other organizations hold. */
async function numbersInUse(
  store: Store,
  orgId: string,
  numbers: readonly ClaimedNumber[],
): Promise<readonly ProblemAt[]> {
  if (numbers.length === 0) return [];
  const holders = await store.find(
    'organizations',
    { numbers: { $in: numbers.map(({ key }) => key) } },
    { project: { ref: 1, channels: 1 }, limit: numbers.length },
  );
  const others = holders.map(({ _id, ref, channels }) => ({ id: _id, ref, channels }));
  return sharedWithOthers(orgId, numbers, others);
}
