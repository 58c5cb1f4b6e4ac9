/**
 * Scope of a key (C5.3): a channel key reaches one channel only. Any other channel is 403, not 404,
 * whether it exists or not.
 */

import { type Failure, failure } from '../shared/failures.ts';
import type { Caller, CallerChannel } from '../shared/wire/caller.ts';

/** Syntax of our ids: a text without it identifies nothing, and costs no ask. */
const ID = /^[A-Za-z0-9_-]{1,40}$/;

export function looksLikeId(text: string): boolean {
  return ID.test(text);
}

export type Scoped<Value> = { readonly value: Value } | { readonly refusal: Failure };

/** The channel to write through: the one named, or a channel key's own. */
export function channelInScope(
  caller: Caller,
  channelId: string | undefined,
): Scoped<CallerChannel> {
  if (isOtherChannel(caller, channelId)) return { refusal: failure('other_channel') };
  const wanted = channelId ?? caller.channelId;
  const channel = caller.channels.find((candidate) => candidate.id === wanted);
  return channel ? { value: channel } : { refusal: failure('channel_not_found') };
}

export function isOtherChannel(caller: Caller, channelId: string | undefined): boolean {
  return caller.channelId !== null && channelId !== undefined && channelId !== caller.channelId;
}

/** 409 with the channel's own reason (C4.9.3). */
export function readinessRefusal(channel: CallerChannel): Failure | null {
  if (channel.ready) return null;
  return failure('channel_not_ready', channel.reason ?? undefined);
}
