/**
 * One change of many conversations: a call for each, a few at a time.
 *
 * 1. What has changed is let go of; what has failed is selected at the end.
 * 2. A call whose outcome is not known is repeated under its own key, so it is done once.
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
  /** Screens that show it read it again. */
  readonly tell: (selected: Selected) => void;
}

export interface Failure {
  readonly selected: Selected;
  readonly sentence: string;
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

/** Changes all that is selected; nothing while another change runs. */
export async function run(act: Act): Promise<void> {
  if (batch.value?.isRunning || selection.value.size === 0) return;
  cancelDismissal();
  const waiting = [...selection.value.values()];
  batch.value = { act, total: waiting.length, done: 0, failures: [], isRunning: true };
  let lost = 0;
  let ending: Refused | null = null;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const refused: Refused | null = ending ?? (await post(act, next));
      lost = refused?.status === LOST ? lost + 1 : 0;
      if (refused && (SESSION_GONE.includes(refused.status) || lost >= AT_ONCE)) ending = refused;
      settle(next, refused);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  end();
}

function settle(selected: Selected, refused: Refused | null): void {
  const { value } = batch;
  if (value === null) return;
  if (refused === null) {
    batch.value = { ...value, done: value.done + 1 };
    letGo((id) => id === selected.id);
  } else {
    const { sentence } = refused;
    batch.value = { ...value, failures: [...value.failures, { selected, sentence }] };
  }
}

function end(): void {
  const { value } = batch;
  if (value === null) return;
  batch.value = { ...value, isRunning: false };
  keep(value.failures.map(({ selected }) => selected));
  if (value.failures.length === 0) cancelDismissal = after(SHOWN_MS, dismiss);
}

/** Keys by path and body, while the outcome of the call is not known. */
const keys = new Map<string, string>();

async function post({ pathOf, body, tell }: Act, selected: Selected): Promise<Refused | null> {
  const path = pathOf(selected);
  const id = JSON.stringify([path, body]);
  const idempotencyKey = keys.get(id) ?? freshId();
  keys.set(id, idempotencyKey);
  const outcome = await patiently(() => call('POST', path, { body, idempotencyKey }));
  if (isKnown(outcome)) keys.delete(id);
  if (!outcome.ok) return outcome.refused;
  tell(selected);
  return null;
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
