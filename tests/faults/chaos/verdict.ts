/**
 * Verdict after the faults (I1, I2, I3, I5, I8): reads all records back and runs the checkers of
 * histories. Work still under way gets time to end.
 */
import assert from 'node:assert/strict';
import type { Message } from '../../../shared/api/message.ts';
import { verdictsOn, violationsIn } from '../checkers/all.ts';
import { historyOf } from './history.ts';
import type { LoadFixture } from './load-fixture.ts';
import { now } from './program/recorder.ts';
import { readConversation, readEvents, readNetwork } from './read-back.ts';

export interface Outcome {
  readonly accepted: number;
  /** Answers that were no 201, and how many of them happened nevertheless. */
  readonly unanswered: number;
  readonly happenedUnanswered: number;
}

/** Fails with the service's story. */
export async function judge(fixture: LoadFixture): Promise<Outcome> {
  try {
    return await judged(fixture);
  } catch (cause) {
    const sentence = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${sentence}\n${fixture.stack.story()}`, { cause });
  }
}

async function judged(fixture: LoadFixture): Promise<Outcome> {
  const { recorder, phones } = fixture.load;
  const all = await Promise.all(
    phones.map(async (phone): Promise<readonly Message[]> => {
      const messages = await readConversation(fixture, phone);
      await readNetwork(fixture, phone, messages);
      return messages;
    }),
  );
  const messages = all.flat();
  await readEvents(fixture, messages);
  // A scripted fault keeps no times: any moment of the load may have been one of them.
  const from = recorder.history[0]?.t ?? now();
  recorder.seen('fault', { kind: 'scripted', parts: ['actors', 'mongo'], from, to: now() });
  const verdicts = verdictsOn(historyOf(recorder.history));
  const { sends, network } = Object.fromEntries(verdicts);
  const { accepted = 0, unanswered = 0, refused } = sends?.counted ?? {};
  assert.deepEqual(violationsIn(verdicts), []);
  assert.equal(network?.counted.sentAgain, 0, 'nothing came to the network twice');
  assert.equal(refused, 0, 'no send was refused');
  return { accepted, unanswered, happenedUnanswered: messages.length - accepted };
}
