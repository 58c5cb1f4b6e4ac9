/** Who has brought a turn about, as the events of its entries name it. */
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { Origin } from '../../../shared/vocabulary.ts';

export interface Cause {
  readonly origin: Origin;
  /** Null where no member did it. */
  readonly memberId: string | null;
}

type Type = CommandOf<'conversation'>['type'];

/** Of commands that name none: those that it lacks are the network's, or change nothing of note. */
const ORIGIN_OF: Readonly<Partial<Record<Type, Origin>>> = {
  inbound: 'contact',
  call: 'contact',
  welcome: 'contact',
  'flow-timer': 'flow',
  'flow-call-ended': 'flow',
  'stop-flow': 'flow',
  assign: 'panel',
  resolve: 'panel',
  reopen: 'panel',
  'stop-run': 'panel',
};

export function causeOf(command: CommandOf<'conversation'>): Cause {
  const memberId = command.by?.memberId ?? null;
  if ('origin' in command) return { origin: command.origin, memberId };
  return { origin: ORIGIN_OF[command.type] ?? 'network', memberId };
}
