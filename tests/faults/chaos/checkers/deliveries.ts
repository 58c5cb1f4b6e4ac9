/**
 * Deliveries (I3, I5): each event of the history made exactly one. Its attempts are the same bytes
 * under the same id, signed, seven at most. None follows an answer 200, unless a fault may have
 * swallowed the answer. Nothing is delivered that is not in the history.
 */
import { verify } from '@octokit/webhooks-methods';
import * as v from 'valibot';
import { type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import {
  bridgesRead,
  conversationsRead,
  type Fault,
  faultsOf,
  receivedBySubscriber,
  scheduledRead,
} from './facts.ts';

const OK = 200;
const ATTEMPTS_MAX = 7;
/** Parts that must run for an answer to arrive and to be recorded. */
const ON_THE_WAY = ['subscriber', 'actors', 'mongo'];
/** An answer may be waited for so long, and be written down late. */
const AFTERMATH_MS = 15_000;
const Subscription = v.object({ secret: v.string() });
const Body = v.object({
  event: v.string(),
  data: v.object({
    messageId: v.optional(v.string()),
    deal: v.optional(v.object({ id: v.string() })),
  }),
});

type Received = ReturnType<typeof receivedBySubscriber>[number];

export async function checkDeliveries(history: History): Promise<Verdict> {
  const received = receivedBySubscriber(history);
  const [subscription] = seenOf(history, 'subscription', Subscription);
  const deliveries = grouped(received, ({ delivery }) => delivery).groups;
  const violations = [...deliveries].flatMap(([id, attempts]) => attemptFaults(id, attempts));
  violations.push(...[...deliveries.values()].flatMap(needless(faultsOf(history))));
  const firsts = [...deliveries.values()].flatMap(([first]) => first ?? []);
  for (const each of firsts) {
    if (!(await isSigned(each, subscription?.secret ?? ''))) {
      violations.push(`${each.delivery} is not signed as it should be`);
    }
  }
  const told = grouped(firsts, subjectOf);
  const expected = expectedSubjects(history);
  for (const subject of expected) {
    const { length } = told.of(subject);
    if (length !== 1) violations.push(`${subject} made ${length} deliveries`);
  }
  // A network may accept a message and refuse it afterwards.
  const failed = everyMessage(history).filter(({ status }) => status === 'failed');
  const passing = new Set(failed.map(({ id }) => `message.sent ${id}`));
  const once = [...told.groups.keys()].filter((subject) => ONCE.test(subject));
  for (const subject of once) {
    if (!expected.has(subject) && !passing.has(subject))
      violations.push(`${subject} was told and is not there`);
  }
  const counted = {
    deliveries: deliveries.size,
    attemptsReceived: received.length,
    eventsExpected: expected.size,
    refused: received.filter(({ answered }) => answered !== OK).length,
    receivedAgain: [...deliveries.values()].filter((all) => all.filter(isTaken).length > 1).length,
  };
  return { violations, counted };
}

function everyMessage(history: History) {
  const read = [...conversationsRead(history), ...bridgesRead(history), ...scheduledRead(history)];
  return read.flatMap(({ messages }) => messages);
}

/** Of an outbound message that has not come to the network. */
const UNTOLD: ReadonlySet<string> = new Set(['queued', 'scheduled', 'cancelled']);

/** Events that occur once per message or deal; a deal's transitions have a checker of their own. */
const ONCE = /^(message\.(sent|received|failed)|deal\.created) /;

function expectedSubjects(history: History): ReadonlySet<string> {
  const messages = everyMessage(history);
  const deals = seenOf(history, 'read-deal', v.object({ id: v.string() }));
  return new Set([
    ...messages.flatMap(({ id, direction, status }) => {
      if (direction === 'in') return [`message.received ${id}`];
      if (status === 'failed') return [`message.failed ${id}`];
      return UNTOLD.has(status) ? [] : [`message.sent ${id}`];
    }),
    ...deals.map(({ id }) => `deal.created ${id}`),
  ]);
}

function subjectOf({ bytes, delivery }: Received): string {
  const { event, data } = v.parse(Body, JSON.parse(textOf(bytes)));
  return `${event} ${data.messageId ?? data.deal?.id ?? delivery}`;
}

function attemptFaults(id: string, attempts: readonly Received[]): string[] {
  const bodies = new Set(attempts.map(({ bytes, event }) => `${event} ${bytes}`));
  const wrong: string[] = [];
  if (bodies.size > 1) wrong.push(`${id} came with ${bodies.size} different bodies`);
  if (attempts.length > ATTEMPTS_MAX) wrong.push(`${id} came ${attempts.length} times`);
  return wrong;
}

/** Attempts after one that was taken, and nothing that may have come between. */
function needless(faults: readonly Fault[]): (attempts: readonly Received[]) => string[] {
  const excusing = faults.filter(({ parts }) =>
    parts.some((part) => ON_THE_WAY.some((role) => part.startsWith(role))),
  );
  return (attempts) => {
    const taken = attempts.findIndex(isTaken);
    const before = attempts[taken];
    const again = attempts[taken + 1];
    if (before === undefined || again === undefined) return [];
    const excused = excusing.some(
      ({ from, to }) => from <= again.t && to + AFTERMATH_MS >= before.t,
    );
    return excused ? [] : [`${again.delivery} came again after it was answered ${OK}`];
  };
}

function isTaken({ answered }: Received): boolean {
  return answered === OK;
}

/** The signature holds for the bytes as they came; the event of the header is that of the body. */
async function isSigned({ bytes, signature, event }: Received, secret: string): Promise<boolean> {
  const body = textOf(bytes);
  if (!signature.startsWith('sha256=') || secret === '') return false;
  return v.parse(Body, JSON.parse(body)).event === event && (await verify(secret, body, signature));
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
