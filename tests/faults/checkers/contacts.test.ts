/** Contacts: well, and gone wrong. */
import { contacts } from './contacts.ts';
import { call, type Ended, PHONE, show } from './fixture.ts';

const gives = (name: string, ended: Ended) =>
  call('contact', { phone: PHONE, fields: { [name]: name }, tags: [`t-${name}`] }, ended);
const MADE = { id: 'c1', created: true };
const KNOWN = { id: 'c1', created: false };
const calls = [gives('a', MADE), gives('b', KNOWN), gives('c', 'unknown'), gives('d', 429)];
const webhook = (ended: Ended) => call('send', { phone: PHONE, fields: { w: 'w' } }, ended);

function contact(names: readonly string[], id = 'c1') {
  const fields = Object.fromEntries(names.map((name) => [name, name]));
  return { id, phone: PHONE, fields, tags: names.map((name) => `t-${name}`) };
}
const has = (...names: readonly string[]) => ({ calls, contacts: [contact(names)] });

show(contacts, {
  oneContactPerPhone: {
    well: [has('a', 'b'), { calls: [gives('a', 'unknown')] }],
    'one phone has two': [
      { calls, contacts: [contact(['a', 'b']), contact(['a', 'b'], 'c2')] },
      /5511987650001 has 2 contacts/,
    ],
    'one is lost': [{ calls }, /was answered and is no contact/],
  },
  createdOnce: {
    well: [
      has('a', 'b'),
      { calls: [gives('a', KNOWN), webhook({})], contacts: [contact(['a'])] },
      { calls: [gives('a', 429)] },
    ],
    'it was created twice': [
      { ...has('a', 'b'), calls: [...calls, gives('a', MADE)] },
      /was created 2 times/,
    ],
    'nobody created it': [{ calls: [gives('a', KNOWN)], contacts: [contact(['a'])] }, /created 0/],
    'a refused call created it': [
      { calls: [gives('a', 429)], contacts: [contact([])] },
      /was created 0 times/,
    ],
    'another one is there': [{ calls, contacts: [contact(['a', 'b'], 'c2')] }, /was answered as/],
  },
  keepWhatWasMerged: {
    well: [
      has('a', 'b'),
      has('a', 'b', 'c'),
      // Saved, and its message refused; and a tag that a flow gives.
      { calls: [webhook(409)], contacts: [{ ...contact([]), fields: { w: 'w' } }] },
      { flowTags: new Set(['x']), contacts: [{ ...contact([]), tags: ['x'] }] },
      // Two callers wrote the same field.
      {
        calls: [gives('a', MADE), call('contact', { phone: PHONE, fields: { a: 'z' } }, KNOWN)],
        contacts: [{ ...contact(['a']), fields: { a: 'z' } }],
      },
    ],
    'a field and its tag are lost': [has('a'), /has lost b\n.*has lost #t-b/],
    'a webhook’s field is lost': [{ calls: [webhook({})], contacts: [contact([])] }, /has lost w/],
    'a field has a value that nobody gave': [
      { calls: [gives('a', MADE)], contacts: [{ ...contact(['a']), fields: { a: 'z' } }] },
      /nobody gave 5511987650001 a=z/,
    ],
    'what was refused is there': [has('a', 'b', 'd'), /nobody gave .* d=d\nnobody gave .* #t-d/],
  },
});
