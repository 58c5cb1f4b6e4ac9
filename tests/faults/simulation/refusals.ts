/** A refused command changes no byte and emits nothing (I4): checked in a quiet world. */
import type { Document } from '../../support/plain-store.ts';
import type { Shop } from './organization.ts';
import type { Call } from './world/processes.ts';
import type { World } from './world.ts';

/** The parts of a world that are compared. */
export interface QuietWorld extends Pick<World, 'scheduler' | 'database' | 'call'> {
  readonly network: { readonly transmissions: readonly unknown[] };
}

/** Collections written by time alone, whichever call is made. */
const BESIDE = new Set([
  ...['members', 'partitions', 'windows', 'streams'],
  ...['businessAccounts', 'templates'],
]);
const TIMEOUT_MS = 10_000;
const LONG_AGO = '2026-01-01T00:00:00.000Z';

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
    [422, post('messages', { text: 'x', phone, channelId: main.id, sendAt: LONG_AGO })],
    [404, post('messages/msg_nobody/cancel', {})],
    [404, post('flows/flw_nobody/start', { phone, channelId: main.id })],
    [422, post(`flows/${flows[0]}/start`, { phone: 'x', channelId: main.id })],
    [404, post('deals', { title: 'x', phone })],
    [404, post('deals/deal_nobody', { status: 'won' })],
    [422, post('tasks', { title: 'x', assigneeId: 'mbr_nobody' })],
    [422, post('contacts', { phone: '123' })],
  ];
}

/** The stored documents, by collection and id: they are replaced, never changed. */
function contentOf({ database }: QuietWorld): ReadonlyMap<string, Document> {
  const names = database.collections().filter((name) => !BESIDE.has(name));
  return new Map(
    names.flatMap((name) =>
      database.all(name).map((each): [string, Document] => [`${name} ${each._id}`, each]),
    ),
  );
}

/** Without the fields of the reminder sender: a mail that failed is sent when its time comes. */
const REMINDING = new Set(['reminder', 'reminded', 'remindAt', 'partition', 'version']);

function textOf(name: string, document: Document | undefined): string | undefined {
  // What waits in a stream that has ended is given up when it is swept.
  if (document?.generation !== undefined) return document._id;
  if (!name.startsWith('tasks ')) return JSON.stringify(document);
  return JSON.stringify(document, (key, value: unknown) =>
    REMINDING.has(key) ? undefined : value,
  );
}

/** Grows with whatever is stored or removed. */
function revisionOf({ database }: QuietWorld): number {
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
  world: QuietWorld,
  shop: Shop,
): Promise<readonly string[]> {
  const { scheduler, network } = world;
  const wrong: string[] = [];
  let before = contentOf(world);
  let revision = revisionOf(world);
  for (const [status, call] of refusedCalls(shop)) {
    const transmissions = network.transmissions.length;
    let said: number | null = null;
    void world.call(call).then((replied) => {
      said = replied?.status ?? 0;
    });
    await scheduler.run(scheduler.now + TIMEOUT_MS, () => said !== null);
    // Effects of the call would follow within moments.
    await scheduler.run(scheduler.now + 300, () => false);
    // A channel that has just been mended may not be known to be ready yet.
    if (said !== status && said !== 429 && said !== 409) {
      wrong.push(`refusals: ${call.path} was answered ${said}, not ${status}`);
    }
    const after = revisionOf(world) === revision ? before : contentOf(world);
    if (!isSame(before, after) || network.transmissions.length !== transmissions) {
      wrong.push(`refusals: ${call.path} was refused (${said}) and changed something`);
    }
    before = after;
    revision = revisionOf(world);
  }
  return wrong;
}
