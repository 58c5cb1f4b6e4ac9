/**
 * The bridge's engines. The rules for a list of sends and for contacts' messages hold here too
 * (`send-list`, `inbound`). For each message:
 * 1. A transmitted message has reached the contact, under the id that we know it by. It came once
 *    where the network reports sends (own ids, or an answer to the look-up), else at most once
 *    more.
 * 2. A message that ended `unconfirmed` reached the contact twice at most (WEBJS), or once (own
 *    ids).
 * 3. For a message that failed with 463, its contact had never written, the number was restricted,
 *    and it never arrived. There is no other failure, and nothing is left in the queue. Such a
 *    message stays `sent` where the bridge was killed before it told of the failure.
 * The network delivers one message for each id of ours: a repeated send under that id reaches the
 * contact once.
 */
import * as v from 'valibot';
import { callsOf, type History } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import {
  acceptedByBridge,
  type BridgeRead,
  bridgeFaultsOf,
  bridgesRead,
  type Fault,
  faultsOf,
  toldByNetwork,
} from './facts.ts';
import { SHAPE as BROUGHT, judgedBrought } from './inbound.ts';
import { disorderAt, judgedList, SEND, TRANSMITTED } from './sends.ts';

const SENT = {
  request: v.object({ ...SEND.request.entries, engine: v.string(), cold: v.boolean() }),
  answer: SEND.answer,
};
/** A send that a fault holds up may arrive when the network has been asked for it. */
const ON_ITS_WAY_MS = 15_000;
const RESTRICTED = '463';

type Message = BridgeRead['messages'][number];
type Taken = ReturnType<typeof acceptedByBridge>[number];

interface Evidence {
  readonly taken: (text: string) => readonly Taken[];
  readonly faults: readonly Fault[];
  /** Texts to contacts who have not written. */
  readonly cold: ReadonlySet<string>;
  readonly restricted: ReadonlySet<string>;
  /** Ids of the messages of whose fate the service has heard. */
  readonly told: ReadonlySet<string>;
}

export function checkBridge(history: History): Verdict {
  const sends = callsOf(history, 'bridge-send', SENT);
  const brought = callsOf(history, 'bridge-inbound', BROUGHT);
  const reads = bridgesRead(history);
  const accepted = acceptedByBridge(history);
  const troubles = bridgeFaultsOf(history);
  const taken = grouped(accepted, ({ text }) => text ?? '').of;
  const evidence = {
    taken,
    faults: faultsOf(history),
    cold: new Set(sends.filter(({ request }) => request.cold).map(({ request }) => request.text)),
    restricted: restrictedEngines(troubles),
    told: new Set(toldByNetwork(history).map(({ externalId }) => externalId)),
  };
  const sent = reads.flatMap((read) => outOf(read).map((message) => ({ read, message })));
  const known = new Set(sent.map(({ message }) => message.text));
  const ended = (code: string) => sent.filter(({ message }) => message.error?.code === code).length;
  const violations = [...grouped(reads, ({ phone }) => String(phone)).groups.values()].flatMap(
    (mine) => doubled(mine),
  );
  for (const [phone, mine] of grouped(sends, ({ request }) => request.phone).groups) {
    const read = reads.find((each) => each.phone === phone);
    if (read !== undefined) violations.push(...judgedList(mine, read), ...arrivals(read, taken));
    else if (mine.some(({ outcome }) => outcome === 'ok')) violations.push(`${phone} was not read`);
  }
  violations.push(
    ...judgedBrought(brought, new Map(reads.map((each) => [each.phone ?? '', each.messages]))),
    ...sent.flatMap(({ read, message }) => fateOf(message, read.engine, evidence)),
    ...accepted.flatMap(({ text }) =>
      known.has(text) ? [] : [`the bridge has ${text}, the history has not`],
    ),
  );
  const counted = {
    messages: sent.length,
    deliveries: accepted.filter(({ failed }) => failed === null).length,
    unconfirmed: ended('unconfirmed'),
    restricted: ended(RESTRICTED),
    written: new Set(brought.map(({ request }) => request.text)).size,
    troubles: troubles.length,
  };
  return { violations, counted };
}

function restrictedEngines(
  troubles: readonly { readonly kind: string; readonly engine: string }[],
): ReadonlySet<string> {
  const restrictions = troubles.filter(({ kind }) => kind === 'bridge-restricted');
  return new Set(restrictions.map(({ engine }) => engine));
}

function outOf({ messages }: BridgeRead): readonly Message[] {
  return messages.filter(({ direction }) => direction === 'out');
}

/** A person who is told by two forms of a chat is one contact, in one conversation. */
function doubled(mine: readonly BridgeRead[]): string[] {
  const [first] = mine;
  if (first?.phone === null) return mine.map((each) => `${each.conversationId} has no phone`);
  return mine.length > 1 ? [`${first?.phone} has ${mine.length} conversations`] : [];
}

function fateOf(message: Message, engine: string, evidence: Evidence): string[] {
  const { id, status, error, externalId } = message;
  const text = message.text ?? '';
  const rows = evidence.taken(text).filter(({ failed }) => failed === null);
  const often = tooOften(`${text} (${id})`, engine, { rows, faults: evidence.faults });
  if (TRANSMITTED.has(status)) {
    if (rows.length === 0) {
      return isUntold(text, evidence) ? [] : [`${text} (${id}) is ${status} and never came`];
    }
    return rows.some((row) => row.externalId === externalId)
      ? often
      : [...often, `${text} (${id}) is known as ${externalId}, which is none of its own`];
  }
  if (status !== 'failed') return [...often, `${text} (${id}) is still ${status} at the end`];
  if (error?.code === 'unconfirmed') return often;
  const isDue = evidence.cold.has(text) && evidence.restricted.has(engine) && rows.length === 0;
  return error?.code === RESTRICTED && isDue
    ? often
    : [`${text} (${id}) failed with ${error?.code} and came ${rows.length} times`];
}

/** Refused by the network after the bridge took it, and the bridge died with that knowledge. */
function isUntold(text: string, { taken, faults, told }: Evidence): boolean {
  const refused = taken(text);
  const diesAfter = ({ t }: Taken) =>
    faults.some(
      ({ kind, from, parts }) =>
        kind.startsWith('kill') &&
        parts.includes('network') &&
        from > t &&
        from < t + ON_ITS_WAY_MS,
    );
  return refused.some(diesAfter) && refused.every(({ externalId }) => !told.has(externalId));
}

/** Ids of ours make one message of all repeats; without them one repeat may arrive too. */
function tooOften(
  text: string,
  engine: string,
  { rows, faults }: { readonly rows: readonly Taken[]; readonly faults: readonly Fault[] },
): string[] {
  const [first, second] = rows;
  if (first === undefined || second === undefined) return [];
  const hidden = faults.some(
    ({ from, to, parts }) =>
      from < second.t &&
      to > first.t - ON_ITS_WAY_MS &&
      parts.some((part) => /^(network|actors)/.test(part)),
  );
  return engine !== 'webjs' || rows.length > 2 || !hidden
    ? [`${text} came ${rows.length} times by ${engine}`]
    : [];
}

function arrivals(read: BridgeRead, taken: Evidence['taken']): string[] {
  const texts = outOf(read).map(({ text }) => text ?? '');
  const first = texts.flatMap((text) => {
    const [row] = taken(text).filter(({ failed }) => failed === null);
    return row === undefined ? [] : [{ text, t: row.t }];
  });
  return disorderAt(first);
}
