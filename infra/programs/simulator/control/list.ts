/** A control of the simulator, and its description in `GET /control`. */
import type { GenericSchema } from 'valibot';
import type { Exchange } from '../http/exchange.ts';
import type { SimulatorState } from '../state/simulator-state.ts';

type Entries = Readonly<Record<string, GenericSchema>>;

export interface Control {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** One line for people. */
  readonly does: string;
  /** Properties of the body, or of the query of a GET. */
  readonly takes?: Entries;
  readonly serve: (simulator: SimulatorState, exchange: Exchange) => void | Promise<void>;
}

/** One row a control; `?` marks what may be left out. */
export function describeControls(controls: readonly Control[]) {
  return controls.map(({ method, path, does, takes = {} }) => ({
    method,
    path,
    takes: Object.entries(takes).map(([name, schema]) => (isOptional(schema) ? `${name}?` : name)),
    does,
  }));
}

function isOptional({ type }: GenericSchema): boolean {
  return type === 'optional';
}
