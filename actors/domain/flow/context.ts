/** What a flow's decisions are given, so that they stay pure. */

import type { FlowStep } from '../../../shared/provisioning/flow-steps.ts';
import type { DealStatus } from '../../../shared/vocabulary.ts';
import type { FetchedMedia } from '../../../shared/wire/media-commands.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { ConversationState } from '../conversation.ts';
import type { Run } from './run.ts';
import type { TemplateScope } from './template.ts';

/** The contact as it is now; its own actor is its single writer. */
export interface ContactFacts {
  readonly id: string;
  readonly phone: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly optIn: boolean;
  /** An opt-out is in force. */
  readonly optedOut: boolean;
}

export interface OrganizationFacts {
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
}

export type Steps = ReadonlyMap<string, FlowStep>;

/** A flow that may be started now, in the version which it has now. */
export interface StartableFlow {
  readonly flowId: string;
  readonly name: string;
  readonly versionId: string;
  readonly steps: Steps;
  readonly firstStepId: string;
}

export interface FlowContext {
  readonly now: number;
  /** Of the run's version. */
  readonly steps: Steps;
  readonly org: OrganizationFacts;
  readonly contact: ContactFacts;
  /** A name of the visit's own, of the kind that the prefix says: the same whenever it is asked. */
  readonly nameOf: (prefix: string) => string;
  /** Of the organization's pipelines, where a `deal` step names one. */
  readonly stages?: readonly { readonly id: string; readonly name: string }[];
  /** Of a `start` step: the flow gone over into; null when it cannot be started. */
  readonly other?: StartableFlow | null;
  /** Of a `send` step with a file: what it carries; null when the library has it no more, or when
   * it cannot carry the step's text (audio has no caption). */
  readonly file?: FetchedMedia | null;
  /** Of a `deal` step: the contact's open deal touched last; null when there is none. */
  readonly dealId?: string | null;
  /** Of a `deal` step: how the deal of the run stands; null when there is none. */
  readonly ownDeal?: DealStatus | null;
}

/** What templates see. */
export function scopeOf(state: ConversationState, run: Run, context: FlowContext): TemplateScope {
  const { contact, org, now } = context;
  const { id, phone, name, email, fields, tags, optIn } = contact;
  return {
    contact: { id, phone, name, email, fields, tags, optIn },
    conversation: {
      id: state.id,
      channelId: state.channelId,
      status: state.status,
      assignedTo: state.assignedTo,
      lastMessage: state.lastMessagePreview,
      createdAt: timestamp(state.createdAt),
    },
    org: { name: org.name, timeZone: org.timeZone },
    answers: answersOf(run),
    now: timestamp(now),
  };
}

/** Texts, and what http steps have kept as the values that they are. */
export function answersOf(run: Run): Readonly<Record<string, unknown>> {
  const entries = Object.entries(run.answers).map(([name, text]): [string, unknown] => [
    name,
    run.parsed.includes(name) ? jsonOr(text) : text,
  ]);
  return Object.fromEntries(entries);
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
