/**
 * Shared handler of an organization's flow commands: the look-up of a flow, and the flow that a
 * message or a tag starts. It changes nothing of the organization.
 */

import { conversationId as conversationIdOf } from '../../shared/entity-ids.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import type { StartFlow } from '../../shared/wire/commands.ts';
import type { ConversationDocument } from '../conversation/documents.ts';
import { compileSteps } from '../domain/flow/compile.ts';
import { flowForMessage, flowsForTags } from '../domain/flow/triggers.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import type {
  FlowFound,
  FlowQuestion,
  LookUpFlow,
  RouteMessage,
  RouteOptOut,
  RouteTags,
  StopFlow,
} from './commands.ts';
import { FlowVersions } from './versions.ts';

const DONE: Answer = { status: 200, body: '{}' };
const ABSENT: Answer = { status: 404, body: '{}' };
/** Shorter than the deadline of the caller. */
const ASK_MS = 6_000;

interface Start {
  /** Id of the run. */
  readonly id: string;
  readonly orgId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly flowId: string;
  readonly origin: Origin;
}

export class OrganizationFlows {
  readonly #environment: Environment;
  readonly #versions: FlowVersions;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#versions = new FlowVersions(environment.store);
  }

  answer(state: OrganizationState | null, question: FlowQuestion): Promise<Answer> {
    switch (question.type) {
      case 'flow-look-up':
        return this.#lookUp(state, question);
      case 'flow-route-message':
        return this.#routeMessage(state, question);
      case 'flow-route-tags':
        return this.#routeTags(state, question);
      case 'flow-route-opt-out':
        return this.#routeOptOut(state, question);
      default:
        return question satisfies never;
    }
  }

  async #lookUp(state: OrganizationState | null, { flowId }: LookUpFlow): Promise<Answer> {
    const flow = state?.flows.find((each) => each.id === flowId && each.removed !== true);
    if (!state || !flow || state.removed === true) return ABSENT;
    const { ids, clock } = this.#environment;
    const steps = compileSteps(flow, state);
    const versionId = `${flow.id}.${ids.digest(JSON.stringify(steps)).slice(0, 22)}`;
    const writtenAt = clock.now();
    const version = { _id: versionId, flowId: flow.id, orgId: state.id, steps, writtenAt };
    await this.#versions.write(version);
    const { id, name, enabled, channelId } = flow;
    const found: FlowFound = { flowId: id, name, enabled, channelId, versionId };
    return { status: 200, body: JSON.stringify(found) };
  }

  async #routeMessage(state: OrganizationState | null, message: RouteMessage): Promise<Answer> {
    const flow = state && flowForMessage(state.flows, message);
    if (!state || !flow) return DONE;
    const { channelId, contactId, phone, conversationId, messageId } = message;
    const { ids } = this.#environment;
    const id = ids.derive('run', messageId);
    const start = { id, channelId, contactId, phone, origin: 'contact' } as const;
    await this.#start(conversationId, { ...start, orgId: state.id, flowId: flow.id });
    return DONE;
  }

  /** In the flow's channel, else in the channel of the contact's latest message (docs/flows.md). */
  async #routeTags(state: OrganizationState | null, command: RouteTags): Promise<Answer> {
    const { ids } = this.#environment;
    const { contactId, phone, tags } = command;
    for (const flow of state ? flowsForTags(state.flows, tags) : []) {
      const channelId = flow.channelId ?? (await this.#lastChannel(state, contactId));
      if (!state || channelId === null) continue;
      const id = ids.derive('run', command.id, flow.id);
      const start = { id, channelId, contactId, phone, origin: 'flow' } as const;
      const conversationId = conversationIdOf(ids, channelId, contactId);
      await this.#start(conversationId, { ...start, orgId: state.id, flowId: flow.id });
    }
    return DONE;
  }

  async #lastChannel(state: OrganizationState | null, contactId: string): Promise<string | null> {
    const { readBarrier, store } = this.#environment;
    await readBarrier.pass();
    const latest = await store.findOne<ConversationDocument>(
      'conversations',
      { 'snapshot.orgId': state?.id, 'snapshot.contactId': contactId },
      { sort: { 'snapshot.lastMessageAt': -1, _id: -1 } },
    );
    return latest?.snapshot.channelId ?? null;
  }

  async #routeOptOut(
    state: OrganizationState | null,
    { contactId, id, at }: RouteOptOut,
  ): Promise<Answer> {
    const { ids } = this.#environment;
    const channels = state?.channels ?? [];
    await Promise.all(
      channels.map((channel) => {
        const conversationId = conversationIdOf(ids, channel.id, contactId);
        const when = at === undefined ? {} : { at };
        const command: StopFlow = { id: `${id}.${channel.id}`, type: 'stop-flow', ...when };
        return this.#ask(conversationId, command);
      }),
    );
    return DONE;
  }

  #start(conversationId: string, start: Start): Promise<void> {
    const command: StartFlow = { ...start, type: 'start-flow' };
    return this.#ask(conversationId, command);
  }

  /** A skipped start is final. A fault is thrown: the caller repeats its command. */
  async #ask(conversationId: string, command: Command): Promise<void> {
    const { bus, clock } = this.#environment;
    const to = { kind: 'conversation', key: conversationId } as const;
    const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_MS });
    if (answer.status >= 500) throw new Error(`${command.type} failed: ${answer.status}`);
  }
}
