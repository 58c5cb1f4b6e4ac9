/**
 * Messages and notes of this page that the server has not shown yet: first as sending, then as the
 * server's answer has it. They go out one after the other in each conversation. Each has a key of
 * its own: a repeat after a lost answer sends nothing twice.
 */
import { signal } from '@preact/signals';
import { call, type Outcome, type Refused } from '../base/call.ts';
import { freshId, now } from '../clock.ts';
import { changed } from '../live.ts';
import { conversationPath, type Data } from './api.ts';

export interface Draft {
  readonly conversationId: string;
  readonly channelId: string;
  readonly note: boolean;
  readonly text: string;
  readonly file: { readonly mediaId: string; readonly name: string } | null;
}

export interface Pending extends Draft {
  readonly key: string;
  readonly at: string;
  /** Null until the server has accepted it. */
  readonly messageId: string | null;
  readonly refused: Refused | null;
}

export const pending = signal<readonly Pending[]>([]);

const queues = new Map<string, Promise<void>>();

export function send(draft: Draft): void {
  const at = new Date(now()).toISOString();
  const made: Pending = { ...draft, key: freshId(), at, messageId: null, refused: null };
  pending.value = [...pending.value, made];
  enqueue(made);
}

export function sendAgain(given: Pending): void {
  change(given.key, { refused: null });
  enqueue(given);
}

export function discard(key: string): void {
  pending.value = pending.value.filter((each) => each.key !== key);
}

/** Forgets those that the history shows by now. */
export function forgetShown(isShown: (messageId: string) => boolean): void {
  const left = pending.value.filter(({ messageId }) => messageId === null || !isShown(messageId));
  if (left.length < pending.value.length) pending.value = left;
}

function enqueue(given: Pending): void {
  const { conversationId } = given;
  const before = queues.get(conversationId) ?? Promise.resolve();
  const own = before.then(() => post(given));
  queues.set(conversationId, own);
  void own.then(() => {
    if (queues.get(conversationId) === own) queues.delete(conversationId);
  });
}

async function post(given: Pending): Promise<void> {
  const outcome = await transmit(given);
  if (outcome.ok) change(given.key, { messageId: outcome.body.data.messageId });
  else change(given.key, { refused: outcome.refused });
  changed('conversation', given.conversationId);
}

function transmit(given: Pending): Promise<Outcome<Data<{ readonly messageId: string }>>> {
  const { key: idempotencyKey, conversationId, channelId, note, text, file } = given;
  if (note) {
    const path = `${conversationPath(conversationId)}/notes`;
    return call('POST', path, { body: { text }, idempotencyKey });
  }
  const content = file
    ? { mediaId: file.mediaId, ...(text === '' ? {} : { caption: text }) }
    : { text };
  const body = { channelId, conversationId, ...content };
  return call('POST', '/api/v1/messages', { body, idempotencyKey });
}

function change(key: string, properties: Partial<Pending>): void {
  pending.value = pending.value.map((each) =>
    each.key === key ? { ...each, ...properties } : each,
  );
}
