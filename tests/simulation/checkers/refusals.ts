/** A refused command changes no byte and emits nothing (I4): seen in a quiet world. */
import type { Document } from '../../../shared/ports.ts';
import type { Shop } from '../organization.ts';
import type { Town } from '../town.ts';

import type { Call } from '../world/processes.ts';

/** What of a town is looked at. */
export interface QuietTown extends Pick<Town, 'scheduler' | 'database' | 'call'> {
  readonly network: { readonly handed: readonly unknown[] };
}

/** Written by time alone, whoever calls. */
const BESIDE = new Set(['members', 'partitions', 'windows']);
const PATIENCE_MS = 10_000;

function refusedCalls({ account, main, shop, flows }: Shop): readonly (readonly [number, Call])[] {
  const post = (path: string, body: unknown, key: string | null = account): Call => ({
    method: 'POST',
    path: `/api/v1/${path}`,
    key,
    body,
  });
  const phone = '5531988887777';
  return [
    [
      401,
      post('messages', { text: 'x', phone, channelId: main.id }, 'rcd_nobody-has-this-key-0123'),
    ],
    [403, post('messages', { text: 'x', phone, channelId: shop.id }, main.key)],
    [404, post('messages', { text: 'x', conversationId: 'cnv_nobody', channelId: main.id })],
    [422, post('messages', { text: '', phone, channelId: main.id })],
    [404, post('flows/flw_nobody/start', { phone, channelId: main.id })],
    [422, post(`flows/${flows[0]}/start`, { phone: 'x', channelId: main.id })],
    [404, post('deals', { title: 'x', phone })],
    [404, post('deals/deal_nobody', { status: 'won' })],
    [422, post('tasks', { title: 'x', assigneeId: 'mbr_nobody' })],
    [422, post('contacts', { phone: '123' })],
  ];
}

/** The stored documents, by collection and id: they are replaced, never changed. */
function contentOf({ database }: QuietTown): ReadonlyMap<string, Document> {
  const names = database.collections().filter((name) => !BESIDE.has(name));
  return new Map(
    names.flatMap((name) =>
      database.all(name).map((each): [string, Document] => [`${name} ${each._id}`, each]),
    ),
  );
}

/** Without what the reminder desk writes: a mail that failed is sent when its time comes. */
const REMINDING = new Set(['reminder', 'reminded', 'remindAt', 'partition', 'version']);

function textOf(name: string, document: Document | undefined): string | undefined {
  if (!name.startsWith('tasks ')) return JSON.stringify(document);
  return JSON.stringify(document, (key, value: unknown) =>
    REMINDING.has(key) ? undefined : value,
  );
}

/** Grows with whatever is stored or removed. */
function revisionOf({ database }: QuietTown): number {
  const names = database.collections().filter((name) => !BESIDE.has(name));
  return names.reduce((sum, name) => sum + database.revision(name), 0);
}

function isSame(before: ReadonlyMap<string, Document>, after: ReadonlyMap<string, Document>) {
  if (before.size !== after.size) return false;
  for (const [name, document] of after) {
    const known = before.get(name);
    if (known === document) continue;
    if (textOf(name, known) !== textOf(name, document)) return false;
  }
  return true;
}

export async function refusalsChangeNothing(
  town: QuietTown,
  shop: Shop,
): Promise<readonly string[]> {
  const { scheduler, network } = town;
  const wrong: string[] = [];
  let before = contentOf(town);
  let revision = revisionOf(town);
  for (const [status, call] of refusedCalls(shop)) {
    const handed = network.handed.length;
    let said: number | null = null;
    void town.call(call).then((replied) => {
      said = replied?.status ?? 0;
    });
    await scheduler.run(scheduler.now + PATIENCE_MS, () => said !== null);
    // What would follow from it follows within moments.
    await scheduler.run(scheduler.now + 300, () => false);
    // A channel that has just been mended may not be known to be ready yet.
    if (said !== status && said !== 429 && said !== 409) {
      wrong.push(`refusals: ${call.path} was answered ${said}, not ${status}`);
    }
    const after = revisionOf(town) === revision ? before : contentOf(town);
    if (!isSame(before, after) || network.handed.length !== handed) {
      wrong.push(`refusals: ${call.path} was refused (${said}) and changed something`);
    }
    before = after;
    revision = revisionOf(town);
  }
  return wrong;
}
