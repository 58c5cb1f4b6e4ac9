/** The client of a service, from the table of its operations. */
import type { CallOptions, ClientOptions, EventsOptions, FileInput } from './api.ts';
import { EventReader } from './events.ts';
import { everyItem, type Page, type Paging } from './pages.ts';
import type { Platform } from './platform.ts';
import { type Call, type QueryValue, Transport } from './transport.ts';

/** One operation, as the document has it. */
export interface OperationRow {
  readonly resource: string;
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly takes: 'body' | 'file' | 'query' | 'nothing';
  /** Takes an `Idempotency-Key`. */
  readonly isKeyed: boolean;
  /** The answer is a list in pages. */
  readonly isPaged: boolean;
  /** `raw`: the response itself. */
  readonly gives: 'json' | 'text' | 'raw';
  /** Statuses that are results beside 2xx. */
  readonly answers: readonly number[];
}

type Query = Readonly<Record<string, QueryValue>>;
type Method = (...given: readonly unknown[]) => unknown;
type Resources = Record<string, Record<string, Method>>;

/** An object with a method for each row; the package's types tell them apart. */
export function clientOf(
  rows: readonly OperationRow[],
  options: ClientOptions,
  platform?: Platform,
): Resources & { events: unknown } {
  const transport = new Transport(options, platform);
  const resources: Resources = {};
  for (const row of rows) {
    resources[row.resource] ??= {};
    const methods = resources[row.resource];
    if (!methods) continue;
    methods[row.name] = methodOf(transport, row);
    if (row.isPaged) methods.all = iteratorOf(transport, row);
  }
  const events = (wanted?: EventsOptions<string>) => new EventReader(transport, wanted);
  return { ...resources, events: Object.assign(events, resources.events) };
}

function methodOf(transport: Transport, row: OperationRow): Method {
  return async (...given) => {
    const call = callOf(row, given);
    const { response, body } = await transport.call(call);
    if (row.gives === 'json') return body;
    return row.gives === 'text' ? response.text() : response;
  };
}

function iteratorOf(transport: Transport, row: OperationRow): Method {
  return (query = {}, options = {}) => {
    const { limit } = query as Partial<Paging>;
    const read = async (paging: Paging) => {
      const call = callOf(row, [{ ...(query as Query), ...paging }, options]);
      const { body } = await transport.call(call);
      return body as Page<{ readonly id: string }>;
    };
    return everyItem(read, limit);
  };
}

/** The path's ids first, then the body, the file or the query, then the options. */
function callOf(row: OperationRow, given: readonly unknown[]): Call {
  const left = [...given];
  const path = row.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(left.shift())));
  const input = row.takes === 'nothing' ? undefined : left.shift();
  const options = (left.shift() ?? {}) as CallOptions;
  const { method, isKeyed, answers, gives } = row;
  return {
    ...{ method, path, isKeyed, answers, isRaw: gives !== 'json', ...options },
    ...(row.takes === 'query' ? { query: (input ?? {}) as Query } : {}),
    ...(row.takes === 'body' ? { body: input ?? {} } : {}),
    ...(row.takes === 'file' ? { file: input as FileInput } : {}),
  };
}
