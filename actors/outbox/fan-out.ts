/**
 * Fan-out command to an organization's owner: for each event, a delivery per matching subscription.
 */

import type { Command } from '../../shared/ports/bus.ts';
import type { OutboxEvent } from '../../shared/wire/outbox.ts';

export interface FanOutCommand extends Command {
  readonly type: 'fan-out';
  readonly orgId: string;
  readonly events: readonly OutboxEvent[];
}

export function fanOut(id: string, orgId: string, events: readonly OutboxEvent[]): FanOutCommand {
  return { id, type: 'fan-out', orgId, events };
}
