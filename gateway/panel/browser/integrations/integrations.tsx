/** Screen "Integrações": keys, subscriptions, streams, deliveries, inbound calls, live events. */
import { Alert } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { CHANNELS_PATH, type PanelChannel } from '../channels/api.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { type SubscriptionList, targetsOf } from './api.ts';
import { Deliveries } from './deliveries.tsx';
import { InboundCalls } from './inbound-calls.tsx';
import { Keys } from './keys.tsx';
import { LiveEvents } from './live-events.tsx';
import { Streams } from './streams.tsx';
import { Subscriptions } from './subscriptions.tsx';

const { integrations } = TEXT;
const OF_ORGANIZATION = { kinds: ['organization'] } as const;

export function Integrations() {
  const channels = useRead<Data<readonly PanelChannel[]>>(CHANNELS_PATH, OF_ORGANIZATION);
  const path = '/panel/api/subscriptions';
  const subscriptions = useRead<SubscriptionList>(path, OF_ORGANIZATION);
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
      <Streams rows={subscriptions.body?.streams ?? null} />
      <Deliveries targets={subscriptions.body ? targetsOf(subscriptions.body) : []} />
      <InboundCalls channels={known} />
      <LiveEvents />
    </div>
  );
}
