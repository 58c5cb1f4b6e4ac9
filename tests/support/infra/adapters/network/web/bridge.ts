/** The QR bridge's side: its control in the simulator, and events that a test signs by itself. */
import { createHmac } from 'node:crypto';
import type { Organization } from '../../../../organization.ts';
import type { Stack } from '../../../../stack.ts';

/** Of `organizationFile`. */
function webhookSecretOf({ ref }: Organization): string {
  return `webhook-secret-${ref}`;
}

export interface BridgePost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An event as the bridge posts it, signed with the channel's secret. */
export function bridgePost(
  org: Organization,
  event: string,
  payload: Readonly<Record<string, unknown>>,
): BridgePost {
  const timestamp = Date.now();
  const me = { id: '551140002000@c.us' };
  const body = JSON.stringify({
    id: `evt_${timestamp}`,
    timestamp,
    event,
    session: org.session,
    me,
    payload,
  });
  const hmac = createHmac('sha512', webhookSecretOf(org)).update(body).digest('hex');
  return { body, headers: { 'x-webhook-hmac': hmac, 'x-webhook-hmac-algorithm': 'sha512' } };
}

/** Posts it to the channel's webhook. */
export function postToShop(stack: Stack, org: Organization, { body, headers }: BridgePost) {
  return stack.request('POST', `/networks/web/${org.shop}`, { body, headers });
}
