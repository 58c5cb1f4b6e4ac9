/** Runs a command against the service and prints what it gives. */
import type { Command } from 'commander';
import { type Row, render } from './print.ts';
import { PATIENCE_MS, type Service } from './service.ts';

export interface Shown<T> {
  /** The table or text for people; `render` unless given. */
  readonly text?: (value: T) => string;
  /** The command was run, and what it asked for failed: it ends with 1. */
  readonly failed?: (value: T) => boolean;
}

export interface Printing {
  show<T extends Row>(ask: (service: Service) => Promise<T>, shown?: Shown<T>): Promise<void>;
}

export interface Terminal {
  readonly open: (patienceMs: number) => Promise<Service>;
  readonly write: (text: string) => void;
  /** The command ends with 1. */
  readonly notWell: () => void;
}

export function printingOf(program: Command, { open, write, notWell }: Terminal): Printing {
  return {
    async show(ask, { text = render, failed } = {}) {
      const service = await open(PATIENCE_MS);
      const value = await ask(service).finally(() => service.close());
      const { json } = program.opts<{ json?: boolean }>();
      write(json === true ? `${JSON.stringify(value)}\n` : text(value));
      if (failed?.(value)) notWell();
    },
  };
}
