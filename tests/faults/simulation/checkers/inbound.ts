/** Contacts' messages are recorded once, however often the network reports them. */
import type { Checker } from './evidence.ts';

const TOLD = new Set<string>(['network-message', 'network-media', 'network-echo']);

export const takenInOnce: Checker = ({ history, entries }) => {
  const stored = Map.groupBy(entries, ({ externalId }) => externalId ?? '');
  return history.flatMap(({ operation, outcome, request }) => {
    if (!TOLD.has(operation)) return [];
    const times = stored.get(String(request.externalId))?.length ?? 0;
    return outcome === 'done' && times !== 1
      ? [`${String(request.externalId)} was told and is stored ${times} times`]
      : [];
  });
};
