/** Tells what happened in a world, as the checkers want it. Times are the world's own. */
import * as v from 'valibot';
import type { DealState } from '../../../actors/domain/deal.ts';
import type { OrganizationState } from '../../../actors/domain/organization.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import type { TemplateMessage } from '../../../shared/message-content.ts';
import {
  Deal,
  type Decision,
  type Delivery,
  type Entry,
  type History,
  type Message,
  type Settlement,
  type Store,
  type StoredDeal,
  type Template,
  ToldContact,
} from '../checkers/history.ts';
import { isBusy } from './busy-shops.ts';
import type { Clients } from './clients.ts';
import { disabledIn, postedDeliveries } from './due-work.ts';
import { FLOW_TAGS } from './organization.ts';
import { LIBRARY_TEXT } from './outside/simulated-media.ts';
import type { StreamTraffic } from './streams/traffic.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { World } from './world.ts';

/** Both subscriptions want these. */
const COPIES = { 'message.sent': 2, 'message.received': 2 };

const Event = v.object({
  event: v.string(),
  data: v.looseObject({
    messageId: v.optional(v.string()),
    deal: v.optional(Deal),
    task: v.optional(v.object({ id: v.string() })),
    contact: v.optional(v.object({ id: v.string(), ...v.partial(ToldContact).entries })),
    conversation: v.optional(v.object({ id: v.string() })),
    fromMemberId: v.optional(v.nullable(v.string())),
    toMemberId: v.optional(v.nullable(v.string())),
    changed: v.optional(v.array(v.string())),
    media: v.optional(v.object({ id: v.string(), url: v.string() })),
    occurredAt: v.string(),
  }),
});

interface Told {
  readonly clients: Clients;
  readonly streams: StreamTraffic;
  readonly healedAt: number;
}

export function historyOf(world: World, { clients, streams, healedAt }: Told): History {
  const { database, network, scheduler } = world;
  const entries = database.all('entries') as readonly EntryDocument[];
  const clocks = new Map(
    world.appended.flatMap(({ write, wallClock }) =>
      'insert' in write ? [[write.document._id, wallClock] as const] : [],
    ),
  );
  const decisions = new Map(
    world.appended.flatMap(({ write, decided }) =>
      'insert' in write ? [[write.document._id, decided] as const] : [],
    ),
  );
  const urgencies = urgenciesIn(world);
  const contacts = database.all('contacts') as unknown as readonly StoredContact[];
  return {
    calls: clients.history,
    messages: messagesIn(entries, {
      ...{ clocks, decisions, urgencies },
      ends: world.queues.endedAt,
    }),
    transmissions: network.transmissions,
    deliveries: deliveriesIn(world),
    deals: (database.all('deals') as unknown as readonly StoredState<DealState>[]).map(
      ({ _id, state }) => dealOf(_id, state, scheduler.now),
    ),
    contacts: contactsIn(contacts),
    marks: world.marks,
    ...{ faults: [], bridgeFaults: [], lostLeases: [] },
    flowTags: new Set(FLOW_TAGS),
    copies: COPIES,
    healed: { at: healedAt },
    ...{ done: new Set<string>(), due: {} },
    probes: { channels: world.channels(), seen: network.probes },
    ...queuesOf(world),
    endedAt: scheduler.now,
    streams: streams.history(),
    store: storeOf(world, entries),
  };
}

type Contact = History['contacts'][number];
type StoredContact = Omit<Contact, 'id'> & Named & { readonly mergedInto?: string };

/** A contact that was joined to another one is that one, over any number of steps. */
function contactsIn(stored: readonly StoredContact[]): readonly Contact[] {
  const byId = new Map(stored.map((each) => [each._id, each]));
  const endOf = ({ _id, mergedInto }: StoredContact): string => {
    const next = mergedInto === undefined ? undefined : byId.get(mergedInto);
    return next ? endOf(next) : _id;
  };
  const former = Map.groupBy(stored, endOf);
  return stored.flatMap(({ _id: id, mergedInto, ...contact }) => {
    if (mergedInto !== undefined) return [];
    const formerIds = former.get(id)?.map(({ _id }) => _id) ?? [];
    return [{ ...contact, id, formerIds }];
  });
}

