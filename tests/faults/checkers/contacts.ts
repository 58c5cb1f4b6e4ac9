/**
 * Contacts as sets that only grow (C4.6), and as registers where calls take things away. At the end each has all acknowledged fields and tags,
 * whatever other callers wrote, and none that nobody gave. There is one contact per phone, created
 * once; others that proved to be the same person were joined to it.
 */
import { type Checker, callsOf, type Rule } from './checker.ts';
import type { Call, History } from './history.ts';
import { isExplained } from './registers.ts';

/** Calls that give a contact something, with its phone. */
function givenIn({ calls }: History): ReadonlyMap<string, readonly Call[]> {
  const giving = calls.filter(({ request: { fields, tags } }) => fields ?? tags);
  return Map.groupBy(giving, ({ request }) => request.phone ?? '');
}

const oneContactPerPhone: Rule = (history) => {
  const byPhone = Map.groupBy(history.contacts, ({ phone }) => phone);
  const doubled = [...byPhone].flatMap(([phone, { length }]) =>
    phone !== '' && length > 1 ? [`${phone} has ${length} contacts`] : [],
  );
  const lost = [...givenIn(history)].flatMap(([phone, mine]) =>
    mine.some(({ outcome }) => outcome === 'ok') && !byPhone.has(phone)
      ? [`${phone} was answered and is no contact`]
      : [],
  );
  return [...doubled, ...lost];
};

const createdOnce: Rule = (history) => {
  const known = new Map(history.contacts.map((contact) => [contact.phone, contact]));
  const upserts = Map.groupBy(callsOf(history, 'contact'), ({ request }) => request.phone ?? '');
  return [...upserts].flatMap(([phone, mine]) => {
    const { id, formerIds = [] } = known.get(phone) ?? {};
    const answers = mine.flatMap(({ answer }) => (answer?.id === undefined ? [] : [answer]));
    const strangers = answers.filter(
      (each) => each.id !== id && !formerIds.includes(each.id ?? ''),
    );
    const made = answers.filter(({ created }) => created).length;
    // Others who write to it, or are written to by it, may have made it.
    const perhaps = history.calls.some(
      (call) =>
        call.request.phone === phone &&
        call.outcome !== 'refused' &&
        (call.outcome === 'unknown' || call.operation !== 'contact'),
    );
    const isMade = made === 1 || (made === 0 && (perhaps || id === undefined));
    return [
      ...strangers.map((answer) => `${phone} was answered as ${answer.id} and is ${id}`),
      ...(isMade ? [] : [`${phone} was created ${made} times`]),
    ];
  });
};

const keepWhatWasMerged: Rule = (history) => {
  const given = givenIn(history);
  const written = writtenIn(history);
  return history.contacts.flatMap((contact) => {
    if (written.has(contact.phone)) return [];
    const mine = given.get(contact.phone) ?? [];
    const sure = mine.filter(({ outcome }) => outcome === 'ok').flatMap(givenBy);
    // Where a message comes along, the contact may be saved and the message refused.
    const perhaps = mine.filter(
      ({ operation, outcome }) => operation !== 'contact' || outcome !== 'refused',
    );
    const has = givenBy({ request: contact });
    const flows = has.filter(({ name }) => history.flowTags.has(name.slice(1)));
    const may = new Set([...perhaps.flatMap(givenBy), ...flows].map(({ value }) => value));
    const names = new Set(has.map(({ name }) => name));
    return [
      ...sure
        .filter(({ name }) => !names.has(name))
        .map(({ name }) => `${contact.phone} has lost ${name}`),
      ...has
        .filter(({ value }) => !may.has(value))
        .map(({ value }) => `nobody gave ${contact.phone} ${value}`),
    ];
  });
};

/** Calls that also take things away, by the phones of contacts that have no others. */
function writtenIn({ calls }: History): ReadonlyMap<string, readonly Call[]> {
  const writing = calls.filter(({ request }) => request.sets !== undefined);
  return Map.groupBy(writing, ({ request }) => request.phone ?? '');
}

/** Of each name, tag and field some order of the calls that wrote it explains what is there. */
const anOrderExplainsWhatIsWritten: Rule = (history) =>
  [...writtenIn(history)].flatMap(([phone, all]) => {
    const contact = history.contacts.find((each) => each.phone === phone);
    if (!contact) {
      return all.some(({ outcome }) => outcome === 'ok') ? [`${phone} is no contact`] : [];
    }
    const names = new Set(all.flatMap(({ request }) => Object.keys(request.sets ?? {})));
    return [...names].flatMap((name) => {
      const calls = all.filter(({ request }) => request.sets?.[name] !== undefined);
      const last = writtenValue(contact, name);
      const apply = (_: Register, { request }: Call) => ({ value: request.sets?.[name] ?? null });
      const readAt = history.endedAt;
      return isExplained<Register>({ initial: { value: null }, last, readAt, calls, apply })
        ? []
        : [`no order explains ${name} of ${phone}: ${last.value}`];
    });
  });

interface Register {
  readonly value: string | null;
}

function writtenValue(contact: History['contacts'][number], register: string): Register {
  const { name = null, tags, fields } = contact;
  if (register === 'name') return { value: name };
  const key = register.slice(1);
  if (register.startsWith('#')) return { value: tags.includes(key) ? key : null };
  return { value: fields[key] ?? null };
}

/** A field keeps the value of the last caller, a tag is there or not. */
function givenBy({ request: { fields = {}, tags = [] } }: { readonly request: Given }) {
  return [
    ...Object.entries(fields).map(([name, value]) => ({ name, value: `${name}=${value}` })),
    ...tags.map((tag) => ({ name: `#${tag}`, value: `#${tag}` })),
  ];
}

interface Given {
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly tags?: readonly string[] | undefined;
}

export const contacts: Checker = {
  rules: {
    oneContactPerPhone,
    createdOnce,
    keepWhatWasMerged,
    anOrderExplainsWhatIsWritten,
  },
  counted: (history) => {
    const upserts = callsOf(history, 'contact');
    const phones = new Set(upserts.map(({ request }) => request.phone));
    return { upserts: upserts.length, contacts: phones.size };
  },
};
