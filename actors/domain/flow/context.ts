/** Facts for a flow's decisions, which stay pure. */

import type { Budget } from '../../../shared/liquid/budget.ts';
import type { TemplateScope } from '../../../shared/liquid/template.ts';
import type { FlowStep } from '../../../shared/provisioning/flow-steps.ts';
import type { DealStatus, Provider } from '../../../shared/vocabulary.ts';
import type { FetchedMedia } from '../../../shared/wire/fetched-media.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { ContactState } from '../contact.ts';
import type { ConversationState } from '../conversation/conversation.ts';
import type { Window } from '../conversation/window.ts';
import { shownAd } from '../first-ad.ts';
import type { Run } from '../flow-run.ts';
import type { OrganizationState, StageEntry } from '../organization.ts';
import type { FoundTemplate } from '../template.ts';

/** The contact as it is now; its own actor is its single writer. */
export interface ContactFacts
  extends Pick<
    ContactState,
    'id' | 'phone' | 'name' | 'email' | 'fields' | 'tags' | 'optIn' | 'firstAd'
  > {
  /** An opt-out is in force. */
  readonly optedOut: boolean;
  /** No template of marketing may go to the contact. */
  readonly noMarketing: boolean;
}

export interface OrganizationFacts extends Pick<OrganizationState, 'name' | 'timeZone'> {
  /** Ids of channels at the network without templates, buttons and a window. */
  readonly webChannels?: readonly string[];
  /** Keys of the numbers of its channels, disabled ones too (`phone-spellings.ts`). */
  readonly ownNumbers?: ReadonlySet<string>;
}

export type Steps = ReadonlyMap<string, FlowStep>;

/** A flow that may be started now, in its current version. */
export interface StartableFlow {
  readonly flowId: string;
  readonly name: string;
  readonly versionId: string;
  readonly steps: Steps;
  readonly firstStepId: string;
}

export interface FlowContext {
  readonly now: number;
  /** Of the step that this context is for; a decision spends of it. */
  readonly budget: Budget;
  /** Steps of the run's version. */
  readonly steps: Steps;
  readonly org: OrganizationFacts;
  readonly contact: ContactFacts;
  /** The network of the conversation's channel. */
  readonly provider: Provider;
  /** Whether the network takes free text now; always open on `web`. */
  readonly window: Window;
  /** Derives an id for this visit, with the given prefix: the same at each call. */
  readonly nameOf: (prefix: string) => string;
  /** Stages of the organization's pipelines, as a `deal` step may name them. */
  readonly stages?: readonly Pick<StageEntry, 'id' | 'name'>[];
  /** For a `start` step: the flow to switch to; null when it cannot be started. */
  readonly other?: StartableFlow | null;
  /**
   * For a `send` step with a file: its media. Null when the library no longer has it, or when it
   * cannot have the step's text (audio has no caption).
   */
  readonly file?: FetchedMedia | null;
  /** For a `send` step with a template, or with one in place of its text. */
  readonly template?: FoundTemplate;
  /** The file of that template's header; null when the library no longer has it. */
  readonly headerFile?: FetchedMedia | null;
  /** For a `send` step that reacts or replies: id of the contact's last message. */
  readonly lastReceivedId?: string | null;
  /** For a `deal` step: the contact's open deal updated last; null when there is none. */
  readonly dealId?: string | null;
  /** For a `deal` step: status of the run's deal; null when there is none. */
  readonly ownDeal?: DealStatus | null;
}

/** The variables that templates can read. */
export function scopeOf(state: ConversationState, run: Run, context: FlowContext): TemplateScope {
  const { org, now } = context;
  const { optedOut: _, noMarketing: _no, firstAd, ...contact } = context.contact;
  return {
    contact: { ...contact, firstAd: firstAd === undefined ? null : shownAd(firstAd) },
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
    chosen: run.chosen ?? {},
    now: timestamp(now),
    budget: context.budget,
  };
}

/** By the run, which is immutable: a step with a thousand conditions parses its answers once. */
const parsedAnswers = new WeakMap<Run, Readonly<Record<string, unknown>>>();

/** Answers as texts, except that answers of http steps are JSON values. */
export function answersOf(run: Run): Readonly<Record<string, unknown>> {
  const known = parsedAnswers.get(run) ?? parseAnswers(run);
  parsedAnswers.set(run, known);
  return known;
}

function parseAnswers(run: Run): Readonly<Record<string, unknown>> {
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
