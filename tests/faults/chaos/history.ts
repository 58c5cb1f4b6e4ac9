/** Tells what happened in a run, as the checkers want it: read from its records. */
import * as v from 'valibot';
import {
  Answer,
  BridgeFault,
  type Call,
  Contact,
  Deal,
  type Delivery,
  Fault,
  type History,
  Limits,
  Mark,
  type Message,
  Request,
  type Transmission,
} from '../checkers/history.ts';
import { type Recorded, seenOf } from './records.ts';

type Records = readonly Recorded[];

/** Operations that the checkers know by another name. */
const NAMES: Readonly<Record<string, string>> = {
  'bridge-send': 'send',
  'bridge-inbound': 'inbound',
  'contact-upsert': 'contact',
  'read-back': 'list-messages',
};
/** The answers of these name what they made or changed. */
const NAMING: ReadonlySet<string> = new Set([
  ...['send', 'schedule', 'once', 'contact', 'deal-create', 'deal-change'],
]);

const Refusal = v.object({ status: v.number(), retryAfter: v.nullish(v.string()) });
const OnceRequest = v.object({
  key: v.string(),
  what: v.picklist(['message', 'deal']),
  /** The text of a message or the title of a deal. */
  name: v.string(),
});

const ConversationRead = v.object({
  /** Null of a contact who is known by a hidden id alone. */
  phone: v.nullable(v.string()),
  conversationId: v.string(),
  /** Of a channel on the bridge. */
  engine: v.optional(v.string()),
  messages: v.array(
    v.object({
      id: v.string(),
      direction: v.string(),
      text: v.nullable(v.string()),
      status: v.string(),
      externalId: v.nullish(v.string()),
      error: v.optional(v.object({ code: v.string() })),
    }),
  ),
});
const ContactsRead = v.object({ phone: v.string(), contacts: v.array(Contact) });
/** The network took a message: `messageId` is ours, as the request carried it. */
const Accepted = v.object({
  to: v.string(),
  text: v.nullable(v.string()),
  externalId: v.string(),
  messageId: v.nullable(v.string()),
});
const BridgeAccepted = v.object({
  text: v.nullable(v.string()),
  externalId: v.string(),
  /** The network's code: taken, and never delivered. */
  failed: v.nullable(v.number()),
});
const Received = v.object({
  delivery: v.string(),
  event: v.string(),
  /** The raw body, base64. */
  bytes: v.string(),
  signature: v.string(),
  /** The subscriber's answer. */
  answered: v.number(),
});
const Told = v.object({
  event: v.string(),
  data: v.object({
    messageId: v.optional(v.string()),
    deal: v.optional(Deal),
    occurredAt: v.optional(v.string()),
  }),
});
const Due = v.object({ due: v.record(v.string(), v.number()) });

export function historyOf(records: Records): History {
  const calls = callsIn(records);
  const reads = ['read-conversation', 'read-scheduled', 'read-bridge'].flatMap((op) =>
    seenOf(records, op, ConversationRead),
  );
  const messages = reads.flatMap((read) => messagesOf(read, calls));
  const bridged = reads.filter(({ engine }) => engine !== undefined);
  const [healed] = seenOf(records, 'healed', v.object({ answeredWithinMs: v.number() }));
  const [answered] = seenOf(records, 'answered', v.object({}));
  const [limits] = seenOf(records, 'limits', Limits);
  const [subscription] = seenOf(records, 'subscription', v.object({ secret: v.string() }));
  const done = seenOf(records, 'done', v.object({ worker: v.string() }));
  const leases = seenOf(records, 'lease-lost', v.object({ at: v.number() }));
  const contacts = seenOf(records, 'read-contact', ContactsRead);
  return {
    calls,
    messages,
    transmissions: transmissionsIn(records, messages),
    deliveries: deliveriesIn(records),
    deals: seenOf(records, 'read-deal', Deal).map((deal) => ({ ...deal, readAt: deal.t })),
    contacts: contacts.flatMap(({ phone, contacts: all }) => all.map((one) => ({ ...one, phone }))),
    bridgeConversations: bridged.map(({ conversationId: id, phone }) => ({ id, phone })),
    marks: seenOf(records, 'marked', Mark),
    faults: seenOf(records, 'fault', Fault),
    bridgeFaults: seenOf(records, 'bridge-fault', BridgeFault),
    lostLeases: leases.map(({ at }) => at),
    ...{ flowTags: new Set<string>(), copies: {}, nothingIsRefused: true },
    ...(subscription ? { secret: subscription.secret } : {}),
    ...(limits ? { limits } : {}),
    ...(healed ? { healed: { at: healed.t, answeredWithinMs: healed.answeredWithinMs } } : {}),
    ...(answered ? { answeredAt: answered.t } : {}),
    done: new Set(done.map(({ worker }) => worker)),
    due: seenOf(records, 'drained', Due)[0]?.due ?? {},
    endedAt: records.at(-1)?.t ?? 0,
  };
}

