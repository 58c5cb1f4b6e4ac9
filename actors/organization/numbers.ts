/** Holders of network numbers in other organizations, as they are stored. */
import type { Issue } from '../../shared/failures.ts';
import type { Document, Filter, Store } from '../../shared/ports.ts';
import { spellingsOf } from '../../shared/provisioning/network-number.ts';
import { sharedWithOthers, type TakenNumber } from '../domain/organization/numbers.ts';
import type { OrganizationState } from '../domain/organization/state.ts';

/** Each number has one holder; of those stored before numbers were judged it may have more. */
const HOLDERS_MAX = 100;

interface HolderDocument extends Document, Pick<OrganizationState, 'ref' | 'channels'> {}

/** The problems of numbers that other organizations have. */
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

/** By what was judged, and by the settings of channels that were stored before. */
function filtersOf(taken: readonly TakenNumber[]): readonly Filter[] {
  const of = (setting: TakenNumber['setting']) => taken.filter((each) => each.setting === setting);
  const sessions = of('session');
  const ids = of('phoneNumberId').map(({ number }) => number);
  return [
    { numbers: { $in: taken.map(({ key }) => key) } },
    ...(ids.length > 0 ? [{ 'channels.network.phoneNumberId': { $in: ids } }] : []),
    // Bridges of many organizations call their only session the same.
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
