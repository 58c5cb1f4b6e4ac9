/**
 * Live client. One tab of a browser holds the event stream and passes its events on to the others.
 * A hint may be lost, so the page reads what it shows again on a resync, on a new connection and
 * when it wakes up. A visible page does so every 30 s too, whatever it has heard.
 */
import { signal } from '@preact/signals';
import { located } from './base/call.ts';
import { BEAT_MS, heard, type Signal, type Tab, ticked } from './base/live-election.ts';
import { readPace } from './base/read-pace.ts';
import { chance, every, freshId, now } from './clock.ts';
import { findSession, session } from './session.ts';

/** Between two reads of everything; a chance of up to `SPREAD_MS` more keeps pages apart. */
const REREAD_MS = 20_000;
const SPREAD_MS = 7_000;
/** Two beats of the server are missing: the connection is dead, though no error has told. */
const SILENT_MS = 35_000;
/** After a refused stream. */
const REOPEN_MS = 5_000;
const TYPING_SHOWN_MS = 6_000;
const STREAM = '/panel/api/events';

export type Kind =
  | 'conversation'
  | 'contact'
  | 'deal'
  | 'task'
  | 'channel'
  | 'organization'
  | 'event';

export interface Interest {
  readonly kinds: readonly Kind[];
  /** Unset: any of these kinds. */
  readonly id?: string;
}

interface Hint {
  readonly kind: string;
  readonly id: string;
}

interface Typing {
  readonly conversationId: string;
  readonly member: { readonly id: string; readonly name: string };
}

type Event =
  | { readonly type: 'hint'; readonly hints: readonly Hint[] }
  | { readonly type: 'resync' }
  | { readonly type: 'typing'; readonly typing: Typing }
  /** The session of this browser has ended, or changed in another tab. */
  | { readonly type: 'session' };

interface Listener {
  readonly interest: Interest;
  readonly run: () => void;
}

/** Other members who write, by conversation. */
export const typing = signal<readonly (Typing & { readonly until: number })[]>([]);

const listeners = new Set<Listener>();

/** Runs at every change of what is of interest, and whenever a change may have been missed. */
export function listen(interest: Interest, run: () => void): () => void {
  const listener = { interest, run };
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Something of ours changed: the screen need not wait for the hint. */
export function changed(kind: Kind, id: string): void {
  apply({ type: 'hint', hints: [{ kind, id }] });
}

function apply(event: Event): void {
  if (event.type === 'resync') for (const { run } of [...listeners]) run();
  else if (event.type === 'typing') showTyping(event.typing);
  else if (event.type === 'session') findSession();
  else if (event.type === 'hint') {
    readPace.hinted(event.hints.length, now());
    for (const { interest, run } of [...listeners]) {
      if (event.hints.some((hint) => concerns(interest, hint))) run();
    }
  }
}

function concerns({ kinds, id }: Interest, hint: Hint): boolean {
  return kinds.some((kind) => kind === hint.kind) && (id === undefined || id === hint.id);
}

function showTyping(given: Typing): void {
  const at = now();
  const others = typing.value.filter(
    ({ until, member }) => until > at && member.id !== given.member.id,
  );
  typing.value = [...others, { ...given, until: at + TYPING_SHOWN_MS }];
}

function nextReread(): number {
  return now() + REREAD_MS + chance() * SPREAD_MS;
}

class LiveClient {
  readonly #channel = new BroadcastChannel('recado-live');
  #tab: Tab = { id: freshId(), leads: false, heardAt: 0 };
  #stream: EventSource | null = null;
  #rereadAt = nextReread();
  #openedAt = 0;
  /** Last event of the stream. */
  #heardAt = 0;

  get leads(): boolean {
    return this.#tab.leads;
  }

  start(): void {
    this.#channel.addEventListener('message', ({ data }) => this.#receive(data));
    every(BEAT_MS, () => this.#tick());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#resync();
    });
    window.addEventListener('online', () => this.#resync());
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#resync());
    window.addEventListener('pagehide', () => this.#leave());
    this.#tick();
  }

  /** Closes the stream and opens a new one where this tab leads. The other tabs look again. */
  restart(): void {
    this.#close();
    this.#tick();
    if (session.value) this.#channel.postMessage({ type: 'session' });
  }

  #tick(): void {
    // A tab without an organization holds no stream: it leaves the lead to others.
    if (session.value?.organization) {
      const { tab, send } = ticked(this.#tab, now());
      this.#tab = tab;
      if (send) this.#channel.postMessage(send);
    } else {
      this.#leave();
      this.#tab = { ...this.#tab, heardAt: 0 };
    }
    this.#follow();
    if (now() >= this.#rereadAt && document.visibilityState === 'visible') this.#resync();
    const shown = typing.value.filter(({ until }) => until > now());
    if (shown.length < typing.value.length) typing.value = shown;
  }

  #receive(data: Signal | Event): void {
    if (data.type === 'beat' || data.type === 'claim' || data.type === 'leave') {
      this.#tab = heard(this.#tab, data, now());
      this.#follow();
    } else this.#take(data);
  }

  #take(event: Event): void {
    if (event.type === 'resync') this.#rereadAt = nextReread();
    apply(event);
  }

  /** Of the stream: every tab gets it. */
  #pass(event: Event): void {
    this.#heardAt = now();
    this.#channel.postMessage(event);
    this.#take(event);
  }

  #resync(): void {
    this.#take({ type: 'resync' });
  }

  #follow(): void {
    if (!this.#tab.leads || !session.value?.organization) this.#close();
    else if (this.#stream === null) this.#open();
    else if (this.#stream.readyState === EventSource.CLOSED) {
      if (now() - this.#openedAt >= REOPEN_MS) this.#open();
    } else if (now() - this.#heardAt >= SILENT_MS) {
      this.#close();
      this.#open();
    }
  }

  #open(): void {
    const stream = new EventSource(located(STREAM));
    this.#stream = stream;
    this.#openedAt = now();
    this.#heardAt = now();
    stream.addEventListener('open', () => this.#pass({ type: 'resync' }));
    stream.addEventListener('resync', () => this.#pass({ type: 'resync' }));
    stream.addEventListener('beat', () => {
      this.#heardAt = now();
    });
    stream.addEventListener('ended', () => {
      // The stream would ask again, only to be refused.
      this.#close();
      this.#pass({ type: 'session' });
    });
    stream.addEventListener('error', () => {
      // Refused: the session may have ended meanwhile.
      if (stream.readyState === EventSource.CLOSED) this.#pass({ type: 'session' });
    });
    stream.addEventListener('hint', ({ data }) => {
      const body: { readonly hints: readonly Hint[] } = JSON.parse(data);
      this.#pass({ type: 'hint', hints: body.hints });
    });
    stream.addEventListener('typing', ({ data }) => {
      const given: Typing = JSON.parse(data);
      this.#pass({ type: 'typing', typing: given });
    });
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  #leave(): void {
    if (!this.#tab.leads) return;
    this.#channel.postMessage({ type: 'leave', from: this.#tab.id });
    this.#tab = { ...this.#tab, leads: false, heardAt: now() };
    this.#close();
  }
}

let client: LiveClient | null = null;

/** True in the one tab of the browser that holds the event stream. */
export function leadsTabs(): boolean {
  return client?.leads === true;
}

/** Called at first and at each change of the session: a tab at the way in listens too. */
export function startLive(): void {
  if (client) client.restart();
  else {
    client = new LiveClient();
    client.start();
  }
}
