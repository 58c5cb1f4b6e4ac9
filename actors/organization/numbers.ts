/** Look-up of network numbers that other organizations hold. */
import type { Issue } from '../../shared/failures.ts';
import type { Document, Filter, Store } from '../../shared/ports/store.ts';
import { spellingsOf } from '../../shared/provisioning/network-number.ts';
import { sharedWithOthers, type TakenNumber } from '../domain/organization/numbers.ts';
import type { OrganizationState } from '../domain/organization/state.ts';

/** Each number has one holder; a number stored before the check existed may have more. */
const HOLDERS_MAX = 100;

interface HolderDocument extends Document, Pick<OrganizationState, 'ref' | 'channels'> {}

/** Issues for numbers that other organizations hold. */
export async function numbersTaken(
  store: Store,
  orgId: string,
  taken: readonly TakenNumber[],
): Promise<readonly Issue[]> {
  if (taken.length === 0) return [];
  const found = await Promise.all(
    filtersOf(taken).map((filter) =>
      store.find<HolderDocument>('organizations', filter, {
        project: { ref: 1, channels: 1 },
        limit: HOLDERS_MAX,
      }),
    ),
  );
  const others = found.flat().map(({ _id, ref, channels }) => ({ id: _id, ref, channels }));
  return sharedWithOthers(orgId, taken, others);
}

/** Finds holders by checked numbers, and by the settings of channels stored before the check. */
function filtersOf(taken: readonly TakenNumber[]): readonly Filter[] {
  const of = (setting: TakenNumber['setting']) => taken.filter((each) => each.setting === setting);
  const sessions = of('session');
  const ids = of('phoneNumberId').map(({ number }) => number);
  return [
    { numbers: { $in: taken.map(({ key }) => key) } },
    ...(ids.length > 0 ? [{ 'channels.network.phoneNumberId': { $in: ids } }] : []),
    // Bridges of many organizations give their only session the same name.
    ...(sessions.length > 0
      ? [
          {
            'channels.network.session': { $in: sessions.map(({ number }) => number) },
            'channels.network.baseUrl': { $in: sessions.flatMap(spellingsOf) },
          },
        ]
      : []),
  ];
}
