/** Shared input and output steps of all controls. */
import * as v from 'valibot';
import type { HttpAnswer } from '../../../adapters/network/http-caller.ts';
import { parseRecord } from '../../../adapters/network/webhook-body.ts';
import { type Exchange, readBody, respondJson } from '../http/exchange.ts';
import type { ChannelSet, SimulatedChannel } from '../network/channels.ts';

/** Null when the input was invalid and the problems were answered. */
export async function readInput<S extends v.GenericSchema>(
  schema: S,
  exchange: Exchange,
): Promise<v.InferOutput<S> | null> {
  const json = (await readBody(exchange.request)).toString('utf8');
  const parsed = v.safeParse(schema, parseRecord(json));
  if (parsed.success) return parsed.output;
  const problems = parsed.issues.map((issue) => `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
  respondJson(exchange.response, 400, { error: 'not understood', problems });
  return null;
}

export interface Addressed {
  readonly channelId?: string | undefined;
  readonly phoneNumberId?: string | undefined;
  readonly session?: string | undefined;
}

/** By phone number id or session every channel connected to it. */
export function channelsOf(
  set: ChannelSet,
  { channelId, phoneNumberId, session }: Addressed,
): readonly SimulatedChannel[] | undefined {
  if (channelId !== undefined) {
    const channel = set.byId(channelId);
    return channel === undefined ? undefined : [channel];
  }
  const found =
    phoneNumberId !== undefined ? set.byNumber(phoneNumberId) : set.bySession(session ?? '');
  return found.length === 0 ? undefined : found;
}

/**
 * Answers 200 with `body` if the service accepted every webhook, else with the service's answers.
 */
export function respondWhenAccepted(
  { response }: Exchange,
  answers: readonly HttpAnswer[],
  body: Readonly<Record<string, unknown>>,
): void {
  const refused = answers.find((answer) => !answer.answered || answer.status !== 200);
  if (refused === undefined) return respondJson(response, 200, body);
  const detail = refused.answered
    ? { status: refused.status, body: refused.body.slice(0, 2_000) }
    : { cause: refused.cause };
  respondJson(response, 502, { error: 'the webhook did not answer 200', ...detail });
}