interface Named {
  readonly _id: string;
}

interface StoredState<State> extends Named {
  readonly state: State;
}

/** Of entries, by their ids. */
interface Known {
  readonly clocks: ReadonlyMap<string, number>;
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly urgencies: ReadonlyMap<string, string>;
  readonly ends: ReadonlyMap<string, number>;
}

/** As the agenda got them: with a message, or with the settlement of one that was scheduled. */
function urgenciesIn({ appended }: World): ReadonlyMap<string, string> {
  return new Map(
    appended.flatMap(({ write }): (readonly [string, string])[] => {
      if (!('insert' in write)) return [];
      const { _id, send, settles } = write.document as EntryDocument;
      if (send) return [[_id, send.urgency ?? 'normal']];
      if (settles?.outcome !== 'released') return [];
      return [[settles.messageId, settles.urgency ?? 'normal']];
    }),
  );
}

/** The queue of the slow number. */
function queuesOf({ seed, queues, knownChannels: [main] }: World): Pick<History, 'queues'> {
  return isBusy(seed) && main !== undefined ? { queues: [queues.queueOf(main)] } : {};
}

function templateOf({ name, marketing }: TemplateMessage): Template {
  return { name, isMarketing: marketing === true };
}

function messagesIn(
  entries: readonly EntryDocument[],
  { clocks, decisions, urgencies, ends }: Known,
): readonly Message[] {
  const settlements = Map.groupBy(
    entries.filter(({ settles }) => settles),
    ({ settles }) => settles?.messageId,
  );
  return entries.flatMap((entry): Message[] => {
    const { _id: id, conversationId, channelId, message, after } = entry;
    if (!message) return [];
    const { direction, text, status, error, receipts, media, origin, schedule } = message;
    const { content, fallback, replacesId } = message;
    const settled = (settlements.get(id) ?? []).map(({ _id, seq, settles }): Settlement => {
      const outcome = settles?.outcome ?? 'released';
      const decided = decisions.get(_id);
      return { place: seq, outcome, settledAt: clocks.get(_id) ?? 0, decided };
    });
    return [
      {
        ...{ id, conversationId, channelId, direction, text, status },
        phone: after.contact.phone || null,
        place: entry.seq,
        externalId: entry.externalId ?? message.externalId,
        ...(error ? { error: error.code } : {}),
        decided: decisions.get(id),
        ...{ urgency: urgencies.get(id), endedAt: ends.get(id) },
        ...(content?.type === 'template' ? { template: templateOf(content.template) } : {}),
        ...(fallback ? { fallback: templateOf(fallback.template) } : {}),
        ...(replacesId === undefined ? {} : { replaces: replacesId }),
        isAutomatic: origin === 'flow',
        wasSent: receipts.sent !== null,
        isDue: entry.send !== undefined,
        ...(schedule ? { dueAt: schedule.at, settlements: settled } : {}),
        file: media?.id ?? null,
        fileIsDue: entry.mediaDue !== undefined,
      },
    ];
  });
}

function deliveriesIn({ database, subscribers }: World): readonly Delivery[] {
  const stored = postedDeliveries(database);
  const posts = Map.groupBy(
    subscribers.posts,
    ({ headers }) => headers['X-Service-Delivery'] ?? '',
  );
  const attemptsOf = (id: string) =>
    (posts.get(id) ?? []).map(({ at, body }) => ({ at, bytes: body }));
  const known = new Set(stored.map(({ _id }) => _id));
  const unknown = [...posts].filter(([id]) => !known.has(id));
  return [
    ...stored.map(({ _id: id, subscriptionId: subscription, event, body, state }) => {
      const attempts = [{ at: 0, bytes: body }, ...attemptsOf(id)];
      return { id, event, ...toldBy(body), subscription, state, attempts: attempts.slice(1) };
    }),
    ...unknown.flatMap(([id, [first]]) => {
      const told = first && toldBy(first.body);
      return told ? [{ id, event: told.named, ...told, attempts: attemptsOf(id) }] : [];
    }),
  ];
}

