/** Finds the entity that an option names by `ref` or id. */
import * as v from 'valibot';
import type { Answer } from '../../../../shared/ports/bus.ts';
import { listSchema, readAnswer } from './answer.ts';
import { badInput } from './failure.ts';
import type { CommandDraft, Service } from './service.ts';

/** A sentence names so many organizations. */
const NAMED_MAX = 20;

const rowSchema = v.object({ id: v.string(), ref: v.string() });
const rowsSchema = v.union([
  v.array(rowSchema),
  v.pipe(
    v.object({ data: v.array(rowSchema) }),
    v.transform(({ data }) => data),
  ),
]);

type Row = v.InferOutput<typeof rowSchema>;

/** A `ref` wins over an id. */
export function named<R extends Row>(rows: readonly R[], name: string): R | undefined {
  return rows.find(({ ref }) => ref === name) ?? rows.find(({ id }) => id === name);
}

async function organizations(service: Service): Promise<readonly Row[]> {
  return readAnswer(rowsSchema, await service.query('organizations', {}));
}

/** The organization that `--org` names; without it the only one that there is. */
export async function locateOrganization(service: Service, name?: string): Promise<Row> {
  const all = await organizations(service);
  const found = name === undefined ? onlyOne(all) : named(all, name);
  if (!found) throw badInput('--org', `there is no organization "${name}"`);
  return found;
}

function onlyOne(all: readonly Row[]): Row {
  const [only, ...others] = all;
  if (!only) throw badInput('--org', 'there is no organization yet: recado apply makes one');
  if (others.length === 0) return only;
  const some = all.slice(0, NAMED_MAX).map(({ ref }) => ref);
  const names = [...some, ...(all.length > NAMED_MAX ? ['…'] : [])].join(', ');
  throw badInput('--org', `there are ${all.length} organizations, give one of them: ${names}`);
}

/** The id of the organization that `--org` names; without it of the only one. */
export async function findOrganization(service: Service, name?: string): Promise<string> {
  return (await locateOrganization(service, name)).id;
}

export function askOrganization(
  service: Service,
  orgId: string,
  command: CommandDraft,
): Promise<Answer> {
  return service.ask({ kind: 'organization', key: orgId }, command);
}

interface Located extends Row {
  readonly orgId: string;
}

/** A subscription named by id, or by `ref` in one organization or, without, in any. */
export async function locateSubscription(
  service: Service,
  name: string,
  orgId?: string,
): Promise<Located> {
  const orgIds = orgId === undefined ? (await organizations(service)).map(({ id }) => id) : [orgId];
  const lists = await Promise.all(
    orgIds.map(async (id) => {
      const answer = await askOrganization(service, id, { type: 'subscriptions.list' });
      const rows = v.parse(v.array(rowSchema), readAnswer(listSchema, answer).data);
      return rows.map((row) => ({ ...row, orgId: id }));
    }),
  );
  const rows = lists.flat();
  const byRef = rows.filter(({ ref }) => ref === name);
  if (byRef.length > 1) {
    throw badInput('--subscription', `several organizations have a "${name}": give its id`);
  }
  const found = named(rows, name);
  if (!found) throw badInput('--subscription', `there is no subscription "${name}"`);
  return found;
}

/** The id of a subscription, from a name as `locateSubscription` accepts it. */
export async function findSubscription(
  service: Service,
  name: string,
  orgId?: string,
): Promise<string> {
  return (await locateSubscription(service, name, orgId)).id;
}
