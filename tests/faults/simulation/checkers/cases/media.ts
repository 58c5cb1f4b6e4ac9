/** Files of messages: well, and gone wrong. */

import { sentBy } from '../../outside/network-media.ts';
import { LIBRARY_FILE } from '../../outside/simulated-media.ts';
import { asked, entry, evidence, type Shown, sent, transmission } from './evidence-fixture.ts';

const URL = 'https://files.example/a.png';
const TABLE = 'tabela de preços';

function media(id: string) {
  return { id, mimeType: LIBRARY_FILE.mimeType, fileName: null, sizeBytes: 1 };
}

const byUrl = sent('a', { operation: 'send-url', request: { text: 'a', mediaUrl: URL } });
const withFile = sent('b', { operation: 'send-file', request: { text: 'b', mediaId: 'fil_1' } });
const stored = entry('a', 1, { message: { media: media('med_a') } });
const came = asked({ operation: 'network-media', status: 200, request: { externalId: 'in.1' } });
const arrived = entry('x', 1, {
  externalId: 'in.1',
  message: { direction: 'in', media: media('med_x') },
});
const bare = entry('x', 1, { externalId: 'in.1', message: { direction: 'in', media: null } });

export const MEDIA: Readonly<Record<string, Shown>> = {
  mediaIsAsAsked: {
    well: evidence({
      history: [byUrl, withFile, sent('c', { status: 422, request: { text: 'c', mediaUrl: URL } })],
      entries: [stored, entry('b', 2, { message: { media: media('med_b') } })],
      transmissions: [
        transmission('a', { content: null, accepted: null }),
        transmission('a', { content: `${URL} 1` }),
        transmission('b', { content: TABLE }),
      ],
      media: new Map([
        ['med_a', `${URL} 1`],
        ['med_b', TABLE],
      ]),
    }),
    wrong: {
      'a message lost its file': {
        evidence: evidence({
          history: [byUrl],
          entries: [entry('a', 1, { message: { media: null } })],
        }),
        says: /a was stored without its file/,
      },
      'the bytes of a file are gone': {
        evidence: evidence({ history: [byUrl], entries: [stored] }),
        says: /a was stored without its file/,
      },
      'a message has another’s file': {
        evidence: evidence({
          history: [byUrl],
          entries: [stored],
          media: new Map([['med_a', TABLE]]),
        }),
        says: /a was stored with tabela/,
      },
      'the network was given another look at the URL': {
        evidence: evidence({
          history: [byUrl],
          entries: [stored],
          transmissions: [transmission('a', { content: `${URL} 2` })],
          media: new Map([['med_a', `${URL} 1`]]),
        }),
        says: /a was given to the network with https:\/\/files\.example\/a\.png 2, not/,
      },
      'the network was given the words alone': {
        evidence: evidence({
          history: [byUrl],
          entries: [stored],
          transmissions: [transmission('a')],
          media: new Map([['med_a', `${URL} 1`]]),
        }),
        says: /a was given to the network with undefined/,
      },
    },
  },
  arrivedMediaIsThere: {
    well: evidence({
      history: [came, { ...came, request: { externalId: 'in.2' } }],
      entries: [arrived, entry('y', 2, { externalId: 'in.2', message: { media: null } })],
      media: new Map([['med_x', sentBy('in.1')]]),
      gone: new Set(['in.2']),
    }),
    wrong: {
      'a file was given up that the network had': {
        evidence: evidence({ history: [came], entries: [bare] }),
        says: /the file of in\.1 did not come/,
      },
      'a file is never fetched': {
        evidence: evidence({
          history: [came],
          entries: [
            {
              ...bare,
              mediaDue: {
                partition: 1,
                at: 1,
                attempt: 0,
                media: { networkMediaId: 'in.1', mimeType: 'image/png' },
              },
            },
          ],
        }),
        says: /the file of in\.1 is still due/,
      },
      'another file came': {
        evidence: evidence({
          history: [came],
          entries: [arrived],
          media: new Map([['med_x', sentBy('in.9')]]),
        }),
        says: /in\.1 came with foto in\.9/,
      },
    },
  },
};
