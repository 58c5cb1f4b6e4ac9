/** Files of messages: well, and gone wrong. */
import { call, delivery, type Ended, message, show, store, transmission } from './fixture.ts';
import type { Call, Message, Transmission } from './history.ts';
import { media } from './media.ts';

const URL = 'https://files.example/a.png';
const byUrl = call('send', { text: 'a', mediaUrl: URL });
const fromLibrary = call('send', { text: 'b', mediaId: 'fil_1' });
const files = (...kept: readonly (readonly [string, string])[]) => store({ files: new Map(kept) });
const stored = message('a', { file: 'med_a' });
const given = (content: string | undefined): readonly Transmission[] => [
  transmission('a', content === undefined ? {} : { content }),
];
const one = { calls: [byUrl], messages: [stored] };

const came = call('inbound', { externalId: 'in.1', mediaId: 'foto in.1' });
const arrived = (over: Partial<Message>) => ({
  calls: [came],
  messages: [message('x', { direction: 'in', externalId: 'in.1', file: null, ...over })],
});

const told = (file: string | null, over: Partial<Message>) => ({
  calls: [came],
  messages: [message('msg_1', { file: null, ...over })],
  deliveries: [delivery('message.sent', 'msg_1', { file })],
  store: store(),
});

const adds = (ended: Ended = { id: 'med_1' }) => call('add-file', { file: 'arquivo' }, ended);
const removes = (ended: Ended = {}) => call('remove-file', { removedId: 'med_1' }, ended);
const library = (ids: readonly string[], ...calls: readonly Call[]) => ({
  calls,
  store: store({ library: new Set(ids) }),
});

show(media, {
  mediaIsAsAsked: {
    well: [
      {
        calls: [byUrl, fromLibrary, call('send', { text: 'c', mediaUrl: URL }, 422)],
        messages: [stored, message('b', { file: 'med_b' })],
        transmissions: [
          transmission('a', { content: null, taken: null }),
          ...given(`${URL} 1`),
          transmission('b', { content: 'tabela' }),
        ],
        store: files(['med_a', `${URL} 1`], ['med_b', 'tabela']),
      },
    ],
    'a was stored without its file': [
      // A message lost its file.
      { calls: [byUrl], messages: [message('a', { file: null })], store: files() },
      // The bytes of a file are gone.
      { ...one, store: files() },
    ],
    'a was stored with tabela': [{ ...one, store: files(['med_a', 'tabela']) }],
    'b was stored with https': [
      {
        calls: [fromLibrary],
        messages: [message('b', { file: 'med_b' })],
        store: files(['med_b', `${URL} 1`]),
      },
    ],
    'b was stored with tabela': [
      {
        calls: [adds(), call('send', { text: 'b', mediaId: 'med_1' }, {})],
        messages: [message('b', { file: 'med_b' })],
        store: files(['med_b', 'tabela']),
      },
    ],
    'a was given to the network with https://files.example/a.png 2, not': [
      { ...one, transmissions: given(`${URL} 2`), store: files(['med_a', `${URL} 1`]) },
    ],
    'a was given to the network with undefined': [
      { ...one, transmissions: given(undefined), store: files(['med_a', `${URL} 1`]) },
    ],
  },
  arrivedMediaIsThere: {
    well: [
      { ...arrived({ file: 'med_x' }), store: files(['med_x', 'foto in.1']) },
      { ...arrived({}), store: store({ gone: new Set(['in.1']) }) },
    ],
    'the file of in.1 did not come': [{ ...arrived({}), store: store() }],
    'the file of in.1 is still due': [{ ...arrived({ fileIsDue: true }), store: store() }],
    'in.1 came with foto in.9': [
      { ...arrived({ file: 'med_x' }), store: files(['med_x', 'foto in.9']) },
    ],
  },
  eventsNameTheFile: {
    well: [
      told(null, { direction: 'in' }),
      told(null, { direction: 'out', externalId: 'in.1' }),
      told('med_1', { direction: 'in', externalId: 'in.1' }),
      told('med_1', { direction: 'in', externalId: 'in.1', file: 'med_1' }),
      told('med_9', { file: 'med_9' }),
      { ...told(null, { file: 'med_9' }), deliveries: [delivery('message.sent', 'msg_1')] },
      { ...told('med_1', {}), messages: [] },
    ],
    'message.sent of msg_1 names the file null, not med_9': [told(null, { file: 'med_9' })],
    'message.sent of msg_1 names the file null, not med_1': [
      told(null, { direction: 'in', externalId: 'in.1' }),
    ],
    'message.sent of msg_1 names the file med_1, not null': [told('med_1', {})],
  },
  libraryIsAsAnswered: {
    well: [
      library(['med_1'], adds()),
      library([], adds(), removes()),
      library([], adds(), removes('unknown')),
      library(['med_1'], adds(), removes('unknown')),
      library(['med_1'], adds(), removes(409)),
      library([], adds('unknown')),
    ],
    'arquivo (med_1) was added and is not there': [
      library([], adds()),
      library([], adds(), removes(409)),
    ],
    'arquivo (med_1) was removed and is there': [library(['med_1'], adds(), removes())],
  },
  nothingElseIsInTheLibrary: {
    well: [library(['med_0', 'med_1'], adds()), library(['med_0', 'med_9'], adds('unknown'))],
    '1 files more are in the library, of 0 calls': [library(['med_0', 'med_1', 'med_9'], adds())],
    '2 files more are in the library, of 1 calls': [
      library(['med_0', 'med_8', 'med_9'], adds('unknown')),
    ],
  },
});
