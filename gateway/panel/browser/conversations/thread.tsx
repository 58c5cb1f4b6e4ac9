/**
 * The thread as a virtual list. Rows in view are in the document, all others are room above and
 * below. The reader's place is a row and a distance from it: nothing jumps when rows above turn out
 * higher than estimated, or a late message comes among them. A reader at the end stays at the end,
 * whatever makes the thread or its room higher or lower: a keyboard, a longer draft, a narrower
 * window. Only a move upwards leaves it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../shared/api/message.ts';
import { Alert, Empty, Missing } from '../base/parts.tsx';
import { isoDayOf, placeTimeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { Entry, PendingEntry } from './entry.tsx';
import type { PanelConversation } from './state/api.ts';
import type { Around } from './state/around.ts';
import { forgetShown, pending } from './state/pending.ts';
import type { Pending } from './state/pending-storage.ts';
import { QuotedMessages } from './state/quoted-messages.ts';
import { reactionsOf } from './state/reactions.ts';
import { type Pages, rowOf } from './state/thread-pages.ts';
import { ThreadReader } from './state/thread-reader.ts';
import { offsetsOf, rangeOf, rowAt } from './state/thread-window.ts';

const ESTIMATE_PX = 84;
const OVERSCAN_ROWS = 8;
const AT_END_PX = 48;
/** Heights have fractions, which add up over many rows. */
const SAME_PX = 0.1;
/** Of what stands above a message that was led to. */
const LEAD_PX = 80;

/** Null: the end. */
type Anchor = { readonly row: number; readonly below: number; readonly id?: string } | null;

export function Thread({ conversation }: { readonly conversation: PanelConversation }) {
  const { id: conversationId } = conversation;
  const reader = useMemo(() => new ThreadReader(conversationId), [conversationId]);
  useEffect(() => () => reader.end(), [reader]);
  const pages = reader.pages.value;
  const refused = reader.refused.value;
  if (pages === null) {
    return refused ? (
      <Alert refused={refused} onAgain={reader.refresh} />
    ) : (
      <p class="empty">{TEXT.loading}</p>
    );
  }
  return <Log key={conversationId} conversation={conversation} pages={pages} reader={reader} />;
}

interface LogProps {
  readonly conversation: PanelConversation;
  readonly pages: Pages;
  readonly reader: ThreadReader;
}

function Log({ conversation, pages, reader }: LogProps) {
  const { id: conversationId } = conversation;
  const { box, offsets, range, end, away, onScroll, toEnd, toRow, foundId } = useWindow(pages);
  const own = pending.value.filter(
    (each) => each.conversationId === conversationId && !hasMessage(pages, each.messageId),
  );
  const { form, open } = useForm();
  const around = useAround({ conversation, pages, reader, own, toRow, foundId, open });
  useEffect(() => reader.show(range), [range.first, range.last, pages]);
  useEffect(() => {
    if (pending.value.length > 0) forgetShown((id) => hasMessage(pages, id));
  }, [pages, pending.value]);
  return (
    <div class="thread-box">
      <div
        class="thread"
        role="log"
        aria-label={TEXT.thread.messages}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
        ref={box}
        onScroll={onScroll}
      >
        <div>
          <div style={{ height: `${offsets[range.first] ?? 0}px` }} />
          <Rows {...{ pages, offsets, around }} first={range.first} last={range.last} />
          <div style={{ height: `${Math.max(0, end - (offsets[range.last + 1] ?? end))}px` }} />
          {own.map((given) => (
            <PendingEntry key={given.key} given={given} around={around} />
          ))}
          {pages.total === 0 && own.length === 0 ? (
            <Empty title={TEXT.thread.emptyTitle} text={TEXT.thread.emptyText} />
          ) : null}
        </div>
      </div>
      {form}
      {away ? (
        <button type="button" class="button to-newest" onClick={toEnd}>
          {TEXT.thread.newest}
        </button>
      ) : null}
    </div>
  );
}

/** A form about a message. Its row may leave the screen while somebody writes in it. */
function useForm() {
  const [form, setForm] = useState<ComponentChildren>(null);
  const open: Around['open'] = (load) => {
    load(() => setForm(null)).then(setForm, () => setForm(<Missing failed />));
  };
  return { form, open };
}

