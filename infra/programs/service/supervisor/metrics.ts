/**
 * The supervisor's page of metrics: the running roles, their restarts, and each process's own
 * metrics, under the labels `role` and `process`.
 */
import { type Exposition, mergeExpositions } from '../../../adapters/metrics/exposition.ts';

export interface RoleMetric {
  readonly role: string;
  readonly index: number;
  readonly up: boolean;
  readonly restarts: number;
}

/** The metrics of one process; null for one that does not answer. */
export interface RoleReport extends Pick<RoleMetric, 'role' | 'index'> {
  readonly text: string | null;
}

/** The roles with metrics; the others are not programs of ours, or have none. */
export const REPORTING_ROLES: ReadonlySet<string> = new Set(['gateway', 'panel', 'actors']);

export function formatMetrics(roles: readonly RoleMetric[]): string {
  const labels = (metric: RoleMetric) => `{role="${metric.role}",index="${metric.index}"}`;
  return [
    '# HELP recado_process_up Whether the process runs.',
    '# TYPE recado_process_up gauge',
    ...roles.map((metric) => `recado_process_up${labels(metric)} ${metric.up ? 1 : 0}`),
    '# HELP recado_process_restarts_total How often the process was started again.',
    '# TYPE recado_process_restarts_total counter',
    ...roles.map((metric) => `recado_process_restarts_total${labels(metric)} ${metric.restarts}`),
    '',
  ].join('\n');
}

/** The whole page. `process` is stable over restarts: `actors-1` is the second of its role. */
export function formatPage(roles: readonly RoleMetric[], reports: readonly RoleReport[]): string {
  const expositions = reports.flatMap(({ role, index, text }): Exposition[] =>
    text === null ? [] : [{ labels: { role, process: `${role}-${index}` }, text }],
  );
  return mergeExpositions([{ labels: {}, text: formatMetrics(roles) }, ...expositions]);
}
