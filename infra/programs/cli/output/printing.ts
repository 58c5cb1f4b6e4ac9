/** Runs a command against the service and prints its result. */
import type { Command } from 'commander';
import { type Service, TIMEOUT_MS } from '../service/service.ts';
import { type Row, render } from './print.ts';

export interface Shown<T> {
  /** The table or text for people; `render` unless given. */
  readonly text?: (value: T) => string;
  /** The command ran, and its operation failed: it ends with 1. */
  readonly failed?: (value: T) => boolean;
}

export interface Printing {
  show<T extends Row>(ask: (service: Service) => Promise<T>, shown?: Shown<T>): Promise<void>;
}

export interface Terminal {
  readonly open: (timeoutMs: number) => Promise<Service>;
  readonly write: (text: string) => void;
  /** The command ends with 1. */
  readonly setFailed: () => void;
}

export function printingOf(program: Command, { open, write, setFailed }: Terminal): Printing {
  return {
    async show(ask, { text = render, failed } = {}) {
      const service = await open(TIMEOUT_MS);
      const value = await ask(service).finally(() => service.close());
      const { json } = program.opts<{ json?: boolean }>();
      write(json === true ? `${JSON.stringify(value)}\n` : text(value));
      if (failed?.(value)) setFailed();
    },
  };
}
