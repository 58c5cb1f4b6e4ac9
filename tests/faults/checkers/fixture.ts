/** Small histories for the checkers' tests: what a test does not say is as it should be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Checker } from './checker.ts';
import type {
  Answer,
  Call,
  Deal,
  Delivery,
  Entry,
  Fault,
  History,
  Message,
  Request,
  Store,
  Transmission,
} from './history.ts';

export const PHONE = '5511987650001';
export const OTHER = '5511987650002';
/** Epoch milliseconds. */
export const NOW = 1_795_000_000_000;

export type Told = Partial<History>;

/** Of one rule: histories under what it has to say of each; under `well` it says nothing. */
type Shown = Readonly<Record<string, readonly Told[]>>;

/** Every rule accepts what is well, and names each fault. */
export function show({ rules }: Checker, shown: Readonly<Record<string, Shown>>): void {
  test('every rule has been shown what is well and what is wrong', () => {
    assert.deepEqual(Object.keys(shown).sort(), Object.keys(rules).sort());
    for (const { well, ...wrong } of Object.values(shown)) {
      assert.ok(well && Object.keys(wrong).length > 0);
    }
  });
  for (const [name, rule] of Object.entries(rules)) {
    for (const [says, histories] of Object.entries(shown[name] ?? {})) {
      test(`${name}: ${says}`, () => {
        for (const [index, told] of histories.entries()) {
          const said = rule(history(told))?.join('\n') ?? 'skipped';
          const isRight = says === 'well' ? said === '' : said.includes(says);
          assert.ok(isRight, `of the history ${index} is said: ${said}`);
        }
      });
    }
  }
}

export function history(told: Told = {}): History {
  return {
    ...{ calls: [], messages: [], transmissions: [], deliveries: [], deals: [], contacts: [] },
    ...{ marks: [], faults: [], bridgeFaults: [], lostLeases: [], copies: {}, due: {} },
    ...{ flowTags: new Set(), done: new Set(), endedAt: 0 },
    ...told,
  };
}

/** An answer, the status of a refusal, or no answer. */
export type Ended = Answer | number | 'unknown';

export function call(
  operation: string,
  request: Request,
  ended: Ended = {},
  over: Partial<Call> = {},
): Call {
  const { startedAt = 0, endedAt = startedAt + 10 } = over;
  const times = { startedAt, endedAt, returnedAt: endedAt };
  const answered = { process: 'p', operation, request, answer: null, ...times, ...over };
  if (ended === 'unknown') {
    return { ...answered, outcome: 'unknown', status: 503, endedAt: Number.POSITIVE_INFINITY };
  }
  return typeof ended === 'number'
    ? { ...answered, outcome: 'refused', status: ended }
    : { ...answered, outcome: 'ok', status: 200, answer: ended };
}

/** One after the other, each ended before the next: 20 ms each, from 20 on. */
export function inTurn(...calls: readonly Call[]): readonly Call[] {
  return calls.map((each, index) => {
    const startedAt = 20 * (index + 1);
    const endedAt = each.outcome === 'unknown' ? each.endedAt : startedAt + 10;
    return { ...each, startedAt, endedAt, returnedAt: startedAt + 10 };
  });
}

/** A send of a message whose id is its text. */
export function sent(text: string, ended: Ended = { messageId: text }, over: Partial<Call> = {}) {
  return call('send', { phone: PHONE, text }, ended, over);
}

export function message(id: string, over: Partial<Message> = {}): Message {
  const where = { conversationId: 'cnv_1', phone: PHONE, place: 1, direction: 'out' };
  return { id, ...where, text: id, status: 'sent', ...over };
}

/** The messages of one conversation in their order; their texts are their ids. */
export function log(...ids: readonly string[]): readonly Message[] {
  return ids.map((id, index) => message(id, { place: index + 1 }));
}

export function transmission(text: string, over: Partial<Transmission> = {}): Transmission {
  const { at = 100 } = over;
  const taken = { at: at + 10, externalId: `wamid.${text}` };
  return { messageId: text, provider: 'cloud', to: PHONE, text, at, taken, toldAt: null, ...over };
}

export function delivery(event: string, subject: string, over: Partial<Delivery> = {}): Delivery {
  const id = `dlv_${subject}`;
  const named = over.named ?? event;
  const told = { event, named, subject, occurredAt: '1', body: `${event} ${subject}` };
  return { id, ...told, attempts: [{ at: 200, bytes: 'x', answered: 200 }], ...over };
}

export const DEAL: Deal = {
  ...{ id: 'deal_1', title: 'first', status: 'open', stageId: 's1', lostReason: null },
  ...{ closedAt: null, updatedAt: 't0' },
};

export function kill(part: string, from: number, to: number): Fault {
  return { kind: 'kill', parts: [part], from, to };
}

export function store(over: Partial<Store> = {}): Store {
  const { entries = [] } = over;
  const notes = { takenAt: [], begunAt: [], written: [], disruptions: [] };
  return {
    ...{ now: NOW, entries, appended: entries, snapshots: new Map(), changes: [], tasks: [] },
    ...{ files: new Map(), gone: new Set(), libraryFile: 'tabela', disabled: new Set() },
    windows: { perKey: Number.POSITIVE_INFINITY, ...notes },
    ...over,
  };
}

export function entry(id: string, seq: number, over: Partial<Entry> = {}): Entry {
  return {
    ...{ id, conversationId: 'cnv_1', seq, text: id, run: null, timerAt: null, isSaid: false },
    ...{ status: over.run ? 'in_flow' : 'open', lastMessageAt: '', lastMessagePreview: id },
    ...over,
  };
}
