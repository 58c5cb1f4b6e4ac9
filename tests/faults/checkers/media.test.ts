/** Files of messages: well, and gone wrong. */
import { call, message, show, store, transmission } from './fixture.ts';
import type { Message, Transmission } from './history.ts';
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
    'a message lost its file': [
      { calls: [byUrl], messages: [message('a', { file: null })], store: files() },
      /a was stored without its file/,
    ],
    'the bytes of a file are gone': [{ ...one, store: files() }, /a was stored without its file/],
    'a message has another’s file': [{ ...one, store: files(['med_a', 'tabela']) }, /a was stored/],
    'a message has another file than the library’s': [
      {
        calls: [fromLibrary],
        messages: [message('b', { file: 'med_b' })],
        store: files(['med_b', `${URL} 1`]),
      },
      /b was stored with https/,
    ],
    'the network was given another look at the URL': [
      { ...one, transmissions: given(`${URL} 2`), store: files(['med_a', `${URL} 1`]) },
      /a was given to the network with https:\/\/files\.example\/a\.png 2, not/,
    ],
    'the network was given the words alone': [
      { ...one, transmissions: given(undefined), store: files(['med_a', `${URL} 1`]) },
      /a was given to the network with undefined/,
    ],
  },
  arrivedMediaIsThere: {
    well: [
      { ...arrived({ file: 'med_x' }), store: files(['med_x', 'foto in.1']) },
      { ...arrived({}), store: store({ gone: new Set(['in.1']) }) },
    ],
    'a file was given up that the network had': [{ ...arrived({}), store: store() }, /the file of/],
    'a file is never fetched': [{ ...arrived({ fileIsDue: true }), store: store() }, /the file of/],
    'another file came': [
      { ...arrived({ file: 'med_x' }), store: files(['med_x', 'foto in.9']) },
      /in\.1 came with foto in\.9/,
    ],
  },
});
