/** Store of a channel sender's fixture: the log of its conversations, and its organization. */

import type { ChannelRestriction } from '../../../../actors/domain/channel-restriction.ts';
import type { SendAgenda } from '../../../../actors/model/conversation.ts';
import type { Bulk, Schedule } from '../../../../shared/message.ts';
import type { MessageContent } from '../../../../shared/message-content.ts';
import type { Origin } from '../../../../shared/vocabulary.ts';
import { RUN } from '../../../support/actors/conversation/flow/flow-fixture.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';
import type { ManualClock } from '../../../support/manual-clock.ts';
import type { Document, Store, Write } from '../../../support/plain-store.ts';

export const CHANNEL = 'chn_1';
const PACE = { perSecond: 1_000, pairBurst: 1_000, pairEveryMs: 1 };

export interface Kept extends Document {
  readonly conversationId: string;
  readonly seq: number;
  readonly text: string;
  /** How many messages have come from the contact. */
  readonly received: number;
  /** When the contact's window was opened last, epoch milliseconds. */
  readonly windowFrom?: number | undefined;
  /** It is a template. */
  readonly template?: true | undefined;
  /** Who wrote it, if no caller did. */
  readonly origin?: Origin | undefined;
  /** The flow's run in the conversation after it. */
  readonly runId?: string | undefined;
  /** The conversation that its own one was joined to. */
  readonly joinedTo?: string | undefined;
  readonly schedule?: Schedule | undefined;
  readonly bulk?: Bulk | undefined;
  send: SendAgenda | undefined;
  externalId: string | undefined;
}

/** Only the queries of a channel sender: entries by id or conversation, and one organization. */
export function storeOf(
  entries: Map<string, Kept>,
  onRead: (kept: Kept) => void,
  {
    organization,
    contact,
  }: { readonly organization: () => object; readonly contact: () => object },
): Store {
  const find = async (_collection: string, filter: Readonly<Record<string, unknown>>) => {
    const ids = Reflect.get(Object(filter._id), '$in') as string[] | undefined;
    const wanted = (kept: Kept) =>
      ids ? ids.includes(kept._id) : kept.conversationId === filter.conversationId;
    const found = [...entries.values()].filter(wanted);
    const shown = found.map(shownEntry);
    found.forEach(onRead);
    return shown;
  };
  return {
    commit: async (writes) => writes.map((write) => apply(entries, write)),
    byId: (async () => contact()) as unknown as Store['byId'],
    find: find as unknown as Store['find'],
    findOne: (async (collection: string, filter: Readonly<Record<string, unknown>>) => {
      if (collection !== 'entries') return organization();
      const { conversationId, seq } = filter;
      const log = [...entries.values()].filter((each) => each.conversationId === conversationId);
      const kept = seq === undefined ? log.at(-1) : log.find((each) => each.seq === seq);
      return kept ? shownEntry(kept) : null;
    }) as unknown as Store['findOne'],
    ...{ existsEach: async () => [], count: async () => 0 },
  };
}

/** Claims a queued message, as its owner under `epoch` would. */
export function markedBy(epoch: number, clock: ManualClock) {
  return (kept: Kept): void => {
    if (kept.send?.state !== 'queued') return;
    const attempt = kept.send.attempt + 1;
    kept.send = { ...kept.send, state: 'sending', epoch, attempt, since: clock.now() };
  };
}

interface Configured {
  readonly enabled: boolean;
  readonly kept: ChannelRestriction | null;
  readonly keptUnpaid: ChannelRestriction | null;
}

export function organizationOf({ enabled, kept, keptUnpaid }: Configured) {
  const channel = { id: CHANNEL, label: 'Vendas', provider: 'web', phone: '551140001000' };
  const restriction = kept === null ? {} : { restriction: kept };
  const unpaid = keptUnpaid === null ? {} : { unpaid: keptUnpaid };
  const settings = { enabled, network: {}, secrets: {}, pace: PACE, ...restriction, ...unpaid };
  return { _id: 'org_1', country: 'BR', channels: [{ ...channel, ...settings }] };
}

/** The log of the conversation goes on with a message of the contact. */
export function writeIn(entries: Map<string, Kept>, conversationId: string, at: number): string {
  const seq = entries.size + 1;
  const said = { conversationId, seq, text: 'oi', received: 1, windowFrom: at };
  const _id = `in_${seq}`;
  entries.set(_id, { _id, ...said, send: undefined, externalId: undefined });
  return conversationId;
}

const TEMPLATE = {
  type: 'template',
  template: { name: 'lembrete', language: 'pt_BR', body: [], buttons: [] },
} as const satisfies MessageContent;

export function shownEntry({ _id, conversationId, seq, text, received, ...kept }: Kept) {
  const { origin, runId, joinedTo, schedule, bulk, send, externalId, template, windowFrom } = kept;
  const run = runId === undefined ? null : { ...RUN, id: runId };
  return {
    ...{ _id, conversationId, seq },
    message: outboundFixture({
      text,
      ...(origin === undefined ? {} : { origin }),
      ...(schedule === undefined ? {} : { schedule }),
      ...(bulk === undefined ? {} : { bulk }),
      ...(template === undefined ? {} : { content: TEMPLATE }),
    }),
    after: conversationFixture({
      ...{ id: conversationId, received, run },
      ...(windowFrom === undefined ? {} : { windowFrom }),
      ...(joinedTo === undefined ? {} : { joinedTo }),
    }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(send === undefined ? {} : { send }),
  };
}

/** The compare-and-set of a claim, or of a message put back. */
function apply(entries: Map<string, Kept>, write: Write) {
  if (!('update' in write) || write.update !== 'entries') return { ok: true } as const;
  const entry = entries.get(String(write.filter._id));
  const { 'send.state': state, 'send.attempt': attempt } = write.filter;
  if (!entry?.send || entry.send.state !== state || entry.send.attempt !== attempt) {
    return { ok: false, duplicate: '_id_' } as const;
  }
  const { $set = {}, $inc = {} } = write.change as Record<string, Record<string, unknown>>;
  const set = Object.entries($set).map(([name, value]) => [name.replace('send.', ''), value]);
  const more = (name: 'attempt' | 'outages') => Number($inc[`send.${name}`] ?? 0);
  const changed: SendAgenda = { ...entry.send, ...Object.fromEntries(set) };
  const outages = (changed.outages ?? 0) + more('outages');
  const met = outages === 0 ? {} : { outages };
  entry.send = { ...changed, attempt: changed.attempt + more('attempt'), ...met };
  return { ok: true } as const;
}
