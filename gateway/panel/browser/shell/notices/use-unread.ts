/** Unread conversations that wait for the person: theirs, and nobody's. */
import { useEffect, useRef } from 'preact/hooks';
import { call, type Outcome, query } from '../../base/call.ts';
import { useReadBy } from '../../base/use-read.ts';
import type { Page, PanelConversation } from '../../conversations/state/api.ts';
import { announce } from './announce.ts';
import { arrivedIn, type Known, ROWS } from './arrivals.ts';

type Rows = Page<PanelConversation>;

interface Unread {
  readonly count: number;
  readonly lists: readonly (readonly PanelConversation[])[];
}

async function readUnread(memberId: string): Promise<Outcome<Unread>> {
  const lists: (readonly PanelConversation[])[] = [];
  let count = 0;
  for (const assignedTo of [memberId, 'none']) {
    const entries = { assignedTo, unread: true, page: 1, limit: ROWS };
    const outcome = await call<Rows>('GET', `/panel/api/conversations${query(entries)}`);
    if (!outcome.ok) return outcome;
    lists.push(outcome.body.data);
    count += outcome.body.total;
  }
  return { ok: true, body: { count, lists } };
}

/** How many there are; each that arrives is announced. None without a member. */
export function useUnread(memberId: string | null): number {
  const interest = { kinds: ['conversation'] } as const;
  const { body } = useReadBy<Unread>(memberId, interest, () => readUnread(memberId ?? ''));
  const known = useRef<Known | null>(null);
  useEffect(() => {
    if (body === null || memberId === null) return;
    const arrived = arrivedIn(known.current, body.lists);
    known.current = body.lists;
    if (arrived.length > 0) void announce(memberId, arrived);
  }, [body]);
  return body?.count ?? 0;
}
