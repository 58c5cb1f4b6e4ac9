/** Screen "Integrações": keys, subscriptions, deliveries, and calls of the inbound webhook. */
import type { SubscriptionRow } from '../../../../shared/provisioning/commands.ts';
import { Alert } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { CHANNELS_PATH, type PanelChannel } from '../channels/api.ts';
import type { Data } from '../conversations/api.ts';
import { TEXT } from '../sentences.ts';
import { Deliveries } from './deliveries.tsx';
import { InboundCalls } from './inbound-calls.tsx';
import { Keys } from './keys.tsx';
import { LiveEvents } from './live-events.tsx';
import { Subscriptions } from './subscriptions.tsx';

const { integrations } = TEXT;
const OF_ORGANIZATION = { kinds: ['organization'] } as const;

export function Integrations() {
  const channels = useRead<Data<readonly PanelChannel[]>>(CHANNELS_PATH, OF_ORGANIZATION);
  const path = '/panel/api/subscriptions';
  const subscriptions = useRead<Data<readonly SubscriptionRow[]>>(path, OF_ORGANIZATION);
  const known = channels.body?.data ?? [];
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{integrations.title}</h1>
      </header>
      <Alert refused={channels.refused} onAgain={channels.again} />
      <Alert refused={subscriptions.refused} onAgain={subscriptions.again} />
      <Keys channels={known} />
      <Subscriptions rows={subscriptions.body?.data ?? null} />
      <Deliveries subscriptions={subscriptions.body?.data ?? []} />
      <InboundCalls channels={known} />
      <LiveEvents />
    </div>
  );
}
