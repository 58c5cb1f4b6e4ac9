/** Whether somebody acts for every partition. */
import * as v from 'valibot';
import type { Log } from '../../../shared/ports.ts';
import type { Config } from '../../config/config.ts';
import { readAnswer } from '../answer.ts';
import { openService } from '../service.ts';
import { type Check, PATIENCE_MS, sentenceOf, unwell, well, within } from './check.ts';

const NAME = 'partitions';
const readySchema = v.object({ missing: v.array(v.string()) });
const membersSchema = v.object({ ids: v.array(v.string()) });

export async function checkPartitions(config: Config, log: Log): Promise<Check> {
  try {
    const found = await within(PATIENCE_MS, look(config, log));
    return found ?? unwell(NAME, 'Nobody answers.', START_ACTORS);
  } catch (cause) {
    return unwell(NAME, sentenceOf(cause), START_ACTORS);
  }
}

const START_ACTORS = 'Start an actors process, and see its log.';

async function look(config: Config, log: Log): Promise<Check> {
  const service = await openService({ config, log, patienceMs: PATIENCE_MS });
  const { ids } = readAnswer(membersSchema, await service.query('members', {}));
  const { missing } = readAnswer(readySchema, await service.query('ready', {}));
  await service.close();
  const members = `${ids.length} actors ${ids.length === 1 ? 'process' : 'processes'}`;
  return missing.includes('partitions')
    ? unwell(
        NAME,
        `some have no owner; ${members}`,
        'Run every kind of actors somewhere (ACTORS), or wait for the hand-over to end.',
      )
    : well(NAME, `all have an owner; ${members}`);
}
