/** A client's call as the checkers want it: a time-out or a 5xx may or may not have happened. */
import * as v from 'valibot';
import { shownSpelling } from '../../../shared/text/phone-spellings.ts';
import { Answer, type Call, Deal, Request } from '../checkers/history.ts';
import type { Operation } from './coverage.ts';
import type { Order } from './order.ts';
import { sentBy } from './outside/network-media.ts';
import type { Replied } from './world/processes.ts';

/** Operations that the checkers know by another name. */
const NAMES: Partial<Record<Operation, string>> = {
  'send-once': 'send',
  'send-by-conversation': 'send',
  'send-url': 'send',
  'send-file': 'send',
  'inbound-webhook': 'send',
  reply: 'send',
  'send-template': 'send',
  'send-fallback': 'send',
  'send-refuse': 'send',
  'schedule-refuse': 'schedule',
  'schedule-template': 'schedule',
  'schedule-fallback': 'schedule',
  'window-message': 'inbound',
  'campaign-message': 'send',
  'send-added-file': 'send',
  'campaign-opt-out': 'opt-out',
  'network-message': 'inbound',
  'network-media': 'inbound',
  'network-echo': 'inbound',
  'contact-field': 'contact',
  'deal-change-once': 'deal-change',
  'task-change-once': 'task-change',
};
export interface Try {
  readonly operation: Operation;
  readonly client: number;
  readonly order: Order;
  readonly startedAt: number;
  readonly replied: Replied | null;
  /** How often it was repeated. */
  readonly repeats: number;
}

export function callOf(tried: Try, endedAt: number): Call {
  const { operation, client, order, startedAt, replied, repeats } = tried;
  const { path, message, phone, sendAt, expiresAt, externalId } = order.request;
  const [, dealId] = /^deals\/(.+)$/.exec(String(path)) ?? [];
  const request = v.parse(Request, {
    ...{ ...order.request, key: order.call?.key ?? undefined, dealId },
    ...(typeof phone === 'string' ? { phone: shownSpelling(phone) } : {}),
    ...(message === undefined ? {} : { text: message }),
    ...(operation === 'reply' ? { isMembers: true } : {}),
    ...(sendAt === undefined ? {} : { dueAt: Date.parse(String(sendAt)) }),
    ...(expiresAt === undefined ? {} : { endsAt: Date.parse(String(expiresAt)) }),
    ...(operation === 'network-media' ? { mediaId: sentBy(String(externalId)) } : {}),
  });
  const said = replied?.status ?? 0;
  // A refusal speaks for the last try only: an earlier one may have happened.
  const status = repeats > 0 && outcomeOf(said) === 'refused' ? 0 : said;
  const outcome = outcomeOf(status);
  return {
    process: `client${client}`,
    operation: NAMES[operation] ?? operation,
    ...{ request, outcome, status, startedAt },
    answer: replied && answerOf(replied, repeats > 0),
    endedAt: outcome === 'unknown' ? Number.POSITIVE_INFINITY : endedAt,
    returnedAt: endedAt,
  };
}

function outcomeOf(status: number): Call['outcome'] {
  if (status >= 200 && status < 300) return 'ok';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}

/** The answer to a member's reply names its message beside no `data`. */
function answerOf({ body }: Replied, isRepeated: boolean): Answer | null {
  if (!body.startsWith('{')) return null;
  const { data, created, total, messageId } = JSON.parse(body);
  const rows = Array.isArray(data) ? data : undefined;
  const ids = rows?.map(({ id }) => id);
  const isHistory = rows?.[0]?.direction !== undefined;
  const deal = v.safeParse(Deal, data);
  return v.parse(Answer, {
    ...{ messageId, ...Object(data), created, total, ids },
    ...(rows?.[0]?.lastMessageAt === undefined ? {} : { rows }),
    ...(isHistory ? { times: rows.map(timeOf) } : {}),
    ...(deal.success && !isRepeated ? { deal: deal.output } : {}),
    ...(data?.stages === undefined ? {} : { pipeline: data }),
  });
}

/** By which the history has it. */
function timeOf({ releasedAt, createdAt }: { releasedAt?: string; createdAt: string }): number {
  return Date.parse(releasedAt ?? createdAt);
}
