/**
 * Calls with an `Idempotency-Key` that are repeated until they are answered (D29: Idempotency-Key).
 * Each takes effect once, however often it was made, and every answer under its key names the same
 * entity.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { conversationsRead } from './facts.ts';

const SHAPE = {
  /** `name` is the text of a message or the title of a deal, and unique. */
  request: v.object({ key: v.string(), what: v.picklist(['message', 'deal']), name: v.string() }),
  answer: v.object({ id: v.string() }),
};
const Titled = v.object({ id: v.string(), title: v.string() });

type Try = Call<v.InferOutput<typeof SHAPE.request>, v.InferOutput<typeof SHAPE.answer>>;

export function checkOnce(history: History): Verdict {
  const tries = callsOf(history, 'once', SHAPE);
  const messages = conversationsRead(history).flatMap((conversation) => conversation.messages);
  const deals = seenOf(history, 'read-deal', Titled);
  const found = {
    message: grouped(messages, ({ text }) => text ?? ''),
    deal: grouped(deals, ({ title }) => title),
  };
  const keys = [...grouped(tries, ({ request }) => request.key).groups.values()];
  const violations = keys.flatMap((mine) => {
    const { what, name } = mine[0]?.request ?? { what: 'message', name: '' };
    return faultsOfKey(mine, [...found[what].of(name)]);
  });
  const repeated = keys.filter(({ length }) => length > 1).length;
  return { violations, counted: { tries: tries.length, keys: keys.length, repeated } };
}

/** A refusal under a key says "still under way" and is no end. */
function faultsOfKey(tries: readonly Try[], there: readonly { readonly id: string }[]): string[] {
  const { what, name } = tries[0]?.request ?? { what: 'call', name: '' };
  const answers = new Set(tries.flatMap(({ answer }) => answer?.id ?? []));
  const ids = there.map(({ id }) => id);
  if (ids.length > 1) return [`the ${what} ${name} is there ${ids.length} times`];
  if (answers.size > 1) return [`the ${what} ${name} was answered as ${[...answers].join(', ')}`];
  const [answered] = answers;
  if (answered === undefined || answered === ids[0]) return [];
  return [`the ${what} ${name} was answered as ${answered} and is ${ids[0] ?? 'lost'}`];
}
