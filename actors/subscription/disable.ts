/**
 * Disables the subscription of a subscriber that is gone or failing. It repeats the ask to the
 * organization until it is acknowledged or this process may not act.
 */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { DeliveryContext } from './delivery-context.ts';

const RETRY_MS = 200;

/** `gone`: the subscriber answered 410. `failing`: five days without one success. */
export type DisablingReason = 'gone' | 'failing';

export async function disableSubscription(
  { environment, subscriptionId, mayAct }: DeliveryContext,
  request: { readonly orgId: string; readonly reason: DisablingReason },
): Promise<void> {
  const { bus, clock, ids, log } = environment;
  const { orgId, reason } = request;
  log.warn({ subscriptionId, orgId, reason }, LOG_EVENT.subscriptionDisabled);
  while (mayAct()) {
    const command = { id: ids.fresh('cmd'), type: 'disable-subscription', subscriptionId, reason };
    try {
      const deadline = clock.now() + ASK_DEADLINE_MS;
      const answer = await bus.ask({ kind: 'organization', key: orgId }, command, { deadline });
      if (answer.status < 500) return;
    } catch (cause) {
      log.warn(
        { subscriptionId, error: describe(cause) },
        'disabling the subscription failed, retrying',
      );
    }
    await new Promise<void>((resume) => clock.after(RETRY_MS, resume));
  }
}
