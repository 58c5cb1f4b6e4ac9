/**
 * Which flow a message or a tag starts (docs/flows.md, Triggers). A flow of the channel's own comes
 * before one for any channel; among equals the file's order decides.
 */

import { type FlowTrigger, readTriggers } from '../../../shared/provisioning/flow-steps.ts';
import type { FlowEntry } from '../organization/state.ts';
import { fold } from './conditions.ts';

export interface TriggeringMessage {
  readonly channelId: string;
  readonly text: string | null;
  /** The contact's first in this conversation. */
  readonly first: boolean;
}

/** A keyword before the first message's flow, and the main flow for what nothing else took. */
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

/** By the entry, which is never changed in place. */
const known = new WeakMap<FlowEntry, readonly FlowTrigger[]>();

function triggersOf(flow: FlowEntry): readonly FlowTrigger[] {
  const triggers = known.get(flow) ?? readTriggers(flow.triggers);
  known.set(flow, triggers);
  return triggers;
}
