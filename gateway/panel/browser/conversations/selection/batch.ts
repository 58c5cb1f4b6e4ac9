/**
 * One change of many conversations: a call for each, a few at a time. Conversations of one contact
 * share a call that changes the contact.
 *
 * 1. What has changed is let go of; what has failed is selected at the end.
 * 2. A call whose outcome is not known is repeated under its own key, so it is done once. The key is
 *    forgotten with its failure: later it would be answered with what was done then, and do nothing.
 * 3. A change goes on while its person looks at another screen.
 * 4. Without a session, or with no answer to several calls in a row, the rest is not tried.
 */
import { signal } from '@preact/signals';
import { call, type Outcome, type Refused } from '../../base/call.ts';
import { after, freshId } from '../../clock.ts';
import { keep, letGo, type Selected, selection } from './selection.ts';

const AT_ONCE = 4;
/** Of one call, while there are too many of them. */
const TRIES_MAX = 5;
const PAUSE_MS = 1_000;
/** The sentence about what was done stays for so long. */
const SHOWN_MS = 10_000;
const LOST = 0;
const NOT_FOUND = 404;
const WRONG = 422;
const TOO_MANY = 429;
/** The session has ended, or is another one's. */
const SESSION_GONE: readonly number[] = [401, 412];

export interface Act {
  readonly doing: string;
  readonly done: (count: number) => string;
  readonly pathOf: (selected: Selected) => string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Screens that show it read it again. One call, one of its conversations. */
  readonly tell: (selected: Selected) => void;
}

export interface Failure {
  readonly selected: Selected;
  readonly sentence: string;
  /** Of its call, while the outcome is not known. */
  readonly idempotencyKey: string | null;
}

/** A call that is to be made. */
interface Call {
  readonly path: string;
  /** What it changes. */
  readonly rows: readonly Selected[];
  /** Of its last try, where the outcome is not known. */
  readonly idempotencyKey: string | null;
}

interface Tried {
  readonly refused: Refused | null;
  readonly idempotencyKey: string | null;
}

export interface Batch {
  readonly act: Act;
  readonly total: number;
  readonly done: number;
  readonly failures: readonly Failure[];
  readonly isRunning: boolean;
}

export const batch = signal<Batch | null>(null);

let cancelDismissal: () => void = () => undefined;

export function dismiss(): void {
  if (batch.value?.isRunning) return;
  cancelDismissal();
  batch.value = null;
}

/** Whoever lets go of all that failed is done with it. */
selection.subscribe((kept) => {
  const { value } = batch;
  if (value === null || value.isRunning) return;
  const failures = value.failures.filter(({ selected }) => kept.has(selected.id));
  if (failures.length === value.failures.length) return;
  if (failures.length === 0) dismiss();
  else batch.value = { ...value, failures };
});

/** Changes all that is selected; nothing while another change runs. */
export async function run(act: Act): Promise<void> {
  if (batch.value?.isRunning || selection.value.size === 0) return;
  cancelDismissal();
  const waiting = callsOf(act);
  batch.value = { act, total: selection.value.size, done: 0, failures: [], isRunning: true };
  let lost = 0;
  let ending: Refused | null = null;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const tried: Tried = ending ? { ...next, refused: ending } : await post(act, next);
      const { refused } = tried;
      lost = refused?.status === LOST ? lost + 1 : 0;
      if (refused && (SESSION_GONE.includes(refused.status) || lost >= AT_ONCE)) ending = refused;
      settle(next.rows, tried);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  end();
}

function callsOf(act: Act): Call[] {
  const keys = unknownKeys(act);
  const byPath = new Map<string, Selected[]>();
  for (const selected of selection.value.values()) {
    const path = act.pathOf(selected);
    byPath.set(path, [...(byPath.get(path) ?? []), selected]);
  }
  return [...byPath].map(([path, rows]) => {
    return { path, rows, idempotencyKey: keys.get(path) ?? null };
  });
}

/** By path: keys of calls that are repeated where this act is the last one again. */
function unknownKeys({ body, pathOf }: Act): ReadonlyMap<string, string> {
  const { act, failures = [] } = batch.value ?? {};
  if (JSON.stringify(act?.body) !== JSON.stringify(body)) return new Map();
  return new Map(
    failures.flatMap(({ selected, idempotencyKey }) => {
      const isSame = act?.pathOf(selected) === pathOf(selected);
      return isSame && idempotencyKey !== null ? [[pathOf(selected), idempotencyKey]] : [];
    }),
  );
}

function settle(rows: readonly Selected[], { refused, idempotencyKey }: Tried): void {
  const { value } = batch;
  if (value === null) return;
  if (refused === null) {
    batch.value = { ...value, done: value.done + rows.length };
    letGo((id) => rows.some((row) => row.id === id));
  } else {
    const { sentence } = refused;
    const failed = rows.map((selected) => ({ selected, sentence, idempotencyKey }));
    batch.value = { ...value, failures: [...value.failures, ...failed] };
  }
}

function end(): void {
  const { value } = batch;
  if (value === null) return;
  keep(value.failures.map(({ selected }) => selected));
  batch.value = { ...value, isRunning: false };
  if (value.failures.length === 0) cancelDismissal = after(SHOWN_MS, dismiss);
}

async function post({ body, tell }: Act, { path, rows, ...last }: Call): Promise<Tried> {
  const idempotencyKey = last.idempotencyKey ?? freshId();
  const outcome = await patiently(() => call('POST', path, { body, idempotencyKey }));
  const [first] = rows;
  if (outcome.ok && first) tell(first);
  const refused = outcome.ok ? null : outcome.refused;
  return { refused, idempotencyKey: isKnown(outcome) ? null : idempotencyKey };
}

/** The server keeps such an answer under the key: a repeat that may end otherwise needs another. */
function isKnown(outcome: Outcome<unknown>): boolean {
  return outcome.ok || [NOT_FOUND, WRONG].includes(outcome.refused.status);
}

/** A call that came after too many others waits as long as the server says. */
async function patiently(make: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
  for (let tries = 1; ; tries++) {
    const outcome = await make();
    if (outcome.ok || outcome.refused.status !== TOO_MANY || tries === TRIES_MAX) return outcome;
    const { retryAfterMs = PAUSE_MS } = outcome.refused;
    await new Promise<void>((resume) => after(retryAfterMs, resume));
  }
}
