/**
 * Disables the subscription of a subscriber that is gone or failing. It repeats the ask to the
 * organization until it is acknowledged or this process may not act.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import { askUntilAcknowledged } from '../runtime/ask-until-acknowledged.ts';
import type { DeliveryContext } from './delivery-context.ts';

/** `gone`: the subscriber answered 410. `failing`: five days without one success. */
export type DisablingReason = 'gone' | 'failing';

export async function disableSubscription(
  { environment, subscriptionId, mayAct }: DeliveryContext,
  request: { readonly orgId: string; readonly reason: DisablingReason },
): Promise<void> {
  const { ids, log } = environment;
  const { orgId, reason } = request;
  log.warn({ subscriptionId, orgId, reason }, LOG_EVENT.subscriptionDisabled);
  await askUntilAcknowledged(environment, {
    to: { kind: 'organization', key: orgId },
    command: { id: ids.fresh('cmd'), type: 'disable-subscription', subscriptionId, reason },
    mayAct,
    failedMessage: 'disabling the subscription failed, retrying',
  });
}
