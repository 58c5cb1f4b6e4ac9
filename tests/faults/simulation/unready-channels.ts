/** Channels whose organization has not yet received their network's recovery. */
import type { OrganizationState } from '../../../actors/domain/organization.ts';
import type { Database } from './memory/database.ts';

export function unreadyChannels(database: Database): number {
  const organizations = database.all('organizations') as unknown as readonly OrganizationState[];
  const channels = organizations.flatMap((organization) => organization.channels);
  const unready = channels.filter(
    (each) => !each.networkReady || !each.networkAnswered || each.networkTrouble !== undefined,
  );
  return unready.length;
}
