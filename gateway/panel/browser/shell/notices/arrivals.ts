/** Which unread conversations have a message that was not there before: pure. */
import type { PanelConversation } from '../../conversations/state/api.ts';

/** Rows that are read of each list, the newest first. */
export const ROWS = 20;

type Row = Pick<PanelConversation, 'id' | 'unread' | 'lastMessageAt'>;

/** Rows of the lists of a person. */
export type Known = readonly (readonly Row[])[];

/**
 * A row that is new at the end of a full list was there before, behind those that were read.
 *
 * @param before null: nothing was read before, so nothing has arrived
 */
export function arrivedIn<Shown extends Row>(
  before: Known | null,
  lists: readonly (readonly Shown[])[],
): readonly Shown[] {
  if (before === null) return [];
  const counts = new Map(before.flat().map(({ id, unread }) => [id, unread]));
  return lists.flatMap((rows, list) => {
    const known = before[list] ?? [];
    const oldest = known.length < ROWS ? '' : (known.at(-1)?.lastMessageAt ?? '');
    return rows.filter(({ id, unread, lastMessageAt }) => {
      const count = counts.get(id);
      return count === undefined ? (lastMessageAt ?? '') > oldest : unread > count;
    });
  });
}
