/**
 * Routing to flows. A contact's message answers the waiting run, or is sent to the organization,
 * whose shared handler starts the flow of a message or a tag. The handler also looks flows up, and
 * changes nothing of the organization. A contact's change sends some of its commands: new tags may
 * start a flow, an opt-out stops all.
 */
import { conversationId as conversationIdOf } from '../../shared/entity-ids.ts';
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Answer, Command, CommandOf } from '../../shared/ports/bus.ts';
import type { Store } from '../../shared/ports/store.ts';
import { readSteps } from '../../shared/provisioning/flow-steps.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { StartFlow } from '../../shared/wire/commands.ts';
import { type OutboxCommand, outboxCommand } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import type { Accepted } from '../domain/conversation.ts';
import { withRun } from '../domain/flow/arrival.ts';
import { flowForMessage, flowsForTags, type TriggeringMessage } from '../domain/flow/conditions.ts';
import type { OrganizationFacts, StartableFlow } from '../domain/flow/context.ts';
import { applyAnswer } from '../domain/flow/decide.ts';
import { compileSteps } from '../domain/flow/references.ts';
import { isPaused } from '../domain/flow/run.ts';
import { isOptOutWord } from '../domain/network-message.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import type {
  FlowVersionDocument,
  LookUpFlow,
  RouteMessage,
  RouteOptOut,
  RouteTags,
  StopFlow,
} from '../model/flow.ts';

const ABSENT: Answer = { status: 404, body: '{}' };
/** Shorter than the deadline of the caller. */
const ASK_MS = 6_000;

export class OrganizationFlows {
  readonly #environment: Environment;
  readonly #versions: FlowVersions;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#versions = new FlowVersions(environment.store);
  }

  /** Undefined for a command that concerns no flow. */
  answer(state: OrganizationState | null, command: CommandOf<'organization'>) {
    switch (command.type) {
      case 'flow-look-up':
        return this.#lookUp(state, command);
      case 'flow-route-message':
        return this.#routeMessage(state, command);
      case 'flow-route-tags':
        return this.#routeTags(state, command);
      case 'flow-route-opt-out':
        return this.#routeOptOut(state, command);
      default:
        return undefined;
    }
  }

  async #lookUp(state: OrganizationState | null, { flowId }: LookUpFlow): Promise<Answer> {
    const flow = state?.flows.find((each) => each.id === flowId && each.removed !== true);
    if (!state || !flow || state.removed === true) return ABSENT;
    const { ids, clock } = this.#environment;
    const steps = compileSteps(flow, state);
    const versionId = `${flow.id}.${ids.digest(JSON.stringify(steps)).slice(0, 22)}`;
    const writtenAt = clock.now();
    await this.#versions.write({ _id: versionId, flowId, orgId: state.id, steps, writtenAt });
    const { name, enabled, channelId } = flow;
    return answerOf({ flowId, name, enabled, channelId, versionId });
  }

  async #routeMessage(state: OrganizationState | null, message: RouteMessage): Promise<Answer> {
    const flow = state && flowForMessage(state.flows, message);
    if (!state || !flow) return DONE;
    const { channelId, contactId, phone, conversationId, messageId } = message;
    const id = this.#environment.ids.derive('run', messageId);
    const start = { id, channelId, contactId, phone, origin: 'contact' } as const;
    await this.#start(conversationId, { ...start, orgId: state.id, flowId: flow.id });
    return DONE;
  }

  /** In the flow's channel, else in the channel of the contact's latest message (docs/flows.md). */
  async #routeTags(state: OrganizationState | null, command: RouteTags): Promise<Answer> {
    const { ids } = this.#environment;
    const { contactId, phone, tags } = command;
    if (!state) return DONE;
    for (const flow of flowsForTags(state.flows, tags)) {
      const channelId = flow.channelId ?? (await this.#lastChannel(state.id, contactId));
      if (channelId === null) continue;
      const id = ids.derive('run', command.id, flow.id);
      const start = { id, channelId, contactId, phone, origin: 'flow' } as const;
      const conversationId = conversationIdOf(ids, channelId, contactId);
      await this.#start(conversationId, { ...start, orgId: state.id, flowId: flow.id });
    }
    return DONE;
  }

  async #lastChannel(orgId: string, contactId: string): Promise<string | null> {
    const { readBarrier, store } = this.#environment;
    await readBarrier.pass(orgId);
    const latest = await store.findOne(
      'conversations',
      { 'snapshot.orgId': orgId, 'snapshot.contactId': contactId },
      { sort: { 'snapshot.lastMessageAt': -1, _id: -1 } },
    );
    return latest?.snapshot.channelId ?? null;
  }

  async #routeOptOut(state: OrganizationState | null, { contactId, id, at }: RouteOptOut) {
    const { ids } = this.#environment;
    const stopping = (state?.channels ?? []).map((channel) => {
      const command: StopFlow = { id: `${id}.${channel.id}`, type: 'stop-flow', at };
      return this.#ask(conversationIdOf(ids, channel.id, contactId), command);
    });
    await Promise.all(stopping);
    return DONE;
  }

  #start(conversationId: string, start: Omit<StartFlow, 'type'>): Promise<void> {
    return this.#ask(conversationId, { ...start, type: 'start-flow' });
  }

  /** A skipped start is final. A fault is thrown: the caller repeats its command. */
  async #ask(conversationId: string, command: CommandOf<'conversation'>): Promise<void> {
    const { bus, clock } = this.#environment;
    const to = { kind: 'conversation', key: conversationId } as const;
    const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_MS });
    if (answer.status >= 500) throw new Error(`${command.type} failed: ${answer.status}`);
  }
}