/** In the order in which they were made. */
function callsIn(records: Records): readonly Call[] {
  const calls: Call[] = [];
  const open = new Map<string, number>();
  for (const { process, op, type, t, body } of records) {
    const place = open.get(process);
    const made = place === undefined ? undefined : calls[place];
    if (type === 'invoke') {
      open.set(process, calls.length);
      calls.push(begun({ process, op, body, t }));
    } else if (place !== undefined && made !== undefined) {
      open.delete(process);
      calls[place] = ended(made, { op, type, body, t });
    }
  }
  return calls;
}

function begun({ process, op, body, t }: Omit<Recorded, 'type'>): Call {
  const never = Number.POSITIVE_INFINITY;
  const unanswered = { outcome: 'unknown', status: null, answer: null } as const;
  const times = { startedAt: t, endedAt: never, returnedAt: never };
  if (op === 'once') {
    const { key: onceKey, what, name } = v.parse(OnceRequest, body);
    const request = what === 'message' ? { onceKey, text: name } : { onceKey, title: name };
    const operation = what === 'message' ? 'send' : 'deal-create';
    return { process, operation, request, ...unanswered, ...times };
  }
  const { id: externalId, at: dueAt } = Object(body);
  const request = v.parse(Request, { ...Object(body), externalId, dueAt });
  return { process, operation: NAMES[op] ?? op, request, ...unanswered, ...times };
}

function ended(call: Call, { op, type, body, t }: Omit<Recorded, 'process'>): Call {
  if (type === 'info') return { ...call, returnedAt: t };
  const times = { endedAt: t, returnedAt: t };
  if (type === 'refused') {
    const refusal = v.safeParse(Refusal, body);
    const { status = 0, retryAfter = null } = refusal.success ? refusal.output : {};
    return { ...call, outcome: 'refused', status, retryAfter, ...times };
  }
  const deal = op.startsWith('deal-') ? { deal: v.parse(Deal, body) } : {};
  const answer = v.parse(Answer, { ...Object(body), ...deal });
  if (NAMING.has(NAMES[op] ?? op) && (answer.messageId ?? answer.id) === undefined) {
    throw new TypeError(`${op} was answered without an id`);
  }
  return { ...call, outcome: 'ok', status: 200, answer, ...times };
}

function messagesOf(
  { messages, ...where }: v.InferOutput<typeof ConversationRead>,
  calls: readonly Call[],
): readonly Message[] {
  const { phone, conversationId, engine } = where;
  const dueAt = new Map(calls.map(({ request }) => [request.text, request.dueAt]));
  return messages.map(({ error, externalId = null, ...message }, place): Message => {
    const due = dueAt.get(message.text ?? '');
    return {
      ...{ ...message, phone, conversationId, place, externalId },
      ...(engine === undefined ? {} : { engine }),
      ...(error ? { error: error.code } : {}),
      ...(due === undefined ? {} : { dueAt: due }),
    };
  });
}

/** As they came to the network. The bridge knows texts, which are each of one message. */
function transmissionsIn(records: Records, messages: readonly Message[]): readonly Transmission[] {
  const told = new Map(
    seenOf(records, 'network-told', v.object({ externalId: v.string() })).map((each) => [
      each.externalId,
      each.t,
    ]),
  );
  const taken = ({ externalId, t: at }: { externalId: string; t: number }) => {
    return { at, taken: { at, externalId }, toldAt: told.get(externalId) ?? null };
  };
  const bridged = new Map(
    messages.flatMap((each) =>
      each.engine && each.direction === 'out' ? [[each.text, each] as const] : [],
    ),
  );
  return [
    ...seenOf(records, 'network-accepted', Accepted).map(({ messageId, to, text, ...each }) => {
      return { messageId, provider: 'cloud', to, text: text ?? '', ...taken(each) };
    }),
    ...seenOf(records, 'bridge-accepted', BridgeAccepted).map(({ text, failed, ...each }) => {
      const { id = null, phone = null } = bridged.get(text) ?? {};
      const whose = { messageId: id, provider: 'web', to: phone ?? '' };
      return { ...whose, text: text ?? '', failed, ...taken(each) };
    }),
  ];
}

function deliveriesIn(records: Records): readonly Delivery[] {
  const received = Map.groupBy(seenOf(records, 'received', Received), ({ delivery }) => delivery);
  return [...received].flatMap(([id, all]) => {
    const [first] = all;
    if (first === undefined) return [];
    const body = Buffer.from(first.bytes, 'base64').toString('utf8');
    const { event: named, data } = v.parse(Told, JSON.parse(body));
    const { messageId, deal, occurredAt = '' } = data;
    const subject = messageId ?? deal?.id ?? id;
    const attempts = all.map(({ t, event, bytes, ...attempt }) => {
      return { ...attempt, at: t, bytes: `${event} ${bytes}` };
    });
    const told = { id, event: first.event, named, subject, occurredAt, body, attempts };
    return [{ ...told, ...(deal ? { deal } : {}) }];
  });
}
