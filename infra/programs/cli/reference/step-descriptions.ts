/** Meanings of the properties of a flow's steps. */
import { MEMBER_ANSWER_PAUSE_MS } from '../../../../shared/limits.ts';
import type { StepAction } from '../../../../shared/provisioning/flow-steps.ts';
import type { ObjectDescription, PropertyDescription } from './descriptions.ts';

const MINUTE_MS = 60_000;

const id: PropertyDescription = { means: 'names the step in its flow', example: 'ask' };
const next: PropertyDescription = {
  means: 'the step that follows; null ends the flow',
  example: 'bye',
};

type Own = ObjectDescription['properties'];

function step(action: StepAction, means: string, properties: Own): ObjectDescription {
  const own = { id, do: { means: 'what the step does', example: action } };
  return {
    heading: `Step \`${action}\``,
    level: 3,
    means,
    merges: false,
    properties: { ...own, ...properties },
  };
}

const tags = (means: string): Own => ({ tags: { means, example: ['vip'] }, next });
const saveAs = (without: string): PropertyDescription => ({
  means: 'the name under which conditions and templates find it',
  example: 'answer',
  without,
});

const alone = (means: string, example: unknown): PropertyDescription => ({
  means: `${means}; stands alone`,
  example,
  without: 'another content is sent',
});

export const STEP_DESCRIPTIONS: Readonly<Record<StepAction, ObjectDescription>> = {
  send: step(
    'send',
    'Sends one message: a text, a file or both, or one of the other contents alone.',
    {
      text: {
        means: 'what is said, or the caption of the file',
        example: 'Olá {{contact.name}}!',
        without: 'the file goes alone; without any content the step is refused',
      },
      file: { means: 'a file of the library', example: 'logo', without: 'the text goes alone' },
      template: alone('a message template, the only way to write outside of the window', {
        name: 'hello_world',
        language: 'en_US',
      }),
      interactive: alone('buttons, a list or a link; never on a `web` channel', {
        type: 'buttons',
        text: 'Confirma?',
        buttons: [{ id: 'sim', title: 'Sim' }],
      }),
      reaction: alone("a reaction to the contact's last message", { emoji: '👍' }),
      location: alone('a place', { latitude: -23.56, longitude: -46.65 }),
      contacts: alone('contact cards', [{ name: 'Ana Souza', phones: ['+55 11 4000-1000'] }]),
      reply: {
        means: "whether the message quotes the contact's last message",
        example: true,
        default: false,
      },
      outsideWindow: {
        means: 'whether it is tried where the window is closed; `refuse` continues at `onError`',
        example: 'refuse',
        default: 'send',
      },
      fallbackTemplate: {
        means: 'the message template that is sent in its place where the window is closed',
        example: { name: 'hello_world', language: 'en_US' },
        without: 'none',
      },
      next,
      onError: {
        means: 'the step after a message that could not be sent; null ends the flow',
        example: 'sorry',
        without: '`next`',
      },
    },
  ),
  wait: step('wait', "Waits for the contact's next message.", {
    timeout: { means: 'how long', example: '1h', without: 'for ever' },
    saveAs: saveAs('the answer is not kept'),
    debounce: {
      means: 'gathers what is typed until nothing has come for so long',
      example: '3s',
      without: 'the first message is the answer',
    },
    next,
    onTimeout: {
      means: 'the step after the timeout; null ends the flow',
      example: 'bye',
      without: '`next`',
    },
  }),
  choose: step('choose', 'Goes the first way whose condition holds.', {
    cases: {
      means: 'conditions, each with the step that follows; tried in this order',
      example: [{ when: { answer: 'answer', equals: 'sim' }, next: 'yes' }],
    },
    else: { ...next, means: 'the step where none holds; null ends the flow' },
  }),
  delay: step('delay', 'Waits for a time.', {
    for: { means: 'so long', example: '2h', without: '`until` says it; one of them is required' },
    until: { means: 'the next such time of day', example: '09:00', without: '`for` says it' },
    weekdays: { means: 'days on which `until` counts', example: ['mon', 'fri'], without: 'all' },
    typing: {
      means:
        'whether the contact sees that an answer is being written. Then `for` is at most 25s, the ' +
        "next step sends, and on `cloud` the contact's message is marked as read",
      example: true,
      default: false,
    },
    next,
  }),
  set: step('set', 'Sets fields of the contact.', {
    fields: { means: 'templates by the field’s name', example: { plano: '{{answers.plan}}' } },
    next,
  }),
  tag: step('tag', 'Applies tags to the contact.', tags('the tags')),
  untag: step('untag', 'Takes tags from the contact.', tags('the tags')),
  opt: step('opt', 'Records opt-in or opt-out. An opt-out ends the flow: say goodbye before it.', {
    optIn: { means: 'whether the contact takes messages', example: false },
    next: { ...next, without: 'the flow ends; refused with `optIn: true`' },
  }),
  assign: step('assign', 'Assigns the conversation.', {
    member: { means: 'the member, or null for nobody', example: 'ana' },
    next,
  }),
  deal: step('deal', 'Creates, moves or closes a deal.', {
    action: { means: 'which of them', example: 'create' },
    title: { means: 'the title', example: 'Orçamento', without: 'refused for `create`' },
    valueCents: { means: 'the value in cents', example: 19_900, default: 0 },
    stage: {
      means: "a stage's name or id",
      example: 'Proposta',
      without: 'the first stage of the default pipeline; refused for `move`',
    },
    status: { means: 'how it is closed', example: 'won', without: 'refused for `close`' },
    lostReason: {
      means: 'why it was lost',
      example: 'preço',
      without: 'refused for the status `lost`',
    },
    next,
  }),
  task: step('task', 'Makes a task for the contact.', {
    title: { means: 'the title', example: 'Ligar para {{contact.name}}' },
    notes: { means: 'the notes', example: '{{answers.answer}}', without: 'none' },
    assignee: { means: 'whose it is', example: 'ana', without: 'nobody’s' },
    dueInDays: { means: 'due so many days from now', example: 1, without: 'never due' },
    dueTime: { means: 'the time of that day', example: '09:00', without: 'any time of the day' },
    next,
  }),
  http: step('http', 'Calls a public URL and keeps the answer.', {
    method: { means: 'the method', example: 'PUT', without: '`POST` with a body, else `GET`' },
    url: { means: 'the URL', example: 'https://api.example.com/orders/{{answers.order}}' },
    headers: { means: 'templates by name', example: { Accept: 'text/plain' }, without: 'none' },
    body: {
      means: 'the body',
      example: '{"name": {{ contact.name | json }}}',
      without: 'none is sent',
    },
    saveAs: saveAs('the answer is not kept'),
    next,
    onError: {
      means: 'the step after anything but a 2xx within 10 s; null ends the flow',
      example: 'sorry',
      without: '`next`',
    },
  }),
  start: step('start', 'Goes over into another flow; there is no way back.', {
    flow: { means: 'the other flow', example: 'welcome' },
  }),
  handoff: step('handoff', 'Ends the flow and leaves the conversation to people.', {
    member: { means: 'whom it is assigned to', example: 'ana', without: 'it stays as it is' },
    note: { means: 'a note to the team', example: 'Quer {{answers.plan}}', without: 'none' },
    pause: {
      means: 'how long automation pauses',
      example: '2h',
      default: `${MEMBER_ANSWER_PAUSE_MS / MINUTE_MS}m`,
    },
  }),
  end: step('end', 'Ends the flow.', {
    status: { means: "the conversation's status then", example: 'resolved', default: 'open' },
  }),
};
