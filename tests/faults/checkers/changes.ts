/**
 * Events of changes (D429, D430). Each entry that assigns, resolves or reopens a conversation is
 * told once, and nothing else is. Each contact was created once; its later events lead from what it
 * was to what it is, and each names what it changed.
 */
import { type Checker, fromStore, grouped, type Rule } from './checker.ts';
import type { Delivery, Entry, History } from './history.ts';

const OF_CONVERSATION: ReadonlySet<string> = new Set([
  'conversation.assigned',
  'conversation.resolved',
  'conversation.reopened',
]);
const CREATED = 'contact.created';
const UPDATED = 'contact.updated';

type Attended = Pick<Entry, 'status' | 'assignedTo'>;

/** What the entry has changed, in the words of the events. */
function changedBy(before: Attended, after: Attended): readonly string[] {
  const [from, to] = [before.assignedTo ?? null, after.assignedTo ?? null];
  const [was, is] = [before.status === 'resolved', after.status === 'resolved'];
  return [
    ...(from === to ? [] : [`conversation.assigned ${from} > ${to}`]),
    ...(is && !was ? ['conversation.resolved'] : []),
    ...(was && !is ? ['conversation.reopened'] : []),
  ];
}

function changesIn(entries: readonly Entry[]): readonly string[] {
  const logs = Map.groupBy(entries, ({ conversationId }) => conversationId);
  return [...logs].flatMap(([id, log]) => {
    let before: Attended = { status: 'open', assignedTo: null };
    return log
      .toSorted((a, b) => a.seq - b.seq)
      .flatMap((entry) => {
        const changed = changedBy(before, entry);
        before = entry;
        return changed.map((what) => `${what} of ${id}`);
      });
  });
}

function toldOf({ event, subject, members }: Delivery): string {
  const moved = members === undefined ? '' : ` ${members.from} > ${members.to}`;
  return `${event}${moved} of ${subject}`;
}

const everyChangeOfConversationsIsTold = fromStore(({ entries }, { deliveries }) => {
  const told = deliveries.filter(({ event }) => OF_CONVERSATION.has(event)).map(toldOf);
  const [happened, heard] = [grouped(changesIn(entries), String), grouped(told, String)];
  return [...new Set([...happened.groups.keys(), ...heard.groups.keys()])].flatMap((what) => {
    const [times, tellings] = [happened.of(what).length, heard.of(what).length];
    return times === tellings
      ? []
      : [`${what} happened ${times} times, was told ${tellings} times`];
  });
});

/** Of a contact's events, by its id. */
function livesOf({ deliveries }: History, event: string) {
  return grouped(
    deliveries.filter((each) => each.event === event),
    ({ subject }) => subject,
  );
}

const everyContactIsToldOnce: Rule = (history) => {
  if (!history.store) return null;
  const told = livesOf(history, CREATED);
  const known = new Set(history.contacts.flatMap(({ id, formerIds = [] }) => [id, ...formerIds]));
  return [
    ...history.contacts.flatMap(({ id }) =>
      told.of(id).length === 1 ? [] : [`${id} was told as created ${told.of(id).length} times`],
    ),
    ...[...told.groups].flatMap(([id, { length }]) => [
      ...(length > 1 && known.has(id) ? [`${id} was told as created ${length} times`] : []),
      ...(known.has(id) ? [] : [`${id} was told as created and is no contact`]),
    ]),
  ];
};

type Record = NonNullable<Delivery['contact']>;

/** Those with one place in time are tried in each order. */
const updatesLeadFromFirstToLast: Rule = (history) => {
  if (!history.store) return null;
  const [made, changed] = [livesOf(history, CREATED), livesOf(history, UPDATED)];
  return history.contacts.flatMap((contact) => {
    let now = made.of(contact.id)[0]?.contact;
    if (now === undefined) return [];
    const left = changed.of(contact.id).toSorted((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1));
    while (left.length > 0) {
      const [first] = left;
      const before: Record = now;
      const fitting = left.findIndex(
        (each) => each.occurredAt === first?.occurredAt && follows(each, before),
      );
      const [next] = left.splice(fitting, fitting < 0 ? 0 : 1);
      if (next?.contact === undefined) {
        return [
          `${first?.changed?.join()} of ${contact.id} at ${first?.occurredAt} does not follow`,
        ];
      }
      now = next.contact;
    }
    const last = { ...now, fields: contact.fields, tags: contact.tags };
    const untold = differing(now, last);
    return untold.length === 0 ? [] : [`${untold.join()} of ${contact.id} was not told`];
  });
};

/** One that says that nothing changed follows nothing. */
function follows({ changed = [], contact }: Delivery, before: Record): boolean {
  if (contact === undefined || changed.length === 0) return false;
  return differing(before, contact).join() === changed.join();
}

function differing(before: Record, after: Record): readonly string[] {
  const watched = (each: Record): readonly (readonly [string, unknown])[] => [
    ['name', each.name],
    ['email', each.email],
    ['fields', Object.entries(each.fields).sort()],
    ['tags', each.tags],
    ['optIn', [each.optIn, !each.optIn && each.optOutAt !== null]],
    ['marketingOptOut', each.marketingOptOutAt !== undefined],
  ];
  const was = new Map(watched(before));
  return watched(after).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(was.get(name)) ? [] : [name],
  );
}

export const changes: Checker = {
  rules: { everyChangeOfConversationsIsTold, everyContactIsToldOnce, updatesLeadFromFirstToLast },
  counted: ({ deliveries }) => {
    const times = (name: (event: string) => boolean) =>
      deliveries.filter(({ event }) => name(event)).length;
    return {
      ofConversations: times((event) => OF_CONVERSATION.has(event)),
      contactsCreated: times((event) => event === CREATED),
      contactsUpdated: times((event) => event === UPDATED),
    };
  },
};
