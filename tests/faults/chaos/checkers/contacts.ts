/**
 * Contacts as sets that only grow (C4.6). At the end each has all acknowledged values and none that
 * was never written. There is one contact per phone, created once.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';

const Fields = v.record(v.string(), v.string());
const SHAPE = {
  request: v.object({ phone: v.string(), fields: Fields, tags: v.array(v.string()) }),
  answer: v.object({ id: v.string(), created: v.boolean() }),
};
const Read = v.object({
  phone: v.string(),
  contacts: v.array(v.object({ id: v.string(), fields: Fields, tags: v.array(v.string()) })),
});
type Upsert = Call<v.InferOutput<typeof SHAPE.request>, v.InferOutput<typeof SHAPE.answer>>;
type Contact = v.InferOutput<typeof Read>['contacts'][number];

export function checkContacts(history: History): Verdict {
  const upserts = callsOf(history, 'contact-upsert', SHAPE);
  const read = new Map(
    seenOf(history, 'read-contact', Read).map(({ phone, contacts }) => [phone, contacts]),
  );
  const phones = grouped(upserts, ({ request }) => request.phone).groups;
  const violations = [...phones].flatMap(([phone, mine]) => {
    const contacts = read.get(phone) ?? [];
    const [contact] = contacts;
    const answered = mine.some(({ outcome }) => outcome === 'ok');
    if (contacts.length > 1) return [`${phone} has ${contacts.length} contacts`];
    if (contact === undefined) return answered ? [`${phone} was answered and is no contact`] : [];
    return [...creationFaults(phone, mine, contact), ...unionFaults(phone, mine, contact)];
  });
  return { violations, counted: { upserts: upserts.length, contacts: phones.size } };
}

function creationFaults(phone: string, upserts: readonly Upsert[], { id }: Contact): string[] {
  const answers = upserts.flatMap(({ answer }) => answer ?? []);
  const strangers = answers.filter((answer) => answer.id !== id);
  const made = answers.filter(({ created }) => created).length;
  const perhaps = upserts.some(({ outcome }) => outcome === 'info');
  return [
    ...strangers.map((answer) => `${phone} was answered as ${answer.id} and is ${id}`),
    ...(made > 1 || (made === 0 && !perhaps) ? [`${phone} was created ${made} times`] : []),
  ];
}

function unionFaults(phone: string, upserts: readonly Upsert[], contact: Contact): string[] {
  const sure = written(upserts.filter(({ outcome }) => outcome === 'ok'));
  const perhaps = written(upserts.filter(({ outcome }) => outcome !== 'refused'));
  const there = written([{ request: contact }]);
  return [
    ...[...sure].filter((each) => !there.has(each)).map((each) => `${phone} has lost ${each}`),
    ...[...there]
      .filter((each) => !perhaps.has(each))
      .map((each) => `nobody gave ${phone} ${each}`),
  ];
}

function written(
  upserts: readonly { readonly request: Pick<Upsert['request'], 'fields' | 'tags'> }[],
): ReadonlySet<string> {
  return new Set(
    upserts.flatMap(({ request: { fields, tags } }) => [
      ...Object.entries(fields).map(([name, value]) => `${name}=${value}`),
      ...tags.map((tag) => `#${tag}`),
    ]),
  );
}
