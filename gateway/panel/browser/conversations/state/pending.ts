/**
 * Messages and notes of this browser that the server has not shown yet: first as sending, then as
 * the server's answer has it. They go out one after the other in each conversation. Each has a key
 * of its own: a repeat after a lost answer sends nothing twice. Of those that were sent together, as
 * several files are, none overtakes another: a refused one holds the later ones back until it is
 * sent again or discarded.
 */
import { computed, effect, signal } from '@preact/signals';
import { call, lost, type Outcome, type Refused } from '../../base/call.ts';
import { after, freshId, now } from '../../clock.ts';
import { changed } from '../../live.ts';
import { TEXT } from '../../sentences.ts';
import { session } from '../../session.ts';
import type { Data } from './api.ts';
import {
  type Draft,
  forgetPending,
  keepPending,
  type Pending,
  restored,
  whenForgotten,
} from './pending-storage.ts';
import { keepRefusedResend, keepResent } from './resent.ts';

/** Of a member, without the server's answer. */
export const PENDING_MAX = 50;
const REPEAT_MIN_MS = 1_000;
const REPEAT_MAX_MS = 30_000;
/** The server knows a key for 24 hours. */
const REPEATS_MS = 12 * 60 * 60 * 1000;
const STILL_RUNNING = 409;
const RUNNING_REPEATS = 8;
const KEPT_REFUSALS: readonly number[] = [404, 422];
const KEY_PATH = 'Idempotency-Key';

const all = signal<readonly Pending[]>([]);

/** Messages of the member who is signed in. */
export const pending = computed(() => {
  const memberId = session.value?.member?.id;
  return all.value.filter((each) => each.memberId === memberId);
});

const queues = new Map<string, Promise<void>>();
/** Calls whose answer has not come, by conversation. */
const underWay = new Map<string, Promise<boolean>>();
/** Keys of those whose turn came while they stood behind one that was not accepted. */
const held = new Set<string>();

/** Takes up what an earlier page left, at each entry of a member. Called once. */
export function resumePending(): void {
  const member = computed(() => session.value?.member?.id ?? '');
  effect(() => {
    all.value = member.value === '' ? [] : restored(member.value);
    for (const each of all.peek()) if (each.refused === null) enqueue(each);
  });
  whenForgotten((key) => {
    closeGap(key);
    all.value = all.value.filter((each) => each.key !== key || each.messageId !== null);
    releaseHeld();
  });
}

/** False when too many wait for an answer. */
export function send(draft: Draft): boolean {
  return sendInOrder([draft]);
}

/** All of them or none: false when too many would wait for an answer. */
export function sendInOrder(drafts: readonly Draft[]): boolean {
  const memberId = session.value?.member?.id;
  if (memberId === undefined) return false;
  const waiting = all.value.filter(({ messageId }) => messageId === null);
  if (waiting.length + drafts.length > PENDING_MAX) return false;
  const keys = drafts.map(({ key }) => key ?? freshId());
  // A restored page knows their order by their times: no two are alike.
  const first = Math.max(now(), ...waiting.map(({ at }) => Date.parse(at) + 1));
  const made = drafts.map((draft, index): Pending => {
    const [key = '', behind] = [keys[index], keys[index - 1]];
    const at = new Date(first + index).toISOString();
    const fresh = { messageId: null, refused: null, unanswered: false };
    return { ...draft, ...fresh, memberId, at, key, ...(behind === undefined ? {} : { behind }) };
  });
  const accepted = all.value.filter(({ messageId }) => messageId !== null);
  all.value = [...accepted.slice(-PENDING_MAX), ...waiting, ...made];
  for (const each of made) keepPending(each);
  for (const each of made) enqueue(each);
  return true;
}

/** One before it was refused. */
export function isHeld({ behind }: Pending): boolean {
  const before = behind === undefined ? undefined : find(behind);
  if (!before || before.messageId !== null) return false;
  return before.refused !== null || isHeld(before);
}

export function sendAgain({ key }: Pending): void {
  const waits = find(key)?.unanswered === true;
  const at = new Date(now()).toISOString();
  const next = change(key, { refused: null, unanswered: false, at });
  // One that waits for its repeat goes on by itself.
  if (next && !waits) enqueue(next);
}

/** What stood behind it stands behind the one before it. */
export function discard(given: Pending): void {
  // First, so that a tab which opens meanwhile finds none without its order.
  for (const { key, behind } of all.peek()) {
    if (behind === given.key) change(key, { behind: given.behind ?? '' });
  }
  const { memberId, resends, refused } = given;
  if (resends !== undefined && refused && isKept(refused)) keepRefusedResend(memberId, resends);
  forgetPending(given);
  all.value = all.value.filter(({ key }) => key !== given.key);
  releaseHeld();
}

/** The server answers so under this key from now on: the message was not sent, and will not be. */
function isKept({ status, sentence, issues }: Refused): boolean {
  // Nobody knows what became of a message before a proxy's page.
  if (!KEPT_REFUSALS.includes(status) || sentence === TEXT.errors.unexpected(status)) return false;
  // A key of another body may be that of a message that was sent.
  return !issues.some(({ path }) => path === KEY_PATH);
}

