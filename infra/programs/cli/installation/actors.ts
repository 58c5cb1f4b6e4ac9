/** `recado actors`: the partitions of each process, as the processes themselves report them. */
import * as v from 'valibot';
import type { Log } from '../../../../shared/ports/log.ts';
import { render } from '../output/print.ts';
import { readAnswer } from '../service/answer.ts';
import type { Service } from '../service/service.ts';

/** A live process answers within moments; one that hangs is reported. */
const TIMEOUT_MS = 2_000;

const rangesByKind = v.record(
  v.string(),
  v.array(v.object({ from: v.number(), to: v.number(), epoch: v.number() })),
);

const processSchema = v.object({
  id: v.string(),
  kinds: v.array(v.string()),
  pid: v.number(),
  partitions: rangesByKind,
  mailboxes: v.number(),
  depth: v.number(),
  turnsPerSecond: v.number(),
});
type Process = v.InferOutput<typeof processSchema>;

export const membersSchema = v.object({ ids: v.array(v.string()) });

/** The processes by id; a live member that does not answer is logged. */
export async function listActors(service: Pick<Service, 'query' | 'askAll'>, log: Log) {
  const { ids } = readAnswer(membersSchema, await service.query('members', {}));
  const answers = await gatherReports(service, processSchema, new Set(ids));
  for (const id of ids) {
    if (!answers.has(id)) log.warn({ id }, `${id} is a member and does not answer`);
  }
  return { processes: [...answers.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

/**
 * Reports of the actors processes by id, until all of these have answered, or after 2 s.
 * @param schema of the parts that are read
 */
export async function gatherReports<S extends v.GenericSchema<unknown, { readonly id: string }>>(
  service: Pick<Service, 'askAll'>,
  schema: S,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, v.InferOutput<S>>> {
  const answers = new Map<string, v.InferOutput<S>>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, TIMEOUT_MS);
  const stop = service.askAll('actors', (answer) => {
    const read = v.safeParse(schema, answer);
    if (!read.success) return;
    answers.set(read.output.id, read.output);
    if ([...ids].every((id) => answers.has(id))) resolve();
  });
  if (ids.size === 0) resolve();
  await promise;
  clearTimeout(timeout);
  stop();
  return answers;
}

/** A row per process; of the partitions only how many. */
export function renderActors({ processes }: { readonly processes: readonly Process[] }): string {
  const data = processes.map(({ id, pid, partitions, mailboxes, depth, turnsPerSecond }) => {
    const held = Object.entries(partitions).map(([kind, ranges]) => {
      const count = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      return `${kind}:${count}`;
    });
    return { id, pid, partitions: held.join(' '), mailboxes, depth, turnsPerSecond };
  });
  return render({ data }, 'wrap');
}
