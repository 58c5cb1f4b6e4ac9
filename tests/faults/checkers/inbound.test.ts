/** What contacts write: well, and gone wrong. */
import { call, type Ended, message, OTHER, PHONE, show } from './fixture.ts';
import { inbound } from './inbound.ts';

const wrote = (text: string, ended: Ended = {}) =>
  call('inbound', { phone: PHONE, externalId: `in.${text}`, text }, ended);
const there = (...texts: readonly string[]) =>
  texts.map((text, place) =>
    message(`${place}`, { direction: 'in', text, externalId: `in.${text}`, place }),
  );
const calls = [wrote('a', 'unknown'), wrote('a'), wrote('b'), wrote('c', 'unknown')];
/** Typed on the phone of the number. */
const typed = call('inbound', { externalId: 'typed' });
const echo = message('e', { externalId: 'typed' });

show(inbound, {
  takenInOnce: {
    well: [
      { calls, messages: there('a', 'b', 'c') },
      { calls, messages: there('a', 'b') },
      { calls: [typed], messages: [echo] },
    ],
    'b was accepted and is lost': [{ calls, messages: there('a') }],
    'a is there 2 times': [
      // One is there twice.
      { calls, messages: there('a', 'a', 'b') },
      // One is doubled by the two forms of a chat.
      { calls: [wrote('a')], messages: [...there('a'), ...there('a')] },
    ],
    'typed is there 2 times': [{ calls: [typed], messages: [echo, { ...echo, id: 'again' }] }],
    'says z instead of a': [
      { calls: [wrote('a')], messages: there('a').map((one) => ({ ...one, text: 'z' })) },
    ],
  },
  nothingElseIsHeard: {
    well: [{ calls: [...calls, typed], messages: [...there('a', 'b'), echo] }],
    'z is there and 5511987650001 never wrote it': [{ calls, messages: there('z') }],
    'a is there and 5511987650002 never wrote it': [
      { calls, messages: there('a').map((one) => ({ ...one, phone: OTHER })) },
    ],
  },
});
