/** A message as the simulated bridge keeps it, and as one engine is asked to spell it. */
import type { JsonRecord } from '../../../adapters/network/webhook-body.ts';
import type { MediaKind } from '../network/inbound.ts';
import type { BridgeCommerce } from './commerce.ts';
import { type Me, serializedId } from './ids.ts';

export interface BridgeFile {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string | undefined;
  readonly voice?: boolean | undefined;
  /** Where the bytes are; absent for the session's own file. */
  readonly url?: string;
  /** The bridge did not get it: `media` is null, or has an error without an address. */
  readonly notDownloaded?: 'null' | 'error' | undefined;
  /** A repeated request fails too. */
  readonly gone?: boolean | undefined;
}

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly name?: string | undefined;
  readonly address?: string | undefined;
}

export interface Card {
  readonly name: string;
  readonly phone: string;
}

export interface BridgeMessage extends BridgeCommerce {
  /** The third segment of the serialized id. */
  readonly id: string;
  readonly fromMe: boolean;
  readonly chat: string;
  readonly participant?: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  text: string | null;
  readonly file?: BridgeFile | undefined;
  readonly place?: Place | undefined;
  readonly cards?: readonly Card[] | undefined;
  /** Of a reaction: the bare id of the message that it marks, and the emoji. */
  readonly reaction?: { readonly of: string; readonly text: string };
  /** Nobody's words: the engine's own type or content, which is all that it has. */
  readonly bookkeeping?: string | undefined;
  /** Shown on the phone alone: the engines are told that it was sent. */
  readonly phoneOnly?: boolean | undefined;
  /** The part around the content in the engines' own data. */
  readonly wrapped?: string | undefined;
  readonly name?: string | undefined;
  /** The bare id of the message that this one answers, and its known content. */
  readonly replyTo?: { readonly id: string; readonly text: string | null; readonly by: string };
  /** The phone behind a hidden chat, sent with the message. */
  readonly phoneShown?: string | undefined;
  /** The run of the bridge in which it was sent over the API; undefined for a phone's own. */
  readonly sentInRun?: number | undefined;
  ack: number;
}

/** One representation of one message. */
export interface MessageView {
  readonly message: BridgeMessage;
  /** The form of the chat in this representation. */
  readonly chat: string;
  /** The person's other form, where the engine sends it too. */
  readonly otherChat: string | undefined;
  readonly source: 'api' | 'app';
  readonly me: Me;
  readonly version: string;
  readonly media: JsonRecord | null;
}

export interface AckError {
  readonly code: string;
  readonly blocked: boolean;
  readonly reason?: string;
  readonly until?: string | null;
  readonly enforcementType?: string;
}

/** The dialect of one engine for the bridge's data. */
export interface Dialect {
  /** The answer to a send. */
  answer(view: MessageView): JsonRecord;
  /** A message: in its webhook, in a listing, looked up. */
  message(view: MessageView): JsonRecord;
  /** Null where the engine does not report this step. */
  ack(view: MessageView, ack: number, error: AckError | null): JsonRecord | null;
  /** `view` is of the action; `of` the bare id of the message that it changes. */
  edited(view: MessageView, of: string): JsonRecord;
  revoked(view: MessageView, of: string): JsonRecord;
  reacted(view: MessageView, reaction: { readonly text: string; readonly of: string }): JsonRecord;
  /** The engine's exception, as the filter of all exceptions serializes it. */
  exception(message: string): JsonRecord;
}

const ACK_NAMES: ReadonlyMap<number, string> = new Map([
  [-1, 'ERROR'],
  [0, 'PENDING'],
  [1, 'SERVER'],
  [2, 'DEVICE'],
  [3, 'READ'],
  [4, 'PLAYED'],
]);

/** The serialized id under the chat that the view names. */
export function idOf({ message, chat }: MessageView): string {
  return serializedId({ ...message, chat });
}

export function ackName(ack: number): string {
  return ACK_NAMES.get(ack) ?? 'UNKNOWN';
}

/** Whole seconds of the network's clock. */
export function secondsOf(message: BridgeMessage): number {
  return Math.floor(message.at / 1000);
}

export function cardText({ name, phone }: Card): string {
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${name}`,
    `TEL;type=CELL;waid=${phone}:+${phone}`,
    'END:VCARD',
  ].join('\n');
}

/** `vCards` of a message; the bridge does not look into wrappers. */
export function cardsOf({ cards, wrapped }: BridgeMessage): readonly string[] | null {
  return wrapped === undefined ? (cards?.map(cardText) ?? null) : null;
}

/** `location` of a message, the same on every engine; null without one, and in a wrapper. */
export function locationOf({ place, wrapped }: BridgeMessage): JsonRecord | null {
  if (place === undefined || wrapped !== undefined) return null;
  return {
    latitude: String(place.latitude),
    longitude: String(place.longitude),
    live: false,
    name: place.name ?? null,
    address: place.address ?? null,
    url: null,
    description: null,
    thumbnail: null,
  };
}