interface AnsweringConversation {
  readonly parts: {
    readonly environment: Pick<Environment, 'clock'>;
    readonly flows: {
      readonly versions: FlowVersions;
      readonly facts: { organization(orgId: string): Promise<OrganizationFacts> };
    };
  };
}

/** The message's entry, with its effect on the run (`domain/flow/decide.ts`, rule 2). */
export async function withFlow(
  { parts }: AnsweringConversation,
  messageId: string,
  accepted: Accepted,
): Promise<Accepted> {
  const { state, message } = accepted;
  if (isOptOutWord(message.text)) {
    return state.run ? { ...accepted, state: withRun(state, null) } : accepted;
  }
  const isReaction = message.kind === 'reaction';
  // A reaction is not an answer.
  if (isReaction && state.run) return accepted;
  const now = parts.environment.clock.now();
  const { run } = state;
  if (!run) {
    if (isPaused(state, now)) return accepted;
    return { ...accepted, outbox: [...accepted.outbox, routeMessage(messageId, accepted)] };
  }
  const { versions, facts } = parts.flows;
  const [version, org] = await Promise.all([
    versions.find(run.versionId),
    facts.organization(state.orgId),
  ]);
  if (!version) return accepted;
  const answering = {
    step: version.steps.get(run.stepId),
    text: message.text ?? `[${message.kind}]`,
    chosen: chosenIn(message),
    arrival: { now, org, steps: version.steps },
  };
  return { ...accepted, state: applyAnswer(state, answering) };
}

function routeMessage(messageId: string, { state, message }: Accepted): OutboxCommand {
  const command: RouteMessage = {
    id: `${messageId}-flow`,
    type: 'flow-route-message',
    messageId,
    conversationId: state.id,
    channelId: state.channelId,
    contactId: state.contact.id,
    phone: state.contact.phone,
    first: state.received === 1,
    ...routed(message),
  };
  return outboxCommand({ to: { kind: 'organization', key: state.orgId }, command });
}

/** Id of the button or row that was pressed. */
function chosenIn({ content }: Accepted['message']): string | undefined {
  return content?.type === 'answer' ? content.answer.id : undefined;
}

/** The message as the triggers read it. */
function routed(message: Accepted['message']): Omit<TriggeringMessage, 'channelId' | 'first'> {
  const { kind, text } = message;
  if (kind === 'reaction') return { text: null, reaction: text ?? '' };
  const chosen = chosenIn(message);
  return {
    text,
    ...(chosen === undefined ? {} : { chosen }),
    ...(kind === 'location' ? { isLocation: true } : {}),
  };
}

export interface Changed {
  readonly accepted: ContactState;
  readonly optedOut: boolean;
  readonly stoppedMarketing?: boolean;
  readonly newTags: readonly string[];
}

/** Commands named after the contact's command and version: a repeated publish does nothing. */
export function routedToFlows(
  { id }: Pick<Command, 'id'>,
  { accepted, optedOut, newTags }: Changed,
  origin: string,
): readonly OutboxCommand[] {
  const { id: contactId, orgId, phone, version } = accepted;
  const commands: (RouteTags | RouteOptOut)[] = [];
  // Tags set by a flow start no flow: the result would depend on whether its run has ended yet.
  if (newTags.length > 0 && origin !== 'flow') {
    const type = 'flow-route-tags';
    commands.push({ id: `${id}-tags-${version}`, type, contactId, phone, tags: newTags });
  }
  if (optedOut) {
    const at = accepted.optOutAt ?? accepted.updatedAt;
    commands.push({ id: `${id}-out-${version}`, type: 'flow-route-opt-out', contactId, at });
  }
  const to = { kind: 'organization', key: orgId } as const;
  return commands.map((command) => outboxCommand({ to, command }));
}

export type Version = Pick<StartableFlow, 'steps' | 'firstStepId'>;

/** Versions in memory; a forgotten one is read again. */
const CACHED_MAX = 500;
/** Ids of written versions; a forgotten one is written again, under the same id. */
const WRITTEN_MAX = 10_000;

/**
 * Versions of a flow's steps: written once under flow and content digest, before a run begins in
 * them, and immutable. A flow may therefore be edited while contacts are in it.
 */
export class FlowVersions {
  readonly #store: Store;
  readonly #known: GenerationalCache<string, Version>;
  readonly #written: GenerationalCache<string, true>;

  constructor(store: Store, { cachedMax = CACHED_MAX, writtenMax = WRITTEN_MAX } = {}) {
    this.#store = store;
    this.#known = new GenerationalCache(cachedMax);
    this.#written = new GenerationalCache(writtenMax);
  }

  /** Null for a version that was never written. */
  async find(versionId: string): Promise<Version | null> {
    const known = this.#known.get(versionId);
    if (known) return known;
    const document = await this.#store.byId<FlowVersionDocument>('flowVersions', versionId);
    const steps = readSteps(document?.steps ?? []);
    const [first] = steps;
    if (!first) return null;
    const byId = new Map(steps.map((step) => [step.id, step]));
    const version = { steps: byId, firstStepId: first.id };
    this.#known.set(versionId, version);
    return version;
  }

  /** Resolves when the version is journaled, whichever process has written it. */
  async write(version: FlowVersionDocument): Promise<void> {
    if (this.#written.get(version._id)) return;
    const [written] = await this.#store.commit([{ insert: 'flowVersions', document: version }]);
    if (written && 'error' in written) throw written.error;
    this.#written.set(version._id, true);
  }
}
