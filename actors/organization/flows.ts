/**
 * Flows of an organization: its shared handler starts the flow of a message or of a tag, and stops
 * all of a contact that has opted out. It also looks flows up, and changes nothing of the
 * organization.
 */

import { conversationId as conversationIdOf } from '../../shared/entity-ids.ts';
import type { Answer, CommandOf } from '../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { StartFlow } from '../../shared/wire/commands.ts';
import { flowForMessage, flowsForTags } from '../domain/flow/conditions.ts';
import { compileSteps } from '../domain/flow/references.ts';
import type { OrganizationState } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import type { LookUpFlow, RouteMessage, RouteOptOut, RouteTags, StopFlow } from '../model/flow.ts';
import { FlowVersions } from './flow-versions.ts';

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
