/** Readings of `recado top`, made by hand. */
import type {
  Reading,
  ReadProcess,
  Report,
} from '../../../../../../infra/programs/cli/top/reading.ts';
import { seriesIn } from '../../../../../../shared/metrics/samples.ts';

const AT = Date.UTC(2026, 10, 20, 12);

export interface Counted {
  /** `sendMessage` calls that were accepted, each within 10 ms. */
  readonly calls: number;
  readonly turns: number;
}

function textOf({ calls, turns }: Counted): string {
  const sent = 'operation="sendMessage",status="201"';
  const stream = 'operation="streamEvents",status="200"';
  return `process_cpu_seconds_total ${calls / 100}
process_resident_memory_bytes 104857600
nodejs_eventloop_lag_p99_seconds 0.012
recado_request_duration_seconds_bucket{${sent},le="0.005"} 0
recado_request_duration_seconds_bucket{${sent},le="0.01"} ${calls}
recado_request_duration_seconds_bucket{${sent},le="+Inf"} ${calls}
recado_request_duration_seconds_count{${sent}} ${calls}
recado_request_duration_seconds_bucket{${stream},le="+Inf"} ${calls}
recado_request_duration_seconds_count{operation="sendMessage",status="503"} ${calls / 10}
recado_requests_shed_total ${calls / 10}
recado_turn_duration_seconds_count{kind="conversation",status="200"} ${turns}
recado_partitions{kind="conversation"} 1024
recado_mailbox_depth 3
`;
}

export function processOf(id: string, counted: Counted): ReadProcess {
  return { id, role: id.split('-')[0] ?? '', pid: 41, series: seriesIn(textOf(counted)) };
}

export function reportOf(id: string, organizations: Readonly<Record<string, number>>): Report {
  const loads = Object.entries(organizations).map(([key, turnsPerSecond]) => {
    return { key, turnsPerSecond, busy: turnsPerSecond / 100 };
  });
  const partitions = [{ key: 'conversation.7', turnsPerSecond: 9, busy: 0.1 }];
  return { id, publicUrl: 'http://127.0.0.1:8080', busiest: { partitions, organizations: loads } };
}

export function readingOf(
  seconds: number,
  parts: Partial<Reading> & {
    readonly read?: readonly ReadProcess[];
  },
): Reading {
  const { read = [], ...rest } = parts;
  return {
    ...{ at: AT + seconds * 1_000, readAt: seconds * 1_000, reports: [], missing: [], silent: [] },
    agendas: [{ agenda: 'sends', waiting: 1_000, more: true, oldestDueMs: 400_000 }],
    processes: new Map(read.map((process) => [process.id, process])),
    ...rest,
  };
}
