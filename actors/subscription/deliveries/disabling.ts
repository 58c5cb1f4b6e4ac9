/** Asks a subscription's organization to disable it, until it has. */
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { Environment } from '../../environment.ts';
import { askUntilAcknowledged } from '../../runtime/repeat.ts';

/** `gone`: the subscriber answered 410. `failing`: five days without one success. */
export type DisablingReason = 'gone' | 'failing';

interface DisablingSettings {
  readonly environment: Pick<Environment, 'bus' | 'clock' | 'ids' | 'log'>;
  readonly subscriptionId: string;
  readonly mayAct: () => boolean;
  /** The organization has answered, or this process may not act any more. */
  readonly ended: () => void;
}

export class Disabling {
  readonly #settings: DisablingSettings;
  #underWay: Promise<void> | null = null;

  constructor(settings: DisablingSettings) {
    this.#settings = settings;
  }

  /** Resolves when it has ended; null where none is under way. */
  get underWay(): Promise<void> | null {
    return this.#underWay;
  }

  /** Another reason during an ask adds nothing. */
  begin(reason: DisablingReason, orgId: string): void {
    this.#underWay ??= this.#ask(reason, orgId).finally(() => {
      this.#underWay = null;
      this.#settings.ended();
    });
  }

  async #ask(reason: DisablingReason, orgId: string): Promise<void> {
    const { environment, subscriptionId, mayAct } = this.#settings;
    environment.log.warn({ subscriptionId, orgId, reason }, LOG_EVENT.subscriptionDisabled);
    const id = environment.ids.fresh('cmd');
    await askUntilAcknowledged(environment, {
      to: { kind: 'organization', key: orgId },
      command: { id, type: 'disable-subscription', subscriptionId, reason },
      mayAct,
      failedMessage: 'disabling the subscription failed, retrying',
    });
  }
}
