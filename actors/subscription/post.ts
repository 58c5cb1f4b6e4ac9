/** Signs one attempt and POSTs it (C6.1, C6.2). */
import type { PostOutcome } from '../../shared/ports/outbound.ts';
import type { Environment } from '../environment.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import type { DeliveryDocument } from './documents.ts';

export function postDelivery(
  environment: Environment,
  configuration: SubscriptionConfiguration,
  delivery: DeliveryDocument,
): Promise<PostOutcome> {
  const { outbound, vault, clock, settings } = environment;
  const timestamp = Math.floor(clock.now() / 1000);
  const { _id: id, body, event } = delivery;
  const signatures = vault.sign(configuration.secrets, { id, timestamp, body });
  const prefix = settings.eventHeaderPrefix;
  return outbound.post(configuration.entry.url, body, {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Recado-Webhooks/1.0',
    [`${prefix}-Event`]: event,
    [`${prefix}-Delivery`]: id,
    [`${prefix}-Signature`]: signatures.service,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.standard,
  });
}
