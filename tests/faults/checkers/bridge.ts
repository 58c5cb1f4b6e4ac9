/**
 * The bridge's engines, beside the rules of all networks. A message is known by an id under which
 * it reached the contact. It came once where the network tells (own ids, or an answer to the
 * look-up), else at most once more. A message that ended `unconfirmed` reached the contact twice at
 * most (WEBJS), or once. For one that failed with 463 its contact had never written, the number was
 * restricted, and it never arrived. There is no other failure.
 * The network delivers one message for each id of ours: a repeat under that id arrives once.
 */
import { type Checker, grouped, outOf, type Rule, TRANSMITTED } from './checker.ts';
import type { Fault, History, Message, Transmission } from './history.ts';
import { arrivalsOf } from './network.ts';

/** A send that a fault holds up may arrive when the network has been asked for it. */
const ON_ITS_WAY_MS = 15_000;
const RESTRICTED = '463';

type Bridged = Message & { readonly engine: string };

function bridged(history: History): readonly Bridged[] {
  return outOf(history).flatMap((message) => {
    const { engine } = message;
    return engine === undefined ? [] : [{ ...message, engine }];
  });
}

/** For each message of the bridge: a rule sees how it arrived. */
function each(
  history: History,
  rule: (message: Bridged, came: readonly Transmission[]) => readonly string[],
): readonly string[] {
  const given = grouped(history.transmissions, ({ messageId }) => messageId ?? '');
  return bridged(history).flatMap((message) => rule(message, arrivalsOf(given.of(message.id))));
}

/** A person who is told by two forms of a chat is one contact, in one conversation. */
const onePersonHasOneConversation: Rule = ({ bridgeConversations: all }) => {
  if (!all) return null;
  return [...Map.groupBy(all, ({ phone }) => phone)].flatMap(([phone, mine]) => {
    if (phone === null) return mine.map(({ id }) => `${id} has no phone`);
    return mine.length > 1 ? [`${phone} has ${mine.length} conversations`] : [];
  });
};

const knownByAnIdOfItsOwn: Rule = (history) =>
  each(history, ({ id, text, status, externalId }, came) =>
    !TRANSMITTED.has(status) ||
    came.length === 0 ||
    came.some(({ taken }) => taken?.externalId === externalId)
      ? []
      : [`${text} (${id}) is known as ${externalId}, which is none of its own`],
  );

const failsForACause: Rule = (history) => {
  const restrictions = history.bridgeFaults.filter(({ kind }) => kind === 'bridge-restricted');
  const restricted = new Set(restrictions.map(({ engine }) => engine));
  const cold = new Set(
    history.calls.flatMap(({ request }) => (request.cold ? (request.text ?? []) : [])),
  );
  return each(history, ({ id, text, status, engine, error }, came) => {
    if (status !== 'failed' || error === 'unconfirmed') return [];
    const isDue = cold.has(text ?? '') && restricted.has(engine) && came.length === 0;
    return error === RESTRICTED && isDue
      ? []
      : [`${text} (${id}) failed with ${error} and came ${came.length} times`];
  });
};

const comesOnce: Rule = (history) =>
  each(history, ({ id, text, engine }, came) => {
    const [first, second] = came;
    if (first === undefined || second === undefined) return [];
    const isExcused = came.length === 2 && isHidden(first, second, history.faults);
    return engine === 'webjs' && isExcused
      ? []
      : [`${text} (${id}) came ${came.length} times by ${engine}`];
  });

/** A fault may have hidden the first one from who asked for it. */
function isHidden(first: Transmission, second: Transmission, faults: readonly Fault[]): boolean {
  return faults.some(
    ({ from, to, parts }) =>
      from < second.at &&
      to > first.at - ON_ITS_WAY_MS &&
      parts.some((part) => /^(network|actors)/.test(part)),
  );
}

export const bridge: Checker = {
  rules: { onePersonHasOneConversation, knownByAnIdOfItsOwn, failsForACause, comesOnce },
  counted: (history) => {
    const sent = bridged(history);
    const ids = new Set(sent.map(({ id }) => id));
    const taken = history.transmissions.filter(({ messageId }) => ids.has(messageId ?? ''));
    const written = history.calls.filter(
      ({ operation, request }) => operation === 'inbound' && request.engine,
    );
    const ended = (code: string) => sent.filter(({ error }) => error === code).length;
    return {
      messages: sent.length,
      deliveries: arrivalsOf(taken).length,
      unconfirmed: ended('unconfirmed'),
      restricted: ended(RESTRICTED),
      written: new Set(written.map(({ request }) => request.text)).size,
      troubles: history.bridgeFaults.length,
    };
  },
};