function toldBy(body: string) {
  const { event: named, data } = v.parse(Event, JSON.parse(body));
  const { messageId, deal, task, contact, conversation, media, occurredAt, changed } = data;
  const { fromMemberId: from, toMemberId: to } = data;
  const subject = messageId ?? deal?.id ?? task?.id ?? contact?.id ?? conversation?.id ?? '';
  const file = media?.url.endsWith(`/api/v1/media/${media.id}`) ? media.id : (media?.url ?? null);
  return {
    ...{ named, subject, occurredAt, body },
    ...(messageId === undefined ? {} : { file }),
    ...(deal ? { deal } : {}),
    ...(v.is(ToldContact, contact) ? { contact } : {}),
    ...(changed ? { changed } : {}),
    ...(from === undefined || to === undefined ? {} : { members: { from, to } }),
  };
}

function dealOf(id: string, state: DealState, readAt: number): StoredDeal {
  const { title, status, stageId, lostReason, closedAt, updatedAt } = state;
  const closed = closedAt === null ? null : new Date(closedAt).toISOString();
  const at = new Date(updatedAt).toISOString();
  return { id, title, status, stageId, lostReason, closedAt: closed, updatedAt: at, readAt };
}

function storeOf(world: World, entries: readonly EntryDocument[]): Store {
  const { database, media, network, records, scheduler, windows } = world;
  const snapshots = database.all('conversations') as unknown as readonly (Named & {
    readonly snapshot: { readonly seq: number };
  })[];
  const organizations = database.all('organizations') as unknown as readonly OrganizationState[];
  const tasks = database.all('tasks') as unknown as readonly StoredState<{
    readonly title: string;
  }>[];
  return {
    now: EPOCH_MS + scheduler.now,
    entries: entries.map(entryOf),
    appended: world.appended.flatMap(({ write }) => {
      if (!('insert' in write)) return [];
      const { _id: id, conversationId, seq } = write.document as EntryDocument;
      return [{ id, conversationId, seq }];
    }),
    snapshots: new Map(snapshots.map(({ _id, snapshot }) => [_id, snapshot.seq])),
    changes: records.changes,
    files: media.contents(),
    gone: network.media.gone,
    libraryFile: LIBRARY_TEXT,
    library: new Set(
      organizations.flatMap(({ files }) =>
        files.flatMap(({ id, removed }) => (removed === true ? [] : id)),
      ),
    ),
    pipelines: organizations.flatMap((each) => each.pipelines ?? []),
    tasks: tasks.map(({ _id: id, state: { title } }) => ({ id, title })),
    disabled: disabledIn(world),
    windows,
    templates: world.templates.states,
    ...(world.clocksJumpedAt === undefined ? {} : { clocksJumpedAt: world.clocksJumpedAt }),
  };
}

function entryOf({
  _id: id,
  conversationId,
  seq,
  externalId,
  message,
  after,
  timer,
  edit,
  deletion,
}: EntryDocument) {
  const { status, assignedTo, run, lastMessageAt, lastMessagePreview, lastMessageSeq } = after;
  const text = message?.text ?? null;
  const entry: Entry = {
    ...{ id, conversationId, seq, externalId, text, status, assignedTo, run },
    lastMessagePreview,
    ...(lastMessageSeq === undefined ? {} : { lastMessageSeq }),
    ...(edit || deletion ? { isChanged: true } : {}),
    ...(after.joinedTo === undefined ? {} : { isJoined: true }),
    isSaid: message?.author.kind === 'automation' && (text ?? '').startsWith('flow: '),
    timerAt: timer?.at ?? null,
    window: after,
    lastMessageAt: new Date(lastMessageAt).toISOString(),
  };
  return entry;
}
