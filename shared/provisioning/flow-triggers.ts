/** Triggers of a flow: what starts it (docs/flows.md). */
import * as v from 'valibot';
import { INTERACTIVE } from '../interactive-limits.ts';
import { TAG_MAX_CHARS } from '../limits.ts';
import { reactionSchema } from './flow-content.ts';
import { stepMessage } from './flow-values.ts';
import { messageFor } from './problem-message.ts';
import { text } from './values.ts';

export const TRIGGER_SCHEMAS = {
  tag: v.strictObject({ on: v.literal('tag'), tag: text(TAG_MAX_CHARS) }, stepMessage),
  button: v.strictObject(
    { on: v.literal('button'), id: text(INTERACTIVE.BUTTON_ID_MAX_CHARS) },
    stepMessage,
  ),
  keyword: v.strictObject(
    {
      on: v.literal('keyword'),
      keyword: text(200),
      match: v.exactOptional(
        v.picklist(
          ['exact', 'contains', 'starts'],
          messageFor('notOneOf', { names: ['exact', 'contains', 'starts'] }),
        ),
      ),
    },
    stepMessage,
  ),
  location: v.strictObject({ on: v.literal('location') }, stepMessage),
  reaction: v.strictObject(
    {
      on: v.literal('reaction'),
      emoji: v.exactOptional(
        v.pipe(reactionSchema.entries.emoji, v.nonEmpty(messageFor('empty', {}))),
      ),
    },
    stepMessage,
  ),
  firstMessage: v.strictObject({ on: v.literal('first-message') }, stepMessage),
} as const;

const TRIGGERS = Object.values(TRIGGER_SCHEMAS).map(({ entries }) => entries.on.literal);

export const triggerSchema = v.variant('on', Object.values(TRIGGER_SCHEMAS), ({ received }) =>
  received === 'undefined' || received === 'Object'
    ? messageFor('requiredOneOf', { names: TRIGGERS })
    : messageFor('notOneOf', { names: TRIGGERS }),
);
export type FlowTrigger = v.InferOutput<typeof triggerSchema>;

/** Triggers were checked when they were applied; an invalid one starts nothing. */
export function readTriggers(triggers: readonly unknown[]): readonly FlowTrigger[] {
  return triggers.flatMap((raw) => {
    const read = v.safeParse(triggerSchema, raw);
    return read.success ? [read.output] : [];
  });
}