/** In memory alone: the other tab has stored the same. */
function closeGap(gone: string): void {
  const behind = find(gone)?.behind ?? '';
  all.value = all.peek().map((each) => (each.behind === gone ? { ...each, behind } : each));
}

/**
 * Waits for the answer to the conversation's message that is under way. A new one of ours in its
 * history may be the same, and would stand there beside the one that is still sending.
 */
export async function answered(conversationId: string): Promise<void> {
  await underWay.get(conversationId);
}

/** Forgets those that the history shows by now. */
export function forgetShown(isShown: (messageId: string) => boolean): void {
  const left = all.value.filter(({ messageId }) => messageId === null || !isShown(messageId));
  if (left.length < all.value.length) all.value = left;
}

function enqueue({ conversationId, key }: Pending): void {
  const before = queues.get(conversationId) ?? Promise.resolve();
  const own = before.then(() => post(key));
  queues.set(conversationId, own);
  void own.then(() => {
    if (queues.get(conversationId) === own) queues.delete(conversationId);
  });
}

/** Repeats while no answer comes, and the member is the same. */
async function post(key: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const given = find(key);
    if (!given || given.messageId !== null || given.refused) return;
    if (isBehind(given)) {
      held.add(key);
      return;
    }
    if (now() - Date.parse(given.at) > REPEATS_MS) {
      change(key, { refused: lost(true), unanswered: false });
      return;
    }
    const call = attempt(given, given.unanswered ? tries + 1 : tries);
    underWay.set(given.conversationId, call);
    const isSettled = await call;
    underWay.delete(given.conversationId);
    if (isSettled) return;
    await pause(key, Math.min(REPEAT_MAX_MS, REPEAT_MIN_MS * 2 ** Math.min(tries, 10)));
  }
}

/** False while no answer has come. */
async function attempt(given: Pending, tries: number): Promise<boolean> {
  const outcome = await transmit(given);
  if (outcome.ok || !isUnanswered(outcome.refused, tries)) {
    settle(given, outcome);
    return true;
  }
  change(given.key, { unanswered: true });
  return false;
}

function settle(given: Pending, outcome: Outcome<Data<Accepted>>): void {
  const { key, conversationId, memberId, resends } = given;
  if (outcome.ok && resends !== undefined) keepResent(memberId, resends);
  if (outcome.ok) change(key, { messageId: outcome.body.data.messageId, unanswered: false });
  else change(key, { refused: outcome.refused, unanswered: false });
  changed('conversation', conversationId);
  releaseHeld();
}

function isBehind({ behind }: Pending): boolean {
  return behind !== undefined && find(behind)?.messageId === null;
}

/** What nothing holds back any more goes on, as if it were sent now. */
function releaseHeld(): void {
  for (const key of [...held]) {
    const given = find(key);
    if (given && isBehind(given)) continue;
    held.delete(key);
    const next = change(key, { at: new Date(now()).toISOString() });
    if (next) enqueue(next);
  }
}

/** Of a repeat also while the call without an answer still runs. */
function isUnanswered({ status }: Refused, tries: number): boolean {
  return status === 0 || (status === STILL_RUNNING && tries > 0 && tries < RUNNING_REPEATS);
}

/** Ends early with the browser's connection, by hand, and for a discarded one. */
function pause(key: string, ms: number): Promise<void> {
  return new Promise((resume) => {
    const end = () => {
      cancel();
      stop();
      window.removeEventListener('online', end);
      resume();
    };
    const cancel = after(ms, end);
    const waits = computed(() => all.value.find((each) => each.key === key)?.unanswered === true);
    const stop = waits.subscribe((still) => void (still ? null : after(0, end)));
    window.addEventListener('online', end);
  });
}

interface Accepted {
  readonly messageId: string;
}

function transmit(given: Pending): Promise<Outcome<Data<Accepted>>> {
  const { key: idempotencyKey, conversationId, channelId, note, text } = given;
  if (note) {
    const path = `/api/v1/conversations/${encodeURIComponent(conversationId)}/notes`;
    return call('POST', path, { body: { text }, idempotencyKey });
  }
  const body = { channelId, conversationId, ...contentOf(given), ...extrasOf(given) };
  return call('POST', '/api/v1/messages', { body, idempotencyKey });
}

function contentOf({ template, reaction, structure, file, text }: Pending) {
  if (structure) return structure;
  if (reaction) return { reaction };
  if (template) return { template };
  if (file === null) return { text };
  return { mediaId: file.mediaId, ...(text === '' ? {} : { caption: text }) };
}

function extrasOf({ sendAt, replyToId }: Pending) {
  return {
    ...(sendAt === undefined ? {} : { sendAt }),
    ...(replyToId === undefined ? {} : { replyToId }),
  };
}

function find(key: string): Pending | undefined {
  return all.peek().find((each) => each.key === key);
}

/** The changed one; undefined where it is gone, or another member's. */
function change(key: string, properties: Partial<Pending>): Pending | undefined {
  const before = find(key);
  if (!before) return undefined;
  const next = { ...before, ...properties };
  all.value = all.peek().map((each) => (each.key === key ? next : each));
  if (next.messageId === null) keepPending(next);
  else forgetPending(next);
  return next;
}
