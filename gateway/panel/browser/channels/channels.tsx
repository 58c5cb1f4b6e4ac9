/** Screen "Canais": state, backlog, pace, and for those who integrate, addresses and keys. */
import { Alert, Empty } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import { CHANNELS_PATH, type PanelChannel } from './api.ts';
import { ChannelCard } from './channel-card.tsx';

const { channels } = TEXT;

export function Channels() {
  const read = useRead<Data<readonly PanelChannel[]>>(CHANNELS_PATH, {
    kinds: ['channel', 'organization'],
  });
  const rows = read.body?.data ?? [];
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{channels.title}</h1>
        <button type="button" class="button" onClick={read.again}>
          {channels.refresh}
        </button>
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body === null && !read.refused ? <p class="empty">{TEXT.loading}</p> : null}
      {read.body && rows.length === 0 ? (
        <Empty title={channels.emptyTitle} text={channels.emptyText} />
      ) : null}
      <ul class="cards" aria-label={channels.title}>
        {rows.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} />
        ))}
      </ul>
    </div>
  );
}
