/** Finds what an option names by `ref` or id. */
import * as v from 'valibot';
import type { Answer } from '../../shared/ports.ts';
import { listSchema, readAnswer } from './answer.ts';
import { badInput } from './failure.ts';
import type { Order, Service } from './service.ts';

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

/** The organization that `--org` names. */
export async function locateOrganization(service: Service, name: string): Promise<Row> {
  const found = named(await organizations(service), name);
  if (!found) throw badInput('--org', `there is no organization "${name}"`);
  return found;
}

/** The id of the organization that `--org` names. */
export async function findOrganization(service: Service, name: string): Promise<string> {
  return (await locateOrganization(service, name)).id;
}

export function askOrganization(service: Service, orgId: string, command: Order): Promise<Answer> {
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

/** The id of a subscription, named as `locateSubscription` takes it. */
export async function findSubscription(
  service: Service,
  name: string,
  orgId?: string,
): Promise<string> {
  return (await locateSubscription(service, name, orgId)).id;
}
