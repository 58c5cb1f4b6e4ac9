/** Small worlds for the checkers: everything that a test does not set is as it should be. */
import type { EntryDocument } from '../../../../../actors/conversation/api.ts';
import type { Run } from '../../../../../actors/domain/flow/run.ts';
import { type DeliveryDocument, recordedState } from '../../../../../actors/subscription/api.ts';
import type { StoredMessage } from '../../../../../shared/message.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';
import { type Asked, outcomeOf } from '../../history.ts';
import type { Posted } from '../../outside/subscribers.ts';
import type { Transmission } from '../../outside/transmission.ts';
import type { Evidence, StoredContact, StoredRecord } from '../evidence.ts';

export { NOW };

/** A world gone wrong, and what a checker must say of it. */
export interface Wrong {
  readonly evidence: Evidence;
  readonly says: RegExp;
}

/** Cases of one checker: a world in which all is well, and others by the name of their fault. */
export interface Shown {
  readonly well: Evidence;
  readonly wrong: Readonly<Record<string, Wrong>>;
}

export function evidence(over: Partial<Evidence> = {}): Evidence {
  const { entries = [] } = over;
  const nothing = { history: [], deliveries: [], deals: [], tasks: [], contacts: [] };
  const disabled = new Set<string>();
  const slowly = {
    appendedAt: new Map(),
    marks: [],
    conversations: [],
    changes: [],
    channels: [],
    probes: [],
    disabled,
  };
  const media = { media: new Map(), gone: new Set<string>() };
  const notes = { takenAt: [], begunAt: [], written: [], disruptions: [] };
  const windows = { perKey: Number.POSITIVE_INFINITY, ...notes };
  return {
    now: NOW,
    healedAt: 0,
    endedAt: 0,
    ...nothing,
    ...slowly,
    transmissions: [],
    posts: [],
    ...media,
    windows,
    entries,
    appended: entries,
    ...over,
  };
}

export function asked(over: Partial<Asked> & Pick<Asked, 'operation'>): Asked {
  const { status = 201 } = over;
  return {
    client: 0,
    startedAt: 0,
    endedAt: 10,
    outcome: outcomeOf(status),
    status,
    request: {},
    response: null,
    ...over,
  };
}

/** A send that was answered 201 and named its message. */
export function sent(text: string, over: Partial<Asked> = {}): Asked {
  return asked({
    operation: 'send',
    request: { text },
    response: { data: { messageId: `msg_${text}`, conversationId: 'cnv_1' } },
    ...over,
  });
}

interface EntryFixture
  extends Partial<
    Pick<EntryDocument, 'conversationId' | 'externalId' | 'send' | 'timer' | 'settles'>
  > {
  /** Null where something changed without one. */
  readonly message?: Partial<StoredMessage> | null;
  readonly run?: string | null;
  readonly stepId?: string;
}

function runOf(id: string, stepId: string): Run {
  return {
    id,
    flowId: 'flw_1',
    flowName: 'Enquete',
    versionId: 'flw_1.v',
    stepId,
    visit: 1,
    phase: { kind: 'ready' },
    answers: {},
    parsed: [],
    hops: 0,
    dealId: null,
    startedAt: NOW,
  };
}

/** The entry of a message whose text is its name. */
export function entry(text: string, seq: number, fixture: EntryFixture = {}): EntryDocument {
  const { message = {}, run = null, stepId = 'ola', conversationId = 'cnv_1', ...over } = fixture;
  const flow = run === null ? {} : { run: runOf(run, stepId), status: 'in_flow' as const };
  return {
    _id: `msg_${text}`,
    conversationId,
    seq,
    orgId: 'org_1',
    channelId: 'chn_1',
    after: conversationFixture({ id: conversationId, seq, ...flow }),
    ...(message === null ? {} : { message: outboundFixture({ text, status: 'sent', ...message }) }),
    ...over,
  };
}

/** The log of one conversation, in the order of the texts. */
export function log(...texts: readonly string[]): readonly EntryDocument[] {
  return texts.map((text, index) => entry(text, index + 1));
}

export function transmission(text: string, over: Partial<Transmission> = {}): Transmission {
  return {
    messageId: `msg_${text}`,
    channelId: 'chn_1',
    provider: 'cloud',
    to: '5511987650001',
    text,
    at: 100,
    by: 'actors0.1',
    accepted: { at: 110, externalId: `wamid.${text}` },
    refused: false,
    reportedAt: null,
    ...over,
  };
}

interface Told {
  readonly event: string;
  readonly subject: Readonly<Record<string, unknown>>;
  readonly subscriptionId?: string;
  readonly status?: DeliveryDocument['state']['status'];
  readonly counted?: number;
  readonly id?: string;
}

export function delivery(told: Told): DeliveryDocument {
  const { event, subject, subscriptionId = 'sub_all', status = 'succeeded', counted = 1 } = told;
  const occurredAt = '2026-11-20T12:00:00.000Z';
  return {
    _id: told.id ?? `dlv_${event}_${subscriptionId}`,
    orgId: 'org_1',
    subscriptionId,
    partition: 1,
    event,
    body: JSON.stringify({ event, data: { occurredAt, ...subject } }),
    createdAt: NOW,
    state: { ...recordedState(NOW, 'pending'), status, counted },
  };
}

/** One for each of the two subscriptions that want it. */
export function toBoth(event: string, messageId: string): readonly DeliveryDocument[] {
  return ['sub_all', 'sub_messages'].map((subscriptionId) =>
    delivery({
      event,
      subject: { messageId },
      subscriptionId,
      id: `${messageId}_${subscriptionId}`,
    }),
  );
}

export function posted({ _id, body }: DeliveryDocument, over: Partial<Posted> = {}): Posted {
  return {
    url: 'https://all.example/hook',
    body,
    headers: { 'X-Service-Delivery': _id },
    at: 200,
    ...over,
  };
}

export function record(id: string, state: Readonly<Record<string, unknown>> = {}): StoredRecord {
  return {
    _id: id,
    version: 1,
    state: { title: id, status: 'open', closedAt: null, lostReason: null, ...state },
  };
}

export function contact(over: Partial<StoredContact> = {}): StoredContact {
  return { _id: 'ctc_1', phone: '5511987650001', fields: {}, tags: [], ...over };
}
