/**
 * Tries of a step by successive owners of its conversation. A step that ends its process, and is
 * executed again by each next owner, would take the installation down for ever.
 *
 * 1. Only an owner that finds a step due from before its own time counts it, in a journaled write
 *    before it is executed: a step that is executed once costs no write.
 * 2. An epoch counts a step once, however often its timer is posted.
 * 3. An owner that outlives its try takes it back: a store that fails for a minute ends many owners,
 *    and no step is to blame for it.
 */
import type { Environment } from '../../environment.ts';
import type { Change, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { retryWhile } from '../../runtime/repeat.ts';

type EntryKey = Pick<EntryDocument, 'conversationId' | 'seq'>;

/** Longer than an election of the store. */
const TAKE_BACK_WITHIN_MS = 60_000;
const TAKE_BACK_RETRY = { firstMs: 500 };

/** Number of owners, this one included, that began the step and are not known to have outlived it. */
export async function countTry(store: Store, entryKey: EntryKey, epoch: number): Promise<number> {
  const entry = await store.findOne('entries', entryKey, { project: { timer: 1 } });
  if (!entry?.timer) return 0;
  const begun = { ...entry.timer.begunIn, [keyOf(epoch)]: true };
  const tries = Object.keys(begun).length;
  if (entry.timer.begunIn?.[keyOf(epoch)]) return tries;
  const filter = { ...entryKey, timer: { $exists: true } };
  const change: Change<'entries'> = { $set: { [pathOf(epoch)]: true } };
  const [written] = await store.commit([{ update: 'entries', filter, change }]);
  if (written && 'error' in written) throw written.error;
  return tries;
}

/** This process has outlived its try of the step. Never rejects; its lease may have ended. */
export async function takeBackTry(
  { store, clock, log }: Pick<Environment, 'store' | 'clock' | 'log'>,
  entryKey: EntryKey,
  epoch: number,
): Promise<void> {
  const until = clock.monotonic() + TAKE_BACK_WITHIN_MS;
  const mayAct = () => clock.monotonic() < until;
  const failedMessage = 'taking back the try of a flow step failed';
  const retry = { mayAct, wait: TAKE_BACK_RETRY, failedMessage };
  const filter = { ...entryKey, timer: { $exists: true } };
  const change = { $unset: { [pathOf(epoch)]: '' } };
  await retryWhile({ clock, log }, retry, async () => {
    const [written] = await store.commit([{ update: 'entries', filter, change }]);
    if (written && 'error' in written) throw written.error;
  });
}

function keyOf(epoch: number): string {
  return `e${epoch}`;
}

function pathOf(epoch: number): `timer.begunIn.${string}` {
  return `timer.begunIn.${keyOf(epoch)}`;
}
