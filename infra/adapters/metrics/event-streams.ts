/** Open event streams of a gateway. */
import { Gauge, type Registry } from '@prometheus-io/client';

export function watchEventStreams(registry: Registry, open: () => number): void {
  new Gauge({
    name: 'recado_event_streams_open',
    help: 'Connections of event streams.',
    registers: [registry],
    collect() {
      this.set(open());
    },
  });
}