interface AroundParts extends LogProps, Pick<Around, 'open'> {
  readonly own: readonly Pending[];
  readonly toRow: (row: number, id: string) => void;
  readonly foundId: string;
}

/** What the entries of this thread know of it. */
function useAround(parts: AroundParts): Around {
  const { conversation, pages, reader, own, toRow, foundId, open } = parts;
  const others = useMemo(() => new QuotedMessages(), [conversation.id]);
  const byId = useMemo(
    () => new Map([...pages.messages.values()].map((message) => [message.id, message])),
    [pages],
  );
  const reactions = useMemo(() => reactionsOf(pages, own), [pages, pending.value]);
  return {
    conversation,
    reactions,
    foundId,
    open,
    find: (id) => byId.get(id) ?? others.find(id),
    isShown: (id) => byId.has(id),
    want: (id) => others.want(id),
    lead: (id) => {
      void reader.positionOf(id).then((row) => (row === null ? null : toRow(row, id)));
    },
  };
}

const AT_END = { top: Number.MAX_SAFE_INTEGER, height: 800 };

/** Rows in view, from measured heights and the reader's place; it measures and scrolls itself. */
function useWindow(pages: Pages) {
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<number, number>());
  const anchor = useRef<Anchor>(null);
  if (anchor.current) anchor.current = { ...anchor.current, row: rowOf(pages, anchor.current) };
  const placed = useRef<Placed>(UNPLACED);
  const [view, setView] = useState(AT_END);
  const [, setMeasured] = useState(0);
  const again = () => setMeasured((count) => count + 1);
  const offsets = offsetsOf(pages.total, heights.current, ESTIMATE_PX);
  const offsetsNow = useRef(offsets);
  offsetsNow.current = offsets;
  /** Id of the message that is to have the focus; empty: none is. */
  const wanted = useRef('');
  const [foundId, setFoundId] = useState('');
  const end = offsets[pages.total] ?? 0;
  const top = Math.min(view.top, Math.max(0, end - view.height));
  const range = rangeOf(offsets, { top, height: view.height }, OVERSCAN_ROWS);
  useLayoutEffect(() => {
    if (measure(box.current, heights.current)) again();
    placed.current = place(box.current, {
      anchor: anchor.current,
      placed: placed.current,
      offsets,
    });
    if (focusMessage(box.current, wanted.current)) wanted.current = '';
  });
  useLayoutEffect(() => {
    return observeSize(box.current, (isOtherWidth) => {
      if (isOtherWidth) heights.current.clear();
      setView((before) => ({ ...before, height: box.current?.clientHeight ?? before.height }));
    });
  }, []);
  const onScroll = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: ScrollEvent) => {
    const isNear = scrollHeight - scrollTop - clientHeight < AT_END_PX;
    // Without a move upwards it is the thread that grew, or its room that became less.
    const atEnd = isNear || (anchor.current === null && scrollTop >= placed.current.top);
    placed.current = { ...placed.current, top: scrollTop };
    const row = anchorRow(pages, offsets, { top: scrollTop, height: clientHeight });
    const id = pages.messages.get(row)?.id;
    const held = {
      row,
      below: scrollTop - (offsets[row] ?? 0),
      ...(id === undefined ? {} : { id }),
    };
    anchor.current = atEnd ? null : held;
    setView({ top: scrollTop, height: clientHeight });
  };
  const toEnd = () => {
    anchor.current = null;
    placed.current = UNPLACED;
    setView({ ...view, top: AT_END.top });
  };
  /** Shows the row, and gives it the focus once it stands in the document. */
  const toRow = (row: number, id: string) => {
    anchor.current = { row, below: -LEAD_PX, id };
    wanted.current = id;
    setFoundId(id);
    setView({ ...view, top: Math.max(0, (offsetsNow.current[row] ?? 0) - LEAD_PX) });
    again();
  };
  return {
    box,
    offsets,
    range,
    end,
    away: anchor.current !== null,
    onScroll,
    toEnd,
    toRow,
    foundId,
  };
}

