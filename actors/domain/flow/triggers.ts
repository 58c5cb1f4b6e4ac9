/**
 * Triggers: which flow a message or a tag starts (docs/flows.md). A flow of the channel has
 * precedence over one for any channel, then the file's order decides.
 */

import { type FlowTrigger, readTriggers } from '../../../shared/provisioning/flow-steps.ts';
import type { FlowEntry } from '../organization/state.ts';
import { fold } from './conditions.ts';

export interface TriggeringMessage {
  readonly channelId: string;
  readonly text: string | null;
  /** The contact's first message in this conversation. */
  readonly first: boolean;
}

/** Precedence: a keyword, then the flow of a first message, then the main flow. */
export function flowForMessage(
  flows: readonly FlowEntry[],
  message: TriggeringMessage,
): FlowEntry | null {
  const { channelId, first } = message;
  const serving = flows
    .filter((flow) => isEnabled(flow) && (flow.channelId ?? channelId) === channelId)
    .toSorted((a, b) => Number(a.channelId === null) - Number(b.channelId === null));
  const text = fold(message.text ?? '');
  for (const match of ['exact', 'starts', 'contains'] as const) {
    const found = serving.find((flow) =>
      triggersOf(flow).some(
        (trigger) =>
          trigger.on === 'keyword' &&
          (trigger.match ?? 'exact') === match &&
          matches(text, fold(trigger.keyword), match),
      ),
    );
    if (found) return found;
  }
  const greeting = first
    ? serving.find((flow) => triggersOf(flow).some(({ on }) => on === 'first-message'))
    : undefined;
  return greeting ?? serving.find(({ isMain }) => isMain) ?? null;
}

function matches(text: string, keyword: string, match: 'exact' | 'starts' | 'contains'): boolean {
  if (text === '') return false;
  if (match === 'exact') return text === keyword;
  return match === 'starts' ? text.startsWith(keyword) : text.includes(keyword);
}

/** Every flow that one of the tags starts, in the file's order. */
export function flowsForTags(
  flows: readonly FlowEntry[],
  tags: readonly string[],
): readonly FlowEntry[] {
  const applied = new Set(tags.map(fold));
  return flows.filter(
    (flow) =>
      isEnabled(flow) &&
      triggersOf(flow).some((trigger) => trigger.on === 'tag' && applied.has(fold(trigger.tag))),
  );
}

function isEnabled(flow: FlowEntry): boolean {
  return flow.enabled && flow.removed !== true;
}

/** By the entry, which is immutable. */
const known = new WeakMap<FlowEntry, readonly FlowTrigger[]>();

function triggersOf(flow: FlowEntry): readonly FlowTrigger[] {
  const triggers = known.get(flow) ?? readTriggers(flow.triggers);
  known.set(flow, triggers);
  return triggers;
}
