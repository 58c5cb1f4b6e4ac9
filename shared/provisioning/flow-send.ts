/** The `send` step: what it says, and what becomes of it where the network does not take it. */
import * as v from 'valibot';
import {
  cardsSchema,
  file,
  interactiveSchema,
  locationSchema,
  reactionSchema,
  templateSchema,
} from './flow-content.ts';
import { messageTemplate, pointer, step } from './flow-values.ts';
import { messageFor } from './problem-message.ts';

/** Each of them is a message by itself. */
const STRUCTURED = ['template', 'interactive', 'reaction', 'location', 'contacts'] as const;
const CONTENT = ['text', 'file', ...STRUCTURED] as const;

type Written = Readonly<Record<string, unknown>>;

/** The fields to drop, each with the one that it does not go with. */
function superfluous(written: Written): readonly (readonly [string, string])[] {
  const isGiven = (field: string): boolean => written[field] !== undefined;
  const [retained, ...others] = STRUCTURED.filter(isGiven);
  if (retained === undefined) return [];
  const combining = ['text', 'file'].filter(isGiven);
  const unfit =
    retained === 'template'
      ? ['fallbackTemplate', 'outsideWindow']
      : retained === 'reaction'
        ? ['fallbackTemplate', 'reply']
        : [];
  return [...combining, ...others, ...unfit.filter(isGiven)].map((field) => [field, retained]);
}

function standsAlone<Sent extends Written>() {
  return v.rawCheck<Sent>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    for (const [key, retained] of superfluous(input)) {
      const path: [v.ObjectPathItem] = [
        { type: 'object', origin: 'value', input, key, value: input[key] },
      ];
      addIssue({ message: messageFor('doesNotGoWith', { name: retained }), path });
    }
  });
}

const flag = v.exactOptional(v.boolean(messageFor('notFlag', {})));

export const send = v.pipe(
  step('send', {
    text: v.exactOptional(messageTemplate),
    /** A library file's ref. */
    file: v.exactOptional(file),
    template: v.exactOptional(templateSchema),
    interactive: v.exactOptional(interactiveSchema),
    reaction: v.exactOptional(reactionSchema),
    location: v.exactOptional(locationSchema),
    contacts: v.exactOptional(cardsSchema),
    /** Whether it quotes the contact's last message. */
    reply: flag,
    outsideWindow: v.exactOptional(
      v.picklist(['send', 'refuse'], messageFor('notOneOf', { names: ['send', 'refuse'] })),
    ),
    fallbackTemplate: v.exactOptional(templateSchema),
    next: pointer,
    onError: v.exactOptional(pointer),
  }),
  v.check(
    (each) => CONTENT.some((field) => each[field] !== undefined),
    messageFor('noContent', { names: STRUCTURED }),
  ),
  standsAlone(),
);
