/** Contacts: well, and gone wrong. */
import { contacts } from './contacts.ts';
import { call, type Ended, inTurn, PHONE, show } from './fixture.ts';
import type { Call } from './history.ts';

const gives = (name: string, ended: Ended) =>
  call('contact', { phone: PHONE, fields: { [name]: name }, tags: [`t-${name}`] }, ended);
const MADE = { id: 'c1', created: true };
const KNOWN = { id: 'c1', created: false };
const calls = [gives('a', MADE), gives('b', KNOWN), gives('c', 'unknown'), gives('d', 429)];
const posted = (ended: Ended) => call('send', { phone: PHONE, fields: { w: 'w' } }, ended);

function contact(names: readonly string[], id = 'c1') {
  const fields = Object.fromEntries(names.map((name) => [name, name]));
  return { id, phone: PHONE, fields, tags: names.map((name) => `t-${name}`) };
}
const has = (...names: readonly string[]) => ({ calls, contacts: [contact(names)] });

const sets = (registers: Record<string, string | null>, ended: Ended = { id: 'c1' }) =>
  call('contact-change', { phone: PHONE, sets: registers }, ended);
/** A contact as its registers say, after these calls; without any, after one that says the same. */
function written(
  registers: { '#x'?: string | null; '.f'?: string | null; name?: string | null },
  ...asked: readonly Call[]
) {
  const { '#x': tag = null, '.f': field = null, name = null } = registers;
  const last = {
    ...{ ...contact([]), name, tags: tag === null ? [] : [tag] },
    fields: field === null ? {} : { f: field },
  };
  const made = asked.length > 0 ? asked : [sets(registers)];
  return { calls: inTurn(...made), contacts: [last], endedAt: 1_000 };
}

show(contacts, {
  oneContactPerPhone: {
    well: [has('a', 'b'), { calls: [gives('a', 'unknown')] }],
    '5511987650001 has 2 contacts': [
      { calls, contacts: [contact(['a', 'b']), contact(['a', 'b'], 'c2')] },
    ],
    'was answered and is no contact': [{ calls }],
  },
  createdOnce: {
    well: [
      has('a', 'b'),
      { calls: [gives('a', KNOWN), posted({})], contacts: [contact(['a'])] },
      { calls: [gives('a', 429)] },
      { calls, contacts: [{ ...contact(['a', 'b'], 'c2'), formerIds: ['c1'] }] },
    ],
    'was created 2 times': [{ ...has('a', 'b'), calls: [...calls, gives('a', MADE)] }],
    '5511987650001 was created 0 times': [
      { calls: [gives('a', KNOWN)], contacts: [contact(['a'])] },
      // A refused call made it.
      { calls: [gives('a', 429)], contacts: [contact([])] },
    ],
    '5511987650001 was answered as c1 and is c2': [
      { calls, contacts: [contact(['a', 'b'], 'c2')] },
    ],
  },
  keepWhatWasMerged: {
    well: [
      has('a', 'b'),
      has('a', 'b', 'c'),
      // Saved, and its message refused; and a tag that a flow gives.
      { calls: [posted(409)], contacts: [{ ...contact([]), fields: { w: 'w' } }] },
      { flowTags: new Set(['x']), contacts: [{ ...contact([]), tags: ['x'] }] },
      // Two callers wrote the same field.
      {
        calls: [gives('a', MADE), call('contact', { phone: PHONE, fields: { a: 'z' } }, KNOWN)],
        contacts: [{ ...contact(['a']), fields: { a: 'z' } }],
      },
    ],
    '5511987650001 has lost b': [has('a')],
    '5511987650001 has lost #t-b': [has('a')],
    'has lost w': [{ calls: [posted({})], contacts: [contact([])] }],
    'nobody gave 5511987650001 a=z': [
      { calls: [gives('a', MADE)], contacts: [{ ...contact(['a']), fields: { a: 'z' } }] },
    ],
    'nobody gave 5511987650001 d=d': [has('a', 'b', 'd')],
    'nobody gave 5511987650001 #t-d': [has('a', 'b', 'd')],
  },
  anOrderExplainsWhatIsWritten: {
    well: [
      written({ '#x': 'x', '.f': '1', name: 'N' }),
      written({ '#x': null, '.f': null }, sets({ '#x': 'x' }), sets({ '#x': null, '.f': null })),
      written({ '#x': 'x' }, sets({ '#x': 'x' }), sets({ '#x': null }, 'unknown')),
      written({ '#x': 'x' }, sets({ '#x': 'x' }), sets({ '#x': null }, 422)),
    ],
    'no order explains #x': [
      written({ '#x': 'x' }, sets({ '#x': 'x' }), sets({ '#x': null })),
      written({ '#x': null }, sets({ '#x': 'x' }), sets({ '#x': null }, 422)),
    ],
    'no order explains .f': [written({ '.f': '1' }, sets({ '.f': '1' }), sets({ '.f': '2' }))],
    'no order explains name': [written({ name: null }, sets({ name: 'N' }))],
    'is no contact': [{ calls: [sets({ name: 'N' })] }],
  },
});
