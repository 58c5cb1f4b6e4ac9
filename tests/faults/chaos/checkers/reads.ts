/**
 * Reads beside sends (architecture: what is answered is there). A page requested after a send was
 * answered shows it, unless newer ones fill the page. Its total counts all of those. A page as long
 * as its total is the only one, so that no message is left to an older page.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { conversationsRead } from './facts.ts';
import { SEND } from './sends.ts';

const READ = {
  request: v.object({ phone: v.string() }),
  /** The newest page. */
  answer: v.object({ ids: v.array(v.string()), total: v.number() }),
};

interface Answered {
  readonly text: string;
  readonly id: string;
  readonly endedAt: number;
  /** In the conversation as it was in the end. */
  readonly place: number;
}

export function checkReads(history: History): Verdict {
  const sends = grouped(callsOf(history, 'send', SEND), ({ request }) => request.phone);
  const read = new Map(conversationsRead(history).map((each) => [each.phone, each.messages]));
  const reads = callsOf(history, 'read-back', READ).filter(({ answer }) => answer !== null);
  const violations = [...grouped(reads, ({ request }) => request.phone).groups].flatMap(
    ([phone, mine]) => {
      const places = new Map((read.get(phone) ?? []).map(({ id }, place) => [id, place]));
      const answered = sends
        .of(phone)
        .flatMap(({ request: { text }, answer, endedAt }): Answered[] => {
          const place = places.get(answer?.messageId ?? '');
          return answer === null || place === undefined
            ? []
            : [{ text, id: answer.messageId, endedAt, place }];
        });
      return mine.flatMap((call) => faultsOfRead(call, answered, places));
    },
  );
  return { violations, counted: { reads: reads.length } };
}

function faultsOfRead(
  { answer, startedAt }: Call<unknown, v.InferOutput<typeof READ.answer>>,
  answered: readonly Answered[],
  places: ReadonlyMap<string, number>,
): string[] {
  const { ids = [], total = 0 } = answer ?? {};
  const shown = new Set(ids);
  const before = answered.filter(({ endedAt }) => endedAt < startedAt);
  const oldest =
    total <= ids.length
      ? 0
      : Math.min(...ids.map((id) => places.get(id) ?? Number.POSITIVE_INFINITY));
  const hidden = before.filter(({ id, place }) => place >= oldest && !shown.has(id));
  return [
    ...hidden.map(({ text }) => `${text} was answered and then not shown`),
    ...(total < before.length ? [`a total of ${total}, ${before.length} were answered`] : []),
  ];
}
