/** Files in transit in a process, by kind: bytes held of its budgets, and waiting holders. */
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { MediaUsage } from '../media/media.ts';

type Budget = MediaUsage['budgets'][keyof MediaUsage['budgets']];

/** `read` is asked at every scrape. */
export function watchMedia(registry: Registry, read: () => MediaUsage): void {
  const registers = [registry];
  const byWay = (name: string, help: string, pick: (budget: Budget) => number): void => {
    new Gauge({
      name: `recado_media_${name}`,
      help,
      labelNames: ['way'],
      registers,
      collect() {
        for (const [way, budget] of Object.entries(read().budgets)) this.set({ way }, pick(budget));
      },
    });
  };
  byWay('held_bytes', 'Bytes of the budget that files under way hold.', ({ held }) => held);
  byWay('held_bytes_max', 'The most that was held at once since the start.', ({ peak }) => peak);
  byWay('waiting', 'Files that wait for the budget.', ({ waiting }) => waiting);
  new Counter({
    name: 'recado_media_lent_total',
    help: 'Files that were read for networks.',
    registers,
    collect() {
      this.reset();
      this.inc(read().filesRead);
    },
  });
}
