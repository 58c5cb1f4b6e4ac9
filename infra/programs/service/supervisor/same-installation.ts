/**
 * Whether the operator's own bus serves the store that is named beside it. A gateway knows its bus
 * alone: on another installation's it is ready before the own actors are refused there.
 */
import * as v from 'valibot';
import { AskFailed } from '../../../../shared/ports/bus.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { freshId } from '../../../adapters/ids/ids.ts';
import type { NatsSettings } from '../../../adapters/nats/access.ts';
import { connectBus } from '../../../adapters/nats/bus.ts';
import type { DeathReporter } from './children/death-reporter.ts';

const ANSWER_MS = 2_000;
const RecordSchema = v.pipe(v.string(), v.parseJson(), v.object({ salt: v.string() }));

/** True unless another process reports a different installation. */
export async function isSameInstallation(
  nats: NatsSettings,
  store: Pick<DeathReporter, 'read'>,
  log: Log,
): Promise<boolean> {
  const processId = freshId('supervisor');
  const bus = await connectBus({ ...nats, clock: systemClock, log, processId });
  try {
    const deadline = systemClock.now() + ANSWER_MS;
    const answer = await bus.query('installation', {}, { deadline });
    const { salt } = v.parse(RecordSchema, answer.body);
    const stored = await store.read((db) =>
      db.collection<{ _id: string }>('installation').findOne({ _id: 'installation' }),
    );
    return Reflect.get(Object(stored), 'salt') === salt;
  } catch (cause) {
    if (cause instanceof AskFailed) return true;
    throw cause;
  } finally {
    await bus.close();
  }
}
