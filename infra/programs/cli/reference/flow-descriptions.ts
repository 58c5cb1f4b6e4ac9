/** Meanings of the properties of a flow, its triggers and its conditions. */
import { type ObjectDescription, type PropertyDescription, ref, remove } from './descriptions.ts';

export const Flow: ObjectDescription = {
  heading: 'Flows',
  level: 2,
  means: 'Automation of conversations. Its behaviour, with examples: [flows](flows.md).',
  merges: true,
  properties: {
    ref: { ...ref, example: 'welcome' },
    remove: { ...remove, means: 'disables and hides it; a running one goes on to its end' },
    name: { means: 'the label of what it says', example: 'Boas-vindas', needed: true },
    enabled: { means: 'whether it starts', example: false, default: true },
    channel: { means: 'the only channel that it runs in', example: 'main', default: null },
    isMain: {
      means: 'whether it takes messages that nothing else took',
      example: true,
      default: false,
    },
    triggers: { means: 'what starts it', example: [{ on: 'tag', tag: 'vip' }], default: [] },
    steps: {
      means: 'its steps, the first one first; a list that is given replaces the whole list',
      example: [{ id: 'bye', do: 'end' }],
      needed: true,
    },
  },
};

function trigger(
  on: string,
  means: string,
  properties: ObjectDescription['properties'],
): ObjectDescription {
  const own = { on: { means: 'what starts the flow', example: on } };
  const heading = `Trigger \`${on}\``;
  return { heading, level: 3, means, merges: false, properties: { ...own, ...properties } };
}

export const TriggerTag = trigger('tag', 'When a contact gets the tag.', {
  tag: { means: 'the tag', example: 'vip' },
});

export const TriggerKeyword = trigger('keyword', 'When a contact writes the keyword.', {
  keyword: { means: 'compared whatever its case and accents', example: 'preço' },
  match: {
    means: 'the whole text, its beginning, or any place in it',
    example: 'contains',
    default: 'exact',
  },
});

export const TriggerButton = trigger(
  'button',
  'When a contact presses a button, or chooses a row of a list, outside of any run.',
  { id: { means: 'the id of the button or row', example: 'comprar' } },
);

export const TriggerLocation = trigger('location', 'When a contact sends a place.', {});

export const TriggerReaction = trigger(
  'reaction',
  'When a contact reacts to a message, outside of any run.',
  { emoji: { means: 'the reaction, in any skin tone', example: '👍', without: 'any' } },
);

export const TriggerFirstMessage = trigger(
  'first-message',
  'When a contact writes for the first time.',
  {},
);

const comparison = (means: string, example: unknown): PropertyDescription => ({
  means,
  example,
  without: 'another comparison stands there',
});

const subject = (means: string, example: unknown): PropertyDescription => ({
  means,
  example,
  without: 'another subject stands there',
});

export const Condition: ObjectDescription = {
  heading: 'Conditions',
  level: 3,
  means:
    '`when` of a `choose` step asks for exactly one subject; the subjects `answer` and `field` take ' +
    'exactly one comparison, the others none.',
  merges: false,
  properties: {
    answer: subject('what was kept under this name, or lies in it', 'order.total'),
    field: subject("the contact's field of this name", 'plano'),
    tag: subject('whether the contact has the tag', 'vip'),
    optIn: subject('whether the contact takes messages', true),
    hours: subject('the time of day; `22:00-06:00` passes midnight', '09:00-18:00'),
    window: subject('whether the network takes free text now; always `open` on `web`', 'closed'),
    weekday: subject('the day of the week', ['mon', 'tue']),
    all: subject('all of them hold', [{ tag: 'vip' }, { optIn: true }]),
    any: subject('one of them holds', [{ tag: 'vip' }, { weekday: ['sat'] }]),
    not: subject('it does not hold', { tag: 'vip' }),
    chosen: comparison(
      'was given by the button or row with this id; of an answer only, and never of typed text',
      'sim',
    ),
    equals: comparison('is this text, whatever the case and the accents', 'sim'),
    contains: comparison('has this text in it', 'boleto'),
    starts: comparison('begins with this text', 'quero'),
    in: comparison('is one of these texts', ['1', 'um']),
    exists: comparison('is there, or is not', true),
    above: comparison('is a number above', 10),
    below: comparison('is a number below', 10),
  },
};
