/** Memory of the service's processes, and the time until they are ready again. */
import { readFileSync } from 'node:fs';
import type { BenchService } from '../service.ts';
import { ask, type Side } from './sides.ts';

type MemoryByRole = Readonly<Record<string, number>>;

/** Resident megabytes by role. */
export function residentMemory(service: BenchService): MemoryByRole {
  return readMemory(service, 'VmRSS');
}

/** The most that each process has ever had resident, in megabytes by role. */
export function peakMemory(service: BenchService): MemoryByRole {
  return readMemory(service, 'VmHWM');
}

function readMemory(service: BenchService, field: 'VmRSS' | 'VmHWM'): MemoryByRole {
  const megabytes = (pid: number): number => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1];
    return Math.round(Number(kilobytes) / 1_024);
  };
  return Object.fromEntries(
    Object.entries(service.run().pids).map(([role, pids]) => [
      role,
      pids.reduce((sum, pid) => sum + megabytes(pid), 0),
    ]),
  );
}

/** The actors are killed: milliseconds until a send is accepted again. */
export async function takeOver(service: BenchService, side: Side): Promise<number> {
  const [pid] = service.run().pids.actors ?? [];
  if (pid === undefined) throw new Error('no actors run');
  process.kill(pid, 'SIGKILL');
  const startedAt = performance.now();
  const body = { channelId: side.channels[0], phone: '5511988887777', text: 'De novo' };
  const { status } = await ask(service, side, { path: '/api/v1/messages', body });
  if (status !== 201) throw new Error(`after the actors were killed a send was answered ${status}`);
  return Math.round(performance.now() - startedAt);
}