type ScrollEvent = { readonly currentTarget: HTMLDivElement };

interface RowsProps {
  readonly pages: Pages;
  readonly first: number;
  readonly last: number;
  readonly offsets: Float64Array;
  readonly around: Around;
}

function Rows({ pages, first, last, offsets, around }: RowsProps) {
  const rows = [];
  const shown = new Set<string>();
  for (let row = first; row <= last; row++) {
    const message = pages.messages.get(row);
    // By its message, which a late one above moves to another row: an open menu or dialog of this
    // one would be that one's. Pages that were read before and after that may both have it.
    const key = message && !shown.has(message.id) ? message.id : row;
    shown.add(message?.id ?? '');
    rows.push(
      <div key={key} data-row={row}>
        {message ? (
          <Entry
            message={message}
            newDay={startsDay(pages.messages.get(row - 1), message, row)}
            around={around}
          />
        ) : (
          <div style={{ height: `${(offsets[row + 1] ?? 0) - (offsets[row] ?? 0)}px` }} />
        )}
      </div>,
    );
  }
  return <>{rows}</>;
}

function startsDay(before: Message | undefined, message: Message, row: number): boolean {
  if (before === undefined) return row === 0;
  return isoDayOf(placeTimeOf(before)) !== isoDayOf(placeTimeOf(message));
}

function hasMessage({ messages }: Pages, id: string | null): boolean {
  if (id === null) return false;
  for (const message of messages.values()) if (message.id === id) return true;
  return false;
}

/** The first row in view that has its message: the height of another one may change. */
function anchorRow(
  pages: Pages,
  offsets: Float64Array,
  { top, height }: { readonly top: number; readonly height: number },
): number {
  const first = rowAt(offsets, top);
  for (let row = first; (offsets[row] ?? top + height) < top + height; row++) {
    if (pages.messages.has(row)) return row;
  }
  return first;
}

/** True if a row turned out to have another height than known. */
function measure(box: HTMLElement | null, heights: Map<number, number>): boolean {
  let differs = false;
  for (const row of box?.querySelectorAll<HTMLElement>('[data-row]') ?? []) {
    const index = Number(row.dataset.row);
    const { height } = row.getBoundingClientRect();
    // A reaction has no height where its message shows it.
    if (Math.abs((heights.get(index) ?? -1) - height) < SAME_PX) continue;
    heights.set(index, height);
    differs = true;
  }
  return differs;
}

function focusMessage(box: HTMLElement | null, id: string): boolean {
  if (id === '') return false;
  const article = box?.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`);
  article?.focus({ preventScroll: true });
  return article !== null && article !== undefined;
}

/** Where a thread stood last, and its room and length then. */
interface Placed {
  readonly top: number;
  readonly room: number;
  readonly length: number;
}

const UNPLACED: Placed = { top: 0, room: 0, length: 0 };

interface Placing {
  readonly anchor: Anchor;
  readonly placed: Placed;
  readonly offsets: Float64Array;
}

/** To the reader's place. A thread of the same length in the same room stays as it is scrolled. */
function place(box: HTMLElement | null, { anchor, placed, offsets }: Placing): Placed {
  if (!box) return placed;
  const { clientHeight: room, scrollHeight: length } = box;
  const isSame = room === placed.room && length === placed.length;
  const wanted = anchor ? (offsets[anchor.row] ?? 0) + anchor.below : length - room;
  const isMoved = Math.abs(box.scrollTop - wanted) > 1;
  if (isMoved && !(anchor === null && isSame)) box.scrollTop = wanted;
  return { top: box.scrollTop, room, length };
}

/** Of the box, and of what is in it. */
function observeSize(
  box: HTMLElement | null,
  onChange: (isOtherWidth: boolean) => void,
): () => void {
  if (!box) return () => undefined;
  let width = box.clientWidth;
  const observer = new ResizeObserver(() => {
    const isOtherWidth = box.clientWidth !== width;
    width = box.clientWidth;
    onChange(isOtherWidth);
  });
  observer.observe(box);
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  return () => observer.disconnect();
}
